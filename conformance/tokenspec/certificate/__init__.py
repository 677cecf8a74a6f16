"""Certificates: what a row's template does to conversations, measured by the oracle and reviewed by a person.

A certificate answers "can I train on this template?" before anything is run: does history stay as it was, does a turn
continue the prompt it was sampled from, which roles and arguments does it take, what does it drop. The facts are
defined in ``spec/12-certificates.md``; the files are ``fixtures/certificates/<row>.json``.
"""

from __future__ import annotations

from .certify import certify
from .facts import Break, Certificate, Facts, Review, flat
from .files import Change, changes, committed, path_of

__all__ = [
    "Break",
    "Certificate",
    "Change",
    "Facts",
    "Review",
    "certify",
    "changes",
    "committed",
    "flat",
    "path_of",
]
