"""Edits of the reference: all that the operators offer, what each is called, and the edited program."""

from __future__ import annotations

import ast
import hashlib
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as File
from types import CodeType

from tokenspec.power.operators import OPERATORS, Signature, Surroundings
from tokenspec.power.statements import Statement, statements_of
from tokenspec.power.trees import Path, at, called, replaced, steps
from tokenspec.power.untouched import is_untouched

SHOWN = 90
"""Characters that an expression is shown with around what is edited."""

KEPT = 30
"""Characters that stay on both sides of what differs where that is longer."""

Functions = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, eq=False)
class Edit:
    """One edit of one file.

    Attributes:
        source: the file.
        path: the node.
        new: what takes its place.
        operator: the kind of edit.
        within: the qualified name of what it is in; empty at the top of the module.
        line: of the node.
        statement: the statement it belongs to, as ``Source.statements`` counts.
    """

    source: Source
    path: Path
    new: ast.AST = field(repr=False)
    operator: str
    within: str
    line: int
    statement: int

    @property
    def file(self) -> str:
        """The file, from the package on."""
        return self.source.file

    @cached_property
    def shown(self) -> tuple[str, str]:
        """The code before and after, with the expression around it where that is short."""
        end = len(self.path)
        before, after = _text(at(self.source.tree, self.path)), _text(self.new)
        while end and isinstance(at(self.source.tree, self.path[:end]), (ast.expr, ast.keyword, ast.comprehension)):
            end -= 1
            wider = at(self.source.tree, self.path[:end])
            if isinstance(wider, ast.expr):
                if len(was := _text(wider)) > SHOWN:
                    break
                before, after = was, _text(replaced(wider, self.path[end:], self.new))
        return _shortened(before, after)

    @cached_property
    def number(self) -> int:
        """Which of the edits of the same place that look alike, from 1 on."""
        alike = [other for other in self.source.edits_within(self.within) if other.shown == self.shown]
        return alike.index(self) + 1

    @cached_property
    def id(self) -> str:
        """What it is called, whatever else of the file changes."""
        written = "\0".join([self.file, self.within, *self.shown, str(self.number)])
        return hashlib.sha256(written.encode()).hexdigest()[:10]

    def program(self) -> CodeType:
        """The edited module, compiled."""
        return compile(replaced(self.source.tree, self.path, self.new), str(self.source.where), "exec")


@dataclass(frozen=True, eq=False)
class Source:
    """One file of the reference.

    Attributes:
        file: from the package on, ``renderers/encode.py``.
        where: where it lies.
        package: what is known of the functions of all files.
    """

    file: str
    where: File
    package: Package

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.where.read_text(encoding="utf-8"))

    @cached_property
    def statements(self) -> list[Statement]:
        """All its statements in order."""
        return statements_of(self.tree)

    @cached_property
    def places(self) -> frozenset[str]:
        """The qualified names of its functions and classes, and the empty one for itself."""
        return frozenset({"", *(statement.within for statement in self.statements)})

    @cached_property
    def edits(self) -> list[Edit]:
        """All edits there are, in order."""
        return list(self._edits())

    def edits_within(self, name: str) -> list[Edit]:
        """Those of one function, class, or of the top of the module."""
        return self._by_place.get(name, [])

    @cached_property
    def _by_place(self) -> dict[str, list[Edit]]:
        found: dict[str, list[Edit]] = {}
        for edit in self.edits:
            found.setdefault(edit.within, []).append(edit)
        return found

    def _edits(self) -> Iterator[Edit]:
        number = {statement.path: index for index, statement in enumerate(self.statements)}

        def walk(
            node: ast.AST, path: Path, within: tuple[str, ...], function: ast.FunctionDef | ast.AsyncFunctionDef | None
        ) -> Iterator[Edit]:
            for step, below in steps(node):
                if is_untouched(below, node, step[0], self.package.refusals):
                    continue
                place = (*path, step)
                around = Surroundings(node, step[0], function, self.package.signatures)
                statement = next(number[place[:end]] for end in range(len(place), 0, -1) if place[:end] in number)
                for name, operator in OPERATORS.items():
                    for new in operator(below, around):
                        line = getattr(below, "lineno", self.statements[statement].line)
                        yield Edit(self, place, new, name, ".".join(within), line, statement)
                named = isinstance(below, (*Functions, ast.ClassDef))
                yield from walk(
                    below,
                    place,
                    (*within, below.name) if isinstance(below, (*Functions, ast.ClassDef)) else within,
                    below if isinstance(below, Functions) else None if named else function,
                )

        yield from walk(self.tree, (), (), None)


@dataclass(frozen=True)
class Package:
    """What is known of the functions and classes of all files, by their last name.

    Attributes:
        signatures: how they are called.
        refusals: the names that make errors: what they are told is for people.
    """

    signatures: Mapping[str, Signature]
    refusals: frozenset[str]


def package_of(trees: Sequence[ast.Module]) -> Package:
    """Read every function and class of a package."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    signatures: dict[str, Signature] = {}
    for node in nodes:
        if isinstance(node, (*Functions, ast.ClassDef)) and (own := _signature(node)) is not None:
            signatures[node.name] = signatures[node.name].met(own) if node.name in signatures else own
    refusals = {"ValueError", "TypeError", "KeyError", "RuntimeError", "Exception", "fail"}
    refusals |= {node.name for node in nodes if isinstance(node, ast.ClassDef) and _tells_people(node)}
    refusals |= {node.name for node in nodes if isinstance(node, Functions) and _never_returns(node)}
    grown = True
    while grown:
        made = {
            node.name
            for node in nodes
            if isinstance(node, ast.ClassDef)
            and any(ast.unparse(base).rpartition(".")[2] in refusals for base in node.bases)
        }
        grown = not made <= refusals
        refusals |= made
    refusals |= {called(node.exc) for node in nodes if isinstance(node, ast.Raise) and node.exc is not None}
    return Package(signatures, frozenset(refusals - {""}))


def _tells_people(node: ast.ClassDef) -> bool:
    """Whether it is a record with a reason or a message."""
    fields = {ast.unparse(item.target) for item in node.body if isinstance(item, ast.AnnAssign)}
    return not fields.isdisjoint({"reason", "message", "why"})


def _never_returns(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether all it does is raise."""
    return node.returns is not None and ast.unparse(node.returns) == "NoReturn"


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Signature | None:
    """How a function, or a class that is a record, is called."""
    if isinstance(node, Functions):
        given = node.args
        plain = [item for item in [*given.posonlyargs, *given.args] if item.arg not in {"self", "cls"}]
        needed = len(plain) - len(given.defaults)
        spare = [item.arg for item in plain[needed:]] + [
            item.arg for item, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default
        ]
        kinds = tuple(ast.unparse(item.annotation) if item.annotation else "" for item in plain)
        return Signature(needed, kinds, frozenset(spare))
    written = " ".join(map(ast.unparse, [*node.decorator_list, *node.bases]))
    if "dataclass" not in written and "NamedTuple" not in written and "Struct" not in written:
        return None
    fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
    spare = [ast.unparse(item.target) for item in fields if item.value is not None]
    kinds = tuple(ast.unparse(item.annotation) for item in fields)
    return Signature(len(fields) - len(spare), kinds, frozenset(spare))


def read_package(folder: File) -> list[Source]:
    """The files of a package."""
    files = sorted(folder.rglob("*.py"))
    package = package_of([ast.parse(file.read_text(encoding="utf-8")) for file in files])
    return [Source(file.relative_to(folder).as_posix(), file, package) for file in files]


def drawn(edits: Sequence[Edit], count: int, seed: str) -> list[Edit]:
    """So many edits at random, of each node and operator one at most."""
    chance = random.Random(seed)
    groups: dict[tuple[str, Path, str], list[Edit]] = {}
    for edit in edits:
        groups.setdefault((edit.file, edit.path, edit.operator), []).append(edit)
    keys = list(groups)
    chance.shuffle(keys)
    whole = (edit for key in keys if _compiles(edit := chance.choice(groups[key])))
    return list(itertools.islice(whole, count))


def _compiles(edit: Edit) -> bool:
    try:
        edit.program()
    except (SyntaxError, ValueError):
        return False
    return True


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.ExceptHandler):
        caught = f" {ast.unparse(node.type)}" if node.type is not None else ""
        return f"except{caught}: {'; '.join(map(ast.unparse, node.body))}"
    if isinstance(node, ast.keyword):
        return f"{node.arg}={ast.unparse(node.value)}"
    return ast.unparse(node)


def _shortened(before: str, after: str) -> tuple[str, str]:
    """Both without what is alike far from what differs."""
    if max(len(before), len(after)) <= SHOWN:
        return before, after
    same = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    start = min(len(before), len(after)) if same is None else same
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = max(0, start - KEPT), max(0, end - KEPT)

    def cut(text: str) -> str:
        return ("…" if left else "") + text[left : len(text) - right] + ("…" if right else "")

    return cut(before), cut(after)
