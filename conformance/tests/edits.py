"""Edits of what is loaded, for tests of tests: what weakens the suite must be noticed by a named test.

An edit says where (module and function), what is found there and what takes its place (see ``tests.trees``). The edited
module is compiled, and the code of the one function is exchanged: whoever imported the function has it, and nothing
else of the module is made anew.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Protocol, Self

import pytest

from tests.trees import EditError, edit_tree
from tokenspec.errors import TokenspecError

NOTICED = (AssertionError, pytest.fail.Exception, TokenspecError)


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
    return pytest.mark.parametrize(
        "weakening", [pytest.param(table[name], id=name, marks=marks[name]) for name in table]
    )
