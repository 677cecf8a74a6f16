"""Requests that must be refused, and the same texts where truncating was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.aligners.cases.build import BOUNDARY, case, row
from tokenspec.store.records import Case

TEXT = "One text for both sides."
DIFFERENT = {
    "first-byte": ("Two texts.", "One text."),
    "middle": ("The answer is 42, or so.", "The answer is 43, or so."),
    "case": ("Shared start, then UPPER.", "Shared start, then upper."),
    "trailing-space": ("The end. ", "The end.\n"),
    "one-empty-word": ("left and right", "left  and right"),
}
EDITS = {
    "ragged": "ALN-060",
    "mask-shape": "ALN-060",
    "batch-size": "ALN-060",
    "bad-option": "ALN-060",
    "bad-id": "ALN-061",
}


def cases() -> Iterator[Case]:
    """Different texts, refused and truncated; broken batches."""
    for slug, (student, teacher) in DIFFERENT.items():
        batch = [row(TEXT), row(student, None, {"text": teacher})]
        yield case(
            f"different-{slug}",
            "ALIGN_TEXT_MISMATCH",
            ("ALN-017",),
            f"The second row spells two texts: {slug.replace('-', ' ')}.",
            task="align",
            batch=batch,
        )
        yield case(
            f"truncate-{slug}",
            "ALIGN_TEXT_MISMATCH ALIGN_TRUNCATION",
            (*BOUNDARY, "ALN-018"),
            f"Two texts, aligned as far as they agree: {slug.replace('-', ' ')}.",
            task="align",
            batch=batch,
            options={"on_mismatch": "truncate"},
        )
    for edit, requirement in EDITS.items():
        yield case(
            f"refuse-{edit}",
            "ALIGN_BAD_INPUT",
            (requirement,),
            f"A damaged batch: {edit.replace('-', ' ')}.",
            task="align",
            batch=[row(TEXT), row("Another row, somewhat longer.")],
            edit=edit,
        )


CASES = tuple(cases())
