"""Broken implementations of this area, every one with exactly one fault."""
