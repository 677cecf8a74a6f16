"""The cases of the area ``grammar-mask``: one module a theme, each with its ``CASES``."""
