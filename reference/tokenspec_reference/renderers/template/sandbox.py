"""The environment chat templates run in: what transformers builds around Jinja, stated once.

Immutable sandbox, ``trim_blocks`` and ``lstrip_blocks``, loop controls, the ``{% generation %}`` tag, ``tojson`` that
escapes nothing, ``raise_exception``, and since transformers 5 a guarded ``dict`` and ``namespace``. This class renders
plain strings; it is the readable twin of the tracking environment and its peer in tests.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from jinja2.parser import Parser

    from tokenspec_reference.renderers.chat import Normalisation


class GenerationTag(Extension):
    """``{% generation %}...{% endgeneration %}``: prints its body; what is inside are the model's words."""

    tags = {"generation"}  # noqa: RUF012 - an instance variable for Jinja's types

    def parse(self, parser: Parser) -> nodes.Node:
        """Turn the tag into a call whose body is the tag's body."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_print"), [], [], body).set_lineno(line)

    def _print(self, caller: Callable[[], str]) -> str:
        return caller()


class DictFactory:
    """``dict(...)`` of a template: builds dicts, offers nothing else of the type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """``dict(a=1)``."""
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        """``dict.fromkeys(keys)``."""
        return dict.fromkeys(*args)


class GuardedNamespace(Namespace):
    """``namespace(...)`` that refuses underscore names, as transformers 5 does."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, *rest = args
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _refuse_underscore(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        """``{% set ns.name = value %}``."""
        _refuse_underscore(name)
        super().__setitem__(name, value)


def _refuse_underscore(name: Any) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace attribute of a chat template cannot start with an underscore: {name!r}")


def raise_exception(message: Any) -> NoReturn:
    """``raise_exception(message)`` of a template."""
    raise TemplateError(message)


def dumps(
    x: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """``x | tojson``; the parameter names are what templates write."""
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class ChatSandbox(ImmutableSandboxedEnvironment):
    """Jinja as chat templates know it. ``normalisation`` selects what the transformers version adds."""

    def __init__(self, normalisation: Normalisation = "hf5") -> None:
        """Build the environment of one transformers major version."""
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols])
        self.filters["tojson"] = dumps
        self.globals["raise_exception"] = raise_exception
        if normalisation == "hf5":
            self.globals["dict"] = DictFactory()
            self.globals["namespace"] = GuardedNamespace


def clock(now: datetime) -> Callable[[str], str]:
    """``strftime_now`` with a given time."""

    def strftime_now(format: str) -> str:  # noqa: A002 - templates may pass it by name
        return now.strftime(format)

    return strftime_now
