"""The options of engines that read a model, by what they are about. Callers write the field names as keywords."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.parameters import finite, one_of, percentage, positive, text
from tokenspec_reference.engines.prompt import DEFAULT_SYSTEM_PROMPT, SystemRole, prompt_ids
from tokenspec_reference.engines.scoring import ScoreMode
from tokenspec_reference.engines.separators import recipe_seed
from tokenspec_reference.engines.sessions import CachePolicy

Algorithm = Literal["fast", "sequential"]


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What stands before the trace, which is read as the answer to itself.

    Attributes:
        system_prompt: the system turn of the prompt; the trace is the user turn.
        system_role: ``merge`` puts the system prompt into the user turn.
        chat_template: a template instead of the tokenizer's own.
    """

    system_prompt: str = DEFAULT_SYSTEM_PROMPT
    system_role: SystemRole = "system"
    chat_template: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no text, and turns that no prompt has."""
        text(self.system_prompt, "system_prompt")
        one_of(self.system_role, ("system", "merge"), "system_role")
        if self.chat_template is not None:
            text(self.chat_template, "chat_template")

    def ids(self, tokenizer: Any, trace: str) -> list[int]:
        """The prompt of a trace."""
        return prompt_ids(
            tokenizer, self.system_prompt, trace, system_role=self.system_role, chat_template=self.chat_template
        )


@dataclass(frozen=True, kw_only=True)
class Separator:
    """What is inserted where a segment may end.

    Attributes:
        sep_tok: the separator; added when the vocabulary lacks it.
        separator_row: ``mean`` or ``hash:SEED``, the row of a separator the model has no row for.
    """

    sep_tok: str = "<|seg|>"
    separator_row: str = "mean"

    def __post_init__(self) -> None:
        """Refuse a row that nobody knows how to make."""
        recipe_seed(self.separator_row)


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """How the separator competes with the trace's own tokens.

    Attributes:
        alpha: weight of the normalised gap.
        beta: weight of the punctuation prior.
        quantile: percentile of the pass 1 scores that makes the threshold, in [0, 100].
        score_mode: ``normalized``, or ``upstream_literal`` for the upstream code's pass 2.
    """

    alpha: float = 1.0
    beta: float = 2.0
    quantile: float = 90.0
    score_mode: ScoreMode = "normalized"

    def __post_init__(self) -> None:
        """Refuse numbers that are none, and modes that nobody knows."""
        finite(self.alpha, "alpha")
        finite(self.beta, "beta")
        percentage(self.quantile, "quantile")
        one_of(self.score_mode, ("normalized", "upstream_literal"), "score_mode")


@dataclass(frozen=True, kw_only=True)
class Signal:
    """How a signal is looked at; None is the engine's own default.

    Attributes:
        window: tokens on each side of an anchor.
        quantile: percentile of the z-scores.
        top_k: candidates per prediction, for the engine that compares them.
    """

    window: int | None = None
    quantile: float | None = None
    top_k: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is given and no count, or no percentage."""
        if self.window is not None:
            positive(self.window, "window")
        if self.quantile is not None:
            percentage(self.quantile, "quantile")
        if self.top_k is not None:
            positive(self.top_k, "top_k")


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How the model is run.

    Attributes:
        algorithm: ``fast``, or its twin ``sequential``: one forward per token.
        cache_policy: ``none``, ``window:M`` or ``legacy_head:M``: which tokens a position sees.
        max_kv_tokens: RT-SEG's name for ``legacy_head:M``.
        chunk_size: tokens read at once after an insertion; changes the speed only. By default as wrong guesses
            ask for.
    """

    algorithm: Algorithm = "fast"
    cache_policy: str = "none"
    max_kv_tokens: int | None = None
    chunk_size: int | None = None

    def __post_init__(self) -> None:
        """Refuse an unknown algorithm or policy, and a chunk of nothing."""
        one_of(self.algorithm, ("fast", "sequential"), "algorithm")
        if self.chunk_size is not None:
            positive(self.chunk_size, "chunk_size")
        _ = self.policy

    @property
    def policy(self) -> CachePolicy:
        """Which tokens a position sees."""
        return CachePolicy.parse(self.cache_policy, max_kv_tokens=self.max_kv_tokens)


def option_names(kinds: Iterable[type]) -> set[str]:
    """The keywords that options of these kinds have."""
    return {field.name for kind in kinds for field in fields(kind)}


def grouped(options: Mapping[str, Any], *kinds: type) -> tuple[Any, ...]:
    """One value of each kind out of keywords.

    Raises:
        InvalidParameter: a keyword that none of them has, or a value that its kind refuses.
    """
    for name in options:
        if name not in option_names(kinds):
            raise InvalidParameter(f"known are {', '.join(sorted(option_names(kinds)))}", field=name)
    return tuple(
        kind(**{field.name: options[field.name] for field in fields(kind) if field.name in options}) for kind in kinds
    )
