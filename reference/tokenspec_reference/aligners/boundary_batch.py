"""``boundary`` for a whole batch: cumulative sums and searches over byte lengths, no strings, any device.

1. ``read_side``: byte length of every position (0 for padding and special tokens), cumulative ends, and the bytes.
2. ``agree``: the two byte strings of each row are compared; rows that differ are settled on the host.
3. ``align_boundary``: a position closes a chunk if its end is also an end of the other side, or if it is a special
   token that has a partner (``special_pairs``). ``pack``: a chunk id is the number of chunks closed before.

Integers throughout, so every device gives the same result. Equal to the two-pointer walk of ``boundary``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.aligners.alignment import AlignmentBatch
from tokenspec_reference.aligners.boundary_text import RowText, settle
from tokenspec_reference.aligners.errors import IdOutOfVocabulary
from tokenspec_reference.aligners.roles import NEVER_PAIRED
from tokenspec_reference.aligners.special_pairs import pair_specials

if TYPE_CHECKING:
    from tokenspec_reference.aligners.piece_table import PieceTable, PrefixSpace

TEXT, UNPAIRED, ABSENT = 0, -1, -2


@dataclass(frozen=True)
class DeviceTable:
    """A ``PieceTable`` as tensors over the vocabulary ``[V]``; piece ``id`` is ``blob[first[id]:][:length[id]]``.

    ``code``: int32, ``TEXT``, ``ABSENT`` (no such id), ``UNPAIRED``, or a positive number per role of both sides.
    """

    length: torch.Tensor
    first: torch.Tensor
    blob: torch.Tensor
    code: torch.Tensor
    leading_space: torch.Tensor
    prefix_space: PrefixSpace
    prefix_optional: bool
    normalises: bool

    @classmethod
    def build(cls, table: PieceTable, role_codes: dict[str, int], device: torch.device) -> DeviceTable:
        """Flatten ``table`` onto ``device``."""
        pieces = [piece or b"" for piece in table.pieces]
        length = torch.tensor([len(piece) for piece in pieces], dtype=torch.int32)
        code = [
            ABSENT if piece is None else role_codes.get(role, UNPAIRED) if role else TEXT
            for piece, role in zip(table.pieces, table.roles, strict=True)
        ]
        return cls(
            length.to(device),
            (length.cumsum(0, dtype=torch.int32) - length).to(device),
            torch.frombuffer(bytearray(b"".join(pieces) or b"\0"), dtype=torch.uint8).to(device),
            torch.tensor(code, dtype=torch.int32).to(device),
            torch.tensor([piece[:1] == b" " for piece in pieces], dtype=torch.bool).to(device),
            table.prefix_space,
            table.prefix_optional,
            table.unicode_form is not None,
        )


def device_tables(student: PieceTable, teacher: PieceTable, device: torch.device) -> tuple[DeviceTable, DeviceTable]:
    """Both tables on one device, with roles numbered so that equal numbers mean equal roles."""
    shared = (set(student.roles) & set(teacher.roles)) - NEVER_PAIRED - {""}
    codes = {role: number for number, role in enumerate(sorted(shared), start=1)}
    return DeviceTable.build(student, codes, device), DeviceTable.build(teacher, codes, device)


@dataclass(frozen=True)
class Side:
    """One side of a batch, ``[B, T]`` tensors. ``length``, ``ends``: int32 bytes of a position, and where it ends.

    ``text``: unmasked text positions; ``code``: role code, ``UNPAIRED`` on text and padding; ``stream``: uint8, the
    bytes of all rows one after another; ``maybe_added``: positions whose leading space may be no text.
    """

    ids: torch.Tensor
    text: torch.Tensor
    code: torch.Tensor
    length: torch.Tensor
    ends: torch.Tensor
    stream: torch.Tensor
    maybe_added: torch.Tensor | None


def read_side(ids: torch.Tensor, mask: torch.Tensor | None, table: DeviceTable, *, field: str) -> Side:
    """Measure one side.

    Raises:
        IdOutOfVocabulary: an unmasked id that the tokenizer does not have.
    """
    size = len(table.length)
    known = (ids >= 0) & (ids < size)
    safe = ids if bool(known.all()) else torch.where(known, ids, 0)
    code = table.code[safe]
    real = torch.ones_like(known) if mask is None else mask.to(ids.device) != 0
    wrong = (~known | (code == ABSENT)) & real
    if bool(wrong.any()):
        row, column = wrong.nonzero()[0].tolist()
        raise IdOutOfVocabulary(
            f"{int(ids[row, column])} is not in the vocabulary of {size} ids; check which tokenizer made it",
            field=f"{field}[{row}][{column}]",
        )
    text = (code == TEXT) & real
    length = table.length[safe] * text
    added = None
    if table.prefix_space != "none":
        added = _first_of_stretch(text, code, real, table.prefix_space) & table.leading_space[safe]
        if not table.prefix_optional:
            length = length - added.to(length.dtype)
    ends = length.cumsum(1, dtype=torch.int32)
    code = code.masked_fill(text | ~real, UNPAIRED)
    stream = _stream(safe, length, ends, None if table.prefix_optional else added, table)
    return Side(safe, text, code, length, ends, stream, added if table.prefix_optional else None)


def _first_of_stretch(text: torch.Tensor, code: torch.Tensor, real: torch.Tensor, rule: PrefixSpace) -> torch.Tensor:
    """Text positions with no text before them, or (rule ``every``) none since the last special token."""
    index = torch.arange(1, text.shape[1] + 1, dtype=torch.int32, device=text.device).expand(text.shape)
    latest_text = (index * text).cummax(1).values
    before = torch.nn.functional.pad(latest_text[:, :-1], (1, 0))
    if rule == "first":
        return text & (before == 0)
    special = (code != TEXT) & real
    latest_special = (index * special).cummax(1).values
    return text & ((before == 0) | (latest_special > before))


def _stream(
    ids: torch.Tensor, length: torch.Tensor, ends: torch.Tensor, added: torch.Tensor | None, table: DeviceTable
) -> torch.Tensor:
    """The bytes of all rows: every position copies ``length`` bytes from its place in the blob."""
    row_bytes = ends[:, -1:] if ends.shape[1] else ends.new_zeros(len(ends), 1)
    row_start = row_bytes.cumsum(0, dtype=torch.int32) - row_bytes
    source = table.first[ids] - (ends - length + row_start)
    if added is not None:
        source = source + added
    where = torch.repeat_interleave(source.flatten(), length.flatten())
    return table.blob[where + torch.arange(len(where), dtype=torch.int32, device=where.device)]


def align_boundary(
    student: Side, teacher: Side, tables: tuple[DeviceTable, DeviceTable], *, truncate: bool
) -> AlignmentBatch:
    """Segment two measured sides at their common byte boundaries.

    Raises:
        TextMismatch: a row spells two texts and ``truncate`` is False.
    """
    student, teacher = drop_added_space(student, teacher), drop_added_space(teacher, student)
    s_ends, t_ends, common = agree(student, teacher, tables, truncate=truncate)
    s_may, t_may = _adds_bytes(s_ends) & (s_ends <= common), _adds_bytes(t_ends) & (t_ends <= common)
    places = 1 + int(common.max()) if len(common) else 1
    s_closes = s_may & _stand_at(s_ends, t_ends, t_may, places)
    t_closes = t_may & _stand_at(t_ends, s_ends, s_may, places)
    s_special, t_special = pair_specials(student.code, s_ends, teacher.code, t_ends, common)
    return pack(
        ClosedSide(student.text, s_closes | s_special, s_special),
        ClosedSide(teacher.text, t_closes | t_special, t_special),
    )


def _adds_bytes(ends: torch.Tensor) -> torch.Tensor:
    """Positions that end later than the one before: what is all added space does not."""
    return ends > torch.nn.functional.pad(ends[:, :-1], (1, 0))


def _stand_at(ends: torch.Tensor, others: torch.Tensor, others_may: torch.Tensor, places: int) -> torch.Tensor:
    """Which ``ends`` are also an end of the other side: mark one slot per byte, look up; the last slot says nothing."""
    marked = torch.zeros(len(ends), places + 1, dtype=torch.bool, device=ends.device)
    marked.scatter_(1, torch.where(others_may, others, places).long(), value=True)
    return marked.gather(1, ends.clamp(max=places).long())


def drop_added_space(side: Side, other: Side) -> Side:
    """Take an optional leading space off every row whose other side does not begin with a space (``ALN-014``).

    Later stretches of a row are left to ``settle``.
    """
    if side.maybe_added is None or side.ids.shape[1] == 0:
        return side
    first = side.maybe_added.to(torch.int32).argmax(1, keepdim=True)
    begins = side.maybe_added.gather(1, first) & ((side.ends - side.length).gather(1, first) == 0)
    drop = torch.zeros_like(side.maybe_added).scatter_(1, first, begins & ~_begins_with_space(other))
    if not bool(drop.any()):
        return side
    row_bytes = _row_bytes(side)
    row_start = row_bytes.cumsum(0, dtype=torch.int32) - row_bytes
    keep = torch.ones(len(side.stream), dtype=torch.bool, device=side.stream.device)
    keep[(side.ends - side.length + row_start[:, None])[drop].long()] = False
    length = side.length - drop.to(side.length.dtype)
    return replace(
        side,
        length=length,
        ends=length.cumsum(1, dtype=torch.int32),
        stream=side.stream[keep],
        maybe_added=side.maybe_added & ~drop,
    )


def _begins_with_space(side: Side) -> torch.Tensor:
    """Rows whose first byte is a space, bool ``[B, 1]``."""
    row_bytes = _row_bytes(side)
    start = row_bytes.cumsum(0, dtype=torch.int64) - row_bytes
    padded = torch.nn.functional.pad(side.stream, (0, 1))
    return ((padded[start] == ord(" ")) & (row_bytes > 0))[:, None]


def agree(
    student: Side, teacher: Side, tables: tuple[DeviceTable, DeviceTable], *, truncate: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Comparable ends of both sides, int32 ``[B, T]``, and where the common text of each row ends, ``[B, 1]``."""
    s_bytes, t_bytes = _row_bytes(student), _row_bytes(teacher)
    if torch.equal(s_bytes, t_bytes) and torch.equal(student.stream, teacher.stream):
        return student.ends, teacher.ends, s_bytes[:, None]
    s_ends, t_ends = student.ends.clone(), teacher.ends.clone()
    common = torch.minimum(s_bytes, t_bytes)
    s_rows, t_rows = student.stream.split(s_bytes.tolist()), teacher.stream.split(t_bytes.tolist())
    for row, length in enumerate(common.tolist()):
        if not torch.equal(s_rows[row][:length], t_rows[row][:length]):
            settled = settle(
                _row_text(student, row, s_rows[row], tables[0]),
                _row_text(teacher, row, t_rows[row], tables[1]),
                row=row,
                truncate=truncate,
            )
            s_ends[row] = torch.from_numpy(settled.student_ends)
            t_ends[row] = torch.from_numpy(settled.teacher_ends)
            common[row] = settled.common
    return s_ends, t_ends, common[:, None]


def _row_bytes(side: Side) -> torch.Tensor:
    return side.length.sum(1, dtype=torch.int32)


def _row_text(side: Side, row: int, stream: torch.Tensor, table: DeviceTable) -> RowText:
    ends = side.ends[row].cpu().numpy().astype("int64")
    optional = side.maybe_added[row].nonzero().flatten().tolist() if side.maybe_added is not None else []
    return RowText(stream.cpu().numpy().tobytes(), ends, frozenset(optional), table.normalises)


@dataclass(frozen=True)
class ClosedSide:
    """Bool ``[B, T]``: text positions, positions that close a chunk, and the special tokens among the latter."""

    text: torch.Tensor
    closes: torch.Tensor
    special: torch.Tensor


def pack(student: ClosedSide, teacher: ClosedSide) -> AlignmentBatch:
    """Chunk ids are exclusive counts of closed chunks; both sides close the same chunks in the same order."""
    numbers = student.closes.sum(1)
    width = max(1, int(numbers.max())) if len(numbers) else 1
    valid = torch.arange(width, device=numbers.device) < numbers[:, None]
    s_id, s_single = _chunk_ids(student, numbers, width)
    t_id, t_single = _chunk_ids(teacher, numbers, width)
    single = s_single & t_single
    return AlignmentBatch(
        pair_valid=valid,
        pair_is_correct=valid.clone(),
        student_exact_partition_mask=_member_of(single, s_id),
        teacher_exact_partition_mask=_member_of(single, t_id),
        student_chunk_id=s_id,
        teacher_chunk_id=t_id,
        num_chunks=numbers,
    )


def _chunk_ids(side: ClosedSide, numbers: torch.Tensor, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Chunk id of every position, int64 ``[B, T]``, and which chunks hold one position, bool ``[B, width]``."""
    closed = side.closes.cumsum(1) - side.closes.long()
    member = (side.text | side.special) & (closed < numbers[:, None])
    if bool(side.special.any()):
        member &= ~_before_special(closed, side, width)
    chunk = torch.where(member, closed, -1)
    sizes = torch.zeros(len(chunk), width + 1, dtype=torch.int64, device=chunk.device)
    sizes.scatter_add_(1, torch.where(member, closed, width), torch.ones_like(chunk))
    return chunk, sizes[:, :width] == 1


def _before_special(closed: torch.Tensor, side: ClosedSide, width: int) -> torch.Tensor:
    """Text of no bytes that stands before a paired special token: it must not share that token's chunk."""
    by_special = torch.zeros(len(closed), width + 1, dtype=torch.bool, device=closed.device)
    by_special.scatter_(1, torch.where(side.special, closed, width), value=True)
    return side.text & by_special.gather(1, closed)


def _member_of(flags: torch.Tensor, chunk: torch.Tensor) -> torch.Tensor:
    return flags.gather(1, chunk.clamp(min=0)) & (chunk >= 0)
