"""Broken filters: JSON, white space, case, methods of text, lists, defaults, numbers, formats."""

from __future__ import annotations

import json
from typing import Any

from jinja2 import filters
from jinja2.utils import htmlsafe_json_dumps

from tokenspec.areas.mutant import Mutant
from tokenspec.areas.template_engine.mutants.edits import Edited, lookup, mutant, operator, replacing
from tokenspec_reference.renderers.template.sandbox import dumps

JSON_SPACES = " \t\n\r\x0b\x0c\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def filtered(slug: str, breaks: str, note: str, **replaced: Any) -> Mutant:
    """A mutant with other filters."""
    return mutant(slug, breaks, note, lambda: Edited(edit=replacing("filters", **replaced)))


def script_json(value: Any, **style: Any) -> str:
    def whole(item: Any) -> Any:
        if isinstance(item, float) and item == int(item):
            return int(item)
        if isinstance(item, dict):
            return {key: whole(inner) for key, inner in item.items()}
        return [whole(inner) for inner in item] if isinstance(item, list) else item

    return dumps(whole(value), **style)


def split_at_blank(value: Any, name: Any, right: Any) -> Any:
    if isinstance(value, str) and name == "split":
        return lambda separator=" ", limit=-1: value.split(separator or " ", limit)
    return right()


def join_converts(value: Any, name: Any, right: Any) -> Any:
    if isinstance(value, str) and name == "join":
        return lambda items: value.join(map(str, items))
    return right()


def strip_word(value: Any, name: Any, right: Any) -> Any:
    if isinstance(value, str) and name in {"strip", "rstrip"}:
        return lambda word=None: value.removesuffix(word) if word else getattr(str, name)(value)
    return right()


def ascii_upper(value: Any) -> str:
    return "".join(character.upper() if character.isascii() else character for character in str(value))


def ordered(value: Any, *_: Any, **options: Any) -> list[Any]:
    return sorted(value.items())


def default_for_none(value: Any, default: Any = "", boolean: bool = False) -> Any:
    return default if value is None else filters.do_default(value, default, boolean)


def half_up(value: Any, precision: int = 0, method: Any = "common") -> float:
    if method != "common":
        return float(filters.do_round(value, precision, method))
    scale = 10.0**precision
    return int(value * scale + 0.5) / scale


def rough_percent(left: Any, right: Any) -> Any:
    return left.replace("%s", str(right)) if isinstance(left, str) else left % right


def list_select(*arguments: Any, **options: Any) -> list[Any]:
    return list(filters.sync_do_select(*arguments, **options))


MUTANTS = (
    filtered(
        "json-html", "060", "Jinja's own: escapes markup, sorts", tojson=lambda x, **_: str(htmlsafe_json_dumps(x))
    ),
    filtered("json-sorted", "060", "sorts keys", tojson=lambda x, **style: dumps(x, **{**style, "sort_keys": True})),
    filtered(
        "json-ascii",
        "060",
        "escapes beyond ASCII",
        tojson=lambda x, **style: dumps(x, **{"ensure_ascii": True, **style}),
    ),
    filtered(
        "json-compact", "060", "no blanks", tojson=lambda x, **style: dumps(x, **{"separators": (",", ":"), **style})
    ),
    filtered("json-whole-floats", "060", "1.0 becomes 1", tojson=script_json),
    filtered("json-no-options", "061", "ignores its options", tojson=lambda x, *_, **__: dumps(x)),
    filtered(
        "json-jinja-order",
        "061",
        "indent comes first by place",
        tojson=lambda x, indent=None, **style: json.dumps(x, indent=indent, **{"ensure_ascii": False, **style}),
    ),
    filtered(
        "trim-ascii",
        "062",
        "only ASCII white space",
        trim=lambda value, chars=None: str(value).strip(chars or " \t\n\r\x0b\x0c"),
    ),
    filtered(
        "trim-script",
        "062",
        "the set of JavaScript",
        trim=lambda value, chars=None: str(value).strip(chars or JSON_SPACES),
    ),
    mutant("strip-word", "062", "an argument is a word", lambda: Edited(sandbox=lookup(strip_word))),
    filtered("title-method", "063", "begins words behind apostrophes", title=lambda value: str(value).title()),
    filtered("upper-ascii", "063", "only ASCII letters", upper=ascii_upper),
    filtered(
        "capitalize-keeps",
        "063",
        "leaves the rest alone",
        capitalize=lambda value: str(value)[:1].upper() + str(value)[1:],
    ),
    mutant("split-blank", "064", "cuts at every blank", lambda: Edited(sandbox=lookup(split_at_blank))),
    mutant("join-converts", "064", "the method joins anything", lambda: Edited(sandbox=lookup(join_converts))),
    filtered("dictsort-case", "065", "sorts by code point", dictsort=ordered),
    filtered("length-of-none", "065", "none has length 0", length=lambda value: 0 if value is None else len(value)),
    filtered("select-list", "066", "select gives a list", select=list_select),
    filtered("default-none", "067", "fills in for none", default=default_for_none),
    filtered("round-half-up", "068", "2.5 becomes 3", round=half_up),
    filtered(
        "int-whole-text",
        "068",
        "reads no decimals",
        int=lambda value, default=0, base=10: int(value) if str(value).isdigit() else default,
    ),
    filtered(
        "format-braces",
        "069",
        "the filter takes braces",
        format=lambda value, *args, **names: value.format(*args, **names),
    ),
    mutant("percent-text", "069", "knows %s only", lambda: Edited(sandbox=operator("%", rough_percent))),
    filtered(
        "indent-first",
        "070",
        "moves the first line too",
        indent=lambda s, width=4, first=False, blank=False: filters.do_indent(s, width, True, blank),
    ),
)
