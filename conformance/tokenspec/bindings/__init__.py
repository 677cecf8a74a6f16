"""Types of other languages for requests and results, made from the published schemas."""
