"""Oracles: what goldens are made from. Never our own renderers.

``transformers_oracle`` asks ``apply_chat_template`` at a pinned version with a frozen clock; ``attribution`` finds who
owns each character by changing the caller's strings and looking at what changes in the oracle's output.
"""
