"""Where projection files come from: which teacher tokens a student token stands for, found from the two vocabularies.

Three ways to find rows, which may be laid over one another, and one to cut them to size:

==================  ====================================================================================
``exact``           both tokens spell the same bytes (or have the same role): one entry of weight 1
``retokenised``     the teacher's tokens of the student token's text, the first weighing most; and back
``embedded``        the teacher tokens whose embeddings are nearest, for models that share a space
``Projection.cut``  the heaviest ``k`` entries a row, summing to 1
==================  ====================================================================================

Source: NeMo-RL x_token, projection tools. Unlike there, a token that is no text of its own (part of a character) is not
read as a replacement character, and special tokens pair by role and not by how their names look.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import torch

from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.aligners.piece_table import PieceTable
from tokenspec_reference.aligners.roles import NEVER_PAIRED
from tokenspec_reference.aligners.unicode_forms import normal_text

NONE = -1
Entry = tuple[int, int, float]


@dataclass(frozen=True)
class Projection:
    """Teacher ids int64 ``[V_s, k]`` (-1 for none) and their weights float32 ``[V_s, k]``, heaviest first."""

    indices: torch.Tensor
    likelihoods: torch.Tensor
    teacher_vocab_size: int

    @classmethod
    def of_entries(cls, entries: Sequence[Entry], student_vocab_size: int, teacher_vocab_size: int) -> Projection:
        """Rows of ``(student id, teacher id, weight)``; equal pairs are added, every row that has entries sums to 1.

        Raises:
            AlignmentInputError: an id outside its vocabulary.
        """
        if not entries:
            none = torch.full((student_vocab_size, 2), NONE, dtype=torch.int64)
            return cls(none, torch.zeros(student_vocab_size, 2), teacher_vocab_size)
        ids = torch.tensor([entry[:2] for entry in entries], dtype=torch.int64).T
        if bool(((ids < 0) | (ids >= torch.tensor([[student_vocab_size], [teacher_vocab_size]]))).any()):
            raise AlignmentInputError("has an id outside its vocabulary", field="entries")
        weights = torch.tensor([entry[2] for entry in entries], dtype=torch.float64)
        added = torch.sparse_coo_tensor(ids, weights, (student_vocab_size, teacher_vocab_size), check_invariants=False)
        added = added.coalesce()
        students, teachers = added.indices()
        heaviest = added.values().argsort(descending=True, stable=True)  # equal weights: the smaller teacher id first
        order = heaviest[students[heaviest].argsort(stable=True)]
        students, teachers, weights = students[order], teachers[order], added.values()[order]
        sizes = torch.bincount(students)
        place = torch.arange(len(students)) - (sizes.cumsum(0) - sizes)[students]
        width = max(2, int(sizes.max()))  # the exact map reads a second column
        indices = torch.full((student_vocab_size, width), NONE, dtype=torch.int64)
        likelihoods = torch.zeros(student_vocab_size, width, dtype=torch.float64)
        indices[students, place], likelihoods[students, place] = teachers, weights
        return cls(indices, _normalised(likelihoods), teacher_vocab_size)

    def cut(self, k: int) -> Projection:
        """The ``k`` heaviest entries of every row, summing to 1 again.

        Raises:
            AlignmentInputError: ``k`` below 2, the columns that a loss reads.
        """
        if k < 2:
            raise AlignmentInputError(f"must be at least 2, is {k}", field="k")
        return replace(self, indices=self.indices[:, :k], likelihoods=_normalised(self.likelihoods[:, :k].double()))

    def over(self, other: Projection) -> Projection:
        """These rows, and where one has no entry that of ``other``.

        Raises:
            AlignmentInputError: projections of other vocabularies.
        """
        if (len(self.indices), self.teacher_vocab_size) != (len(other.indices), other.teacher_vocab_size):
            raise AlignmentInputError("is of other vocabularies", field="other")
        width = max(self.indices.shape[1], other.indices.shape[1])
        mine, theirs = _widened(self, width), _widened(other, width)
        has = (self.indices[:, :1] != NONE).expand(-1, width)
        return Projection(
            torch.where(has, mine.indices, theirs.indices),
            torch.where(has, mine.likelihoods, theirs.likelihoods),
            self.teacher_vocab_size,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file that losses read; whole or not at all."""
        target = Path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            part = Path(folder, target.name)
            torch.save({"indices": self.indices, "likelihoods": self.likelihoods}, part)
            part.replace(target)


def exact(student_tokenizer: Any, teacher_tokenizer: Any) -> Projection:
    """Tokens that spell the same bytes, and special tokens of the same role: one entry of weight 1.

    Where several teacher tokens spell the same, the smallest id is taken; roles pair only where each side has one token
    of it, padding and unknown never. A side may be a ``PieceTable``.

    Raises:
        UnsupportedTokenizer: a tokenizer whose ids do not determine the text.
    """
    student, teacher = _table(student_tokenizer), _table(teacher_tokenizer)
    spelled: dict[bytes, int] = {}
    for token_id, piece in enumerate(teacher.pieces):
        if piece:
            spelled.setdefault(piece, token_id)
    entries = [
        (token_id, spelled[piece], 1.0) for token_id, piece in enumerate(student.pieces) if piece and piece in spelled
    ]
    ours, theirs = _alone(student), _alone(teacher)
    entries += [(token_id, theirs[role], 1.0) for role, token_id in ours.items() if role in theirs]
    return Projection.of_entries(entries, len(student.pieces), len(teacher.pieces))


def _table(tokenizer: Any) -> PieceTable:
    return tokenizer if isinstance(tokenizer, PieceTable) else PieceTable.from_tokenizer(tokenizer)


def retokenised(
    student_tokenizer: Any, teacher_tokenizer: Any, *, longest: int = 4, decay: float = 0.1, both_ways: bool = True
) -> Projection:
    """The teacher's tokens of each student token's text: weights ``decay ** i``, the first ``longest`` of them.

    ``both_ways``: also the student's tokens of each teacher token's text, which reaches teacher tokens that no student
    token begins with. Parts of characters and special tokens have no text and get no entry.

    Raises:
        AlignmentInputError: ``longest`` below 1, or ``decay`` not in ``(0, 1]``.
        UnsupportedTokenizer: a tokenizer whose ids do not determine the text.
    """
    if longest < 1:
        raise AlignmentInputError(f"must be at least 1, is {longest}", field="longest")
    if not 0 < decay <= 1:
        raise AlignmentInputError(f"must be above 0 and at most 1, is {decay}", field="decay")
    student, teacher = PieceTable.from_tokenizer(student_tokenizer), PieceTable.from_tokenizer(teacher_tokenizer)
    entries = list(_spelled_by(student, teacher_tokenizer, longest, decay))
    if both_ways:
        entries += [(s, t, weight) for t, s, weight in _spelled_by(teacher, student_tokenizer, longest, decay)]
    return Projection.of_entries(entries, len(student.pieces), len(teacher.pieces))


def embedded(
    student_embeddings: torch.Tensor, teacher_embeddings: torch.Tensor, *, k: int = 10, sharpness: float = 10.0
) -> Projection:
    """The ``k`` teacher tokens of largest cosine with each student token, weighing ``exp(sharpness * cosine)``.

    Args:
        student_embeddings: ``[V_s, d]``, floating point.
        teacher_embeddings: ``[V_t, d]``, in the same space.
        k: entries a row.
        sharpness: how much more a nearer token weighs.

    Raises:
        AlignmentInputError: embeddings of other widths, or ``k`` out of range.
    """
    shapes = tuple(student_embeddings.shape), tuple(teacher_embeddings.shape)
    if any(len(shape) != 2 for shape in shapes) or shapes[0][1] != shapes[1][1]:
        raise AlignmentInputError(
            f"have shape {shapes[1]}, the student's {shapes[0]}; both [V, d], one d", field="teacher_embeddings"
        )
    if not 2 <= k <= shapes[1][0]:
        raise AlignmentInputError(f"must be from 2 to {shapes[1][0]}, is {k}", field="k")
    units = [torch.nn.functional.normalize(side.float(), dim=-1) for side in (student_embeddings, teacher_embeddings)]
    found = [(rows @ units[1].T).topk(k, -1) for rows in units[0].split(ROWS_AT_ONCE)]
    cosines, indices = torch.cat([part.values for part in found]), torch.cat([part.indices for part in found])
    return Projection(indices, torch.softmax(sharpness * cosines, -1), shapes[1][0])


ROWS_AT_ONCE = 1024
"""Rows of student tokens compared with all teacher tokens at once: bounds the memory to this many times V_t floats."""


def _spelled_by(table: PieceTable, tokenizer: Any, longest: int, decay: float) -> Iterator[Entry]:
    """``(token id, id of the other tokenizer, weight)`` of every token that is text and that the other can spell."""
    texts = {token_id: text for token_id, piece in enumerate(table.pieces) if piece and (text := _text(piece))}
    other = PieceTable.from_tokenizer(tokenizer)
    for token_id, ids in zip(texts, _encoded(tokenizer.backend_tokenizer, other, list(texts.values())), strict=True):
        total = sum(decay**place for place in range(min(longest, len(ids))))
        for place, other_id in enumerate(ids[:longest]):
            yield token_id, other_id, decay**place / total


def _encoded(backend: Any, table: PieceTable, texts: list[str]) -> Iterator[list[int]]:
    """Ids that spell each text; none where a tokenizer spells it only with something before it.

    A tokenizer that puts a space before a text is asked for it behind something else, too.
    """
    behind = {ahead: backend.encode(ahead, add_special_tokens=False).ids for ahead in ("", *AHEAD)}
    asked = {
        ahead: backend.encode_batch([ahead + text for text in texts], add_special_tokens=False)
        for ahead in (behind if table.prefix_space != "none" else ("",))
    }
    for place, text in enumerate(texts):
        for ahead, found in asked.items():
            ids, before = found[place].ids, behind[ahead] if ahead else []
            if ids[: len(before)] == before and _spells(table, ids[len(before) :], text):
                yield ids[len(before) :]
                break
        else:
            yield []


AHEAD = ("\n", ".")
"""What a word does not merge with; behind it no tokenizer adds a space."""


def _spells(table: PieceTable, ids: Sequence[int], text: str) -> bool:
    spelled = b"".join(table.pieces[token_id] or b"" for token_id in ids)
    if spelled == text.encode():
        return True
    return table.unicode_form is not None and normal_text(spelled).data == normal_text(text.encode()).data


def _text(piece: bytes) -> str:
    """What a piece spells; empty for a part of a character."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return ""


def _alone(table: PieceTable) -> dict[str, int]:
    """The token of each role that only one token has."""
    tokens: dict[str, list[int]] = {}
    for token_id, role in enumerate(table.roles):
        if role and role not in NEVER_PAIRED:
            tokens.setdefault(role, []).append(token_id)
    return {role: ids[0] for role, ids in tokens.items() if len(ids) == 1}


def _normalised(weights: torch.Tensor) -> torch.Tensor:
    total = weights.sum(-1, keepdim=True)
    return torch.where(total > 0, weights / total, 0.0).float()


def _widened(projection: Projection, width: int) -> Projection:
    missing = width - projection.indices.shape[1]
    return replace(
        projection,
        indices=torch.nn.functional.pad(projection.indices, (0, missing), value=NONE),
        likelihoods=torch.nn.functional.pad(projection.likelihoods, (0, missing)),
    )
