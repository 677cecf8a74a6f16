"""Schemas and patterns that are refused: what has no grammar, a wrong kind of value, and what is too large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.fast_forward.cases.build import closed, refused, schema
from tokenspec.areas.fast_forward.cases.schemas import nested
from tokenspec.store.records import Case

WHOLE, TEXT, NOTHING = ({"type": kind} for kind in ("integer", "string", "null"))
NOT_UNDERSTOOD: dict[str, tuple[str, dict[str, Any]]] = {
    "not-multiple": ("multipleOf", {**WHOLE, "not": {"multipleOf": 2}}),
    "not-names": ("propertyNames", {"type": "object", "not": {"propertyNames": {"maxLength": 1}}}),
    "not-first-items": ("prefixItems", {"not": {"prefixItems": [WHOLE]}}),
    "not-further-items": ("additionalItems", {"not": {"items": [WHOLE], "additionalItems": False}}),
    "not-names-by-pattern": ("patternProperties", {"not": {"patternProperties": {"a": WHOLE}}}),
    "not-unique": ("uniqueItems", {"not": {"uniqueItems": True}}),
    "not-contains": ("contains", {"not": {"contains": WHOLE}}),
    "not-unevaluated-items": ("unevaluatedItems", {"not": {"unevaluatedItems": False}}),
    "not-unevaluated-members": ("unevaluatedProperties", {"not": {"unevaluatedProperties": False}}),
    "not-number": ("const", {"not": {"const": 1}}),
    "not-list": ("enum", {"type": ["array", "null"], "not": {"enum": ["a", []]}}),
    "not-object": ("enum", {"type": ["object", "null"], "not": {"enum": [{}, "a"]}}),
    "unevaluated-beside-further": (
        "unevaluatedProperties",
        {"additionalProperties": {}, "unevaluatedProperties": {}},
    ),
    "unevaluated-beside-items": ("unevaluatedItems", {"items": WHOLE, "unevaluatedItems": WHOLE}),
    **{
        f"unevaluated-beside-{keyword.strip('$').lower()}": (
            "unevaluatedItems",
            {keyword: value, "unevaluatedItems": WHOLE, "$defs": {"a": {}}},
        )
        for keyword, value in (
            ("$ref", "#/$defs/a"),
            ("anyOf", [{}]),
            ("oneOf", [{}]),
            ("if", {}),
            ("dependentSchemas", {}),
            ("dependencies", {}),
        )
    },
    "unique-two": ("uniqueItems", {"type": "array", "items": WHOLE, "uniqueItems": True, "maxItems": 2}),
    "contains-in-an-enum": ("contains", {"enum": [[1], "a"], "contains": WHOLE}),
    "dynamic-reference": ("$dynamicRef", {"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a"}}}),
    "recursive-reference": ("$recursiveRef", {"$recursiveRef": "#"}),
    "if-unknown-opposite": ("items", {"type": "array", "if": {"items": WHOLE}, "then": {"minItems": 1}}),
}
WRONG: dict[str, tuple[str, Any]] = {
    "unique-number": ("/uniqueItems", {"type": "array", "uniqueItems": 1}),
    "multiple-text": ("/multipleOf", {"multipleOf": "2"}),
    "multiple-true": ("/multipleOf", {"multipleOf": True}),
    "multiple-negative": ("/multipleOf", {"multipleOf": -2}),
    "above-text": ("/exclusiveMinimum", {"exclusiveMinimum": "2"}),
    "below-nothing": ("/exclusiveMaximum", {"exclusiveMaximum": None}),
    "minimum-true": ("/minimum", {"minimum": True, "exclusiveMinimum": True}),
    "format-number": ("/format", {"format": 1}),
    "pattern-list": ("/pattern", {"pattern": ["a"]}),
    "pattern-malformed": ("/pattern", {**TEXT, "pattern": "a("}),
    "pattern-looks-ahead-inside": ("/pattern", {**TEXT, "pattern": "a(?=b)"}),
    "pattern-looks-ahead-anywhere": ("/pattern", {**TEXT, "pattern": "(?!a)b"}),
    "pattern-with-many-states": ("/pattern", {**TEXT, "pattern": "a(a|b){15}$"}),
    "patterns-with-many-states": (
        "/allOf/1/pattern",
        {**TEXT, "allOf": [{"pattern": f"^(?:a{{{n}}})*$"} for n in (150, 151)]},
    ),
    "names-list": ("/patternProperties", {"patternProperties": ["a"]}),
    "names-by-malformed-pattern": ("/patternProperties/a(", {"patternProperties": {"a(": WHOLE}}),
    "names-by-many-patterns": ("/patternProperties", {"patternProperties": {f"{name}$": WHOLE for name in "abcdefg"}}),
    "items-number": ("/items", {"type": "array", "items": 1}),
    "first-items-number": ("/prefixItems/1", {"type": "array", "prefixItems": [WHOLE, 1]}),
    "further-text": ("/additionalProperties", {"type": "object", "additionalProperties": "a"}),
    "names-of-number": ("/propertyNames", {"type": "object", "propertyNames": 1}),
    "not-text": ("/not", {"not": "a"}),
    "then-text": ("/then", {"if": WHOLE, "then": "a"}),
    "all-of-empty": ("/allOf", {"allOf": []}),
    "one-of-no-list": ("/oneOf", {"oneOf": WHOLE}),
    "all-of-number": ("/allOf/1", {"allOf": [WHOLE, 1]}),
    "dependent-list": ("/dependentRequired", {"dependentRequired": ["a"]}),
    "dependent-number": ("/dependentRequired/a", {"dependentRequired": {"a": 1}}),
    "dependent-names": ("/dependentRequired/a~1~0", {"dependentRequired": {"a/~": ["b", 1]}}),
    "dependent-schema": ("/dependentSchemas/a", {"dependentSchemas": {"a": "b"}}),
    "required-place": ("/required/1", {"required": ["a", 1]}),
    "const-nested": ("/const" + "/a" * 64, {"const": nested(70, lambda inner: {"a": inner})}),
    "enum-nested": ("/enum/1" + "/0" * 64, {"enum": [1, nested(70, lambda inner: [inner])]}),
    "all-of-nested": ("/allOf/0" * 64, nested(70, lambda inner: {"allOf": [inner]})),
    "properties-nested": (
        "/properties/a" * 64,
        nested(70, lambda inner: {"properties": {"a": inner}}),
    ),
    "many-combinations": (
        "",
        {"allOf": [{"anyOf": [{"minLength": 3 * at + by} for by in (0, 1, 2)]} for at in range(6)]},
    ),
    "reference-list": ("/$ref", {"$ref": ["#"]}),
    "reference-beyond-a-list": ("/$ref", {"$ref": "#/anyOf/2", "anyOf": [WHOLE, TEXT]}),
    "reference-no-index": ("/$ref", {"$ref": "#/anyOf/-1", "anyOf": [WHOLE, TEXT]}),
    "reference-into-a-number": ("/$ref", {"$ref": "#/maxLength/a", "maxLength": 1}),
    "reference-into-a-text": ("/$ref", {"$ref": "#/title/0", "title": "a"}),
    "reference-to-an-unknown-anchor": ("/$ref", {"$ref": "urn:a#b", "$defs": {"a": {"$id": "urn:a"}}}),
    "reference-below-an-identifier": ("/$ref", {"$ref": "urn:a#/b", "$defs": {"a": {"$id": "urn:a"}}}),
    "reference-around": ("/allOf/0", {"$ref": "#/allOf/0", "allOf": [{"$ref": "#/allOf/0"}]}),
    "nothing": ("", {"not": {"type": ["null", "boolean", "number", "string", "array", "object"]}}),
    "no-boolean": ("", {"type": "boolean", "not": {"enum": [True, False]}}),
    "no-null": ("", {**NOTHING, "not": {"const": None}}),
    "no-number": ("", {**WHOLE, "minimum": 5, "exclusiveMaximum": 5}),
    "no-multiple": ("", {"type": "number", "multipleOf": 4, "minimum": 1, "maximum": 3}),
    "no-number-beside-an-unknown-keyword": ("", {"type": "number", "minimum": 5, "maximum": 3, "contains": {}}),
    "no-text": ("", {**TEXT, "pattern": "^a$", "not": {"const": "a"}}),
    "no-length": ("", {**TEXT, "pattern": "^a{2}$", "maxLength": 1}),
    "no-format": ("", {**TEXT, "format": "date", "maxLength": 9}),
    "no-member": ("", {"type": "object", "required": ["a"], "properties": {"a": False}}),
    "no-name": ("", {"type": "object", "required": ["ab"], "propertyNames": {"maxLength": 1}}),
    "no-members": ("", {**closed([], {"a": WHOLE}), "minProperties": 2}),
    "few-members": ("", {"type": "object", "required": ["a", "b"], "maxProperties": 1}),
    "no-item": ("", {"type": "array", "prefixItems": [WHOLE, False], "minItems": 2}),
    "no-end": ("", {"type": "array", "prefixItems": [{"$ref": "#"}], "minItems": 1}),
    "no-constant": ("", {"enum": [1, 2, "a"], "minimum": 3, "minLength": 2}),
    "both-of-one": ("", {"oneOf": [WHOLE, WHOLE]}),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "white-space-true": {"most_whitespace": True},
    "white-space-text": {"most_whitespace": "2"},
    "white-space-negative": {"most_whitespace": -1},
    "white-space-fraction": {"most_whitespace": 1.5},
    "white-space-unknown": {"whitespace": "compact "},
}
PATTERNS = {
    "nested": "(" * 65 + "a" + ")" * 65,
    "property-ended": r"\p",
    "property-surrogates": r"\p{Cs}",
    "class-property-unknown": r"[\p{La}]",
    "look-ahead-later": "b(?:(?=a)a)",
    "look-ahead-repeated": "(?=a)*a",
    "look-ahead-open": "(?=a",
    "look-ahead-no-text": "(?=b)a",
    "not-and-looked-for": "(?=a)(?!a)[ab]",
    "edge-end-first": "$a",
    "edge-start-last": "a^",
    "edge-escape-repeated": r"\A+a",
    "edge-of-another-dialect": r"a\Z",
    "flag-none": "(?)a",
    "flag-unknown-off": "(?i-m:a)",
    "name-empty": "(?<>a)",
    "name-digit": "(?<1>a)",
    "name-open": "(?<a",
    "name-quoted": "(?P'a'b)",
    "count-wide": "a{1\u0662}",
    "hexadecimal-without-digits": r"\x{}",
    "hexadecimal-long": r"\x{0000041}",
    "hexadecimal-sign": r"\x+1",
    "unicode-letters": r"\u{zz}",
    "class-open-posix": "[[:alpha]",
    "class-posix-negated-unknown": "[[:^none:]]",
    "class-bracket-later": "[a[b]]",
    "class-and-first": "[&&a]",
    "class-range-open": "[a-",
    "class-range-to-posix": "[a-[:digit:]]",
    "states": "(?=.*a)(?:a|b)*a(?:a|b){15}",
    "counts": "(?=a)(?:a{300}){300}",
}


def cases() -> Iterator[Case]:
    """Cases ``refused-json-*``, ``refused-setting-*`` and ``refused-regex-*``."""
    for name, (keyword, value) in NOT_UNDERSTOOD.items():
        why = "What has no grammar is refused by the name of its keyword."
        yield refused(f"refused-json-{name}", why, "FFT-040", grammar=schema(value), names=keyword)
    for name, (place, value) in WRONG.items():
        why = "A value of a wrong kind, a schema too large, or one that no value satisfies."
        where = f"/grammar/json_schema{place}"
        yield refused(f"refused-json-{name}", why, "FFT-041", "unsupported-schema", where, grammar=schema(value))
    for name, settings in SETTINGS.items():
        why = "A setting that makes no sense."
        given = {**schema(WHOLE), **settings}
        yield refused(f"refused-setting-{name}", why, "FFT-041", "unsupported-schema", "/grammar", grammar=given)
    for name, pattern in PATTERNS.items():
        yield refused(f"refused-regex-{name}", "Outside the syntax.", "FFT-041", grammar={"regex": pattern})


CASES = tuple(cases())
