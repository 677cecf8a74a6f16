"""minijinja as a column of the template-engine area, with the Python methods its package offers (``pycompat``)."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import Any, NoReturn

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns import installed_version, not_installed

CODES = {"SyntaxError": "invalid-template", "UndefinedError": "undefined"}
"""Its kinds of error as codes of TPL-003; all others are about values."""

ABORTS = re.compile(r"(?:indent|batch)\D*\d{16,}|\d{16,}[^|.]*[|.]format")
"""Sizes it asks the allocator for. Where they are not to be had it ends the process, which is the suite's own."""


class Raised(Exception):
    """``raise_exception`` was called."""


class MinijinjaColumn:
    """The column ``minijinja``."""

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {
            "name": "minijinja",
            "version": installed_version("minijinja") or "not installed",
            "language": "rust",
            "homepage": "https://github.com/mitsuhiko/minijinja",
            "issues": "https://github.com/mitsuhiko/minijinja/issues",
        }

    def render_template(self, request: dict[str, Any]) -> dict[str, Any]:
        """Render with its own filters; whatever it raises is a refusal."""
        if installed_version("minijinja") is None:
            raise not_installed("minijinja")
        if "limits" in request:
            raise Unsupported("takes no bounds")
        if ABORTS.search(request["template"]):
            raise Unsupported("not asked: it ends the whole process where the memory for this size is not to be had")
        now = datetime.fromisoformat(request["now"])
        environment = request["environment"]
        try:
            ready = compiled(request["template"], environment["trim_blocks"], environment["lstrip_blocks"])
            variables = {"strftime_now": now.strftime, **request["inputs"]}
            return {"text": ready.render_template("chat", **variables)}
        except Exception as error:
            message = (str(error).splitlines() or [""])[0]
            code = "template-raises" if isinstance(error, Raised) else CODES.get(getattr(error, "kind", ""), "value")
            raise Rejected(code, f"{type(error).__name__}: {message}") from error


@lru_cache(maxsize=32)
def compiled(template: str, trim_blocks: bool, lstrip_blocks: bool) -> Any:
    """An environment that knows one template, ``chat``."""
    import minijinja

    environment: Any = minijinja.Environment(trim_blocks=trim_blocks, lstrip_blocks=lstrip_blocks, pycompat=True)
    environment.add_function("raise_exception", raise_exception)
    environment.add_template("chat", template)
    return environment


def raise_exception(message: Any) -> NoReturn:
    """``raise_exception(message)`` of a template."""
    raise Raised(message)
