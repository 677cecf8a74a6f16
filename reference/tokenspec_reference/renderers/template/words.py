"""What a refusal says: Jinja's words, with the types the template's author knows."""

from __future__ import annotations

import re

from jinja2 import TemplateError

_OWN_TYPE = re.compile(r"'(?:tokenspec_reference[\w.]*\.)?(Tracked(?:Int|Float)?|SafeText)(?='? object)")
_PLAIN = {"Tracked": "str", "TrackedInt": "int", "TrackedFloat": "float", "SafeText": "Markup"}


def words_of(error: Exception) -> str:
    """Class and message of ``error``; values are named by their plain types, not by those that carry provenance.

    What the template itself says (``raise_exception``) is left alone.
    """
    message = str(error)
    if type(error) is not TemplateError:
        message = _OWN_TYPE.sub(lambda found: f"'{_PLAIN[found[1]]}", message)
    return f"{type(error).__name__}: {message}"
