"""A run of a sample says so wherever its figures stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tokenspec.errors import UsageError


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was asked (``run --sample``): ``cells`` of the ``of`` that were chosen, ``each`` of an area on a row."""

    each: int
    cells: int
    of: int

    @property
    def said(self) -> str:
        """``a sample: 7,904 of 32,482 cells, at most 24 of an area on a row``."""
        return f"a sample: {self.cells:,} of {self.of:,} cells, at most {self.each:,} of an area on a row"


def sample_in(header: Mapping[str, Any]) -> Sample | None:
    """The sample that a report is of; None where all that was chosen was asked."""
    return msgspec.convert(header.get("sample"), Sample | None)


def sample_of_all(what: str, headers: Iterable[Mapping[str, Any]]) -> Sample | None:
    """The one sample of several reports, that of the report with the most cells; None where everything was asked.

    Raises:
        UsageError: they are of different samples, or some of a sample and some of everything: such figures do not
            stand side by side.
    """
    found = list(map(sample_in, headers))
    kinds = dict.fromkeys("everything" if one is None else f"--sample {one.each}" for one in found)
    if len(kinds) > 1:
        raise UsageError(f"{what} were asked {' and '.join(kinds)}. Run them again with one of these")
    return max((one for one in found if one is not None), key=lambda one: one.cells, default=None)
