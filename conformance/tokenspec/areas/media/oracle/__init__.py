"""How the goldens of this area are made."""
