"""``RTLLMForcedDecoderBased``: would the model rather write a separator here? Source: the seed of that name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tokenspec_reference.engines.batch_decode import batches, decode_batch
from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.forced_decode import (
    DecodeSettings,
    ForcedDecode,
    decode_fast,
    decode_sequential,
    report,
)
from tokenspec_reference.engines.loading import resolve_model
from tokenspec_reference.engines.offsets import TokenizedTrace, partition, token_spans, tokenize_trace
from tokenspec_reference.engines.options import Decoding, Prompt, Scoring, Separator, grouped
from tokenspec_reference.engines.pace import Pace
from tokenspec_reference.engines.parameters import positive
from tokenspec_reference.engines.reading import check_positions, check_vocabulary
from tokenspec_reference.engines.segmentation import Progress, ScoreCurve, Segmentation, unlabelled
from tokenspec_reference.engines.separators import Separators, resolve_separators
from tokenspec_reference.engines.sessions import CachePolicy, SessionSource

OVERHEAD, OVERHEAD_GPU = 32, 400  # tokens that could be read in the time that a forward takes besides its tokens

SHORT = 512  # tokens of prompt and trace; a processor gains nothing by reading longer ones side by side


@dataclass(frozen=True)
class RTLLMForcedDecoderBased:
    """Forced decoding with separator-token competition (spec/20-engines.md)."""

    options: ClassVar[tuple[type, ...]] = (Prompt, Separator, Scoring, Decoding)

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
            model: a ``transformers`` causal LM (any device and dtype) or a :class:`SessionSource`; never changed.
            tokenizer: its tokenizer; never changed.
            model_name: instead of the two, a hub name or a local directory.
            progress: called with (tokens done, tokens in all); both passes count.
            options: the fields of :class:`Prompt`, :class:`Separator`, :class:`Scoring` and :class:`Decoding`.

        Raises:
            TokenSpecError: typed refusals of ENG-060 to ENG-064, naming the parameter.
        """
        given = self._prepared(trace, *resolve_model(model, tokenizer, model_name), options)
        if given is None:
            return unlabelled(partition((), len(trace)))
        return given.segmentation(decode(given, progress))

    def segment_many(
        self,
        traces: Sequence[str],
        *,
        model: Any = None,
        tokenizer: Any = None,
        model_name: str | None = None,
        batch_tokens: int = 16384,
        progress: Progress | None = None,
        **options: Any,
    ) -> list[Segmentation]:
        """Segment many traces with shared forwards, as :meth:`segment` does one by one, up to rounding.

        Args:
            traces: the texts.
            model: as in :meth:`segment`, and so are ``tokenizer`` and ``model_name``.
            tokenizer: its tokenizer.
            model_name: instead of the two, a hub name or a local directory.
            batch_tokens: how many tokens, padding included, are read at once; traces of like length go together. They
                are read one by one where the model or the options allow no batch, and long ones on a processor.
            progress: called with (traces done, traces in all).
            options: as in :meth:`segment`.

        Raises:
            TokenSpecError: as :meth:`segment`.
        """
        positive(batch_tokens, "batch_tokens")
        model, tokenizer = resolve_model(model, tokenizer, model_name)
        results: dict[int, Segmentation] = {}
        waiting: list[tuple[int, _Prepared]] = []
        source = model
        for number, trace in enumerate(traces):
            given = self._prepared(trace, source, tokenizer, options)
            source = source if given is None else given.source
            if given is None:
                results[number] = unlabelled(partition((), len(trace)))
            elif (
                given.decoding.algorithm == "fast"
                and batches(given.source, given.settings)
                and (_on_gpu(given.source) or len(given.before) + len(given.tokens) <= SHORT)
            ):
                waiting.append((number, given))
            else:
                results[number] = given.segmentation(decode(given, None))
            report(progress, len(results), len(traces))
        for group in _alike(waiting, batch_tokens):
            first = group[0][1]
            decoded = decode_batch(
                first.source,
                [given.before for _, given in group],
                [given.tokens for _, given in group],
                [given.separators for _, given in group],
                first.settings,
                _pace(first.source, first.decoding, shared=len(group)),
            )
            results |= {number: given.segmentation(each) for (number, given), each in zip(group, decoded, strict=True)}
            report(progress, len(results), len(traces))
        return [results[number] for number in range(len(traces))]

    def _prepared(self, trace: str, model: Any, tokenizer: Any, options: Mapping[str, Any]) -> _Prepared | None:
        """Everything before the first forward; None for a trace without tokens."""
        prompt, separator, scoring, decoding = grouped(options, *self.options)
        separators = resolve_separators(tokenizer, separator.sep_tok, texts=(trace, prompt.system_prompt))
        tokens = tokenize_trace(separators.tokenizer, trace)
        if not tokens:
            return None
        before = prompt.ids(separators.tokenizer, trace)
        policy = decoding.policy.within(len(before) + 2 * len(tokens))  # a separator before every token
        source = open_source(model, separators, separator.separator_row)
        check_vocabulary((*before, *tokens.token_ids), source.vocabulary_size, separators.inserted)
        check_positions(_longest(len(before), len(tokens), policy), getattr(source, "position_limit", None))
        return _Prepared(trace, before, tokens, separators, source, scoring, decoding, policy)


@dataclass(frozen=True)
class _Prepared:
    """One trace before its first forward."""

    trace: str
    before: list[int]
    tokens: TokenizedTrace
    separators: Separators
    source: SessionSource
    scoring: Scoring
    decoding: Decoding
    policy: CachePolicy

    @property
    def settings(self) -> DecodeSettings:
        """What changes the result."""
        scoring = self.scoring
        return DecodeSettings(scoring.alpha, scoring.beta, scoring.quantile, scoring.score_mode, self.policy)

    def segmentation(self, decoded: ForcedDecode) -> Segmentation:
        """The result in characters and in tokens."""
        starts = self.tokens.starts
        offsets = partition((starts[index] for index in decoded.insertions), len(self.trace))
        found = decoded.calibration
        curve = ScoreCurve(starts, found.scores, found.threshold, found.closeness.reach, decoded.scores)
        close = tuple(starts[index] for index in decoded.close)
        labels, spans = unlabelled(offsets).labels, token_spans(starts, offsets)
        return Segmentation(offsets, labels, decoded.margin, close, decoded.forwards, curve, spans)


def _alike(waiting: list[tuple[int, _Prepared]], batch_tokens: int) -> Iterator[list[tuple[int, _Prepared]]]:
    """Groups of like length that fit into ``batch_tokens`` when padded to the longest, insertions left room for."""
    group: list[tuple[int, _Prepared]] = []
    for number, given in sorted(waiting, key=lambda each: len(each[1].before) + len(each[1].tokens)):
        if group and (len(group) + 1) * (len(given.before) + 2 * len(given.tokens)) > batch_tokens:
            yield group
            group = []
        group.append((number, given))
    if group:
        yield group


def _longest(prompt_length: int, trace_length: int, policy: CachePolicy) -> int:
    """The context that is needed for certain; insertions come on top and are checked as they happen."""
    return prompt_length if policy.kind == "legacy_head" else prompt_length + trace_length - 1


def open_source(model: Any, separators: Separators | None, row_recipe: str) -> SessionSource:
    """``model`` itself when it can open sessions, else a :class:`CausalModel` around it."""
    if hasattr(model, "open_rows"):
        source: SessionSource = model
        known = getattr(
            source, "separator_id", None
        )  # of a :class:`CausalModel`, which may have a row of its own for it
        if separators is not None and known != separators.inserted >= source.vocabulary_size:
            raise InvalidParameter("this model has no row for the separator and takes no new one", field="sep_tok")
        return source
    return CausalModel(model, separator_id=separators.inserted if separators else None, row_recipe=row_recipe)


def decode(given: _Prepared, progress: Progress | None) -> ForcedDecode:
    """Run the chosen algorithm."""
    arguments = given.source, given.before, given.tokens, given.separators, given.settings
    if given.decoding.algorithm == "sequential":
        return decode_sequential(*arguments, progress=progress)
    return decode_fast(*arguments, pace=_pace(given.source, given.decoding), progress=progress)


def _pace(source: SessionSource, decoding: Decoding, *, shared: int = 1) -> Pace:
    """``shared``: how many traces share the time that a forward takes besides its tokens."""
    return Pace(max(1, (OVERHEAD_GPU if _on_gpu(source) else OVERHEAD) // shared), decoding.chunk_size)


def _on_gpu(source: SessionSource) -> bool:
    return getattr(getattr(getattr(source, "model", None), "device", None), "type", "cpu") == "cuda"
