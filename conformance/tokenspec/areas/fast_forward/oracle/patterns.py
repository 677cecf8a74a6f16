"""A grammar as a pattern of Python's ``re``: the second opinion on which texts belong to it.

Written from the chapter, with code of neither the reference nor llguidance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from tokenspec.areas.fast_forward.records import Hex, data_of

FURTHER = re.compile(r"\\p|\\P|\[:|\(\?<[a-z]|\\x\{|\\z|\(\?[is:-]+\)")
"""What ``re`` has not, or not everywhere, and the package ``regex`` has."""
BRACES = re.compile(r"\\x\{([0-9A-Fa-f]+)\}")
KEYWORDS = {
    *("type", "const", "enum", "anyOf", "$ref", "minLength", "maxLength"),
    *("items", "prefixItems", "minItems", "maxItems", "properties", "required", "additionalProperties"),
}
ANNOTATIONS = {
    *("title", "description", "default", "examples", "$schema", "$id", "$comment", "$defs", "definitions"),
    *("deprecated", "readOnly", "writeOnly"),
}
PLAIN_POINTER = re.compile("#?|#/[^%]*")
WHOLE_NUMBER = "-?(?:0|[1-9][0-9]*)"
KINDS = {
    "integer": WHOLE_NUMBER,
    "number": rf"{WHOLE_NUMBER}(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?",
    "boolean": "(?:true|false)",
    "null": "null",
}
CHARACTER = r'(?:[^"\\\x00-\x1f\x7f]|\\["\\bfnrt]|\\u00(?:[01][0-9a-fA-F]|7[fF]))'
SHORT = {"\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def member(grammar: Mapping[str, Any], text: bytes) -> bool:
    """Whether a text belongs to a grammar without special tokens."""
    if "literal" in grammar:
        return text == data_in(grammar["literal"])
    if "alternatives" in grammar:
        return text in map(data_in, grammar["alternatives"])
    try:
        whole = text.decode()
    except UnicodeDecodeError:
        return False
    if FURTHER.search(str(grammar.get("regex", ""))):
        regex = import_module("regex")
        pattern = BRACES.sub(lambda found: f"\\U{int(found[1], 16):08x}", pattern_of(grammar))
        flags = regex.V0 | (regex.ASCII if "[:" in pattern else 0)
        return regex.fullmatch(pattern, whole, flags) is not None
    return re.fullmatch(pattern_of(grammar), whole, re.ASCII) is not None


def is_regular(grammar: Mapping[str, Any]) -> bool:
    """Whether the schema of a grammar, if it is one, is a pattern of ``re``."""
    schema = grammar.get("json_schema")
    plain = "most_whitespace" not in grammar and grammar.get("whitespace") != "spaced"
    return schema is None or (plain and _is_understood(schema, schema, ()))


def _is_understood(schema: Any, root: Any, inside: tuple[str, ...]) -> bool:
    if not isinstance(schema, Mapping) or not set(schema) <= {*KEYWORDS, *ANNOTATIONS}:
        return False
    said = set(schema) - ANNOTATIONS
    if "$ref" in schema:
        if not PLAIN_POINTER.fullmatch(schema["$ref"]):
            return False
        target = root
        for part in schema["$ref"].split("/")[1:]:
            target = target[part.replace("~1", "/").replace("~0", "~")]
        following = (*inside, schema["$ref"])
        return said == {"$ref"} and schema["$ref"] not in inside and _is_understood(target, root, following)
    for keyword in ("const", "enum", "anyOf"):
        if keyword in schema:
            if not said <= {keyword, *(() if keyword == "anyOf" else ("type",))}:
                return False
            inner = schema["anyOf"] if keyword == "anyOf" else []
            whole = not any(isinstance(value, float) for value in _constants(schema))
            return whole and all(_is_understood(each, root, inside) for each in inner)
    kinds = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    if ("array" in kinds and "items" not in schema) or (
        "object" in kinds and schema.get("additionalProperties") is not False
    ):
        return False
    inner = [*schema.get("properties", {}).values(), *schema.get("prefixItems", ())]
    inner += [schema["items"]] if schema.get("items", False) is not False else []
    return bool(kinds) and all(_is_understood(each, root, inside) for each in inner)


def _constants(schema: Mapping[str, Any]) -> list[Any]:
    return [*schema.get("enum", ()), schema.get("const")]


def data_in(value: Any) -> bytes:
    """The bytes of a text in a grammar, or of ``{"hex": ...}``."""
    return data_of(value if isinstance(value, str) else Hex(**value))


def pattern_of(grammar: Mapping[str, Any]) -> str:
    """A grammar without special tokens and broken characters, as a pattern for whole texts."""
    if "regex" in grammar:
        return f"(?:{grammar['regex']})"
    if "sequence" in grammar:
        return "".join(map(pattern_of, grammar["sequence"]))
    if "literal" in grammar:
        return re.escape(str(grammar["literal"]))
    gap = r"[ \n\r\t]*" if grammar.get("whitespace") == "flexible" else ""
    return _Schema(grammar["json_schema"], gap).any_of(grammar["json_schema"])


class _Schema:
    """Patterns of the parts of one schema."""

    def __init__(self, root: Any, gap: str) -> None:
        self.root, self.gap = root, gap
        self.comma, self.colon = f"{gap},{gap}", f"{gap}:{gap}"

    def any_of(self, schema: Mapping[str, Any]) -> str:
        if "$ref" in schema:
            target = self.root
            for part in schema["$ref"].split("/")[1:]:
                target = target[part.replace("~1", "/").replace("~0", "~")]
            return self.any_of(target)
        if "const" in schema or "enum" in schema:
            allowed = [schema["const"]] if "const" in schema else schema["enum"]
            return _either(self.constant(value) for value in allowed if _typed(value, schema.get("type")))
        if "anyOf" in schema:
            return _either(map(self.any_of, schema["anyOf"]))
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        return _either(KINDS.get(kind) or getattr(self, f"{kind}_of")(schema) for kind in kinds)

    def string_of(self, schema: Mapping[str, Any]) -> str:
        most = int(schema["maxLength"]) if "maxLength" in schema else ""
        return f'"{CHARACTER}{{{int(schema.get("minLength", 0))},{most}}}"'

    def array_of(self, schema: Mapping[str, Any]) -> str:
        first = [self.any_of(item) for item in schema.get("prefixItems", [])]
        open_end = schema["items"] is not False
        rest = self.any_of(schema["items"]) if open_end else "(?!)"
        least, most = schema.get("minItems", 0), schema.get("maxItems", float("inf"))
        most = most if open_end else min(most, len(first))

        def after(count: int) -> str:
            """What may follow ``count`` items."""
            if count >= most:
                return ""
            if count and count >= len(first):
                bounds = f"{max(least - count, 0)},{'' if most == float('inf') else int(most) - count}"
                return f"(?:{self.comma}{rest}){{{bounds}}}"
            item = first[count] if count < len(first) else rest
            more = f"{self.comma if count else ''}{item}{after(count + 1)}"
            return more if count < least else f"(?:{more})?"

        return rf"\[{self.gap}{after(0)}{self.gap}\]"

    def object_of(self, schema: Mapping[str, Any]) -> str:
        required = schema.get("required", [])
        return self.braces(
            [(name, self.any_of(value), name in required) for name, value in schema.get("properties", {}).items()]
        )

    def braces(self, members: Sequence[tuple[str, str, bool]]) -> str:
        started = unstarted = ""
        for name, value, needed in reversed(members):
            pair = f"{re.escape(json.dumps(name, ensure_ascii=False))}{self.colon}{value}"
            unstarted = f"{pair}{started}" if needed else f"(?:{pair}{started}|{unstarted})"
            started = f"(?:{self.comma}{pair}){'' if needed else '?'}{started}"
        return rf"\{{{self.gap}{unstarted}{self.gap}\}}"

    def constant(self, value: Any) -> str:
        if isinstance(value, str):
            return f'"{"".join(map(_spellings, value))}"'
        if isinstance(value, Mapping):
            return self.braces([(name, self.constant(item), True) for name, item in value.items()])
        if isinstance(value, list):
            return rf"\[{self.gap}{self.comma.join(map(self.constant, value))}{self.gap}\]"
        return re.escape(json.dumps(value))


def _either(patterns: Any) -> str:
    return f"(?:{'|'.join(patterns) or '(?!)'})"


def _typed(value: Any, kinds: str | Sequence[str] | None) -> bool:
    """Whether a constant is of the types beside it."""
    names = {str: "string", bool: "boolean", int: "integer", type(None): "null", list: "array", dict: "object"}
    name = names[type(value)]
    wanted = [kinds] if isinstance(kinds, str) else kinds
    return wanted is None or name in wanted or (name == "integer" and "number" in wanted)


def _spellings(char: str) -> str:
    """Every way a constant may write one character."""
    short = [re.escape("\\" + SHORT[char])] if char in SHORT else []
    if char >= " " and char != "\x7f":
        return short[0] if short else re.escape(char)
    return _either([*short, rf"\\u{ord(char):04x}", rf"\\u{ord(char):04X}"])
