"""A processor inside vLLM: one class for both of its runners, a subclass of both of its interfaces.

The runner of V1 keeps a persistent batch whose rows come, go and trade places, and shows every request's own list of
output ids. The V2 runner keeps requests in slots, shuffles rows at every step, and has one row for each draft token. In
both, requests that share a processor object are masked together.

vLLM finds the class by ``--logits-processors MODULE:CLASS``, or by an entry point of the group
``vllm.logits_processors``. Source: the interfaces of vllm 0.33.0.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from tokenspec_reference.processors.drafts import draft_sets
from tokenspec_reference.processors.errors import EmptyAllowedSet, ShapeMismatch
from tokenspec_reference.processors.masking import apply_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor

    from tokenspec_reference.processors.allow_set import AllowSet
    from tokenspec_reference.processors.processor import Processor

V1, V2 = "vllm.v1.sample.logits_processor", "vllm.v1.worker.gpu.sample.logits_processor"
SWAP = "SWAP"
REPLACED = 64  # so many of the last tokens are compared with what was consumed: drafts, and placeholders of async steps


@dataclass(frozen=True)
class Constraint:
    """What a request is held to. ``sees_prompt``: the processor is advanced over the prompt first, so that a begin tag
    in the chat template counts.
    """

    processor: Processor[Any]
    sees_prompt: bool = False


if TYPE_CHECKING:
    MakeConstraint = Callable[[Any], Constraint | Processor[Any] | None]


@dataclass
class Request:
    """One request: row ``place`` of a state it may share with others.

    ``output_ids`` is vLLM's own list, which grows and whose end may be replaced; ``consumed`` is what the state knows.
    """

    processor: Processor[Any]
    state: Any
    output_ids: Sequence[int]
    place: int = 0
    consumed: list[int] = field(default_factory=list)
    prompt_ids: Sequence[int] = ()

    @classmethod
    def start(cls, constraint: Constraint, prompt_ids: Sequence[int] | None, output_ids: Sequence[int]) -> Request:
        """Before the first output token. Raises ``ShapeMismatch`` where the prompt is needed and came as embeddings."""
        if constraint.sees_prompt and prompt_ids is None:
            raise ShapeMismatch("the constraint reads the prompt, which came as embeddings", field="prompt_token_ids")
        prompt = prompt_ids if constraint.sees_prompt and prompt_ids else ()
        request = cls(constraint.processor, None, output_ids, prompt_ids=prompt)
        request.restart()
        return request

    def restart(self) -> None:
        """Forget all output."""
        start = self.processor.init(1)
        self.state = self.processor.advance(start, [list(self.prompt_ids)]) if self.prompt_ids else start
        self.place, self.consumed = 0, []

    def fresh(self) -> list[int]:
        """Output the state does not know yet; it begins anew where the end that it knows has been replaced."""
        known = len(self.consumed)
        tail = max(known - REPLACED, 0)
        if list(self.output_ids[tail:known]) != self.consumed[tail:]:
            self.restart()
        tokens = list(self.output_ids[len(self.consumed) :])
        if any(token < 0 for token in tokens):
            raise ShapeMismatch(
                "the output still holds a placeholder (-1), so no mask can be told; constrained requests need their "
                "sampled tokens before the logits (vLLM hands them over right before it asks)",
                field=f"output_token_ids[{len(self.consumed) + next(at for at, one in enumerate(tokens) if one < 0)}]",
            )
        return tokens


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
    """The joint state after everything sampled so far."""
    processor = requests[0].processor
    fresh = [request.fresh() for request in requests]
    state = gather(requests)
    for column in range(max(map(len, fresh))):
        active = [column < len(tokens) for tokens in fresh]
        tokens = [tokens[column] if more else 0 for tokens, more in zip(fresh, active, strict=True)]
        state = processor.advance(state, tokens, None if all(active) else active)
    for place, (request, tokens) in enumerate(zip(requests, fresh, strict=True)):
        request.state, request.place = state, place
        request.consumed += tokens
    return state


def by_processor(requests: dict[int, Request]) -> Iterator[list[int]]:
    """The keys of requests that share a processor object, ascending."""
    groups: dict[int, list[int]] = {}
    for key, request in sorted(requests.items()):
        groups.setdefault(id(request.processor), []).append(key)
    yield from groups.values()


def write(logits: Tensor, planned: Sequence[tuple[list[int], AllowSet]]) -> Tensor:
    """Mask rows in place; every set was computed before, so that a conflict leaves the batch as it was."""
    for rows, allow in planned:
        if rows == list(range(rows[0], rows[-1] + 1)):
            apply_allowed(logits[rows[0] : rows[-1] + 1], allow)
        else:
            logits[rows] = apply_allowed(logits[rows], allow)
    return logits


class PersistentBatch:
    """What the V1 runner talks to: rows of requests."""

    def __init__(self, make: MakeConstraint) -> None:
        """The batch starts empty."""
        self.make = make
        self.requests: dict[int, Request] = {}

    def update_state(self, batch_update: Any | None) -> None:
        """Removed, then added, then moved rows; an added or moved row replaces what was there."""
        if batch_update is None:
            return
        for index in batch_update.removed:
            self.requests.pop(index, None)
        for index, params, prompt_ids, output_ids in batch_update.added:
            constraint = made(self.make, params)
            self.requests.pop(index, None)
            if constraint is not None:
                self.requests[index] = Request.start(constraint, prompt_ids, output_ids)
        for origin, target, direction in batch_update.moved:
            leaving, displaced = self.requests.pop(origin, None), self.requests.pop(target, None)
            if leaving is not None:
                self.requests[target] = leaving
            if displaced is not None and getattr(direction, "name", direction) == SWAP:
                self.requests[origin] = displaced

    def apply(self, logits: Tensor) -> Tensor:
        """Mask the rows of constrained requests; ``logits`` is ``[requests, vocab]``."""
        beyond = [row for row in self.requests if row >= logits.shape[0]]
        if beyond:
            raise ShapeMismatch(f"request at row {beyond[0]}, logits have {logits.shape[0]} rows", field="logits")
        planned = []
        for rows in by_processor(self.requests):
            state = catch_up([self.requests[row] for row in rows])
            try:
                planned.append((rows, self.requests[rows[0]].processor.allow(state)))
            except EmptyAllowedSet as error:
                raise EmptyAllowedSet(rows[error.row], error.processors) from error
        return write(logits, planned)


class SlotBatch:
    """What the V2 runner talks to: slots of requests, whose tokens are read from its own buffers.

    Each step reads the committed tokens back to the host.
    """

    def __init__(self, make: MakeConstraint, req_states: Any) -> None:
        """``req_states``: the runner's buffers of tokens and lengths by slot."""
        self.make = make
        self.req_states = req_states
        self.constraints: dict[int, Constraint] = {}
        self.requests: dict[int, Request] = {}

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """A request takes a slot; whether it is constrained."""
        self.requests.pop(req_idx, None)
        self.constraints.pop(req_idx, None)
        constraint = made(self.make, sampling_params)
        if constraint is not None:
            self.constraints[req_idx] = constraint
        return constraint is not None

    def apply(self, logits: Tensor, ctx: Any) -> Tensor:
        """Mask the rows of constrained slots; ``logits`` is ``[rows, vocab]``, a row for each position that is sampled.

        A row behind a draft that is not allowed keeps the set before it: its token is thrown away.
        """
        rows_of: dict[int, list[int]] = {}
        offsets = ctx.expanded_local_pos.tolist()
        for row, slot in enumerate(ctx.expanded_idx_mapping.tolist()):
            if slot in self.constraints:
                rows_of.setdefault(slot, []).append(row)
        inputs, positions = ctx.input_ids.tolist(), ctx.pos.tolist()
        drafts = {}
        for slot, rows in rows_of.items():
            rows.sort(key=offsets.__getitem__)
            drafts[slot] = [inputs[row] for row in rows[1:]]
            self._read(slot, positions[rows[0]] + 1)
        planned = []
        for slots in by_processor({slot: self.requests[slot] for slot in rows_of}):
            state = catch_up([self.requests[slot] for slot in slots])
            try:
                sets = draft_sets(self.requests[slots[0]].processor, state, [drafts[slot] for slot in slots])
            except EmptyAllowedSet as error:
                raise EmptyAllowedSet(rows_of[slots[error.row]][0], error.processors) from error
            for place in range(max(len(rows_of[slot]) for slot in slots)):
                present = [at for at, slot in enumerate(slots) if place < len(rows_of[slot])]
                allow = sets.positions[min(place, len(sets.positions) - 1)].gather(present)
                planned.append(([rows_of[slots[at]][place] for at in present], allow))
        return write(logits, planned)

    def _read(self, slot: int, length: int) -> None:
        """The committed tokens of a slot, up to the position that is sampled first."""
        prompt_length = int(self.req_states.prompt_len.np[slot])
        tokens = self.req_states.all_token_ids.gpu[slot, : max(length, prompt_length)].tolist()
        if slot not in self.requests:
            self.requests[slot] = Request.start(self.constraints[slot], tokens[:prompt_length], [])
        self.requests[slot].output_ids = tokens[prompt_length:]


def made(make: MakeConstraint, params: Any) -> Constraint | None:
    """What a request is held to, in one form."""
    constraint = make(params)
    return constraint if constraint is None or isinstance(constraint, Constraint) else Constraint(constraint)


class VllmLogitsProcessor:
    """Both interfaces; ``vllm_processor(make_constraint)`` gives the class to register with the engine.

    ``make_constraint`` maps a request's sampling parameters (usually their ``extra_args``) to a processor or a
    ``Constraint``, ``None`` for no constraint.
    """

    make_constraint: ClassVar[MakeConstraint]

    def __init__(self, vllm_config: Any = None, device: Any = "cpu", is_pin_memory: bool = False) -> None:
        """The arguments of V1; the V2 runner passes its request states in the place of the device."""
        del vllm_config, is_pin_memory
        make = type(self).make_constraint
        self._rows = PersistentBatch(make)
        self._slots = SlotBatch(make, device) if hasattr(device, "all_token_ids") else None

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """Refuse a request whose constraint cannot be built (a ``ValueError``, as vLLM expects)."""
        cls.make_constraint(sampling_params)

    def is_argmax_invariant(self) -> bool:
        """A mask can change the best token, so greedy decoding must not skip it."""
        return False

    def update_state(self, batch_update: Any | None) -> None:
        """V1: the batch has changed."""
        self._rows.update_state(batch_update)

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """V2: a request takes a slot."""
        return self._slots is not None and self._slots.add_request(req_idx, sampling_params)

    def apply_staged_writes(self) -> None:
        """V2: nothing is staged."""

    def apply(self, logits: Tensor, ctx: Any = None) -> Tensor:
        """Mask in place: V1 gives logits, V2 the layout of its rows as well."""
        return self._rows.apply(logits) if ctx is None or self._slots is None else self._slots.apply(logits, ctx)


def vllm_interfaces() -> tuple[type, ...]:
    """The classes of the installed vLLM that its runners demand. Raises ``ImportError`` without vLLM."""
    batch: type = importlib.import_module(f"{V1}.interface").LogitsProcessor
    try:
        slots: type = importlib.import_module(f"{V2}.interface").LogitsProcessor
    except ImportError:  # before 0.32
        return (batch,)
    return (batch, slots)


def vllm_processor(
    make_constraint: MakeConstraint,
    *,
    interfaces: tuple[type, ...] | None = None,
    name: str = "TokenspecLogitsProcessor",
) -> type[VllmLogitsProcessor]:
    """A class vLLM can register, whose requests get their constraint from ``make_constraint(sampling_params)``.

    ``interfaces``: its other base classes, by default those of the installed vLLM.
    """
    bases = (VllmLogitsProcessor, *(vllm_interfaces() if interfaces is None else interfaces))
    return type(name, bases, {"make_constraint": staticmethod(make_constraint)})


def request_callable(processor: Processor[Any]) -> Callable[[Sequence[int], Tensor], Tensor]:
    """The form of vLLM's per-request processors: ``(output_ids, logits [vocab]) -> logits``, masked in place."""
    request = Request.start(Constraint(processor), None, [])

    def mask(output_ids: Sequence[int], logits: Tensor) -> Tensor:
        request.output_ids = output_ids
        apply_allowed(logits.unsqueeze(0), processor.allow(catch_up([request])))
        return logits

    return mask
