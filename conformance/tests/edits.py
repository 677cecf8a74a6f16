"""Edits of code as syntax trees, for tests of tests: what weakens the suite must be noticed by a named test.

An edit says where (module and function), what is found there, and what takes its place. Both are Python, an expression
or statements, and are compared as trees: spacing, line breaks, quotes, comments and the names of local variables never
matter. In what is found

* ``_`` (or ``__``, ...) stands for any expression, the same one wherever it occurs;
* ``...`` as a whole body stands for any statements;

and either may be used again in what takes its place. What is found must be there exactly once.

The edited tree is compiled, and the code of the one function is exchanged: whoever imported the function has it, and
nothing else of the module is made anew.
"""

from __future__ import annotations

import ast
import builtins
import copy
import dis
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol, Self

import pytest

from tokenspec.errors import TokenspecError

NOT_COMPARED = {"ctx", "kind", "type_comment"}
Statements = list[ast.stmt]
Tree = ast.expr | Statements


class EditError(Exception):
    """The edit cannot be made as it is written: the table is wrong, whatever the test would say."""


# --- what is found, and what takes its place


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


def places(root: ast.AST, size: int | None) -> Iterator[tuple[Callable[[], Any], Callable[[Any], None]]]:
    """Every expression below a node (size None), or every so many statements in a row: how to read and to set it."""
    for node in ast.walk(root):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and size is not None and value and isinstance(value[0], ast.stmt):
                for start in range(len(value) - size + 1):
                    here = slice(start, start + size)
                    yield (lambda at=value, here=here: at[here]), (lambda new, at=value, here=here: at.__setitem__(here, new))
            elif isinstance(value, list) and size is None:
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        yield (lambda item=item: item), (lambda new, at=value, index=index: at.__setitem__(index, new))
            elif isinstance(value, ast.expr) and size is None:
                yield (lambda value=value: value), (lambda new, at=node, name=name: setattr(at, name, new))


def edit_tree(root: ast.AST, find: str, put: str, fixed: frozenset[str], where: str) -> None:
    """Make one edit below a node of a tree. Names are tried as they are written first, then as any local names.

    Raises:
        EditError: what is looked for is not there, or more than once.
    """
    wanted, new = parsed(find, put)
    size = len(wanted) if isinstance(wanted, list) else None
    for names in (None, fixed):
        pattern = Pattern(wanted, names)
        found = [(read, write) for read, write in places(root, size) if pattern.fits(read())]
        if len(found) > 1:
            raise EditError(f"{where}: {len(found)} places are {find!r}; say more of what stands around it")
        if found:
            read, write = found[0]
            pattern.fits(old := read())
            filled = Filled(pattern.met)
            first = old[0] if isinstance(old, list) else old
            made = ast.Module(new, []) if isinstance(new, list) else ast.Expression(new)
            made = filled.visit(copy.deepcopy(made)).body
            for node in made if isinstance(made, list) else [made]:
                ast.copy_location(node, first)
            write(made)
            ast.fix_missing_locations(root)
            return
    raise EditError(f"{where}: nothing there is {find!r}")


def edited_text(source: str, *edits: tuple[str, str]) -> str:
    """A whole program with edits anywhere in it, for tests that hand a program to another process."""
    tree = ast.parse(source)
    for find, put in edits:
        edit_tree(tree, find, put, frozenset(dir(builtins)), "the program")
    return ast.unparse(tree)


# --- edits of what is loaded


class Applicable(Protocol):
    """An edit of anything: put in its place for the time of a block."""

    def applied(self) -> AbstractContextManager[None]: ...

    def changing_nothing(self) -> Self: ...


@dataclass(frozen=True)
class Edit:
    """One edit of one function.

    Attributes:
        module: its module, by its whole name.
        function: its qualified name, ``Ledger.complaints_of``; of properties, cached functions and commands too.
        find: what is found there.
        put: what takes its place.
    """

    module: str
    function: str
    find: str
    put: str

    def changing_nothing(self) -> Edit:
        """The control: the same place, made anew as it was."""
        return replace(self, put=self.find)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The function does what the edited code says until the block ends; what it remembered is forgotten.

        Raises:
            EditError: there is no such function, what is looked for is not there exactly once, or a name is unknown.
        """
        module = import_module(self.module)
        member, function = live(module, self.function)
        before, forget = function.__code__, getattr(member, "cache_clear", lambda: None)
        function.__code__ = self.compiled(module, before)
        forget()
        try:
            yield
        finally:
            function.__code__ = before
            forget()

    def compiled(self, module: ModuleType, before: CodeType) -> CodeType:
        """The edited function, out of the whole module compiled as it would be."""
        file = str(module.__file__)
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        known = frozenset({*vars(module), *dir(builtins)})
        edit_tree(definition(tree, self.function), self.find, self.put, known, self.where)
        whole = compile(tree, file, "exec", dont_inherit=True)
        (code,) = (one for one in codes(whole) if same_place(one, before))
        if unknown := sorted(set(names_used(code)) - known):
            raise EditError(f"{self.where}: {unknown} is nothing there; a crash would be taken for a test that noticed")
        return code

    @property
    def where(self) -> str:
        return f"{self.module}.{self.function}"


def definition(tree: ast.Module, function: str) -> ast.AST:
    """The definition of a function by its qualified name."""
    here: ast.AST = tree
    for part in function.split("."):
        named = [one for one in ast.iter_child_nodes(here) if getattr(one, "name", None) == part]
        if len(named) != 1:
            raise EditError(f"{function}: {len(named)} definitions of {part}")
        here = named[0]
    return here


def live(module: ModuleType, function: str) -> tuple[Any, FunctionType]:
    """What the module holds under this name, and the function itself: what decorators made of it is looked through."""
    found: Any = module
    for part in function.split("."):
        found = inspect.getattr_static(found, part)
    inner = found
    for inside in ("fget", "func", "callback", "__func__", "__wrapped__"):  # properties, caches, commands, methods
        inner = getattr(inner, inside, inner)
    if not isinstance(inner, FunctionType):
        raise EditError(f"{module.__name__}.{function} is no function")
    return found, inner


def codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and all inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def same_place(one: CodeType, other: CodeType) -> bool:
    return (one.co_qualname, one.co_firstlineno) == (other.co_qualname, other.co_firstlineno)


def names_used(code: CodeType) -> Iterator[str]:
    """Names that are looked up in the module."""
    for one in codes(code):
        yield from (step.argval for step in dis.get_instructions(one) if step.opname == "LOAD_GLOBAL")


# --- tables of edits, each with the test that must notice it

NOTICED = (AssertionError, pytest.fail.Exception, TokenspecError)


@dataclass(frozen=True)
class Weakening:
    """One edit and the test that must notice it.

    Attributes:
        edit: what weakens the suite.
        test: the test; a property test is run on one example.
        given: its arguments; the others are fixtures.
        noticed: what it may fail with.
    """

    edit: Applicable
    test: Callable[..., Any]
    given: Mapping[str, Any] = field(default_factory=dict)
    noticed: tuple[type[BaseException], ...] = NOTICED

    @property
    def body(self) -> Callable[..., Any]:
        """The test without the search for examples."""
        return self.test.hypothesis.inner_test if hasattr(self.test, "hypothesis") else self.test

    @property
    def fixtures(self) -> list[str]:
        """Names of the fixtures it takes."""
        return [name for name in inspect.signature(self.body).parameters if name not in self.given]

    def arguments(self, request: pytest.FixtureRequest) -> dict[str, Any]:
        """What the test is run with: fixtures are set up before anything is edited."""
        return {**self.given, **{name: request.getfixturevalue(name) for name in self.fixtures}}

    def must_be_noticed(self, request: pytest.FixtureRequest) -> None:
        """Run the test under the edit."""
        arguments = self.arguments(request)
        with self.edit.applied(), pytest.raises(self.noticed):
            self.body(**arguments)

    def must_pass_without(self, request: pytest.FixtureRequest) -> None:
        """The control: how edits are put in place is not what the test notices."""
        arguments = self.arguments(request)
        with self.edit.changing_nothing().applied():
            self.body(**arguments)


def each_of(table: Mapping[str, Weakening]) -> pytest.MarkDecorator:
    """A test for each entry of a table, named after what is weakened."""
    marks = {name: [pytest.mark.browser] * ("opened" in one.fixtures) for name, one in table.items()}
    return pytest.mark.parametrize("weakening", [pytest.param(table[name], id=name, marks=marks[name]) for name in table])
