"""What an engine needs of a model: read tokens, look at the logits after them, take tokens back.

Three things implement a session: a ``transformers`` model read in chunks, the same model read one token at a time (the
twin), and a scripted model that is a table. The algorithms know only the protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from tokenspec_reference.engines.errors import InvalidParameter

if TYPE_CHECKING:
    import torch


class Rows(Protocol):
    """Logits of consecutive positions, at least float32; row ``j`` predicts the token after the ``j``-th position."""

    def logits_of(self, candidates: Sequence[int], next_ids: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits ``[n, len(candidates)]`` of the candidates and ``[n]`` of each position's own next token."""
        ...

    def full(self, start: int, stop: int) -> torch.Tensor:
        """All logits ``[stop - start, vocabulary]`` of some rows."""
        ...


class Session(Protocol):
    """One context of one model. ``forwards`` counts calls of the model."""

    forwards: int

    def room(self) -> int | None:
        """How many tokens may be read before :meth:`settle` has to run; None means any number."""
        ...

    def read(self, token_ids: Sequence[int], keep: int) -> Rows:
        """Append tokens to the context and return the rows of the last ``keep`` of them."""
        ...

    def rewind(self, count: int) -> None:
        """Take back the last ``count`` tokens read since the last :meth:`settle` that evicted something."""
        ...

    def settle(self) -> None:
        """Let the cache policy evict; what is evicted cannot be rewound."""
        ...


class SessionSource(Protocol):
    """A model that can be read."""

    @property
    def vocabulary_size(self) -> int:
        """Rows of the head; ids must be below it, except an added separator."""
        ...

    @property
    def epsilon(self) -> float:
        """Spacing of the numbers around 1 in which logits are computed; 0 for a table, whose logits are exact."""
        ...

    def open_rows(self, policy: CachePolicy, prompt_length: int) -> Session:
        """A session for the fast path: chunks, and only the head rows asked for."""
        ...

    def open_steps(self, policy: CachePolicy, prompt_length: int) -> Session:
        """A session for the sequential twin: the model's own forward, full logits, a real crop of its cache."""
        ...


@dataclass(frozen=True)
class CachePolicy:
    """Which earlier tokens a position may still see. ``size`` is ``M`` in tokens.

    - ``none``: all of them.
    - ``window:M``: after every forward the last ``M`` entries stay, at absolute positions; the prompt is one forward.
    - ``legacy_head:M``: the upstream engine's crop. After every forward that leaves ``n > M`` entries, the *first*
      ``n - M`` stay and positions continue from there; a long context collapses to its first token every ``M`` tokens.
    """

    kind: Literal["none", "window", "legacy_head"] = "none"
    size: int = 0

    @classmethod
    def parse(cls, text: str, *, max_kv_tokens: int | None = None) -> CachePolicy:
        """Read ``none``, ``window:M`` or ``legacy_head:M``; ``max_kv_tokens=M`` of RT-SEG means ``legacy_head:M``.

        Raises:
            InvalidParameter: unknown policy, ``M < 1``, or both spellings at once with different meanings.
        """
        if not isinstance(text, str):
            raise InvalidParameter(f"expected a string, got {type(text).__name__}", field="cache_policy")
        kind, _, size = text.partition(":")
        if kind == "none" and not size:
            policy = cls()
        elif kind in ("window", "legacy_head") and size.isdecimal() and int(size) >= 1:
            policy = cls("window" if kind == "window" else "legacy_head", int(size))
        else:
            raise InvalidParameter(
                f"{text!r} is not 'none', 'window:M' or 'legacy_head:M' (M >= 1)", field="cache_policy"
            )
        if max_kv_tokens is None:
            return policy
        if isinstance(max_kv_tokens, bool) or not isinstance(max_kv_tokens, int) or max_kv_tokens < 1:
            raise InvalidParameter(f"expected an integer >= 1, got {max_kv_tokens!r}", field="max_kv_tokens")
        legacy = cls("legacy_head", max_kv_tokens)
        if policy not in (cls(), legacy):
            raise InvalidParameter(
                f"means legacy_head:{max_kv_tokens} but cache_policy is {text!r}", field="max_kv_tokens"
            )
        return legacy

    def within(self, longest: int) -> CachePolicy:
        """The policy for contexts of at most ``longest`` tokens: none where nothing would ever be evicted."""
        return CachePolicy() if self.kind == "legacy_head" and longest <= self.size else self

    def kept_head(self, length: int) -> int:
        """How many leading entries stay after a forward that left ``length`` (only ``legacy_head`` drops any)."""
        return length - self.size if self.kind == "legacy_head" and length > self.size else length

    def room(self, length: int) -> int | None:
        """How many tokens may follow ``length`` entries in one forward: a crop may only fall on its last token."""
        return max(1, self.size + 1 - length) if self.kind == "legacy_head" else None
