"""The sandbox of :mod:`sandbox`, changed in five places so that strings keep their provenance.

1. Printing (``{{ x }}``, ``~``, macros, set blocks) joins tracked strings instead of calling ``str``.
2. Methods of the template's own string constants accept and return tracked strings.
3. ``+ * ** %`` are intercepted: bounds on size, and ``%`` keeps provenance.
4. Filters that make strings come from :mod:`filters`; any other filter's text is marked derived.
5. Every ``for`` loop says which message it is at, so that scaffold gets an owner.
"""

from __future__ import annotations

from functools import lru_cache
from string import Formatter
from typing import TYPE_CHECKING, Any

from jinja2 import Template, TemplateSyntaxError, meta, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.sandbox import SandboxedFormatter
from jinja2.utils import pass_context
from jinja2.visitor import NodeTransformer

from .filters import tracking_filters
from .limits import Budget, InvalidTemplate, Limits, check_method, check_operator
from .printing import agreed, padded, percent, text_of
from .provenance import PRIVATE, SCAFFOLD, Tracked, concat, derived, runs_of
from .sandbox import ChatSandbox
from .values import ValueTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from jinja2.runtime import Context

    from tokenspec_reference.renderers.chat import Profile

STATE = PRIVATE + "state"
"""Name of the render variable that carries the state; templates cannot read names that start with an underscore."""


class RenderState:
    """What one render knows: its values, its budget, and the message each open loop is at."""

    def __init__(self, limits: Limits) -> None:
        """Start outside all loops."""
        self.table = ValueTable()
        self.budget = Budget(limits)
        self.loops: list[int] = [-1]
        self._scaffold: dict[int, int] = {}

    @property
    def message(self) -> int:
        """The message the innermost loop is at, -1 outside."""
        return self.loops[-1]

    def scaffold_origin(self) -> int:
        """Origin of template text printed now, for text that is buffered before it is output."""
        if self.message < 0:
            return SCAFFOLD
        if self.message not in self._scaffold:
            self._scaffold[self.message] = self.table.origin(self.message, ())
        return self._scaffold[self.message]


def state_of(context: Context) -> RenderState:
    """The state of the render a context belongs to."""
    state: RenderState = context.parent[STATE]
    return state


class LoopMarks(NodeTransformer):
    """Insert ``enter``/``at``/``leave`` around loops and, inside buffered blocks, tag printed scaffold."""

    def __init__(self) -> None:
        """Start at the top level of a template."""
        self._buffered = 0
        self._loops = 0

    def visit_For(self, node: nodes.For) -> list[nodes.Node]:
        self._loops += 1
        self.generic_visit(node)
        self._loops -= 1
        node.body.insert(0, _mark("at_item", _loaded(node.target)))
        return [_mark("enter_loop"), node, _mark("leave_loop")]

    def visit_Assign(self, node: nodes.Assign) -> list[nodes.Node]:
        """``{% set message = messages[i] %}`` in a loop over indices names the message the loop is at."""
        self.generic_visit(node)
        indexed = isinstance(node.node, nodes.Getitem) and not isinstance(node.node.arg, nodes.Const)
        if self._loops and indexed and isinstance(node.target, nodes.Name):
            return [node, _mark("at_index", _loaded(node.target))]
        return [node]

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        node.body.insert(0, _mark("call_macro"))
        return self._inside(node)

    def _inside(self, node: nodes.Node) -> nodes.Node:
        outer, self._loops = self._loops, 0
        self._buffered += 1
        self.generic_visit(node)
        self._buffered -= 1
        self._loops = outer
        return node

    visit_AssignBlock = visit_FilterBlock = _inside

    def visit_Output(self, node: nodes.Output) -> nodes.Node:
        self.generic_visit(node)
        if self._buffered and self._loops:
            node.nodes = [_call("scaffold_here", child) for child in node.nodes]
        return node


def _call(name: str, *args: nodes.Expr) -> nodes.Expr:
    return nodes.Call(nodes.EnvironmentAttribute(name), list(args), [], None, None)


def _mark(name: str, *args: nodes.Expr) -> nodes.Node:
    return nodes.ExprStmt(_call(name, *args))


def _loaded(target: nodes.Node) -> nodes.Expr:
    if isinstance(target, nodes.Tuple):
        return nodes.Tuple([_loaded(item) for item in target.items], "load")
    if isinstance(target, nodes.Name):
        return nodes.Name(target.name, "load")
    return nodes.Const(None)


class TrackingCodeGenerator(CodeGenerator):
    """Print through ``environment.text_of`` and join through ``environment.join_text``."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile:
            self.write(
                "(escape if context.eval_ctx.autoescape else (lambda x: environment.text_of(context, x)))("
            )
        elif frame.eval_ctx.autoescape:
            self.write("escape(")
        else:
            self.write("environment.text_of(context, ")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        if frame.eval_ctx.volatile or frame.eval_ctx.autoescape:
            super().visit_Concat(node, frame)
            return
        self.write("environment.join_text(context, (")
        for operand in node.nodes:
            self.visit(operand, frame)
            self.write(", ")
        self.write("))")


class TrackingSandbox(ChatSandbox):
    """The environment of one compiled template."""

    code_generator_class = TrackingCodeGenerator
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, profile: Profile, limits: Limits) -> None:
        """Build the environment; ``limits`` are fixed because Jinja folds constants when it compiles."""
        super().__init__(profile)
        self.limits = limits
        self.filters = tracking_filters(self.filters, limits)
        self.globals["range"] = _bounded_range
        self.concat = self._concat  # type: ignore[assignment]

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = LoopMarks().visit(super()._parse(source, name, filename))
        return tree

    # --- printing
    def _concat(self, pieces: Iterable[str]) -> str:
        parts = list(pieces)
        self.limits.check_size(sum(map(len, parts)))
        return concat(parts)

    def text_of(self, context: Context, value: Any) -> str:
        """``{{ value }}``."""
        return text_of(value, state_of(context).table)

    def join_text(self, context: Context, values: Sequence[Any]) -> str:
        """``a ~ b``."""
        table = state_of(context).table
        return self._concat([text_of(value, table) for value in values])

    # --- operators
    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """``left operator right`` within bounds."""
        check_operator(self.limits, operator, left, right)
        if operator == "%" and isinstance(left, str):
            return percent(left, right, state_of(context).table)
        return self.binop_table[operator](left, right)

    # --- attributes and calls
    def getattr(self, obj: Any, attribute: str) -> Any:
        """``obj.attribute``; constants of the template get the methods of tracked strings."""
        if type(obj) is str:
            obj = Tracked.of(obj, runs_of(obj))
        elif isinstance(obj, bytes) and attribute == "decode":
            return lambda *args, **kwargs: derived(obj.decode(*args, **kwargs))
        if attribute.startswith(PRIVATE):
            return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """``obj[argument]``."""
        if type(obj) is str and isinstance(argument, str):
            return self.getattr(obj, argument)
        return super().getitem(obj, argument)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        owner = getattr(__obj, "__self__", None)
        if isinstance(owner, str):
            check_method(__self.limits, __obj.__name__, owner, args, kwargs)
        return super().call(__context, __obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """``'...'.format(...)``, sandboxed as Jinja does it, with provenance."""
        plain = super().wrap_str_format(value)
        if plain is None:
            return None
        template: str = value.__self__

        def tracked(*args: Any, **kwargs: Any) -> str:
            fields = TrackedFormatter(self)
            if value.__name__ == "format_map" and len(args) == 1 and not kwargs:
                return fields.vformat(template, (), args[0])
            if value.__name__ == "format_map":
                return plain(*args, **kwargs)  # raises what Python raises
            return fields.vformat(template, args, kwargs)

        tracked.__name__ = value.__name__
        return tracked

    # --- marks of LoopMarks
    @pass_context
    def enter_loop(self, context: Context) -> None:
        """A loop starts; until its first item it is where its surroundings are."""
        loops = state_of(context).loops
        loops.append(loops[-1])

    @pass_context
    def leave_loop(self, context: Context) -> None:
        """A loop ended, also by ``break``."""
        state_of(context).loops.pop()

    @pass_context
    def at_item(self, context: Context, item: Any) -> None:
        """The loop is at ``item``; an item of no message belongs where the loop stands."""
        state = state_of(context)
        state.budget.spend(1)
        owner = state.table.message_of(item)
        state.loops[-1] = owner if owner >= 0 else state.loops[-2]

    @pass_context
    def at_index(self, context: Context, value: Any) -> None:
        """An index loop picked ``value``; a loop over messages already knows where it is."""
        state = state_of(context)
        if state.message < 0:
            state.loops[-1] = state.table.message_of(value)

    @pass_context
    def call_macro(self, context: Context) -> None:
        """A macro runs."""
        state_of(context).budget.spend(1)

    @pass_context
    def scaffold_here(self, context: Context, value: Any) -> str:
        """Template text printed into a buffer inside a loop: its owner would be lost when the buffer is output."""
        state = state_of(context)
        text = text_of(value, state.table)
        origin = state.scaffold_origin()
        return Tracked.of(
            str.__str__(text), tuple((length, found or origin) for length, found in runs_of(text))
        )


class TrackedFormatter(SandboxedFormatter):
    """``str.format`` with provenance: plain fields keep it, formatted ones keep what padding and cutting leave."""

    _env: TrackingSandbox

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Format, checking the pieces against what Python says."""
        text = super().vformat(format_string, args, kwargs)
        pieces: list[str] = []
        automatic = 0
        for literal, name, spec, conversion in Formatter().parse(str.__str__(format_string)):
            pieces.append(literal)
            if name is None:
                continue
            if name[:1] in ("", ".", "["):
                name, automatic = f"{automatic}{name}", automatic + 1
            value, _ = self.get_field(name, args, kwargs)
            shown = self.format_field(self.convert_field(value, conversion), self._spec(spec, args, kwargs))
            table = ValueTable()
            pieces.append(
                padded(text_of(value, table), shown) if conversion in (None, "s") else derived(shown)
            )
        return agreed(text, concat(pieces), format_string, *args, *kwargs.values())

    def _spec(self, spec: str | None, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        return (
            SandboxedFormatter(self._env).vformat(spec, args, kwargs) if spec and "{" in spec else spec or ""
        )

    def format_field(self, value: Any, format_spec: str) -> str:
        """Refuse huge widths before Python builds them."""
        check_method(self._env.limits, "format spec", format_spec, (), {})
        return str(super().format_field(value, format_spec))


def _bounded_range(*args: int) -> range:
    from jinja2.sandbox import safe_range

    return safe_range(*args)


@lru_cache(maxsize=256)
def compile_template(chat_template: str, profile: Profile, limits: Limits) -> Template:
    """Compile once per template text (the cache key holds the text, so equal texts share one compilation).

    Raises:
        InvalidTemplate: when it is not valid Jinja.
    """
    try:
        return TrackingSandbox(profile, limits).from_string(chat_template)
    except (TemplateSyntaxError, RecursionError, MemoryError, SyntaxError, ValueError) as error:
        raise InvalidTemplate(f"not a chat template: {error}", field="chat_template") from error


@lru_cache(maxsize=256)
def reads(chat_template: str) -> frozenset[str]:
    """Names of the variables a template reads and does not set: its keyword arguments.

    Raises:
        InvalidTemplate: when it is not valid Jinja.
    """
    environment = ChatSandbox()
    try:
        tree = environment.parse(chat_template)
    except (TemplateSyntaxError, RecursionError) as error:
        raise InvalidTemplate(f"not a chat template: {error}", field="chat_template") from error
    return frozenset(meta.find_undeclared_variables(tree)) - frozenset(environment.globals) - {"strftime_now"}
