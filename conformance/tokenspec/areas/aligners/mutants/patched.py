"""How a broken aligner is made: the reference with functions replaced, or its request or result edited."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.aligners import adapter as tasks

Json = dict[str, Any]
Replacements = tuple[tuple[object, str, object], ...]


class Edited(ReferenceAdapter):
    """The reference with functions replaced while it aligns, and edits before or after."""

    def __init__(
        self,
        replacements: Replacements = (),
        before: Callable[[Json], None] | None = None,
        after: Callable[[Json, Json], None] | None = None,
    ) -> None:
        """``replacements`` are (module or class, name, value)."""
        super().__init__()
        self.replacements, self.before, self.after = replacements, before, after

    def align(self, request: Json) -> Json:
        """Edit, align with the replaced functions, edit."""
        given = copy.deepcopy(request)
        if self.before is not None:
            self.before(given)
        with ExitStack() as stack:
            for owner, name, value in self.replacements:
                stack.enter_context(patch.object(owner, name, value))
            if self.replacements:
                tasks._aligner.cache_clear()
                tasks._piece_table.cache_clear()
            result = super().align(given)
        if self.replacements:
            tasks._aligner.cache_clear()
            tasks._piece_table.cache_clear()
        if self.after is not None:
            self.after(request, result)
        return result


def replaced(id_: str, breaks: str, note: str, *replacements: tuple[object, str, object]) -> Mutant:
    """A mutant made by replacing functions."""
    return Mutant(f"aligners-{id_}", "aligners", tuple(breaks.split()), note, lambda: Edited(replacements))


def edited(
    id_: str,
    breaks: str,
    note: str,
    *,
    before: Callable[[Json], None] | None = None,
    after: Callable[[Json, Json], None] | None = None,
) -> Mutant:
    """A mutant made by editing what goes in or comes out."""
    return Mutant(f"aligners-{id_}", "aligners", tuple(breaks.split()), note, lambda: Edited((), before, after))


def aligned(after: Callable[[Json, Json], None]) -> Callable[[Json, Json], None]:
    """Edit only alignments."""

    def edit(request: Json, result: Json) -> None:
        if "student_chunk_id" in result:
            after(request, result)

    return edit


def normative(after: Callable[[Json, Json], None]) -> Callable[[Json, Json], None]:
    """Edit only alignments of the profile ``boundary``, and drop the pairs, which would no longer agree."""

    def edit(request: Json, result: Json) -> None:
        if "student_chunk_id" in result and request["profile"] == "boundary":
            after(request, result)
            result.pop("pairs")

    return edit


def each_id(change: Callable[[int], int]) -> Callable[[Json, Json], None]:
    """Change the chunk id of every token of both sides."""

    def edit(_request: Json, result: Json) -> None:
        for name in ("student_chunk_id", "teacher_chunk_id"):
            result[name] = [[change(chunk) for chunk in row] for row in result[name]]

    return edit
