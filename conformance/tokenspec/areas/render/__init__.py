"""Renderers: a conversation becomes token ids, and every token knows whose it is."""
