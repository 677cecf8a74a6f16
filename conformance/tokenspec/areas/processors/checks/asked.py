"""Walk a script beside its answers: what was asked, what is expected, what came, and the histories at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, NotGiven, Subject, Violation
from tokenspec.areas.processors.oracle.scripts import Timeline, walk

if TYPE_CHECKING:
    from tokenspec.areas.processors.records import StepAnswer

FIELDS = {"allow": "allowed", "select": "allowed", "status": "status", "bitmask": "words", "apply": "bits"}


@dataclass(frozen=True)
class Asked:
    """One asking step. ``timeline`` holds the histories of that moment."""

    index: int
    step: dict[str, Any]
    want: StepAnswer
    got: StepAnswer
    timeline: Timeline

    @property
    def place(self) -> str:
        """``step 3 (allow)``."""
        return f"step {self.index} ({self.step['op']})"

    def field(self, answer: StepAnswer) -> list[Any] | None:
        """The field that answers this kind of step."""
        value: list[Any] | None = getattr(answer, FIELDS[self.step["op"]])
        return value


def kinds(subject: Subject) -> list[str]:
    """The kinds of the script's processors, in order."""
    return [processor["kind"] for processor in subject.request["processors"]]


def policies(subject: Subject, kind: str) -> list[dict[str, Any]]:
    """The configurations of one kind."""
    return [processor for processor in subject.request["processors"] if processor["kind"] == kind]


def answers(subject: Subject) -> list[StepAnswer]:
    """The answers that came; too few or too many of them is a violation of its own."""
    want, got = subject.expect.steps, subject.output.steps
    if len(want) != len(got):
        last = got[-1].error if got else None
        stopped = f", stopped by {last.code}" if last is not None else ""
        raise Violation("wrong number of answered steps", expected=len(want), got=f"{len(got)}{stopped}")
    steps: list[StepAnswer] = got
    return steps


def asking_steps(subject: Subject, *ops: str) -> Iterator[Asked]:
    """The steps of these kinds that are expected to be answered with a value."""
    got = answers(subject)
    for index, (timeline, step, _) in enumerate(walk(subject.request)):
        want = subject.expect.steps[index]
        if step["op"] in ops and want.error is None:
            yield Asked(index, step, want, got[index], timeline)


def compare_rows(
    subject: Subject, ops: tuple[str, ...], concerns: Callable[[Asked, int], bool], hint: str
) -> Applicability | None:
    """Compare the answers of the rows that ``concerns`` picks; none picked means the check does not apply."""
    seen = False
    for asked in asking_steps(subject, *ops):
        want = asked.field(asked.want) or []
        rows = [row for row in range(len(want)) if concerns(asked, row)]
        if not rows:
            continue
        seen = True
        if asked.got.error is not None:
            raise Violation("refused", expected="an answer", got=asked.got.error.code, where=asked.place, hint=hint)
        got = asked.field(asked.got)
        if got is None:
            raise NotGiven(f"no field {FIELDS[asked.step['op']]} in the answer to {asked.place}")
        if len(got) != len(want):
            raise Violation("wrong number of rows", expected=len(want), got=len(got), where=asked.place)
        for row in rows:
            if got[row] != want[row]:
                raise Violation(
                    "wrong answer",
                    expected=shorten(want[row]),
                    got=shorten(got[row]),
                    where=f"{asked.place}, row {row}, history {asked.timeline.rows[row]}",
                    hint=hint,
                )
    return None if seen else NOT_APPLICABLE


def shorten(value: object) -> str:
    """Long sets are shown by their ends."""
    if isinstance(value, list) and len(value) > 12:
        return f"[{', '.join(map(str, value[:6]))}, ... {len(value)} ids ..., {', '.join(map(str, value[-2:]))}]"
    return str(value)


def refusal_step(subject: Subject, *codes: str) -> tuple[int, StepAnswer] | None:
    """The step that is expected to be refused with one of these codes."""
    for index, want in enumerate(subject.expect.steps):
        if want.error is not None and want.error.code in codes:
            return index, want
    return None
