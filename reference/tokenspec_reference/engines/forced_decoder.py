"""``RTLLMForcedDecoderBased``: would the model rather write a separator here? Source: the seed of that name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from tokenspec_reference.engines.causal_model import CausalModel, check_positions, check_vocabulary
from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.forced_decode import DecodeSettings, ForcedDecode, decode_fast, decode_sequential
from tokenspec_reference.engines.loading import resolve_model
from tokenspec_reference.engines.offsets import TokenizedTrace, partition, tokenize_trace
from tokenspec_reference.engines.parameters import finite, one_of, percentage, positive
from tokenspec_reference.engines.prompt import DEFAULT_SYSTEM_PROMPT, SystemRole, prompt_ids
from tokenspec_reference.engines.scoring import ScoreMode
from tokenspec_reference.engines.segmentation import Progress, ScoreCurve, Segmentation, unlabelled
from tokenspec_reference.engines.separators import Separators, resolve_separators
from tokenspec_reference.engines.sessions import CachePolicy, SessionSource

Algorithm = Literal["fast", "sequential"]


@dataclass(frozen=True)
class RTLLMForcedDecoderBased:
    """Forced decoding with separator-token competition (spec/20-engines.md)."""

    name: ClassVar[str] = "RTLLMForcedDecoderBased"

    def segment(
        self,
        trace: str,
        *,
        model: Any = None,
        tokenizer: Any = None,
        model_name: str | None = None,
        system_prompt: str = DEFAULT_SYSTEM_PROMPT,
        sep_tok: str = "<|seg|>",
        alpha: float = 1.0,
        beta: float = 2.0,
        quantile: float = 90.0,
        score_mode: ScoreMode = "normalized",
        cache_policy: str = "none",
        max_kv_tokens: int | None = None,
        separator_row: str = "mean",
        system_role: SystemRole = "system",
        chat_template: str | None = None,
        algorithm: Algorithm = "fast",
        chunk_size: int | None = None,
        progress: Progress | None = None,
    ) -> Segmentation:
        """Segment one trace.

        Args:
            trace: the text; offsets are code points of it.
            model: a ``transformers`` causal LM (any device and dtype) or a :class:`SessionSource`; never changed.
            tokenizer: its tokenizer; never changed.
            model_name: instead of the two, a hub name or a local directory.
            system_prompt: the system turn of the prompt; the trace is the user turn.
            sep_tok: the separator that is inserted; added when the vocabulary lacks it.
            alpha: weight of the normalised gap.
            beta: weight of the punctuation prior.
            quantile: percentile of the pass 1 scores that makes the threshold, in [0, 100].
            score_mode: ``normalized``, or ``upstream_literal`` for the upstream code's pass 2.
            cache_policy: ``none``, ``window:M`` or ``legacy_head:M``.
            max_kv_tokens: the seed's name for ``legacy_head:M``.
            separator_row: ``mean`` or ``hash:SEED``, the row of a separator the model has no row for.
            system_role: ``merge`` puts the system prompt into the user turn.
            chat_template: a template instead of the tokenizer's own.
            algorithm: ``fast``, or its twin ``sequential``: one forward per token.
            chunk_size: tokens read at once after an insertion; changes the speed only. Default 96, on CUDA 256.
            progress: called with (tokens done, tokens in all); both passes count.

        Raises:
            TokenSpecError: typed refusals of ENG-060 to ENG-064, naming the parameter.
        """
        settings = DecodeSettings(
            alpha=finite(alpha, "alpha"),
            beta=finite(beta, "beta"),
            quantile=percentage(quantile, "quantile"),
            score_mode="normalized" if one_of(score_mode, _MODES, "score_mode") == "normalized" else "upstream_literal",
            cache_policy=CachePolicy.parse(cache_policy, max_kv_tokens=max_kv_tokens),
        )
        one_of(algorithm, ("fast", "sequential"), "algorithm")
        if chunk_size is not None:
            positive(chunk_size, "chunk_size")
        model, tokenizer = resolve_model(model, tokenizer, model_name)
        separators = resolve_separators(tokenizer, sep_tok, texts=(trace, system_prompt))
        tokens = tokenize_trace(separators.tokenizer, trace)
        if not trace:
            return unlabelled([])
        prompt = prompt_ids(
            separators.tokenizer, system_prompt, trace, system_role=system_role, chat_template=chat_template
        )
        if not tokens:
            return unlabelled(partition((), len(trace)))
        source = open_source(model, separators, separator_row)
        check_vocabulary((*prompt, *tokens.token_ids), source.vocabulary_size, separators.inserted)
        check_positions(
            _longest(len(prompt), len(tokens), settings.cache_policy), getattr(source, "position_limit", None)
        )
        decoded = decode(source, prompt, tokens, separators, settings, algorithm, chunk_size, progress)
        cuts = [tokens.starts[index] for index in decoded.insertions]
        offsets = partition(cuts, len(trace))
        found = decoded.calibration
        curve = ScoreCurve(tokens.starts, found.scores, found.threshold, found.closeness.reach)
        close = tuple(tokens.starts[index] for index in decoded.close)
        return Segmentation(offsets, unlabelled(offsets).labels, decoded.margin, close, decoded.forwards, curve)


_MODES = ("normalized", "upstream_literal")


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
    settings: DecodeSettings,
    algorithm: Algorithm,
    chunk_size: int | None,
    progress: Progress | None,
) -> ForcedDecode:
    """Run the chosen algorithm."""
    if algorithm == "sequential":
        return decode_sequential(source, prompt, trace, separators, settings, progress=progress)
    on_gpu = getattr(getattr(getattr(source, "model", None), "device", None), "type", "cpu") == "cuda"
    size = chunk_size or (256 if on_gpu else 96)
    return decode_fast(source, prompt, trace, separators, settings, chunk_size=size, progress=progress)
