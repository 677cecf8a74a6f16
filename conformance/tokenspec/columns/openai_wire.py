"""What adapters of chat servers share: tools and calls as OpenAI's wire has them. Nothing but Python is needed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokenspec.adapters import Unsupported


def require_served(request: Mapping[str, Any]) -> None:
    """Refuse completions that no server has parsers for: they are chosen when it starts, and read calls of tools.

    Raises:
        Unsupported: the completion calls what was not offered, or is written in another template than the row's.
    """
    if request["undeclared_calls"]:
        raise Unsupported("takes calls of tools that were offered, and no others")
    if "chat_template" in request["options"]:
        raise Unsupported("has the parsers of the template that it was started with")


def wrapped(tools: Iterable[Mapping[str, Any]] | None) -> list[dict[str, Any]]:
    """Tools in the form ``{"type": "function", "function": {...}}``."""
    return [dict(tool) if "function" in tool else {"type": "function", "function": dict(tool)} for tool in tools or ()]


def parsed_call(name: str | None, arguments: str | None) -> dict[str, Any]:
    """A call whose arguments are JSON text; text that is no JSON comes as it is, marked so."""
    try:
        return {"name": name, "arguments": json.loads(arguments or "{}")}
    except (ValueError, RecursionError):
        return {"name": name, "arguments": None, "raw": arguments, "status": "invalid_json"}


def without_stop(text: str, stops: Sequence[str]) -> str:
    """A completion as a server hands it to its parsers: the token that ended it is gone, and what came behind it.

    A server samples nothing behind such a token; where completions have it twice, both go.
    """
    while found := next((stop for stop in stops if stop and text.endswith(stop)), ""):
        text = text.removesuffix(found)
    return text


def chunks_without_stop(texts: Sequence[str], stops: Sequence[str]) -> list[str]:
    """The same of a completion in chunks, however the token that ended it is cut."""
    left = len(without_stop("".join(texts), stops))
    kept = []
    for text in texts:
        kept.append(text[:left])
        left -= len(kept[-1])
    return kept


def arguments_as_text(messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages whose calls have their arguments as JSON in a string; those that have are left as they are."""
    return [
        {**message, **({"tool_calls": list(map(_as_text, calls))} if (calls := message.get("tool_calls")) else {})}
        for message in messages
    ]


def _as_text(call: Mapping[str, Any]) -> dict[str, Any]:
    function = dict(call.get("function", call))
    if not isinstance(function.get("arguments"), str):
        function["arguments"] = json.dumps(function.get("arguments") or {}, ensure_ascii=False)
    return {**call, "type": "function", "function": function} if "function" in call else {**call, **function}
