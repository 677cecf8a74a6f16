"""The four engines that watch a signal of plain forced decoding: no separator, one forward.

Each turns the signal around every anchor into one number, z-scores the numbers, and cuts at the tail that means
"something new begins": falling surprisal, entropy or flatness, or a large shift of the top candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.forced_decoder import open_source
from tokenspec_reference.engines.loading import resolve_model
from tokenspec_reference.engines.near_ties import Error
from tokenspec_reference.engines.offsets import TokenizedTrace, partition, token_spans, tokenize_trace
from tokenspec_reference.engines.options import Decoding, Prompt, Signal, grouped
from tokenspec_reference.engines.reading import check_positions, check_vocabulary
from tokenspec_reference.engines.scoring import calibrate
from tokenspec_reference.engines.segmentation import Progress, ScoreCurve, Segmentation, unlabelled
from tokenspec_reference.engines.token_signals import (
    Reading,
    anchors,
    entropy,
    flatness_change,
    mean_change,
    read_trace,
    surprisal,
    top_k_distance,
)

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class RTLLMSurprisal:
    """Cuts where the mean surprisal falls most; the other three engines change the signal, the change or the tail."""

    window: ClassVar[int] = 15
    quantile: ClassVar[float] = 10.0
    top_k: ClassVar[int] = 0
    high_tail: ClassVar[bool] = False
    options: ClassVar[tuple[type, ...]] = (Prompt, Signal, Decoding)

    def measure(self, rows: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """The signal ``[n]`` of rows ``[n, vocabulary]``."""
        return surprisal(rows, own)

    def change(self, reading: Reading, index: int, window: int) -> float:
        """One number for the anchor at token ``index``."""
        return mean_change(reading.signal, index, window)

    def error(self, reading: Reading, index: int, window: int) -> float:
        """How far rounding may move that number."""
        del index, window
        return reading.mean_error()

    def segment(
        self,
        trace: str,
        *,
        model: Any = None,
        tokenizer: Any = None,
        model_name: str | None = None,
        progress: Progress | None = None,
        **options: Any,
    ) -> Segmentation:
        """Segment one trace.

        Args:
            trace: the text; offsets are code points of it.
            model: as in :class:`RTLLMForcedDecoderBased`, and so are ``tokenizer``, ``model_name`` and ``progress``.
            tokenizer: its tokenizer.
            model_name: a name instead of the two.
            progress: called with (tokens done, tokens in all).
            options: the fields of :class:`Prompt`, :class:`Signal` and :class:`Decoding`. Defaults: a window of 15, for
                entropy 30; the quantile 10 (low tail), for the top-k shift 90 (high tail) of 20 candidates.

        Raises:
            TokenSpecError: typed refusals of ENG-060 to ENG-064, naming the parameter.
        """
        prompt, signal, how = grouped(options, *self.options)
        if signal.top_k is not None and not self.top_k:
            raise InvalidParameter(f"{type(self).__name__} has no top_k", field="top_k")
        window = self.window if signal.window is None else signal.window
        quantile = self.quantile if signal.quantile is None else signal.quantile
        model, tokenizer = resolve_model(model, tokenizer, model_name)
        tokens = tokenize_trace(tokenizer, trace)
        if not tokens:
            return unlabelled(partition((), len(trace)))
        before = prompt.ids(tokenizer, trace)
        policy = how.policy.within(len(before) + len(tokens))
        source = open_source(model, None, "mean")
        check_vocabulary((*before, *tokens.token_ids), source.vocabulary_size, None)
        if policy.kind != "legacy_head":
            check_positions(len(before) + len(tokens) - 1, getattr(source, "position_limit", None))
        reading = read_trace(
            source,
            before,
            tokens.token_ids,
            policy,
            measure=self.measure,
            top_k=self.top_k if signal.top_k is None else signal.top_k,
            sequential=how.algorithm == "sequential",
            progress=progress,
        )
        at = anchors(tokens, window)
        changes = [self.change(reading, index, window) for index in at]
        error = Error(max((self.error(reading, index, window) for index in at), default=0.0), reading.error.exact)
        found = tail(tokens, at, changes, quantile, error, high=self.high_tail)
        offsets = partition((tokens.starts[index] for index in found.chosen), len(trace))
        close = tuple(tokens.starts[index] for index in found.close)
        labels, spans = unlabelled(offsets).labels, token_spans(tokens.starts, offsets)
        return Segmentation(offsets, labels, found.margin, close, reading.forwards, found.curve, spans)


@dataclass(frozen=True)
class RTLLMEntropy(RTLLMSurprisal):
    """Cuts where the mean entropy of the predictions falls most."""

    window: ClassVar[int] = 30

    def measure(self, rows: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """Entropy."""
        return entropy(rows, own)


@dataclass(frozen=True)
class RTLLMFlatnessBreak(RTLLMSurprisal):
    """Cuts where surprisal falls most, measured against how flat it was before."""

    def change(self, reading: Reading, index: int, window: int) -> float:
        """Relative change."""
        return flatness_change(reading.signal, index, window)

    def error(self, reading: Reading, index: int, window: int) -> float:
        """Both the change and the deviation move."""
        return reading.flatness_error(index, window)


@dataclass(frozen=True)
class RTLLMTopKShift(RTLLMSurprisal):
    """Cuts where the top candidates change most between the predictions of two consecutive tokens."""

    quantile: ClassVar[float] = 90.0
    top_k: ClassVar[int] = 20
    high_tail: ClassVar[bool] = True

    def change(self, reading: Reading, index: int, window: int) -> float:
        """Distance of the predictions of tokens ``index - 1`` and ``index``."""
        del window
        return top_k_distance(reading.top[index - 1], reading.top[index])

    def error(self, reading: Reading, index: int, window: int) -> float:
        """Probabilities move, and candidates at the edge of the top may be others."""
        del window
        return reading.distance_error(index)


@dataclass(frozen=True)
class Tail:
    """Anchors beyond the percentile, those close to it, the scores, and the smallest distance from the threshold."""

    chosen: tuple[int, ...] = ()
    close: tuple[int, ...] = ()
    curve: ScoreCurve | None = None
    margin: float | None = None


def tail(
    trace: TokenizedTrace, at: Sequence[int], changes: Sequence[float], quantile: float, error: Error, *, high: bool
) -> Tail:
    """Z-score the changes and choose the anchors strictly beyond the percentile; ``error`` is that of a change."""
    if not at:
        return Tail()
    found = calibrate(changes, quantile=quantile, error=error)
    distances = [(score - found.threshold) * (1 if high else -1) for score in found.scores]
    holds = found.closeness.holds
    return Tail(
        chosen=tuple(index for index, distance in zip(at, distances, strict=True) if distance > 0),
        close=tuple(
            index for index, distance in zip(at, distances, strict=True) if holds(abs(distance), calibrated=True)
        ),
        curve=ScoreCurve(
            tuple(trace.starts[index] for index in at), found.scores, found.threshold, found.closeness.reach
        ),
        margin=min((abs(distance) for distance in distances if distance), default=None),
    )
