"""Checks of the render area: text, ids, masks and what is derived from masks, graded apart."""
