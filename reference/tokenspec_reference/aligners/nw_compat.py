"""``nw-compat``: NeMo-RL's alignment of two lists of vocabulary pieces, bit for bit.

canonicalise -> anchors -> dynamic programme between anchors -> repairs -> original indices -> ``is_correct``.
Source: NeMo-RL x_token, ``_align_single``. It uses no text, offsets or special-token list; it aligns padding like text.

Two paths give the same pairs (``ALN-039``). The readable one makes a record of every step (``nw_anchors``,
``nw_postprocess``). The fast one keeps spans of canonical positions and looks at tokens only where something
mismatches; nothing in a repair depends on how an earlier window was aligned again, so all are aligned at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from tokenspec_reference.aligners import nw_postprocess
from tokenspec_reference.aligners.alignment import NO_SPAN, AlignmentPair, Range, remap_pairs
from tokenspec_reference.aligners.canonical import canonicalize_sequence
from tokenspec_reference.aligners.nw_anchors import align_with_anchors, find_anchors
from tokenspec_reference.aligners.nw_forms import Forms, Spelled
from tokenspec_reference.aligners.nw_scalar import align_scalar
from tokenspec_reference.aligners.nw_scores import DEFAULT_SCORES, Scores
from tokenspec_reference.aligners.nw_segments import Steps, align_segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import torch

Span = tuple[int, int, int, int]


def align_tokens(
    student: Sequence[str],
    teacher: Sequence[str],
    *,
    max_comb_len: int = 4,
    anchor_lengths: Sequence[int] = (3,),
    device: torch.device | str = "cpu",
    scalar: bool = False,
    scores: Scores = DEFAULT_SCORES,
) -> list[AlignmentPair[str]]:
    """Pairs in text order with original indices; their tokens are canonical spellings, as upstream.

    ``scalar=True`` runs the readable twin, which gives the same pairs. Repairs never ignore a leading character, as
    upstream.
    """
    if scalar:
        return _readable(student, teacher, max_comb_len, anchor_lengths, scores)
    return FastAligner(Forms(), max_comb_len, tuple(anchor_lengths), scores, device).pairs(student, teacher)


def _readable(
    student: Sequence[str], teacher: Sequence[str], max_comb_len: int, anchor_lengths: Sequence[int], scores: Scores
) -> list[AlignmentPair[str]]:
    kernel = partial(align_scalar, max_comb_len=max_comb_len, scores=scores)
    repairing = partial(kernel, scores=replace(scores, ignore_leading_char_diff=False))
    s_canonical, s_ranges = canonicalize_sequence(student)
    t_canonical, t_ranges = canonicalize_sequence(teacher)
    pairs, _ = align_with_anchors(s_canonical, t_canonical, kernel, anchor_lengths=anchor_lengths)
    pairs = remap_pairs(nw_postprocess.post_process(pairs, repairing), s_ranges, t_ranges)
    return [replace(pair, is_correct=nw_postprocess.texts_agree(pair)) for pair in pairs]


def in_original(spans: Iterable[Span], student: Spelled, teacher: Spelled) -> list[Span]:
    """Spans of canonical positions as spans of original ones; an empty side stays (``ALN-036``)."""
    return [
        (*(student.original(s, e) if s >= 0 else NO_SPAN), *(teacher.original(t, u) if t >= 0 else NO_SPAN))
        for s, e, t, u in spans
    ]


@dataclass
class _Repairs:
    """Spans so far, and the windows that are still to be aligned again: where each stands among them."""

    spans: list[Span] = field(default_factory=list)
    correct: list[bool] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)

    def add(self, spans: Sequence[Span], correct: Sequence[bool]) -> None:
        self.spans += spans
        self.correct += correct


@dataclass(frozen=True)
class FastAligner:
    """The fast path for sequences of one set of forms."""

    forms: Forms
    max_comb_len: int
    anchor_lengths: tuple[int, ...]
    scores: Scores
    device: torch.device | str = "cpu"

    def pairs(self, student: Sequence[str], teacher: Sequence[str]) -> list[AlignmentPair[str]]:
        """Pairs of vocabulary pieces, as ``align_tokens`` has them."""
        sides = self.forms.spelled(student), self.forms.spelled(teacher)
        texts = [[self.forms.texts[form] for form in side.forms] for side in sides]
        spans, correct = self.aligned(*sides)
        return [
            AlignmentPair(texts[0][max(a, 0) : max(b, 0)], texts[1][max(c, 0) : max(d, 0)], *original, is_correct=right)
            for (a, b, c, d), original, right in zip(spans, in_original(spans, *sides), correct, strict=True)
        ]

    def spans(self, student: Sequence[str], teacher: Sequence[str]) -> tuple[list[Span], list[bool]]:
        """The same without records: spans of original positions, and whether each is correct."""
        sides = self.forms.spelled(student), self.forms.spelled(teacher)
        spans, correct = self.aligned(*sides)
        return in_original(spans, *sides), correct

    def aligned(self, student: Spelled, teacher: Spelled) -> tuple[list[Span], list[bool]]:
        """Spans in canonical positions, in text order, and whether each is correct (``ALN-037``)."""
        sides = student.forms, teacher.forms
        spans = self._between_anchors(*sides)
        return self._repaired(spans, self._agreeing(spans, *sides), *sides)

    def _between_anchors(self, s: list[int], t: list[int]) -> list[Span]:
        anchors = [*find_anchors(s, t, self.anchor_lengths), (len(s), len(t), 0)]
        begins = [(0, 0), *((i + length, j + length) for i, j, length in anchors)]
        cuts = [(i, a, j, b) for (i, j), (a, b, _) in zip(begins, anchors, strict=False)]
        spans: list[Span] = []
        for (i, _, j, _), (a, b, length), steps in zip(
            cuts, anchors, self._solved(cuts, s, t, self.scores), strict=True
        ):
            spans += _spans_of(steps, i, j)
            spans += [(a + x, a + x + 1, b + x, b + x + 1) for x in range(length)]
        return spans

    def _solved(self, cuts: Sequence[Span], s: list[int], t: list[int], scores: Scores) -> list[Steps]:
        texts = self.forms.texts
        segments = [([texts[x] for x in s[i:a]], [texts[x] for x in t[j:b]]) for i, a, j, b in cuts]
        return align_segments(segments, max_comb_len=self.max_comb_len, scores=scores, device=self.device)

    def _agreeing(self, spans: Sequence[Span], s: list[int], t: list[int]) -> list[bool]:
        """Whether both sides of each spell the same, canonicalised again."""
        again = self.forms.again
        return [
            (s[a] == t[c] or again[s[a]] == again[t[c]])
            if b - a == 1 == d - c
            else self._text(s, a, b) == self._text(t, c, d)
            for a, b, c, d in spans
        ]

    def _text(self, forms: list[int], start: int, end: int) -> str:
        """What they spell, canonicalised again; nothing for no span, whose start is its end."""
        return "".join([self.forms.again[form] for form in forms[start:end]])

    def _repaired(
        self, spans: list[Span], agrees: list[bool], s: list[int], t: list[int]
    ) -> tuple[list[Span], list[bool]]:
        """Both steps of ``ALN-035``; see ``nw_postprocess`` for the same in records."""
        if False in agrees:
            spans, agrees = self._lumped(spans, agrees, s, t)
        done = _Repairs()
        at = 0
        while at < len(spans):
            a, b, c, d = spans[at]
            if b - a == d - c > 1 and s[a:b] == t[c:d]:
                done.add([(a + x, a + x + 1, c + x, c + x + 1) for x in range(b - a)], [True] * (b - a))
                at += 1
                continue
            bad = _next_mismatch(agrees, at, len(spans))
            done.add(spans[at:bad], agrees[at:bad])
            if bad == len(spans):
                break
            size = self._window(spans[bad : bad + nw_postprocess.REPAIR_WINDOW], s, t)
            if size > 1:
                done.windows.append(len(done.spans))
            done.add([_hull(spans[bad : bad + size])], [size > 1])
            at = bad + size
        return self._aligned_again(done, s, t) if done.windows else (done.spans, done.correct)

    def _lumped(
        self, spans: list[Span], agrees: list[bool], s: list[int], t: list[int]
    ) -> tuple[list[Span], list[bool]]:
        """One span for every run of mismatches before the last fifth."""
        boundary = int(len(spans) * (1 - nw_postprocess.END_MISMATCH_THRESHOLD))
        lumped: list[Span] = []
        known: list[bool] = []
        at = 0
        while at < len(spans):
            bad = _next_mismatch(agrees, at, boundary)
            end = bad
            while end < boundary and not agrees[end]:
                end += 1
            lumped += spans[at:bad]
            known += agrees[at:bad]
            if end - bad >= 2:
                lumped.append(_hull(spans[bad:end]))
                known += self._agreeing(lumped[-1:], s, t)
            else:
                lumped += spans[bad:end]
                known += agrees[bad:end]
            at = max(end, bad)
        return lumped, known

    def _window(self, window: Sequence[Span], s: list[int], t: list[int]) -> int:
        """How many spans from the first on, a mismatch, spell the same together; 1 if there are none such."""
        ours = theirs = ""
        for size, (a, b, c, d) in enumerate(window, start=1):
            ours += self._text(s, a, b)
            theirs += self._text(t, c, d)
            if ours == theirs:
                return size
        return 1

    def _aligned_again(self, done: _Repairs, s: list[int], t: list[int]) -> tuple[list[Span], list[bool]]:
        """Windows in pieces where all pieces agree, in one piece elsewhere."""
        windows = [done.spans[place] for place in done.windows]  # no side is empty: both spell the same, not nothing
        plain = replace(self.scores, ignore_leading_char_diff=False)
        spans: list[Span] = []
        correct: list[bool] = []
        reached = 0
        for place, window, steps in zip(done.windows, windows, self._solved(windows, s, t, plain), strict=True):
            inner = _spans_of(steps, window[0], window[2])
            right = self._agreeing(inner, s, t)
            kept = (inner, right) if all(right) else ([window], [True])
            spans += [*done.spans[reached:place], *kept[0]]
            correct += [*done.correct[reached:place], *kept[1]]
            reached = place + 1
        return spans + done.spans[reached:], correct + done.correct[reached:]


def _next_mismatch(agrees: list[bool], at: int, end: int) -> int:
    """The first mismatch in ``[at, end)``, or the number of all pairs."""
    try:
        return agrees.index(False, at, end)
    except ValueError:
        return len(agrees)


def _spans_of(steps: Steps, i: int, j: int) -> list[Span]:
    spans = []
    for di, dj in steps:
        spans.append((*((i, i + di) if di else NO_SPAN), *((j, j + dj) if dj else NO_SPAN)))
        i, j = i + di, j + dj
    return spans


def _hull(spans: Sequence[Span]) -> Span:
    return (*_hull_of([span[:2] for span in spans]), *_hull_of([span[2:] for span in spans]))


def _hull_of(ranges: Sequence[Range]) -> Range:
    there = [one for one in ranges if one[0] >= 0]
    return (there[0][0], there[-1][1]) if there else NO_SPAN
