"""What must be refused: steps inside a script, and whole configurations."""

from __future__ import annotations

from tokenspec.adapters import Refused
from tokenspec.areas.check import NOT_APPLICABLE, Applicability, Subject, Violation, check
from tokenspec.areas.processors.checks.asked import answers, kinds, refusal_step

AREA, ERRORS = "processors", "ERRORS"


def compare_refusal(subject: Subject, *codes: str, names: bool = False) -> Applicability | None:
    """The step that must be refused is refused with the same code and row, and nothing later is answered."""
    expected = refusal_step(subject, *codes)
    if expected is None:
        return NOT_APPLICABLE
    index, want = expected
    got = answers(subject)[index]
    place = f"step {index} ({subject.request['steps'][index]['op']})"
    assert want.error is not None
    if got.error is None:
        raise Violation("answered where a refusal is due", expected=want.error.code, got=got, where=place)
    if got.error.code != want.error.code or got.error.row != want.error.row:
        raise Violation("another refusal", expected=want.error, got=got.error, where=place)
    if names and got.error.processors != want.error.processors:
        raise Violation(
            "other processors to blame",
            expected=want.error.processors,
            got=got.error.processors,
            where=place,
            hint="name each member whose removal alone leaves a choice, in the order of the chain",
        )
    return None


@check("processors.refuse.token", area=AREA, level=ERRORS, requires=("PRC-006",), kind="golden")
def tokens_lie_in_the_vocabulary(subject: Subject) -> Applicability | None:
    """A token outside the vocabulary, or a missing one, is refused."""
    return compare_refusal(subject, "token-out-of-range", "shape-mismatch")


@check("processors.refuse.source-row", area=AREA, level=ERRORS, requires=("PRC-007",), kind="golden")
def source_rows_exist(subject: Subject) -> Applicability | None:
    """A source row that does not exist is refused."""
    return compare_refusal(subject, "source-row-out-of-range")


@check("processors.refuse.width", area=AREA, level=ERRORS, requires=("PRC-008",), kind="golden")
def logits_have_the_bound_width(subject: Subject) -> Applicability | None:
    """Logits of another width are refused."""
    return compare_refusal(subject, "vocab-mismatch")


@check("processors.refuse.empty", area=AREA, level=ERRORS, requires=("PRC-012",), kind="golden")
def empty_sets_are_refused(subject: Subject) -> Applicability | None:
    """A row without an allowed id is refused."""
    return compare_refusal(subject, "empty-allowed-set")


@check("processors.refuse.blame", area=AREA, level=ERRORS, requires=("PRC-021",), kind="golden")
def conflicts_have_names(subject: Subject) -> Applicability | None:
    """A conflict names its row and who could be relaxed."""
    if len(kinds(subject)) < 2:
        return NOT_APPLICABLE
    return compare_refusal(subject, "empty-allowed-set", names=True)


@check("processors.refuse.dead", area=AREA, level=ERRORS, requires=("PRC-013",), kind="golden")
def dead_rows_are_told(subject: Subject) -> Applicability | None:
    """A dead row is refused when asked to."""
    return compare_refusal(subject, "dead-row")


@check("processors.refuse.type", area=AREA, level=ERRORS, requires=("PRC-015",), kind="golden")
def other_types_are_refused(subject: Subject) -> Applicability | None:
    """Logits without a minus infinity are refused."""
    return compare_refusal(subject, "unsupported-dtype")


@check("processors.refuse.violation", area=AREA, level=ERRORS, requires=("PRC-064",), kind="golden")
def checked_rows_refuse(subject: Subject) -> Applicability | None:
    """A checked row refuses a token it did not allow, and nothing else."""
    if not subject.request.get("checked") and not any("CHECKED" in flag for flag in subject.cell.case.flags):
        return NOT_APPLICABLE
    if refusal_step(subject, "constraint-violation") is None:
        answers(subject)
        return None
    return compare_refusal(subject, "constraint-violation")


@check("processors.refuse.crossing-reorder", area=AREA, level=ERRORS, requires=("PRC-062",), kind="golden")
def crossing_rows_stay_in_place(subject: Subject) -> Applicability | None:
    """A cross-sequence ban refuses to reorder."""
    return compare_refusal(subject, "invalid-config")


def refused_config(subject: Subject, kind: str, *modes: str, code: str = "invalid-config") -> Applicability | None:
    """The request is refused with this code, and the message names every place."""
    processor = subject.request["processors"][0]
    refusal = subject.expect.refusal
    if processor["kind"] != kind or (modes and processor.get("mode", "strict") not in modes) or refusal.code != code:
        return NOT_APPLICABLE
    if not isinstance(subject.outcome, Refused):
        raise Violation("an unusable configuration is accepted", expected=f"rejected {code}", got=subject.outcome)
    if subject.outcome.code != code:
        raise Violation("refused with another code", expected=code, got=subject.outcome.code)
    missing = [pointer for pointer in refusal.pointers if (pointer or "/") not in subject.outcome.message]
    if missing:
        raise Violation("the message does not name the place", expected=missing, got=subject.outcome.message)
    return None


@check("processors.config.strict", area=AREA, level=ERRORS, requires=("PRC-036",), kind="rejects")
def strict_trees(subject: Subject) -> Applicability | None:
    """A strict tree refuses what cannot be meant."""
    return refused_config(subject, "tree", "strict")


@check("processors.config.lenient", area=AREA, level=ERRORS, requires=("PRC-037",), kind="rejects")
def lenient_trees(subject: Subject) -> Applicability | None:
    """A lenient tree still refuses wrong types and a missing end."""
    return refused_config(subject, "tree", "lenient")


@check("processors.config.closed", area=AREA, level=ERRORS, requires=("PRC-039",), kind="rejects")
def trees_fail_closed(subject: Subject) -> Applicability | None:
    """An unusable tree never lifts the constraint."""
    if subject.request["processors"][0]["kind"] != "tree" or not subject.expect.refusal.pointers:
        return NOT_APPLICABLE
    steps = [] if subject.output is None else subject.output.steps
    if any("ALL" in (step.allowed or []) for step in steps):
        raise Violation("a tree that could not be loaded allows everything", expected="a refusal", got="ALL")
    return None


@check("processors.config.width", area=AREA, level=ERRORS, requires=("PRC-008",), kind="rejects")
def trees_fit_the_logits(subject: Subject) -> Applicability | None:
    """A tree that names ids beyond the logits is refused when it is bound."""
    processor = subject.request["processors"][0]
    code = "invalid-config" if processor.get("bind", True) else "vocab-mismatch"
    return (
        refused_config(subject, "tree", "strict", code=code)
        if "PRC-008" in subject.cell.case.requires
        else NOT_APPLICABLE
    )


@check("processors.config.root", area=AREA, level=ERRORS, requires=("PRC-041",), kind="rejects")
def prompts_end_at_the_root(subject: Subject) -> Applicability | None:
    """A prompt that does not end at the root is refused."""
    return refused_config(subject, "tree", code="prompt-not-at-root")


@check("processors.config.think", area=AREA, level=ERRORS, requires=("PRC-058",), kind="rejects")
def think_policies(subject: Subject) -> Applicability | None:
    """A policy whose segment could not close is refused."""
    return refused_config(subject, "think")


@check("processors.config.eos", area=AREA, level=ERRORS, requires=("PRC-060",), kind="rejects")
def end_of_sequence_exists(subject: Subject) -> Applicability | None:
    """An end of sequence outside the vocabulary is refused."""
    return refused_config(subject, "multi_seq")


@check("processors.config.combo", area=AREA, level=ERRORS, requires=("PRC-061",), kind="rejects")
def combos_have_their_size(subject: Subject) -> Applicability | None:
    """A combo of another size is refused."""
    return refused_config(subject, "recommendation")
