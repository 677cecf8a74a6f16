"""A processor inside ``transformers``' ``generate``.

``generate`` shows a logits processor the whole ``input_ids`` of every row and nothing else; beams are reordered behind
its back. So the state of a row is found again by its prefix: the row of the last call whose ids equal all but the last
token of this one. A row that matches none (a rolled-back draft, a resumed generation) is replayed from its tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import torch
from transformers import LogitsProcessor

from tokenspec_reference.processors.errors import ShapeMismatch
from tokenspec_reference.processors.masking import apply_allowed

if TYPE_CHECKING:
    from torch import Tensor

    from tokenspec_reference.processors.processor import Processor


@dataclass(frozen=True, eq=False)
class Step:
    """What the last call saw: ``input_ids`` int64 ``[rows, length]`` and the state after them."""

    input_ids: Tensor
    state: Any


class HuggingFaceLogitsProcessor(LogitsProcessor):  # type: ignore[misc]
    """Constrain one ``generate`` call; make a new one for the next call.

    ``prompt_length`` is the number of columns of the (left padded) prompt, by default the length of the first
    ``input_ids``. ``in_place=False`` leaves the model's scores untouched, as transformers' own processors do.

    ``generate`` runs it behind its own penalties and before temperature, top-k and top-p, as the step order demands
    (measured with transformers 5.23). The end token of a tree belongs into ``eos_token_id``.
    """

    def __init__(
        self,
        processor: Processor[Any],
        *,
        prompt_length: int | None = None,
        in_place: bool = False,
        on_dead: Literal["raise", "zero"] = "raise",
    ) -> None:
        """Nothing is known of the batch before the first call."""
        self.processor = processor
        self.prompt_length = prompt_length
        self.in_place = in_place
        self.on_dead = on_dead
        self._last: Step | None = None

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """``input_ids`` int64 ``[rows, length]``, ``scores`` ``[rows, vocab]`` -> scores, banned ids at ``-inf``."""
        if self.prompt_length is None:
            self.prompt_length = input_ids.shape[1]
        if input_ids.shape[1] < self.prompt_length:
            raise ShapeMismatch(
                f"{input_ids.shape[1]} columns, but the prompt had {self.prompt_length}; "
                "make a new processor for every generate call",
                field="input_ids",
            )
        state = self._state_of(input_ids)
        self._last = Step(input_ids, state)
        target = scores if self.in_place else scores.clone()
        return apply_allowed(target, self.processor.allow(state), on_dead=self.on_dead)

    def _state_of(self, input_ids: Tensor) -> Any:
        last = self._last
        if last is None or last.input_ids.shape[1] + 1 != input_ids.shape[1]:
            return self._replay(input_ids)
        prefixes, newest = input_ids[:, :-1], input_ids[:, -1]
        if torch.equal(last.input_ids, prefixes):
            return self.processor.advance(last.state, newest)
        source = _source_rows(last.input_ids, prefixes)
        known = source >= 0
        if bool(known.all()):
            return self.processor.advance(self.processor.reorder(last.state, source), newest)
        found = self.processor.reorder(last.state, source[known])
        joined = self.processor.join([self.processor.advance(found, newest[known]), self._replay(input_ids[~known])])
        order = torch.cat([known.nonzero().flatten(), (~known).nonzero().flatten()])
        return self.processor.reorder(joined, order.argsort())

    def _replay(self, input_ids: Tensor) -> Any:
        """The state from the generated tokens alone."""
        generated = input_ids[:, self.prompt_length :]
        return self.processor.advance(self.processor.init(input_ids.shape[0]), generated)


def _source_rows(old: Tensor, new: Tensor) -> Tensor:
    """For each row of ``new`` a row of ``old`` with the same ids, or -1; int64 ``[rows]``.

    Exact and ``O(rows log rows * length)``: equal rows get equal group numbers.
    """
    _, group = torch.unique(torch.cat([old, new]), dim=0, return_inverse=True)
    member = torch.full((int(group.max()) + 1,), -1, dtype=torch.int64, device=old.device)
    rows = torch.arange(old.shape[0], device=old.device)
    member[group[: old.shape[0]]] = rows
    return member[group[old.shape[0] :]]
