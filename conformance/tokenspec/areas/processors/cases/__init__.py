"""The processors corpus as code: one module per group, written out by `python -m`.

Answers come from the stateless oracle. Where the facts of the upstream project state an answer, the case carries that
answer too, and writing fails if the oracle disagrees with it.
"""
