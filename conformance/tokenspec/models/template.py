"""The text of a chat template, and its pin."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tokenspec.models.cache import sha256
from tokenspec.models.errors import BuildError

if TYPE_CHECKING:
    from tokenspec.models.spec import RegistrySource


def template_text(data: bytes) -> str:
    """UTF-8 text without its single final newline (Jinja drops that newline, so it is no part of the template)."""
    try:
        text = data.decode("utf-8")
        return text if text.endswith("\n\n") else text.removesuffix("\n")
    except UnicodeDecodeError as error:
        raise BuildError(f"chat template is not UTF-8 ({error.reason} at byte {error.start})") from error


def template_pin(text: str) -> str:
    """The sha256 that rows and goldens name."""
    return sha256(text.encode())


def read_template(source: RegistrySource, data: bytes) -> str:
    """The template inside a member: the whole file, or the string at ``key`` of a JSON document.

    ``key`` is a path of object keys and ``field=value`` selectors of lists, joined by ``/``, for example
    ``model_name=MiniMax-M2/chat_template``.
    """
    if source.format != "json":
        return template_text(data)
    try:
        node: Any = json.loads(data)
        for step in (source.key or "").split("/"):
            field, selects, value = step.partition("=")
            node = next(item for item in node if item.get(field) == value) if selects else node[step]
    except (ValueError, KeyError, TypeError, StopIteration) as error:
        raise BuildError(f"{source.member}: nothing at key {source.key!r}") from error
    return template_text(str(node).encode())
