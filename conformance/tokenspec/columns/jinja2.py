"""Jinja as a column of the template-engine area: the sandbox with the two functions chat templates call.

What a first attempt at running chat templates looks like: ``tojson`` is Jinja's own, ``{% generation %}`` unknown.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns import installed_version

if TYPE_CHECKING:
    from jinja2 import Template


class Jinja2Column:
    """The column ``jinja2``."""

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {
            "name": "jinja2",
            "version": installed_version("jinja2") or "not installed",
            "language": "python",
            "homepage": "https://jinja.palletsprojects.com",
        }

    def render_template(self, request: dict[str, Any]) -> dict[str, Any]:
        """Render with stock filters; whatever Jinja raises is a refusal."""
        if "limits" in request:
            raise Unsupported("takes no bounds")
        now = datetime.fromisoformat(request["now"])
        environment = request["environment"]
        try:
            template = compiled(request["template"], environment["trim_blocks"], environment["lstrip_blocks"])
            return {"text": template.render({"strftime_now": now.strftime, **request["inputs"]})}
        except Exception as error:
            raise Rejected(refusal_code(error), f"{type(error).__name__}: {error}") from error


@lru_cache(maxsize=32)
def compiled(template: str, trim_blocks: bool, lstrip_blocks: bool) -> Template:
    """A template in the stock sandbox."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=trim_blocks, lstrip_blocks=lstrip_blocks, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals["raise_exception"] = raise_exception
    return environment.from_string(template)


def raise_exception(message: Any) -> NoReturn:
    """``raise_exception(message)`` of a template."""
    from jinja2 import TemplateError

    raise TemplateError(message)


def refusal_code(error: Exception) -> str:
    """The code of TPL-003 for what Jinja raised."""
    from jinja2 import TemplateError, TemplateRuntimeError, TemplateSyntaxError, UndefinedError
    from jinja2.exceptions import SecurityError

    kinds: tuple[tuple[type[Exception], str], ...] = (
        (RecursionError, "template-limit"),
        (MemoryError, "template-limit"),
        (OverflowError, "template-limit"),
        (SecurityError, "security"),
        (UndefinedError, "undefined"),
        (TemplateSyntaxError, "invalid-template"),
        (SyntaxError, "invalid-template"),  # of Python, about what Jinja made of too many blocks
        (TemplateRuntimeError, "value"),
        (TemplateError, "template-raises"),
    )
    return next((code for kind, code in kinds if isinstance(error, kind)), "value")
