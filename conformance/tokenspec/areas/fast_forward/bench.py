"""Forced tokens of one state, in both modes, against llguidance on the same states; and reading a vocabulary.

States come from the schemas of the corpus: texts made by chance, cut where something is forced. Every round asks each
state for the first time: grammars are built and walked outside the clock, so neither side profits from its memory.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

from tokenspec.benchmark import Bench, Figure, measure

ROWS = ("qwen3", "deepseek-v3")
ROUNDS, WARMUP = 5, 1
STATES_PER_SCHEMA = 6
LIMITS = {"llguidance": 1.2, "strict": 2.5}
FEW, MANY = 13, 4096  # alternatives
SOME = 256  # properties, and four times as many


@dataclass(frozen=True)
class Place:
    """A grammar and the bytes before a place where something is forced."""

    grammar: dict[str, Any]
    before: str


def places() -> list[Place]:
    """Places in texts of the corpus's schemas, the same in every run."""
    from tokenspec.areas import areas
    from tokenspec.areas.fast_forward.oracle.language import Language
    from tokenspec.areas.selection import load_cases

    rng = random.Random(0)
    found: list[Place] = []
    for case in load_cases(areas()["fast-forward"]):
        if not case.slug.startswith("schema-"):
            continue
        language = Language(case.input["grammar"])
        cuts = []
        for text in language.some_texts([b""] * 3, rng):
            cuts += [
                text[:at].decode() for at in range(len(text)) if text[:at].isascii() and language.forced(text[:at])
            ]
        found += [Place(case.input["grammar"], cut) for cut in rng.sample(cuts, min(STATES_PER_SCHEMA, len(cuts)))]
    return found


def run() -> Iterator[Figure]:
    """Two rows, two modes, and the vocabularies; then grammars that grow."""
    where = places()
    for row in ROWS:
        yield from on_row(row, where)
    yield from growth(ROWS[0])


def on_row(row: str, where: list[Place]) -> Iterator[Figure]:
    """One vocabulary: read it, then ask all places."""
    import llguidance.hf

    from tokenspec.models import load
    from tokenspec_reference.fast_forward import TokenBytes

    source = (load(row).directory / "tokenizer.json").read_text(encoding="utf-8")
    fast = load(row).tokenizer
    read = measure(
        {"ours": lambda: TokenBytes.from_json(source), "llguidance": lambda: llguidance.hf.from_tokenizer(fast)},
        rounds=3,
    )
    size = f"{len(TokenBytes.from_json(source).by_id):,} ids; bound 1.5 s"
    yield Figure(f"{row}: read the vocabulary", read["ours"], read["llguidance"], "llguidance", note=size)
    vocabulary, tokenizer = TokenBytes.from_json(source), llguidance.hf.from_tokenizer(fast)
    times = measure(
        {
            "llguidance (peer)": fresh(lambda: [peer_query(tokenizer, fast, place) for place in where]),
            "llguidance": fresh(lambda: [our_query(vocabulary, place, "llguidance") for place in where]),
            "strict": fresh(lambda: [our_query(vocabulary, place, "strict") for place in where]),
        },
        rounds=ROUNDS,
        warmup=WARMUP,
    )
    for mode, limit in LIMITS.items():
        yield Figure(
            f"{row}: forced tokens of a state, mode {mode}",
            times[mode] / len(where),
            times["llguidance (peer)"] / len(where),
            "llguidance",
            limit,
            note=f"{len(where)} states",
        )


def growth(row: str) -> Iterator[Figure]:
    """What many alternatives and many properties cost against few."""
    from tokenspec.models import load
    from tokenspec_reference.fast_forward import Alternatives, JsonSchema, TokenBytes, after, canonical_ff_tokens

    vocabulary = TokenBytes.from_json((load(row).directory / "tokenizer.json").read_text(encoding="utf-8"))
    names = {count: [f"order_{number * 7919 % 99_991}_id" for number in range(count)] for count in (FEW, MANY)}
    kinds: dict[str, Callable[[list[str]], Any]] = {
        "alternatives": Alternatives,
        "values of an enum": lambda texts: JsonSchema({"enum": texts}),
    }

    def query(make: Callable[[list[str]], Any], count: int, mode: Any) -> Callable[[], object]:
        grammar = make(names[count])
        return lambda: canonical_ff_tokens(vocabulary, grammar, mode=mode)

    for (kind, make), mode in product(kinds.items(), LIMITS):
        asked = {count: fresh(partial(lambda *given: [query(*given)], make, count, mode)) for count in names}
        times = measure({str(count): ask for count, ask in asked.items()}, rounds=ROUNDS, warmup=WARMUP)
        what = f"{row}: forced tokens of {MANY:,} {kind}, mode {mode}"
        yield Figure(what, times[str(MANY)], times[str(FEW)], f"{FEW} of them", 3)

    def walk(count: int) -> None:
        members = [f"p{number * 7919 % 99_991}" for number in range(count)]
        grammar = JsonSchema(
            {"properties": {name: {"type": "null"} for name in members}, "additionalProperties": False}
        )
        text = json.dumps(dict.fromkeys(members), separators=(",", ":")).encode()
        if after(grammar, text) is None:
            raise RuntimeError("the reference does not accept all properties")

    times = measure({"some": lambda: walk(SOME), "many": lambda: walk(4 * SOME)}, rounds=ROUNDS, warmup=WARMUP)
    what = f"{4 * SOME:,} optional properties, read and walked"
    yield Figure(what, times["many"], 4 * times["some"], f"four times {SOME} of them", 1.5)


def fresh(make: Callable[[], list[Callable[[], object]]]) -> Callable[[], object]:
    """A contender that has never seen its states: one prepared set for every round."""
    prepared = [make() for _ in range(ROUNDS + WARMUP)]

    def ask() -> None:
        for query in prepared.pop():
            query()

    return ask


def our_query(vocabulary: Any, place: Place, mode: Any) -> Callable[[], object]:
    """The reference at a place."""
    from tokenspec_reference.fast_forward import JsonSchema, after, canonical_ff_tokens

    grammar = JsonSchema(place.grammar["json_schema"], whitespace=place.grammar.get("whitespace", "compact"))
    recent = vocabulary.encode_isolated(place.before)
    state = after(grammar, place.before.encode())
    if state is None:
        raise RuntimeError(f"the reference does not accept {json.dumps(place.before)}")
    return lambda: canonical_ff_tokens(vocabulary, state, recent, mode=mode)


def peer_query(tokenizer: Any, fast: Any, place: Place) -> Callable[[], object]:
    """The peer at the same place, after the same tokens."""
    import llguidance

    from tokenspec.areas.fast_forward.oracle.llguidance_grammar import llguidance_grammar

    matcher = llguidance.LLMatcher(tokenizer, llguidance_grammar(place.grammar, lambda _: 0), log_level=0)
    if not matcher.consume_tokens(fast.encode(place.before, add_special_tokens=False)):
        raise RuntimeError(f"llguidance does not accept {json.dumps(place.before)}")
    result: Callable[[], object] = matcher.compute_ff_tokens
    return result


BENCH = Bench("fast-forward", "Forced tokens of a state", run)
