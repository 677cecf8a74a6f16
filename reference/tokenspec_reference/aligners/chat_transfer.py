"""A conversation in two wire formats: which tokens of the student spell what which tokens of the teacher spell.

Only the caller's strings are aligned, body by body, by the walk of ``boundary``; what has no partner is listed. Numbers
per token (log-probabilities, advantages, values) are carried over chunk by chunk, so that none is lost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from math import fsum
from typing import Any, Literal, get_args

import torch

from tokenspec_reference.aligners.alignment import AlignmentBatch, AlignmentPair, hulls, pairs_to_batch
from tokenspec_reference.aligners.boundary_text import RowText, Settled, settle
from tokenspec_reference.aligners.chat_bodies import (
    Body,
    Messages,
    Rollout,
    Side,
    Spelling,
    side_of_render,
    side_of_rollout,
)
from tokenspec_reference.aligners.errors import AlignmentInputError
from tokenspec_reference.renderers.protocol import ChatRenderer

SideName = Literal["student", "teacher"]
How = Literal["sum", "mean"]


@dataclass(frozen=True)
class Unaligned:
    """A string of message ``message`` that one side has and nothing on the other side answers, and why."""

    message: int
    side: SideName
    text: str
    why: str


@dataclass(frozen=True)
class Carried:
    """Numbers on the other side's tokens: None where a token is in no chunk.

    ``total`` is their sum, which is that of the given numbers of tokens in chunks; ``left`` is the sum of the others.
    """

    values: list[float | None]
    total: float
    left: float


@dataclass(frozen=True)
class AlignedSide:
    """Ids of a side with the chunk of each: ``-1`` outside of aligned bodies.

    ``weights``: how many bytes of its body a token spells. ``is_body``: the token spells something of a body, aligned
    or not. ``sampled_mask``: the model emits it; no chunk has tokens on both sides of the end of a prompt.
    """

    token_ids: list[int]
    chunk_id: list[int]
    weights: list[int]
    is_body: list[bool]
    sampled_mask: list[bool]


@dataclass(frozen=True)
class ChatAlignment:
    """Both sides of a conversation, the number of chunks, and what has no partner."""

    student: AlignedSide
    teacher: AlignedSide
    num_chunks: int
    unaligned: tuple[Unaligned, ...]

    def carry(self, values: Sequence[float], *, to: SideName = "teacher", how: How = "sum") -> Carried:
        """Put one number per token of the other side onto the tokens of side ``to``.

        ``sum``: for what adds up (log-probabilities): the sum of a chunk is shared out by bytes. ``mean``: for what is
        the same along a text (advantages, values): each token of a chunk gets the mean by bytes.

        Raises:
            AlignmentInputError: not one number per token, or an unknown side or way.
        """
        if to not in get_args(SideName) or how not in get_args(How):
            raise AlignmentInputError(f"{to!r}, {how!r}: to is student or teacher, how is sum or mean", field="to")
        source, target = (self.student, self.teacher) if to == "teacher" else (self.teacher, self.student)
        if len(values) != len(source.token_ids):
            raise AlignmentInputError(f"{len(values)} numbers for {len(source.token_ids)} tokens", field="values")
        of_chunk: list[list[float]] = [[] for _ in range(self.num_chunks)]
        left = []
        for value, chunk, weight in zip(values, source.chunk_id, source.weights, strict=True):
            if chunk < 0:
                left.append(float(value))
            else:
                of_chunk[chunk].append(float(value) * (weight if how == "mean" else 1))
        totals = [fsum(numbers) for numbers in of_chunk]
        sizes = _sizes(target if how == "sum" else source, self.num_chunks)
        carried = [
            None if chunk < 0 else totals[chunk] / sizes[chunk] * (weight if how == "sum" else 1)
            for chunk, weight in zip(target.chunk_id, target.weights, strict=True)
        ]
        return Carried(carried, fsum(value for value in carried if value is not None), fsum(left))


def _sizes(side: AlignedSide, count: int) -> list[int]:
    """Bytes of each chunk on this side."""
    sizes = [0] * count
    for chunk, weight in zip(side.chunk_id, side.weights, strict=True):
        if chunk >= 0:
            sizes[chunk] += weight
    return sizes


class ChatAligner:
    """Aligns conversations as a student's and a teacher's renderer write them; their vocabularies are read once."""

    def __init__(self, student: ChatRenderer, teacher: ChatRenderer) -> None:
        """``student`` and ``teacher`` are renderers of ``create_renderer``.

        Raises:
            UnsupportedTokenizer: a tokenizer whose ids do not determine the text.
        """
        self.student = student
        self.teacher = teacher
        self._spellings = Spelling(student.tokenizer), Spelling(teacher.tokenizer)

    def align(
        self,
        messages: Messages,
        *,
        tools: Any = None,
        teacher_messages: Messages | None = None,
        rollout: Rollout | None = None,
    ) -> ChatAlignment:
        """Align the bodies of a conversation.

        Args:
            messages: the conversation.
            tools: tool schemas, for both.
            teacher_messages: the same messages as the teacher's template takes them, where it wants another form
                (arguments as text, say).
            rollout: the student's ids as they were sampled. They are taken as they are, not encoded again.

        Raises:
            AlignmentInputError: an id outside of the vocabulary, tokens that cannot be placed, other messages.
            InvalidMessages, TemplateRejects: a renderer refuses the conversation.
        """
        if teacher_messages is not None and len(teacher_messages) != len(messages):
            raise AlignmentInputError(
                f"{len(teacher_messages)} messages, the student has {len(messages)}", field="teacher_messages"
            )
        theirs = side_of_render(self.teacher, self._spellings[1], teacher_messages or messages, tools)
        missing: list[int] = []
        if rollout is None:
            ours = side_of_render(self.student, self._spellings[0], messages, tools)
        else:
            ours, missing = side_of_rollout(self.student, self._spellings[0], messages, tools, rollout)
        walk = _Walk(ours, theirs)
        for message in range(len(messages)):
            why = "the ids of the rollout do not spell this message" if message in missing else "spelled in another way"
            walk.message(message, why)
        return walk.result()


class _Walk:
    """Chunks found so far; the only state there is while a conversation is aligned."""

    def __init__(self, student: Side, teacher: Side) -> None:
        self.sides = (student, teacher)
        self.chunk_ids = tuple([-1] * len(side.token_ids) for side in self.sides)
        self.weights = tuple([0] * len(side.token_ids) for side in self.sides)
        self.is_body = tuple([False] * len(side.token_ids) for side in self.sides)
        self.chunks = 0
        self.unaligned: list[Unaligned] = []
        self.of_message: tuple[dict[int, list[Body]], ...] = tuple(
            {message: list(bodies) for message, bodies in groupby(side.bodies, lambda body: body.message)}
            for side in self.sides
        )

    def message(self, message: int, why: str) -> None:
        """Pair the bodies of a message and align each pair."""
        ours, theirs = self.of_message[0].get(message, []), self.of_message[1].get(message, [])
        for side, bodies in enumerate((ours, theirs)):
            for body in bodies:
                self._mark(side, body)
        keys = ([body.comparable for body in ours], [body.comparable for body in theirs])
        done: tuple[set[int], set[int]] = (set(), set())
        for a, b, size in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks():
            for offset in range(size):
                done[0].add(a + offset)
                done[1].add(b + offset)
                self._pair(ours[a + offset], theirs[b + offset])
        for side, bodies in enumerate((ours, theirs)):
            for place, body in enumerate(bodies):
                if place not in done[side]:
                    self._leave(side, body.message, body.text, why)

    def result(self) -> ChatAlignment:
        """Everything found."""
        ours, theirs = (
            AlignedSide(side.token_ids, chunk_id, weights, is_body, side.sampled_mask)
            for side, chunk_id, weights, is_body in zip(
                self.sides, self.chunk_ids, self.weights, self.is_body, strict=True
            )
        )
        return ChatAlignment(ours, theirs, self.chunks, tuple(self.unaligned))

    def _pair(self, ours: Body, theirs: Body) -> None:
        bodies = (ours, theirs)
        if ours.text != theirs.text:
            for side, body in enumerate(bodies):
                inner = body.stripped
                for text in (body.text[: inner.start - body.start], body.text[inner.end - body.start :]):
                    if text:
                        self._leave(side, body.message, text, "outer white space of one side")
            bodies = (ours.stripped, theirs.stripped)
        if not bodies[0].text:
            return
        student, teacher = self._row(0, bodies[0]), self._row(1, bodies[1])
        if student is None or teacher is None:
            where = "at its edge" if student is None else "at the teacher's edge of it"
            for side, body in enumerate(bodies):
                self._leave(side, body.message, body.text, f"a token {where} spells something else, too")
            return
        settled = settle(student[1], teacher[1], row=ours.message, truncate=False)
        for spans in _chunks(settled):
            self._chunk(ours.message, ((student, spans[0]), (teacher, spans[1])))

    def _row(self, side: int, body: Body) -> tuple[int, RowText] | None:
        """What the tokens of a body spell of it; None where one of them cannot be given to this body alone."""
        row = self.sides[side].row_of(body)
        if row is None:
            return None
        first, text = row
        taken = any(chunk >= 0 for chunk in self.chunk_ids[side][first : first + len(text.ends)])
        return None if taken else row

    def _chunk(self, message: int, found: Sequence[tuple[tuple[int, RowText], tuple[int, int]]]) -> None:
        """Write a chunk down; a range is of tokens of its row. None may reach over the end of a prompt."""
        whole = True
        for side, ((first, _), (low, high)) in enumerate(found):
            whole &= len(set(self.sides[side].sampled_mask[first + low : first + high])) == 1
        for side, ((first, text), (low, high)) in enumerate(found):
            if not whole:
                spelled = b"".join(text.pieces[low:high]).decode("utf-8", "replace")
                self._leave(side, message, spelled, "a token on one side reaches over the end of a prompt")
                continue
            for k in range(low, high):
                self.chunk_ids[side][first + k] = self.chunks
                self.weights[side][first + k] = len(text.pieces[k])
        self.chunks += whole

    def _mark(self, side: int, body: Body) -> None:
        for position in self.sides[side].positions_of(body):
            self.is_body[side][position] = True

    def _leave(self, side: int, message: int, text: str, why: str) -> None:
        self.unaligned.append(Unaligned(message, get_args(SideName)[side], text, why))


def _chunks(settled: Settled) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Half-open ranges of tokens of both sides between common ends; a token of no bytes begins the next chunk."""
    sides = (settled.student_ends.tolist(), settled.teacher_ends.tolist())
    closes = sorted((set(sides[0]) & set(sides[1])) - {0})
    s_start = t_start = 0
    for place in closes:
        if place == closes[-1]:
            s_end, t_end = (bisect_right(ends, place) for ends in sides)
        else:
            s_end, t_end = (bisect_left(ends, place) + 1 for ends in sides)
        yield (s_start, s_end), (t_start, t_end)
        s_start, t_start = s_end, t_end


def batch_of(
    chats: Sequence[ChatAlignment],
) -> tuple[AlignmentBatch, dict[SideName, tuple[torch.Tensor, torch.Tensor]]]:
    """Conversations as a loss takes them: the alignment, and per side ids and attention mask, int64 ``[B, T]``."""
    rows = [_pairs(chat) for chat in chats]
    lengths = [max((len(getattr(chat, side).token_ids) for chat in chats), default=0) for side in get_args(SideName)]
    padded: dict[SideName, tuple[torch.Tensor, torch.Tensor]] = {}
    for side, length in zip(get_args(SideName), lengths, strict=True):
        ids = torch.zeros(len(chats), length, dtype=torch.int64)
        mask = torch.zeros(len(chats), length, dtype=torch.int64)
        for row, chat in enumerate(chats):
            own = getattr(chat, side).token_ids
            ids[row, : len(own)] = torch.tensor(own)
            mask[row, : len(own)] = 1
        padded[side] = ids, mask
    return pairs_to_batch(rows, student_length=lengths[0], teacher_length=lengths[1]), padded


def _pairs(chat: ChatAlignment) -> list[AlignmentPair[str]]:
    s_spans, t_spans = (hulls(side.chunk_id, chat.num_chunks) for side in (chat.student, chat.teacher))
    return [AlignmentPair([], [], *s, *t, is_correct=True) for s, t in zip(s_spans, t_spans, strict=True)]
