"""Broken implementations of the area ``grammar-mask``, each with exactly one fault."""
