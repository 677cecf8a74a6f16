"""Checks of the grammar-mask area: masks against the oracle's, and scripts asked in other ways."""
