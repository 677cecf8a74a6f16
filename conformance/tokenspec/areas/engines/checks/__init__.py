"""Checks of the engines area: what the oracle says, what holds of any segmentation, and what must not matter."""
