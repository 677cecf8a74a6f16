"""Which fields of messages, tools and parts a chat template reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from jinja2 import TemplateSyntaxError, nodes

from .limits import InvalidTemplate, TemplateLimitExceeded
from .sandbox import ChatSandbox

WHOLE = frozenset({"tojson", "items", "dictsort", "string", "pprint", "list", "xmlattr"})
"""Filters and methods that give all fields of a message at once."""


@lru_cache(maxsize=256)
def fields(chat_template: str) -> frozenset[str] | None:
    """Names of all fields that a template reads of anything; None where it writes messages with all their fields.

    ``message.name``, ``message["name"]``, ``message.get("name")`` and ``"name" in message`` each read ``name``. Of
    which object a field is read is not worked out: a name that is read of parts counts for messages as well.

    Raises:
        InvalidTemplate: when it is not valid Jinja.
        TemplateLimitExceeded: when it is nested too deeply to be read.
    """
    try:
        tree = ChatSandbox().parse(chat_template)
        return None if _writes_whole(tree) else frozenset(_read(tree))
    except RecursionError as error:
        raise TemplateLimitExceeded("the template is nested too deeply", field="chat_template") from error
    except (TemplateSyntaxError, ValueError) as error:
        raise InvalidTemplate(f"not a chat template: {error}", field="chat_template") from error


def _read(tree: nodes.Node) -> Iterator[str]:
    for node in tree.find_all((nodes.Getattr, nodes.Getitem, nodes.Compare, nodes.Call)):
        if isinstance(node, nodes.Getattr):
            yield node.attr
        elif isinstance(node, nodes.Getitem):
            yield from _text(node.arg)
        elif isinstance(node, nodes.Compare) and any(operand.op in {"in", "notin"} for operand in node.ops):
            yield from _text(node.expr)
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr == "get":
            yield from (name for argument in node.args[:1] for name in _text(argument))


def _text(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value


def _writes_whole(tree: nodes.Node) -> bool:
    """Whether a filter or method takes all fields of what a loop over ``messages`` gives."""
    loops = [loop for loop in tree.find_all(nodes.For) if _is_messages(loop.iter)]
    turns = {loop.target.name for loop in loops if isinstance(loop.target, nodes.Name)}
    whole = [node.node for node in tree.find_all(nodes.Filter) if node.name in WHOLE]
    methods = [node.node for node in tree.find_all(nodes.Getattr) if node.attr in {"items", "values"}]
    return any(isinstance(node, nodes.Name) and node.name in turns for node in (*whole, *methods))


def _is_messages(node: nodes.Node) -> bool:
    """Whether an expression is ``messages``, or a slice or a filter of it."""
    while isinstance(node, nodes.Getitem | nodes.Filter) and node.node is not None:
        node = node.node
    return isinstance(node, nodes.Name) and "messages" in node.name
