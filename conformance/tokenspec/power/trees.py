"""Places in syntax trees: how an edit says which node it is about, and what is put there."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

Path = tuple[tuple[str, int | None], ...]
"""From the root down: each step a field and, where the field is a list, an index."""


def steps(node: ast.AST) -> Iterator[tuple[tuple[str, int | None], ast.AST]]:
    """The children of a node, each with the step that leads to it."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield (name, None), value
        elif isinstance(value, list):
            yield from (((name, index), item) for index, item in enumerate(value) if isinstance(item, ast.AST))


def child(node: Any, step: tuple[str, int | None]) -> Any:
    """The child a step leads to."""
    name, index = step
    found = getattr(node, name)
    return found if index is None else found[index]


def at(root: ast.AST, path: Path) -> Any:
    """The node a path leads to."""
    node: Any = root
    for step in path:
        node = child(node, step)
    return node


def replaced(root: ast.AST, path: Path, new: ast.AST) -> Any:
    """A tree with another node at the end of a path; off the path it shares its nodes with ``root``."""
    if not path:
        return ast.fix_missing_locations(ast.copy_location(copy.deepcopy(new), root))
    (name, index), tree = path[0], copy.copy(root)
    below = replaced(child(root, path[0]), path[1:], new)
    if index is not None:
        found = getattr(root, name)
        below = [*found[:index], below, *found[index + 1 :]]
    setattr(tree, name, below)
    return tree


def is_string(node: ast.AST) -> bool:
    """A literal text, or one with expressions in it."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def called(node: ast.AST) -> str:
    """The last word of what a call calls; empty where it has none."""
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
