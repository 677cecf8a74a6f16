"""Fast-forward: the tokens a grammar forces, in the canonical tokenisation (``spec/40-fast-forward.md``)."""

from tokenspec_reference.fast_forward.canonical import canonical_ff_tokens, tokenize_partial
from tokenspec_reference.fast_forward.debugging import dbg_tokens, decode_str
from tokenspec_reference.fast_forward.enumeration import canonical_continuations, longest_canonical, violations
from tokenspec_reference.fast_forward.grammars import (
    Alternatives,
    Grammar,
    InOrder,
    JsonSchema,
    Literal,
    Regex,
    Special,
)
from tokenspec_reference.fast_forward.healing import Healed, heal
from tokenspec_reference.fast_forward.mask import allowed_tokens, mask_ranges
from tokenspec_reference.fast_forward.matcher import Matcher, after, forced_bytes, viable
from tokenspec_reference.fast_forward.small_bpe import small_vocabulary
from tokenspec_reference.fast_forward.tokenize import is_canonical, tokenize_bytes
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

__all__ = [
    "Alternatives",
    "Grammar",
    "Healed",
    "InOrder",
    "JsonSchema",
    "Literal",
    "Matcher",
    "Regex",
    "Special",
    "TokenBytes",
    "after",
    "allowed_tokens",
    "canonical_continuations",
    "canonical_ff_tokens",
    "dbg_tokens",
    "decode_str",
    "forced_bytes",
    "heal",
    "is_canonical",
    "longest_canonical",
    "mask_ranges",
    "small_vocabulary",
    "tokenize_bytes",
    "tokenize_partial",
    "viable",
    "violations",
]
