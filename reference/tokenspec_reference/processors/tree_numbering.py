"""Compile a validated tree into its table: number the prefixes a rollout can reach, breadth first.

Walking the strings once, instead of parsing keys, is what makes the table equal to its string twin on every
input, a separator that merges two paths included.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch

from tokenspec_reference.processors.tree_json import INT32
from tokenspec_reference.processors.tree_strings import TreeDFA, UpstreamTreeDFA
from tokenspec_reference.processors.tree_table import NO_MOVE, CompiledTree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokenspec_reference.processors.tree_rules import PrefixToCandidateTokens

    Moves = Callable[[str], list[tuple[int, str]]]


def number_tree(store: PrefixToCandidateTokens) -> CompiledTree:
    """Lay out candidates and transitions of every reachable prefix; linear in the number of edges."""
    upstream = store.mode == "upstream"
    moves_from = _upstream_moves(store) if upstream else _moves(store)
    # the same string can be a finished and a live path when the separator is ambiguous, hence the flag
    number: dict[tuple[str, bool], int] = {}  # without the root: no path leads back to it
    keys, frozen = [store.root], [upstream and store.end == 0]
    offsets = [0]
    tokens: list[int] = []
    levels: list[list[int]] = []
    moves: list[int] = []
    targets: list[int] = []
    children: list[list[int]] = []
    stride = store.vocab_size or INT32.stop
    level = [0]
    while level:
        levels.append(level)
        below: dict[int, None] = {}
        for node in level:
            if node == len(children):  # first visit; merged paths can bring a node back at another depth
                tokens.extend(_candidates(store, keys[node]))
                offsets.append(len(tokens))
                children.append([])
                for token, child in moves_from(keys[node]):
                    if token >= stride:  # no logit can sample it
                        continue
                    target = number.setdefault((child, token == store.end), len(keys))
                    if target == len(keys):
                        keys.append(child)
                        frozen.append(token == store.end)
                    moves.append(node * stride + token)
                    targets.append(target)
                    children[node].append(target)
            below.update(dict.fromkeys(children[node]))
        level = list(below)
    ending = _ending(store)
    sizes = [high - low for low, high in pairwise(offsets)]
    return CompiledTree(
        store=store,
        keys=tuple(keys),
        offsets=torch.tensor([*offsets, len(tokens) + len(ending)], dtype=torch.int64),
        tokens=torch.tensor([*tokens, *(ending or [0])], dtype=torch.int64),
        moves=torch.tensor([*moves, NO_MOVE], dtype=torch.int64),
        targets=torch.tensor([*targets, 0], dtype=torch.int64),
        frozen=torch.tensor(frozen) if any(frozen) else None,
        widths=_widths(levels, offsets),
        root_width=offsets[1],
        narrowest=min(*sizes, len(ending)),
        stride=stride,
    )


def _widths(levels: list[list[int]], offsets: list[int]) -> tuple[int, ...]:
    """The most candidates of a node at each depth, at least one."""
    return tuple(max(1, *(offsets[node + 1] - offsets[node] for node in level)) for level in levels)


def _candidates(store: PrefixToCandidateTokens, status: str) -> tuple[int, ...]:
    dfa = UpstreamTreeDFA(store, status) if store.mode == "upstream" else TreeDFA(store, status)
    return dfa.candidates()


def _ending(store: PrefixToCandidateTokens) -> list[int]:
    """What a finished or lost row allows."""
    return list(UpstreamTreeDFA(store, "", "error").candidates()) if store.mode == "upstream" else [store.end]


def _moves(store: PrefixToCandidateTokens) -> Moves:
    """A token moves to a child if it is a candidate and the child has an entry."""

    def moves(status: str) -> list[tuple[int, str]]:
        children = ((token, store.child(status, token)) for token in store.candidates(status) if token != store.end)
        return [(token, child) for token, child in children if child in store.prefixes]

    return moves


def _upstream_moves(store: PrefixToCandidateTokens) -> Moves:
    """A token moves to a child if the child has an entry, candidate or not."""
    children: dict[str, list[tuple[int, str]]] = {}
    for key in store.prefixes:
        for parent, token in _splits(key, store.separator):
            children.setdefault(parent, []).append((token, key))
    return lambda status: sorted(children.get(status, []))


def _splits(key: str, separator: str) -> Iterator[tuple[str, int]]:
    """Every way to read ``key`` as ``parent + separator + decimal token id``."""
    for length in range(1, min(len(key), 10) + 1):
        tail = key[-length:]
        if not (tail.isascii() and tail.isdigit()):
            return
        head = key[: len(key) - length]
        if (tail == "0" or tail[0] != "0") and head.endswith(separator):
            yield head[: len(head) - len(separator)], int(tail)
