"""What views of a run print on a console."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from rich.console import Console


def printed(show: Callable[..., None], *given: Any, width: int = 100, **more: Any) -> str:
    """What is printed on a console of this width."""
    stream = io.StringIO()
    show(Console(file=stream, width=width, highlight=False), *given, **more)
    return stream.getvalue()
