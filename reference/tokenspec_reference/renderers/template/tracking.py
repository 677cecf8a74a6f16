"""The sandbox of :mod:`sandbox`, changed so that strings keep their provenance and nothing runs away.

* Printing (``{{ x }}``, ``~``, macros, set blocks) joins tracked strings instead of calling ``str``.
* Methods of the template's own string constants accept and return tracked strings.
* ``+ * ** %`` are intercepted: they are bounded, and ``%`` keeps provenance.
* Filters that build strings come from :mod:`filters`; the text of any other filter is derived.
* Every ``for`` says which message it is at (:mod:`marks`), so that scaffold gets an owner.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateSyntaxError
from jinja2.tests import test_in
from jinja2.utils import pass_context
from markupsafe import Markup

from tokenspec_reference.errors import UnsupportedByReference

from .filters import tracking_filters
from .formatting import EscapingFormatter, TrackedFormatter, percent
from .limits import LONG, MANY, InvalidTemplate, Limits, TemplateLimitExceeded, check_key, check_method, check_operator
from .marks import LoopMarks, TrackingCodeGenerator
from .printing import text_of
from .provenance import PRIVATE, Tracked, concat, derived, runs_of
from .safe import SafeText, as_markup, escaped, marked_safe
from .sandbox import ChatSandbox, DictFactory
from .state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from jinja2 import Template, nodes
    from jinja2.runtime import Context

    from tokenspec_reference.renderers.chat import Normalisation


_OWN_METHODS = frozenset(vars(Tracked)) - frozenset(dir(str))
"""Methods of tracked strings that plain strings do not have; a template does not see them."""


COMPARING = frozenset({operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, test_in})
"""What Jinja's tests do, under any name, that walk lists to their ends."""


class TrackingSandbox(ChatSandbox):
    """The environment of one compiled template."""

    code_generator_class = TrackingCodeGenerator
    intercepted_binops = frozenset({"+", "*", "**", "%", "/", "//", "-"})

    def __init__(self, normalisation: Normalisation, limits: Limits) -> None:
        """Build the environment; ``limits`` belong to it because Jinja folds constants when it compiles."""
        super().__init__(normalisation)
        self.limits = limits
        self.filters = tracking_filters(self.filters)
        self.globals["lipsum"] = random_text
        self.tests = {name: self._measured(test) if test in COMPARING else test for name, test in self.tests.items()}
        self.concat = self._concat  # type: ignore[method-assign]

    def _measured(self, test: Any) -> Callable[..., bool]:
        """A test that compares, behind the bound of what it compares."""

        def measured(context: Context, *values: Any) -> bool:
            state_of(context).limits.check_tree(*values)
            return bool(test(*values))

        return pass_context(measured)

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
        state = state_of(context)
        if not isinstance(value, str):
            state.limits.check_tree(value)
        return text_of(value, state.table)

    def escape_or_text(self, context: Context, value: Any) -> str:
        """``{{ value }}`` inside ``{% autoescape true %}``."""
        state_of(context).limits.check_tree(value)
        return escaped(value if isinstance(value, (Tracked, Markup)) else text_of(value, state_of(context).table))

    def join_text(self, context: Context, values: Sequence[Any]) -> str:
        """``a ~ b``."""
        state = state_of(context)
        state.limits.check_tree(*values)
        return self._concat([text_of(value, state.table) for value in values])

    def join_escaped(self, context: Context, values: Sequence[Any]) -> str:
        """``a ~ b`` inside ``{% autoescape true %}``: one safe operand makes the whole safe."""
        state_of(context).limits.check_tree(*values)
        table = state_of(context).table
        texts = [value if isinstance(value, (Tracked, Markup)) else text_of(value, table) for value in values]
        if any(hasattr(text, "__html__") for text in texts):
            texts = [escaped(text) for text in texts]
            return marked_safe(self._concat(texts))
        return self._concat(texts)

    def scaffold_here(self, context: Context, value: Any) -> str:
        """Template text printed into a buffer: tag it with the message its loop is at. What is safe stays safe."""
        state = state_of(context)
        text = text_of(value, state.table)
        runs = tuple((length, state.origin_here(origin)) for length, origin in runs_of(text))
        tagged = Tracked.of(str.__str__(text), runs)
        return marked_safe(tagged) if isinstance(value, (SafeText, Markup)) else tagged

    # --- operators, attributes, calls
    def bounded(self, context: Context, value: Any) -> Any:
        """What is compared or searched: that walks a list to its end."""
        if not isinstance(value, str) or len(value) > LONG:
            state_of(context).limits.check_tree(value)
        return value

    def keyed(self, context: Context, value: Any) -> Any:  # noqa: ARG002 - marks are told where they are
        """The key of a mapping that the template writes down."""
        check_key(value)
        return value

    def copied(self, context: Context, value: Any) -> Any:
        """What a slice is taken of: its items are copied, not what is in them."""
        if isinstance(value, (str, list, tuple, range)):
            state_of(context).limits.charge(len(value) // (LONG if isinstance(value, str) else MANY))
        return value

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """``left operator right`` within bounds."""
        check_operator(state_of(context).limits, operator, left, right)
        if operator == "%" and isinstance(left, str):
            return percent(left, right, state_of(context).table, state_of(context).limits)
        return self.binop_table[operator](left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """``obj.attribute``; constants of the template get the methods of tracked strings."""
        if type(obj) is str:
            obj = Tracked.lift(obj)
        elif isinstance(obj, bytes) and attribute == "decode":
            return lambda *args, **kwargs: derived(obj.decode(*args, **kwargs))
        elif isinstance(obj, SafeText) and attribute in {"escape", "unescape", "striptags"}:
            return partial(as_markup, obj, attribute)
        if attribute.startswith(PRIVATE) or (attribute in _OWN_METHODS and isinstance(obj, Tracked)):
            return self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """``obj[argument]``."""
        if isinstance(obj, str) and isinstance(argument, str):
            return self.getattr(obj, argument)
        check_key(argument)
        return super().getitem(obj, argument)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063
        """``obj(...)``; the odd names are Jinja's, so that templates can pass any keyword."""
        owner = getattr(__obj, "__self__", None)
        if __obj is __self.globals["raise_exception"]:
            state_of(__context).limits.check_tree(*args)
        if isinstance(owner, (dict, list, tuple)):
            state_of(__context).limits.check_tree(*args, *kwargs.values())
            check_key(*args)
        if isinstance(__obj, DictFactory):
            check_key(*(pair[0] for pairs in args if isinstance(pairs, (list, tuple)) for pair in pairs if pair))
        if isinstance(owner, (str, bytes, int)):
            args = tuple(list(value) if isinstance(value, Iterator) else value for value in args)
            check_method(state_of(__context).limits, __obj.__name__, owner, args, kwargs)
        result = super().call(__context, __obj, *args, **kwargs)
        if isinstance(result, range):
            state_of(__context).budget.spend(len(result))
        return result

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """``'...'.format(...)``, sandboxed as Jinja does it, with provenance."""
        if super().wrap_str_format(value) is None:
            return None
        return _Format(self, value.__self__, mapping=value.__name__ == "format_map")

    # --- the marks
    def enter_loop(self, context: Context) -> None:
        """Before a loop."""
        state_of(context).enter_loop()

    def leave_loop(self, context: Context) -> None:
        """Behind a loop."""
        state_of(context).leave_loop()

    def at_item(self, context: Context, item: Any) -> None:
        """First thing in the body of a loop."""
        state_of(context).at_item(item)

    def at_test(self, context: Context) -> bool:
        """An item that the condition of a loop is asked for; those it leaves out take time, too."""
        state_of(context).budget.spend(1)
        return True

    def at_index(self, context: Context, value: Any) -> None:
        """After ``{% set message = messages[i] %}`` in a loop."""
        state_of(context).at_index(value)

    def call_macro(self, context: Context) -> None:
        """A macro runs, which takes longer than a turn of a loop."""
        state_of(context).budget.spend(2)


class _Format:
    """The bound ``format`` or ``format_map`` of a string."""

    def __init__(self, environment: TrackingSandbox, template: str, *, mapping: bool) -> None:
        self._environment = environment
        self._template = template
        self._mapping = mapping

    @pass_context
    def __call__(self, context: Context, *args: Any, **kwargs: Any) -> str:
        if self._mapping:
            if kwargs or len(args) != 1:
                raise TypeError("format_map() takes exactly one argument and no keywords")
            return self._formatter(context).vformat(self._template, (), args[0])
        return self._formatter(context).vformat(self._template, args, kwargs)

    def _formatter(self, context: Context) -> EscapingFormatter | TrackedFormatter:
        state = state_of(context)
        if isinstance(self._template, SafeText):
            return EscapingFormatter(self._environment, state.limits)
        return TrackedFormatter(self._environment, state.table, state.limits)


def random_text(*_: Any, **__: Any) -> str:
    """``lipsum()``, for which no chat template has a use."""
    raise UnsupportedByReference("the template prints random text, so it is not reproducible", field="chat_template")


@lru_cache(maxsize=256)
def compile_template(chat_template: str, normalisation: Normalisation, limits: Limits) -> Template:
    """Compile once per template text.

    Raises:
        InvalidTemplate: when it is not valid Jinja.
        TemplateLimitExceeded: when it is nested too deeply to be read.
    """
    try:
        return TrackingSandbox(normalisation, limits).from_string(chat_template)
    except (RecursionError, MemoryError) as error:
        raise TemplateLimitExceeded("the template is nested too deeply", field="chat_template") from error
    except (TemplateSyntaxError, SyntaxError, ValueError) as error:
        raise InvalidTemplate(f"not a chat template: {error}", field="chat_template") from error
