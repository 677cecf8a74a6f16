"""Values as a chat template sees them, so that a hand-written family accepts and refuses what its template does.

A missing key is :class:`jinja2.Undefined`: it prints as nothing, is false, iterates as empty, and raises when it is
concatenated or asked for an attribute. Plain Python operators on it already behave as in a template; the functions
here cover what Python spells differently.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2 import TemplateError, Undefined, UndefinedError

from tokenspec_reference.renderers.segments import Segment, body, quoted, scaffold

if TYPE_CHECKING:
    from collections.abc import Iterator

REJECTIONS = (TypeError, ValueError, TemplateError)
"""Exceptions that mean "the template refuses this conversation" when a family raises them."""


def member(value: Any, name: str) -> Any:
    """``value.name`` of a template, for plain JSON values: a missing key is Undefined, Undefined itself raises."""
    if isinstance(value, Undefined):
        raise UndefinedError(f"{_name(value)} is undefined, so it has no {name!r}")
    if isinstance(value, Mapping) and name in value:
        return value[name]
    return Undefined(name=name)


def item(value: Any, position: int) -> Any:
    """``value[position]`` of a template: Undefined where there is no such element."""
    if isinstance(value, Undefined):
        raise UndefinedError(f"{_name(value)} is undefined, so it has no element {position}")
    if isinstance(value, (list, tuple, str)) and -len(value) <= position < len(value):
        return value[position]
    return Undefined(name=str(position))


def items(value: Any) -> list[tuple[Any, Any]]:
    """``value | items`` of a template: the pairs of a mapping, nothing for Undefined, all else is refused."""
    if isinstance(value, Undefined):
        return []
    if not isinstance(value, Mapping):
        raise TypeError(f"can only get item pairs from a mapping, got {type(value).__name__}")
    return list(value.items())


def is_defined(value: Any) -> bool:
    """``value is defined`` of a template."""
    return not isinstance(value, Undefined)


def is_sequence(value: Any) -> bool:
    """``value is sequence`` of a template: anything with a length and elements, mappings and Undefined included."""
    return isinstance(value, (Undefined, str, list, tuple, Mapping))


is_iterable = is_sequence
"""``value is iterable`` of a template, which for plain values is the same."""


def dictsort(value: Any) -> list[tuple[Any, Any]]:
    """``value | dictsort`` of a template: the pairs in order of their lower-cased keys."""
    if not isinstance(value, Mapping):
        raise TypeError(f"can only sort the pairs of a mapping, got {type(value).__name__}")
    return sorted(value.items(), key=lambda pair: pair[0].lower())


def upper(value: Any) -> str:
    """``value | upper`` of a template."""
    return str(value).upper()


def function_of(call: Any, test: Callable[[Any], bool] = bool) -> Any:
    """``call.function`` where the template's ``test`` accepts it, else the call itself."""
    function = member(call, "function")
    return function if test(function) else call


def cut_thought(text: str) -> tuple[str, str]:
    """Reasoning and content of a text that holds both: cut at the first and the last ``</think>``.

    Newlines before each are trimmed; those behind the reasoning go where it is printed.
    """
    parts = text.split("</think>")
    return parts[0].split("<think>")[-1].lstrip("\n"), parts[-1].lstrip("\n")


def text_of(value: Any) -> str:
    """A value used with ``+`` or a string method: anything but a string is refused."""
    if not isinstance(value, str):
        if isinstance(value, Undefined):
            raise UndefinedError(f"{_name(value)} is undefined")
        raise TypeError(f"expected text, got {type(value).__name__}")
    return value


def tojson(value: Any, *, indent: int | None = None, **options: Any) -> str:
    """``value | tojson`` as transformers defines it: ``json.dumps`` with ``ensure_ascii=False``, nothing escaped."""
    return json.dumps(value, **{"ensure_ascii": False, "indent": indent, **options})


def refuse(message: str) -> NoReturn:
    """``raise_exception(message)`` of a template."""
    raise TemplateError(message)


def printed(value: Any, *, is_part: bool = False) -> Iterator[Segment]:
    """``{{ value }}`` as a message body: strings as they are, containers as Python's ``repr`` (what Jinja prints).

    A printed list is a list of parts: only the ``text`` of a part is body. In a printed mapping the values are body.
    Punctuation and keys are scaffold. ``is_part`` says that ``value`` is one part of a list.
    """
    if isinstance(value, str):
        yield body(value)
    elif not isinstance(value, Undefined):
        yield from _dumped(value, _python_string, ("True", "False", "None"), _Place.of(value, is_part=is_part))


def printed_token(value: Any) -> tuple[Segment, ...]:
    """``{{ bos_token }}``: nothing when the tokenizer has no such token."""
    return (scaffold(str(value)),)


def json_body(value: Any) -> Iterator[Segment]:
    """``{{ value | tojson }}`` as a message body, divided as by :func:`printed`; string quotes are scaffold."""
    yield from _dumped(value, _json_string, ("true", "false", "null"), _Place())


@dataclass(frozen=True)
class _Place:
    """Where in a printed value something stands, and whether it is body there."""

    depth: int = 0
    is_body: bool = True

    @classmethod
    def of(cls, value: Any, *, is_part: bool) -> _Place:
        """The place of a whole value, or of one part of a list."""
        return cls(int(is_part), not is_part or isinstance(value, Mapping))

    def written(self, text: str) -> Segment:
        """A text or a number that stands here."""
        return body(text) if self.is_body else quoted(text)

    def member(self, key: Any, element: Any) -> _Place:
        """The place of a value in a mapping that stands here."""
        return _Place(2, self.is_body and (self.depth != 1 or (key == "text" and isinstance(element, str))))

    def element(self, element: Any) -> _Place:
        """The place of an element of a list that stands here."""
        return _Place(self.depth + 1, self.is_body and (self.depth > 0 or isinstance(element, (Mapping, str))))


def _name(value: Undefined) -> str:
    return repr(value._undefined_name)  # noqa: SLF001 - Jinja has no public name for it


def _python_string(text: str) -> str:
    return repr(text)


def _json_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _dumped(value: Any, spell: Any, constants: tuple[str, str, str], place: _Place) -> Iterator[Segment]:
    if isinstance(value, str):
        spelled = spell(value)
        yield from (scaffold(spelled[0]), place.written(spelled[1:-1]), scaffold(spelled[-1]))
    elif value is None or isinstance(value, bool):
        yield scaffold(constants[2] if value is None else constants[0] if value else constants[1])
    elif isinstance(value, (int, float)):
        yield place.written(json.dumps(value) if spell is _json_string else repr(value))
    elif isinstance(value, Mapping):
        yield scaffold("{")
        for position, (key, element) in enumerate(value.items()):
            yield from (scaffold(", " if position else ""), quoted(spell(key)), scaffold(": "))
            yield from _dumped(element, spell, constants, place.member(key, element))
        yield scaffold("}")
    elif isinstance(value, (list, tuple)):
        opener, closer = _brackets(value, spell)
        yield scaffold(opener)
        for position, element in enumerate(value):
            yield scaffold(", " if position else "")
            yield from _dumped(element, spell, constants, place.element(element))
        yield scaffold(closer)
    else:
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _brackets(value: list[Any] | tuple[Any, ...], spell: Any) -> tuple[str, str]:
    """What a list stands in, and a tuple where it is printed."""
    if isinstance(value, tuple) and spell is _python_string:
        return "(", ",)" if len(value) == 1 else ")"
    return "[", "]"
