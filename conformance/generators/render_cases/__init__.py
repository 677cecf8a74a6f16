"""The render corpus as code: one module per group of slugs, all of them written out by `python -m`.

The JSON files under `fixtures/cases/render` are the product; this package is where they are edited, because a
conversation reads better next to its neighbours than in two hundred files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    call_flow,
    call_form,
    content,
    injection,
    mask,
    option,
    regression,
    role,
    schema,
    seam,
    think,
    unicode,
    whitespace,
)

if TYPE_CHECKING:
    from tokenspec.model import Case

GROUPS = (
    role,
    content,
    whitespace,
    seam,
    unicode,
    injection,
    think,
    schema,
    call_form,
    call_flow,
    option,
    mask,
    regression,
)


def all_cases() -> list[Case]:
    """Every render case, in the order of the groups."""
    return [case for group in GROUPS for case in group.CASES]
