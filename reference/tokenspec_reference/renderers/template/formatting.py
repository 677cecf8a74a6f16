"""``%`` and ``str.format`` with provenance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from string import Formatter
from typing import TYPE_CHECKING, Any

from jinja2.sandbox import SandboxedEscapeFormatter, SandboxedFormatter
from markupsafe import Markup

from .limits import SEARCHED, check_numbers, check_width
from .printing import agreed, repr_pieces, text_of
from .provenance import Tracked, concat, derived
from .safe import SafeText, as_markup, marked_safe

if TYPE_CHECKING:
    from .limits import Limits
    from .values import ValueTable

_CONVERSION = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?"
    r"(?P<rest>[#0\- +]*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?[hlL]?(?P<type>.))",
    re.DOTALL,
)


def percent(template: str, arguments: Any, table: ValueTable, limits: Limits) -> str:
    """``template % arguments``."""
    limits.check_tree(arguments)
    values = list(arguments) if isinstance(arguments, tuple) else [arguments]
    conversions = list(_CONVERSION.finditer(template))
    for match in conversions:
        check_numbers(limits, match["rest"])
        if "*" in (match["width"], match["precision"]):
            for value in values:
                check_width(limits, value)
    _check_fields(limits, len(conversions), arguments.values() if isinstance(arguments, Mapping) else values)
    if isinstance(template, SafeText):
        return as_markup(template, "__mod__", arguments)
    text = str.__str__(template) % arguments
    limits.charge(len(text) // SEARCHED)
    try:
        return agreed(text, concat(_percent_pieces(template, conversions, arguments, values, table)))
    except (LookupError, TypeError):
        return derived(text)  # a conversion the pattern above does not know


def _check_fields(limits: Limits, fields: int, values: Iterable[Any]) -> None:
    """Refuse a format whose fields, all filled with the longest value, would be huge."""
    limits.check_size(fields * max((len(value) for value in values if isinstance(value, str)), default=0))


def _percent_pieces(
    template: str, conversions: Sequence[re.Match[str]], arguments: Any, values: list[Any], table: ValueTable
) -> Iterable[str]:
    position = 0
    for match in conversions:
        yield template[position : match.start()]
        position = match.end()
        if match["type"] == "%":
            yield "%"
            continue
        stars = [values.pop(0) for option in (match["width"], match["precision"]) if option == "*"]
        value = arguments[match["key"]] if match["key"] is not None else values.pop(0)
        conversion = "%" + match["rest"]
        shown, text = conversion % (*stars, value), (conversion[:-1] + "s", *stars)
        yield _fitted(value, shown, partial(_percent_text, *text), table, match["type"])
    yield template[position:]


def _percent_text(conversion: str, *values: Any) -> str:
    return conversion % values


def _fitted(value: Any, shown: str, layout: Callable[[str], str], table: ValueTable, conversion: str) -> str:
    """``shown`` with the origins of ``value``, as far as it is the value padded or cut."""
    try:
        source = Tracked.lift(concat(repr_pieces(value, table)) if conversion in {"r", "a"} else text_of(value, table))
    except ValueError:  # a number of more digits than Python writes, shown in another base
        return derived(shown)
    return (source.mapped(_in_ascii) if conversion == "a" else source).laid_out(shown, layout)


def _in_ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _bounded_fields(
    limits: Limits, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[tuple[str, str | None, str | None, str | None]]:
    """The fields of a format, where what they would print is within bounds."""
    limits.check_tree(args, kwargs)
    fields = list(Formatter().parse(str.__str__(format_string)))
    _check_fields(limits, len(fields), (*args, *(kwargs.values() if isinstance(kwargs, Mapping) else ())))
    return fields


class EscapingFormatter(SandboxedEscapeFormatter):
    """``format`` of safe text inside the sandbox: what it is given is escaped, and nobody follows its characters."""

    def __init__(self, environment: Any, limits: Limits) -> None:
        """Format for one render."""
        super().__init__(environment, escape=Markup.escape)
        self._limits = limits

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Jinja's result, which is safe."""
        _bounded_fields(self._limits, format_string, args, kwargs)
        return marked_safe(derived(super().vformat(str.__str__(format_string), args, kwargs)))

    def format_field(self, value: Any, format_spec: str) -> str:
        """Refuse huge widths before Python builds them."""
        check_numbers(self._limits, format_spec)
        return super().format_field(value, format_spec)


class TrackedFormatter(SandboxedFormatter):
    """``str.format`` inside the sandbox."""

    def __init__(self, environment: Any, table: ValueTable, limits: Limits) -> None:
        """Format for one render."""
        super().__init__(environment)
        self._table = table
        self._limits = limits

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Python's result, rebuilt from tracked fields."""
        fields = _bounded_fields(self._limits, format_string, args, kwargs)
        text = super().vformat(format_string, args, kwargs)
        if any("{" in (spec or "") for _, _, spec, _ in fields):
            return derived(text)
        pieces: list[str] = []
        automatic = position = 0
        for literal, field, spec, conversion in fields:
            position = str.find(format_string, literal, position)
            pieces.append(format_string[position : position + len(literal)])
            position += len(literal)
            if field is None:
                continue
            value, _ = self.get_field(field or str(automatic), args, kwargs)
            automatic += not field
            pieces.append(self._field(value, conversion, spec or ""))
        return agreed(text, concat(pieces))

    def _field(self, value: Any, conversion: str | None, spec: str) -> str:
        shown = self.format_field(self.convert_field(value, conversion), spec)
        return _fitted(value, shown, lambda marked: format(marked, spec), self._table, conversion or "s")

    def format_field(self, value: Any, format_spec: str) -> str:
        """Refuse huge widths before Python builds them."""
        check_numbers(self._limits, format_spec)
        return str(super().format_field(value, format_spec))
