"""What forcing saves, and what it costs, on texts of the corpus's schemas.

A text is written as a server would have it: forced tokens are appended, then a model that knows the text samples one
token, the canonical one as long as the tokens so far are. A window of no token keeps all forced tokens.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from tokenspec.areas import areas
from tokenspec.areas.fast_forward.oracle.language import Language
from tokenspec.areas.fast_forward.oracle.llguidance_grammar import llguidance_grammar, spacing
from tokenspec.areas.selection import load_cases
from tokenspec.benchmark import Bench, Figure

ROWS = ("qwen3", "llama-3.2", "deepseek-v3")
MOST_TEXTS = 60
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("window 0", {"max_tokens": 0}),
    ("window 1", {"max_tokens": 1}),
    ("window 2", {"max_tokens": 2}),
    ("window 4", {"max_tokens": 4}),
    ("window 4, no grammar check", {"max_tokens": 4, "grammar_check": False}),
    ("strict", {"mode": "strict"}),
)


class Writer(Protocol):
    """A grammar engine at work on one text."""

    def forced(self, tokens: Sequence[int]) -> list[int]:
        """What it appends behind these tokens, which it has taken."""

    def take(self, tokens: Sequence[int]) -> None:
        """Move on."""


@dataclass
class Tally:
    """Counts over texts: bytes, tokens, those that were forced, and those of the model that no canonical text has."""

    size: int = 0
    tokens: int = 0
    forced: int = 0
    foreign: int = 0

    @property
    def share(self) -> float:
        """Forced tokens among all."""
        return self.forced / max(self.tokens, 1)

    @property
    def note(self) -> str:
        """The other two figures."""
        foreign = self.foreign / max(self.tokens - self.forced, 1)
        return f"{foreign:.2%} of the model's tokens not canonical, {self.size / max(self.tokens, 1):.2f} bytes a token"


def run() -> Iterator[Figure]:
    """Every row and setting against llguidance itself."""
    texts = texts_of_schemas()
    for row in ROWS:
        yield from on_row(row, texts)


def texts_of_schemas() -> list[tuple[dict[str, Any], bytes]]:
    """Grammars and texts of theirs, the same in every run."""
    rng = random.Random(0)
    found = []
    for case in load_cases(areas()["fast-forward"]):
        grammar = case.input["grammar"]
        if case.slug.startswith("schema-") and case.outcome == "ok" and "json_schema" in grammar:
            found += [(grammar, text) for text in Language(grammar).some_texts([b""], rng) if text.isascii()]
    return sorted(rng.sample(found, min(MOST_TEXTS, len(found))), key=lambda one: one[1])


def on_row(row: str, texts: list[tuple[dict[str, Any], bytes]]) -> Iterator[Figure]:
    """One vocabulary."""
    import llguidance.hf

    from tokenspec.models import load
    from tokenspec_reference.fast_forward import TokenBytes

    loaded = load(row)
    vocabulary = TokenBytes.from_json((loaded.directory / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer = llguidance.hf.from_tokenizer(loaded.tokenizer)
    peer = written(vocabulary, texts, lambda grammar: Upstream(tokenizer, grammar))
    for name, query in SETTINGS:
        ours = written(vocabulary, texts, partial(Reference, vocabulary, query=query))
        yield Figure(f"{row}: forced tokens, {name}", ours.share, peer.share, "llguidance", note=ours.note, unit="%")
    over = written(vocabulary, texts, partial(Reference, vocabulary, query={"mode": "strict"}, over_peer=True))
    what = f"{row}: forced tokens, llguidance itself"
    yield Figure(what, peer.share, over.share, "strict over its matcher", 1, note=over.note, unit="%")


class Reference:
    """The reference on one text."""

    def __init__(
        self, vocabulary: Any, grammar: dict[str, Any], query: dict[str, Any], *, over_peer: bool = False
    ) -> None:
        """Stand before the text; ``over_peer`` asks llguidance which byte may come next, not our own automaton."""
        from tokenspec_reference.fast_forward import JsonSchema, engines

        self.vocabulary, self.query = vocabulary, query
        schema = grammar["json_schema"]
        self.state: Any = (
            engines.llguidance_json_schema(schema, **spacing(grammar))
            if over_peer
            else JsonSchema(schema, whitespace=grammar.get("whitespace", "compact"))
        )

    def forced(self, tokens: Sequence[int]) -> list[int]:
        """In the setting that is measured."""
        from tokenspec_reference.fast_forward import canonical_ff_tokens

        return canonical_ff_tokens(self.vocabulary, self.state, list(tokens), **self.query)[0]

    def take(self, tokens: Sequence[int]) -> None:
        """Over their bytes."""
        from tokenspec_reference.fast_forward import after

        self.state = after(self.state, self.vocabulary.raw(tokens))


class Upstream:
    """llguidance on one text."""

    def __init__(self, tokenizer: Any, grammar: dict[str, Any]) -> None:
        """Stand before the text."""
        import llguidance

        self.matcher = llguidance.LLMatcher(tokenizer, llguidance_grammar(grammar, lambda _: 0), log_level=0)

    def forced(self, tokens: Sequence[int]) -> list[int]:
        """What it would append."""
        del tokens
        return [int(token) for token in self.matcher.compute_ff_tokens()]

    def take(self, tokens: Sequence[int]) -> None:
        """Consume."""
        self.matcher.consume_tokens(list(tokens))


def written(
    vocabulary: Any, texts: list[tuple[dict[str, Any], bytes]], start: Callable[[dict[str, Any]], Writer]
) -> Tally:
    """Write every text."""
    tally = Tally()
    for grammar, text in texts:
        write(vocabulary, text, start(grammar), tally)
    return tally


def write(vocabulary: Any, text: bytes, writer: Writer, tally: Tally) -> None:
    """Forced tokens, one of the model, and so on to the end of the text."""
    canonical: list[int] = vocabulary.encode_isolated(text.decode())
    spans = set(spans_of(vocabulary, canonical))
    tokens: list[int] = []
    size = 0
    while size < len(text):
        more = writer.forced(tokens)
        by_model = [] if more else [next_token(vocabulary, canonical, tokens, text[size:])]
        taken = [*more, *by_model]
        writer.take(taken)
        tally.forced += len(more)
        tally.tokens += len(taken)
        end = size + len(vocabulary.raw(taken))
        tally.foreign += bool(by_model) and (size, end) not in spans
        tokens += taken
        size = end
    tally.size += len(text)


def next_token(vocabulary: Any, canonical: list[int], tokens: list[int], rest: bytes) -> int:
    """The canonical token, or the first of what is left."""
    if tokens == canonical[: len(tokens)]:
        return canonical[len(tokens)]
    first: int = vocabulary.encode_isolated(rest.decode())[0]
    return first


def spans_of(vocabulary: Any, tokens: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where each token begins and ends."""
    at = 0
    for token in tokens:
        length = len(vocabulary.raw((token,)))
        yield at, at + length
        at += length


BENCH = Bench("forced", "Share of forced tokens, and what it costs", run)
