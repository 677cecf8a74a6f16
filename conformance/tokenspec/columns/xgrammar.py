"""XGrammar as a column: its jump-forward *string*, tokenised as servers tokenise it, is its answer to every query."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.areas.fast_forward.oracle.golden import vocabulary_of
from tokenspec.areas.fast_forward.oracle.vocabulary import inline_vocabulary
from tokenspec.areas.fast_forward.records import InlineVocabulary, Query
from tokenspec.columns import installed_version, not_installed
from tokenspec.columns.mask_steps import stepped

SAMPLE = 16


class XgrammarColumn:
    """The column ``xgrammar``."""

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {
            "name": "xgrammar",
            "version": installed_version("xgrammar") or "not installed",
            "language": "c++",
            "homepage": "https://github.com/mlc-ai/xgrammar",
        }

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Build the row's tokenizers now: that takes longer than an answer may."""
        del assets
        if installed_version("xgrammar") is None:
            raise not_installed("xgrammar")
        _of_row(model)

    def fast_forward(self, request: dict[str, Any]) -> dict[str, Any]:
        """The forced string and its ids; a string has no special tokens and no leftover."""
        if installed_version("xgrammar") is None:
            raise not_installed("xgrammar")
        if request["vocabulary"] is not None:
            raise Unsupported("takes no vocabulary without a tokenizer of transformers")
        fast, _, compiler = _of_row(request["model"])
        encode = vocabulary_of(request, request["model"]).encode
        prefix: list[int] = []
        for piece in request["prefix"]:
            if not isinstance(piece, str):
                raise Unsupported("special tokens as grammar items")
            prefix += encode(piece)
        matcher = _matcher(compiler, request["grammar"])
        for token in prefix:
            if not matcher.accept_token(token):
                raise Rejected("prefix-not-allowed", f"token {token} is not allowed")
        try:
            forced = matcher.find_jump_forward_string()
        except UnicodeDecodeError as error:
            raise Rejected("broken-character", f"its jump string raises UnicodeDecodeError: {error}") from error
        return {
            "prefix_tokens": prefix,
            "forced_bytes": forced,
            "accepting": matcher.is_completed(),
            "answers": [_answer(fast, matcher.fork(), forced, query) for query in request["queries"]],
        }

    def grammar_mask(self, request: dict[str, Any]) -> dict[str, Any]:
        """One matcher, asked step by step; its stop tokens are told apart."""
        if installed_version("xgrammar") is None:
            raise not_installed("xgrammar")
        if any(not isinstance(piece, str) for piece in request["prefix"]):
            raise Unsupported("special tokens as grammar items")
        engine, encode = _stepping(request)
        return stepped(engine, [token for piece in request["prefix"] for token in encode(piece)], request["steps"])


class _Stepping:
    """A matcher, step by step."""

    def __init__(self, matcher: Any, size: int, ends: Sequence[int]) -> None:
        self.matcher, self.size, self.ends = matcher, size, frozenset(ends)

    def mask(self) -> list[int]:
        return _masked(self.matcher, self.size)

    def take(self, token: int) -> bool:
        return 0 <= token < self.size and token not in self.ends and bool(self.matcher.accept_token(token))

    def back(self, count: int) -> None:
        self.matcher.rollback(count)


def _stepping(request: dict[str, Any]) -> tuple[_Stepping, Callable[[str], list[int]]]:
    """A matcher over the request's vocabulary, and how text is tokenised."""
    import xgrammar

    if request["vocabulary"] is None:
        _, info, compiler = _of_row(request["model"])
        engine = _Stepping(_matcher(compiler, request["grammar"]), info.vocab_size, info.stop_token_ids)
        return engine, vocabulary_of(request, request["model"]).encode
    small = inline_vocabulary(msgspec.convert(request["vocabulary"], InlineVocabulary))
    spelled = [*(data or b"" for data in small.bytes_of), b"<end>"]  # what has no bytes is special to it
    ends = [len(spelled) - 1]
    info = xgrammar.TokenizerInfo(spelled, vocab_type=xgrammar.VocabType.RAW, stop_token_ids=ends)
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    return _Stepping(_matcher(compiler, request["grammar"]), len(spelled), ends), small.encode


@lru_cache(maxsize=2)
def _of_row(model: str) -> tuple[Any, Any, Any]:
    import xgrammar

    from tokenspec.models import load

    fast = load(model).tokenizer
    try:
        info = xgrammar.TokenizerInfo.from_huggingface(fast)
    except Exception as error:
        raise Unsupported(f"does not load this vocabulary: {error}") from error
    return fast, info, xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)


def _matcher(compiler: Any, grammar: dict[str, Any]) -> Any:
    import xgrammar

    try:
        compiled = compiler.compile_grammar(_grammar(grammar))
    except RuntimeError as error:
        raise Rejected("invalid-grammar", str(error)) from error
    return xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=False)


def _grammar(grammar: dict[str, Any]) -> Any:
    import xgrammar

    if "json_schema" in grammar:
        return xgrammar.Grammar.from_json_schema(
            json.dumps(grammar["json_schema"]),
            any_whitespace=grammar.get("whitespace") == "flexible",
            separators=None if grammar.get("whitespace") == "flexible" else (",", ":"),
        )
    if "regex" in grammar:
        return xgrammar.Grammar.from_regex(grammar["regex"])
    texts = [grammar["literal"]] if "literal" in grammar else grammar.get("alternatives")
    if texts is None:
        raise Unsupported("sequences and special tokens")
    if not all(isinstance(text, str) for text in texts):
        raise Unsupported("literals that are not UTF-8")
    return xgrammar.Grammar.from_ebnf("root ::= " + " | ".join(json.dumps(text, ensure_ascii=False) for text in texts))


def _answer(fast: Any, matcher: Any, forced: str, query: dict[str, Any]) -> dict[str, Any]:
    asked = Query(**query)
    if asked.mode == "llguidance" and not asked.upstream:
        return {"unsupported": "a string has no window"}
    tokens = fast.encode(forced, add_special_tokens=False) if forced else []
    consumed = 0
    while consumed < len(tokens) and matcher.accept_token(tokens[consumed]):
        consumed += 1
    answer: dict[str, Any] = {"tokens": tokens, "leftover": "", "consumed": consumed}
    if tokens:
        answer["first_in_mask"] = consumed > 0
    if consumed == len(tokens):
        answer["forced_after"] = matcher.find_jump_forward_string()
        answer["next_tokens"] = _allowed(matcher, len(fast))
    return answer


def _allowed(matcher: Any, size: int) -> list[int]:
    """Some ids of the mask."""
    return _masked(matcher, size)[:SAMPLE]


def _masked(matcher: Any, size: int) -> list[int]:
    """The ids of the mask."""
    import xgrammar

    mask = xgrammar.allocate_token_bitmask(1, size)
    matcher.fill_next_token_bitmask(mask)
    words = mask[0].tolist()
    return [token for token in range(size) if words[token >> 5] >> (token & 31) & 1]
