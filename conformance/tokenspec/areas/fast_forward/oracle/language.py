"""Texts of a grammar, by llguidance's automaton over single bytes: what is forced, and what may follow."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tokenspec.areas.fast_forward.oracle.llguidance_grammar import llguidance_grammar

MOST_TEXTS = 200
MOST_SHORT_TEXTS = 1000
MOST_STATES = 50_000
LONGEST = 240
CLOSING = b'"}],'

SIGN = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=@]|%[0-9A-Fa-f]{2})"
PATH, TAIL = rf"(?:/(?:{SIGN}|:)*)*", rf"(?:\?(?:{SIGN}|[:/?])*)?(?:#(?:{SIGN}|[:/?])*)?"
ROOTED = rf"(?://[A-Za-z0-9.]*{PATH}|/(?:(?:{SIGN}|:)+{PATH})?)"
SCHEME = r"[A-Za-z][A-Za-z0-9+\-.]*:"
POINTER = "(?:/(?:[^~/]|~[01])*)*"
PATTERNS = {
    "uri-reference": rf"^(?:{SCHEME}(?:{ROOTED}|(?:{SIGN}|:)+{PATH})?|{ROOTED}|{SIGN}+{PATH}|){TAIL}$",
    "json-pointer": f"^{POINTER}$",
    "relative-json-pointer": f"^(?:0|[1-9][0-9]*)(?:#|{POINTER})$",
}
"""Formats that llguidance does not know; authorities are plain names."""


@cache
def _byte_tokenizer() -> Any:
    import llguidance

    return llguidance.LLTokenizer("byte", slices=[])


def _spelled_out(grammar: Any) -> Any:
    """Formats that llguidance does not know as patterns."""
    if isinstance(grammar, list):
        return [_spelled_out(each) for each in grammar]
    if not isinstance(grammar, Mapping):
        return grammar
    own = {"pattern": PATTERNS[grammar["format"]]} if grammar.get("format") in PATTERNS else {}
    return {name: _spelled_out(value) for name, value in grammar.items() if not own or name != "format"} | own


class Language:
    """The texts of a grammar without special tokens, after some bytes."""

    def __init__(self, grammar: Mapping[str, Any], consumed: bytes = b"") -> None:
        """Compile the grammar and walk to the state after ``consumed``.

        Raises:
            ValueError: the grammar is malformed or does not allow these bytes.
        """
        import llguidance

        def no_special(name: str) -> int:
            raise ValueError(f"special token {name} among bytes")

        text = llguidance_grammar(_spelled_out(grammar), no_special)
        self.matcher = llguidance.LLMatcher(_byte_tokenizer(), text, log_level=0)
        if self.matcher.is_error() or not self.matcher.consume_tokens(list(consumed)):
            raise ValueError(self.matcher.get_error().splitlines()[0])

    def after(self, data: bytes) -> Any | None:
        """The matcher after more bytes, or None."""
        copy = self.matcher.deep_copy()
        return copy if copy.try_consume_tokens(list(data)) == len(data) else None

    def viable(self, data: bytes) -> bool:
        """Whether some text goes on with these bytes."""
        return self.allowed_of(data) == len(data)

    def allowed_of(self, data: bytes) -> int:
        """How many of these bytes may come next, one after the other."""
        return int(self.matcher.validate_tokens(list(data)))

    def complete(self, data: bytes) -> bool:
        """Whether the text may end after these bytes."""
        state = self.after(data)
        return state is not None and bool(state.is_accepting())

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return bool(self.matcher.is_accepting())

    def forced(self, consumed: bytes = b"") -> bytes:
        """The bytes forced after ``consumed``, one by one from the masks, not what llguidance itself would force."""
        state, data = self.after(consumed), bytearray()
        if state is None:
            raise ValueError("the grammar does not allow these bytes")
        while not state.is_accepting() and len(choices := allowed(state)) == 1:
            data += choices
            state.consume_token(choices[0])
        return bytes(data)

    def all_texts(self, longest: int | None = None) -> list[bytes] | None:
        """Every way to go on, if there are at most 200 and none is long; or every one of up to ``longest`` bytes."""
        most = MOST_TEXTS if longest is None else MOST_SHORT_TEXTS
        left = MOST_STATES
        found: list[bytes] = []
        stack = [(b"", self.matcher.deep_copy())]
        while stack:
            text, state = stack.pop()
            if state.is_accepting():
                found.append(text)
            choices = allowed(state)
            if longest is not None and len(text) == longest:
                continue
            left -= len(choices)
            if left < 0 or len(found) + len(stack) + len(choices) > most or (choices and len(text) > LONGEST):
                return None
            for byte in reversed(choices):
                following = state.deep_copy()
                following.consume_token(byte)
                stack.append((text + bytes([byte]), following))
        return found

    def some_texts(self, starts: list[bytes], rng: random.Random) -> Iterator[bytes]:
        """One text that goes on with each of ``starts``, closed by chance; starts that lead nowhere give none."""
        for start in starts:
            state = self.after(start)
            text = bytearray(start)
            while state is not None and not (state.is_accepting() and rng.random() < 0.5):
                choices = allowed(state)
                if not choices or len(text) > LONGEST:
                    break
                closing = bytes(byte for byte in choices if byte in CLOSING)
                ordinary = bytes(byte for byte in choices if 32 <= byte < 127) or choices
                byte = rng.choice(closing if closing and rng.random() < 0.4 else ordinary)
                text.append(byte)
                state.consume_token(byte)
            if state is not None and state.is_accepting():
                yield bytes(text)


def allowed(state: Any) -> bytes:
    """The bytes a matcher allows next, ascending."""
    mask = state.compute_bitmask()
    return bytes(
        8 * at + bit for at, members in enumerate(mask[:32]) if members for bit in range(8) if members >> bit & 1
    )
