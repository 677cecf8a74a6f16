"""Run a script of processor steps by keeping nothing but histories: the expectation of every processors case.

``expected_answers`` and an implementation agree step by step, errors included. Where a script refuses its
configuration, the case says so itself; this module assumes usable configurations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tokenspec.areas.processors.oracle.allowed_sets import (
    Allowed,
    behind,
    recommendation_allowed,
    think_allowed,
    tree_walk,
)

NEGATIVE_INFINITY = {"float16": "fc00", "bfloat16": "ff80", "float32": "ff800000", "float64": "fff0000000000000"}
WORD = 32


class Stop(Exception):
    """A step is refused, for what lies at ``argument`` of it, or at ``member`` of the script."""

    def __init__(
        self,
        code: str,
        row: int | None = None,
        processors: list[str] | None = None,
        *,
        argument: str = "",
        member: str = "",
    ) -> None:
        """Shape the entry that ends the answer."""
        super().__init__(code)
        self.error: dict[str, Any] = {"code": code}
        if row is not None:
            self.error["row"] = row
        if processors:
            self.error["processors"] = processors
        self.argument, self.member = argument, member

    def answer(self, index: int) -> dict[str, Any]:
        """The entry of the step of this number."""
        return {"error": {**self.error, "place": self.member or f"/steps/{index}{self.argument}"}}


@dataclass
class Timeline:
    """What the rows generated: one entry per row and step, None where the row stood still; and who is finished."""

    processors: list[dict[str, Any]]
    vocab_size: int
    rows: list[list[int | None]]
    finished: list[bool] = field(default_factory=list)
    opened: list[bool] = field(default_factory=list)

    def member(self, processor: Mapping[str, Any], row: int, logits: list[float] | None = None) -> Allowed:
        """What one processor allows on one row."""
        if processor["kind"] == "after":
            inside = self.inside(processor)
            return inside.member(processor["processor"], row, logits) if inside.opened[row] else None
        history = self.history(row)
        if processor["kind"] == "tree":
            return tree_walk(processor, history, self.vocab_size)[0]
        if processor["kind"] == "think":
            return think_allowed(processor, history, self.vocab_size)[0]
        return recommendation_allowed(processor, self.rows, row, self.vocab_size, logits)

    def history(self, row: int) -> list[int]:
        """The tokens of a row."""
        return [token for token in self.rows[row] if token is not None]

    def inside(self, processor: Mapping[str, Any]) -> Timeline:
        """What the processor behind a tag sees."""
        seen = [behind(processor["tag_ids"], row) for row in self.rows]
        closed: list[list[int | None]] = [[None] * len(row) for row in self.rows]
        rows = [none if row is None else row for row, none in zip(seen, closed, strict=True)]
        return Timeline([], self.vocab_size, rows, opened=[row is not None for row in seen])

    def allowed(self, row: int, logits: list[float] | None = None) -> Allowed:
        """The intersection of all members, or the end of sequence alone on a finished row."""
        eos = [processor["eos_token_id"] for processor in self.processors if processor["kind"] == "multi_seq"]
        if eos and self.finished[row]:
            return frozenset(eos)
        others = [processor for processor in self.processors if processor["kind"] != "multi_seq"]
        sets = [self.member(processor, row, logits) for processor in others]
        common = intersection(sets)
        if common is not None and not common:
            names = [processor["kind"] for processor in others]
            without = [intersection(sets[:at] + sets[at + 1 :]) for at in range(len(sets))]
            blamed = [name for name, rest in zip(names, without, strict=True) if rest is None or rest]
            raise Stop("empty-allowed-set", row, blamed)
        return None if common is not None and len(common) == self.vocab_size else common

    def all_allowed(self, logits: list[list[float]] | None = None) -> list[Allowed]:
        """The sets of every row; the first empty one stops the script."""
        return [self.allowed(row, None if logits is None else logits[row]) for row in range(len(self.rows))]


def intersection(sets: list[Allowed]) -> Allowed:
    """Of sets where None means all; of no sets it is all."""
    finite = [one for one in sets if one is not None]
    return frozenset.intersection(*finite) if finite else None


def expected_answers(script: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One answer per step, in the script form of the chapter."""
    return [entry for _, _, entry in walk(script)]


def walk(script: Mapping[str, Any]) -> Iterator[tuple[Timeline, dict[str, Any], dict[str, Any]]]:
    """Every step with its answer and the histories after it; valid until the next step is drawn."""
    rows = script.get("rows", 1)
    timeline = Timeline(script["processors"], script["vocab_size"], [[] for _ in range(rows)], [False] * rows)
    for index, step in enumerate(script["steps"]):
        try:
            yield timeline, step, answer(timeline, step, checked=script.get("checked", False))
        except Stop as stop:
            yield timeline, step, stop.answer(index)
            return


def answer(timeline: Timeline, step: Mapping[str, Any], *, checked: bool) -> dict[str, Any]:
    """Carry out one step."""
    match step["op"]:
        case "allow":
            return {"allowed": [as_json(one) for one in timeline.all_allowed()]}
        case "select":
            logits = [[float(number) for number in row] for row in step["logits"]]
            return {"allowed": [as_json(one) for one in timeline.all_allowed(logits)]}
        case "status":
            return {"status": [status(timeline, row) for row in range(len(timeline.rows))]}
        case "bitmask":
            return {"words": [packed(one, timeline.vocab_size) for one in timeline.all_allowed()]}
        case "apply":
            return {"bits": masked(timeline, step)}
        case "masks":
            return {"masks": drafted(timeline, step["drafts"])}
        case "forced":
            return {"forced": forced(timeline, step["limit"], step.get("stop_ids", []))}
        case "commit":
            commit(timeline, step["tokens"], checked=checked)
        case "rollback":
            rollback(timeline, step["counts"])
        case "advance":
            advance(timeline, step, checked=checked)
        case "reorder":
            reorder(timeline, step["src"])
        case "finish":
            if not any(processor["kind"] == "multi_seq" for processor in timeline.processors):
                raise Stop("invalid-config", member="/processors")
            if len(step["finished"]) != len(timeline.rows):
                raise Stop("shape-mismatch", argument="/finished")
            timeline.finished = list(step["finished"])
    return {}


def as_json(one: Allowed) -> list[int] | str:
    """Ascending ids, or ``ALL``."""
    return "ALL" if one is None else sorted(one)


def status(timeline: Timeline, row: int) -> str:
    """The status of the first processor that has one."""
    for outer in timeline.processors:
        inside, processor = timeline, outer
        while processor["kind"] == "after":
            inside, processor = inside.inside(processor), processor["processor"]
        if processor["kind"] == "tree":
            return tree_walk(processor, inside.history(row), timeline.vocab_size)[1]
        if processor["kind"] == "think":
            return think_allowed(processor, inside.history(row), timeline.vocab_size)[1]
    raise Stop("invalid-config", member="/processors")


def packed(one: Allowed, vocab_size: int) -> list[int]:
    """The packed form of PRC-009, bit by bit."""
    words = [0] * -(-vocab_size // WORD)
    for token in range(vocab_size) if one is None else one:
        words[token // WORD] += 1 << (token % WORD)
    return [word - (1 << WORD) if word >> (WORD - 1) else word for word in words]


def masked(timeline: Timeline, step: Mapping[str, Any]) -> list[str]:
    """Bit patterns after PRC-010 to PRC-015."""
    if step["dtype"] not in NEGATIVE_INFINITY:
        raise Stop("unsupported-dtype", argument="/dtype")
    negative = NEGATIVE_INFINITY[step["dtype"]]
    width = len(negative)
    table = [[row[at : at + width] for at in range(0, len(row), width)] for row in step["logits"]]
    sets = timeline.all_allowed()
    if len(table) != len(sets):
        raise Stop("shape-mismatch", argument="/logits")
    if any(len(row) != timeline.vocab_size for row in table):
        raise Stop("vocab-mismatch", argument="/logits")
    result = []
    for row, (words, one) in enumerate(zip(table, sets, strict=True)):
        if one is None:
            result.append("".join(words))
            continue
        dead = all(words[token] == negative for token in one)
        if dead and step.get("on_dead", "raise") == "raise":
            raise Stop("dead-row", row, argument=f"/logits/{row}")
        kept = {token: "0" * width if dead else words[token] for token in one}
        result.append("".join(kept.get(token, negative) for token in range(timeline.vocab_size)))
    return result


def advance(timeline: Timeline, step: Mapping[str, Any], *, checked: bool) -> None:
    """Append the tokens of every active, unfinished row."""
    columns = [[token] if isinstance(token, int) else token for token in step["tokens"]]
    active = step.get("active")
    active = [True] * len(timeline.rows) if active is None else active
    if len(active) != len(timeline.rows):
        raise Stop("shape-mismatch", argument="/active")
    if len(columns) != len(timeline.rows) or len({len(row) for row in columns}) > 1:
        raise Stop("shape-mismatch", argument="/tokens")
    multi = any(processor["kind"] == "multi_seq" for processor in timeline.processors)
    for row, tokens in enumerate(columns):
        if (
            active[row]
            and not (multi and timeline.finished[row])
            and any(not 0 <= token < timeline.vocab_size for token in tokens)
        ):
            raise Stop("token-out-of-range", row, argument=f"/tokens/{row}")
    for place in range(len(columns[0]) if columns else 0):
        for row, tokens in enumerate(columns):
            one = timeline.allowed(row) if checked and active[row] else None
            if one is not None and tokens[place] not in one:
                raise Stop("constraint-violation", row, argument=f"/tokens/{row}")
        for row, tokens in enumerate(columns):
            moves = active[row] and not (multi and timeline.finished[row])
            timeline.rows[row].append(tokens[place] if moves else None)


def crosses(processors: list[dict[str, Any]]) -> bool:
    """Whether rows hear of each other."""
    behind = (one.get("processor") for one in processors if one.get("kind") == "after")
    inner = [one for one in behind if isinstance(one, dict)]
    sizes = [one["combo_token_size"] for one in processors if one.get("cross_sequence_ban")]
    heard = any(isinstance(size, int) and size > 1 for size in sizes)
    return heard or (bool(inner) and crosses(inner))


def apart(timeline: Timeline) -> None:
    """Refused where rows hear of each other, blaming the first processor that makes them."""
    for place, processor in enumerate(timeline.processors):
        if crosses([processor]):
            raise Stop("invalid-config", member=f"/processors/{place}")


def one_each(timeline: Timeline, given: list[Any], name: str) -> None:
    """Refused where not every row has an entry."""
    if len(given) != len(timeline.rows):
        raise Stop("shape-mismatch", argument=f"/{name}")


def is_finished(timeline: Timeline, row: int) -> bool:
    """Whether the row takes the end of sequence only."""
    return timeline.finished[row] and any(processor["kind"] == "multi_seq" for processor in timeline.processors)


def ahead(timeline: Timeline, drafts: list[list[int]]) -> Timeline:
    """The histories with drafts appended to the rows that move."""
    added = [[] if is_finished(timeline, row) else ids for row, ids in enumerate(drafts)]
    rows: list[list[int | None]] = [[*row, *more] for row, more in zip(timeline.rows, added, strict=True)]
    return Timeline(timeline.processors, timeline.vocab_size, rows, timeline.finished)


def drafted(timeline: Timeline, drafts: list[list[int]]) -> list[list[list[int] | str]]:
    """The sets of PRC-025, all rows' first ones first."""
    apart(timeline)
    one_each(timeline, drafts, "drafts")
    sets: list[list[list[int] | str]] = [[] for _ in drafts]
    going = list(range(len(drafts)))
    for place in range(max((len(ids) for ids in drafts), default=0) + 1):
        later = ahead(timeline, [ids[:place] for ids in drafts])
        found = {row: later.allowed(row) for row in going}
        accepted = []
        for row, one in found.items():
            sets[row].append(as_json(one))
            draft = drafts[row][place] if place < len(drafts[row]) else -1
            if draft in (range(timeline.vocab_size) if one is None else one):
                accepted.append(row)
        going = accepted
    return sets


def forced(timeline: Timeline, limit: int, stop_ids: list[int]) -> list[list[int]]:
    """The runs of PRC-028, all rows' first ids first."""
    apart(timeline)
    runs: list[list[int]] = [[] for _ in timeline.rows]
    going = [row for row in range(len(runs)) if not is_finished(timeline, row)]
    for _ in range(limit):
        later = ahead(timeline, runs)
        sets = {row: later.allowed(row) for row in going}
        single = [row for row, one in sets.items() if timeline.vocab_size == 1 or (one is not None and len(one) == 1)]
        for row in single:
            runs[row] += sets[row] or [0]
        going = [row for row in single if runs[row][-1] not in stop_ids]
    return runs


def commit(timeline: Timeline, tokens: list[list[int]], *, checked: bool) -> None:
    """Every row over its own tokens (PRC-026)."""
    apart(timeline)
    one_each(timeline, tokens, "tokens")
    for row, ids in enumerate(tokens):
        if not is_finished(timeline, row) and any(not 0 <= token < timeline.vocab_size for token in ids):
            raise Stop("token-out-of-range", row, argument=f"/tokens/{row}")
    for place in range(max((len(ids) for ids in tokens), default=0)):
        given = [place < len(ids) for ids in tokens]
        column = [ids[place] if one else 0 for one, ids in zip(given, tokens, strict=True)]
        advance(timeline, {"tokens": column, "active": given}, checked=checked)


def rollback(timeline: Timeline, counts: list[int]) -> None:
    """The last tokens of every row as if they had not been (PRC-027)."""
    apart(timeline)
    one_each(timeline, counts, "counts")
    for row, count in enumerate(counts):
        if not 0 <= count <= len(timeline.history(row)):
            raise Stop("rollback-out-of-range", row, argument=f"/counts/{row}")
    for row, count in enumerate(counts):
        steps = [at for at, token in enumerate(timeline.rows[row]) if token is not None]
        for at in steps[len(steps) - count :]:
            timeline.rows[row][at] = None


def reorder(timeline: Timeline, src: list[int]) -> None:
    """New row i = old row ``src[i]``."""
    apart(timeline)
    for place, row in enumerate(src):
        if not 0 <= row < len(timeline.rows):
            raise Stop("source-row-out-of-range", argument=f"/src/{place}")
    timeline.rows = [list(timeline.rows[row]) for row in src]
    timeline.finished = [timeline.finished[row] for row in src]
