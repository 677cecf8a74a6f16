"""llguidance as a column. It answers every query with the one answer it has; settings it lacks are *unsupported*."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import msgspec

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas.fast_forward.oracle.llguidance_grammar import llguidance_grammar
from tokenspec.areas.fast_forward.oracle.vocabulary import inline_vocabulary
from tokenspec.areas.fast_forward.records import InlineVocabulary, Query
from tokenspec.columns import installed_version, not_installed
from tokenspec.columns.mask_steps import stepped

SAMPLE = 16


class LlguidanceColumn:
    """The column ``llguidance``."""

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {
            "name": "llguidance",
            "version": installed_version("llguidance") or "not installed",
            "language": "rust",
            "homepage": "https://github.com/guidance-ai/llguidance",
        }

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Build the row's tokenizers now: that takes longer than an answer may."""
        del assets
        if installed_version("llguidance") is None:
            raise not_installed("llguidance")
        _of_row(model)

    def fast_forward(self, request: dict[str, Any]) -> dict[str, Any]:
        """One matcher, asked as a server would ask it."""
        if installed_version("llguidance") is None:
            raise not_installed("llguidance")
        vocabulary = _vocabulary(request)
        prefix = vocabulary.prefix(request["prefix"])
        matcher = vocabulary.matcher(request["grammar"])
        if not matcher.consume_tokens(prefix):
            raise Rejected("prefix-not-allowed", matcher.get_error().splitlines()[0])
        accepting = matcher.is_accepting()
        answers = [_answer(matcher.deep_copy(), query) for query in request["queries"]]
        forced = matcher.compute_ff_bytes()
        return {
            "prefix_tokens": prefix,
            "forced_bytes": _written(forced),
            "accepting": accepting,
            "answers": answers,
        }

    def grammar_mask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One matcher, asked step by step; ids that end the sequence are told apart."""
        if installed_version("llguidance") is None:
            raise not_installed("llguidance")
        vocabulary = _vocabulary(request)
        engine = _Stepping(vocabulary.matcher(request["grammar"]), vocabulary.tokenizer)
        return stepped(engine, vocabulary.prefix(request["prefix"]), request["steps"])


class _Stepping:
    """A matcher, step by step."""

    def __init__(self, matcher: Any, tokenizer: Any) -> None:
        self.matcher, self.size = matcher, tokenizer.vocab_size
        self.ends = frozenset(tokenizer.eos_tokens)

    def mask(self) -> list[int]:
        return _ids(self.matcher.compute_bitmask())

    def take(self, token: int) -> bool:
        return 0 <= token < self.size and bool(self.matcher.try_consume_tokens([token]) == 1)

    def back(self, count: int) -> None:
        self.matcher.rollback(count)


def _ids(mask: bytes) -> list[int]:
    """The ids of a packed mask."""
    return [at * 8 + bit for at, byte in enumerate(mask) if byte for bit in range(8) if byte >> bit & 1]


class _Vocabulary:
    """A tokenizer on both sides: Python's for the prefix, llguidance's for the grammar."""

    def __init__(self, encode: Any, special_id: Any, tokenizer: Any) -> None:
        self.encode, self.special_id, self.tokenizer = encode, special_id, tokenizer

    def prefix(self, pieces: list[Any]) -> list[int]:
        ids: list[int] = []
        for piece in pieces:
            ids += self.encode(piece) if isinstance(piece, str) else [self.special_id(piece["special"])]
        return ids

    def matcher(self, grammar: dict[str, Any]) -> Any:
        import llguidance

        matcher = llguidance.LLMatcher(self.tokenizer, llguidance_grammar(grammar, self.special_id), log_level=0)
        if matcher.is_error():
            raise Rejected("invalid-grammar", matcher.get_error())
        return matcher


def _vocabulary(request: dict[str, Any]) -> _Vocabulary:
    if request["vocabulary"] is not None:
        small = inline_vocabulary(msgspec.convert(request["vocabulary"], InlineVocabulary))

        def id_of(name: str) -> int:
            if name not in small.special_ids:
                raise Rejected("unknown-special-token", name)
            return small.special_ids[name]

        return _Vocabulary(small.encode, id_of, small.llguidance())
    return _of_row(request["model"])


@lru_cache(maxsize=2)
def _of_row(model: str) -> _Vocabulary:
    """Both tokenizers of a row. llguidance's own takes a second to build."""
    import llguidance.hf

    from tokenspec.models import load

    fast = load(model).tokenizer
    try:
        tokenizer = llguidance.hf.from_tokenizer(fast)
    except Exception as error:
        raise Unsupported(f"does not load this vocabulary: {error}") from error

    def encode(piece: str) -> list[int]:
        return list(tokenizer.tokenize_bytes(piece.encode()))

    def special_id(name: str) -> int:
        found = fast.convert_tokens_to_ids(name)
        if not isinstance(found, int) or (found == fast.unk_token_id and name != fast.unk_token):
            raise Rejected("unknown-special-token", name)
        return found

    return _Vocabulary(encode, special_id, tokenizer)


def _answer(matcher: Any, query: dict[str, Any]) -> dict[str, Any]:
    """The forced tokens, and what the matcher says once it has taken them; ``matcher`` is a copy."""
    asked = Query(**query)
    if asked.mode == "llguidance" and not asked.upstream:
        return {"unsupported": "the window is fixed"}
    tokens = [int(token) for token in matcher.compute_ff_tokens()]
    forced = matcher.compute_ff_bytes()
    first = bool(tokens) and matcher.validate_tokens(tokens[:1]) == 1
    consumed = matcher.validate_tokens(tokens)
    answer: dict[str, Any] = {"tokens": tokens, "consumed": consumed}
    if tokens:
        answer["first_in_mask"] = first
    if consumed == len(tokens) and matcher.consume_tokens(tokens):
        left = matcher.compute_ff_bytes()
        answer["leftover"] = answer["forced_after"] = _written(left)
        answer["next_tokens"] = _ids(matcher.compute_bitmask())[:SAMPLE]
        if matcher.is_accepting() and not left:
            answer["next_tokens"] = []
    else:
        answer["leftover"] = _written(forced if not tokens else b"")
    return answer


def _written(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}
