r"""Grammars of other engines as matchers: what llguidance or XGrammar allows, one byte at a time.

Both are given a vocabulary of the 256 bytes, so their masks say which byte may come next; the rest (forced bytes,
canonical tokens, masks over real vocabularies) follows as for any matcher. Their states are mutable: each state here
owns a copy, made before a byte is taken. Special tokens and the bytes of ``Special`` are not part of such a grammar.

The packages are imported when a grammar is made; without them that is a ``MissingEngine``.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Self

from tokenspec_reference.fast_forward.errors import InvalidGrammar, MissingEngine
from tokenspec_reference.fast_forward.matcher import MARKER, Remembering

BYTES = 256
END = BYTES  # the id of the end of a text, where an engine wants one


def llguidance_lark(grammar: str) -> LlguidanceState:
    """A grammar in llguidance's Lark.

    Raises:
        MissingEngine: llguidance is not installed.
        InvalidGrammar: llguidance refuses the grammar.
    """
    return _llguidance(lambda matcher: matcher.grammar_from_lark(grammar))


def llguidance_regex(pattern: str) -> LlguidanceState:
    """A regular expression of llguidance, which the whole text matches; errors as of ``llguidance_lark``."""
    return _llguidance(lambda matcher: matcher.grammar_from_regex(pattern))


def llguidance_json_schema(schema: Mapping[str, Any], **options: Any) -> LlguidanceState:
    """A JSON schema as llguidance reads it, with its options (``whitespace_flexible``); errors as before."""
    return _llguidance(lambda matcher: matcher.grammar_from_json_schema(json.dumps(schema), overrides=options or None))


def xgrammar_ebnf(grammar: str, root: str = "root") -> XgrammarState:
    """A grammar in XGrammar's EBNF.

    Raises:
        MissingEngine: XGrammar is not installed.
        InvalidGrammar: XGrammar refuses the grammar.
    """
    return _xgrammar(lambda grammars: grammars.from_ebnf(grammar, root_rule_name=root))


def xgrammar_regex(pattern: str) -> XgrammarState:
    """A regular expression of XGrammar, which the whole text matches; errors as of ``xgrammar_ebnf``."""
    return _xgrammar(lambda grammars: grammars.from_regex(pattern))


def xgrammar_json_schema(schema: Mapping[str, Any], **options: Any) -> XgrammarState:
    """A JSON schema as XGrammar reads it, with its options (``any_whitespace``); errors as before."""
    return _xgrammar(lambda grammars: grammars.from_json_schema(json.dumps(schema), **options))


class EngineState(Remembering, ABC):
    """A state of an engine's matcher; ``engine`` is a copy of its own, and stays as it is."""

    def __init__(self, engine: Any) -> None:
        super().__init__()
        self._engine = engine
        self._allowed: bytes | None = None
        self._next: dict[int, Self] = {}

    @abstractmethod
    def accepting(self) -> bool:
        """Whether the bytes so far are a complete text."""

    @abstractmethod
    def mask(self) -> bytes:
        """Which bytes may come next, as bits, the lowest first."""

    @abstractmethod
    def engine_after(self, byte: int) -> Any:
        """A copy of the engine that took an allowed byte."""

    def allowed(self) -> bytes:
        """The bytes that may come next, ascending."""
        if self._allowed is None:
            self._allowed = _members(self.mask())
        return self._allowed

    def step(self, byte: int) -> Self | None:
        """The state after ``byte``; this one stays as it is."""
        if byte not in self.allowed():
            return None
        if byte not in self._next:
            self._next[byte] = type(self)(self.engine_after(byte))
        return self._next[byte]


class LlguidanceState(EngineState):
    """A state of an llguidance matcher."""

    _literal: tuple[bytes, LlguidanceState] | None = None

    def literal(self) -> tuple[bytes, LlguidanceState]:
        """The bytes it would force, up to a special token, and the state after them: one copy instead of one a byte."""
        if self._literal is None:
            forced = bytes(self._engine.deep_copy().compute_ff_bytes()).partition(bytes((MARKER,)))[0]
            if forced:
                engine = self._engine.deep_copy()
                engine.consume_tokens(list(forced))
            self._literal = (forced, LlguidanceState(engine) if forced else self)
        return self._literal

    def accepting(self) -> bool:
        """Whether the bytes so far are a complete text."""
        return bool(self._engine.is_accepting())

    def mask(self) -> bytes:
        """Which bytes may come next, as bits."""
        return bytes(self._engine.compute_bitmask())

    def engine_after(self, byte: int) -> Any:
        """A copy that took the byte."""
        engine = self._engine.deep_copy()
        engine.consume_token(byte)
        return engine


class XgrammarState(EngineState):
    """A state of an XGrammar matcher."""

    def accepting(self) -> bool:
        """Whether the bytes so far are a complete text."""
        return bool(self._engine.is_completed())

    def mask(self) -> bytes:
        """Which bytes may come next, as bits; an engine that allows everything writes no mask."""
        numpy = import_module("numpy")
        words = numpy.zeros((1, BYTES // 32 + 1), dtype=numpy.int32)
        constrained = self._engine.fill_next_token_bitmask(words)
        return bytes(words.tobytes()) if constrained else b"\xff" * (BYTES // 8)

    def engine_after(self, byte: int) -> Any:
        """A fork that took the byte."""
        engine = self._engine.fork()
        engine.accept_token(byte)
        return engine


def _members(mask: bytes) -> bytes:
    """The bytes of a bit mask; 0xFF, which no text contains, is the mark of special tokens and not among them."""
    return bytes(
        8 * at + bit
        for at, members in enumerate(mask[: BYTES // 8])
        if members
        for bit in range(8)
        if members >> bit & 1 and 8 * at + bit < BYTES - 1
    )


def _engine(name: str, package: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingEngine(f"{package} is not installed: pip install {package} ({error})", field="engine") from error


def _llguidance(read: Callable[[Any], str]) -> LlguidanceState:
    llguidance = _engine("llguidance", "llguidance")
    try:
        engine = llguidance.LLMatcher(_byte_tokenizer(), read(llguidance.LLMatcher), log_level=0)
    except ValueError as error:
        raise InvalidGrammar(f"llguidance refuses it: {error}", field="grammar") from None
    if engine.is_error():
        raise InvalidGrammar(f"llguidance refuses it: {engine.get_error()}", field="grammar")
    return LlguidanceState(engine)


@lru_cache(maxsize=1)
def _byte_tokenizer() -> Any:
    return import_module("llguidance").LLTokenizer("byte", slices=[])


def _xgrammar(read: Callable[[Any], Any]) -> XgrammarState:
    xgrammar = _engine("xgrammar", "xgrammar")
    try:
        compiled = _byte_compiler().compile_grammar(read(xgrammar.Grammar))
    except RuntimeError as error:
        raise InvalidGrammar(f"XGrammar refuses it: {error}", field="grammar") from None
    return XgrammarState(xgrammar.GrammarMatcher(compiled))


@lru_cache(maxsize=1)
def _byte_compiler() -> Any:
    xgrammar = import_module("xgrammar")
    alphabet = [bytes((byte,)) for byte in range(BYTES)]
    info = xgrammar.TokenizerInfo(
        [*alphabet, b"<end>"], xgrammar.VocabType.RAW, vocab_size=BYTES + 1, stop_token_ids=[END]
    )
    return xgrammar.GrammarCompiler(info, max_threads=1)
