"""What a refusal says: Jinja's words, with the types the template's author knows, and the line of the template."""

from __future__ import annotations

import re

from jinja2 import TemplateError

_MODULE = r"\btokenspec_reference[\w.]*\."
_OWN_TYPE = re.compile(rf"(?:'(?:{_MODULE})?|{_MODULE})(Tracked(?:Int|Float)?|SafeText)(?='? object)")
_PLAIN = {"Tracked": "str", "TrackedInt": "int", "TrackedFloat": "float", "SafeText": "Markup"}


def words_of(error: Exception) -> str:
    """Class and message of ``error``; values are named by their plain types, not by those that carry provenance.

    What the template itself says (``raise_exception``) is left alone.
    """
    message = str(error)
    if type(error) is not TemplateError:
        message = _OWN_TYPE.sub(lambda found: "'" * found[0].startswith("'") + _PLAIN[found[1]], message)
    return f"{type(error).__name__}: {message}"


def line_of(error: BaseException) -> int | None:
    """The innermost line of a template that an error came from, counted from 1; None where none was at work."""
    line, trace = None, error.__traceback__
    while trace is not None:
        template = trace.tb_frame.f_globals.get("__jinja_template__")
        if template is not None:
            line = template.get_corresponding_lineno(trace.tb_lineno)
        trace = trace.tb_next
    return line
