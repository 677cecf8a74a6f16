"""What must be refused: steps inside a script, and whole configurations."""

from __future__ import annotations

from tokenspec.adapters import Refused
from tokenspec.areas.check import Applies, NotGiven, Question, Subject, Violation, check, cites
from tokenspec.areas.processors.checks.asked import answers, kinds, refusal_step
from tokenspec.areas.processors.records import Refusal
from tokenspec.areas.refusal import is_below_a_value, within

AREA, ERRORS = "processors", "ERRORS"


def refuses(*codes: str) -> Applies:
    """A step of the script is to be refused with one of these codes."""
    return lambda question: refusal_step(question, *codes) is not None


def compare_refusal(subject: Subject, *codes: str, names: bool = False) -> None:
    """The step that must be refused is refused with the same code and row, and nothing later is answered."""
    expected = refusal_step(subject, *codes)
    given = answers(subject)
    if expected is None:
        return
    index, want = expected
    got, place = given[index], f"step {index} ({subject.request['steps'][index]['op']})"
    if got.error is None:
        raise Violation("answered where a refusal is due", expected=want.code, got=got, where=place)
    if got.error.code != want.code or got.error.row != want.row:
        raise Violation("another refusal", expected=want, got=got.error, where=place)
    if names and got.error.processors != want.processors:
        raise Violation(
            "other processors to blame",
            expected=want.processors,
            got=got.error.processors,
            where=place,
            hint="name each member whose removal alone leaves a choice, in the order of the chain",
        )


def step_is_refused(name: str, requirement: str, *codes: str, doc: str) -> None:
    """Register the check of one kind of refused step."""

    def judge(subject: Subject) -> None:
        compare_refusal(subject, *codes)

    judge.__doc__ = doc
    check(
        f"processors.refuse.{name}",
        area=AREA,
        level=ERRORS,
        requires=(requirement,),
        kind="golden",
        applies=refuses(*codes),
    )(judge)


step_is_refused(
    "token",
    "PRC-006",
    "token-out-of-range",
    "shape-mismatch",
    doc="A token outside the vocabulary, or a missing one, is refused.",
)
step_is_refused("source-row", "PRC-007", "source-row-out-of-range", doc="A source row that does not exist is refused.")
step_is_refused("width", "PRC-008", "vocab-mismatch", doc="Logits of another width are refused.")
step_is_refused("empty", "PRC-012", "empty-allowed-set", doc="A row without an allowed id is refused.")
step_is_refused("dead", "PRC-013", "dead-row", doc="A dead row is refused when asked to.")
step_is_refused("type", "PRC-015", "unsupported-dtype", doc="Logits without a minus infinity are refused.")
step_is_refused(
    "crossing-reorder", "PRC-062", "invalid-config", doc="A cross-sequence ban refuses to reorder, and to judge drafts."
)
step_is_refused(
    "rollback", "PRC-027", "rollback-out-of-range", doc="More tokens than the row has cannot be taken back."
)


def is_refused(question: Question) -> bool:
    """A step of the script is to be refused."""
    return any(want.error is not None for want in question.expect.steps)


@check("processors.refuse.place", area=AREA, level=ERRORS, requires=("PRC-080",), kind="golden", applies=is_refused)
def refused_steps_say_where(subject: Subject) -> None:
    """A refused step says what is to blame."""
    for index, (want, got) in enumerate(zip(subject.expect.steps, answers(subject), strict=True)):
        if want.error is not None and got.error is not None:
            at_place(subject, got.error.place, [want.error.place], f"step {index}")


def at_place(subject: Subject, got: str, due: list[str], where: str = "") -> None:
    """The place is one of these, or lies within, where there is more to point to."""
    if not got:
        raise NotGiven("the refusal does not say where")
    if not any(within(got, place) for place in due) or is_below_a_value(got, subject.request):
        raise Violation("refused for another place", expected=" or ".join(due), got=got, where=where)


def blames(question: Question) -> bool:
    """A chain of several members leaves nothing to choose."""
    return len(kinds(question)) > 1 and refuses("empty-allowed-set")(question)


@check("processors.refuse.blame", area=AREA, level=ERRORS, requires=("PRC-021",), kind="golden", applies=blames)
def conflicts_have_names(subject: Subject) -> None:
    """A conflict names its row and who could be relaxed."""
    compare_refusal(subject, "empty-allowed-set", names=True)


def is_checked(question: Question) -> bool:
    """The script checks its tokens, or an option of the implementation does."""
    return bool(question.request.get("checked")) or any("CHECKED" in flag for flag in question.cell.case.flags)


@check("processors.refuse.violation", area=AREA, level=ERRORS, requires=("PRC-064",), kind="golden", applies=is_checked)
def checked_rows_refuse(subject: Subject) -> None:
    """A checked row refuses a token it did not allow, and nothing else."""
    compare_refusal(subject, "constraint-violation")


def first_kind(question: Question) -> str:
    """The kind of the first processor; empty where there is none."""
    return next(iter(kinds(question)), "")


def config(kind: str, *modes: str, code: str = "invalid-config") -> Applies:
    """A configuration of this kind (and, for trees, of one of these modes) is to be refused with this code."""

    def applies(question: Question) -> bool:
        if first_kind(question) != kind or refusal_of(question).code != code:
            return False
        return not modes or question.request["processors"][0].get("mode", "strict") in modes

    return applies


def refusal_of(question: Question) -> Refusal:
    """How the configuration is to be refused; a golden that only says that it is names no place."""
    stated: Refusal | None = None if question.expect is None else question.expect.refusal
    return Refusal(code="invalid-config") if stated is None else stated


def compare_config(subject: Subject) -> None:
    """The request is refused with this code, and the message names every place."""
    refusal = refusal_of(subject)
    if not isinstance(subject.outcome, Refused):
        raise Violation(
            "an unusable configuration is accepted", expected=f"rejected {refusal.code}", got=subject.outcome
        )
    if subject.outcome.code != refusal.code:
        raise Violation("refused with another code", expected=refusal.code, got=subject.outcome.code)
    missing = [pointer for pointer in refusal.pointers if (pointer or "/") not in subject.outcome.message]
    if missing:
        raise Violation("the message does not name the place", expected=missing, got=subject.outcome.message)


def places_of(question: Question) -> list[str]:
    """What is to blame, as JSON pointers into the request; the document of a tree lies below its ``config``."""
    refusal, first = refusal_of(question), question.request["processors"][:1]
    if refusal.places or not first:
        return refusal.places
    base = "/processors/0"
    if first[0].get("kind") == "tree":
        if "config_text" in first[0]:
            return [f"{base}/config_text"]
        base += "/config"
    return [base + pointer for pointer in refusal.pointers or [""]]


@check("processors.config.place", area=AREA, level=ERRORS, requires=("PRC-080",), kind="rejects")
def refused_configurations_say_where(subject: Subject) -> None:
    """A configuration is refused for its reason, and says what is to blame."""
    compare_config(subject)
    if isinstance(subject.outcome, Refused):
        at_place(subject, subject.outcome.place, places_of(subject))


def config_is_refused(name: str, requirement: str, applies: Applies, *, doc: str) -> None:
    """Register the check of one kind of refused configuration."""

    def judge(subject: Subject) -> None:
        compare_config(subject)

    judge.__doc__ = doc
    check(
        f"processors.config.{name}",
        area=AREA,
        level=ERRORS,
        requires=(requirement,),
        kind="rejects",
        applies=applies,
    )(judge)


def too_wide(question: Question) -> bool:
    """A strict tree names ids beyond the logits; unbound it is refused only later, for that alone."""
    bound = first_kind(question) != "tree" or question.request["processors"][0].get("bind", True)
    code = "invalid-config" if bound else "vocab-mismatch"
    return cites("PRC-008")(question) and config("tree", "strict", code=code)(question)


config_is_refused("strict", "PRC-036", config("tree", "strict"), doc="A strict tree refuses what cannot be meant.")
config_is_refused(
    "lenient",
    "PRC-037",
    config("tree", "lenient"),
    doc="A lenient tree still refuses wrong types and a missing end.",
)
config_is_refused(
    "width", "PRC-008", too_wide, doc="A tree that names ids beyond the logits is refused when it is bound."
)
config_is_refused(
    "root",
    "PRC-041",
    config("tree", code="prompt-not-at-root"),
    doc="A prompt that does not end at the root is refused.",
)
config_is_refused("think", "PRC-058", config("think"), doc="A policy whose segment could not close is refused.")
config_is_refused("after", "PRC-024", config("after"), doc="A tag that cannot come, or flags behind it, are refused.")
config_is_refused("eos", "PRC-060", config("multi_seq"), doc="An end of sequence outside the vocabulary is refused.")
config_is_refused("combo", "PRC-061", config("recommendation"), doc="A combo of another size is refused.")


def names_places(question: Question) -> bool:
    """A tree that could not be loaded, for reasons with a place."""
    return first_kind(question) == "tree" and bool(refusal_of(question).pointers)


@check("processors.config.closed", area=AREA, level=ERRORS, requires=("PRC-039",), kind="rejects", applies=names_places)
def trees_fail_closed(subject: Subject) -> None:
    """An unusable tree never lifts the constraint."""
    steps = [] if subject.output is None else subject.output.steps
    if any("ALL" in (step.allowed or []) for step in steps):
        raise Violation("a tree that could not be loaded allows everything", expected="a refusal", got="ALL")
