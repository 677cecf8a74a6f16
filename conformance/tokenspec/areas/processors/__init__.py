"""Processors: a script of steps becomes allow-sets, masked logits and typed errors. No model is involved."""
