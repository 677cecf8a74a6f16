"""A processor inside vLLM's V1 engine: one persistent batch whose rows come, go and trade places.

The class follows vLLM's ``LogitsProcessor`` interface by shape; vLLM itself is not imported. ``make_processor`` turns a
request's sampling parameters (usually ``extra_args``) into a processor; requests that share a processor object are
masked together. Source: vLLM's design page of V1 logits processors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tokenspec_reference.processors.errors import EmptyAllowedSet, ShapeMismatch
from tokenspec_reference.processors.masking import apply_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor

    from tokenspec_reference.processors.processor import Processor

    MakeProcessor = Callable[[Any], Processor[Any] | None]

SWAP = "SWAP"


@dataclass
class Request:
    """One row of the batch: row ``place`` of a state it may share with others.

    ``output_ids`` is vLLM's own list, which grows as tokens are sampled; ``consumed`` of them are in the state.
    """

    processor: Processor[Any]
    state: Any
    output_ids: Sequence[int]
    place: int = 0
    consumed: int = 0


def gather(requests: Sequence[Request]) -> Any:
    """One state with a row per request, all of one processor; shared rows move together."""
    processor = requests[0].processor
    parts, start = [], 0
    for end in range(1, len(requests) + 1):
        if end == len(requests) or requests[end].state is not requests[start].state:
            places = [request.place for request in requests[start:end]]
            parts.append(processor.reorder(requests[start].state, places))
            start = end
    return parts[0] if len(parts) == 1 else processor.join(parts)


def catch_up(requests: Sequence[Request]) -> Any:
    """The joint state after everything sampled so far; a shortened list (rejected drafts) is replayed."""
    processor = requests[0].processor
    for request in requests:
        if len(request.output_ids) < request.consumed:
            request.state, request.place, request.consumed = processor.init(1), 0, 0
    state = gather(requests)
    fresh = [list(request.output_ids[request.consumed :]) for request in requests]
    for column in range(max(map(len, fresh))):
        active = [column < len(tokens) for tokens in fresh]
        tokens = [tokens[column] if more else 0 for tokens, more in zip(fresh, active, strict=True)]
        state = processor.advance(state, tokens, None if all(active) else active)
    for place, (request, tokens) in enumerate(zip(requests, fresh, strict=True)):
        request.state, request.place = state, place
        request.consumed += len(tokens)
    return state


class VllmLogitsProcessor:
    """The interface; ``vllm_processor(make_processor)`` gives the class to register with the engine.

    ``make_processor`` maps a request's sampling parameters to its constraint, ``None`` for no constraint.
    """

    make_processor: ClassVar[MakeProcessor]

    def __init__(self, vllm_config: Any = None, device: Any = "cpu", is_pin_memory: bool = False) -> None:
        """The three arguments vLLM passes; the batch starts empty."""
        del vllm_config, is_pin_memory
        self.device = device
        self.requests: dict[int, Request] = {}

    @classmethod
    def validate_params(cls, params: Any) -> None:
        """Refuse a request whose constraint cannot be built (a ``ValueError``, as vLLM expects)."""
        cls.make_processor(params)

    def is_argmax_invariant(self) -> bool:
        """A mask can change the best token, so greedy decoding must not skip it."""
        return False

    def update_state(self, batch_update: Any | None) -> None:
        """Removed, then added, then moved rows; an added or moved row replaces what was there."""
        if batch_update is None:
            return
        for index in batch_update.removed:
            self.requests.pop(index, None)
        for index, params, _prompt_ids, output_ids in batch_update.added:
            processor = type(self).make_processor(params)
            self.requests.pop(index, None)
            if processor is not None:
                self.requests[index] = Request(processor, processor.init(1), output_ids)
        for origin, target, direction in batch_update.moved:
            leaving, displaced = self.requests.pop(origin, None), self.requests.pop(target, None)
            if leaving is not None:
                self.requests[target] = leaving
            if displaced is not None and getattr(direction, "name", direction) == SWAP:
                self.requests[origin] = displaced

    def apply(self, logits: Tensor) -> Tensor:
        """Mask the rows of constrained requests in place; ``logits`` is ``[requests, vocab]``.

        Every set is computed before the first row is written, so that an error leaves the batch as it was.
        """
        groups: dict[int, list[int]] = {}
        for row, request in sorted(self.requests.items()):
            if row >= logits.shape[0]:
                raise ShapeMismatch(f"request at row {row}, logits have {logits.shape[0]} rows", field="logits")
            groups.setdefault(id(request.processor), []).append(row)
        planned = []
        for rows in groups.values():
            state = catch_up([self.requests[row] for row in rows])
            try:
                planned.append((rows, self.requests[rows[0]].processor.allow(state)))
            except EmptyAllowedSet as error:
                raise EmptyAllowedSet(rows[error.row], error.processors) from error
        for rows, allow in planned:
            if rows == list(range(rows[0], rows[-1] + 1)):
                apply_allowed(logits[rows[0] : rows[-1] + 1], allow)
            else:
                logits[rows] = apply_allowed(logits[rows], allow)
        return logits


def vllm_processor(make_processor: MakeProcessor) -> type[VllmLogitsProcessor]:
    """A class vLLM can register, whose requests get their constraint from ``make_processor(sampling_params)``."""
    return type("TokenspecLogitsProcessor", (VllmLogitsProcessor,), {"make_processor": staticmethod(make_processor)})


def request_callable(processor: Processor[Any]) -> Callable[[Sequence[int], Tensor], Tensor]:
    """The form of vLLM's per-request processors: ``(output_ids, logits [vocab]) -> logits``, masked in place."""
    request = Request(processor, processor.init(1), [])

    def mask(output_ids: Sequence[int], logits: Tensor) -> Tensor:
        request.output_ids = output_ids
        apply_allowed(logits.unsqueeze(0), processor.allow(catch_up([request])))
        return logits

    return mask
