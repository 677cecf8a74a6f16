"""Which keyword arguments a chat template reads, and what its generation prompt depends on."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.compiler import CodeGenerator, Frame

from .limits import InvalidTemplate, TemplateLimitExceeded
from .sandbox import ChatSandbox

if TYPE_CHECKING:
    from collections.abc import Iterator


FLAG = "add_generation_prompt"
LAST = ("loop", "last")


@lru_cache(maxsize=256)
def reads(chat_template: str) -> frozenset[str]:
    """Names of the variables a template takes from outside, among them ``messages``, ``tools`` and special tokens.

    A name that the template sets somewhere counts only if it is read before it is first set (``{% set date = date or
    "today" %}`` reads ``date``). Functions of the environment do not count.

    Raises:
        InvalidTemplate: when it is not valid Jinja.
        TemplateLimitExceeded: when it is nested too deeply to be read.
    """
    environment = ChatSandbox()
    try:
        tree = environment.parse(chat_template)
        looking = Undeclared(environment)
        looking.visit(tree)
        candidates = looking.found - set(environment.globals) - {"strftime_now"}
    except RecursionError as error:
        raise TemplateLimitExceeded("the template is nested too deeply", field="chat_template") from error
    except (TemplateSyntaxError, ValueError) as error:
        raise InvalidTemplate(f"not a chat template: {error}", field="chat_template") from error
    first: dict[str, str] = {}
    for name in _names(tree):
        first.setdefault(name.name, name.ctx)
    return frozenset(name for name in candidates if first.get(name) == "load")


class Undeclared(CodeGenerator):
    """Jinja's compiler, which writes nothing and works nothing out: it tells which names come from outside."""

    def __init__(self, environment: Environment) -> None:
        """Begin with no name."""
        super().__init__(environment, "<names>", "<names>", optimized=False)
        self.found: set[str] = set()

    def write(self, x: str) -> None:
        """Write nothing."""

    def enter_frame(self, frame: Frame) -> None:
        """Keep the names that a frame looks up outside."""
        super().enter_frame(frame)
        self.found |= {name for action, name in frame.symbols.loads.values() if action == "resolve" and name}

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        if not isinstance(node, nodes.TemplateData):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)

    def visit_EvalContextModifier(self, node: nodes.EvalContextModifier, frame: Frame) -> None:  # noqa: N802
        for keyword in node.options:
            self.visit(keyword.value, frame)


@lru_cache(maxsize=256)
def has_constant_prompt(chat_template: str) -> bool:
    """Whether the generation prompt depends on nothing but keywords, the place of a message and its role.

    True where ``add_generation_prompt`` is read by conditions only, and what they guard reads no other variable that
    the template computes, and of a loop only whether it ends.
    """
    tree = ChatSandbox().parse(chat_template)
    conditions: list[nodes.If | nodes.CondExpr] = [*tree.find_all(nodes.If), *tree.find_all(nodes.CondExpr)]
    guarded = [node for node in conditions if FLAG in _read(node.test)]
    elsewhere = Counter(name.name for name in _names(tree))[FLAG]
    elsewhere -= sum(Counter(_read(node.test))[FLAG] for node in guarded)
    known = {*reads(chat_template), *ChatSandbox().globals, FLAG} - {"messages", "tools"}
    return not elsewhere and all(name in known for node in guarded for name in _read(node))


def _read(node: nodes.Node) -> Iterator[str]:
    """Names in a node, but for those whose role is asked, and a loop that is asked whether it ends."""
    if isinstance(node, nodes.Getattr) and node.attr == "role":
        return
    if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and (node.node.name, node.attr) == LAST:
        return
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and node.arg.value == "role":
        return
    if isinstance(node, nodes.Name):
        yield node.name
    for child in node.iter_child_nodes():
        yield from _read(child)


def _names(node: nodes.Node) -> Iterator[nodes.Name]:
    """All names in the order a reader meets them; an assignment reads before it sets."""
    if isinstance(node, nodes.Name):
        yield node
    children = list(node.iter_child_nodes())
    if isinstance(node, nodes.Assign):
        children.reverse()
    for child in children:
        yield from _names(child)
