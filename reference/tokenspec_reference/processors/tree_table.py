"""The tree as numbers: a compressed trie that masks any number of rows with a few gathers, on any device.

Prefixes that a rollout can reach are numbered breadth first, so a node's candidates are one slice of
``tokens`` and its transitions one run of the sorted ``moves``. A state is a single integer per row: ``node``
while live, ``node + n`` once finished from there, ``node + 2 n`` once lost there. The twin with strings is
``tree_strings``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.processors.allow_set import PAD, AllowSet
from tokenspec_reference.processors.errors import VocabMismatch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

    from tokenspec_reference.processors.tree_rules import PrefixToCandidateTokens

NO_MOVE = 2**63 - 1  # sorts after every move


@dataclass(frozen=True, eq=False)
class CompiledTree:
    """An immutable, shareable tree.

    Candidates of node i are ``tokens[offsets[i] : offsets[i + 1]]`` (both int64; ``offsets`` has n + 2 entries, row n
    is the shared "end token only" row). ``moves`` int64 ``[m + 1]``, ascending ``node * stride + token`` with a closing
    ``NO_MOVE``, lead to ``targets``. ``frozen`` bool ``[n]`` marks nodes nothing leaves (``upstream`` mode only).
    ``widths[d]`` is the largest number of candidates at depth d: it bounds a step's memory without looking at the
    states. ``root_width`` candidates stand at the root, ``narrowest`` is the smallest number of them anywhere.
    """

    store: PrefixToCandidateTokens
    keys: tuple[str, ...]
    offsets: Tensor
    tokens: Tensor
    moves: Tensor
    targets: Tensor
    frozen: Tensor | None
    widths: tuple[int, ...]
    root_width: int
    narrowest: int
    stride: int

    @property
    def nodes(self) -> int:
        """Number of live nodes."""
        return len(self.keys)

    @property
    def levels(self) -> int:
        """Depth of the deepest node plus one; a masked rollout has at most one token more, its end token included."""
        return len(self.widths)

    def to(self, device: torch.device | str) -> CompiledTree:
        """The same tree with its tensors on ``device``."""
        moved = {name: getattr(self, name).to(device) for name in ("offsets", "tokens", "moves", "targets")}
        return replace(self, **moved, frozen=None if self.frozen is None else self.frozen.to(device))

    def bound(self, depths: Iterable[int]) -> int:
        """The most candidates a row at one of these depths can have, known without looking at the states."""
        return max((self.widths[depth] for depth in depths if depth < len(self.widths)), default=1)

    def exact(self, states: Tensor) -> int:
        """The most candidates any of these rows has; reads the states, so it is for states the host holds."""
        node = states.clamp(max=self.nodes)
        return max(int((self.offsets[node + 1] - self.offsets[node]).max()), 1) if len(states) else 1

    def allow(self, states: Tensor, width: int, vocab_size: int) -> AllowSet:
        """Candidates of every row, at most ``width`` of them. No device read."""
        node = states.clamp(max=self.nodes)
        first = self.offsets[node].unsqueeze(1)
        column = torch.arange(width, device=states.device)
        real = column < self.offsets[node + 1].unsqueeze(1) - first
        place = (first + column).clamp(max=self.tokens.shape[0] - 1)
        listed = torch.where(real, self.tokens[place], PAD)
        return self._set(listed, vocab_size, padded=width > 1)

    def allow_at_root(self, rows: int, vocab_size: int) -> AllowSet:
        """The first step: every row has the root's candidates, one list for all."""
        return self._set(self.tokens[: self.root_width].expand(rows, -1), vocab_size, padded=False)

    def _set(self, listed: Tensor, vocab_size: int, *, padded: bool) -> AllowSet:
        excluded = torch.zeros(listed.shape[0], dtype=torch.bool, device=listed.device)
        return AllowSet(
            listed,
            excluded,
            vocab_size,
            only_listed=True,
            bans=False,
            never_empty=self.narrowest > 0,
            padded=padded,
        )

    def advance(self, states: Tensor, tokens: Tensor) -> Tensor:
        """States after one token per row, both int64 ``[rows]``. No device read."""
        live = states < self.nodes
        node = torch.where(live, states, 0)
        wanted = node * self.stride + tokens
        place = torch.searchsorted(self.moves, wanted)
        found = (self.moves[place] == wanted) & (tokens >= 0) & (tokens < self.stride)
        missed = torch.where(tokens == self.store.end, node + self.nodes, node + 2 * self.nodes)
        after = torch.where(found, self.targets[place], missed)
        if self.frozen is not None:
            live = live & ~self.frozen[node]
        return torch.where(live, after, states)

    def status(self, state: int) -> str:
        """The string status of one state: the path, with the end token once finished."""
        key = self.keys[state % self.nodes]
        return self.store.child(key, self.store.end) if self.nodes <= state < 2 * self.nodes else key

    def phase(self, state: int) -> str:
        """``live``, ``finished`` or ``error``."""
        if self.frozen is not None and state < self.nodes and self.frozen[state]:
            return "finished" if state else "live"
        return ("live", "finished", "error")[state // self.nodes]

    def bind(self, vocab_size: int) -> CompiledTree:
        """This tree over logits of ``vocab_size`` columns. Raises ``VocabMismatch`` if an id does not fit.

        A tree compiled for another width is refused; ids beyond the width are what ``compile_tree`` judges,
        so a ``lenient`` tree that should drop them is compiled with ``vocab_size=``.
        """
        bound = self.store.vocab_size
        if bound is None:
            largest = max(int(self.tokens.max()), self.store.start, self.store.end)
            if largest >= vocab_size:
                raise VocabMismatch(
                    f"the tree names id {largest}, the logits have {vocab_size} columns; "
                    "use the tree of this model's tokenizer"
                )
        elif bound != vocab_size:
            raise VocabMismatch(f"the tree was compiled for {bound} ids, not {vocab_size}")
        return self
