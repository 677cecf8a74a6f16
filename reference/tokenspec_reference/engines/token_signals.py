"""Signals of plain forced decoding: surprisal, entropy, the top candidates; and the change of a signal at an anchor.

An *anchor* is a place where a segment may begin right after one of ``. ! ? newline``, with a full window of tokens on
both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenspec_reference.engines.errors import NonFiniteLogits
from tokenspec_reference.engines.forced_decode import PASS_ONE_BLOCK, read_pieces, report
from tokenspec_reference.engines.near_ties import Error, exchangeable_share, flatness_error, signal_error
from tokenspec_reference.engines.offsets import TokenizedTrace
from tokenspec_reference.engines.output_head import FULL_ROW_BLOCK
from tokenspec_reference.engines.segmentation import Progress
from tokenspec_reference.engines.sessions import CachePolicy, SessionSource
from tokenspec_reference.top_ids import top_ids

if TYPE_CHECKING:
    import torch

ANCHOR_CHARACTERS = frozenset(".!?\n")

Measure = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]
"""``(rows [n, vocabulary], own next tokens [n]) -> signal [n]``."""


def anchors(trace: TokenizedTrace, window: int) -> list[int]:
    """Token indices ``window <= i < T - window`` at which a sentence has just ended."""
    inside = range(window, len(trace) - window)
    return [index for index in inside if trace.previous_character(index) in ANCHOR_CHARACTERS]


def surprisal(rows: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """Minus log-probability of the own next token, nats, ``[n]``."""
    return -rows.log_softmax(dim=-1).gather(1, own[:, None])[:, 0]


def entropy(rows: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """Entropy of the predictive distribution, nats, ``[n]``; a probability of exactly 0 adds 0."""
    import torch

    del own
    return torch.special.entr(rows.softmax(dim=-1)).sum(dim=-1)


def mean_change(signal: Sequence[float], index: int, window: int) -> float:
    """Mean of the next ``window`` values minus mean of the last ``window``."""
    return (math.fsum(signal[index : index + window]) - math.fsum(signal[index - window : index])) / window


def flatness(signal: Sequence[float], index: int, window: int) -> float:
    """The deviation before the anchor: population variance plus 1e-6, then the root."""
    before = signal[index - window : index]
    mean = math.fsum(before) / window
    return math.sqrt(math.fsum((value - mean) ** 2 for value in before) / window + 1e-6)


def flatness_change(signal: Sequence[float], index: int, window: int) -> float:
    """The change of the mean over the deviation before the anchor."""
    return mean_change(signal, index, window) / flatness(signal, index, window)


def top_k_distance(left: dict[int, float], right: dict[int, float]) -> float:
    """Square root of the Jensen-Shannon divergence (nats) of two renormalised top-k distributions, joint support."""
    total = 0.0
    for token in left.keys() | right.keys():
        p, q = left.get(token, 0.0), right.get(token, 0.0)
        middle = (p + q) / 2
        total += sum(value * math.log(value / middle) / 2 for value in (p, q) if value > 0)
    return math.sqrt(max(0.0, total))


@dataclass(frozen=True)
class Reading:
    """A trace read once: the signal before every token, and the top candidates there (empty when none were asked).

    ``error`` is that of a signal, ``loose`` the share of the candidates of a token that rounding may exchange.
    """

    forwards: int
    signal: tuple[float, ...]
    top: tuple[dict[int, float], ...]
    loose: tuple[float, ...]
    error: Error

    def mean_error(self) -> float:
        """How far :func:`mean_change` may be off."""
        return 2 * self.error.size

    def flatness_error(self, index: int, window: int) -> float:
        """How far :func:`flatness_change` may be off."""
        change = flatness_change(self.signal, index, window)
        return flatness_error(change, flatness(self.signal, index, window), self.error.size)

    def distance_error(self, index: int) -> float:
        """How far :func:`top_k_distance` of the predictions of ``index - 1`` and ``index`` may be off."""
        return 2 * self.error.size + sum(exchangeable_share(self.loose[at]) for at in (index - 1, index))


def read_trace(
    source: SessionSource,
    prompt: Sequence[int],
    token_ids: Sequence[int],
    policy: CachePolicy,
    *,
    measure: Measure,
    top_k: int,
    sequential: bool,
    progress: Progress | None,
) -> Reading:
    """Read prompt and trace once; ``sequential`` takes one forward per token.

    Raises:
        NonFiniteLogits: the signal is NaN or infinite somewhere.
    """
    import torch

    signal: list[float] = []
    top: list[dict[int, float]] = []
    leads: list[list[float]] = []
    largest = 0.0
    forwards = 0
    blocks = _stepwise(source, prompt, token_ids, policy) if sequential else _chunked(source, prompt, token_ids, policy)
    for rows, count in blocks:
        forwards = count
        own = torch.tensor(token_ids[len(signal) : len(signal) + len(rows)], device=rows.device)
        values: list[float] = measure(rows, own).double().tolist()
        for index, value in enumerate(values, len(signal)):
            if not math.isfinite(value):
                raise NonFiniteLogits(f"the signal before trace token {index} is {value}", field="logits")
        signal += values
        magnitude = float(rows.masked_fill(rows.isinf(), 0.0).abs().amax())
        largest = max(largest, magnitude, *map(abs, values))
        found, ahead = _top_candidates(rows, top_k)
        top += found
        leads += ahead
        report(progress, len(signal), len(token_ids))
    error = signal_error(source.epsilon, largest)
    loose = tuple(_exchangeable(shares, lead, error) for shares, lead in zip(top, leads, strict=True))
    return Reading(forwards, tuple(signal), tuple(top), loose, error)


def _stepwise(
    source: SessionSource, prompt: Sequence[int], ids: Sequence[int], policy: CachePolicy
) -> Iterator[tuple[torch.Tensor, int]]:
    session = source.open_steps(policy, len(prompt))
    for index in range(len(ids)):
        rows = session.read(prompt if index == 0 else [ids[index - 1]], 1)
        session.settle()
        yield rows.full(0, 1), session.forwards


def _chunked(
    source: SessionSource, prompt: Sequence[int], ids: Sequence[int], policy: CachePolicy
) -> Iterator[tuple[torch.Tensor, int]]:
    session = source.open_rows(policy, len(prompt))
    for rows, count in read_pieces(session, prompt, ids[:-1], PASS_ONE_BLOCK):
        for start in range(0, count, FULL_ROW_BLOCK):
            yield rows.full(start, min(count, start + FULL_ROW_BLOCK)), session.forwards
        session.settle()


def _top_candidates(rows: torch.Tensor, count: int) -> tuple[list[dict[int, float]], list[list[float]]]:
    """Per row the ``count`` most probable tokens, renormalised; ties (frequent in bfloat16) go to the smaller id.

    Also how far the logit of each is ahead of the best one left out.
    """
    if not count:
        return [], []
    tokens = top_ids(rows, count)
    logits = rows.double().gather(1, tokens)
    shares = logits.softmax(dim=-1)
    left_out = rows.scatter(1, tokens, -math.inf).amax(dim=-1, keepdim=True).double()
    ahead: list[list[float]] = (logits - left_out).tolist()
    top = [dict(zip(ids, row, strict=True)) for ids, row in zip(tokens.tolist(), shares.tolist(), strict=True)]
    return top, ahead


def _exchangeable(shares: dict[int, float], ahead: Sequence[float], error: Error) -> float:
    """The share of the candidates of one token that rounding may exchange for the best one left out."""
    return math.fsum(
        share
        for share, lead in zip(shares.values(), ahead, strict=True)
        if lead < 2 * error.size and (lead > 0 or not error.exact)
    )
