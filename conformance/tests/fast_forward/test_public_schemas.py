"""Schemas as people publish them: how many are read, and forced bytes against llguidance's on walks through them.

Nothing is vendored: ``TOKENSPEC_SCHEMAS`` names a folder of JSON schemas, such as ``data`` of a checkout of
https://github.com/guidance-ai/jsonschemabench.
"""

import json
import os
import random
import re
from collections import Counter
from itertools import takewhile
from math import ceil
from pathlib import Path

import pytest

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward import JsonSchema, after, forced_bytes
from tokenspec_reference.fast_forward.engines import llguidance_json_schema

FOLDER = os.environ.get("TOKENSPEC_SCHEMAS")
SCHEMAS = ceil(1500 * float(os.environ.get("TOKENSPEC_SOAK_SHARE", "1")))
WALKS, STATES = 3, 40
CLOSING, OPENING = b'"]}', b",:{["
EARLIER = re.compile(r"draft-0[3467]")


def state_of(read, schema, **options):
    """The state before the first byte; None where the schema is refused."""
    try:
        return read(schema, **options)
    except TokenSpecError:
        return None


def differences(ours, theirs, rng, count):
    """The text so far, and the bytes that both allow, wherever one forces more on walks that close what they open."""
    for _ in range(WALKS):
        mine, other, text = ours, theirs, b""
        for _ in range(STATES):
            own, its = forced_bytes(mine)[0], forced_bytes(other)[0]
            same = takewhile(lambda pair: pair[0] == pair[1], zip(own, its, strict=False))
            shared = own[: sum(1 for _ in same)]
            count["states"] += 1
            count["forced"] += own == its != b""
            mine, other, text = after(mine, shared), after(other, shared), text + shared
            if own != its:
                count["differ"] += 1
                yield text, bytes(mine.allowed()), bytes(other.allowed())
            both = sorted({*mine.allowed()} & {*other.allowed()})
            if not both:
                break
            wanted = rng.choice([CLOSING, OPENING, range(0x20, 0x7F)])
            byte = rng.choice([one for one in both if one in wanted] or both)
            mine, other, text = mine.step(byte), other.step(byte), text + bytes((byte,))


def reason(schema, text, mine, its):
    """Why two engines that are both right, or llguidance alone, may force different bytes here."""
    if text.endswith((b"\\u", b"\\u0")):
        return "a name that is not declared has any \\u escape there, those of control characters here"
    if set(mine) == {*its, *b"."}:
        return "a bound number has a fraction of zeros here"
    if "\\s" in str(schema) and min({*mine} ^ {*its}) >= 0x80:
        return "white space of a pattern is that of Unicode there, that of ECMA 262 here"
    if EARLIER.search(str(schema.get("$schema"))) and re.search(r"'\$ref': '[^']*', '|, '\$ref'", repr(schema)):
        return "what stands beside $ref counts there, in drafts where it does not"
    if EARLIER.search(str(schema.get("$schema"))) and "'if': " in repr(schema):
        return "keywords that a draft had not yet say nothing there"
    return f"not known: {text[-40:]!r} allows {mine!r} here, {its!r} there"


@pytest.mark.soak
@pytest.mark.skipif(FOLDER is None, reason="TOKENSPEC_SCHEMAS names no folder of schemas")
def test_public_schemas():
    files = sorted(Path(FOLDER).rglob("*.json"))
    rng = random.Random(0)
    count, reasons = Counter(), Counter()
    for file in rng.sample(files, min(SCHEMAS, len(files))):
        schema = json.loads(file.read_text(encoding="utf-8"))
        ours, theirs = state_of(JsonSchema, schema), state_of(llguidance_json_schema, schema, whitespace_flexible=False)
        count.update(schemas=1, ours=ours is not None, theirs=theirs is not None, both=None not in (ours, theirs))
        for found in differences(ours, theirs, rng, count) if None not in (ours, theirs) else ():
            reasons[reason(schema, *found)] += 1
    print(dict(count), dict(reasons))
    assert not any(why.startswith("not known") for why in reasons)
    assert count["ours"] >= 0.8 * count["schemas"]
    assert count["both"] >= 0.95 * count["theirs"]
    assert count["differ"] <= 0.01 * count["states"]
    assert count["forced"] > 0.1 * count["states"]
