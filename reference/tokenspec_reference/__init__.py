"""The readable reference implementation of the token layer: renderers, engines, processors, fast-forward, aligners."""

__version__ = "0.1.0"
