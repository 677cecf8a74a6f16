"""The tree as RTP-LLM keeps it: the status is a string, one dictionary look-up per step.

This is the readable twin of ``tree_table``; both give the same sets on every tree and every history.

    >>> from tokenspec_reference.processors import read_tree
    >>> dfa = TreeDFA.start(read_tree({"start_token_id": 225, "prefix_dict": {"225": [7], "225_7": [2]}}))
    >>> dfa.candidates(), dfa.next(7).status, dfa.next(7).candidates(), dfa.next(9).phase
    ((7,), '225_7', (2,), 'error')
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from tokenspec_reference.processors.tree_json import INT32

if TYPE_CHECKING:
    from tokenspec_reference.processors.tree_rules import PrefixToCandidateTokens


@dataclass(frozen=True)
class TreeDFA:
    """One row. ``status`` is the path so far: after the end token it includes it, after an error it stays
    valid.
    """

    store: PrefixToCandidateTokens
    status: str
    phase: Literal["live", "finished", "error"] = "live"

    @classmethod
    def start(cls, store: PrefixToCandidateTokens) -> TreeDFA | UpstreamTreeDFA:
        """The state before the first generated token, by the rules of the tree's mode."""
        return UpstreamTreeDFA(store, store.root) if store.mode == "upstream" else cls(store, store.root)

    def candidates(self) -> tuple[int, ...]:
        """Ids that may come next, ascending; the end token alone once the path is finished or lost."""
        return self.store.candidates(self.status) if self.phase == "live" else (self.store.end,)

    def next(self, token: int) -> TreeDFA:
        """Follow one token. Finished and error are absorbing; the end token is accepted anywhere."""
        if self.phase != "live":
            return self
        child = self.store.child(self.status, token)
        if token == self.store.end:
            return replace(self, status=child, phase="finished")
        if token in self.store.candidates(self.status) and child in self.store.prefixes:
            return replace(self, status=child)
        return replace(self, phase="error")


@dataclass(frozen=True)
class UpstreamTreeDFA:
    """The pinned upstream behaviour (alibaba/rtp-llm 4b8d39cd), told as it is and nowhere recommended.

    It tests whether the *key* exists, not whether the token was a candidate; it looks candidates up even
    behind the end token; and it starts with ten zeros as history, so an end token of 0 counts as already
    generated.
    """

    store: PrefixToCandidateTokens
    status: str
    phase: Literal["live", "finished", "error"] = "live"
    last: int = 0

    def candidates(self) -> tuple[int, ...]:
        """As upstream masks: ids beyond the vocabulary vanish, even when that leaves nothing."""
        found = (self.store.end,) if self.phase == "error" else self.store.candidates(self.status)
        limit = INT32.stop if self.store.vocab_size is None else self.store.vocab_size
        return tuple(token for token in found if 0 <= token < limit)

    def next(self, token: int) -> UpstreamTreeDFA:
        """Follow one token."""
        if self.last == self.store.end or self.phase == "error":
            return self
        child = self.store.child(self.status, token)
        if child in self.store.prefixes or token == self.store.end:
            phase: Literal["live", "finished"] = "finished" if token == self.store.end else "live"
            return replace(self, status=child, phase=phase, last=token)
        return replace(self, phase="error")
