"""Whose line is at work: compiled templates get names that lead to their line tables, the compiler says where it is.

A process that is ended can say nothing more than the frames of its stack, and these have the lines of the Python that
Jinja made. So each compiled template is called ``<template N>``, and the N-th table translates its lines.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tokenspec.guard.state import current

_TABLE = "\ndebug_info = '"


@cache
def name_lines() -> None:
    """Have Jinja tell the state of this process of every template that it compiles from now on."""
    from jinja2 import Environment
    from jinja2.compiler import CodeGenerator
    from jinja2.optimizer import Optimizer

    compile_python: Any = Environment._compile  # noqa: SLF001 - the one place that all templates pass

    def compile_named(self: Environment, source: str, filename: str) -> Any:
        if (state := current()) is None:
            return compile_python(self, source, filename)
        state.compiling(0)
        number = state.table(source.rpartition(_TABLE)[2].rstrip("'\n"))
        return compile_python(self, source, f"<template {number}>" if filename == "<template>" else filename)

    def telling(folding: Any) -> Any:
        def fold(self: Any, node: Any, *rest: Any, **more: Any) -> Any:
            if (state := current()) is not None and node.lineno:
                state.compiling(node.lineno)
            return folding(self, node, *rest, **more)

        return fold

    Environment._compile = compile_named  # type: ignore[method-assign]  # noqa: SLF001
    Optimizer.generic_visit = telling(Optimizer.generic_visit)  # type: ignore[method-assign]
    CodeGenerator._output_child_to_const = telling(CodeGenerator._output_child_to_const)  # type: ignore[method-assign]  # noqa: SLF001
