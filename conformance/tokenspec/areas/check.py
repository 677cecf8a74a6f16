"""Checks are plain functions that judge one output and cite requirements.

Where a check applies is said once, in ``applies``: a predicate over the ``Question`` (what is known before anybody
answers). Cells it leaves out get no verdict. A check gets a ``Subject`` (the question with its answer) and returns
(pass), raises ``Violation`` (fail), ``NotGiven`` (the answer lacks what the check judges: *unsupported*) or
``NotComparable``. A check never passes because something was empty, and neither predicate nor check raises anything
else on a schema-valid cell.

    @check("parse.calls", area="parse", level="PARSE", requires=("RND-061",), applies=judges("tool_calls"))
    def calls_come_back(subject: Subject) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenspec.areas import modules

if TYPE_CHECKING:
    from collections.abc import Mapping

    import msgspec

    from tokenspec.adapters import Outcome
    from tokenspec.adapters.capability import Profile
    from tokenspec.areas.area import Cell
    from tokenspec.models import Row


class Violation(Exception):
    """The output breaks a requirement. ``where`` names the place, ``hint`` what usually causes it.

    ``cause`` is what failures of the same kind are gathered under: one line without a place; by default the message.
    """

    def __init__(
        self,
        message: str,
        *,
        expected: object = None,
        got: object = None,
        where: str = "",
        hint: str = "",
        cause: str = "",
    ) -> None:
        """Build the printed text: place, expected, got, hint, each on its own line."""
        self.where, self.expected, self.got, self.hint = where, expected, got, hint
        self.cause = cause or message
        lines = [message]
        if where:
            lines.append(f"  at       {where}")
        if expected is not None or got is not None:
            lines += [f"  expected {expected}", f"  got      {got}"]
        if hint:
            lines.append(f"  hint     {hint}")
        super().__init__("\n".join(lines))


class NotGiven(Exception):
    """The implementation did not give the optional field this check judges; the verdict is *unsupported*."""


class NotComparable(Exception):
    """What was given cannot be laid beside the oracle's answer, for the reason in words: *not comparable*."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is known of a cell before anybody answers; where a check applies depends on nothing else.

    Attributes:
        cell: the case, its row and its golden.
        request: the request the implementation gets (a fresh copy, unchanged by the implementation).
        expect: the typed expectation (``Area.expect_type``); None where the area expects nothing, or a refusal only.
        rows: the loaded rows by id (tokenizer, chat template); loaded lazily.
    """

    cell: Cell
    request: dict[str, Any]
    expect: Any
    rows: Mapping[str, Row]

    @property
    def input(self) -> dict[str, Any]:
        """The case's input as plain JSON."""
        return self.cell.case.input


Applies = Callable[[Question], bool]


def everywhere(question: Question) -> bool:
    """The check judges every cell of its area and kind."""
    del question
    return True


def cites(*requirements: str) -> Applies:
    """The check judges the cases that are there for one of these requirements."""
    return lambda question: not set(requirements).isdisjoint(question.cell.case.requires)


@dataclass(frozen=True, kw_only=True)
class Subject(Question):
    """What a check looks at: a question and its answer.

    Attributes:
        output: the typed result (``Area.output_type``); None when the implementation did not answer ``ok``.
        outcome: ``Ok`` or, for checks of kind ``rejects``, possibly ``Refused``.
        mutated: whether the implementation changed the request it was given.
        profile: the form it declares for its answers; ``expect`` is what is expected in that form.
        call: asks the same implementation again with another request; returns an Outcome (for metamorphic checks).
        variations: what was answered where options of the request have other values, by these: several checks look.
    """

    output: Any
    outcome: Outcome
    mutated: bool
    profile: Profile
    call: Callable[[dict[str, Any]], Outcome]
    variations: dict[frozenset[tuple[str, str]], Outcome] = field(default_factory=dict)

    def output_with(self, option: str, value: str, **others: str) -> Any:
        """The typed output where options of the request have these values; asked once. Raises as ``output_of``."""
        wanted = {option: value, **others}
        key = frozenset(wanted.items())
        if key not in self.variations:
            self.variations[key] = self.call({**self.request, **wanted})
        return given(self.variations[key])

    def output_of(self, request: dict[str, Any]) -> Any:
        """The typed output for another request.

        Raises:
            NotGiven: the implementation does not claim that request.
            Violation: it refuses it, or breaks.
        """
        return given(self.call(request))


def given(outcome: Outcome) -> Any:
    """What was answered to a variation. Raises NotGiven, or Violation where it is refused or breaks."""
    from tokenspec.adapters import NotSupported, Ok

    if isinstance(outcome, NotSupported):
        raise NotGiven(outcome.reason)
    if not isinstance(outcome, Ok):
        raise Violation("the implementation answers the case but not its variation", expected="ok", got=outcome)
    return outcome.output


Judge = Callable[[Subject], None]


@dataclass(frozen=True)
class Check:
    """A registered check. Kind ``rejects`` judges cells whose expected outcome is a refusal, the others the rest.

    Cells that ``applies`` leaves out get no verdict, whatever the implementation did there.
    """

    name: str
    area: str
    level: str
    requires: tuple[str, ...]
    judge: Judge
    kind: str = "invariant"
    doc: str = ""
    applies: Applies = everywhere

    @property
    def compares(self) -> bool:
        """Whether it lays the answer beside what is expected, be that an answer or a refusal."""
        return self.kind in {"golden", "rejects"}


_REGISTRY: dict[str, Check] = {}


def check(
    name: str,
    *,
    area: str,
    level: str,
    requires: tuple[str, ...],
    kind: str = "invariant",
    applies: Applies = everywhere,
) -> Callable[[Judge], Judge]:
    """Register a check.

    ``kind`` is ``golden`` (compares with the oracle), ``invariant`` (holds of any output), ``outline`` (holds of the
    outline of any output, whatever is in it), ``metamorphic`` (calls the implementation again) or ``rejects`` (judges
    the answer to an input the oracle refuses; it alone sees such cells).
    """

    def register(judge: Judge) -> Judge:
        if not requires:
            raise ValueError(f"check {name} cites no requirement")
        if name in _REGISTRY and _REGISTRY[name].judge.__module__ != judge.__module__:
            raise ValueError(f"two checks are called {name}")
        doc = (judge.__doc__ or "").strip().splitlines()
        _REGISTRY[name] = Check(name, area, level, tuple(requires), judge, kind, doc[0] if doc else "", applies)
        return judge

    return register


@cache
def all_checks() -> dict[str, Check]:
    """All checks by name; importing the areas' modules registers them."""
    modules("checks")
    return dict(sorted(_REGISTRY.items()))


def checks_of(area: str) -> list[Check]:
    """The checks of one area."""
    return [item for item in all_checks().values() if item.area == area]


@dataclass
class TypedExpectation:
    """Memo of decoded expectations, so that many columns share one decoding.

    Each is kept with what it was decoded from: only while that lives is its ``id`` its own.
    """

    decoded: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def of(self, cell: Cell) -> msgspec.Struct | None:
        """The typed expectation of a cell: that of its golden."""
        from tokenspec.store.canonical import convert

        raw = cell.golden.expect if cell.golden is not None else None
        if raw is None:
            return None
        if id(raw) not in self.decoded:
            self.decoded[id(raw)] = raw, convert(raw, cell.area.expect_type, where=f"{cell.name}: expect")
        decoded: msgspec.Struct = self.decoded[id(raw)][1]
        return decoded
