"""What a schema refers to, values without an end, what earlier drafts wrote, names of objects, and looks ahead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tokenspec.areas.fast_forward.cases.build import closed, schema
from tokenspec.areas.fast_forward.cases.probing import probing
from tokenspec.store.records import Case

WHOLE, TEXT, NOTHING, YES = ({"type": kind} for kind in ("integer", "string", "null", "boolean"))
VALUES = ["null", "true", "1", "1.5", '"a"', '"ab"', "[]", "{}"]
DRAFT = "http://json-schema.org/draft-0{}/schema#"
HOME = "https://example.org/"
Told = Iterator[tuple[str, Any, Any, Sequence[Any]]]


def references() -> Told:
    """``$ref`` to an anchor, an identifier, and pointers below one."""
    by_anchor = {"$ref": "#here", "$defs": {"a": {"$anchor": "here", **NOTHING}, "b": {"$anchor": "there", **YES}}}
    yield "anchor", by_anchor, NOTHING, VALUES
    yield "dynamic-anchor", {"$ref": "#here", "$defs": {"a": {"$dynamicAnchor": "here", **NOTHING}}}, NOTHING, VALUES
    name = {"$ref": "urn:example:a", "$defs": {"a": {"$id": "urn:example:a", **NOTHING}, "b": YES}}
    yield "identifier", name, NOTHING, VALUES
    inner = {"$id": HOME + "inner/a", "$defs": {"x": WHOLE, "a b": YES, "a%b": TEXT}, **NOTHING}
    for slug, target, kept in (
        ("identifier-whole", HOME + "inner/a", NOTHING),
        ("identifier-empty-fragment", HOME + "inner/a#", NOTHING),
        ("identifier-and-pointer", HOME + "inner/a#/$defs/x", WHOLE),
        ("identifier-and-escapes", HOME + "inner/a#/$defs/a%20b", YES),
        ("identifier-relative", "inner/a", NOTHING),
        ("identifier-relative-pointer", "inner/a#/$defs/x", WHOLE),
        ("pointer-with-escapes", "#/$defs/inner/$defs/a%20b", YES),
        ("pointer-with-a-percent-sign", "#/$defs/inner/$defs/a%25b", TEXT),
    ):
        yield slug, {"$id": HOME + "root", "$ref": target, "$defs": {"inner": inner}}, kept, VALUES
    own = {"$id": HOME + "list", "type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": YES}}
    outer = {"$id": HOME + "root", "$ref": "list", "$defs": {"list": own, "x": WHOLE}}
    yield "pointer-from-an-identifier", outer, {"type": "array", "items": YES}, ["[]", "[true]", "[1]", "[null]"]
    near_by = {"$id": HOME + "list", "type": "array", "items": {"$ref": "#x"}, "$defs": {"x": {"$anchor": "x", **YES}}}
    outer = {"$id": HOME + "root", "$ref": "list", "$defs": {"list": near_by, "x": {"$anchor": "x", **WHOLE}}}
    yield "anchor-of-an-identifier", outer, {"type": "array", "items": YES}, ["[]", "[true]", "[1]", "[null]"]
    yield (
        "anchor-of-the-root",
        {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [NOTHING, {"$ref": "#b"}]}, "b": {"$anchor": "b", **YES}}},
        {"anyOf": [NOTHING, YES]},
        VALUES,
    )
    listed = {"anyOf": [NOTHING, {"$ref": "#/prefixItems/1"}], "prefixItems": [YES, TEXT]}
    yield "pointer-into-a-list", listed, {"anyOf": [NOTHING, TEXT]}, VALUES
    yield (
        "pointer-to-another",
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": NOTHING}},
        NOTHING,
        VALUES,
    )
    yield "beside-nothing-new", {**NOTHING, "$ref": "#/$defs/a", "$defs": {"a": True}}, NOTHING, VALUES
    tree = {"type": "array", "items": {"$ref": ""}}
    for slug, target in (("root", "#"), ("empty", "")):
        tree = {"type": "array", "items": {"$ref": target}}
        yield (
            f"{slug}-recursive",
            tree,
            {"type": "array", "items": {"$ref": "#"}},
            ["[]", "[[]]", "[[],[[]]]", "[1]", "[[]"],
        )
    same = {"$id": HOME + "a", "type": "array", "items": {"$ref": HOME + "a"}}
    yield (
        "identifier-recursive",
        same,
        {"type": "array", "items": {"$ref": "#"}},
        ["[]", "[[]]", "[[],[[]]]", "[1]", "[[]"],
    )


def drafts() -> Told:
    """What earlier drafts wrote."""
    lists = ["[]", "[null]", "[null,true]", "[null,true,1]", "[null,true,1,2]", "[true]", "[null,1]", '[null,true,"a"]']
    pair = {"type": "array", "prefixItems": [NOTHING, YES]}
    old = {"$schema": DRAFT.format(7), "type": "array", "items": [NOTHING, YES]}
    yield "items-list", {**old, "additionalItems": WHOLE}, {**pair, "items": WHOLE}, lists
    yield "items-list-closed", {**old, "additionalItems": False}, {**pair, "items": False}, lists
    yield "items-list-open", {**old, "minItems": 1}, {**pair, "minItems": 1}, lists
    yield (
        "further-items-without-list",
        {"type": "array", "items": NOTHING, "additionalItems": False, "$schema": DRAFT.format(7)},
        {"type": "array", "items": NOTHING},
        lists,
    )
    for draft in (3, 4, 6, 7):
        given = {"$schema": DRAFT.format(draft), "$ref": "#/definitions/a", "maxLength": 1, "definitions": {"a": TEXT}}
        yield f"ref-alone-{draft}", given, TEXT, VALUES
    later = {"$schema": "https://json-schema.org/draft/2019-09/schema", "$ref": "#/$defs/a", "$defs": {"a": TEXT}}
    yield "ref-beside-2019", {**later, "maxLength": 1}, {**TEXT, "maxLength": 1}, VALUES
    given = {"$schema": DRAFT.format(4), "$ref": "urn:a", "definitions": {"a": {"id": "urn:a", **NOTHING}}}
    yield "id", given, NOTHING, VALUES
    digits = list("0123456789")
    four = {"$schema": DRAFT.format(4), **WHOLE}
    for name, bounds, kept in (
        ("above", {"minimum": 3, "exclusiveMinimum": True}, {"minimum": 4}),
        ("from", {"minimum": 3, "exclusiveMinimum": False}, {"minimum": 3}),
        ("below", {"maximum": 6, "exclusiveMaximum": True}, {"maximum": 5}),
        ("to", {"maximum": 6, "exclusiveMaximum": False}, {"maximum": 6}),
    ):
        yield f"bound-{name}", {**four, **bounds}, {**WHOLE, **kept}, digits
        inverse = (
            {"minimum": 0, "exclusiveMaximum": 4 if name == "above" else 3}
            if "min" in str(bounds)
            else {"minimum": 6 if name == "below" else 7}
        )
        yield f"bound-not-{name}", {**four, "not": bounds, "minimum": 0}, {**WHOLE, "minimum": 0, **inverse}, digits


def names() -> Told:
    """``propertyNames``, patterns that share names, and what nothing beside evaluates."""
    rule: Any
    objects = ['{"a":null}', '{"b":null}', '{"ab":null}', '{"ba":null}', '{"a":null,"b":null}', '{"":null}', "{}"]
    objects += ['{"c":null}', '{"a":1}', '{"ab":1}', '{"b":1}', '{"abc":null}']
    further = {"type": "object", "additionalProperties": NOTHING}
    pattern: dict[str, Any] = {"type": "object", "additionalProperties": False}
    for name, rule, kept in (
        ("pattern", {"pattern": "^a"}, {"^a": NOTHING}),
        ("length", {"maxLength": 1}, {"^(?s:.)?$": NOTHING}),
        ("const", {"const": "a"}, {"^a$": NOTHING}),
        ("enum", {"enum": ["a", 1, "ab"]}, {"^ab?$": NOTHING}),
        ("choice", {"anyOf": [{"const": "a"}, {"minLength": 3}]}, {"^(?:a|(?s:.){3,})$": NOTHING}),
        ("kind", TEXT, {"": NOTHING}),
        ("nothing", True, {"": NOTHING}),
    ):
        yield f"names-{name}", {**further, "propertyNames": rule}, {**pattern, "patternProperties": kept}, objects
    yield "names-none", {**further, "propertyNames": False}, pattern, objects
    yield "names-of-another-kind", {**further, "propertyNames": WHOLE}, pattern, objects
    declared = {**closed([], {"a": NOTHING, "b": NOTHING}), "propertyNames": {"pattern": "^a"}}
    yield "names-of-declared", declared, closed([], {"a": NOTHING}), objects
    values: dict[str, Any] = {"additionalProperties": {"type": ["null", "integer"]}}
    declared = {"type": "object", "properties": {"a": NOTHING}, **values, "propertyNames": {"maxLength": 1}}
    rest: dict[str, Any] = {"^(?:[^a]|)$": {"type": ["null", "integer"]}}
    kept = {**closed([], {"a": NOTHING}), "patternProperties": rest}
    yield "names-of-declared-and-others", declared, kept, objects
    both = {**pattern, "patternProperties": {"^a": {"type": ["null", "integer"]}, "b$": NOTHING}}
    apart: dict[str, Any] = {
        "^a(?:(?s:.)*[^b])?$": {"type": ["null", "integer"]},
        "^a(?s:.)*b$": NOTHING,
        "^(?:[^a](?s:.)*)?b$": NOTHING,
    }
    yield "patterns-that-share-names", both, {**pattern, "patternProperties": apart}, objects
    with_others = {**both, "additionalProperties": WHOLE}
    apart_too = {**apart, "^(?:|[^ab]|[^a](?s:.)*[^b])$": WHOLE}
    yield (
        "patterns-that-share-names-and-others",
        with_others,
        {**pattern, "patternProperties": apart_too},
        [*objects, '{"c":1}', '{"":1}'],
    )
    two = {
        "type": "object",
        "allOf": [{"properties": {"a": NOTHING}, "additionalProperties": YES}, {"properties": {"b": YES}}],
    }
    kept = {**closed([], {"a": NOTHING, "b": YES}), "additionalProperties": YES}
    yield "further-of-one-of-two", two, kept, ['{"a":null,"b":true}', '{"b":true,"c":true}', '{"c":1}', '{"a":true}']
    none = {"type": "object", "properties": {"a": NOTHING}, "unevaluatedProperties": False}
    yield "unevaluated-none", none, closed([], {"a": NOTHING}), objects
    some: dict[str, Any] = {"type": "object", "properties": {"a": NOTHING}, "patternProperties": {"^b": WHOLE}}
    given, kept = {**some, "unevaluatedProperties": YES}, {**some, "additionalProperties": YES}
    yield "unevaluated-some", given, kept, [*objects, '{"c":true}', '{"b":true}']
    yield "unevaluated-alone", {"type": "object", "unevaluatedProperties": NOTHING}, further, objects
    lists = ["[]", "[null]", "[null,true]", "[null,1]", "[1]", "[true]"]
    first = {"type": "array", "prefixItems": [NOTHING]}
    yield "unevaluated-items", {**first, "unevaluatedItems": YES}, {**first, "items": YES}, lists
    yield "unevaluated-items-none", {**first, "unevaluatedItems": False}, {**first, "items": False}, lists
    yield (
        "unevaluated-items-alone",
        {"type": "array", "unevaluatedItems": NOTHING},
        {"type": "array", "items": NOTHING},
        lists,
    )


def unending() -> Told:
    """Lists and objects that hold themselves and so never end, where they are needed and where they are not."""
    itself = {"$ref": "#/$defs/x"}

    def beside_null(endless: dict[str, Any]) -> dict[str, Any]:
        return {"anyOf": [NOTHING, itself], "$defs": {"x": endless}}

    first: dict[str, Any] = {"type": "array", "prefixItems": [itself], "minItems": 1}
    second: dict[str, Any] = {"type": "array", "prefixItems": [NOTHING, itself], "minItems": 2}
    lists = ["null", "[]", "[[", "[null]", "[null,[", "[null,null]", "[null,null,null]"]
    for name, endless in (
        ("first", first),
        ("first-of-two", {**first, "prefixItems": [itself, NOTHING], "minItems": 2}),
        ("second", second),
        ("second-and-further", {**second, "items": NOTHING, "minItems": 3}),
        ("any", {"type": "array", "items": itself, "minItems": 1}),
        ("after-the-first", {"type": "array", "prefixItems": [NOTHING], "items": itself, "minItems": 2}),
    ):
        yield f"item-{name}", beside_null(endless), NOTHING, lists
    for name, some, most in (
        ("first", {"prefixItems": [itself]}, 0),
        ("second", {"prefixItems": [NOTHING, itself]}, 1),
        ("second-of-many", {"prefixItems": [NOTHING, itself], "items": NOTHING, "maxItems": 5}, 1),
        ("further", {"prefixItems": [NOTHING], "items": itself}, 1),
        ("further-of-some", {"prefixItems": [NOTHING], "items": itself, "maxItems": 3}, 1),
    ):
        given = {"type": "array", **some, "$defs": {"x": first}}
        yield f"item-not-needed-{name}", given, {"type": "array", "items": NOTHING, "maxItems": most}, lists
    objects = ["null", "{}", '{"a":null}', '{"a":null,"b":[', '{"a":{', '{"b":[', '{"c":{', '{"a":null,"c":null}']
    for name, endless in (
        ("needed", closed(["a"], {"a": itself})),
        ("after-another", closed(["b"], {"a": NOTHING, "b": itself})),
        ("further", {"type": "object", "additionalProperties": itself, "minProperties": 1}),
        ("by-size", {**closed([], {"a": itself}), "minProperties": 1}),
        ("by-size-after-another", {**closed([], {"a": NOTHING, "c": itself}), "minProperties": 2}),
    ):
        yield f"member-{name}", beside_null(endless), NOTHING, objects
    for name, members in (
        ("after-another", {"a": NOTHING, "b": itself}),
        ("before-another", {"0": itself, "a": NOTHING}),
        ("between", {"a": NOTHING, "b": itself, "c": NOTHING}),
    ):
        given = {**closed([], members), "$defs": {"x": first}}
        left = {member: rule for member, rule in members.items() if rule is not itself}
        yield f"member-not-needed-{name}", given, closed([], left), objects


def looks_ahead() -> Iterator[tuple[str, str, str, Sequence[Any]]]:
    """Look-aheads at the beginning of a text."""
    words = [a + b + c for a in "abc" for b in "abc" for c in ("", "a", "b", "c")]
    yield "third", "(?=..a)[abc]{3}", "[abc]{2}a", words
    yield "not-third", "(?!..a)[abc]{3}", "[abc]{2}[bc]", words
    yield "both", "(?=a)(?!ab)[abc]{2,3}", "a[ac][abc]?", words
    yield "behind-an-edge", "^(?!a|b)[abc]{2}$", "c[abc]", words
    yield "to-the-end", "(?=.*c$)[abc]{2}", "[abc]c", words
    yield "not-to-the-end", "(?!.*c$)[abc]{2,3}", "[abc]{1,2}[ab]", words
    yield "of-a-choice", "(?=ab|c)[abc]{3}", "(?:ab|c[abc])[abc]", words
    yield "of-nothing", "(?=)[ab]{2}", "[ab]{2}", words
    yield "longer-than-the-text", "(?=abc)[ab]{2,3}c?", "abc", words
    yield "any-case", "(?i)(?=A)[ab]{2}", "[aA][abAB]", [*words, "Ab", "AB", "aB", "Ba"]
    yield "any-case-inside", "(?=(?i)a)[aAb]{2}", "[aA][aAb]", [*words, "Ab", "AA", "bA"]


def cases() -> Iterator[Case]:
    """Cases ``json-*`` and ``regex-looks-*``."""
    named = "What a schema refers to, what earlier drafts wrote, or which names an object has."
    held = "What holds itself wherever it is needed never ends, so no text begins it."
    for family, kind, why in (
        ("ref-by", references, named),
        ("draft", drafts, named),
        ("members", names, named),
        ("unending", unending, held),
    ):
        for name, value, alike, texts in kind():
            slug = f"json-{family}-{name}"
            yield probing(slug, why, "JSON_SCHEMA", schema(value), texts, alike=schema(alike))
    for name, pattern, kept, texts in looks_ahead():
        why = f"A look-ahead at the beginning is a further set of texts: {pattern}"
        given = {"regex": pattern}
        yield probing(f"regex-looks-{name}", why, "REGULAR_EXPRESSION", given, texts, alike={"regex": kept})
        if "(?i)" in pattern:  # in the middle of a pattern it is not what others read
            continue
        quoted = [f'"{text}"' for text in texts]
        within = schema({**TEXT, "pattern": f"^{pattern.removeprefix('^').removesuffix('$')}$"})
        same = schema({**TEXT, "pattern": f"^(?:{kept})$"})
        yield probing(f"json-pattern-looks-{name}", why, "JSON_SCHEMA", within, quoted, alike=same)


CASES = tuple(cases())
