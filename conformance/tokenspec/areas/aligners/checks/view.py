"""One row of anyone's alignment, in one form, beside what its positions spell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tokenspec.areas.aligners.oracle.sides import Position
from tokenspec.areas.aligners.oracle.walk import Places, SideText, comparable, tokenized
from tokenspec.areas.aligners.records import AlignersOutput
from tokenspec.areas.check import NotGiven, Question, Subject, Violation

SIDES = ("student", "teacher")
PER_ROW = ("pairs", "pair_valid", "pair_is_correct", "student_exact", "teacher_exact", "num_chunks")
Quad = tuple[int, int, int, int]


@dataclass(frozen=True)
class View:
    """One row. ``ids`` holds both sides' chunk ids; ``sides`` what their positions are (None in ``nw-compat``).

    ``masks`` are 1 on real positions; ``pairs`` only if the implementation gave any.
    """

    row: int
    ids: tuple[list[int], list[int]]
    masks: tuple[list[int], list[int]]
    chunks: int
    pairs: list[Quad] | None = None
    sides: tuple[SideText, SideText] | None = None
    correct: list[bool] | None = None
    exact: tuple[list[bool], list[bool]] | None = None
    truncate: bool = False
    _places: list[Places] = field(default_factory=list)

    def members(self, side: int, chunk: int) -> list[int]:
        """Positions of a chunk on one side."""
        return [index for index, own in enumerate(self.ids[side]) if own == chunk]

    def positions(self, side: int) -> tuple[Position, ...]:
        """What the positions of one side are."""
        if self.sides is None:
            raise NotGiven("this profile knows pieces, not bytes")
        return tuple(self.sides[side].positions)

    def places(self) -> Places:
        """Where every position of both sides ends."""
        if self.sides is None:
            raise NotGiven("this profile knows pieces, not bytes")
        if not self._places:
            self._places.append(comparable(*self.sides, truncate=self.truncate))
        return self._places[0]

    def at(self, side: int, index: int) -> str:
        """A place for messages."""
        return f"row {self.row}, {SIDES[side]} position {index}"


Masks = list[list[int]]


@dataclass(frozen=True)
class Inputs:
    """Masks of both sides, and what their positions are (None in ``nw-compat``)."""

    masks: tuple[Masks, Masks]
    sides: tuple[list[SideText], list[SideText]] | None


def views(subject: Subject, output: AlignersOutput | None = None, request: dict[str, Any] | None = None) -> list[View]:
    """All rows of an ``align`` or ``align-pieces`` output."""
    output = subject.output if output is None else output
    request = subject.request if request is None else request
    given = inputs(subject, request)
    masks, sides = given.masks, given.sides
    ids = [_chunk_ids(output, side, masks[side], None if sides is None else sides[side]) for side in (0, 1)]
    rows = len(masks[0])
    for name in PER_ROW:
        values = getattr(output, name)
        if values is not None and len(values) != rows:
            raise Violation(f"{name} has {len(values)} rows, the batch has {rows}")
    for side, exact in enumerate((output.student_exact, output.teacher_exact)):
        if exact is not None and list(map(len, exact)) != list(map(len, masks[side])):
            raise Violation(f"{SIDES[side]}_exact has another shape than the ids")
    found = []
    for row in range(rows):
        own = (ids[0][row], ids[1][row])
        for side in (0, 1):
            if len(own[side]) != len(masks[side][row]):
                raise Violation(
                    f"{SIDES[side]} has {len(own[side])} chunk ids for {len(masks[side][row])} tokens",
                    where=f"row {row}",
                )
        given_chunks = None if output.num_chunks is None else output.num_chunks[row]
        if given_chunks is not None and not 0 <= given_chunks <= len(own[0]) + len(own[1]):
            raise Violation("num_chunks is no number of chunks of these tokens", where=f"row {row}", got=given_chunks)
        highest = max((max(side, default=-1) for side in own), default=-1)
        found.append(
            View(
                row=row,
                ids=own,
                masks=(masks[0][row], masks[1][row]),
                chunks=highest + 1 if given_chunks is None else given_chunks,
                pairs=None if output.pairs is None else output.pairs[row],
                sides=None if sides is None else (sides[0][row], sides[1][row]),
                correct=None if output.pair_is_correct is None else output.pair_is_correct[row],
                exact=None
                if output.student_exact is None or output.teacher_exact is None
                else (output.student_exact[row], output.teacher_exact[row]),
                truncate=request["options"].get("on_mismatch") == "truncate",
            )
        )
    return found


def inputs(question: Question, request: dict[str, Any]) -> Inputs:
    """Masks of both sides, and what their positions are where bytes are known."""
    if request["task"] == "align":
        both = [request[name] for name in SIDES]
        masks = (both[0]["mask"], both[1]["mask"])
        if request["profile"] != "boundary":
            return Inputs(masks, None)
        made = [tokenized(question.rows, side, request["options"].get("special_roles", {})) for side in both]
        return Inputs(masks, (made[0], made[1]))
    data = request["data"]
    if request["profile"] == "boundary":
        from tokenspec.areas.aligners.oracle.golden import made_up

        sides = [made_up(data, name) for name in SIDES]
        lists = [[[int(p.kind != "padding") for p in row.positions] for row in side] for side in sides]
        return Inputs((lists[0], lists[1]), (sides[0], sides[1]))
    lists = [data.get(f"{name}_mask") or [[1] * len(row) for row in data[name]] for name in SIDES]
    return Inputs((lists[0], lists[1]), None)


def unanswered(question: Question) -> list[View]:
    """All rows of a ``boundary`` request as they are before anybody aligns them: no position has a chunk."""
    request = question.request
    given = inputs(question, request)
    return [
        View(
            row=row,
            ids=([-1] * len(masks[0]), [-1] * len(masks[1])),
            masks=masks,
            chunks=0,
            sides=sides,
            truncate=request["options"].get("on_mismatch") == "truncate",
        )
        for row, (masks, sides) in enumerate(
            zip(zip(*given.masks, strict=True), zip(*(given.sides or ([], [])), strict=True), strict=True)
        )
    ]


def _chunk_ids(output: AlignersOutput, side: int, masks: Masks, texts: list[SideText] | None) -> Masks:
    """Given chunk ids, or those that the given pairs imply."""
    given: Masks | None = getattr(output, f"{SIDES[side]}_chunk_id")
    if given is not None:
        if len(given) != len(masks):
            raise Violation(f"{SIDES[side]} has chunk ids of {len(given)} rows, the batch has {len(masks)}")
        return given
    if output.pairs is None:
        raise NotGiven("neither chunk ids nor pairs")
    if len(output.pairs) != len(masks):
        raise Violation(f"pairs of {len(output.pairs)} rows, the batch has {len(masks)}")
    return [
        implied_ids([pair[2 * side : 2 * side + 2] for pair in pairs], masks[row], texts[row] if texts else None)
        for row, pairs in enumerate(output.pairs)
    ]


def implied_ids(spans: list[tuple[int, ...]], mask: list[int], text: SideText | None) -> list[int]:
    """Ids of the positions inside each span, without padding and without special tokens among others."""
    ids = [-1] * len(mask)
    for chunk, (start, end) in enumerate(spans):
        for index in range(max(0, start), min(max(0, end), len(mask))):
            stranger = text is not None and text.positions[index].kind == "special" and end - start > 1
            ids[index] = chunk if mask[index] and not stranger else -1
    return ids
