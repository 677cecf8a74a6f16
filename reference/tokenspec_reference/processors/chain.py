"""Several constraints at once: a token is allowed when every processor allows it.

Because a processor returns a set instead of writing logits, the order of the chain does not matter, and a
forced token that another processor forbids is an error with names instead of a row of ``-inf``.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import EmptyAllowedSet, VocabMismatch, config_error, inside
from tokenspec_reference.processors.multi_seq import MultiSeqLogitsProcessor
from tokenspec_reference.processors.processor import LooksAtLogits, active_rows
from tokenspec_reference.processors.unconstrained import Unconstrained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tokenspec_reference.processors.processor import Processor


class Chain:
    """Intersection of ``processors``; at most one of them a ``MultiSeqLogitsProcessor``, whose finished rows
    override. A chain of nobody allows everything; it is told the width that members would be bound to.

    The state is one tuple, in the order of ``processors``. Where several members constrain, a conflict can only be told
    by reading one flag back from the device.
    """

    name = "chain"

    def __init__(self, processors: Sequence[Processor[Any]], *, vocab_size: int | None = None) -> None:
        """Raises ``VocabMismatch`` when the members are bound to different widths, or to another one than
        ``vocab_size``; ``ConfigError`` for an empty chain without a width.
        """
        if not processors:
            if vocab_size is None:
                raise config_error("/processors", Rule.CHAIN_EMPTY, "a chain of nobody needs a vocab_size")
            processors = [Unconstrained(vocab_size=vocab_size)]
        widths = sorted({processor.vocab_size for processor in processors} | ({vocab_size} if vocab_size else set()))
        if len(widths) > 1:
            raise VocabMismatch(f"the members are bound to {widths} ids; bind all to the width of the logits")
        finishers = [at for at, processor in enumerate(processors) if isinstance(processor, MultiSeqLogitsProcessor)]
        if len(finishers) > 1:
            raise config_error(
                f"/processors/{finishers[1]}", Rule.CHAIN_TWO_FINISHERS, "one MultiSeq per chain is enough"
            )
        self.processors = tuple(processors)
        self.vocab_size = widths[0]
        self._finisher = finishers[0] if finishers else None

    @property
    def finisher(self) -> MultiSeqLogitsProcessor | None:
        """The member whose finished rows override."""
        found = None if self._finisher is None else self.processors[self._finisher]
        return found if isinstance(found, MultiSeqLogitsProcessor) else None

    def init(self, rows: int) -> tuple[Any, ...]:
        """The initial state of every member."""
        return tuple(processor.init(rows) for processor in self.processors)

    def allow(self, state: tuple[Any, ...]) -> AllowSet:
        """The intersection. Raises ``EmptyAllowedSet`` naming each member whose removal leaves a choice."""
        return self.allow_active(state, None)

    def allow_active(self, state: tuple[Any, ...], active: Tensor | Sequence[bool] | None) -> AllowSet:
        """``allow``, where only the rows of ``active`` have to have a choice; a row that is held may have none."""
        sets = [processor.allow(inner) for processor, inner in zip(self.processors, state, strict=True)]
        return self._combine(state, sets, active)

    def allow_from_logits(self, state: tuple[Any, ...], logits: Tensor) -> AllowSet:
        """``allow`` with the rules that look at logits ``[rows, vocab]``, where a member has one."""
        sets = [
            processor.allow_from_logits(inner, logits)
            if isinstance(processor, LooksAtLogits)
            else processor.allow(inner)
            for processor, inner in zip(self.processors, state, strict=True)
        ]
        return self._combine(state, sets)

    def _combine(
        self, state: tuple[Any, ...], sets: list[AllowSet], active: Tensor | Sequence[bool] | None = None
    ) -> AllowSet:
        others = [one for place, one in enumerate(sets) if place != self._finisher]
        if not others:
            return sets[0]
        common = reduce(AllowSet.intersect, others)
        if self._finisher is not None and state[self._finisher].any_possible:
            common = sets[self._finisher].where(state[self._finisher].finished, common)
        if not common.never_empty:
            empty = common.count() == 0
            flags = active_rows(active, empty.shape[0], empty.device)
            empty = empty if flags is None else empty & flags
            if bool(empty.any()):
                row = int(empty.nonzero()[0])
                names = [one.name for place, one in enumerate(self.processors) if place != self._finisher]
                raise EmptyAllowedSet(row, _culprits(names, others, row))
        return common

    def advance(
        self,
        state: tuple[Any, ...],
        tokens: Tensor | Sequence[object],
        active: Tensor | Sequence[bool] | None = None,
    ) -> tuple[Any, ...]:
        """Advance every member; finished rows stand still."""
        flags = self.moving(state, active)
        return tuple(
            processor.advance(inner, tokens, flags) for processor, inner in zip(self.processors, state, strict=True)
        )

    def moving(
        self, state: tuple[Any, ...], active: Tensor | Sequence[bool] | None = None
    ) -> Tensor | Sequence[bool] | None:
        """The rows that ``advance`` moves, bool ``[rows]``: active and not finished; ``None`` for all."""
        if self._finisher is None or not state[self._finisher].any_possible:
            return active
        running = ~state[self._finisher].finished
        given = active_rows(active, running.shape[0], running.device)
        return running if given is None else running & given

    def finish(self, state: tuple[Any, ...], finished: Tensor | Sequence[bool]) -> tuple[Any, ...]:
        """Set the finished flags. Raises ``ConfigError`` if no member is a ``MultiSeqLogitsProcessor``."""
        if self._finisher is None or self.finisher is None:
            raise config_error("/processors", Rule.CHAIN_NO_FINISHER, "add a MultiSeqLogitsProcessor to finish rows")
        flags = self.finisher.finish(state[self._finisher], finished)
        return (*state[: self._finisher], flags, *state[self._finisher + 1 :])

    def with_flags_of(self, state: tuple[Any, ...], flagged: tuple[Any, ...]) -> tuple[Any, ...]:
        """``state`` with the finished flags of another state of as many rows."""
        if self._finisher is None:
            return state
        return (*state[: self._finisher], flagged[self._finisher], *state[self._finisher + 1 :])

    def reorder(self, state: tuple[Any, ...], src: Tensor | Sequence[int]) -> tuple[Any, ...]:
        """New row i = old row ``src[i]`` in every member."""
        return tuple(self._reordered(place, inner, src) for place, inner in enumerate(state))

    def _reordered(self, place: int, inner: Any, src: Tensor | Sequence[int]) -> Any:
        with inside(f"/processors/{place}"):
            return self.processors[place].reorder(inner, src)

    def join(self, states: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
        """Rows of several states."""
        return tuple(
            processor.join([state[place] for state in states]) for place, processor in enumerate(self.processors)
        )


def _culprits(names: list[str], sets: list[AllowSet], row: int) -> list[str]:
    """Members whose removal leaves the row something to sample."""
    blamed = []
    for place, name in enumerate(names):
        others = sets[:place] + sets[place + 1 :]
        if not others or int(reduce(AllowSet.intersect, others).count()[row]) > 0:
            blamed.append(name)
    return blamed
