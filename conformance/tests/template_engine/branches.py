"""Which branches of a chat template a run executes: every body of ``if``, ``elif``, ``else``, ``for``, and the choices.

The template is compiled as transformers compiles it, with a mark at the start of each branch. A branch is named by its
line, its number on that line and its kind; ``otherwise`` is the branch of an ``if`` that has no ``else``.
"""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

SEEN = "_branch"


class Marking(NodeTransformer):
    """Puts a mark into each branch of a parsed template."""

    def __init__(self) -> None:
        self.branches: list[str] = []
        self._on_line: dict[int, int] = {}

    def named(self, line: int, kind: str) -> nodes.Const:
        """The name of the next branch of this line."""
        self._on_line[line] = self._on_line.get(line, 0) + 1
        self.branches.append(f"{line}.{self._on_line[line]} {kind}")
        return nodes.Const(self.branches[-1], lineno=line)

    def marked(self, line: int, kind: str, body: list[nodes.Node]) -> list[nodes.Node]:
        """A body behind its mark, itself visited."""
        mark = nodes.ExprStmt(self._seen(line, kind), lineno=line)
        inner = [self.visit(node) for node in body]
        return [mark, *inner]

    def visit_If(self, node: nodes.If) -> nodes.Node:  # noqa: N802 - the visitor's naming
        """Each arm, and the one that is taken where there is no ``else``."""
        node.test = self.visit(node.test)
        node.body = self.marked(node.lineno, "then", node.body)
        for arm in node.elif_:
            arm.test = self.visit(arm.test)
            arm.body = self.marked(arm.lineno, "elif", arm.body)
        node.else_ = self.marked(node.lineno, "else" if node.else_ else "otherwise", node.else_)
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - the visitor's naming
        """The body, and the ``else``."""
        node.iter = self.visit(node.iter)
        if node.test is not None:
            node.test = self.visit(node.test)
        node.body = self.marked(node.lineno, "loop", node.body)
        if node.else_:
            node.else_ = self.marked(node.lineno, "loop-else", node.else_)
        return node

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:  # noqa: N802 - the visitor's naming
        """Both values of a choice."""
        self.generic_visit(node)
        node.expr1 = self._seen(node.lineno, "if", node.expr1)
        if node.expr2 is not None:
            node.expr2 = self._seen(node.lineno, "unless", node.expr2)
        return node

    def _seen(self, line: int, kind: str, *value: nodes.Expr) -> nodes.Call:
        name = nodes.Name(SEEN, "load", lineno=line)
        return nodes.Call(name, [self.named(line, kind), *value], [], None, None, lineno=line)


class MarkedTemplate:
    """A template that remembers which of its branches were executed."""

    def __init__(self, source: str) -> None:
        from transformers.utils import chat_template_utils

        environment = chat_template_utils._compile_jinja_template("").environment
        marking = Marking()
        tree = marking.visit(environment.parse(source))
        tree.set_environment(environment)
        self.branches = tuple(marking.branches)
        self.executed: set[str] = set()
        code = environment.compile(tree)
        self._template = environment.template_class.from_code(
            environment, code, {**environment.globals, SEEN: self._see}
        )

    def _see(self, branch: str, value: Any = None) -> Any:
        self.executed.add(branch)
        return value

    def render(self, inputs: dict[str, Any]) -> None:
        """Render once; what was executed before a refusal counts."""
        with contextlib.suppress(Exception):
            self._template.render(copy.deepcopy(inputs))
