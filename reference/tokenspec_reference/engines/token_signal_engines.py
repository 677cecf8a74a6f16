"""The four engines that watch a signal of plain forced decoding: no separator, one forward.

Each turns the signal around every anchor into one number, z-scores the numbers, and cuts at the tail that means
"something new begins": falling surprisal, entropy or flatness, or a large shift of the top candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tokenspec_reference.engines.causal_model import check_positions, check_vocabulary
from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.forced_decoder import open_source
from tokenspec_reference.engines.loading import resolve_model
from tokenspec_reference.engines.near_ties import Error
from tokenspec_reference.engines.offsets import TokenizedTrace, partition, tokenize_trace
from tokenspec_reference.engines.parameters import one_of, percentage, positive
from tokenspec_reference.engines.prompt import DEFAULT_SYSTEM_PROMPT, SystemRole, prompt_ids
from tokenspec_reference.engines.scoring import calibrate
from tokenspec_reference.engines.segmentation import Progress, ScoreCurve, Segmentation, unlabelled
from tokenspec_reference.engines.sessions import CachePolicy
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

    name: ClassVar[str] = "RTLLMSurprisal"
    window: ClassVar[int] = 15
    quantile: ClassVar[float] = 10.0
    top_k: ClassVar[int] = 0
    high_tail: ClassVar[bool] = False

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
        system_prompt: str = DEFAULT_SYSTEM_PROMPT,
        window: int | None = None,
        quantile: float | None = None,
        top_k: int | None = None,
        cache_policy: str = "none",
        max_kv_tokens: int | None = None,
        system_role: SystemRole = "system",
        chat_template: str | None = None,
        algorithm: str = "fast",
        progress: Progress | None = None,
    ) -> Segmentation:
        """Segment one trace.

        Args:
            trace: the text; offsets are code points of it.
            model: as in :class:`RTLLMForcedDecoderBased`, and so are ``tokenizer``, ``model_name``, ``system_prompt``,
                ``cache_policy``, ``max_kv_tokens``, ``system_role``, ``chat_template`` and ``progress``.
            tokenizer: its tokenizer.
            model_name: a name instead of the two.
            system_prompt: the system turn.
            window: tokens on each side of an anchor; default 15, for entropy 30.
            quantile: percentile of the z-scores; default 10 (low tail), for the top-k shift 90 (high tail).
            top_k: candidates per prediction, only for :class:`RTLLMTopKShift`; default 20.
            cache_policy: which tokens a position sees.
            max_kv_tokens: the seed's name for ``legacy_head:M``.
            system_role: ``merge`` puts the system prompt into the user turn.
            chat_template: a template instead of the tokenizer's own.
            algorithm: ``fast`` (one forward) or its twin ``sequential``.
            progress: called with (tokens done, tokens in all).

        Raises:
            TokenSpecError: typed refusals of ENG-060 to ENG-064, naming the parameter.
        """
        window = self.window if window is None else positive(window, "window")
        quantile = self.quantile if quantile is None else percentage(quantile, "quantile")
        if top_k is not None and not self.top_k:
            raise InvalidParameter(f"{self.name} has no top_k", field="top_k")
        candidates = self.top_k if top_k is None else positive(top_k, "top_k")
        policy = CachePolicy.parse(cache_policy, max_kv_tokens=max_kv_tokens)
        one_of(algorithm, ("fast", "sequential"), "algorithm")
        model, tokenizer = resolve_model(model, tokenizer, model_name)
        tokens = tokenize_trace(tokenizer, trace)
        if not tokens:
            return unlabelled(partition((), len(trace)) if trace else [])
        prompt = prompt_ids(tokenizer, system_prompt, trace, system_role=system_role, chat_template=chat_template)
        source = open_source(model, None, "mean")
        check_vocabulary((*prompt, *tokens.token_ids), source.vocabulary_size, None)
        if policy.kind != "legacy_head":
            check_positions(len(prompt) + len(tokens) - 1, getattr(source, "position_limit", None))
        reading = read_trace(
            source,
            prompt,
            tokens.token_ids,
            policy,
            measure=self.measure,
            top_k=candidates,
            sequential=algorithm == "sequential",
            progress=progress,
        )
        at = anchors(tokens, window)
        changes = [self.change(reading, index, window) for index in at]
        error = Error(max((self.error(reading, index, window) for index in at), default=0.0), reading.error.exact)
        found = tail(tokens, at, changes, quantile, error, high=self.high_tail)
        offsets = partition((tokens.starts[index] for index in found.chosen), len(trace))
        close = tuple(tokens.starts[index] for index in found.close)
        return Segmentation(offsets, unlabelled(offsets).labels, found.margin, close, reading.forwards, found.curve)


@dataclass(frozen=True)
class RTLLMEntropy(RTLLMSurprisal):
    """Cuts where the mean entropy of the predictions falls most."""

    name: ClassVar[str] = "RTLLMEntropy"
    window: ClassVar[int] = 30

    def measure(self, rows: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
        """Entropy."""
        return entropy(rows, own)


@dataclass(frozen=True)
class RTLLMFlatnessBreak(RTLLMSurprisal):
    """Cuts where surprisal falls most, measured against how flat it was before."""

    name: ClassVar[str] = "RTLLMFlatnessBreak"

    def change(self, reading: Reading, index: int, window: int) -> float:
        """Relative change."""
        return flatness_change(reading.signal, index, window)

    def error(self, reading: Reading, index: int, window: int) -> float:
        """Both the change and the deviation move."""
        return reading.flatness_error(index, window)


@dataclass(frozen=True)
class RTLLMTopKShift(RTLLMSurprisal):
    """Cuts where the top candidates change most between the predictions of two consecutive tokens."""

    name: ClassVar[str] = "RTLLMTopKShift"
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
    found = calibrate(changes, [0.0] * len(at), alpha=1.0, beta=0.0, quantile=quantile, mode="normalized", error=error)
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
