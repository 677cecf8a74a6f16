"""Where a prompt ends and a grammar begins: the last tokens of the prompt may not be what a model would have read.

A prompt that ends with a space, or within a word, ends with tokens that the text has no more once it goes on. What has
to change is said as data: so many tokens are taken back, these follow, and those bytes have to come next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenspec_reference.fast_forward.canonical import WINDOW_TOKENS, Mode, windowed_tokens
from tokenspec_reference.fast_forward.errors import InvalidQuery
from tokenspec_reference.fast_forward.matcher import Matcher, after, forced_bytes
from tokenspec_reference.fast_forward.strict import common, strict_tokens
from tokenspec_reference.fast_forward.vocabulary import TokenBytes


@dataclass(frozen=True, slots=True)
class Healed:
    """What becomes of the end of a prompt.

    Attributes:
        back: how many tokens of the prompt are taken back.
        tokens: ids that follow what is left of it; forced ones are among them.
        leftover: bytes that have to come next, of the prompt and of what is forced.
        state: the grammar after ``tokens``; it begins with what of the prompt they do not spell.
    """

    back: int
    tokens: list[int]
    leftover: bytes
    state: Matcher


@dataclass(frozen=True, slots=True)
class Preceded:
    """A grammar behind a text that is not empty."""

    text: bytes
    grammar: Matcher

    def accepting(self) -> bool:
        """Never: the text comes first."""
        return False

    def allowed(self) -> Iterable[int]:
        """The next byte of the text."""
        return self.text[:1]

    def step(self, byte: int) -> Matcher | None:
        """One byte less."""
        return _behind(self.text[1:], self.grammar) if byte == self.text[0] else None

    def literal(self) -> tuple[bytes, Matcher]:
        """The text."""
        return self.text, self.grammar


def heal(vocabulary: TokenBytes, matcher: Matcher, prompt: Sequence[int], *, mode: Mode = "strict") -> Healed:
    """Fit the end of a prompt to a grammar that begins behind it.

    Args:
        vocabulary: token bytes and encoder.
        matcher: the grammar before its first byte.
        prompt: the tokens so far; special tokens stay, and nothing before the last of them changes.
        mode: "strict" takes back what some canonical text does not have, "llguidance" does what its
            ``process_prompt`` does.

    Returns:
        What to take back, to append, and to expect. Nothing is taken back of a text that the tokenizer cannot spell,
        and in strict mode none of a tokenizer of which nothing is proven.

    Raises:
        TokenSpecError: an id outside the vocabulary, an unknown mode, or too many forced bytes.
    """
    if mode not in ("llguidance", "strict"):
        raise InvalidQuery('expected "llguidance" or "strict"', field="mode")
    ids = vocabulary.checked(prompt, "prompt")
    start = next((at + 1 for at in reversed(range(len(ids))) if vocabulary.by_id[ids[at]] is None), 0)
    open_ids = ids[start:]
    text = vocabulary.bytes_of(open_ids) or b""
    context: tuple[int, ...] = ()
    if not _spelled(vocabulary, text) or (mode == "strict" and vocabulary.pipeline is None):
        text, context, open_ids = b"", ids, ()
    forced, following = forced_bytes(matcher)
    whole, state = text + forced, _behind(text, matcher)
    if not whole:
        return Healed(0, [], b"", matcher)
    if mode == "strict":
        tokens, leftover = strict_tokens(vocabulary, whole, following, context, grammar_check=True)
    else:
        tokens, leftover = windowed_tokens(
            vocabulary, whole, context, following, max_tokens=WINDOW_TOKENS, max_length=None
        )
    reached = after(state, vocabulary.raw(tokens))
    if reached is None:  # llguidance's tokens may spell another text
        return Healed(0, [], forced, matcher)
    kept = len(common(open_ids, tokens))
    return Healed(len(open_ids) - kept, tokens[kept:], leftover, reached)


def _behind(text: bytes, grammar: Matcher) -> Matcher:
    return Preceded(text, grammar) if text else grammar


def _spelled(vocabulary: TokenBytes, text: bytes) -> bool:
    try:
        ids = vocabulary.encode_isolated(text.decode())
    except UnicodeDecodeError:
        return False
    return vocabulary.bytes_of(ids) == text
