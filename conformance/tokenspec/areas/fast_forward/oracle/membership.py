"""Whether a text belongs to a JSON schema, for schemas that no pattern of ``re`` describes.

Two opinions together: ``jsonschema`` says whether the value satisfies the schema, and the text is walked beside the
schema to see whether it is written as the chapter says. Formats are judged by Python's own modules.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from itertools import product
from typing import Any

from tokenspec.areas.fast_forward.oracle.patterns import CHARACTER, KINDS, WHOLE_NUMBER

PARTS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\.", re.DOTALL)
"""Escapes, classes and dots of a pattern."""

NO_LINE_END = "[^\n\r\u2028\u2029]"
SPACES = "\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
GAPS = {"compact": ("", ""), "spaced": ("", " ")}
DECIMAL = rf"{WHOLE_NUMBER}(?:\.[0-9]+)?"
BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
LABEL = r"[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"


def _read_by(read: Callable[[str], object], shape: str) -> Callable[[str], bool]:
    def reads(text: str) -> bool:
        if not re.fullmatch(shape, text, re.ASCII):
            return False
        try:
            read(text)
        except ValueError:
            return False
        return True

    return reads


_date = _read_by(date.fromisoformat, r"\d{4}-\d\d-\d\d")
_time = _read_by(
    lambda text: time.fromisoformat(text.upper() if text[6:8] != "60" else f"{text[:6]}59{text[8:].upper()}"),
    r"\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)",
)
URI_CHARACTERS = re.compile(r"(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*", re.ASCII)
URI_PARTS = re.compile(r"(?:([^:/?#]+):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
"""Appendix B of RFC 3986."""


def _is_uri(text: str, *, absolute: bool) -> bool:
    parts = URI_PARTS.fullmatch(text)
    scheme, authority, *others = parts.groups() if parts else (None, None, "")
    if scheme is None:
        if absolute or (authority is None and ":" in others[0].partition("/")[0]):
            return False
    elif not re.fullmatch(r"[A-Za-z][0-9A-Za-z+.-]*", scheme):
        return False
    user, _, place = (authority or "").rpartition("@")
    host, _, port = place.rpartition(":") if re.search(r":\d*$", place, re.ASCII) else (place, "", "")
    if host.startswith("[") and host.endswith("]"):
        host = "v6" if FORMATS["ipv6"](host[1:-1]) else "["
    if re.search(r"[/@]", user) or re.search(r"[:@]", host):
        return False
    return all(URI_CHARACTERS.fullmatch(part) for part in (user, host, port, *others) if part)


def _is_duration(text: str) -> bool:
    """Appendix A of RFC 3339: no unit is left out between two others."""
    dates, clock, times = text[1:].partition("T")
    parts = (dates, "YMD"), (times, "HMS")
    known = all(re.fullmatch(r"(?:[0-9]+[A-Z])*", part) and re.sub("[0-9]", "", part) in units for part, units in parts)
    given = known and bool(dates or times) and bool(clock) == bool(times)
    return text[:1] == "P" and (given or bool(re.fullmatch(r"[0-9]+W", text[1:])))


def _is_pointer(text: str) -> bool:
    return text[:1] in ("", "/") and all(rest[:1] in ("0", "1") for rest in text.split("~")[1:])


def _is_relative_pointer(text: str) -> bool:
    up = re.match(r"[0-9]*", text)
    levels = up.group() if up else ""
    rest = text[len(levels) :]
    return bool(levels) and str(int(levels)) == levels and (rest == "#" or _is_pointer(rest))


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _date,
    "time": _time,
    "date-time": lambda text: _date(text[:10]) and text[10:11] in ("T", "t") and _time(text[11:]),
    "uuid": _read_by(uuid.UUID, r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
    "ipv4": _read_by(IPv4Address, r"[0-9.]+"),
    "ipv6": _read_by(IPv6Address, r"[0-9A-Fa-f:.]+"),
    "hostname": lambda text: all(re.fullmatch(LABEL, label) for label in text.split(".")),
    "duration": _is_duration,
    "uri": lambda text: _is_uri(text, absolute=True),
    "uri-reference": lambda text: _is_uri(text, absolute=False),
    "json-pointer": _is_pointer,
    "relative-json-pointer": _is_relative_pointer,
    "email": lambda text: bool(re.fullmatch(r"[\w.!#$%&'*+/=?^`{|}~-]+@([\w-]+\.)*[A-Za-z0-9]+", text, re.ASCII)),
}


@dataclass(frozen=True)
class Written:
    """A value and how it is written: the text of a scalar, items, or pairs."""

    value: Any
    text: str = ""
    items: tuple[Written, ...] = ()
    names: tuple[str, ...] = ()


class NotWrittenSo(Exception):
    """A text that is no JSON, or is spaced otherwise."""


class _Text:
    """Reads a text in one spacing."""

    def __init__(self, text: str, gap: str, after: str) -> None:
        self.text, self.at = text, 0
        self.comma, self.colon, self.gap = re.compile(f"{gap},{after}"), re.compile(f"{gap}:{after}"), re.compile(gap)

    def take(self, pattern: str | re.Pattern[str]) -> str | None:
        found = re.compile(pattern).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found.group()

    def need(self, pattern: str | re.Pattern[str]) -> str:
        found = self.take(pattern)
        if found is None:
            raise NotWrittenSo
        return found

    def value(self) -> Written:
        if (opening := self.take(r"[\[{]")) is None:
            text = self.need(rf'"{CHARACTER}*"|{KINDS["number"]}|true|false|null')
            return Written(json.loads(text, parse_float=Decimal), text)
        names: list[str] = []
        items: list[Written] = []
        closing = "]" if opening == "[" else "}"
        self.need(self.gap)
        while self.take(re.escape(closing)) is None:
            if items:
                self.need(self.comma)
            if opening == "{":
                names.append(json.loads(self.need(rf'"{CHARACTER}*"')))
                self.need(self.colon)
            items.append(self.value())
            before = self.at
            self.need(self.gap)
            if self.text[self.at : self.at + 1] != closing:
                self.at = before
        if opening == "[":
            return Written([item.value for item in items], items=tuple(items))
        return Written({n: i.value for n, i in zip(names, items, strict=True)}, items=tuple(items), names=tuple(names))


def satisfies(schema: Any, alike: Any, text: str, whitespace: str, most: int | None) -> bool:
    """Whether a text is one of a schema, in one spacing; ``alike`` says how its values are written."""
    import jsonschema

    free = r"[ \n\r\t]" + ("*" if most is None else f"{{0,{most}}}")
    reader = _Text(text, *(GAPS.get(whitespace) or (free, free)))
    try:
        written = reader.value()
    except NotWrittenSo:
        return False
    if reader.at < len(text):
        return False
    checker = jsonschema.FormatChecker(formats=())
    for name, check in FORMATS.items():
        checker.checks(name)(lambda value, check=check: not isinstance(value, str) or check(value))
    dialect = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    dialect = jsonschema.validators.extend(dialect, {"pattern": _pattern})
    valid = dialect(schema, format_checker=checker).is_valid(json.loads(text))
    return valid and _Walk(alike).fits([alike], written)


class _Walk:
    """Compares how values are written with schemas that they satisfy."""

    def __init__(self, root: Any) -> None:
        self.root = root

    def flat(self, schema: Any) -> Iterator[list[dict[str, Any]]]:
        """The ways to choose among alternatives: schemas that hold together, in order."""
        if not isinstance(schema, Mapping):
            if schema is not False:
                yield []
            return
        own = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
        parts: list[list[list[dict[str, Any]]]] = []
        for keyword in schema:  # properties stand in the order in which the schema speaks of them
            if keyword == "$ref":
                target = self.root
                for part in schema["$ref"].split("/")[1:]:
                    target = target[part.replace("~1", "/").replace("~0", "~")]
                parts.append(list(self.flat(target)))
            elif keyword == "allOf":
                parts += [list(self.flat(inner)) for inner in schema["allOf"]]
            elif keyword in ("anyOf", "oneOf"):
                parts.append([way for inner in schema[keyword] for way in self.flat(inner)])
            elif keyword == "properties":
                parts.append([[own]])
        parts.append([[own]])
        for chosen in product(*parts):
            yield [each for way in chosen for each in way]

    def fits(self, schemas: Sequence[Any], written: Written) -> bool:
        """Whether a value is written as some way to satisfy all schemas says."""
        return any(
            self.so([each for way in ways for each in way], written) for ways in product(*map(self.ways, schemas))
        )

    def ways(self, schema: Any) -> list[list[dict[str, Any]]]:
        return list(self.flat(schema))

    def so(self, flat: Sequence[dict[str, Any]], written: Written) -> bool:
        """One way."""
        import jsonschema

        about = {"type", "const", "enum", "minLength", "maxLength", "pattern", *BOUNDS, "multipleOf"}
        for each in flat:
            rules = {key: ecma(value) if key == "pattern" else value for key, value in each.items() if key in about}
            if not jsonschema.Draft202012Validator(rules).is_valid(_plain(written.value)):
                return False
        if any("const" in each or "enum" in each for each in flat):
            scalar = isinstance(written.value, int | Decimal) and not isinstance(written.value, bool)
            return not scalar or written.text == f"{Decimal(written.value).normalize():f}"
        if written.names or isinstance(written.value, Mapping):
            return self.members(flat, written)
        if isinstance(written.value, list):
            return all(self.fits(self.item(flat, at), item) for at, item in enumerate(written.items))
        if isinstance(written.value, bool) or not isinstance(written.value, int | Decimal):
            return True
        return self.number(flat, written.text)

    def number(self, flat: Sequence[dict[str, Any]], text: str) -> bool:
        kinds = [[each["type"]] if isinstance(each["type"], str) else each["type"] for each in flat if "type" in each]
        whole = any("integer" in types and "number" not in types for types in kinds)
        if whole and not re.fullmatch(WHOLE_NUMBER, text):
            return False
        bounded = any(BOUNDS & set(each) for each in flat)
        multiples = [Decimal(repr(each["multipleOf"])) for each in flat if "multipleOf" in each]
        if not bounded and not multiples:
            return True
        if not re.fullmatch(DECIMAL, text) or (bounded and not Decimal(text) and text.startswith("-")):
            return False
        digits = len(text.partition(".")[2])
        return all(digits <= -min(int(multiple.normalize().as_tuple().exponent), 0) for multiple in multiples)

    def item(self, flat: Sequence[dict[str, Any]], at: int) -> list[Any]:
        found = []
        for each in flat:
            fixed = each.get("prefixItems", [])
            found.append(fixed[at] if at < len(fixed) else each.get("items", True))
        return found

    def members(self, flat: Sequence[dict[str, Any]], written: Written) -> bool:
        declared = dict.fromkeys(name for each in flat for name in each.get("properties", {}))
        declared.update(dict.fromkeys(name for each in flat for name in each.get("required", ())))
        order = list(declared)
        known = [name for name in written.names if name in declared]
        if list(written.names[: len(known)]) != known or sorted(known, key=order.index) != known:
            return False
        if len(set(known)) < len(known):
            return False
        pairs = zip(written.names, written.items, strict=True)
        return all(self.fits([self.member(each, name) for each in flat], item) for name, item in pairs)

    def member(self, schema: dict[str, Any], name: str) -> Any:
        found = schema.get("patternProperties", {}).items()
        own = [schema["properties"][name]] if name in schema.get("properties", {}) else []
        own += [inner for pattern, inner in found if re.search(ecma(pattern), name)]
        return {"allOf": own} if own else schema.get("additionalProperties", True)


def ecma(pattern: str) -> str:
    """A pattern of ECMA 262 for Python's ``re``, to which other characters are line ends and white space."""
    return PARTS.sub(_for_python, pattern)


def _for_python(found: re.Match[str]) -> str:
    part = found[0]
    if part.startswith("["):
        return re.sub(r"\\.", lambda escape: SPACES if escape[0] == r"\s" else escape[0], part)
    return {".": NO_LINE_END, r"\s": f"[{SPACES}]", r"\S": f"[^{SPACES}]"}.get(part, part)


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[Exception]:
    """The keyword, for ``jsonschema``."""
    import jsonschema

    if isinstance(value, str) and not re.search(ecma(pattern), value):
        yield jsonschema.ValidationError("another text")


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in value.items()} if isinstance(value, Mapping) else value
