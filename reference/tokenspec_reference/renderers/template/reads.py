"""Which keyword arguments a chat template reads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from jinja2 import TemplateSyntaxError, meta, nodes

from .limits import InvalidTemplate
from .sandbox import ChatSandbox

if TYPE_CHECKING:
    from collections.abc import Iterator


@lru_cache(maxsize=256)
def reads(chat_template: str) -> frozenset[str]:
    """Names of the variables a template takes from outside, among them ``messages``, ``tools`` and special tokens.

    A name that the template sets somewhere counts only if it is read before it is first set (``{% set date = date or
    "today" %}`` reads ``date``). Functions of the environment do not count.

    Raises:
        InvalidTemplate: when it is not valid Jinja.
    """
    environment = ChatSandbox()
    try:
        tree = environment.parse(chat_template)
        candidates = meta.find_undeclared_variables(tree) - set(environment.globals) - {"strftime_now"}
    except (TemplateSyntaxError, RecursionError) as error:
        raise InvalidTemplate(f"not a chat template: {error}", field="chat_template") from error
    first: dict[str, str] = {}
    for name in _names(tree):
        first.setdefault(name.name, name.ctx)
    return frozenset(name for name in candidates if first.get(name) == "load")


def _names(node: nodes.Node) -> Iterator[nodes.Name]:
    """All names in the order a reader meets them; an assignment reads before it sets."""
    if isinstance(node, nodes.Name):
        yield node
    children = list(node.iter_child_nodes())
    if isinstance(node, nodes.Assign):
        children.reverse()
    for child in children:
        yield from _names(child)
