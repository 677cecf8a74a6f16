"""Python source with something added, found on its syntax tree: an import, a definition, an entry of a table."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

from tokenspec.errors import UsageError


def with_import(text: str, module: str, name: str) -> str:
    """The source with ``from module import name`` at its top level, where the import sorter has it."""
    text = _not_for_types_only(text, module, name)
    same: ast.ImportFrom | None = None
    before = after = 0
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        theirs = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        if isinstance(node, ast.ImportFrom) and theirs == module and node.level == 0:
            same = node
        package = (theirs or "").partition(".")[0]
        if package in {"tokenspec", "tokenspec_reference"} and (theirs or "") > module and not after:
            after = node.lineno
        before = node.end_lineno or before
    lines = text.splitlines(keepends=True)
    if same is None:
        statement = f"from {module} import {name}\n"
        at = after - 1 if after else before
        return "".join([*lines[:at], statement, *lines[at:]])
    names = [alias.name if alias.asname is None else f"{alias.name} as {alias.asname}" for alias in same.names]
    if name in names:
        return text
    names = sorted([*names, name], key=_as_sorted)
    one = f"from {module} import {', '.join(names)}\n"
    many = "\n".join([f"from {module} import (", *(f"    {item}," for item in names), ")\n"])
    return "".join([*lines[: same.lineno - 1], one if len(one) <= 121 else many, *lines[same.end_lineno :]])


def _not_for_types_only(text: str, module: str, name: str) -> str:
    """The source without this import below ``if TYPE_CHECKING``, and without the block where nothing else is in it."""
    lines = text.splitlines(keepends=True)
    for block in ast.parse(text).body:
        if not (isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"):
            continue
        for node in block.body:
            if isinstance(node, ast.ImportFrom) and node.module == module and name in {a.name for a in node.names}:
                others = [alias.name for alias in node.names if alias.name != name]
                left = [f"    from {module} import {', '.join(others)}\n"] if others else []
                if left or len(block.body) > 1:
                    return "".join([*lines[: node.lineno - 1], *left, *lines[node.end_lineno :]])
                head = "".join(lines[: block.lineno - 1]).rstrip() + "\n"
                return _without_name(head + "".join(lines[block.end_lineno :]), "typing", "TYPE_CHECKING")
    return text


def _without_name(text: str, module: str, name: str) -> str:
    """The source without one name of a top-level import."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.module == module and name in {a.name for a in node.names}:
            others = [alias.name for alias in node.names if alias.name != name]
            left = [f"from {module} import {', '.join(others)}\n"] if others else []
            rest = lines[node.end_lineno :]
            while not left and rest and rest[0] == "\n" and lines[node.lineno - 2] == "\n":
                rest = rest[1:]
            return "".join([*lines[: node.lineno - 1], *left, *rest])
    return text


def _as_sorted(name: str) -> tuple[int, str]:
    """Constants, classes, then the rest: the order of the import sorter."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def with_definition(text: str, definition: str, before: str | None = None) -> str:
    """The source with a function or class at its end, or before the table ``before``."""
    if before is None:
        return f"{text.rstrip()}\n\n\n{definition.strip()}\n"
    lines = text.splitlines(keepends=True)
    at = _table(text, before).lineno - 1
    head = "".join(lines[:at]).rstrip()
    return f"{head}\n\n\n{definition.strip()}\n\n\n{''.join(lines[at:])}"


def with_entry(path: Path, text: str, table: str, entry: str) -> str:
    """The source with an entry at the end of a table: a list or tuple as it stands there, or ``tuple(...)``.

    Raises:
        UsageError: the table is made in another way; ``path`` is named.
    """
    value = _table(text, table, path).value
    lines = text.splitlines(keepends=True)
    if value is None or value.end_lineno is None or value.end_col_offset is None:
        raise _no_table(path, table)
    head = "".join([*lines[: value.lineno - 1], _cut(lines[value.lineno - 1], 0, value.col_offset)])
    tail = "".join([_cut(lines[value.end_lineno - 1], value.end_col_offset), *lines[value.end_lineno :]])
    added = textwrap.indent(entry.strip(), "    ")
    if isinstance(value, ast.List | ast.Tuple) and value.end_lineno > value.lineno:
        inside = "".join(lines[value.lineno : value.end_lineno - 1]).rstrip()
        opener = _cut(lines[value.lineno - 1], value.col_offset).rstrip()
        comma = "" if inside.endswith(",") else ","
        closer = "]" if isinstance(value, ast.List) else ")"
        return f"{head}{opener}\n{inside}{comma}\n{added}\n{closer}{tail}"
    if isinstance(value, ast.List | ast.Tuple):
        items = [ast.get_source_segment(text, item) or "" for item in value.elts]
        opener, closer = ("[", "]") if isinstance(value, ast.List) else ("(", ")")
    elif isinstance(value, ast.Call) and ast.unparse(value.func) == "tuple" and len(value.args) == 1:
        items = [f"*{ast.get_source_segment(text, value.args[0])}"]
        opener, closer = "(", ")"
    else:
        raise _no_table(path, table)
    listed = "".join(f"    {item},\n" for item in items)
    return f"{head}{opener}\n{listed}{added}\n{closer}{tail}"


def _cut(line: str, start: int, stop: int | None = None) -> str:
    """A part of a line; the syntax tree counts bytes."""
    return line.encode()[start:stop].decode()


def _table(text: str, name: str, path: Path = Path()) -> ast.Assign | ast.AnnAssign:
    for node in ast.parse(text).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            assert isinstance(node, ast.Assign | ast.AnnAssign)
            return node
    raise _no_table(path, name)


def _no_table(path: Path, name: str) -> UsageError:
    return UsageError(f"{path}: no {name} that is a list or tuple to add to; give --theme another name, a new one too")
