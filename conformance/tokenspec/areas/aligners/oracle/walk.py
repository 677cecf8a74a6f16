"""The oracle of ``boundary``: a two-pointer walk over places in what both sides spell, or in its NFC.

It knows the source text, and so which spaces a tokenizer added; normal forms it tries out, cut by cut.
"""

from __future__ import annotations

import codecs
import itertools
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenspec.areas.aligners.oracle.sides import (
    AddedSpace,
    Position,
    adds_a_space,
    adds_to_every_stretch,
    normalises,
    positions,
    without_special,
)
from tokenspec.models import Row

UNPAIRED_ROLES = {"padding", "unknown"}


class TextsDiffer(Exception):
    """The two sides spell different texts; ``byte`` is the first difference."""

    def __init__(self, byte: int) -> None:
        """Keep the place."""
        super().__init__(f"byte {byte}")
        self.byte = byte


@dataclass(frozen=True)
class Walked:
    """Chunk ids of both sides, and for each chunk the positions of both sides."""

    student: list[int]
    teacher: list[int]
    chunks: list[tuple[list[int], list[int]]]


@dataclass(frozen=True)
class SideText:
    """One side: what its positions are, the text it was made from, whether it may begin with a space of its own.

    ``every_stretch``: so may every stretch of text after a special token. ``normalises``: they spell a normal form.
    """

    positions: Sequence[Position]
    text: str
    adds_space: AddedSpace = "never"
    every_stretch: bool = False
    normalises: bool = False


def tokenized(rows: Mapping[str, Row], side: Mapping[str, Any], declared: Mapping[str, str]) -> list[SideText]:
    """The rows of one side of a request, as its tokenizer made them."""
    tokenizer = rows[side["model"]].tokenizer
    rules = adds_a_space(tokenizer), adds_to_every_stretch(tokenizer), normalises(tokenizer)
    return [
        SideText(positions(tokenizer, ids, mask, declared), without_special(tokenizer, text), *rules)
        for ids, mask, text in zip(side["ids"], side["mask"], side["texts"], strict=True)
    ]


def walk(student: SideText, teacher: SideText, *, truncate: bool = False) -> Walked:
    """Align one row.

    Raises:
        TextsDiffer: the sides differ before either ends, and ``truncate`` is False.
    """
    return number(student, teacher, comparable(student, teacher, truncate=truncate))


@dataclass(frozen=True)
class Places:
    """Where every position of both sides ends, in one measure, and up to where the texts agree."""

    student: list[int | None]
    teacher: list[int | None]
    limit: int | None


def comparable(student: SideText, teacher: SideText, *, truncate: bool = False) -> Places:
    """Bytes of the text itself if both sides spell the same bytes or none has a normal form, else bytes of its NFC.

    Raises:
        TextsDiffer: as ``walk``.
    """
    s_pieces, t_pieces = pieces_of(student, teacher), pieces_of(teacher, student)
    s_raw, t_raw = b"".join(s_pieces), b"".join(t_pieces)
    limit = first_difference(s_raw, t_raw)
    if limit < min(len(s_raw), len(t_raw)):
        if student.normalises or teacher.normalises:
            return of_normal_forms((s_pieces, t_pieces), truncate=truncate)
        if not truncate:
            raise TextsDiffer(limit)
    return Places(plain_places(s_pieces), plain_places(t_pieces), limit)


def of_normal_forms(pieces: tuple[list[bytes], list[bytes]], *, truncate: bool) -> Places:
    """Bytes of the NFC of what two sides spell, up to where they differ.

    Raises:
        TextsDiffer: at the first different byte of the two, and ``truncate`` is False.
    """
    spelled = [b"".join(side) for side in pieces]
    s_normal, t_normal = map(normal, spelled)
    limit = first_difference(s_normal, t_normal)
    if not may_be_one_text(*spelled):
        if not truncate:
            raise TextsDiffer(limit)
    elif limit < min(len(s_normal), len(t_normal)):
        segments = (independent_segments(escaped(normal(without_cut_character(side)))) for side in spelled)
        shared = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(*segments, strict=False))
        limit = sum(len(unescaped(segment)) for segment, _ in shared)
    return Places(normal_places(pieces[0]), normal_places(pieces[1]), limit)


def escaped(data: bytes) -> str:
    """Text; bytes that are none stand for themselves."""
    return data.decode("utf-8", "surrogateescape")


def unescaped(text: str) -> bytes:
    """The bytes of such a text."""
    return text.encode("utf-8", "surrogateescape")


def normal(data: bytes) -> bytes:
    """The NFC of what bytes spell."""
    return unescaped(unicodedata.normalize("NFC", escaped(data)))


def may_be_one_text(student: bytes, teacher: bytes) -> bool:
    """Whether one side is, in some order of its marks, the beginning of the other.

    Where one ends inside a character, that may be any, and more may follow: it is enough that both can go on alike.
    """
    whole = [without_cut_character(side) for side in (student, teacher)]
    a, b = (unicodedata.normalize("NFD", escaped(side)) for side in whole)
    if begins(a, b) or begins(b, a):
        return True
    last = last_letter(a)
    if whole == [student, teacher] or last != last_letter(b) or a[: last + 1] != b[: last + 1]:
        return False
    ours, theirs = marks_of(a, last), marks_of(b, last)
    return all(
        mine == other[: len(mine)] or other == mine[: len(other)]
        for mine, other in ((ours.get(kind, []), theirs.get(kind, [])) for kind in {*ours, *theirs})
    )


def without_cut_character(data: bytes) -> bytes:
    """The same without the bytes at the end that begin a character and do not finish it."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    return unescaped(decoder.decode(data))


def begins(a: str, b: str) -> bool:
    """Whether something put behind ``a`` makes it ``b``, both in NFD: marks of one class keep their order."""
    last = last_letter(a)
    ours, theirs = marks_of(a, last), marks_of(b, last)
    return a[: last + 1] == b[: last + 1] and all(theirs.get(kind, [])[: len(own)] == own for kind, own in ours.items())


def last_letter(text: str) -> int:
    """Where the last character stands that is no mark, -1 if there is none."""
    return max((index for index, one in enumerate(text) if not unicodedata.combining(one)), default=-1)


def marks_of(text: str, letter: int) -> dict[int, list[str]]:
    """The marks behind a letter, by their class."""
    found: dict[int, list[str]] = {}
    for mark in itertools.takewhile(unicodedata.combining, text[letter + 1 :]):
        found.setdefault(unicodedata.combining(mark), []).append(mark)
    return found


def pieces_of(side: SideText, other: SideText) -> list[bytes]:
    """Bytes of every position, without the space that the tokenizer added to a text that does not begin with it.

    Two tokenizers that both add one if it is missing both keep it: to them it is the same space.
    """
    pieces = [position.data for position in side.positions]
    same_space = side.adds_space == other.adds_space == "if-missing" and other_begins_with_space(other)
    if side.every_stretch:
        return pieces if other.every_stretch else without_added_spaces(side, but_the_first=same_space)
    spelled = b"".join(pieces)
    forms = [unicodedata.normalize(form, side.text).encode() for form in ("NFC", "NFD")] + [side.text.encode()]
    if same_space:
        return pieces
    if side.adds_space != "never" and spelled[:1] == b" " and not any(form.startswith(spelled) for form in forms):
        first = next(index for index, piece in enumerate(pieces) if piece)
        pieces[first] = pieces[first][1:]
    return pieces


def without_added_spaces(side: SideText, *, but_the_first: bool) -> list[bytes]:
    """The same where every stretch may begin with such a space: it was added where the text itself has none."""
    pieces: list[bytes] = []
    text, starts = _as_spelled(side), True
    if but_the_first and not text.startswith(b" "):
        text = b" " + text
    for position in side.positions:
        data = position.data
        if starts and data.startswith(b" ") and not text.startswith(b" ", sum(map(len, pieces))):
            data = data[1:]
        starts = position.kind == "special" or (starts and position.kind != "text")
        pieces.append(data)
    return pieces


def _as_spelled(side: SideText) -> bytes:
    """The text in the normal form that the tokens spell, spaces aside."""
    data = b"".join(position.data for position in side.positions).replace(b" ", b"")
    forms = [side.text, *(unicodedata.normalize(form, side.text) for form in ("NFC", "NFD"))]
    return next(
        (form for form in map(str.encode, forms) if form.replace(b" ", b"").startswith(data)), forms[0].encode()
    )


def other_begins_with_space(other: SideText) -> bool:
    """Whether the first byte that the other side spells is a space."""
    return b"".join(position.data for position in other.positions)[:1] == b" "


def first_difference(a: bytes, b: bytes) -> int:
    """Length of the common prefix."""
    for index, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return index
    return min(len(a), len(b))


def plain_places(pieces: Sequence[bytes]) -> list[int | None]:
    """The byte at which each position ends."""
    places: list[int | None] = []
    end = 0
    for piece in pieces:
        end += len(piece)
        places.append(end)
    return places


def normal_places(pieces: Sequence[bytes]) -> list[int | None]:
    """The byte of the NFC at which each position ends; None inside a segment that NFC changes."""
    place: dict[int, int | None] = {0: 0}
    own = common = 0
    for segment in independent_segments(escaped(b"".join(pieces))):
        data = unescaped(segment)
        composed = normal(data)
        for offset in range(1, len(data)):
            place[own + offset] = common + offset if data == composed else None
        own, common = own + len(data), common + len(composed)
        place[own] = common
    return [place[end] for end in plain_places(pieces) if end is not None]


def independent_segments(text: str) -> list[str]:
    """The shortest stretches of text that can be normalised apart, by trying every cut."""
    if not text:
        return []
    whole = unicodedata.normalize("NFC", text)
    cuts = [
        cut
        for cut in range(1, len(text))
        if unicodedata.normalize("NFC", text[:cut]) + unicodedata.normalize("NFC", text[cut:]) == whole
    ]
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def number(student: SideText, teacher: SideText, places: Places) -> Walked:
    """Walk both sides place by place and number what closes."""
    s_text, t_text = text_ends(student, places.student), text_ends(teacher, places.teacher)
    shared = [
        place for place in two_pointers(sorted(s_text), sorted(t_text)) if places.limit is None or place <= places.limit
    ]
    s_special, t_special = special_partners(student, teacher, places)
    s_closing = {s_text[place] for place in shared} | set(s_special)
    t_closing = {t_text[place] for place in shared} | set(t_special)
    s_ids = chunk_ids(student.positions, s_closing, set(s_special))
    t_ids = chunk_ids(teacher.positions, t_closing, set(t_special))
    chunks = [
        ([i for i, own in enumerate(s_ids) if own == chunk], [j for j, own in enumerate(t_ids) if own == chunk])
        for chunk in range(len(s_closing))
    ]
    return Walked(s_ids, t_ids, chunks)


def text_ends(side: SideText, places: list[int | None]) -> dict[int, int]:
    """Place -> the last position with bytes that ends there."""
    return {
        place: index
        for index, (position, place) in enumerate(zip(side.positions, places, strict=True))
        if place is not None and ends_text(side, index, places)
    }


def ends_text(side: SideText, index: int, places: list[int | None]) -> bool:
    """Whether this position adds bytes (one that is only an added space does not)."""
    before = next((place for place in reversed(places[:index]) if place is not None), 0) if index else 0
    return side.positions[index].kind == "text" and (places[index] or 0) > before


def two_pointers(a: list[int], b: list[int]) -> list[int]:
    """What two ascending lists share, by advancing the smaller."""
    shared = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] < b[j]:
            i += 1
        elif a[i] > b[j]:
            j += 1
        else:
            shared.append(a[i])
            i, j = i + 1, j + 1
    return shared


def special_partners(student: SideText, teacher: SideText, both: Places) -> tuple[list[int], list[int]]:
    """Positions of the special tokens that have a partner, in order."""

    def keyed(side: SideText, places: list[int | None]) -> dict[tuple[int, str, int], int]:
        found: dict[tuple[int, str, int], int] = {}
        for index, position in enumerate(side.positions):
            place = places[index]
            if position.kind != "special" or place is None or position.role in UNPAIRED_ROLES:
                continue
            if both.limit is not None and place > both.limit:
                continue
            count = sum(1 for key in found if key[:2] == (place, position.role))
            found[place, position.role, count] = index
        return found

    mine, theirs = keyed(student, both.student), keyed(teacher, both.teacher)
    candidates = [(mine[key], theirs[key]) for key in mine if key in theirs]
    straight = [
        (i, j) for i, j in candidates if not any((i - other_i) * (j - other_j) < 0 for other_i, other_j in candidates)
    ]
    return [i for i, _ in straight], [j for _, j in straight]


def chunk_ids(positions: Sequence[Position], closing: set[int], special: set[int]) -> list[int]:
    """Number the positions: a chunk ends with its closing position, paired special tokens are chunks of their own."""
    ids = [-1] * len(positions)
    waiting: list[int] = []
    chunk = 0
    for index, position in enumerate(positions):
        if index in special:
            ids[index] = chunk
            chunk += 1
            waiting = []
        elif position.kind == "text":
            waiting.append(index)
            if index in closing:
                for member in waiting:
                    ids[member] = chunk
                chunk += 1
                waiting = []
    return ids
