"""What is changed in a template's code before it runs: loops tell where they are, printing keeps provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator
from jinja2.visitor import NodeTransformer

from .provenance import PRIVATE

if TYPE_CHECKING:
    from jinja2.compiler import Frame


class LoopMarks(NodeTransformer):
    """Insert ``enter_loop``, ``at_item`` and ``leave_loop`` around every ``for``.

    Text printed inside a macro, a set block or a filter block is buffered and comes out later, somewhere else. Where
    such a block loops over messages itself, its printed text is tagged on the spot (``scaffold_here``).
    """

    def __init__(self) -> None:
        """Start at the top level of a template."""
        self._in_buffer = False
        self._in_loop = False

    def visit_For(self, node: nodes.For) -> list[nodes.Node]:  # noqa: N802 - Jinja names visitors by class
        outer, self._in_loop = self._in_loop, True
        self.generic_visit(node)
        self._in_loop = outer
        node.body.insert(0, _mark("at_item", _loaded(node.target)))
        if node.test is not None:
            node.test = nodes.And(_call("at_test"), node.test)
        return [_mark("enter_loop"), node, _mark("leave_loop")]

    def visit_Assign(self, node: nodes.Assign) -> list[nodes.Node]:  # noqa: N802
        """``{% set message = messages[i] %}`` names the message that a loop over indices is at, also in a macro."""
        self.generic_visit(node)
        indexed = isinstance(node.node, nodes.Getitem) and not isinstance(node.node.arg, nodes.Const)
        if indexed and isinstance(node.target, nodes.Name):
            return [node, _mark("at_index", _loaded(node.target))]
        return [node]

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:  # noqa: N802
        node.body.insert(0, _mark("call_macro"))
        return self._inside_buffer(node)

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> nodes.Node:  # noqa: N802
        return self._inside_buffer(node)

    def visit_FilterBlock(self, node: nodes.FilterBlock) -> nodes.Node:  # noqa: N802
        return self._inside_buffer(node)

    def _inside_buffer(self, node: nodes.Node) -> nodes.Node:
        outer = self._in_buffer, self._in_loop
        self._in_buffer, self._in_loop = True, False
        self.generic_visit(node)
        self._in_buffer, self._in_loop = outer
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802
        self.generic_visit(node)
        if self._in_buffer and self._in_loop:
            node.nodes = [_call("scaffold_here", child) for child in node.nodes]
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        """Comparing walks lists to their ends, so what is compared to more than a constant is measured before.

        What is searched is walked for a constant, too.
        """
        self.generic_visit(node)
        operands = [node.expr, *(operand.expr for operand in node.ops)]
        has_constant = any(isinstance(operand, nodes.Const) for operand in operands)
        if not has_constant:
            node.expr = _call("bounded", node.expr)
        for operand in node.ops:
            is_searched = operand.op in {"in", "notin"} and not isinstance(operand.expr, (nodes.Const, nodes.Literal))
            if is_searched or not has_constant:
                operand.expr = _call("bounded", operand.expr)
        return node

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:  # noqa: N802
        """Python walks a key that is a tuple, and what it holds, to its end."""
        self.generic_visit(node)
        for pair in node.items:
            if not isinstance(pair.key, nodes.Const):
                pair.key = _call("keyed", pair.key)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        """A slice copies; one of a constant is cut when the template is compiled, by other rules than at work."""
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice) and not _is_constant(node.node):
            node.node = _call("copied", node.node)
        return node

    def visit_Name(self, node: nodes.Name) -> nodes.Node:  # noqa: N802
        """Names of this package do not exist for a template."""
        if node.name.startswith(PRIVATE):
            node.name = "_" + node.name
        return node


def _is_constant(node: nodes.Expr) -> bool:
    try:
        node.as_const()
    except nodes.Impossible:
        return False
    return True


def _call(name: str, *args: nodes.Expr) -> nodes.Expr:
    return nodes.Call(nodes.EnvironmentAttribute(name), list(args), [], None, None)


def _mark(name: str, *args: nodes.Expr) -> nodes.Node:
    return nodes.ExprStmt(_call(name, *args))


def _loaded(target: nodes.Node) -> nodes.Expr:
    """The loop variable as an expression."""
    if isinstance(target, nodes.Tuple):
        return nodes.Tuple([_loaded(item) for item in target.items], "load")
    if isinstance(target, nodes.Name):
        return nodes.Name(target.name, "load")
    return nodes.Const(None)


class TrackingCodeGenerator(CodeGenerator):
    """Print through ``environment.text_of``, join through ``environment.join_text``, call marks directly."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:  # noqa: ARG002
        printing = "environment.text_of(context, "
        if frame.eval_ctx.volatile:
            printing = "(environment.escape_or_text if context.eval_ctx.autoescape else environment.text_of)(context, "
        elif frame.eval_ctx.autoescape:
            printing = "environment.escape_or_text(context, "
        self.write(printing)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        escapes = frame.eval_ctx.autoescape and not frame.eval_ctx.volatile  # Jinja decides it when it compiles
        joining = "environment.join_escaped" if escapes else "environment.join_text"
        self.write(joining + "(context, (")
        for operand in node.nodes:
            self.visit(operand, frame)
            self.write(", ")
        self.write("))")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        if not isinstance(node.node, nodes.EnvironmentAttribute):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write(f"environment.{node.node.name}(context")
        for argument in node.args:
            self.write(", ")
            self.visit(argument, frame)
        self.write(")")
