"""Aligners: the ids of two tokenizers for one text, and which of them belong together."""
