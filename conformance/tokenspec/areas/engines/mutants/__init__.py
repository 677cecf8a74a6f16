"""Broken engines, every one with exactly one fault."""
