"""What a failing cell is shown with: the tokens expected and got, or the fields, cut to a bounded window.

Only cells with something to look at carry an exhibit, so a report of a whole run stays small.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import msgspec

from tokenspec.adapters.foreign_text import foreign_text, in_reading_order
from tokenspec.areas.check import Subject
from tokenspec.areas.exhibit import Labelled
from tokenspec.oracle.token_bytes import has_byte_fallback, piece_bytes
from tokenspec.report.lines import cut_lines, lines_of
from tokenspec.verdict import Exhibit, Label, Tokens

WINDOW = 300
"""Tokens kept before and after the first difference."""

LONGEST_INPUT = 20_000
"""Characters kept of a case's input."""


def exhibit_of(subject: Subject) -> Exhibit:
    """What to show of a cell: tokens for the areas that make token lists, fields for every area."""
    of_area, expect = subject.cell.area.exhibit, subject.expect
    expected, got = (None, None) if of_area is None or expect is None else of_area(expect, subject.output)
    wanted, given = windows(subject, expected, got) if expected is not None else (None, None)
    show_fields = wanted is None and subject.output is not None
    want_lines = lines_of(msgspec.to_builtins(expect)) if show_fields and expect is not None else []
    got_lines = lines_of(msgspec.to_builtins(subject.output)) if show_fields else []
    want_lines, got_lines = cut_lines(*([foreign_text(line) for line in lines] for lines in (want_lines, got_lines)))
    return Exhibit(
        input=input_text(subject.input), expected=wanted, got=given, expected_lines=want_lines, got_lines=got_lines
    )


def input_text(value: object) -> str:
    """The input as indented JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    if len(text) <= LONGEST_INPUT:
        return text
    return f"{text[:LONGEST_INPUT]}\n... {len(text) - LONGEST_INPUT} more characters"


def windows(subject: Subject, expected: Labelled, got: Labelled | None) -> tuple[Tokens, Tokens | None]:
    """Both sides, cut to the same window around the first difference."""
    tokenizer = subject.rows[subject.cell.row].vocabulary
    at = 0 if got is None else first_difference(expected, got)
    start, end = max(0, at - WINDOW), at + WINDOW
    return tokens(tokenizer, *expected, start, end), None if got is None else tokens(tokenizer, *got, start, end)


def tokens(
    tokenizer: Any, ids: Sequence[int], labels: Sequence[Label], start: int = 0, end: int | None = None
) -> Tokens:
    """A window of labelled ids with what they spell."""
    shown = list(ids[start:end])
    owners = [(kind, message, len(list(run))) for (kind, message), run in groupby(labels[start:end])]
    return Tokens(shown, pieces(tokenizer, shown), owners, start, len(ids))


def first_difference(expected: Labelled, got: Labelled) -> int:
    """The index of the first token that differs in id or in owner; the shorter length when one side goes on."""
    pairs = zip(zip(*expected, strict=True), zip(*got, strict=True), strict=False)
    for index, ((want_id, want), (got_id, have)) in enumerate(pairs):
        if want_id != got_id or not same_owner(want, have):
            return index
    return min(len(expected[0]), len(got[0]))


def same_owner(want: Label, have: Label) -> bool:
    """Whether two owners agree: a generation prompt is scaffold, and what nobody claims contradicts nothing."""
    if "unattributed" in {want[0], have[0]}:
        return True
    body = want[0] in {"content", "sampled"}
    if body or have[0] in {"content", "sampled"}:
        return want[0] == have[0] and (have[1] is None or want[1] == have[1])
    return True


def pieces(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """What each id spells; bytes that are no whole character are escaped, an id outside the vocabulary says so."""
    return [in_reading_order(spelled.decode("utf-8", "backslashreplace")) for spelled in bytes_of(tokenizer, ids)]


def owner_texts(tokenizer: Any, shown: Tokens) -> list[str]:
    """What each run of one owner spells: characters whose bytes lie in several tokens are whole here."""
    spelled = iter(bytes_of(tokenizer, shown.ids))
    runs = [b"".join(next(spelled) for _ in range(count)) for _, _, count in shown.owners]
    return [in_reading_order(run.decode("utf-8", "backslashreplace")) for run in runs]


def bytes_of(tokenizer: Any, ids: Sequence[int]) -> list[bytes]:
    """The bytes each id stands for."""
    added, fallback, size = tokenizer.get_added_vocab(), has_byte_fallback(tokenizer), len(tokenizer)

    def spelled(id_: int) -> bytes:
        name = tokenizer.convert_ids_to_tokens(id_) if 0 <= id_ < size else None
        if name is None:
            return f"[no token {id_}]".encode()
        return piece_bytes(name, added=name in added, byte_fallback=fallback)

    known = {id_: spelled(id_) for id_ in set(ids)}
    return [known[id_] for id_ in ids]
