"""Checks are plain functions that judge one output and cite requirements.

A check gets a ``Subject`` and returns None (pass), raises ``Violation`` (fail), ``NotGiven`` (the output lacks an
optional field: *unsupported*), or returns ``NOT_APPLICABLE`` (the cell has nothing this check looks at: no verdict).
A check never passes because something was empty.

    @check("render.text", area="render", level="TEXT", requires=("RND-001",))
    def text_is_byte_identical(subject: Subject) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any

from tokenspec.areas import modules

if TYPE_CHECKING:
    from collections.abc import Mapping

    import msgspec

    from tokenspec.adapters import Outcome
    from tokenspec.areas.area import Cell
    from tokenspec.models import Row


class Applicability(Enum):
    """Returned by a check that finds nothing to judge in a cell."""

    NOT_APPLICABLE = "not applicable"


NOT_APPLICABLE = Applicability.NOT_APPLICABLE


class Violation(Exception):
    """The output breaks a requirement. ``where`` names the place, ``hint`` what usually causes it."""

    def __init__(
        self, message: str, *, expected: object = None, got: object = None, where: str = "", hint: str = ""
    ) -> None:
        """Build the printed text: place, expected, got, hint, each on its own line."""
        self.where, self.expected, self.got, self.hint = where, expected, got, hint
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


@dataclass(frozen=True)
class Subject:
    """What a check looks at.

    Attributes:
        cell: the case, its row and its golden.
        request: the request the implementation got (a fresh copy, unchanged by the implementation).
        output: the typed result (``Area.output_type``); None when the implementation did not answer ``ok``.
        outcome: ``Ok`` or, for checks of kind ``rejects``, possibly ``Refused``.
        expect: the typed expectation (``Area.expect_type``), or None.
        mutated: whether the implementation changed the request it was given.
        rows: the loaded rows by id (tokenizer, chat template); loaded lazily.
        call: asks the same implementation again with another request; returns an Outcome (for metamorphic checks).
    """

    cell: Cell
    request: dict[str, Any]
    output: Any
    outcome: Outcome
    expect: Any
    mutated: bool
    rows: Mapping[str, Row]
    call: Callable[[dict[str, Any]], Outcome]

    @property
    def input(self) -> dict[str, Any]:
        """The case's input as plain JSON."""
        return self.cell.case.input

    def output_of(self, request: dict[str, Any]) -> Any:
        """The typed output for another request; a refusal or error there is a Violation here."""
        from tokenspec.adapters import Ok

        outcome = self.call(request)
        if not isinstance(outcome, Ok):
            raise Violation("the implementation answers the case but not its variation", expected="ok", got=outcome)
        return outcome.output


@dataclass(frozen=True)
class Check:
    """A registered check. Kind ``rejects`` judges cells whose expected outcome is a refusal, the others the rest.

    Cells that ``applies`` leaves out get no verdict, whatever the implementation did there.
    """

    name: str
    area: str
    level: str
    requires: tuple[str, ...]
    judge: Callable[[Subject], Applicability | None]
    kind: str = "invariant"
    doc: str = ""
    applies: Callable[[Cell], bool] = lambda _cell: True


_REGISTRY: dict[str, Check] = {}


def check(
    name: str,
    *,
    area: str,
    level: str,
    requires: tuple[str, ...],
    kind: str = "invariant",
    applies: Callable[[Cell], bool] = lambda _cell: True,
) -> Callable[[Callable[[Subject], Applicability | None]], Callable[[Subject], Applicability | None]]:
    """Register a check.

    ``kind`` is ``golden`` (compares with the oracle), ``invariant`` (holds of any output), ``metamorphic`` (calls the
    implementation again) or ``rejects`` (judges the answer to an input the oracle refuses; it alone sees such cells).
    """

    def register(
        judge: Callable[[Subject], Applicability | None],
    ) -> Callable[[Subject], Applicability | None]:
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
    """Memo of decoded expectations, so that many columns share one decoding."""

    decoded: dict[int, Any] = field(default_factory=dict)

    def of(self, cell: Cell) -> msgspec.Struct | None:
        """The typed expectation of a cell: that of its golden."""
        from tokenspec.store.canonical import convert

        raw = cell.golden.expect if cell.golden is not None else None
        if raw is None:
            return None
        if id(raw) not in self.decoded:
            self.decoded[id(raw)] = convert(raw, cell.area.expect_type, where=f"{cell.name}: expect")
        decoded: msgspec.Struct = self.decoded[id(raw)]
        return decoded
