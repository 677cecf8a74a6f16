"""Checks of the consumers: numbers equal to plain sums within a relative 2e-5 (single precision)."""

from __future__ import annotations

import math
from typing import Any

from tokenspec.areas.check import NotComparable, NotGiven, Subject, Violation, check, cites

RELATIVE, ABSOLUTE = 2e-5, 2e-6


def close(expected: Any, got: Any, where: str) -> None:
    """Nested lists and numbers; integers exactly."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            if not isinstance(got, dict) or key not in got:
                raise NotGiven(f"no value {where}{key}")
            close(value, got[key], f"{where}{key}")
    elif isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            raise Violation("another length", where=where, expected=expected, got=got)
        for index, value in enumerate(expected):
            close(value, got[index], f"{where}[{index}]")
    elif isinstance(expected, int):
        if got != expected:
            raise Violation("another number", where=where, expected=expected, got=got)
    elif not isinstance(got, int | float) or not math.isclose(expected, got, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        raise Violation("another number", where=where, expected=expected, got=got)


def compare(subject: Subject) -> None:
    """All named values of a case but the gradient, which has a check of its own."""
    if subject.output.values is None:
        raise NotGiven("no values")
    close(
        {name: value for name, value in subject.expect.values.items() if name != "gradient"}, subject.output.values, ""
    )


@check(
    "aligners.chunk-average",
    area="aligners",
    level="LOSS",
    requires=("ALN-050",),
    kind="golden",
    applies=cites("ALN-050"),
)
def chunk_average(subject: Subject) -> None:
    """Means and sizes per chunk."""
    compare(subject)


@check(
    "aligners.valid-chunks",
    area="aligners",
    level="LOSS",
    requires=("ALN-051",),
    kind="golden",
    applies=cites("ALN-051"),
)
def valid_chunks(subject: Subject) -> None:
    """How many chunks a loss counts, after the shift to the next token."""
    if subject.output.values is None:
        raise NotGiven("no values")
    wanted = {"valid_chunks": subject.expect.values["valid_chunks"]}
    close(wanted, subject.output.values, "")


@check(
    "aligners.projection", area="aligners", level="LOSS", requires=("ALN-052",), kind="golden", applies=cites("ALN-052")
)
def projection(subject: Subject) -> None:
    """Shape and entries of the matrix."""
    compare(subject)


@check(
    "aligners.exact-map", area="aligners", level="LOSS", requires=("ALN-054",), kind="golden", applies=cites("ALN-054")
)
def exact_map(subject: Subject) -> None:
    """Common and uncommon tokens of both sides."""
    compare(subject)


@check(
    "aligners.loss-p-kl", area="aligners", level="LOSS", requires=("ALN-055",), kind="golden", applies=cites("ALN-055")
)
def loss_p_kl(subject: Subject) -> None:
    """The loss p-kl and its parts."""
    compare(subject)


@check(
    "aligners.loss-gold", area="aligners", level="LOSS", requires=("ALN-056",), kind="golden", applies=cites("ALN-056")
)
def loss_gold(subject: Subject) -> None:
    """The loss gold and its parts."""
    compare(subject)


@check(
    "aligners.loss-xtoken",
    area="aligners",
    level="LOSS",
    requires=("ALN-057",),
    kind="golden",
    applies=cites("ALN-057"),
)
def loss_xtoken(subject: Subject) -> None:
    """The loss xtoken and its parts."""
    compare(subject)


@check(
    "aligners.gradient", area="aligners", level="LOSS", requires=("ALN-058",), kind="golden", applies=cites("ALN-058")
)
def gradient(subject: Subject) -> None:
    """The derivatives of the loss with respect to the student's logits."""
    if subject.output.values is None:
        raise NotGiven("no values")
    if "gradient" not in subject.expect.values:
        raise NotComparable("the golden has no gradient")
    close({"gradient": subject.expect.values["gradient"]}, subject.output.values, "")


@check(
    "aligners.build-projection",
    area="aligners",
    level="LOSS",
    requires=("ALN-063",),
    kind="golden",
    applies=cites("ALN-063"),
)
def build_projection(subject: Subject) -> None:
    """The rows of a projection made of two vocabularies, after the file was written and read."""
    compare(subject)


def _named(subject: Subject, *names: str) -> None:
    if subject.output.values is None:
        raise NotGiven("no values")
    close({name: subject.expect.values[name] for name in names}, subject.output.values, "")


@check(
    "aligners.same-tokenizer",
    area="aligners",
    level="LOSS",
    requires=("ALN-070",),
    kind="golden",
    applies=cites("ALN-070"),
)
def same_tokenizer(subject: Subject) -> None:
    """The loss of a teacher that reads the student's tokens."""
    _named(subject, "teacher_losses")


@check(
    "aligners.next-token", area="aligners", level="LOSS", requires=("ALN-071",), kind="golden", applies=cites("ALN-071")
)
def next_token(subject: Subject) -> None:
    """Cross-entropy and accuracy of the student's next tokens."""
    _named(subject, "ce", "accuracy")


@check(
    "aligners.teachers-added",
    area="aligners",
    level="LOSS",
    requires=("ALN-072",),
    kind="golden",
    applies=cites("ALN-072"),
)
def teachers_added(subject: Subject) -> None:
    """Losses, weights and their sum."""
    _named(subject, "teacher_losses", "weights", "kd")


@check(
    "aligners.teachers-averaged",
    area="aligners",
    level="LOSS",
    requires=("ALN-073",),
    kind="golden",
    applies=cites("ALN-073"),
)
def teachers_averaged(subject: Subject) -> None:
    """The loss of teachers averaged."""
    _named(subject, "kd")


@check(
    "aligners.teacher-selected",
    area="aligners",
    level="LOSS",
    requires=("ALN-074",),
    kind="golden",
    applies=cites("ALN-074"),
)
def teacher_selected(subject: Subject) -> None:
    """Which teacher, and its loss."""
    _named(subject, "selected", "kd")


@check("aligners.step", area="aligners", level="LOSS", requires=("ALN-075",), kind="golden", applies=cites("ALN-075"))
def whole_step(subject: Subject) -> None:
    """The loss of a step, and what the teachers' loss was multiplied by."""
    _named(subject, "loss", "kd_scale")


@check(
    "aligners.counts-of-all-ranks",
    area="aligners",
    level="LOSS",
    requires=("ALN-076",),
    kind="golden",
    applies=cites("ALN-076"),
)
def counts_of_all_ranks(subject: Subject) -> None:
    """Means over what all ranks count."""
    _named(subject, "teacher_losses", "ce")
