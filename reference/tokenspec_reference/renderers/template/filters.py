"""Filters that keep provenance. A filter not named here keeps Jinja's own code; a string it makes is derived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jinja2 import filters as jinja_filters
from jinja2.utils import _PassArg, pass_context
from markupsafe import Markup

from tokenspec_reference.errors import UnsupportedByReference

from .formatting import percent
from .json_text import tojson
from .limits import check_method
from .printing import text_of
from .provenance import Tracked, concat, derived
from .safe import SafeText, escaped, marked_safe
from .state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jinja2.runtime import Context

    Filter = Callable[..., Any]


FEW = 4
"""Items that cost a step where a filter asks something of each."""

SPELLED = 64
"""Characters that cost a step where a value is spelled piece by piece."""


def tracking_filters(builtin: dict[str, Filter]) -> dict[str, Filter]:
    """All filters of an environment, with those that build strings replaced."""
    kept = {name: _kept(name, function) for name, function in builtin.items()}
    own = {name: _own(name, function, kept[name]) for name, function in _OWN.items()}
    return {**kept, **own, "format": _own("format", _format, _format)}  # safe text escapes what it is filled with


def _own(name: str, function: Filter, escaping: Filter) -> Filter:
    """Our filter; Jinja's inside ``{% autoescape true %}``, where filters escape."""

    def filtered(context: Context, *args: Any, **kwargs: Any) -> Any:
        state_of(context).limits.check_tree(*args, *kwargs.values())
        if args and isinstance(args[0], str):
            check_method(state_of(context).limits, name, args[0], (), {})
        return (escaping if context.eval_ctx.autoescape else function)(context, *args, **kwargs)

    return pass_context(filtered)


def _kept(name: str, function: Filter) -> Filter:
    """Jinja's filter, bounded; text it computes is derived."""
    wants = _PassArg.from_obj(function)
    computes = name in _COMPUTING or name in _OWN

    def filtered(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        check_method(state_of(context).limits, name, value, args, kwargs)
        state_of(context).budget.spend(1 + (len(value) // FEW if isinstance(value, (list, tuple, range)) else 0))
        if wants is _PassArg.context:
            result = function(context, value, *args, **kwargs)
        elif wants is _PassArg.eval_context:
            result = function(context.eval_ctx, value, *args, **kwargs)
        elif wants is _PassArg.environment:
            result = function(context.environment, value, *args, **kwargs)
        else:
            result = function(value, *args, **kwargs)
        if isinstance(result, list):
            state_of(context).budget.spend(len(result))
        if not computes or not isinstance(result, str) or isinstance(result, Tracked):
            return result
        return marked_safe(derived(result)) if isinstance(result, Markup) else derived(result)

    return pass_context(filtered)


def _tracked(context: Context, value: Any) -> Tracked:
    """The string a filter works on."""
    return value if isinstance(value, Tracked) else Tracked.lift(text_of(value, state_of(context).table))


def _string(context: Context, object: Any) -> str:  # noqa: A002 - filters take keywords, so names are Jinja's
    return object if isinstance(object, str) else text_of(object, state_of(context).table)


def _tojson(
    context: Context,
    x: Any,
    ensure_ascii: Any = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: Any = False,
) -> str:
    state = state_of(context)
    check_method(state.limits, "indent", "", (indent,), {})
    options = {"ensure_ascii": ensure_ascii, "indent": indent, "separators": separators, "sort_keys": sort_keys}
    text = tojson(x, state.table, **options)
    state.budget.spend(len(text) // SPELLED)
    return text


def _join(context: Context, value: Iterable[Any], d: Any = "", attribute: Any = None) -> str:
    state = state_of(context)
    if attribute is not None:
        value = map(jinja_filters.make_attrgetter(context.environment, attribute), value)
    parts = [text_of(item, state.table) for item in value]
    state.budget.spend(len(parts))
    between = text_of(d, state.table)
    state.limits.check_size(sum(map(len, parts)) + len(between) * len(parts))
    return concat([part for item in parts for part in (between, item)][1:]) if parts else ""


def _replace(context: Context, s: Any, old: Any, new: Any, count: Any = None) -> str:
    text, needle, fresh = (_tracked(context, value).unmarked() for value in (s, old, new))
    check_method(state_of(context).limits, "replace", text, (needle, fresh), {})
    return text.replace(needle, fresh, -1 if count is None else count)


def _trim(context: Context, value: Any, chars: Any = None) -> str:
    return _tracked(context, value).strip(chars)


def _upper(context: Context, s: Any) -> str:
    return _tracked(context, s).upper()


def _lower(context: Context, s: Any) -> str:
    return _tracked(context, s).lower()


def _capitalize(context: Context, s: Any) -> str:
    return _tracked(context, s).capitalize()


def _title(context: Context, s: Any) -> str:
    return _tracked(context, s).unmarked().mapped(jinja_filters.do_title)


def _center(context: Context, value: Any, width: Any = 80) -> str:
    check_method(state_of(context).limits, "center", "", (width,), {})
    return _tracked(context, value).center(width)


def _indent(context: Context, s: Any, width: Any = 4, first: Any = False, blank: Any = False) -> str:
    limits = state_of(context).limits
    check_method(limits, "indent", "", (width,), {})
    margin = width if isinstance(width, str) else " " * width
    given = Tracked.lift(s + "")
    text = given.unmarked()
    check_method(limits, "replace", text, ("\n", margin), {})
    lines = (text + "\n").splitlines()
    moved = (margin + line if line or blank else line for line in lines[1:])
    body = concat([margin if first else "", lines[0], *(piece for line in moved for piece in ("\n", line))])
    return marked_safe(body) if isinstance(given, SafeText) else body


def _format(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
    if args and kwargs:
        raise TypeError("can't handle positional and keyword arguments at the same time")
    state = state_of(context)
    return percent(_tracked(context, value), kwargs or args, state.table, state.limits)


def _safe(context: Context, value: Any) -> str:
    return marked_safe(value if isinstance(value, str) else text_of(value, state_of(context).table))


def _escape(context: Context, value: Any) -> str:
    return escaped(value if isinstance(value, (Tracked, Markup)) else text_of(value, state_of(context).table))


def _forceescape(context: Context, value: Any) -> str:
    return escaped(_tracked(context, value).unmarked())


def _random(context: Context, seq: Any) -> str:  # noqa: ARG001
    raise UnsupportedByReference("the template draws at random, so its text is not reproducible", field="chat_template")


_COMPUTING = frozenset(
    {"filesizeformat", "pprint", "striptags", "truncate", "urlencode", "urlize", "wordwrap", "xmlattr"}
)
"""Filters of Jinja that compute text; the others return what they were given, or no text."""

_OWN: dict[str, Filter] = {
    "string": _string,
    "tojson": _tojson,
    "join": _join,
    "replace": _replace,
    "trim": _trim,
    "upper": _upper,
    "lower": _lower,
    "capitalize": _capitalize,
    "title": _title,
    "center": _center,
    "indent": _indent,
    "format": _format,
    "safe": _safe,
    "escape": _escape,
    "e": _escape,
    "forceescape": _forceescape,
    "random": _random,
}
