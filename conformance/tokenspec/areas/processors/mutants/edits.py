"""How a processors mutant is made: the reference with one function replaced while a script runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter

Json = dict[str, Any]


@dataclass
class Edited:
    """The reference's ``process_logits`` with an edited request, replaced functions, or edited answers."""

    patches: tuple[tuple[object, str, Any], ...] = ()
    request: Callable[[Json], Json] | None = None
    answer: Callable[[Json, Json], Json] | None = None

    def info(self) -> dict[str, str]:
        return {"name": "mutant", "version": "0", "language": "python"}

    def process_logits(self, request: Json) -> Json:
        script = copy.deepcopy(request)
        script = self.request(script) if self.request else script
        active = [patch.object(owner, name, replacement) for owner, name, replacement in self.patches]
        for one in active:
            one.start()
        try:
            result = ReferenceAdapter().process_logits(script)
        finally:
            for one in reversed(active):
                one.stop()
        return self.answer(script, result) if self.answer else result


def mutant(
    slug: str,
    breaks: str,
    note: str,
    *patches: tuple[object, str, Any],
    request: Callable[[Json], Json] | None = None,
    answer: Callable[[Json, Json], Json] | None = None,
) -> Mutant:
    """One broken implementation; ``breaks`` are numbers of PRC requirements."""
    return Mutant(
        id=f"processors-{slug}",
        area="processors",
        breaks=tuple(f"PRC-{number}" for number in breaks.split()),
        note=note,
        make=lambda: Edited(patches, request, answer),
    )


def each_step(op: str, edit: Callable[[Json], None]) -> Callable[[Json], Json]:
    """A request edit that visits the steps of one kind."""

    def change(script: Json) -> Json:
        for step in script["steps"]:
            if step["op"] == op:
                edit(step)
        return script

    return change


def each_answer(field: str, edit: Callable[[Any], Any]) -> Callable[[Json, Json], Json]:
    """An answer edit that replaces one field wherever it is given."""

    def change(_script: Json, result: Json) -> Json:
        steps = [{**one, field: edit(one[field])} if field in one else one for one in result["steps"]]
        return {"steps": steps}

    return change
