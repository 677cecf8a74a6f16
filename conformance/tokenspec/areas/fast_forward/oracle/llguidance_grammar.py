"""Our JSON form of a grammar in llguidance's words (Lark with embedded JSON schemas)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from tokenspec.adapters import Unsupported

MEMBERS = {
    "d": "0-9",
    "w": "0-9A-Za-z_",
    "s": "\\t-\\r ",
    "D": r"\x00-\/:-\x{10FFFF}",
    "W": r"\x00-\/:-@\[-\^`{-\x{10FFFF}",
    "S": r"\x00-\x08\x0E-\x1F!-\x{10FFFF}",
}

EDGES = ("^", "$", "\\A", "\\z")
PARTS = re.compile(r"\[:\^?[a-z]+:\]|\(\?|\\.|.", re.DOTALL)

SpecialId = Callable[[str], int]


def llguidance_grammar(grammar: Mapping[str, Any], special_id: SpecialId) -> str:
    """The grammar as text for ``LLMatcher``. One terminal each, so that a lexer cannot split an alternative.

    Raises:
        Unsupported: bytes that are not UTF-8 have no spelling in Lark.
    """
    import llguidance

    if "json_schema" in grammar:
        return str(llguidance.LLMatcher.grammar_from_json_schema(grammar["json_schema"], overrides=spacing(grammar)))
    rules: list[str] = []
    start = " ".join(_item(part, rules, special_id) for part in grammar.get("sequence", [grammar]))
    return str(llguidance.LLMatcher.grammar_from_lark("\n".join([f"start: {start}", *rules])))


def _item(grammar: Mapping[str, Any], rules: list[str], special_id: SpecialId) -> str:
    name = f"T{len(rules)}"
    if "special" in grammar:
        return f"<[{special_id(grammar['special'])}]>"
    if "literal" in grammar:
        rules.append(f"{name}: {_quoted(grammar['literal'])}")
    elif "alternatives" in grammar:
        rules.append(f"{name}: {' | '.join(map(_quoted, grammar['alternatives']))}")
    elif "regex" in grammar:
        rules.append(f"{name}: /{_ascii_classes(_whole(grammar['regex']))}/")
    elif "json_schema" in grammar:
        name = name.lower()
        schema = {**grammar["json_schema"], "x-guidance": spacing(grammar)}
        rules.append(f"{name}: %json {json.dumps(schema)}")
    else:
        raise Unsupported(f"grammar kind {next(iter(grammar), 'none')}")
    return name


def spacing(grammar: Mapping[str, Any]) -> dict[str, Any]:
    """The options of llguidance for our white space."""
    if grammar.get("whitespace") == "spaced":
        return {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
    if "most_whitespace" in grammar:
        pattern = f"[\\x20\\x0A\\x0D\\x09]{{0,{grammar['most_whitespace']}}}"
        return {"whitespace_flexible": True, "whitespace_pattern": pattern}
    return {"whitespace_flexible": grammar.get("whitespace") == "flexible"}


def _quoted(text: Any) -> str:
    if not isinstance(text, str):
        raise Unsupported("literals that are not UTF-8 have no spelling in Lark")
    return json.dumps(text, ensure_ascii=False)


def _whole(pattern: str) -> str:
    """Without edges, which Lark has not and a whole text does not need, and with greedy quantifiers only."""
    result, in_class, quantified = "", False, False
    for part in PARTS.findall(pattern):
        if not in_class and (part in EDGES or (part == "?" and quantified)):
            quantified = False
            continue
        in_class = part == "[" or (in_class and part != "]")
        quantified = not in_class and part in ("*", "+", "?", "}")
        result += part
    return result


def _ascii_classes(pattern: str) -> str:
    r"""``\d \w \s`` as ranges, because there they mean Unicode classes; ``/`` escaped."""
    result, at, in_class = "", 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            following = pattern[at + 1 : at + 2]
            members = MEMBERS.get(following, char + following)
            result += f"[{members}]" if following in MEMBERS and not in_class else members
            at += 2
            continue
        in_class = char == "[" or (in_class and char != "]")
        result += "\\/" if char == "/" else char
        at += 1
    return result
