"""Statements of a file: what an edit belongs to, and what is seen to be executed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokenspec.power.trees import Path, at

COUNTS = "__tokenspec_counts__"
"""The name that an instrumented module finds its counts under; the loader puts it into every module."""

Named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Statement:
    """One statement.

    Attributes:
        path: where in the tree.
        line: its first line.
        within: the qualified name of what it is in; of a function or class its own name.
        at_import: it is executed when the module is loaded, not when something is called.
        function: the path of the outermost function around it; empty at import.
        names: the identifiers it mentions itself, without the statements in it.
        binds: the names it binds, where it is executed at import.
    """

    path: Path
    line: int
    within: str
    at_import: bool
    function: Path
    names: frozenset[str]
    binds: frozenset[str]


def statements_of(tree: ast.Module) -> list[Statement]:
    """All statements of a module, outer ones before inner ones."""
    return list(_statements(tree, (), (), ()))


def _statements(node: ast.AST, path: Path, function: Path, within: tuple[str, ...]) -> Iterator[Statement]:
    for name, value in ast.iter_fields(node):
        for index, item in enumerate(value) if isinstance(value, list) else ():
            if not isinstance(item, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                continue
            place = (*path, (name, index))
            named = (*within, item.name) if isinstance(item, Named) else within
            if isinstance(item, ast.stmt):
                yield Statement(place, item.lineno, ".".join(named), not function, function, *_names(item))
            inner = isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and not function
            yield from _statements(item, place, place if inner else function, named)


def _names(statement: ast.stmt) -> tuple[frozenset[str], frozenset[str]]:
    """What a statement mentions and binds, the statements in it aside."""
    mentioned, bound = set[str](), set[str]()
    if isinstance(statement, Named):
        bound.add(statement.name)
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            (mentioned if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.Attribute):
            mentioned.add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            mentioned.add(node.arg)
        waiting.extend(below for below in ast.iter_child_nodes(node) if not isinstance(below, ast.stmt))
    return frozenset(mentioned), frozenset(bound)


def instrumented(tree: ast.Module, first: int) -> ast.Module:
    """The module with a count before each statement; its first statement counts at the place ``first``."""
    found = statements_of(tree)
    changed = copy.deepcopy(tree)
    lists: dict[int, tuple[list[ast.stmt], list[ast.stmt]]] = {}
    for number, statement in enumerate(found):
        holder: Any = at(changed, statement.path[:-1])
        name, index = statement.path[-1]
        statements: list[ast.stmt] = getattr(holder, name)
        new = lists.setdefault(id(statements), (statements, []))[1]
        original = statements[index or 0]
        if not _is_first(original, holder, index):
            new.append(_count(first + number, original))
        new.append(original)
    for statements, new in lists.values():
        statements[:] = new
    return ast.fix_missing_locations(changed)


def _is_first(statement: ast.stmt, holder: Any, index: int | None) -> bool:
    """Nothing may come before a docstring and what is imported from the future."""
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return True
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant and index == 0 and isinstance(holder, (ast.Module, *Named))


def _count(number: int, before: ast.stmt) -> ast.stmt:
    place = ast.Subscript(ast.Name(COUNTS, ast.Load()), ast.Constant(number), ast.Store())
    return ast.copy_location(ast.AugAssign(place, ast.Add(), ast.Constant(1)), before)
