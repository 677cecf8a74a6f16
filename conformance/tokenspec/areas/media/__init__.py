"""Media: pictures and videos become as many placeholders as the publisher's processor writes for them."""
