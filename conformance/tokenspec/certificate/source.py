"""What a template's source says without being rendered."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import nodes
from jinja2.meta import find_undeclared_variables

from tokenspec.guard.bounds import refuse_long
from tokenspec.guard.strangers import strangers

from .facts import Template

GIVEN = {"messages", "tools", "documents", "add_generation_prompt", "raise_exception", "strftime_now"}
"""What ``transformers`` always hands to a template: no keyword of the template's own."""

CLOCK = {"strftime_now", "now", "today", "datetime"}
"""Names by which chat templates ask for the time."""


@cache
def template_facts(source: str) -> Template:
    """Keywords the source reads, and whether it marks generated text.

    A name that the source also sets somewhere is a keyword only where it asks whether the name is defined, or gives it
    a default: Jinja cannot tell which assignment a read will see.
    """
    from transformers.utils import chat_template_utils

    refuse_long(source)
    with strangers("template"):
        environment: Any = chat_template_utils._compile_jinja_template(source).environment  # noqa: SLF001 - its own
        parsed: nodes.Template = environment.parse(source)
        read = find_undeclared_variables(parsed) - GIVEN - set(environment.globals)
    stored = {name.name for name in parsed.find_all(nodes.Name) if name.ctx in {"store", "param"}}
    words = [word for _, kind, word in environment.lex(source) if kind == "name"]
    return Template(reads=sorted(read - (stored - _optional(parsed))), generation_tags="endgeneration" in words)


def _optional(parsed: nodes.Template) -> set[str]:
    """Names that are tested with ``is defined`` or given a default by the filter."""
    tests = (test.node for test in parsed.find_all(nodes.Test) if test.name in {"defined", "undefined"})
    defaults = (found.node for found in parsed.find_all(nodes.Filter) if found.name in {"default", "d"})
    return {node.name for node in (*tests, *defaults) if isinstance(node, nodes.Name)}


def clock_reads(source: str) -> list[str]:
    """The names by which the source asks for the time, whether or not ``transformers`` has them."""
    from transformers.utils import chat_template_utils

    environment: Any = chat_template_utils._compile_jinja_template(source).environment  # noqa: SLF001 - its own parser
    names = list(environment.parse(source).find_all(nodes.Name))
    own = {name.name for name in names if name.ctx != "load"}
    return sorted({name.name for name in names} & CLOCK - own)
