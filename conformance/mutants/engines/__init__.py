"""Broken engines, every one with exactly one fault."""

from __future__ import annotations

from .decisions import DECISIONS
from .others import OTHERS
from .results import RESULTS
from .scores import SCORES

MUTANTS = (*SCORES, *DECISIONS, *RESULTS, *OTHERS)
