"""Whether a template stays within bounds, measured: what memory it took, and how many lines of its code it ran.

The oracle has no bounds of its own. What goes far beyond one is refused, what stays below it is rendered, and a case in
between is no case: engines count in ways of their own.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tokenspec.errors import FixtureError

FAR = {"characters": 4, "steps": 20}
"""So many times a bound is far beyond it: a character takes a byte at least, a step one to ten lines."""
NEAR = {"characters": 2, "steps": 1}
"""So many times it may be taken within it: reading a template takes memory, too."""


@contextmanager
def within(limits: Mapping[Any, int], case: str) -> Iterator[None]:
    """Measure the block.

    Raises:
        MemoryError: it goes far beyond a bound.
        FixtureError: it goes beyond one, and not far.
    """
    lines = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        lines += event == "line" and frame.f_code.co_filename == "<template>"
        return count

    tracemalloc.start()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(None)
        taken = {"characters": tracemalloc.get_traced_memory()[1], "steps": lines}
        tracemalloc.stop()
    for name, bound in limits.items():
        if taken[name] >= FAR[name] * bound:
            raise MemoryError
        if taken[name] > NEAR[name] * bound:
            raise FixtureError(case, f"takes {taken[name]} {name}, which is neither within {bound} nor far beyond")
