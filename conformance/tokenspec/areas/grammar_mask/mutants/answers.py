"""Broken masks: the reference with one edit."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from tokenspec.areas.mutant import Mutant
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.fast_forward import mask, mask_script
from tokenspec_reference.fast_forward.canonical import canonical_ff_tokens
from tokenspec_reference.fast_forward.matcher import Matcher
from tokenspec_reference.fast_forward.vocabulary import TokenBytes

Json = dict[str, Any]
Edit = Callable[[Json], Json]
ranges_of, accepted, grammar_mask = mask.mask_ranges, mask.accepted, mask_script.grammar_mask


class Edited(ReferenceAdapter):
    """The reference with a name replaced, an edited request or edited answers."""

    def __init__(
        self,
        patches: Sequence[tuple[object, str, Any]],
        request: Callable[[Json], Json],
        answer: Callable[[Json], Json],
    ) -> None:
        """Any of the three may do nothing."""
        super().__init__()
        self.patches, self.request, self.answer = patches, request, answer

    def grammar_mask(self, request: Json) -> Json:
        """Edit, answer with parts replaced, edit."""
        with ExitStack() as stack:
            for owner, name, value in self.patches:
                stack.enter_context(patch.object(owner, name, value))
            answers = super().grammar_mask(self.request(copy.deepcopy(request)))["steps"]
        return {"steps": [self.answer(one) for one in answers]}


def same(value: Json) -> Json:
    return value


def mutant(
    slug: str,
    breaks: str,
    note: str,
    *patches: tuple[object, str, Any],
    request: Edit = same,
    answer: Edit = same,
) -> Mutant:
    """One broken implementation; ``breaks`` are numbers of MSK requirements."""
    return Mutant(
        id=f"grammar-mask-{slug}",
        area="grammar-mask",
        breaks=tuple(f"MSK-{number}" for number in breaks.split()),
        note=note,
        make=lambda: Edited(patches, request, answer),
        rows=("-",),
    )


def forced_only(vocabulary: TokenBytes, matcher: Matcher) -> list[tuple[int, int]]:
    """What llguidance does: where tokens are forced, the mask is the first of them."""
    tokens, _ = canonical_ff_tokens(vocabulary, matcher)
    return [(tokens[0], tokens[0])] if tokens else ranges_of(vocabulary, matcher)


def whole_characters(vocabulary: TokenBytes, matcher: Matcher) -> list[tuple[int, int]]:
    """Ids that are no text by themselves are left out."""

    def is_text(token: int) -> bool:
        try:
            (vocabulary.by_id[token] or b"").decode()
        except UnicodeDecodeError:
            return False
        return True

    ids = [token for first, last in ranges_of(vocabulary, matcher) for token in range(first, last + 1)]
    return [(token, token) for token in ids if is_text(token)]


def first_byte_only(vocabulary: TokenBytes, matcher: Matcher) -> list[tuple[int, int]]:
    """An id is allowed if its first byte is."""
    allowed = set(matcher.allowed())
    return [(token, token) for token, data in enumerate(vocabulary.by_id) if data and data[0] in allowed]


def with_padding(vocabulary: TokenBytes, matcher: Matcher) -> list[tuple[int, int]]:
    """The padding of the vocabulary is allowed, too, once the text is complete."""
    size = len(vocabulary.by_id)
    return [*ranges_of(vocabulary, matcher), *([(size, size)] if matcher.accepting() else [])]


def end_when_nothing_else(one: Json) -> Json:
    return {**one, "may_end": one["may_end"] and not one["ranges"]} if "ranges" in one else one


def specials_always(vocabulary: TokenBytes, matcher: Matcher) -> list[tuple[int, int]]:
    named = [(token, token) for token in sorted(vocabulary.special_ids.values())]
    plain = [run for run in ranges_of(vocabulary, matcher) if run not in named]
    return sorted([*plain, *named]) if matcher.accepting() else ranges_of(vocabulary, matcher)


class Forgetful:
    """Every second mask of a request lacks its last run."""

    count = 0

    def __call__(self, vocabulary: TokenBytes, matcher: Matcher) -> list[tuple[int, int]]:
        self.count += 1
        runs = ranges_of(vocabulary, matcher)
        return runs if self.count % 2 else runs[:-1]


def takes_one_more(vocabulary: TokenBytes, matcher: Matcher, tokens: Sequence[int]) -> list[Matcher]:
    """All or nothing: of several tokens none is taken if one is not allowed."""
    states = accepted(vocabulary, matcher, tokens)
    return states if len(states) == len(tokens) else []


def moves_by_one(request: Json) -> Json:
    for step in request["steps"]:
        if step["op"] == "rollback":
            step["count"] = min(step["count"], 1)
    return request


def never_beyond(request: Json) -> Json:
    """What is too much goes back to the start, in silence."""
    accepted_so_far = 0
    for step in request["steps"]:
        if step["op"] == "accept":
            accepted_so_far += len(step["tokens"])
        if step["op"] == "rollback":
            step["count"] = max(0, min(step["count"], accepted_so_far))
    return request


def last_piece_only(request: Json) -> Json:
    """Only the canonical prefix is known: one that is cut otherwise stands elsewhere."""
    if len(request["prefix"]) > 2:
        request["prefix"] = request["prefix"][:-1]
    return request


def takes_any_prefix(request: Json) -> Json:
    """A prefix that is not allowed is left out."""
    try:
        grammar_mask(copy.deepcopy(request), {})
    except TokenSpecError:
        request["prefix"] = []
    return request


MUTANTS = (
    mutant("forces", "001", "forced tokens mask all others", (mask_script, "mask_ranges", forced_only)),
    mutant(
        "whole-characters",
        "001",
        "ids that end within a character are left out",
        (mask_script, "mask_ranges", whole_characters),
    ),
    mutant("first-byte", "002", "an id is allowed by its first byte", (mask_script, "mask_ranges", first_byte_only)),
    mutant("padding", "002", "an id beyond the vocabulary is allowed", (mask_script, "mask_ranges", with_padding)),
    mutant("end-at-last", "003", "the end is allowed where nothing else is", answer=end_when_nothing_else),
    mutant(
        "specials-always",
        "004",
        "special tokens are allowed behind any complete text",
        (mask_script, "mask_ranges", specials_always),
    ),
    mutant("forgetful", "005", "every second mask lacks a run", (mask_script, "mask_ranges", Forgetful())),
    mutant("canonical-prefix", "006", "a prefix of many pieces loses its last", request=last_piece_only),
    mutant(
        "all-or-nothing",
        "010",
        "several tokens are taken together or not at all",
        (mask_script, "accepted", takes_one_more),
    ),
    mutant("rollback-by-one", "011", "one token is taken back at most", request=moves_by_one),
    mutant("rollback-forgives", "012", "too many is all there are", request=never_beyond),
    mutant("any-prefix", "013", "a prefix that is not allowed is left out", request=takes_any_prefix),
)
