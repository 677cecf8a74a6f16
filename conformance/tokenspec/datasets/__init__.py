"""Whole data sets: read, prepare with the reference, and say what was found; on one machine or on a Ray cluster."""
