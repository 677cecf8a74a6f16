"""How the goldens of the area ``grammar-mask`` are made."""
