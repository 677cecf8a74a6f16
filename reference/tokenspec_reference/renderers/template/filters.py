"""Filters that keep provenance. A filter not named here keeps Jinja's own code; a string it makes is marked derived."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from jinja2 import Undefined
from jinja2.filters import make_attrgetter
from jinja2.utils import _PassArg, pass_context
from markupsafe import Markup

from .json_text import tojson
from .limits import Limits, check_method
from .printing import percent, text_of
from .provenance import PRIVATE, Tracked, concat, derived, runs_of
from .safe import SafeText, escaped

if TYPE_CHECKING:
    from jinja2.runtime import Context

    from .values import ValueTable

Filter = Callable[..., Any]


def _table(context: Context) -> ValueTable:
    table: ValueTable = context.parent[PRIVATE + "state"].table
    return table


def _tracked(value: Any, context: Context) -> Tracked:
    text = text_of(value, _table(context))
    return text if isinstance(text, Tracked) else Tracked.of(str.__str__(text), runs_of(text))


def tracking_filters(builtin: dict[str, Filter], limits: Limits) -> dict[str, Filter]:
    """All filters of an environment, with those that build strings replaced."""
    own = {name: pass_context(function) for name, function in _own(limits).items()}
    kept = {name: _marked(name, function, limits) for name, function in builtin.items() if name not in own}
    return {**kept, **own}


def _marked(name: str, function: Filter, limits: Limits) -> Filter:
    """Jinja's filter; text it computes from tracked text is derived from it."""
    wants = _PassArg.from_obj(function)

    def filtered(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        check_method(limits, name, value, args, kwargs)
        leading: tuple[Any, ...] = {
            _PassArg.context: (context,),
            _PassArg.eval_context: (context.eval_ctx,),
            _PassArg.environment: (context.environment,),
        }.get(wants, ())
        result = function(*leading, value, *args, **kwargs)
        context.parent[PRIVATE + "state"].budget.spend(1)
        if isinstance(result, str) and not isinstance(result, Tracked):
            sources = [source for source in (value, *args, *kwargs.values()) if isinstance(source, str)]
            if any(result is source for source in sources):
                return result
            if isinstance(result, Markup):
                return SafeText.of(str(result), runs_of(derived(str(result), *sources)))
            return derived(result, *sources)
        return result

    return pass_context(filtered)


def _own(limits: Limits) -> dict[str, Filter]:
    def string(context: Context, value: Any) -> str:
        return value if isinstance(value, str) else text_of(value, _table(context))

    def json_text(
        context: Context,
        x: Any,
        ensure_ascii: Any = False,
        indent: Any = None,
        separators: Any = None,
        sort_keys: Any = False,
    ) -> str:
        check_method(limits, "indent", "", (indent,), {})
        return tojson(x, _table(context), ensure_ascii, indent, separators, sort_keys)

    def join(context: Context, value: Iterable[Any], d: str = "", attribute: Any = None) -> str:
        if attribute is not None:
            value = map(make_attrgetter(context.environment, attribute), value)
        parts: list[str] = []
        for index, item in enumerate(value):
            if index:
                parts.append(text_of(d, _table(context)))
            parts.append(text_of(item, _table(context)))
        limits.check_size(sum(map(len, parts)))
        return concat(parts) if parts else ""

    def replace(context: Context, s: Any, old: Any, new: Any, count: Any = None) -> str:
        text, needle, fresh = (_tracked(value, context) for value in (s, old, new))
        check_method(limits, "replace", text, (needle, fresh), {})
        return text.replace(needle, fresh, -1 if count is None else count)

    def trim(context: Context, value: Any, chars: Any = None) -> str:
        return _tracked(value, context).strip(chars)

    def upper(context: Context, s: Any) -> str:
        return _tracked(s, context).upper()

    def lower(context: Context, s: Any) -> str:
        return _tracked(s, context).lower()

    def capitalize(context: Context, s: Any) -> str:
        return _tracked(s, context).capitalize()

    def center(context: Context, value: Any, width: Any = 80) -> str:
        check_method(limits, "center", "", (width,), {})
        return _tracked(value, context).center(width)

    def indent(context: Context, s: Any, width: Any = 4, first: Any = False, blank: Any = False) -> str:
        text = _tracked(s, context)
        margin = width if isinstance(width, str) else " " * width
        check_method(limits, "replace", text, ("\n", margin), {})
        text = text + "\n"
        if blank:
            body = ("\n" + margin if isinstance(margin, Tracked) else Tracked("\n" + margin)).join(
                text.splitlines()
            )
        else:
            lines = text.splitlines()
            body = lines.pop(0)
            if lines:
                shown = [margin + line if line else line for line in lines]
                body = concat([body, "\n", *[p for line in shown for p in (line, "\n")][:-1]])
        return margin + body if first else body

    def formatted(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
        if args and kwargs:
            raise TypeError("can't handle positional and keyword arguments at the same time")
        check_method(limits, "%", value, args, kwargs)
        return percent(_tracked(value, context), kwargs or args, _table(context))

    def safe(context: Context, value: Any) -> str:
        text = value if isinstance(value, str) else text_of(value, _table(context))
        return SafeText.of(str.__str__(text), runs_of(text))

    def escape(context: Context, value: Any) -> str:
        return escaped(text_of(value, _table(context)) if not isinstance(value, SafeText) else value)

    return {
        "string": string, "tojson": json_text, "join": join, "replace": replace, "trim": trim, "upper": upper,
        "lower": lower, "capitalize": capitalize, "center": center, "indent": indent, "format": formatted,
        "safe": safe, "escape": escape, "e": escape,
    }  # fmt: skip


__all__ = ["Undefined", "tracking_filters"]
