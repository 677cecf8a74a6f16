"""The forced decoder, twice: as one reads it, and as one runs it.

Pass 1 reads the trace under forced decoding and calibrates a threshold. Pass 2 reads it again and puts the separator
into the context wherever the score is above the threshold. :func:`decode_sequential` does that token by token.
:func:`decode_fast` gives the same insertions with one forward for pass 1 and about one per insertion for pass 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tokenspec_reference.engines.errors import NonFiniteLogits
from tokenspec_reference.engines.offsets import TokenizedTrace
from tokenspec_reference.engines.scoring import (
    SOFT_PRIOR_PASS_ONE,
    SOFT_PRIOR_PASS_TWO,
    Calibration,
    ScoreMode,
    calibrate,
    punctuation_prior,
)
from tokenspec_reference.engines.segmentation import Progress
from tokenspec_reference.engines.separators import Separators
from tokenspec_reference.engines.sessions import CachePolicy, Rows, Session, SessionSource

PASS_ONE_BLOCK = 4096  # tokens of one forward of pass 1; bounds the memory of very long traces


@dataclass(frozen=True)
class DecodeSettings:
    """The parameters that change the result."""

    alpha: float = 1.0
    beta: float = 2.0
    quantile: float = 90.0
    score_mode: ScoreMode = "normalized"
    cache_policy: CachePolicy = field(default_factory=CachePolicy)


@dataclass(frozen=True)
class ForcedDecode:
    """``insertions`` are indices of the trace tokens before which a separator went in; ``margin`` as in ENG-026."""

    insertions: tuple[int, ...]
    calibration: Calibration
    margin: float | None
    forwards: int


@dataclass
class Decision:
    """The insertion rule of pass 2, with the memory of how close it came."""

    trace: TokenizedTrace
    separators: Separators
    calibration: Calibration
    insertions: list[int] = field(default_factory=list)
    margin: float = math.inf

    def inserts(self, index: int, gap: float, previous: int | None) -> bool:
        """Whether a separator goes before token ``index``; ``previous`` is the token read last (None: the prompt)."""
        if (
            not self.trace.cuttable[index]
            or self.trace.token_ids[index] in self.separators.candidates
            or previous == self.separators.inserted
        ):
            return False
        prior = punctuation_prior(self.trace.previous_character(index), SOFT_PRIOR_PASS_TWO)
        score = self.calibration.score(gap, prior)
        distance = abs(score - self.calibration.threshold)
        # Before the first insertion a score is the very number the percentile was taken from: equality is exact then.
        if math.isfinite(distance) and (distance > 0 or self.insertions):
            self.margin = min(self.margin, distance)
        return self.calibration.exceeds(score)

    def first(self, gaps: Sequence[float], start: int, previous: int | None) -> int | None:
        """The first insertion among tokens ``start, start + 1, ...`` whose gaps are given."""
        for index, gap in enumerate(gaps, start):
            if self.inserts(index, gap, previous):
                return index
            previous = self.trace.token_ids[index]
        return None

    def result(self, forwards: int) -> ForcedDecode:
        """Everything that is reported."""
        margin = self.margin if math.isfinite(self.margin) else None
        return ForcedDecode(tuple(self.insertions), self.calibration, margin, forwards)


def gaps_of(rows: Rows, separators: Separators, next_ids: Sequence[int], *, first_index: int) -> list[float]:
    """Best separator logit minus own logit, per row, in nats.

    Raises:
        NonFiniteLogits: a gap is NaN or infinite; names the trace token.
    """
    competing, own = rows.logits_of(separators.candidates, next_ids)
    gaps: list[float] = (competing.double().amax(dim=1) - own.double()).tolist()
    for index, gap in enumerate(gaps, first_index):
        if not math.isfinite(gap):
            raise NonFiniteLogits(
                f"the gap before trace token {index} is {gap}; check the model's weights and dtype", field="logits"
            )
    return gaps


def calibrate_trace(gaps: Sequence[float], trace: TokenizedTrace, settings: DecodeSettings) -> Calibration:
    """Pass 1 after the gaps are known."""
    priors = [punctuation_prior(trace.previous_character(index), SOFT_PRIOR_PASS_ONE) for index in range(len(trace))]
    return calibrate(
        gaps,
        priors,
        alpha=settings.alpha,
        beta=settings.beta,
        quantile=settings.quantile,
        mode=settings.score_mode,
    )


def decode_sequential(
    source: SessionSource,
    prompt: Sequence[int],
    trace: TokenizedTrace,
    separators: Separators,
    settings: DecodeSettings,
    *,
    progress: Progress | None = None,
) -> ForcedDecode:
    """One forward per token, as the seed tells it. ``trace`` has at least one token."""
    ids = trace.token_ids
    total = 2 * len(ids)

    def opened() -> tuple[Session, Rows]:
        session = source.open_steps(settings.cache_policy, len(prompt))
        return session, step(session, prompt)

    def step(session: Session, tokens: Sequence[int]) -> Rows:
        rows = session.read(tokens, 1)
        session.settle()
        return rows

    session, rows = opened()
    gaps: list[float] = []
    for index, token in enumerate(ids):
        if index:
            rows = step(session, [ids[index - 1]])
        gaps += gaps_of(rows, separators, [token], first_index=index)
        report(progress, index + 1, total)
    decision = Decision(trace, separators, calibrate_trace(gaps, trace, settings))
    forwards = session.forwards

    session, rows = opened()
    previous: int | None = None
    for index, token in enumerate(ids):
        if index:
            previous = ids[index - 1]
            rows = step(session, [previous])
        (gap,) = gaps_of(rows, separators, [token], first_index=index)
        if decision.inserts(index, gap, previous):
            decision.insertions.append(index)
            if index + 1 < len(ids):  # before the last token there is nothing left to predict
                step(session, [separators.inserted])
        report(progress, len(ids) + index + 1, total)
    return decision.result(forwards + session.forwards)


def decode_fast(
    source: SessionSource,
    prompt: Sequence[int],
    trace: TokenizedTrace,
    separators: Separators,
    settings: DecodeSettings,
    *,
    chunk_size: int,
    progress: Progress | None = None,
) -> ForcedDecode:
    """The same insertions with few forwards.

    Pass 1 is one forward. Until the first insertion its gaps are those of pass 2, so the first insertion costs nothing.
    After an insertion the cache is rolled back to it and ``chunk_size`` tokens are read at once; rows beyond the next
    insertion are thrown away.
    """
    ids = trace.token_ids
    session, gaps = read_gaps(source, prompt, trace, separators, settings.cache_policy)
    report(progress, len(ids), 2 * len(ids))
    decision = Decision(trace, separators, calibrate_trace(gaps, trace, settings))
    hit = decision.first(gaps, 0, None)
    if hit is None:
        return decision.result(session.forwards)
    forwards = 0
    if (
        settings.cache_policy.kind == "legacy_head"
    ):  # what a crop dropped cannot come back: read up to the insertion again
        forwards = session.forwards
        session = source.open_rows(settings.cache_policy, len(prompt))
        for _ in read_pieces(session, prompt, ids[:hit], PASS_ONE_BLOCK):
            session.settle()
    else:
        session.rewind(len(ids) - 1 - hit)
    while hit is not None:
        decision.insertions.append(hit)
        report(progress, len(ids) + hit, 2 * len(ids))
        hit = _next_insertion(session, decision, hit, chunk_size)
    report(progress, 2 * len(ids), 2 * len(ids))
    return decision.result(forwards + session.forwards)


def _next_insertion(session: Session, decision: Decision, hit: int, chunk_size: int) -> int | None:
    """Read the separator and the trace from ``hit`` on until the next insertion; leave the context right before that.

    ``stream[k]`` is read ``k``-th and, for ``k >= 1``, its row scores trace token ``hit + k``; the row of the separator
    itself scores nothing, because the token after a separator is always taken.
    """
    ids, separators = decision.trace.token_ids, decision.separators
    stream = (separators.inserted, *ids[hit:-1])
    read = 0
    while read < len(stream) and len(stream) > 1:
        room = session.room()
        count = min(chunk_size, len(stream) - read, len(stream) if room is None else room)
        skipped = 1 if read == 0 else 0
        first = hit + read + skipped
        rows = session.read(stream[read : read + count], count - skipped)
        scored = ids[first : first + count - skipped]
        gaps = gaps_of(rows, separators, scored, first_index=first) if scored else []
        found = decision.first(gaps, first, ids[first - 1])
        if found is not None:
            session.rewind(read + count - (found - hit + 1))
            session.settle()
            return found
        session.settle()
        read += count
    return None


def read_gaps(
    source: SessionSource,
    prompt: Sequence[int],
    trace: TokenizedTrace,
    separators: Separators,
    policy: CachePolicy,
) -> tuple[Session, list[float]]:
    """Pass 1: the gap before every trace token, and the session that has read all but the last token."""
    session = source.open_rows(policy, len(prompt))
    gaps: list[float] = []
    for rows, count in read_pieces(session, prompt, trace.token_ids[:-1], PASS_ONE_BLOCK):
        gaps += gaps_of(rows, separators, trace.token_ids[len(gaps) : len(gaps) + count], first_index=len(gaps))
        session.settle()
    return session, gaps


def read_pieces(
    session: Session, prompt: Sequence[int], tokens: Sequence[int], block: int
) -> Iterator[tuple[Rows, int]]:
    """Read the prompt and ``tokens`` in as few forwards as the cache policy allows.

    Yields rows and their number: those from the last prompt token on. The caller settles after each.
    """
    read = 0 if session.room() is not None else min(len(tokens), max(0, block - len(prompt)))
    yield session.read((*prompt, *tokens[:read]), read + 1), read + 1
    while read < len(tokens):
        room = session.room()
        count = min(block, len(tokens) - read, block if room is None else room)
        yield session.read(tokens[read : read + count], count), count
        read += count


def report(progress: Progress | None, done: int, total: int) -> None:
    """Tell the caller, if anyone listens."""
    if progress is not None:
        progress(done, total)
