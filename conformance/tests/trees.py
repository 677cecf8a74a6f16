"""Edits of syntax trees: what is found, and what takes its place, both given as Python.

They are expressions or statements and are compared as trees: spacing, line breaks, quotes, comments and the names of
local variables never matter. In what is found

* ``_`` (or ``__``, ...) stands for any expression, the same one wherever it occurs;
* ``...`` as a whole body stands for any statements;

and either may be used again in what takes its place. What is found must be there exactly once.
"""

from __future__ import annotations

import ast
import builtins
import copy
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

NOT_COMPARED = {"ctx", "kind", "type_comment"}
Statements = list[ast.stmt]
Tree = ast.expr | Statements


class EditError(Exception):
    """The edit cannot be made as it is written: the table is wrong, whatever the test would say."""


@dataclass
class Pattern:
    """What is found, and what its wildcards have met so far.

    Attributes:
        tree: an expression, or statements.
        fixed: names that stand for themselves; any other name stands for one local variable. None: all names do.
        met: the tree each wildcard stands for.
    """

    tree: Tree
    fixed: frozenset[str] | None = None
    met: dict[str, Any] = field(default_factory=dict)

    def fits(self, here: object) -> bool:
        """Whether a tree is what is looked for; the wildcards are then in ``met``."""
        self.met = {}
        return self._fits(self.tree, here)

    def _fits(self, wanted: object, here: object) -> bool:
        if isinstance(wanted, ast.Name) and is_wildcard(wanted.id):
            return isinstance(here, ast.expr) and self._meets(wanted.id, here)
        if isinstance(wanted, ast.Name) and isinstance(here, ast.Name) and self.fixed is not None:
            if wanted.id in self.fixed or here.id in self.fixed:
                return wanted.id == here.id
            others = {met.id for name, met in self.met.items() if isinstance(met, ast.Name) and name != wanted.id}
            return here.id not in others and self._meets(wanted.id, here)
        if isinstance(wanted, list):
            if len(wanted) == 1 and is_any_body(wanted[0]):
                return isinstance(here, list) and self._meets("...", ast.Module(here, []))
            same = isinstance(here, list) and len(wanted) == len(here)
            return same and all(map(self._fits, wanted, here))
        if isinstance(wanted, ast.AST):
            fields = [name for name in wanted._fields if name not in NOT_COMPARED]
            return type(wanted) is type(here) and all(
                self._fits(getattr(wanted, name, None), getattr(here, name, None)) for name in fields
            )
        return type(wanted) is type(here) and wanted == here

    def _meets(self, name: str, here: ast.AST) -> bool:
        if name in self.met:
            return ast.dump(without_context(self.met[name])) == ast.dump(without_context(here))
        self.met[name] = here
        return True


class Filled(ast.NodeTransformer):
    """What takes the place, with what the wildcards met."""

    def __init__(self, met: Mapping[str, Any]) -> None:
        self.met = met

    def visit_Name(self, node: ast.Name) -> ast.expr:
        met = self.met.get(node.id)
        if isinstance(met, ast.Name):
            return ast.Name(met.id, node.ctx)
        if is_wildcard(node.id) and met is None:
            raise EditError(f"{node.id} stands for nothing that was found")
        return copy.deepcopy(met or node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        if is_any_body(node) and "..." in self.met:
            return copy.deepcopy(self.met["..."].body)
        return self.generic_visit(node)


def is_wildcard(name: str) -> bool:
    return not name.strip("_")


def is_any_body(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...


def without_context(tree: ast.AST) -> ast.AST:
    """A copy in which names that are read and names that are set look alike."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if hasattr(node, "ctx"):
            node.ctx = ast.Load()
    return tree


def parsed(find: str, put: str) -> tuple[Tree, Tree]:
    """Both as expressions where both are, else both as statements."""
    texts = [textwrap.dedent(text).strip() for text in (find, put)]
    try:
        found, new = (ast.parse(text, mode="eval").body for text in texts)
    except SyntaxError:
        found, new = (ast.parse(text).body for text in texts)
    return found, new


@dataclass(frozen=True)
class Place:
    """Where a tree hangs: a field of a node, or one or more items of a list."""

    holder: Any
    key: str | int | slice

    def read(self) -> Any:
        return getattr(self.holder, self.key) if isinstance(self.key, str) else self.holder[self.key]

    def write(self, new: Any) -> None:
        if isinstance(self.key, str):
            setattr(self.holder, self.key, new)
        else:
            self.holder[self.key] = new


def expressions(root: ast.AST) -> Iterator[Place]:
    """Every expression below a node."""
    for node in ast.walk(root):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield Place(node, name)
            elif isinstance(value, list):
                yield from (Place(value, index) for index, item in enumerate(value) if isinstance(item, ast.expr))


def statements(root: ast.AST, size: int) -> Iterator[Place]:
    """Every so many statements in a row."""
    for node in ast.walk(root):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from (Place(value, slice(start, start + size)) for start in range(len(value) - size + 1))


def edit_tree(root: ast.AST, find: str, put: str, fixed: frozenset[str], where: str) -> None:
    """Make one edit below a node of a tree. Names are tried as they are written first, then as any local names.

    Raises:
        EditError: what is looked for is not there, or more than once.
    """
    wanted, new = parsed(find, put)
    there = list(statements(root, len(wanted)) if isinstance(wanted, list) else expressions(root))
    for names in (None, fixed):
        pattern = Pattern(wanted, names)
        found = [place for place in there if pattern.fits(place.read())]
        if len(found) > 1:
            raise EditError(f"{where}: {len(found)} places are {find!r}; say more of what stands around it")
        if found:
            pattern.fits(found[0].read())
            found[0].write(made(new, pattern.met, found[0].read()))
            ast.fix_missing_locations(root)
            return
    raise EditError(f"{where}: nothing there is {find!r}")


def made(new: Tree, met: Mapping[str, Any], old: Any) -> Tree:
    """What takes the place of ``old``, filled in, at its line."""
    whole = ast.Module(new, []) if isinstance(new, list) else ast.Expression(new)
    tree: Tree = Filled(met).visit(whole).body
    for node in tree if isinstance(tree, list) else [tree]:
        ast.copy_location(node, old[0] if isinstance(old, list) else old)
    return tree


def edited_text(source: str, *edits: tuple[str, str]) -> str:
    """A whole program with edits anywhere in it, for tests that hand a program to another process."""
    tree = ast.parse(source)
    for find, put in edits:
        edit_tree(tree, find, put, frozenset(dir(builtins)), "the program")
    return ast.unparse(tree)
