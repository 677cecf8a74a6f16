"""The protocol of a processor: pure functions over an explicit state, and the checks of their arguments.

A step is: ``allow`` -> ``apply_allowed`` -> sample -> ``reorder`` (beams) -> ``advance`` -> finish flags.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import torch

from tokenspec_reference.processors.errors import (
    ConstraintViolation,
    ShapeMismatch,
    SourceRowOutOfRange,
    TokenOutOfRange,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tokenspec_reference.processors.allow_set import AllowSet

State = TypeVar("State")


class Processor(Protocol[State]):
    """What every processor has. States are immutable values: a snapshot is the state itself.

    ``tokens`` is ``[rows]`` or ``[rows, n]`` (a list or an integer tensor); ``n`` tokens mean ``n`` single
    advances. ``active`` is one bool per row; an inactive row keeps its state and its tokens are not looked
    at. Tokens and sources given as lists or CPU tensors are range-checked; on another device that would make
    the host wait, so there an id outside the vocabulary only leaves the constraint on its failing side (a
    tree goes to ERROR).
    """

    @property
    def name(self) -> str:
        """Used in error messages."""

    @property
    def vocab_size(self) -> int:
        """Width of the logits this processor is bound to."""

    def init(self, rows: int) -> State:
        """The state before the first generated token."""

    def allow(self, state: State) -> AllowSet:
        """What each row may sample next; no effect."""

    def advance(
        self, state: State, tokens: Tensor | Sequence[object], active: Tensor | Sequence[bool] | None = None
    ) -> State:
        """The state after the sampled tokens."""

    def reorder(self, state: State, src: Tensor | Sequence[int]) -> State:
        """New row i = old row ``src[i]``; any number of new rows."""

    def join(self, states: Sequence[State]) -> State:
        """The rows of several states, one after another."""


@runtime_checkable
class LooksAtLogits(Protocol):
    """What a processor has besides whose sets depend on the logits."""

    def allow_from_logits(self, state: Any, logits: Tensor) -> AllowSet:
        """``allow`` with the rules that look at logits ``[rows, vocab]``."""


def token_columns(
    tokens: Tensor | Sequence[object],
    rows: int,
    vocab_size: int,
    device: torch.device,
    active: Tensor | None,
) -> list[Tensor]:
    """``tokens`` as one int64 ``[rows]`` tensor per step, checked where the host can read them."""
    table = _integers(tokens, "tokens")
    if table.dim() == 1:
        table = table.unsqueeze(1)
    if table.dim() != 2 or table.shape[0] != rows:
        raise ShapeMismatch(f"expected [{rows}] or [{rows}, n], got {tuple(table.shape)}", field="tokens")
    if table.device.type == "cpu":
        wrong = (table < 0) | (table >= vocab_size)
        if active is not None:
            wrong &= active.cpu().unsqueeze(1)
        if bool(wrong.any()):
            row, column = (int(place) for place in wrong.nonzero()[0])
            bad = int(table[row, column])
            raise TokenOutOfRange(f"id {bad} is outside [0, {vocab_size})", row=row, field=f"tokens[{row}]")
    return list(table.to(device).t().contiguous().unbind(0))


def active_rows(
    active: Tensor | Sequence[bool] | None, rows: int, device: torch.device, *, field: str = "active"
) -> Tensor | None:
    """``active`` as bool ``[rows]`` on the device, or ``None`` for all. ``field`` is what errors call it."""
    if active is None:
        return None
    flags = torch.as_tensor(active if len(active) else torch.zeros(0, dtype=torch.bool), device=device)
    if flags.dtype != torch.bool or flags.shape != (rows,):
        raise ShapeMismatch(f"expected {rows} booleans, got {flags.dtype} {tuple(flags.shape)}", field=field)
    return flags


def source_rows(src: Tensor | Sequence[int], rows: int, device: torch.device) -> Tensor:
    """``src`` as int64 on the device; every entry must name an old row."""
    index = _integers(src, "src")
    if index.dim() != 1:
        raise ShapeMismatch(f"expected one source per new row, got {tuple(index.shape)}", field="src")
    if index.device.type == "cpu":
        wrong = (index < 0) | (index >= rows)
        if bool(wrong.any()):
            place = int(wrong.nonzero()[0])
            raise SourceRowOutOfRange(f"row {int(index[place])} is outside [0, {rows})", field=f"src[{place}]")
    return index.to(device)


def _integers(values: Tensor | Sequence[object], field: str) -> Tensor:
    tensor = values if isinstance(values, torch.Tensor) else _tensor(values, field)
    if tensor.is_floating_point() or tensor.dtype == torch.bool:
        raise ShapeMismatch(f"expected integers, got {tensor.dtype}", field=field)
    return tensor.to(torch.int64)


def _tensor(values: Sequence[object], field: str) -> Tensor:
    try:
        try:
            tensor = torch.tensor(values)
        except ValueError:  # perhaps of a number beyond 64 bits, which is no id and no row
            tensor = torch.tensor(narrowed(values))
    except (TypeError, ValueError, RuntimeError) as error:
        raise ShapeMismatch(f"expected a rectangle of integers: {error}", field=field) from error
    if tensor.numel() > 0:
        return tensor
    if not _is_empty(values):  # torch takes the length of the first row for that of all
        raise ShapeMismatch("expected rows of one length, got some without integers before others with", field=field)
    return tensor.to(torch.int64)


def _is_empty(values: object) -> bool:
    return isinstance(values, Iterable) and all(map(_is_empty, values))


def narrowed(value: Any) -> Any:
    """-1 in place of numbers that do not fit in 64 bits."""
    if isinstance(value, (list, tuple)):
        return [narrowed(one) for one in value]
    return -1 if type(value) is int and value.bit_length() > 63 else value


class Checked(Generic[State]):
    """A processor that refuses to be advanced over a token it had not allowed (raises
    ``ConstraintViolation``).

    Without it such a token is an ordinary input: a tree goes to ERROR, a think budget counts it.
    """

    def __init__(self, processor: Processor[State]) -> None:
        """Wrap any processor; reads the tokens back to the host at every step."""
        self.processor = processor
        self.name = processor.name
        self.vocab_size = processor.vocab_size
        self.init, self.allow = processor.init, processor.allow
        self._allow_active = getattr(processor, "allow_active", lambda state, _active: processor.allow(state))
        self.reorder, self.join = processor.reorder, processor.join

    def advance(
        self, state: State, tokens: Tensor | Sequence[object], active: Tensor | Sequence[bool] | None = None
    ) -> State:
        """Advance one column at a time, looking each token up in the set of that moment."""
        allowed = self._allow_active(state, active)
        flags = active_rows(active, allowed.rows, allowed.listed.device)
        columns = token_columns(tokens, allowed.rows, self.vocab_size, allowed.listed.device, flags)
        for column in columns:
            wrong = ~self._allow_active(state, flags).contains(column)
            if flags is not None:
                wrong &= flags
            if bool(wrong.any()):
                row = int(wrong.nonzero()[0])
                raise ConstraintViolation(row, int(column[row]))
            state = self.processor.advance(state, column, flags)
        return state
