"""The ids a sampler saw, and where they part from one encode of the whole text.

A sampler begins behind the generation prompt, so the seam in front of a sampled turn is a token boundary, and the seam
behind it is another. Text that would merge across such a seam has one more token there than in the canonical ids.
Everything here follows from the spans of a golden and the row's own tokenizer.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.oracle.token_bytes import token_starts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenspec.areas.render.records import RenderExpect


class Seam(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One way in which a case's two id lists differ, and everywhere it happens.

    Attributes:
        case: the slug of the render case.
        text: what both runs spell.
        canonical: the run of canonical ids.
        sampled_boundary: the run a sampler saw; it has a token boundary at the seam.
        messages: per place the assistant message whose sampled region begins or ends there.
        tokens: per place the position of the run in the canonical ids.
    """

    case: str
    text: str
    canonical: list[int]
    sampled_boundary: list[int]
    messages: list[int]
    tokens: list[int]


def pieces(expect: RenderExpect) -> list[tuple[bool, str]]:
    """The text cut where a sampled region begins or ends: (is sampled, text) of each piece."""
    return [
        (sampled, "".join(text for _, _, _, text in run))
        for sampled, run in groupby(expect.spans, key=lambda span: span[0] == "sampled")
    ]


def sampled_boundary(tokenizer: Any, expect: RenderExpect) -> tuple[list[int], list[bool]]:
    """The ids with every piece encoded by itself, as text that goes on (no blank is put in front of it).

    Beside them whether each was sampled: a piece is, or is not, as a whole.
    """
    encoded = _encoded_pieces(tokenizer, expect)
    return [id_ for _, _, ids in encoded for id_ in ids], [sampled for sampled, _, ids in encoded for _ in ids]


def _encoded_pieces(tokenizer: Any, expect: RenderExpect) -> list[tuple[bool, str, list[int]]]:
    """Every piece, whether it is sampled, with its ids."""
    found: list[tuple[bool, str, list[int]]] = []
    for sampled, text in pieces(expect):
        ids = continued(tokenizer, text) if found else tokenizer.encode(text, add_special_tokens=False)
        found.append((sampled, text, ids))
    return found


def continued(tokenizer: Any, piece: str) -> list[int]:
    """Ids of text inside a longer text: SentencePiece puts a blank before a first word, so something stands there."""
    direct: list[int] = tokenizer.encode(piece, add_special_tokens=False)
    if not _begins_with_blank(tokenizer, tokenizer.encode("a", add_special_tokens=False)):
        return direct
    for anchor in (*tokenizer.all_special_tokens[:1], "\n", "."):
        ahead: list[int] = tokenizer.encode(anchor, add_special_tokens=False)
        joined: list[int] = tokenizer.encode(anchor + piece, add_special_tokens=False)
        behind = joined[len(ahead) :]
        if joined[: len(ahead)] == ahead and _begins_with_blank(tokenizer, behind) == piece.startswith(" "):
            return behind
    return direct


def _begins_with_blank(tokenizer: Any, ids: list[int]) -> bool:
    """Whether the first token starts with SentencePiece's sign for a blank."""
    return bool(ids) and bool(tokenizer.convert_ids_to_tokens(ids[:1])[0].startswith("▁"))


def seams(case: str, tokenizer: Any, expect: RenderExpect) -> list[Seam]:
    """Every difference of the two id lists of one golden, equal ones gathered."""
    encoded = _encoded_pieces(tokenizer, expect)
    ours = [id_ for _, _, ids in encoded for id_ in ids]
    if ours == expect.token_ids:
        return []
    theirs = token_starts(tokenizer, expect.token_ids, expect.text)
    if theirs is None:
        raise ValueError(f"{case}: the ids do not spell the text")
    starts: list[int] = []
    position = 0
    for _, text, ids in encoded:
        inside = token_starts(tokenizer, ids, text)
        if inside is None:
            raise ValueError(f"{case}: the ids of a piece do not spell it")
        starts += [position + start for start in inside]
        position += len(text)
    places = _seam_messages(expect)
    gathered: dict[tuple[str, tuple[int, ...], tuple[int, ...]], tuple[list[int], list[int]]] = {}
    for first, last, ours_first, ours_last in _differing_runs(expect.token_ids, theirs, ours, starts):
        begin = theirs[first]
        end = theirs[last] if last < len(theirs) else len(expect.text)
        key = (expect.text[begin:end], tuple(expect.token_ids[first:last]), tuple(ours[ours_first:ours_last]))
        messages, tokens = gathered.setdefault(key, ([], []))
        messages.append(next(message for at, message in places if begin < at < end))
        tokens.append(first)
    return [
        Seam(case=case, text=text, canonical=[*a], sampled_boundary=[*b], messages=messages, tokens=tokens)
        for (text, a, b), (messages, tokens) in gathered.items()
    ]


def _seam_messages(expect: RenderExpect) -> list[tuple[int, int]]:
    """Characters at which a sampled region begins or ends, with its message."""
    found: list[tuple[int, int]] = []
    position = 0
    for kind, message, _, text in expect.spans:
        if kind == "sampled" and message is not None:
            found += [(position, message), (position + len(text), message)]
        position += len(text)
    return found


def _differing_runs(
    left: Sequence[int], left_starts: Sequence[int], right: Sequence[int], right_starts: Sequence[int]
) -> list[tuple[int, int, int, int]]:
    """Half-open runs of tokens in which two splits of one text differ: (left first, last, right first, last)."""
    runs: list[tuple[int, int, int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            i, j = i + 1, j + 1
            continue
        first, other = i, j
        i, j = i + 1, j + 1
        while _start(left_starts, i) != _start(right_starts, j):
            if _start(left_starts, i) < _start(right_starts, j):
                i += 1
            else:
                j += 1
        runs.append((first, i, other, j))
    return runs


def _start(starts: Sequence[int], at: int) -> int:
    """Where a token begins; past the end, behind every character."""
    return starts[at] if at < len(starts) else 1 << 60
