"""Walk a script beside its answers: what was asked, what is expected, what came, and the histories at that moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec.areas.check import Applies, NotGiven, Question, Subject, Violation
from tokenspec.areas.processors.oracle.scripts import Timeline, walk

if TYPE_CHECKING:
    from tokenspec.areas.processors.records import StepAnswer, StepError

FIELDS = {
    "allow": "allowed",
    "select": "allowed",
    "status": "status",
    "bitmask": "words",
    "apply": "bits",
    "masks": "masks",
    "forced": "forced",
}


@dataclass(frozen=True)
class Asked:
    """One asking step that is answered with a value. ``timeline`` holds the histories of that moment."""

    index: int
    step: dict[str, Any]
    want: StepAnswer
    timeline: Timeline

    @property
    def place(self) -> str:
        """``step 3 (allow)``."""
        return f"step {self.index} ({self.step['op']})"

    def field(self, answer: StepAnswer) -> list[Any] | None:
        """The field that answers this kind of step."""
        value: list[Any] | None = getattr(answer, FIELDS[self.step["op"]])
        return value


def kinds(question: Question) -> list[str]:
    """The kinds of the script's processors, in order; empty for a configuration that names none."""
    return [processor.get("kind", "") for processor in question.request["processors"]]


def has_step(question: Question, op: str) -> bool:
    """Whether the script has such a step."""
    return any(step["op"] == op for step in question.request["steps"])


def answers(subject: Subject) -> list[StepAnswer]:
    """The answers that came; too few or too many of them is a violation of its own."""
    want, got = subject.expect.steps, subject.output.steps
    if len(want) != len(got):
        last = got[-1].error if got else None
        stopped = f", stopped by {last.code}" if last is not None else ""
        raise Violation("wrong number of answered steps", expected=len(want), got=f"{len(got)}{stopped}")
    steps: list[StepAnswer] = got
    return steps


def asking_steps(question: Question, *ops: str) -> Iterator[Asked]:
    """The steps of these kinds that are expected to be answered with a value."""
    for index, (timeline, step, _) in enumerate(walk(question.request)):
        want = question.expect.steps[index]
        if step["op"] in ops and want.error is None:
            yield Asked(index, step, want, timeline)


def answered(asked: Asked, got: list[StepAnswer], due: str, hint: str = "") -> list[Any]:
    """The rows that came for a step, as many as expected."""
    answer, want = got[asked.index], asked.field(asked.want) or []
    if answer.error is not None:
        raise Violation("refused", expected=due, got=answer.error.code, where=asked.place, hint=hint)
    rows = asked.field(answer)
    if rows is None:
        raise NotGiven(f"no field {FIELDS[asked.step['op']]} in the answer to {asked.place}")
    if len(rows) != len(want):
        raise Violation("wrong number of rows", expected=len(want), got=len(rows), where=asked.place)
    return rows


@dataclass(frozen=True)
class Rows:
    """The rows that a check compares, picked by the script and its expectation alone.

    Attributes:
        ops: the kinds of steps.
        concerns: which rows of such a step.
        scripts: which scripts at all.
    """

    ops: tuple[str, ...]
    concerns: Callable[[Asked, int], bool] = lambda _asked, _row: True
    scripts: Applies = lambda _question: True

    def applies(self, question: Question) -> bool:
        """Whether there is a row to compare."""
        return self.scripts(question) and any(self.of(asked) for asked in asking_steps(question, *self.ops))

    def of(self, asked: Asked) -> list[int]:
        """The rows of a step."""
        return [row for row in range(len(asked.field(asked.want) or [])) if self.concerns(asked, row)]

    def compare(self, subject: Subject, hint: str) -> None:
        """Compare the answers of these rows."""
        got = answers(subject)
        for asked in asking_steps(subject, *self.ops):
            rows, want = self.of(asked), asked.field(asked.want) or []
            given = answered(asked, got, "an answer", hint) if rows else []
            for row in rows:
                if given[row] != want[row]:
                    raise Violation(
                        "wrong answer",
                        expected=shorten(want[row]),
                        got=shorten(given[row]),
                        where=f"{asked.place}, row {row}, history {asked.timeline.rows[row]}",
                        hint=hint,
                    )


def shorten(value: object) -> str:
    """Long sets are shown by their ends."""
    if isinstance(value, list) and len(value) > 12:
        return f"[{', '.join(map(str, value[:6]))}, ... {len(value)} ids ..., {', '.join(map(str, value[-2:]))}]"
    return str(value)


def refusal_step(question: Question, *codes: str) -> tuple[int, StepError] | None:
    """The step that is expected to be refused with one of these codes."""
    for index, want in enumerate(question.expect.steps):
        if want.error is not None and want.error.code in codes:
            return index, want.error
    return None
