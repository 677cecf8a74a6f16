"""Which control tokens a rendered text owes to its template alone: what ``isolated`` encoding has to give.

Text a caller typed is found by changing one string of the request at a time (see ``attribution``), wherever it stands:
bodies, parts, names, schemas, argument keys, role names, options. What is left was written by the template, and only
there may the spelling of a control token become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tokenspec.oracle.attribution import Render, Undecidable, locate, neighbour
from tokenspec.oracle.characters import printed_of
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options

if TYPE_CHECKING:
    from tokenspec.models import Row
    from tokenspec.store.records import Case

WORDS_OF_THE_PROTOCOL = frozenset(
    {"user", "assistant", "system", "tool", "function", "text", "image", "object", "string", "developer"}
)


def control_tokens(row: Row) -> dict[str, int]:
    """Added tokens that are special, or that the template writes and that are no mere white space."""
    return {
        token.content: id_
        for id_, token in row.vocabulary.added_tokens_decoder.items()
        if token.content.strip() and (token.special or token.content in row.written_by)
    }


def scaffold_control_ids(case: Case, row: Row) -> list[int]:
    """The control ids of the scaffold, in order.

    Raises:
        Undecidable: the template reads a caller's string instead of only printing it.
        OracleRefuses: the template refuses the case.
    """
    oracle, options = TransformersOracle(row), effective_options(row, case.input.get("options", {}))
    template = {name: options.pop(name) for name in ("chat_template",) if name in options}
    request = {"messages": case.input["messages"], "tools": case.input.get("tools"), "options": options}
    strings = [text for text, _ in _strings(request)]
    known = control_tokens(row)

    def render(changed: list[Any]) -> str:
        given = _with_strings(request, iter(changed))
        return oracle.text(given["messages"], given["tools"], {**given["options"], **template})

    text = render(strings)
    typed = [False] * len(text)
    for number, (string, is_typed) in enumerate(_strings(request)):
        if is_typed and any(may_spell_part(string, token) for token in known):
            ranges = printed_of if template else _typed_ranges
            for start, end in ranges(text, strings, (number,), render):
                typed[start:end] = [True] * (end - start)
    pattern = re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))) or "(?!)")
    return [known[match[0]] for start, end in _runs(typed) for match in pattern.finditer(text, start, end)]


def may_spell_part(string: str, token: str) -> bool:
    """Whether a string holds a control token, lies in one, or ends or begins like one: alone or across a seam."""
    joined = any(string.endswith(token[:size]) or string.startswith(token[-size:]) for size in range(1, len(token)))
    return token in string or string in token or joined


def _typed_ranges(text: str, strings: list[str], path: tuple[int], render: Render) -> list[tuple[int, int]]:
    """Where one string stands.

    A string without letters outside its markup is found by changing all its letters; what stands between two of them
    (brackets, bars) spells no control token by itself.
    """
    (number,) = path
    try:
        return locate(text, strings, path, render)
    except Undecidable as undecidable:
        changed = [*strings]
        changed[number] = "".join(map(neighbour, strings[number]))
        try:
            again = render(changed)
        except OracleRefuses:
            again = ""
        if changed == strings or len(again) != len(text):
            raise Undecidable(f"the template reads {strings[number]!r}, it does not only print it") from undecidable
        return [(at, at + 1) for at in range(len(text)) if text[at] != again[at]]


def _strings(value: object, key: str = "") -> Iterator[tuple[str, bool]]:
    """All strings of a request, keys of open mappings included, in order; and whether a caller typed it freely."""
    if isinstance(value, str):
        structural = value in WORDS_OF_THE_PROTOCOL if key in {"role", "type", ""} else False
        yield value, bool(value) and not structural
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name, key in {"arguments", "properties"} and bool(name)
            yield from _strings(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key)


def _with_strings(value: Any, strings: Iterator[str]) -> Any:
    """The request again with other strings, in the order of ``_strings``."""
    if isinstance(value, str):
        return next(strings)
    if isinstance(value, dict):
        return {next(strings): _with_strings(item, strings) for item in value.values()}
    if isinstance(value, list):
        return [_with_strings(item, strings) for item in value]
    return value


def _runs(typed: list[bool]) -> Iterator[tuple[int, int]]:
    """Maximal runs of characters that no caller typed."""
    start = 0
    for position, flag in enumerate([*typed, True]):
        if flag:
            if start < position:
                yield start, position
            start = position + 1
