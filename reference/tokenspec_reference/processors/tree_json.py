"""From JSON to a raw tree: one walk over parser events, whether they come from a file, a text or a Python
mapping.

Types are settled here, in every mode; what the numbers mean is settled in ``tree_rules``. Unknown fields of
the root object are noted, and everything below them is skipped.
"""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from tokenspec_reference.processors.defects import Rule, kind_of
from tokenspec_reference.processors.errors import Problem, config_error

INT32 = range(-(2**31), 2**31)
FIELDS = ("start_token_id", "end_token_id", "sep", "prefix_dict")
DEFAULT_START, DEFAULT_END, DEFAULT_SEPARATOR = 225, 2, "_"

Event = tuple[str, Any]


@dataclass
class RawTree:
    """The file as written: types are right, values unchecked. ``repeated`` are pointers of keys that occur
    twice, ``unknown`` those of fields that no tree has.
    """

    start: int = DEFAULT_START
    end: int = DEFAULT_END
    separator: str = DEFAULT_SEPARATOR
    entries: dict[str, list[int]] = field(default_factory=dict)
    has_prefix_dict: bool = False
    repeated: list[Problem] = field(default_factory=list)
    unknown: list[Problem] = field(default_factory=list)


def pointer(*parts: str | int) -> str:
    """RFC 6901 JSON pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def read_stream(stream: IO[bytes]) -> RawTree:
    """A JSON document from a binary stream, in one pass, without building it in memory. Needs ``ijson``."""
    import ijson  # type: ignore[import-untyped]

    try:
        return read_events(ijson.basic_parse(stream))
    except ijson.JSONError as error:
        reason = " ".join(str(error).split())[:120]
        raise config_error("", Rule.JSON_SYNTAX, f"not a JSON document ({reason})") from error


def read_text(text: str | bytes) -> RawTree:
    """A JSON document that is already in memory."""
    return read_stream(io.BytesIO(text.encode() if isinstance(text, str) else text))


def read_mapping(config: Mapping[str, Any]) -> RawTree:
    """A configuration that is already parsed."""
    return read_events(_events_of(config, ""))


def read_events(events: Iterator[Event]) -> RawTree:
    """Consume the events of one document. Raises ``ConfigError`` at the first value of a wrong type."""
    tree = RawTree()
    kind, value = next(events)
    if kind != "start_map":
        raise config_error("", Rule.ROOT_NOT_OBJECT, f"the root must be an object, not {kind_of(kind, value)}")
    seen: set[str] = set()
    for event, key in events:
        if event == "end_map":
            break
        if key in seen:
            tree.repeated.append(Problem(pointer(key), Rule.DUPLICATE_KEY, f"the field {key!r} occurs twice"))
        seen.add(key)
        kind, value = next(events)
        if key == "start_token_id":
            tree.start = _int32(kind, value, pointer(key))
        elif key == "end_token_id":
            tree.end = _int32(kind, value, pointer(key))
        elif key == "sep":
            if kind != "string":
                raise config_error(
                    pointer(key), Rule.SEP_TYPE, f"the separator must be a string, not {kind_of(kind, value)}"
                )
            tree.separator = value
        elif key == "prefix_dict":
            _read_prefixes(tree, kind, value, events)
        else:
            tree.unknown.append(Problem(pointer(key), Rule.UNKNOWN_FIELD, _unknown(key)))
            _skip(kind, events)
    for _ in events:  # lets the parser see what follows the document
        pass
    return tree


def _unknown(key: str) -> str:
    near = difflib.get_close_matches(key.lower().replace("-", "_"), FIELDS, n=1)
    cure = f"did you mean {near[0]!r}?" if near else f"fields are {', '.join(FIELDS)}; else mode 'lenient' skips it"
    return f"no tree has a field {key!r}; {cure}"


def _read_prefixes(tree: RawTree, kind: str, value: Any, events: Iterator[Event]) -> None:
    if kind != "start_map":
        raise config_error(
            "/prefix_dict",
            Rule.PREFIX_DICT_TYPE,
            f"must be an object from prefix to candidates, not {kind_of(kind, value)}",
        )
    tree.has_prefix_dict = True
    for event, key in events:
        if event == "end_map":
            return
        where = pointer("prefix_dict", key)
        if key == "":
            raise config_error(where, Rule.KEY_EMPTY, "a prefix must not be the empty string")
        if key in tree.entries:
            tree.repeated.append(Problem(where, Rule.DUPLICATE_KEY, "this prefix occurs twice; merge the two lists"))
        tree.entries[key] = _read_candidates(where, events)


def _read_candidates(where: str, events: Iterator[Event]) -> list[int]:
    kind, value = next(events)
    if kind != "start_array":
        raise config_error(
            where, Rule.CANDIDATES_TYPE, f"candidates must be an array of integers, not {kind_of(kind, value)}"
        )
    candidates: list[int] = []
    for kind, value in events:
        if kind == "end_array":
            return candidates
        if kind != "number" or not isinstance(value, int):
            place = f"{where}/{len(candidates)}"
            raise config_error(
                place, Rule.CANDIDATE_TYPE, f"a candidate must be an integer, not {kind_of(kind, value)}"
            )
        candidates.append(value)
    raise config_error(where, Rule.JSON_SYNTAX, "the array is not closed")


def _int32(kind: str, value: Any, where: str) -> int:
    if kind != "number" or not isinstance(value, int):
        raise config_error(where, Rule.TOKEN_ID_TYPE, f"a token id must be an integer, not {kind_of(kind, value)}")
    if value not in INT32:
        raise config_error(where, Rule.TOKEN_ID_INT32, f"{value} does not fit in 32 bits")
    return value


def _skip(kind: str, events: Iterator[Event]) -> None:
    depth = int(kind.startswith("start_"))
    while depth:
        event, _ = next(events)
        depth += event.startswith("start_") - event.startswith("end_")


def _events_of(value: Any, where: str) -> Iterator[Event]:
    """The events a parser would emit for a Python value."""
    if isinstance(value, Mapping):
        yield "start_map", None
        for key, inner in value.items():
            if not isinstance(key, str):
                raise config_error(where, Rule.KEY_TYPE, f"keys must be strings, got {key!r}")
            yield "map_key", key
            yield from _events_of(inner, where + pointer(key))
        yield "end_map", None
    elif isinstance(value, (list, tuple)):
        yield "start_array", None
        for place, inner in enumerate(value):
            yield from _events_of(inner, f"{where}/{place}")
        yield "end_array", None
    elif value is None:
        yield "null", None
    elif isinstance(value, bool):
        yield "boolean", value
    elif isinstance(value, str):
        yield "string", value
    elif isinstance(value, (int, float)):
        yield "number", value
    else:
        raise config_error(where, Rule.NOT_JSON, f"{type(value).__name__} is not a JSON value")
