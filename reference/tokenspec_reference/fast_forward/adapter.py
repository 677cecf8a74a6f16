"""The operation ``fast_forward`` of the adapter protocol: a vocabulary, a grammar, a prefix, and queries about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from tokenspec_reference.errors import TokenSpecError, placed
from tokenspec_reference.fast_forward.canonical import canonical_ff_tokens
from tokenspec_reference.fast_forward.errors import (
    InvalidGrammar,
    InvalidPrefix,
    InvalidQuery,
    SchemaError,
    UnknownSpecialToken,
)
from tokenspec_reference.fast_forward.grammars import (
    Alternatives,
    Grammar,
    InOrder,
    JsonSchema,
    Literal,
    Regex,
    Special,
)
from tokenspec_reference.fast_forward.mask import allowed_tokens
from tokenspec_reference.fast_forward.matcher import Matcher, after, forced_bytes, viable
from tokenspec_reference.fast_forward.small_bpe import small_vocabulary
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

SAMPLE = 16  # ids of the next mask that are reported
SETTINGS = ("whitespace", "most_whitespace")
QUERY_FIELDS = {"mode", "max_tokens", "max_length", "grammar_check"}


VOCABULARY = "bytes of tokens"
"""What a row keeps its vocabulary as, for the many requests about it."""


class Model(Protocol):
    """What this operation needs of a loaded row."""

    @property
    def directory(self) -> str:
        """A Hugging Face tokenizer folder."""
        ...

    @property
    def kept(self) -> dict[str, Any]:
        """What was made of the row before."""
        ...


def fast_forward(request: dict[str, Any], models: Mapping[str, Model]) -> dict[str, Any]:
    """Answer every query about one grammar after one prefix.

    Args:
        request: ``model`` (a row id) or ``vocabulary`` (an inline one), ``grammar``, ``prefix`` (pieces of text, each
            tokenised for itself, or ``{"special": name}``), ``queries`` (keyword arguments of ``canonical_ff_tokens``),
            ``probes`` (texts after the prefix).
        models: the loaded rows.

    Returns:
        ``prefix_tokens``, ``forced_bytes``, ``accepting``, one answer for each query, and for each probe how many of
        its bytes are allowed and whether it is a complete text. Bytes are a string where they are UTF-8, else
        ``{"hex": ...}``.
    """
    vocabulary = vocabulary_of(request, models)
    with placed(place_in_grammar):
        start = read_grammar(request["grammar"], vocabulary)
    with placed("/prefix"):
        prefix_tokens = prefix_tokens_of(request.get("prefix", []), vocabulary)
        state = after(start, vocabulary.raw(prefix_tokens))
        if state is None:
            raise InvalidPrefix("the grammar does not allow this prefix", field="prefix")
    with placed("/grammar"):
        forced, _ = forced_bytes(state)
    answers = []
    for index, query in enumerate(request["queries"]):
        with placed(f"/queries/{index}"):
            answers.append(_answer(vocabulary, state, prefix_tokens, query))
    return {
        "prefix_tokens": prefix_tokens,
        "forced_bytes": written(forced),
        "accepting": state.accepting(),
        "answers": answers,
        "probes": [_probed(state, read_bytes(probe)) for probe in request.get("probes") or ()],
    }


def read_grammar(grammar: Mapping[str, Any], vocabulary: TokenBytes) -> Grammar:
    """A grammar from its JSON form: one of ``literal alternatives regex json_schema special sequence``."""
    kind = next((key for key in grammar if key not in SETTINGS), "")
    value = grammar.get(kind)
    if kind == "literal":
        return Literal(read_bytes(value))
    if kind == "alternatives" and isinstance(value, list):
        return Alternatives([read_bytes(item) for item in value])
    if kind == "regex" and isinstance(value, str):
        return Regex(value)
    if kind == "json_schema" and isinstance(value, Mapping):
        return JsonSchema(value, **{key: grammar[key] for key in SETTINGS if key in grammar})
    if kind == "special":
        return Special(_special(value, vocabulary))
    if kind == "sequence" and isinstance(value, list):
        return InOrder([read_grammar(item, vocabulary) for item in value])
    raise InvalidGrammar(
        "expected one of literal, alternatives, regex, json_schema, special, sequence", field="grammar"
    )


def read_bytes(value: Any) -> bytes:
    """Bytes from their JSON form: text, or ``{"hex": ...}`` where they are not UTF-8."""
    try:
        return value.encode() if isinstance(value, str) else bytes.fromhex(value["hex"])
    except (TypeError, KeyError, ValueError):
        raise InvalidGrammar('expected text or {"hex": "c3a9"}', field="bytes") from None


def written(data: bytes) -> str | dict[str, str]:
    """The JSON form of bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}


def _answer(
    vocabulary: TokenBytes, state: Matcher, prefix_tokens: Sequence[int], query: Mapping[str, Any]
) -> dict[str, Any]:
    unknown = set(query) - QUERY_FIELDS
    if unknown:
        raise InvalidQuery(f"known fields: {', '.join(sorted(QUERY_FIELDS))}", field=f"queries.{min(unknown)}")
    tokens, leftover = canonical_ff_tokens(vocabulary, state, prefix_tokens, **query)
    current: Matcher | None = state
    consumed = 0
    for token_id in tokens:
        current = after(current, vocabulary.raw((token_id,)))
        consumed += current is not None
    result: dict[str, Any] = {"tokens": tokens, "leftover": written(leftover), "consumed": consumed}
    if tokens:
        result["first_in_mask"] = viable(state, vocabulary.raw(tokens[:1]))
    if current is not None:
        result["forced_after"] = written(forced_bytes(current)[0])
        result["next_tokens"] = list(islice(allowed_tokens(vocabulary, current), SAMPLE))
    return result


def place_in_grammar(error: TokenSpecError) -> str:
    """Errors of schemas point into the schema (``#/properties/a``)."""
    in_schema = isinstance(error, SchemaError) and (error.field or "").startswith("#")
    return f"/grammar/json_schema{(error.field or '')[1:]}" if in_schema else "/grammar"


def _probed(state: Matcher, text: bytes) -> tuple[int, bool]:
    for count, byte in enumerate(text):
        following = state.step(byte)
        if following is None:
            return count, False
        state = following
    return len(text), state.accepting()


def prefix_tokens_of(pieces: Sequence[Any], vocabulary: TokenBytes) -> list[int]:
    """The pieces of a prefix, each tokenised for itself."""
    ids: list[int] = []
    for index, piece in enumerate(pieces):
        with placed(f"/prefix/{index}"):
            if isinstance(piece, str):
                ids += vocabulary.encode_isolated(piece)
            else:
                ids.append(_special(piece["special"], vocabulary))
    return ids


def _special(name: Any, vocabulary: TokenBytes) -> int:
    if name not in vocabulary.special_ids:
        raise UnknownSpecialToken(f"{name!r} is not a special token of this vocabulary", field="special")
    return vocabulary.special_ids[name]


def vocabulary_of(request: Mapping[str, Any], models: Mapping[str, Model]) -> TokenBytes:
    """The vocabulary a request brings along, or that of its row."""
    inline = request.get("vocabulary")
    if inline is not None:
        with placed("/vocabulary"):
            return small_vocabulary(*map(read_bytes, inline["merged"]), special=inline.get("special", ()))
    model = models.get(request.get("model", ""))
    if model is None:
        raise TokenSpecError("expected a loaded row", field="model")
    if VOCABULARY not in model.kept:
        path = Path(model.directory) / "tokenizer.json"
        model.kept[VOCABULARY] = TokenBytes.from_json(path.read_text(encoding="utf-8"))
    found: TokenBytes = model.kept[VOCABULARY]
    return found
