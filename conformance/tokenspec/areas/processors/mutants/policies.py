"""Broken trees, think budgets and combos: which ids a row is allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from tokenspec.areas.processors.mutants.edits import Json, mutant
from tokenspec_reference.processors import contain, recommendation, tree_json, tree_numbering, tree_rules
from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.contain import StringContainDFA
from tokenspec_reference.processors.multi_seq import FinishedRows, MultiSeqLogitsProcessor
from tokenspec_reference.processors.recommendation import ComboRow, RecommendationLogitsProcessor
from tokenspec_reference.processors.think import ThinkModeLogitsProcessor, ThinkState
from tokenspec_reference.processors.think_policy import ThinkConfig
from tokenspec_reference.processors.tree_rules import PrefixToCandidateTokens
from tokenspec_reference.processors.tree_table import CompiledTree

tree_advance, tree_status = CompiledTree.advance, CompiledTree.status
think_allow, think_advance = ThinkModeLogitsProcessor.allow, ThinkModeLogitsProcessor.advance
think_reorder, multi_reorder = ThinkModeLogitsProcessor.reorder, MultiSeqLogitsProcessor.reorder
allow_from_logits = RecommendationLogitsProcessor.allow_from_logits
combo_advance = RecommendationLogitsProcessor.advance
document_problems = tree_rules._document_problems
int32 = tree_json._int32


def skip_the_root(self: CompiledTree, rows: int, vocab_size: int) -> AllowSet:
    return AllowSet.of([[self.store.end]] * rows, vocab_size)


def unknown_allows_all(self: PrefixToCandidateTokens, status: str) -> tuple[int, ...]:
    return self.prefixes.get(status) or tuple(range(self.vocab_size or 1))


def lost_rows_wait(self: CompiledTree, states: Any, tokens: Any) -> Any:
    after = tree_advance(self, states, tokens)
    lost = (after >= 2 * self.nodes) & (states < self.nodes)
    return torch.where(lost & (states > 0), states, after)


def finished_rows_restart(self: CompiledTree, states: Any, tokens: Any) -> Any:
    ended = (states >= self.nodes) & (states < 2 * self.nodes)
    return torch.where(ended, 0, tree_advance(self, states, tokens))


def leaves_loop(self: CompiledTree, states: Any, tokens: Any) -> Any:
    after = tree_advance(self, states, tokens)
    return torch.where(tokens == self.store.end, after, after % self.nodes)


def status_with_lost_token(self: CompiledTree, state: int) -> str:
    text = tree_status(self, state)
    return f"{text}{self.store.separator}?" if state >= 2 * self.nodes else text


def only_range_problems(raw: Any, vocab_size: int | None) -> Any:
    return (problem for problem in document_problems(raw, vocab_size) if problem.rule != "duplicate-key")


def booleans_too(kind: str, value: Any, where: str) -> int:
    return int(value) if isinstance(value, bool) else int32(kind, value, where)


def lenient_is_upstream(script: Json) -> Json:
    for one in script["processors"]:
        if one.get("mode") == "lenient":
            one["mode"] = "upstream"
    return script


def underscore_only(self: PrefixToCandidateTokens, status: str, token: int) -> str:
    return f"{status}_{token}"


def no_borders(pattern: tuple[int, ...]) -> tuple[int, ...]:
    return (0,) * len(pattern)


def one_border_back(pattern: tuple[int, ...]) -> tuple[int, ...]:
    links = [0] * len(pattern)
    for end in range(1, len(pattern)):
        border = links[end - 1]
        links[end] = border + 1 if pattern[border] == pattern[end] else 0
    return tuple(links)


def first_id_or_anew(self: StringContainDFA, token: int) -> StringContainDFA:
    if self.finished:
        return self
    status = self.status + 1 if self.pattern[self.status] == token else int(self.pattern[0] == token)
    return replace(self, status=status)


def begun_in_order(self: ThinkModeLogitsProcessor, state: ThinkState, src: Any) -> ThinkState:
    after = think_reorder(self, state, src)
    return replace(after, begin=state.begin[torch.as_tensor(src, dtype=torch.int64).sort().values])


def flags_stay(self: MultiSeqLogitsProcessor, state: FinishedRows, src: Any) -> FinishedRows:
    after = multi_reorder(self, state, src)
    kept = state.finished[: len(after.finished)]
    return replace(after, finished=torch.cat([kept, after.finished[len(kept) :]]))


def with_budget(change: int) -> Any:
    def allow(self: ThinkModeLogitsProcessor, state: ThinkState) -> AllowSet:
        shifted = replace(state, count=state.count + change, longest=state.longest + max(change, 0))
        return think_allow(self, shifted)

    return allow


def restart_the_tag(self: ThinkModeLogitsProcessor, state: ThinkState) -> AllowSet:
    tag = self._end_ids
    try:
        self._end_ids = tag[:1].expand(len(tag)).contiguous()
        return think_allow(self, state)
    finally:
        self._end_ids = tag


def reopen(self: ThinkModeLogitsProcessor, state: ThinkState, tokens: Any, active: Any = None) -> ThinkState:
    after = think_advance(self, state, tokens, active)
    closed = (state.end == self._end.length) & (after.count == state.count)
    return replace(
        after, end=torch.where(closed, 0, after.end), count=torch.where(closed, after.count + 1, after.count)
    )


def force_once(self: ThinkModeLogitsProcessor, state: ThinkState) -> AllowSet:
    allow = think_allow(self, state)
    past = state.count > (self.config.max_tokens or 0)
    if self.config.max_tokens is None or not bool(past.any()):
        return allow
    return AllowSet.of([None if past[row] else allow.ids(row) for row in range(allow.rows)], self.vocab_size)


def policy(**changes: Any) -> Any:
    def edit(script: Json) -> Json:
        for one in script["processors"]:
            if one["kind"] == "think":
                one.update({key: value for key, value in changes.items() if key in one})
        return script

    return edit


def ban_end_while_thinking(self: ThinkModeLogitsProcessor, begun: Any, ended: Any) -> Any:
    if self.config.mask_boundaries == "none":
        return []
    return [(self.config.begin_ids[0], begun), (self.config.end_ids[0], begun & ~ended)]


def ban_anywhere(self: RecommendationLogitsProcessor, row: ComboRow) -> set[int]:
    return {combo[-1] for combo in row.banned} if row.prelude.finished else set()


def forget_completed(self: ComboRow, token: int, size: int) -> Any:
    row, combo = combo_next(self, token, size)
    return replace(row, banned=self.banned), combo


combo_next = ComboRow.next


def primary_hears(self: RecommendationLogitsProcessor, state: Any, tokens: Any, active: Any = None) -> Any:
    after = combo_advance(self, state, tokens, active)
    if not self.cross_sequence_ban or not after:
        return after
    everything = frozenset().union(*(row.banned for row in after))
    return (replace(after[0], banned=everything), *after[1:])


def diverge_by_row_and_one(self: RecommendationLogitsProcessor, state: Any, logits: Any) -> AllowSet:
    shifted = allow_from_logits(self, (state[0], *state), torch.cat([logits[:1], logits]))
    return AllowSet.of([shifted.ids(row + 1) for row in range(len(state))], self.vocab_size)


MUTANTS = (
    mutant(
        "tree-skips-the-root", "030", "step 0 allows the end token only", (CompiledTree, "allow_at_root", skip_the_root)
    ),
    mutant(
        "tree-unknown-allows-all",
        "031",
        "a path without candidates allows everything",
        (PrefixToCandidateTokens, "candidates", unknown_allows_all),
    ),
    mutant(
        "tree-key-existence",
        "032",
        "a token moves a row when the key exists",
        (tree_numbering, "_moves", tree_numbering._upstream_moves),
    ),
    mutant(
        "tree-lost-rows-wait",
        "033",
        "a token without an edge is ignored below the root",
        (CompiledTree, "advance", lost_rows_wait),
    ),
    mutant(
        "tree-finished-restart",
        "033",
        "a finished row starts again at the root",
        (CompiledTree, "advance", finished_rows_restart),
    ),
    mutant(
        "tree-leaves-loop",
        "034",
        "a leaf without key keeps the row where it is",
        (CompiledTree, "advance", leaves_loop),
    ),
    mutant(
        "tree-status-lost-token",
        "035",
        "the status of a lost row shows the token",
        (CompiledTree, "status", status_with_lost_token),
    ),
    mutant(
        "tree-orphans-accepted",
        "036",
        "unreachable keys are accepted",
        (tree_rules, "_unreachable", lambda store: iter(())),
    ),
    mutant(
        "tree-repeats-accepted",
        "036",
        "repeated keys are accepted",
        (tree_rules, "_document_problems", only_range_problems),
    ),
    mutant("tree-booleans-are-numbers", "036", "start and end may be booleans", (tree_json, "_int32", booleans_too)),
    mutant("tree-lenient-is-upstream", "037", "lenient means whatever upstream does", request=lenient_is_upstream),
    mutant(
        "tree-underscore-only",
        "040",
        "the separator is always the underscore",
        (PrefixToCandidateTokens, "child", underscore_only),
    ),
    mutant(
        "think-restarting-matcher",
        "050",
        "a mismatch starts the tag anew",
        (contain, "failure_links", no_borders),
    ),
    mutant(
        "think-one-border",
        "050",
        "a mismatch looks for one border only",
        (contain, "failure_links", one_border_back),
    ),
    mutant(
        "think-begun-in-order",
        "004",
        "begun rows do not move",
        (ThinkModeLogitsProcessor, "reorder", begun_in_order),
    ),
    mutant("flags-stay", "004", "who is finished does not move", (MultiSeqLogitsProcessor, "reorder", flags_stay)),
    mutant(
        "combo-restarting-prelude",
        "061",
        "a mismatch in the prelude looks at its first id only",
        (StringContainDFA, "next", first_id_or_anew),
    ),
    mutant(
        "think-one-early",
        "051",
        "the tag is forced one token early",
        (ThinkModeLogitsProcessor, "allow", with_budget(1)),
    ),
    mutant(
        "think-one-late",
        "051",
        "the tag is forced one token late",
        (ThinkModeLogitsProcessor, "allow", with_budget(-1)),
    ),
    mutant(
        "think-restart-the-tag",
        "052",
        "the forced id is always the first of the tag",
        (ThinkModeLogitsProcessor, "allow", restart_the_tag),
    ),
    mutant(
        "think-reopens",
        "053",
        "after the end tag a new segment is counted",
        (ThinkModeLogitsProcessor, "advance", reopen),
    ),
    mutant("think-never-eager", "054", "close is ignored", request=policy(close="budget")),
    mutant("think-no-masks", "055", "mask_boundaries is ignored", request=policy(mask_boundaries="none")),
    mutant(
        "think-ban-end",
        "055",
        "the end id is banned while thinking",
        (ThinkModeLogitsProcessor, "_bans", ban_end_while_thinking),
    ),
    mutant("think-counts-from-the-start", "056", "counting is ignored", request=policy(counting="generated")),
    mutant(
        "think-forces-once",
        "057",
        "only the first id of the tag is forced",
        (ThinkModeLogitsProcessor, "allow", force_once),
    ),
    mutant("think-any-policy", "058", "policies are not validated", (ThinkConfig, "_problems", lambda self: [])),
    mutant(
        "combo-bans-anywhere",
        "061",
        "the last id of a combo is banned at every position",
        (RecommendationLogitsProcessor, "_completing", ban_anywhere),
    ),
    mutant("combo-forgets", "061", "completed combos are not banned", (ComboRow, "next", forget_completed)),
    mutant(
        "combo-primary-hears",
        "062",
        "row 0 hears the other rows",
        (RecommendationLogitsProcessor, "advance", primary_hears),
    ),
    mutant(
        "combo-diverges-by-one-more",
        "063",
        "every row loses one logit more",
        (RecommendationLogitsProcessor, "allow_from_logits", diverge_by_row_and_one),
    ),
    mutant("combo-loses-sixteen", "063", "up to sixteen ids are lost", (recommendation, "MOST_DIVERGENT", 16)),
)
