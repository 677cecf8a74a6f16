"""A processor inside ``transformers``' ``generate``.

``generate`` shows a logits processor the whole ``input_ids`` of every row and nothing else; beams are reordered behind
its back. So the state of a row is found again by its prefix: the row of the last call whose ids equal all but the last
token of this one. A row that matches none (a rolled-back draft, a resumed generation) is replayed from its tokens.

Rows that have their end token are padded until the others are done. They are finished: neither consulted nor advanced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import torch
from transformers import LogitsProcessor

from tokenspec_reference.processors.chain import Chain
from tokenspec_reference.processors.errors import ShapeMismatch
from tokenspec_reference.processors.masking import apply_allowed
from tokenspec_reference.processors.multi_seq import MultiSeqLogitsProcessor
from tokenspec_reference.processors.processor import LooksAtLogits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tokenspec_reference.processors.allow_set import AllowSet
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

    ``eos_token_id`` are the ids that ``generate`` stops a row at, by default that of the processor's ``multi_seq``
    member, whose flags are set with them; without one a finished row's scores are left alone. ``sequences`` is
    ``num_return_sequences`` where rows hear of each other: only those of one prompt do.

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
        eos_token_id: int | Sequence[int] | None = None,
        sequences: int | None = None,
    ) -> None:
        """Nothing is known of the batch before the first call."""
        self.processor = processor
        self.prompt_length = prompt_length
        self.in_place = in_place
        self.on_dead = on_dead
        self.sequences = sequences
        self._finisher = processor.finisher if isinstance(processor, Chain) else _if_finisher(processor)
        own = [] if self._finisher is None else [self._finisher.eos_token_id]
        self._ends = own if eos_token_id is None else [eos_token_id] if isinstance(eos_token_id, int) else eos_token_id
        self._last: Step | None = None
        self._first_prompts: Tensor | None = None
        self._prompts: dict[int, HuggingFaceLogitsProcessor] = {}

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
        target = scores if self.in_place else scores.clone()
        if self.sequences is not None and input_ids.shape[0] > self.sequences:
            return self._each_prompt(input_ids, target, self.sequences)
        state = self._state_of(input_ids)
        finished = self._finished(input_ids)
        if self._finisher is not None:
            state = self.processor.finish(state, finished)  # type: ignore[attr-defined]
        self._last = Step(input_ids, state)
        if self._finisher is not None or not bool(finished.any()):
            return apply_allowed(target, self._allowed(state, target), on_dead=self.on_dead)
        running = (~finished).nonzero().flatten()
        if len(running):
            rest = self._allowed(self.processor.reorder(state, running), target[running])
            target[running] = apply_allowed(target[running], rest, on_dead=self.on_dead)
        return target

    def _each_prompt(self, input_ids: Tensor, target: Tensor, sequences: int) -> Tensor:
        for start in range(0, input_ids.shape[0], sequences):
            if start not in self._prompts:
                self._prompts[start] = HuggingFaceLogitsProcessor(
                    self.processor,
                    prompt_length=self.prompt_length,
                    in_place=True,
                    on_dead=self.on_dead,
                    eos_token_id=self._ends,
                )
            rows = slice(start, start + sequences)
            self._prompts[start](input_ids[rows], target[rows])
        return target

    def _allowed(self, state: Any, scores: Tensor) -> AllowSet:
        """The sets, with the rules that look at logits."""
        if isinstance(self.processor, LooksAtLogits):
            return self.processor.allow_from_logits(state, scores)
        return self.processor.allow(state)

    def _finished(self, input_ids: Tensor) -> Tensor:
        """Rows that have generated an end token, bool ``[rows]``."""
        generated = input_ids[:, self.prompt_length :]
        return torch.isin(generated, torch.tensor(list(self._ends), device=input_ids.device)).any(dim=1)

    def _state_of(self, input_ids: Tensor) -> Any:
        last = self._last
        if last is None or last.input_ids.shape[1] + 1 != input_ids.shape[1]:
            return self._replay(input_ids)
        prefixes, newest = input_ids[:, :-1], input_ids[:, -1]
        running = ~self._finished(prefixes)
        if torch.equal(last.input_ids, prefixes):
            return self.processor.advance(last.state, newest, running)
        source = _source_rows(last.input_ids, prefixes)
        known = source >= 0
        if bool(known.all()):
            return self.processor.advance(self.processor.reorder(last.state, source), newest, running)
        found = self.processor.reorder(last.state, source[known])
        found = self.processor.advance(found, newest[known], running[known])
        joined = self.processor.join([found, self._replay(input_ids[~known])])
        order = torch.cat([known.nonzero().flatten(), (~known).nonzero().flatten()])
        return self.processor.reorder(joined, order.argsort())

    def _replay(self, input_ids: Tensor) -> Any:
        """The state from the generated tokens alone, up to the end token of each row.

        Raises ``ShapeMismatch`` where a row does not begin with a prompt of the first call: its prompt would be
        read as output. Rows found in the step before need no such check, they begin as that step's rows.
        """
        state, start = self.processor.init(input_ids.shape[0]), self.prompt_length or 0
        prompts = input_ids[:, :start]
        if self._first_prompts is None:
            self._first_prompts = prompts
        strangers = (_source_rows(self._first_prompts, prompts) < 0).nonzero().flatten().tolist() if start else []
        if strangers:
            raise ShapeMismatch(
                f"row {strangers[0]} does not continue a prompt of the first call; "
                "make a new processor for every generate call",
                field="input_ids",
            )
        if not self._ends:
            return self.processor.advance(state, input_ids[:, start:])
        for length in range(start, input_ids.shape[1]):
            state = self.processor.advance(state, input_ids[:, length], ~self._finished(input_ids[:, :length]))
        return state


def _if_finisher(processor: Processor[Any]) -> MultiSeqLogitsProcessor | None:
    return processor if isinstance(processor, MultiSeqLogitsProcessor) else None


def _source_rows(old: Tensor, new: Tensor) -> Tensor:
    """For each row of ``new`` a row of ``old`` with the same ids, or -1; int64 ``[rows]``.

    Exact and ``O(rows log rows * length)``: equal rows get equal group numbers.
    """
    _, group = torch.unique(torch.cat([old, new]), dim=0, return_inverse=True)
    member = torch.full((int(group.max()) + 1,), -1, dtype=torch.int64, device=old.device)
    rows = torch.arange(old.shape[0], device=old.device)
    member[group[: old.shape[0]]] = rows
    return member[group[old.shape[0] :]]
