"""The conformance suite for the token layer of language-model post-training."""

__version__ = "0.1.0"
