"""The masks of a grammar: which ids may come next, behind any ids."""
