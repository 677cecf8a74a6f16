"""The operation ``grammar_mask`` of the adapter protocol: a grammar behind a prefix, and a script of steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenspec_reference.errors import placed
from tokenspec_reference.fast_forward.adapter import (
    Model,
    place_in_grammar,
    prefix_tokens_of,
    read_grammar,
    vocabulary_of,
)
from tokenspec_reference.fast_forward.errors import InvalidPrefix, InvalidQuery
from tokenspec_reference.fast_forward.mask import accepted, mask_ranges
from tokenspec_reference.fast_forward.matcher import Matcher, after

BEYOND = "rollback-out-of-range"


def grammar_mask(request: Mapping[str, Any], models: Mapping[str, Model]) -> dict[str, Any]:
    """One answer a step (see ``spec/70-grammar-mask.md``). States are values: to take tokens back is to drop some."""
    vocabulary = vocabulary_of(request, models)
    with placed(place_in_grammar):
        start = read_grammar(request["grammar"], vocabulary)
    with placed("/prefix"):
        state = after(start, vocabulary.raw(prefix_tokens_of(request.get("prefix", []), vocabulary)))
        if state is None:
            raise InvalidPrefix("the grammar does not allow this prefix", field="prefix")
    states: list[Matcher] = [state]
    answers: list[dict[str, Any]] = []
    for step in request["steps"]:
        match step["op"]:
            case "mask":
                answers.append({"ranges": mask_ranges(vocabulary, states[-1]), "may_end": states[-1].accepting()})
            case "accept":
                taken = accepted(vocabulary, states[-1], step["tokens"])
                states += taken
                answers.append({"accepted": len(taken)})
            case "rollback" if 0 <= step["count"] < len(states):
                del states[len(states) - step["count"] :]
                answers.append({})
            case "rollback":
                answers.append({"refused": BEYOND})
            case other:
                raise InvalidQuery(f"expected mask, accept or rollback, not {other!r}", field="steps")
    return {"steps": answers}
