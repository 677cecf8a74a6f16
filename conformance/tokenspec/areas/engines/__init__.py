"""Engines: a reasoning trace becomes segments. Models are tables or formulas, so no weights are involved."""
