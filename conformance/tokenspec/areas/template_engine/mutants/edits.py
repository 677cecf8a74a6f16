"""How a template-engine mutant is made: the reference's plain sandbox with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from unittest.mock import patch

from jinja2 import Environment, TemplateSyntaxError, Undefined, nodes
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from tokenspec.adapters import Unsupported
from tokenspec.areas.mutant import Mutant
from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.template.engine import TemplateRefuses
from tokenspec_reference.renderers.template.limits import InvalidTemplate, TemplateLimitExceeded
from tokenspec_reference.renderers.template.sandbox import ChatSandbox, clock

Json = dict[str, Any]


class EditedSandbox(ChatSandbox):
    """The sandbox whose syntax tree passes through ``rewrite`` before it is compiled."""

    rewrite: NodeTransformer | None = None

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        return tree if self.rewrite is None else self.rewrite.visit(tree)


@dataclass
class Edited:
    """The sandbox with an edited environment, source, inputs, text, refusal, or replaced functions of Jinja.

    ``sandbox`` is the class of the environment; ``edit`` changes one before a template is compiled.
    """

    sandbox: type[Environment] = EditedSandbox
    edit: Callable[[Any], object] | None = None
    source: Callable[[str], str] | None = None
    inputs: Callable[[Json], Json] | None = None
    text: Callable[[str], str] | None = None
    refusal: Callable[[Exception], Json] | None = None
    patches: tuple[tuple[object, str, Any], ...] = ()

    def info(self) -> dict[str, str]:
        return {"name": "mutant", "version": "0", "language": "python"}

    def render_template(self, request: Json) -> Json:
        if "limits" in request:
            raise Unsupported("takes no bounds")
        active = [patch.object(owner, name, replacement) for owner, name, replacement in self.patches]
        for one in active:
            one.start()
        try:
            return {"text": self.rendered(request)}
        except Exception as error:
            if self.refusal is not None:
                return self.refusal(error)
            raise self.refused(error) from error
        finally:
            for one in reversed(active):
                one.stop()

    def rendered(self, request: Json) -> str:
        environment = self.sandbox()
        if self.edit is not None:
            self.edit(environment)
        source = request["template"] if self.source is None else self.source(request["template"])
        inputs = request["inputs"] if self.inputs is None else self.inputs(request["inputs"])
        now = clock(datetime.fromisoformat(request["now"]))
        text = environment.from_string(source).render({"strftime_now": now, **inputs})
        return text if self.text is None else self.text(text)

    def refused(self, error: Exception) -> TokenSpecError:
        """A refusal as the reference words it."""
        if isinstance(error, TemplateSyntaxError):
            return InvalidTemplate(str(error), field="template")
        if isinstance(error, RecursionError):
            return TemplateLimitExceeded("endless", field="template")
        return TemplateRefuses(error)


def mutant(slug: str, breaks: str, note: str, make: Callable[[], object]) -> Mutant:
    """One broken engine; ``breaks`` are numbers of TPL requirements."""
    numbers = tuple(f"TPL-{number}" for number in breaks.split())
    return Mutant(id=f"template-engine-{slug}", area="template-engine", breaks=numbers, note=note, make=make)


def setting(**attributes: Any) -> Callable[[Environment], None]:
    """An edit that sets attributes of the environment."""

    def edit(environment: Environment) -> None:
        for name, value in attributes.items():
            setattr(environment, name, value)

    return edit


def replacing(table: str, **entries: Any) -> Callable[[Environment], None]:
    """An edit of ``filters``, ``tests`` or ``globals``."""
    return lambda environment: getattr(environment, table).update(entries)


def printing(change: Callable[[Any], Any]) -> Callable[[Environment], None]:
    """An edit of what ``{{ value }}`` prints."""
    return setting(finalize=lambda value: value if isinstance(value, Undefined) else change(value))


def rewriting(transformer: NodeTransformer, **names: Any) -> Callable[[Environment], None]:
    """An edit of the syntax tree; ``names`` are tests the new tree calls."""

    def edit(environment: Any) -> None:
        environment.rewrite = transformer
        environment.tests.update(names)

    return edit


def operator(symbol: str, function: Callable[[Any, Any], Any]) -> type[Environment]:
    """A sandbox with another arithmetic operator."""

    class Sandbox(EditedSandbox):
        intercepted_binops = frozenset({symbol})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            return function(left, right)

    return Sandbox


def lookup(change: Callable[[Any, Any, Callable[[], Any]], Any]) -> type[Environment]:
    """A sandbox with other attributes and elements; ``change`` gets value, name, and the right answer on demand."""

    class Sandbox(EditedSandbox):
        def getattr(self, obj: Any, attribute: str) -> Any:
            return change(obj, attribute, lambda: ChatSandbox.getattr(self, obj, attribute))

        def getitem(self, obj: Any, argument: Any) -> Any:
            return change(obj, argument, lambda: ChatSandbox.getitem(self, obj, argument))

    return Sandbox


class OperatorAsTest(NodeTransformer):
    """``a <operator> b`` becomes ``a is edited(b)``."""

    def __init__(self, symbol: str) -> None:
        self.symbol = symbol

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - named after the node
        self.generic_visit(node)
        if [operand.op for operand in node.ops] != [self.symbol]:
            return node
        return nodes.Test(node.expr, "edited", [node.ops[0].expr], [], None, None).set_lineno(node.lineno)


class LogicAsTruth(NodeTransformer):
    """And and or give true or false."""

    def visit_And(self, node: nodes.And) -> nodes.Expr:  # noqa: N802 - named after the node
        self.generic_visit(node)
        return nodes.Not(nodes.Not(node))

    visit_Or = visit_And  # noqa: N815 - named after the node


class NoneWithoutElse(NodeTransformer):
    """A condition without else gives none."""

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Expr:  # noqa: N802 - named after the node
        self.generic_visit(node)
        node.expr2 = node.expr2 or nodes.Const(None)
        return node


class LoopsForgive(NodeTransformer):
    """Loops walk nothing where they get none or zero."""

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802 - named after the node
        self.generic_visit(node)
        node.iter = nodes.Or(node.iter, nodes.List([]))
        return node


class NoneForMissingArguments(NodeTransformer):
    """Macro arguments that are not given are none."""

    def visit_Macro(self, node: nodes.Macro) -> nodes.Macro:  # noqa: N802 - named after the node
        self.generic_visit(node)
        missing = len(node.args) - len(node.defaults)
        node.defaults = [nodes.Const(None) for _ in range(missing)] + node.defaults
        return node


class TrimmedSetBlocks(NodeTransformer):
    """Set blocks lose the white space at their ends."""

    def visit_AssignBlock(self, node: nodes.AssignBlock) -> nodes.AssignBlock:  # noqa: N802 - named after the node
        self.generic_visit(node)
        node.filter = nodes.Filter(node.filter, "trim", [], [], None, None)
        return node


class LeakingNames(NodeTransformer):
    """Every name a template sets lives in one place for the whole render."""

    def __init__(self) -> None:
        self.known: set[str] = set()

    def visit_Template(self, node: nodes.Template) -> nodes.Template:  # noqa: N802 - named after the node
        assigned = [one.target for one in node.find_all(nodes.Assign)]
        self.known = {target.name for target in assigned if isinstance(target, nodes.Name)}
        return self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: nodes.Name) -> nodes.Expr:  # noqa: N802 - named after the node
        if node.name not in self.known:
            return node
        if node.ctx == "store":
            return nodes.NSRef("leak", node.name)
        return nodes.Getattr(nodes.Name("leak", "load"), node.name, "load")


def leaking(environment: Any) -> None:
    """The edit that makes names leak."""
    environment.rewrite = LeakingNames()
    environment.globals["leak"] = Namespace()
