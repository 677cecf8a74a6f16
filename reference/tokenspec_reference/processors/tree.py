"""Tree decoding: only paths of a prefix tree can be generated.

>>> from tokenspec_reference.processors import TreeLogitsProcessor, compile_tree
>>> tree = compile_tree({"start_token_id": 225, "end_token_id": 2,
...                      "prefix_dict": {"225": [64000], "225_64000": [64001, 64002]}})
>>> processor = TreeLogitsProcessor(tree, vocab_size=64256)
>>> state = processor.advance(processor.init(rows=1), [64000])
>>> processor.allow(state).ids(0), processor.status(state)
([64001, 64002], ['225_64000'])
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import config_error
from tokenspec_reference.processors.processor import active_rows, source_rows, token_columns
from tokenspec_reference.processors.tree_strings import TreeDFA, UpstreamTreeDFA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from tokenspec_reference.processors.tree_rules import PrefixToCandidateTokens
    from tokenspec_reference.processors.tree_table import CompiledTree


@dataclass(frozen=True, eq=False)
class TreeState:
    """``nodes`` int64 ``[rows]`` on the device; ``depths`` are the depths a live row can be at, known to the
    host.
    """

    nodes: Tensor
    depths: frozenset[int]


class TreeLogitsProcessor:
    """The fast path: a compiled tree over rows of integers."""

    name = "tree"

    def __init__(
        self, tree: CompiledTree, *, vocab_size: int | None = None, device: torch.device | str = "cpu"
    ) -> None:
        """Bind ``tree`` to the width of the logits. Raises ``VocabMismatch``."""
        width = tree.store.vocab_size if vocab_size is None else vocab_size
        if width is None:
            raise config_error("", Rule.VOCAB_SIZE, "give vocab_size, the width of the logits, here or to compile_tree")
        self.vocab_size = width
        self.tree = tree.bind(width).to(device)
        self.device = torch.device(device)

    def init(self, rows: int) -> TreeState:
        """Every row at the root."""
        return TreeState(torch.zeros(rows, dtype=torch.int64, device=self.device), frozenset({0}))

    def allow(self, state: TreeState) -> AllowSet:
        """The candidates of each row's node, or the end token alone."""
        if state.depths == {0}:
            return self.tree.allow_at_root(state.nodes.shape[0], self.vocab_size)
        on_host = state.nodes.device.type == "cpu"
        width = self.tree.exact(state.nodes) if on_host else self.tree.bound(state.depths)
        return self.tree.allow(state.nodes, width, self.vocab_size)

    def advance(
        self,
        state: TreeState,
        tokens: Tensor | Sequence[object],
        active: Tensor | Sequence[bool] | None = None,
    ) -> TreeState:
        """Follow the sampled tokens."""
        rows = state.nodes.shape[0]
        flags = active_rows(active, rows, self.device)
        nodes, depths = state.nodes, state.depths
        for column in token_columns(tokens, rows, self.vocab_size, self.device, flags):
            after = self.tree.advance(nodes, column)
            nodes = after if flags is None else torch.where(flags, after, nodes)
            depths = self._depths_after(depths, held=flags is not None)
        return TreeState(nodes, depths)

    def _depths_after(self, depths: frozenset[int], *, held: bool) -> frozenset[int]:
        """The depths after one token; a row that is held, or at a node that nothing leaves, stays where it is."""
        deeper = frozenset(min(depth + 1, self.tree.levels) for depth in depths)
        return deeper | depths if held or self.tree.frozen is not None else deeper

    def reorder(self, state: TreeState, src: Tensor | Sequence[int]) -> TreeState:
        """New row i = old row ``src[i]``."""
        return replace(state, nodes=state.nodes[source_rows(src, state.nodes.shape[0], self.device)])

    def join(self, states: Sequence[TreeState]) -> TreeState:
        """Rows of several states."""
        return TreeState(
            torch.cat([state.nodes for state in states]),
            frozenset().union(*(state.depths for state in states)),
        )

    def status(self, state: TreeState) -> list[str]:
        """The string status of every row; reads the state back to the host."""
        return [self.tree.status(node) for node in state.nodes.tolist()]

    def phases(self, state: TreeState) -> list[str]:
        """``live``, ``finished`` or ``error`` for every row; reads the state back to the host."""
        return [self.tree.phase(node) for node in state.nodes.tolist()]


class TreeStringProcessor:
    """The readable twin of ``TreeLogitsProcessor``: one ``TreeDFA`` per row."""

    name = "tree"

    def __init__(self, store: PrefixToCandidateTokens, *, vocab_size: int) -> None:
        """Bind a validated tree to the width of the logits."""
        self.store = store
        self.vocab_size = vocab_size

    def init(self, rows: int) -> tuple[TreeDFA | UpstreamTreeDFA, ...]:
        """Every row at the root."""
        return (TreeDFA.start(self.store),) * rows

    def allow(self, state: tuple[TreeDFA | UpstreamTreeDFA, ...]) -> AllowSet:
        """The candidates of each row's status."""
        return AllowSet.of([row.candidates() for row in state], self.vocab_size)

    def advance(
        self,
        state: tuple[TreeDFA | UpstreamTreeDFA, ...],
        tokens: Tensor | Sequence[object],
        active: Tensor | Sequence[bool] | None = None,
    ) -> tuple[TreeDFA | UpstreamTreeDFA, ...]:
        """Follow the sampled tokens, row by row."""
        flags = active_rows(active, len(state), torch.device("cpu"))
        for column in token_columns(tokens, len(state), self.vocab_size, torch.device("cpu"), flags):
            state = tuple(
                row.next(token) if flags is None or bool(flags[place]) else row
                for place, (row, token) in enumerate(zip(state, column.tolist(), strict=True))
            )
        return state

    def reorder(
        self, state: tuple[TreeDFA | UpstreamTreeDFA, ...], src: Tensor | Sequence[int]
    ) -> tuple[TreeDFA | UpstreamTreeDFA, ...]:
        """New row i = old row ``src[i]``."""
        return tuple(state[row] for row in source_rows(src, len(state), torch.device("cpu")).tolist())

    def join(self, states: Sequence[tuple[TreeDFA | UpstreamTreeDFA, ...]]) -> tuple[TreeDFA | UpstreamTreeDFA, ...]:
        """Rows of several states."""
        return tuple(row for state in states for row in state)

    def status(self, state: tuple[TreeDFA | UpstreamTreeDFA, ...]) -> list[str]:
        """The string status of every row."""
        return [row.status for row in state]


class PromptNotAtRoot(TokenSpecError):
    """The prompt does not end with the tree's start token, so the tree's first step would answer another
    prefix.
    """

    rejection_code = "prompt-not-at-root"


def require_root(tree: CompiledTree, prompt_token_ids: Sequence[int]) -> None:
    """Refuse a prompt whose last token is not the root of the tree (RTP-LLM). Raises
    ``PromptNotAtRoot``.
    """
    last = prompt_token_ids[-1] if prompt_token_ids else None
    if last != tree.store.start:
        raise PromptNotAtRoot(
            f"the last prompt token is {last}, the tree starts at {tree.store.start}; end the prompt or "
            "the chat template with it, or use the tree of this template",
            field="prompt_token_ids",
        )
