"""The alignment checker: takes anyone's pairs or chunk ids and says what is wrong with them.

``view`` brings an output into one form, ``invariants`` are plain functions over it (usable without a run),
``structure``, ``boundary``, ``metamorphic``, ``compat``, ``losses`` and ``refusals`` are the registered checks.
"""
