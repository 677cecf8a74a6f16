"""Broken tags, drafts, closings and minima: what waits, what is judged ahead, what is taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from tokenspec.areas.processors.mutants.edits import mutant
from tokenspec_reference.processors.after import After, Waiting
from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.drafts import DraftSets, Rewindable, Track
from tokenspec_reference.processors.errors import RollbackOutOfRange
from tokenspec_reference.processors.think import ThinkModeLogitsProcessor, ThinkState
from tokenspec_reference.processors.think_policy import ThinkConfig

after_init, after_advance = After.__init__, After.advance
masks, commit = Rewindable.masks, Rewindable.commit
rollback, forced = Rewindable.rollback, Rewindable.forced
early = ThinkModeLogitsProcessor._early


def advances_before_the_tag(self: After, state: Waiting, tokens: Any, active: Any = None) -> Waiting:
    after = after_advance(self, state, tokens, active)
    return replace(after, inner=self.processor.advance(state.inner, tokens, active))


def tag_is_the_first_token(self: After, state: Waiting, tokens: Any, active: Any = None) -> Waiting:
    """The inner processor is told the tag's last token."""
    after = after_advance(self, state, tokens, active)
    if torch.as_tensor(tokens).dim() > 1:
        return after
    came = (state.seen < self._tag.length) & (after.seen == self._tag.length)
    return replace(after, inner=self.processor.advance(after.inner, tokens, came))


def any_tag(self: After, tag_ids: Any, processor: Any, **options: Any) -> None:
    width = processor.vocab_size
    after_init(self, [token % width for token in tag_ids] or [0], processor, **options)


def judges_all(self: Rewindable, state: Track, given: Any) -> DraftSets:
    """Also what stands behind a draft that is not allowed."""
    sets = masks(self, state, given)
    longest = len(sets.positions) - 1
    return replace(sets, accepted=tuple(min(len(ids), longest) for ids in given))


def last_is_missing(self: Rewindable, state: Track, given: Any) -> DraftSets:
    sets = masks(self, state, given)
    return replace(sets, accepted=tuple(max(count - 1, 0) for count in sets.accepted))


def pads_to_the_longest(self: Rewindable, state: Track, tokens: Any) -> Track:
    """A rectangle, as kernels have it: short rows repeat their last token."""
    width = max(map(len, tokens), default=0)
    return commit(self, state, [[*ids, *ids[-1:] * (width - len(ids))] for ids in tokens])


def same_count_for_all(self: Rewindable, state: Track, counts: Any) -> Track:
    return rollback(self, state, [max(counts)] * len(counts) if all(count >= 0 for count in counts) else counts)


def steps_are_tokens(self: Rewindable, state: Track, counts: Any) -> Track:
    """Counts the steps of the batch: held rows go back too far."""
    if any(count < 0 or count > len(state.earlier) for count in counts):
        return rollback(self, state, counts)
    states = [*state.earlier, (state.state, state.counts)]
    parts = [self.chain.reorder(states[len(states) - 1 - count][0], [row]) for row, count in enumerate(counts)]
    return replace(state, state=self.chain.with_flags_of(self.chain.join(parts), state.state))


def oldest_state(states: Any, row: int, count: int) -> int:
    """Of states with as many tokens the oldest: what was taken back once comes back."""
    wanted = states[-1][1][row] - count
    found = [at for at, (_, counts) in enumerate(states) if counts[row] == wanted] if count > 0 else [len(states) - 1]
    if not found or count < 0:
        raise RollbackOutOfRange(row, count, 0)
    return found[0]


def forgives(self: Rewindable, state: Track, counts: Any) -> Track:
    known = state.counts
    return rollback(self, state, [min(max(count, 0), most) for count, most in zip(counts, known, strict=True)])


def one_at_a_time(self: Rewindable, state: Track, limit: int, stop_ids: Any = ()) -> list[list[int]]:
    return forced(self, state, min(limit, 1), stop_ids)


def runs_on(self: Rewindable, state: Track, limit: int, stop_ids: Any = ()) -> list[list[int]]:
    del stop_ids
    return forced(self, state, limit)


def finished_rows_too(self: Rewindable, state: Track, limit: int, stop_ids: Any = ()) -> list[list[int]]:
    runs = forced(self, state, limit, stop_ids)
    single = self.chain.allow(state.state)
    rows = enumerate(zip(runs, single.to_lists(), strict=True))
    return [[*ids] if not run and ids and len(ids) == 1 and limit else run for _, (run, ids) in rows]


def closes_with(tag_first: bool) -> Any:
    def forced_id(self: ThinkModeLogitsProcessor, state: ThinkState) -> AllowSet:
        tag = self._end_ids[state.end.clamp(max=self._end.length - 1)]
        words = self._closing_ids[state.closing.clamp(max=self._closing.length - 1)]
        ids = torch.where(state.end > 0, tag, words) if tag_first else words
        return AllowSet.of([[int(one)] for one in ids], self.vocab_size)

    return forced_id


def end_tag_only(self: ThinkModeLogitsProcessor, state: ThinkState) -> AllowSet:
    ids = self._end_ids[state.end.clamp(max=self._end.length - 1)]
    return AllowSet.of([[int(one)] for one in ids], self.vocab_size)


def any_end_token(self: ThinkModeLogitsProcessor, state: ThinkState, thinking: Any) -> Any:
    """Every token of the tag is banned before the minimum."""
    where = thinking & (state.count < self.config.min_tokens)
    return [(token, where) for token in set(self.config.end_ids)] if self.config.min_tokens else []


def minimum_one_short(self: ThinkModeLogitsProcessor, state: ThinkState, thinking: Any) -> Any:
    return early(self, replace(state, count=state.count + 1), thinking)


MUTANTS = (
    mutant(
        "after-advances-before",
        "024",
        "what waits is advanced over the tokens before the tag",
        (After, "advance", advances_before_the_tag),
    ),
    mutant(
        "after-tells-the-tag",
        "024",
        "what waits is told the tag's last token",
        (After, "advance", tag_is_the_first_token),
    ),
    mutant("after-any-tag", "024", "tags are taken modulo the vocabulary", (After, "__init__", any_tag)),
    mutant(
        "drafts-judged-to-the-end", "025", "sets behind a refused draft are given", (Rewindable, "masks", judges_all)
    ),
    mutant(
        "drafts-last-set-missing",
        "025",
        "the set behind the last draft is missing",
        (Rewindable, "masks", last_is_missing),
    ),
    mutant(
        "commit-rectangle", "026", "short rows repeat their last token", (Rewindable, "commit", pads_to_the_longest)
    ),
    mutant("rollback-all-rows", "027", "all rows go back as far", (Rewindable, "rollback", same_count_for_all)),
    mutant("rollback-steps", "027", "steps are counted, not tokens", (Rewindable, "rollback", steps_are_tokens)),
    mutant(
        "rollback-oldest",
        "027",
        "of states with as many tokens the oldest is taken",
        (Rewindable, "_remembered", staticmethod(oldest_state)),
    ),
    mutant("rollback-forgives", "027", "more than there is goes back to the start", (Rewindable, "rollback", forgives)),
    mutant("forced-one", "028", "one token is forced at a time", (Rewindable, "forced", one_at_a_time)),
    mutant("forced-runs-on", "028", "stop ids are not looked at", (Rewindable, "forced", runs_on)),
    mutant("forced-finished", "028", "finished rows force their end", (Rewindable, "forced", finished_rows_too)),
    mutant(
        "think-closing-tag-first",
        "059",
        "any begun tag is completed, in the middle of the words, too",
        (ThinkModeLogitsProcessor, "_forced", closes_with(tag_first=True)),
    ),
    mutant(
        "think-closing-words-only",
        "059",
        "a begun tag is followed by the words",
        (ThinkModeLogitsProcessor, "_forced", closes_with(tag_first=False)),
    ),
    mutant(
        "think-closing-ignored", "059", "the end tag is forced", (ThinkModeLogitsProcessor, "_forced", end_tag_only)
    ),
    mutant(
        "think-closing-unchecked",
        "058",
        "any closing words are taken",
        (ThinkConfig, "_length_problems", lambda self: []),
    ),
    mutant(
        "think-minimum-bans-the-tag",
        "049",
        "all ids of the tag are banned before the minimum",
        (ThinkModeLogitsProcessor, "_early", any_end_token),
    ),
    mutant(
        "think-minimum-one-short",
        "049",
        "the minimum is one token short",
        (ThinkModeLogitsProcessor, "_early", minimum_one_short),
    ),
)
