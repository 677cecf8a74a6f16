"""Two columns on thousands of generated states: the reference and llguidance, through the adapter protocol.

Wherever both force the same bytes, mode ``llguidance`` has to agree token for token. Strict answers are judged by
re-encoding, and by llguidance's own matcher.
"""

import os
import random
from collections import Counter
from math import ceil

import pytest

from tokenspec.areas import areas
from tokenspec.areas.fast_forward.area import rows
from tokenspec.areas.fast_forward.cases.generated import object_schema
from tokenspec.areas.fast_forward.oracle.language import Language
from tokenspec.areas.fast_forward.oracle.vocabulary import row_vocabulary
from tokenspec.columns.llguidance import LlguidanceColumn
from tokenspec.models import available, load, specs
from tokenspec.models.assets import assets_of
from tokenspec.store.records import Case
from tokenspec_reference.adapter import ReferenceAdapter

STATES = ceil(2_000 * float(os.environ.get("TOKENSPEC_SOAK_SHARE", "1")))
ANY = Case(
    id="fast-forward/any",
    area="fast-forward",
    flags=[],
    requires=[],
    why="",
    since="",
    input={"grammar": {}, "queries": []},
)
VOCABULARIES = rows(ANY, list(specs().values()))


def states(encode, count, rng):
    """Requests in the middle of texts of schemas made by chance; half of the prefixes are cut once more."""
    produced = 0
    while produced < count:
        grammar = {"json_schema": object_schema(rng, 0)}
        if rng.random() < 0.25:
            grammar["whitespace"] = "flexible"
        language = Language(grammar)
        for text in language.some_texts([b""] * 3, rng):
            cuts = [
                at
                for at in range(len(text))
                if text[:at].isascii() and (language.forced(text[:at]) or rng.random() < 0.1)
            ]
            for at in rng.sample(cuts, min(6, len(cuts))):
                before, cut = text[:at].decode(), rng.randint(0, at)
                produced += 1
                yield grammar, [before] if rng.random() < 0.5 else [before[:cut], before[cut:]]


@pytest.mark.soak
@pytest.mark.parametrize("row", VOCABULARIES)
def test_agreement(row, record_property):
    if available(row) is not None:
        pytest.skip(available(row))
    rng = random.Random(row)
    vocabulary = row_vocabulary(load(row))
    ours, theirs = ReferenceAdapter(), LlguidanceColumn()
    for column in (ours, theirs):
        column.load(row, assets_of(load(row)))
    count, reasons, wrong = Counter(), Counter(), []
    for grammar, prefix in states(vocabulary.encode, STATES, rng):
        request = {"model": row, "vocabulary": None, "grammar": grammar, "prefix": prefix}
        mine = ours.fast_forward({**request, "queries": [{"mode": "llguidance"}, {"mode": "strict"}]})
        other = theirs.fast_forward({**request, "queries": [{"mode": "llguidance"}]})
        count["states"] += 1
        count["forced"] += mine["forced_bytes"] != ""
        if mine["prefix_tokens"] != other["prefix_tokens"]:
            reasons["prefix tokenised differently (text that looks special)"] += 1
            continue
        if mine["forced_bytes"] != other["forced_bytes"]:
            reasons["forced bytes differ"] += 1
            continue
        expected, got = other["answers"][0]["tokens"], mine["answers"][0]["tokens"]
        strict = mine["answers"][1]
        count["agree"] += expected == got
        count["tokens llguidance"] += len(expected)
        count["tokens strict"] += len(strict["tokens"])
        if expected != got:
            wrong.append((grammar, prefix, expected, got))
        assert strict["consumed"] == len(strict["tokens"])
    record_property("counts", dict(count))
    print(row, dict(count), dict(reasons))
    assert not wrong, wrong[0]
    assert count["agree"] + sum(reasons.values()) == count["states"]
    assert count["agree"] >= 0.9 * STATES


def test_every_vocabulary_is_there_once():
    shas = [specs()[row].tokenizer.sha256 for row in VOCABULARIES]
    assert len(set(shas)) == len(shas) >= 12
    assert areas()["fast-forward"].oracle is not None
