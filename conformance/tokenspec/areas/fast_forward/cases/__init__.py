"""The fast-forward corpus, in families by slug."""
