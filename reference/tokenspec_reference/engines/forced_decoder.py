"""``RTLLMForcedDecoderBased``: would the model rather write a separator here? Source: the seed of that name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.forced_decode import DecodeSettings, ForcedDecode, decode_fast, decode_sequential
from tokenspec_reference.engines.loading import resolve_model
from tokenspec_reference.engines.offsets import TokenizedTrace, partition, tokenize_trace
from tokenspec_reference.engines.options import Decoding, Prompt, Scoring, Separator, grouped
from tokenspec_reference.engines.reading import check_positions, check_vocabulary
from tokenspec_reference.engines.segmentation import Progress, ScoreCurve, Segmentation, unlabelled
from tokenspec_reference.engines.separators import Separators, resolve_separators
from tokenspec_reference.engines.sessions import CachePolicy, SessionSource


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
        prompt, separator, scoring, decoding = grouped(options, *self.options)
        model, tokenizer = resolve_model(model, tokenizer, model_name)
        separators = resolve_separators(tokenizer, separator.sep_tok, texts=(trace, prompt.system_prompt))
        tokens = tokenize_trace(separators.tokenizer, trace)
        if not tokens:
            return unlabelled(partition((), len(trace)))
        before = prompt.ids(separators.tokenizer, trace)
        policy = decoding.policy.within(len(before) + 2 * len(tokens))  # a separator before every token
        source = open_source(model, separators, separator.separator_row)
        check_vocabulary((*before, *tokens.token_ids), source.vocabulary_size, separators.inserted)
        check_positions(_longest(len(before), len(tokens), policy), getattr(source, "position_limit", None))
        decoded = decode(source, before, tokens, separators, scoring, decoding, policy, progress)
        cuts = [tokens.starts[index] for index in decoded.insertions]
        offsets = partition(cuts, len(trace))
        found = decoded.calibration
        curve = ScoreCurve(tokens.starts, found.scores, found.threshold, found.closeness.reach)
        close = tuple(tokens.starts[index] for index in decoded.close)
        return Segmentation(offsets, unlabelled(offsets).labels, decoded.margin, close, decoded.forwards, curve)


def _longest(prompt_length: int, trace_length: int, policy: CachePolicy) -> int:
    """The context that is needed for certain; insertions come on top and are checked as they happen."""
    return prompt_length if policy.kind == "legacy_head" else prompt_length + trace_length - 1


def open_source(model: Any, separators: Separators | None, row_recipe: str) -> SessionSource:
    """``model`` itself when it can open sessions, else a :class:`CausalModel` around it."""
    if hasattr(model, "open_rows"):
        source: SessionSource = model
        if separators is not None and separators.inserted >= source.vocabulary_size:
            raise InvalidParameter("this model has no row for the separator and takes no new one", field="sep_tok")
        return source
    return CausalModel(model, separator_id=separators.inserted if separators else None, row_recipe=row_recipe)


def decode(
    source: SessionSource,
    prompt: list[int],
    trace: TokenizedTrace,
    separators: Separators,
    scoring: Scoring,
    decoding: Decoding,
    policy: CachePolicy,
    progress: Progress | None,
) -> ForcedDecode:
    """Run the chosen algorithm."""
    settings = DecodeSettings(scoring.alpha, scoring.beta, scoring.quantile, scoring.score_mode, policy)
    if decoding.algorithm == "sequential":
        return decode_sequential(source, prompt, trace, separators, settings, progress=progress)
    on_gpu = getattr(getattr(getattr(source, "model", None), "device", None), "type", "cpu") == "cuda"
    size = decoding.chunk_size or (256 if on_gpu else 96)
    return decode_fast(source, prompt, trace, separators, settings, chunk_size=size, progress=progress)
