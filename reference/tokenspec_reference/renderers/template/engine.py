"""The engine of :class:`TemplateRenderer` alone: any template, any variables, text. No tokenizer, no conversation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from jinja2 import TemplateError, TemplateRuntimeError, UndefinedError
from jinja2.exceptions import SecurityError

from tokenspec_reference.errors import TokenSpecError, placed
from tokenspec_reference.renderers.segments import OUTSIDE

from .limits import Limits, TemplateLimitExceeded
from .sandbox import clock
from .state import STATE, RenderState
from .tracking import compile_template
from .words import words_of

PLACES: Mapping[str | None, str] = {"chat_template": "/template"}
"""Where a request has what errors call otherwise."""


class TemplateRefuses(TokenSpecError):
    """The template refuses its variables; ``rejection_code`` is a code of TPL-003."""

    def __init__(self, error: Exception) -> None:
        """Name the kind of ``error``, keep its words."""
        super().__init__(words_of(error), field="template")
        self.rejection_code = refusal_code(error)


def refusal_code(error: Exception) -> str:
    """The code of what a template raised."""
    if isinstance(error, (MemoryError, OverflowError)):
        return "template-limit"
    if isinstance(error, SecurityError):
        return "security"
    if isinstance(error, UndefinedError):
        return "undefined"
    if isinstance(error, TemplateError) and not isinstance(error, TemplateRuntimeError):
        return "template-raises"
    return "value"


def render_text(template: str, variables: Mapping[str, Any], *, now: datetime, limits: Limits | None = None) -> str:
    """Render ``template`` with plain JSON ``variables``; ``now`` is what ``strftime_now`` tells.

    Raises:
        InvalidTemplate: it is no template.
        TemplateRefuses: it raises, or does what the sandbox forbids.
        TemplateLimitExceeded: it runs away.
    """
    limits = limits or Limits()
    compiled = compile_template(template, "hf5", limits)
    state = RenderState(limits, limits.steps)
    tracked = {name: state.table.track(value, OUTSIDE, (name,)) for name, value in variables.items()}
    try:
        context = compiled.new_context({"strftime_now": clock(now), **tracked, STATE: state})
        return "".join(limits.printed(compiled.root_render_func(context)))
    except TokenSpecError:
        raise
    except RecursionError as error:
        raise TemplateLimitExceeded("the template recurses without end", field="template") from error
    except Exception as error:
        raise TemplateRefuses(error) from error


def render_template(request: Mapping[str, Any]) -> dict[str, Any]:
    """Operation ``render_template``."""
    now, limits = datetime.fromisoformat(request["now"]), Limits(**request.get("limits", {}))
    with placed(lambda error: PLACES.get(error.field, f"/{error.field}")):
        return {"text": str.__str__(render_text(request["template"], request["inputs"], now=now, limits=limits))}
