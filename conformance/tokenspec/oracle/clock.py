"""A frozen clock for the oracle: templates that print today's date give the same text tomorrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

FROZEN = datetime(2024, 7, 26, 12, 0, 0)  # noqa: DTZ001 - templates format local time, as strftime_now does
OTHER = datetime(2025, 1, 3, 9, 0, 0)  # noqa: DTZ001 - a one-digit day and another year


@contextmanager
def frozen(moment: datetime = FROZEN) -> Iterator[None]:
    """Within the block, ``strftime_now`` of ``transformers`` chat templates tells ``moment``."""
    from transformers.utils import chat_template_utils

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return moment.astimezone(tz) if tz is not None else moment

    original = chat_template_utils.datetime
    chat_template_utils.datetime = Clock
    try:
        yield
    finally:
        chat_template_utils.datetime = original
