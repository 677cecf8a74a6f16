"""How outputs of this area are judged."""
