"""The forced decoder, twice: as one reads it, and as one runs it.

Pass 1 reads the trace under forced decoding and calibrates a threshold. Pass 2 reads it again and puts the separator
into the context wherever the score is above the threshold. :func:`decode_sequential` does that token by token.
:func:`decode_fast` gives the same insertions with one forward for pass 1 and one per chunk or wrong guess for pass 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tokenspec_reference.engines.errors import NonFiniteLogits
from tokenspec_reference.engines.near_ties import signal_error
from tokenspec_reference.engines.offsets import TokenizedTrace
from tokenspec_reference.engines.pace import Pace
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

PASS_ONE_BLOCK = 8192  # tokens of one forward of pass 1; bounds the memory of very long traces


@dataclass(frozen=True)
class DecodeSettings:
    """The parameters that change the result."""

    alpha: float
    beta: float
    quantile: float
    score_mode: ScoreMode
    cache_policy: CachePolicy


@dataclass(frozen=True)
class ForcedDecode:
    """``insertions`` are indices of the trace tokens before which a separator went in; ``margin`` as in ENG-053.

    ``close`` are the indices at which rounding may have decided, insertions or not; ``scores`` those of pass 2.
    """

    insertions: tuple[int, ...]
    calibration: Calibration
    margin: float | None
    close: tuple[int, ...]
    forwards: int
    scores: tuple[float | None, ...]


@dataclass
class Decision:
    """The insertion rule of pass 2, with the memory of how close it came."""

    trace: TokenizedTrace
    separators: Separators
    calibration: Calibration
    insertions: list[int] = field(default_factory=list)
    margin: float = math.inf
    close: list[int] = field(default_factory=list)
    scores: dict[int, float] = field(default_factory=dict)

    def wants(self, index: int, gap: float, previous: int | None) -> tuple[bool, float | None]:
        """Whether a separator goes before token ``index``, and the score that says so.

        ``previous`` is the token read last (None: the prompt). Where no separator may go, there is no score.
        """
        if (
            not self.trace.cuttable[index]
            or self.trace.token_ids[index] in self.separators.candidates
            or previous == self.separators.inserted
        ):
            return False, None
        prior = punctuation_prior(self.trace.previous_character(index), SOFT_PRIOR_PASS_TWO)
        score = self.calibration.score(gap, prior)
        return self.calibration.exceeds(score), score

    def inserts(self, index: int, gap: float, previous: int | None) -> bool:
        """The decision of pass 2, remembered in the margin and among the close ones.

        Raises:
            NonFiniteLogits: the gap is NaN or infinite; names the trace token.
        """
        if not math.isfinite(gap):
            raise NonFiniteLogits(
                f"the gap before trace token {index} is {gap}; check the model's weights and dtype", field="logits"
            )
        answer, score = self.wants(index, gap, previous)
        if score is not None:
            self.scores[index] = score
        distance = math.inf if score is None else abs(score - self.calibration.threshold)
        # Before the first insertion a score is the very number the percentile was taken from: equality is exact then.
        if math.isfinite(distance):
            if distance > 0 or self.insertions:
                self.margin = min(self.margin, distance)
            if self.calibration.closeness.holds(distance, calibrated=not self.insertions):
                self.close.append(index)
        return answer

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
        scores = tuple(self.scores.get(index) for index in range(len(self.trace)))
        return ForcedDecode(tuple(self.insertions), self.calibration, margin, tuple(self.close), forwards, scores)


def gaps_of(rows: Rows, separators: Separators, next_ids: Sequence[int]) -> list[float]:
    """Best separator logit minus own logit, per row, in nats."""
    competing, own = rows.logits_of(separators.candidates, next_ids)
    gaps: list[float] = (competing.double().amax(dim=1) - own.double()).tolist()
    return gaps


def calibrate_trace(
    gaps: Sequence[float], trace: TokenizedTrace, settings: DecodeSettings, epsilon: float
) -> Calibration:
    """Pass 1 after the gaps are known; ``epsilon`` is that of the model they come from."""
    priors = [punctuation_prior(trace.previous_character(index), SOFT_PRIOR_PASS_ONE) for index in range(len(trace))]
    return calibrate(
        gaps,
        priors,
        alpha=settings.alpha,
        beta=settings.beta,
        quantile=settings.quantile,
        mode=settings.score_mode,
        error=signal_error(epsilon, max(map(abs, gaps))),
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
    """One forward per token, as RT-SEG computes it. ``trace`` has at least one token."""
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
        gaps += gaps_of(rows, separators, [token])
        report(progress, index + 1, total)
    decision = Decision(trace, separators, calibrate_trace(gaps, trace, settings, source.epsilon))
    forwards = session.forwards

    session, rows = opened()
    previous: int | None = None
    for index, token in enumerate(ids):
        if index:
            previous = ids[index - 1]
            rows = step(session, [previous])
        (gap,) = gaps_of(rows, separators, [token])
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
    pace: Pace,
    progress: Progress | None = None,
) -> ForcedDecode:
    """The same insertions with few forwards.

    Pass 1 is one forward. Until the first insertion its gaps are those of pass 2, so the first insertion costs nothing.
    From there on tokens are read at once as far as ``pace`` trusts the guesses, with separators where the latest gaps
    want them. The rows are then decided from left to right: as long as decision and guess agree, the context was right
    and so is the next row. At the first disagreement the cache is rolled back, and the gaps read beyond it are the next
    guesses.
    """
    ids = trace.token_ids
    session, gaps = read_gaps(source, prompt, trace, separators, settings.cache_policy)
    report(progress, len(ids), 2 * len(ids))
    decision = Decision(trace, separators, calibrate_trace(gaps, trace, settings, source.epsilon))
    hit = decision.first(gaps, 0, None)
    if hit is None:
        report(progress, 2 * len(ids), 2 * len(ids))
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
    decision.insertions.append(hit)
    state = Frontier(hit, pending=True)
    while state.index < len(ids) - 1:
        state = _read_chunk(session, decision, state, gaps, pace)
        report(progress, len(ids) + state.index, 2 * len(ids))
    report(progress, 2 * len(ids), 2 * len(ids))
    return decision.result(forwards + session.forwards)


@dataclass(frozen=True)
class Frontier:
    """All decisions up to token ``index`` are final, its own included; the context ends right before it.

    ``pending``: a separator goes before the token and has not been read yet.
    """

    index: int
    pending: bool


@dataclass(frozen=True)
class Row:
    """Row ``at`` of a chunk decides about token ``index``; ``guess`` says what the chunk has there (None: its end).

    ``score`` is the one behind the guess, where there is any.
    """

    at: int
    index: int
    guess: bool | None
    score: float | None = None


def chunk_of(
    decision: Decision, state: Frontier, guesses: Sequence[float], limit: int, pace: Pace | None = None
) -> tuple[list[int], list[Row]]:
    """At most ``limit`` tokens from the frontier on, separators guessed in, and the rows that decide.

    With a ``pace`` it ends where it is not worth going on.
    """
    right, worth = 1.0, 0.0 if pace is None else pace.worth()
    ids = decision.trace.token_ids
    tokens = [decision.separators.inserted] if state.pending else []
    rows: list[Row] = []
    index = state.index
    while len(tokens) < limit:
        tokens.append(ids[index])
        index += 1
        # nothing is predicted after the last token
        if len(tokens) == limit or index == len(ids) - 1 or right < worth:
            rows.append(Row(len(tokens) - 1, index, None))
            break
        guess, score = decision.wants(index, guesses[index], ids[index - 1])
        rows.append(Row(len(tokens) - 1, index, guess, score))
        if pace is not None and score is not None:
            right *= pace.right(index, abs(score - decision.calibration.threshold))
        if guess:
            tokens.append(decision.separators.inserted)
    return tokens, rows


def _read_chunk(session: Session, decision: Decision, state: Frontier, gaps: list[float], pace: Pace) -> Frontier:
    """Read one chunk, decide its rows up to the first wrong guess, and move the frontier there."""
    room, longest = session.room(), pace.longest()
    tokens, rows = chunk_of(decision, state, gaps, longest if room is None else min(longest, room), pace)
    found = gaps_of(session.read(tokens, len(tokens)), decision.separators, predicted(decision, rows, len(tokens)))
    reached, kept = decide(decision, rows, found, gaps, state)
    session.rewind(len(tokens) - kept)
    session.settle()
    for row in rows:
        if row.score is not None and row.index <= reached.index:
            pace.missed(row.index, decision.scores[row.index] - row.score)
    pace.ahead = max(pace.ahead, rows[-1].index if rows else -1)
    pace.went(reached.index - state.index, len(tokens))
    return reached


def predicted(decision: Decision, rows: Sequence[Row], count: int) -> list[int]:
    """For each of ``count`` tokens of a chunk the token of the trace that it predicts; any where it decides nothing."""
    ids = decision.trace.token_ids
    next_ids = [ids[0]] * count
    for row in rows:
        next_ids[row.at] = ids[row.index]
    return next_ids


def decide(
    decision: Decision, rows: Sequence[Row], found: Sequence[float], gaps: list[float], state: Frontier
) -> tuple[Frontier, int]:
    """Decide the rows of a chunk: the new frontier, and how many tokens of the chunk stay.

    ``found`` are the gaps after each token of the chunk, ``gaps`` the latest known ones per trace token. What was found
    is written into them, also beyond the wrong guess, where it is no longer exact but better than what is older.
    """
    ids = decision.trace.token_ids
    for row in rows:
        gaps[row.index] = found[row.at]
    reached = Frontier(state.index, pending=False)
    for row in rows:
        inserts = decision.inserts(row.index, found[row.at], ids[row.index - 1])
        if inserts:
            decision.insertions.append(row.index)
        reached = Frontier(row.index, pending=inserts and inserts != row.guess)
        if inserts != row.guess:
            return reached, row.at + 1
    return reached, len(found)


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
        gaps += gaps_of(rows, separators, trace.token_ids[len(gaps) : len(gaps) + count])
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
