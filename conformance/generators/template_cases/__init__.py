"""The template-engine corpus as code: micro-templates that isolate one construct each.

The renderers' corpus on the rows' own templates says *that* an engine differs; a case here says *why*.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from generators.template_cases import (
    case_and_strip,
    choosing,
    environment,
    json_filter,
    lists,
    lookups,
    loops,
    operators,
    printing,
    sandbox,
    scopes,
    strings,
    tests,
    values,
    whitespace,
)

if TYPE_CHECKING:
    from tokenspec.model import Case

GROUPS = (
    whitespace,
    printing,
    lookups,
    operators,
    tests,
    loops,
    scopes,
    json_filter,
    case_and_strip,
    strings,
    lists,
    choosing,
    values,
    environment,
    sandbox,
)


def all_cases() -> list[Case]:
    """Every template-engine case, in the order of the chapter."""
    return list(chain.from_iterable(group.CASES for group in GROUPS))
