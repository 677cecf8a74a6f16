"""Known failures: a list of what an implementation is known to get wrong, strict both ways.

A file is TOML and about one implementation:

    implementation = "mylib"                       # what its info() calls itself

    [[failure]]
    case = "render/tool-*"                         # '*' stands for any characters and is the only wildcard
    row = "qwen3"                                  # a row, a pair a+b, '-' for cases without a model
    requirement = "RND-022"                        # or: check = "render.ids"
    class = "fail"                                 # fail | error | rejected | warning
    reason = "tool results are not joined"
    issue = "https://example.org/mylib/issues/7"   # or owner/repo#7, or #7
    impl = ">=1.0,<2"                              # optional: versions of the implementation it holds for
    transformers = ">=5"                           # optional: the same for the installed transformers
    wontfix = false                                # optional

What is listed and fails as listed becomes ``xfail``. Everything else is a complaint and fails the run: a listed failure
that passes (``xpass``), fails in another way, is no longer judged, or can never be run. What is not listed fails as
ever. A requirement fails on a cell when one of the checks citing it does.
"""

from .entries import Entry, Failure, KnownFailures, load_known_failures
from .judging import Ledger, Sighting, judge_known, ledgers_for
from .writing import Rewritten, rewrite

__all__ = [
    "Entry",
    "Failure",
    "KnownFailures",
    "Ledger",
    "Rewritten",
    "Sighting",
    "judge_known",
    "ledgers_for",
    "load_known_failures",
    "rewrite",
]
