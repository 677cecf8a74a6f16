"""Requests that must be refused, and the same texts where truncating was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.aligners.cases.build import BOUNDARY, case, row
from tokenspec.areas.aligners.oracle.upstream import SCORES
from tokenspec.store.records import Case

TEXT = "One text for both sides."
DIFFERENT = {
    "first-byte": ("Two texts.", "One text."),
    "middle": ("The answer is 42, or so.", "The answer is 43, or so."),
    "case": ("Shared start, then UPPER.", "Shared start, then upper."),
    "trailing-space": ("The end. ", "The end.\n"),
    "one-empty-word": ("left and right", "left  and right"),
}
MARKED = {
    "after-a-mark": ("Le cafe\u0301 ouvre a\u0300 dix heures.", "Le cafe\u0301 ouvre a\u0300 six heures."),
    "at-a-mark": ("On a de\u0301ja\u0300 vu.", "On a de\u0300ja\u0301 vu."),
}
"""Texts of letters and marks that one tokenizer composes and another does not."""
BATCH = "invalid-alignment-input"
EDITS = {
    "ragged": ("ALN-060", BATCH, "/teacher"),
    "mask-shape": ("ALN-060", BATCH, "/teacher"),
    "batch-size": ("ALN-060", BATCH, "/student", "/teacher"),
    "bad-option": ("ALN-060", BATCH, "/options/on_mismatch"),
    "unknown-option": ("ALN-060", BATCH, "/options/on_missmatch"),
    "bad-id": ("ALN-061", "id-out-of-vocabulary", "/teacher/ids/0/0"),
}

PIECES = {
    "align-pieces": {side: [[["text", "a"], ["text", "b"]]] for side in ("student", "teacher")},
    "align-canonical": {side: ["a", "b"] for side in ("student", "teacher")},
}
OF_OTHERS = (
    ("align-pieces", "boundary", "max_comb_len"),
    ("align-pieces", "nw-compat", "on_mismatch"),
    ("align-canonical", "nw-compat", "anchor_lengths"),
)
"""Options of another task or profile."""


def differing(number: int, student: str, teacher: str) -> tuple[str, ...]:
    """The code and the places of a refusal of two texts: the first differing byte of row ``number``, on either side."""
    pairs = zip(student.encode(), teacher.encode(), strict=False)
    byte = next(index for index, (one, other) in enumerate(pairs) if one != other)
    return "text-mismatch", *(f"/{side}/texts/{number}/{byte}" for side in ("student", "teacher"))


def cases() -> Iterator[Case]:
    """Different texts, refused and truncated; broken batches."""
    for slug, (student, teacher) in DIFFERENT.items():
        batch = [row(TEXT), row(student, None, {"text": teacher})]
        yield case(
            f"different-{slug}",
            "ALIGN_TEXT_MISMATCH",
            ("ALN-017",),
            f"The second row spells two texts: {slug.replace('-', ' ')}.",
            differing(1, student, teacher),
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
    for slug, (student, teacher) in MARKED.items():
        yield case(
            f"truncate-{slug}",
            "ALIGN_TEXT_MISMATCH ALIGN_TRUNCATION ALIGN_NORMAL_FORM",
            (*BOUNDARY, "ALN-015", "ALN-018"),
            f"Two texts with letters that some tokenizers compose, as far as they agree: {slug.replace('-', ' ')}.",
            task="align",
            batch=[row(TEXT), row(student, None, {"text": teacher})],
            options={"on_mismatch": "truncate"},
        )
    for number, slug in enumerate(("first", "second")):
        student, teacher = DIFFERENT["middle"]
        batch = [row(TEXT), row(TEXT), row(TEXT)]
        batch[number] = row(student, None, {"text": teacher})
        yield case(
            f"different-{slug}-of-three",
            "ALIGN_TEXT_MISMATCH",
            ("ALN-017",),
            f"The {slug} row of three spells two texts; the others are fine.",
            differing(number, student, teacher),
            task="align",
            batch=batch,
        )
    for edit, (requirement, *refused) in EDITS.items():
        yield case(
            f"refuse-{edit}",
            "ALIGN_BAD_INPUT",
            (requirement,),
            f"A damaged batch: {edit.replace('-', ' ')}.",
            tuple(refused),
            task="align",
            batch=[row(TEXT), row("Another row, somewhat longer.")],
            edit=edit,
        )
    for task, profile, option in OF_OTHERS:
        yield case(
            f"refuse-{option.replace('_', '-')}-of-{task}-{profile}",
            "ALIGN_BAD_INPUT",
            ("ALN-060",),
            f"An option that {task} in the profile {profile} does not have.",
            (BATCH, f"/options/{option}"),
            task=task,
            profile=profile,
            options={option: 2},
            data=PIECES[task],
        )
    for score in SCORES:
        yield case(
            f"refuse-{score.replace('_', '-')}-beyond-single-precision",
            "ALIGN_BAD_INPUT",
            ("ALN-060",),
            "A score that single precision, in which scores are added, does not have.",
            (BATCH, f"/options/{score}"),
            task="align-canonical",
            profile="nw-compat",
            options={score: 1e39},
            data=PIECES["align-canonical"],
        )


CASES = tuple(cases())
