"""Right refusals at wrong places."""

from __future__ import annotations

from collections.abc import Callable

from tokenspec.areas.misrefusing import misrefusing, placing
from tokenspec.areas.processors.mutants.edits import Json, mutant


def step_place(change: Callable[[str], str]) -> Callable[[Json, Json], Json]:
    """An answer edit that says otherwise where a step was refused."""

    def edit(_script: Json, result: Json) -> Json:
        for step in result["steps"]:
            if "error" in step:
                step["error"]["place"] = change(step["error"]["place"])
        return result

    return edit


MUTANTS = [
    mutant(
        "place-of-first-row",
        "080",
        "blames the first entry of an argument",
        answer=step_place(lambda place: "/".join(["0" if part.isdigit() else part for part in place.split("/")])),
    ),
    mutant(
        "place-in-words",
        "080",
        "names the argument alone",
        answer=step_place(lambda place: "/" + place.rpartition("/")[2]),
    ),
    misrefusing(
        "processors",
        "process_logits",
        "place-of-first-member",
        "PRC-080",
        "blames the first processor whichever is wrong",
        placing(lambda place: place.replace("/processors/1", "/processors/0")),
    ),
    misrefusing(
        "processors",
        "process_logits",
        "place-of-member",
        "PRC-080",
        "blames the processor, not what is wrong in it",
        placing(lambda place: "/".join(place.split("/")[:3])),
    ),
]
