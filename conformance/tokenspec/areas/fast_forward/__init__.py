"""Fast-forward: a vocabulary, a grammar and a prefix become the tokens that are forced next."""
