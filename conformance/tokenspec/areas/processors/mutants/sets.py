"""Broken rows, masks and chains: when a state moves, what is written, how constraints combine."""

from __future__ import annotations

from typing import Any

import torch

from tokenspec.areas.processors.mutants.edits import Json, each_answer, each_step, mutant
from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.processors import adapter as script_form
from tokenspec_reference.processors import drafts, masking, processor, recommendation, think, tree
from tokenspec_reference.processors.adapter import Script
from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.bitmask import pack
from tokenspec_reference.processors.chain import Chain
from tokenspec_reference.processors.drafts import Rewindable
from tokenspec_reference.processors.errors import DeadRow, EmptyAllowedSet
from tokenspec_reference.processors.multi_seq import MultiSeqLogitsProcessor
from tokenspec_reference.processors.processor import Checked
from tokenspec_reference.processors.unconstrained import Unconstrained

INFINITY = float("inf")
apply_allowed = masking.apply_allowed
token_columns = processor.token_columns
combine = Chain._combine
script_apply = Script.apply


def commit_when_forced(self: Script, step: Json) -> Json:
    """What upstream's class does: the forced id counts as sampled when it is forced."""
    allow = self.chain.allow(self.state)
    for row, ids in enumerate(allow.to_lists()):
        if ids is not None and len(ids) == 1:
            active = [at == row for at in range(allow.rows)]
            self.state = self.chain.advance(self.state, [ids[0]] * allow.rows, active)
    return {"allowed": ["ALL" if ids is None else ids for ids in allow.to_lists()]}


def last_token_only(step: Json) -> None:
    if step["tokens"] and all(isinstance(one, list) and one for one in step["tokens"]):
        step["tokens"] = [one[-1] for one in step["tokens"]]


def scatter(step: Json) -> None:
    if sorted(step["src"]) == list(range(len(step["src"]))):
        step["src"] = [step["src"].index(row) for row in range(len(step["src"]))]


def keep_places(step: Json) -> None:
    if sorted(step["src"]) == list(range(len(step["src"]))):
        step["src"] = list(range(len(step["src"])))


def wrap_negative(step: Json) -> None:
    step["src"] = [2 + row if row < 0 else row for row in step["src"]]


def wrapped_columns(tokens: Any, rows: int, vocab_size: int, device: Any, active: Any) -> list[Any]:
    table = torch.as_tensor(tokens)
    return token_columns(table % vocab_size if table.numel() else tokens, rows, vocab_size, device, active)


def drop_beyond(script: Json) -> Json:
    for one in script["processors"]:
        if one["kind"] == "tree" and "config" in one:
            prefixes = one["config"].get("prefix_dict", {})
            for key, listed in prefixes.items():
                prefixes[key] = [token for token in listed if token < script["vocab_size"]]
            one["config"]["prefix_dict"] = {
                key: listed
                for key, listed in prefixes.items()
                if all(not part.isdigit() or int(part) < script["vocab_size"] for part in key.split("_"))
            }
    return script


def chain_of_somebody(members: Any, *, vocab_size: int) -> Chain:
    del vocab_size
    return Chain(members)


def first_id_only(self: Unconstrained, state: int) -> AllowSet:
    return AllowSet.of([[0]] * state, self.vocab_size)


def big_endian(rows: list[list[int]]) -> list[list[int]]:
    turned = [[int(f"{word & 0xFFFFFFFF:032b}"[::-1], 2) for word in row] for row in rows]
    return [[word - 2**32 if word >= 2**31 else word for word in row] for row in turned]


def add_a_mask(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    mask = apply_allowed(torch.zeros_like(logits), allow, on_dead="zero")
    apply_allowed(logits.clone(), allow, on_dead=on_dead)
    dead = torch.tensor([allow.ids(row) is not None for row in range(allow.rows)])
    dead &= (apply_allowed(logits.clone(), allow, on_dead="zero") != logits + mask).all(dim=1)
    return logits.copy_(torch.where(dead.unsqueeze(1), mask, logits + mask))


def large_negative(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    mask = apply_allowed(torch.zeros_like(logits), allow, on_dead="zero") == -INFINITY
    apply_allowed(logits, allow, on_dead=on_dead)
    return logits.masked_fill_(mask, -1e4)


def forced_is_one(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    apply_allowed(logits, allow, on_dead=on_dead)
    for row in range(allow.rows):
        ids = allow.ids(row)
        if ids is not None and len(ids) == 1:
            logits[row, ids[0]] = 1
    return logits


def dead_in_silence(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    try:
        return apply_allowed(logits, allow, on_dead=on_dead)
    except DeadRow:
        return logits.fill_(-INFINITY)


def dead_stays_dead(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    try:
        return apply_allowed(logits, allow, on_dead="raise")
    except DeadRow:
        if on_dead == "raise":
            raise
        return masking.mask_naive(logits, allow)


def free_rows_die(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    for row in range(allow.rows):
        if allow.ids(row) is None and bool((logits[row] == -INFINITY).all()):
            raise DeadRow(row)
    return apply_allowed(logits, allow, on_dead=on_dead)


def into_a_copy(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    apply_allowed(logits.contiguous(), allow, on_dead=on_dead)
    return logits


def any_type(self: Script, step: Json) -> Json:
    return script_apply(self, step) if step["dtype"] in script_form.DTYPES else {"bits": step["logits"]}


def normalised(logits: Any, allow: AllowSet, *, on_dead: Any = "raise") -> Any:
    apply_allowed(logits, allow, on_dead=on_dead)
    return logits.sub_((logits == -INFINITY).sum(dim=1, keepdim=True).to(logits.dtype))


def empty_is_everything(self: Chain, state: Any, sets: list[AllowSet], active: Any = None) -> AllowSet:
    try:
        return combine(self, state, sets, active)
    except EmptyAllowedSet:
        return AllowSet.everything(sets[0].rows, self.vocab_size)


def empty_goes_on(self: Chain, state: Any, sets: list[AllowSet], active: Any = None) -> AllowSet:
    try:
        return combine(self, state, sets, active)
    except EmptyAllowedSet:
        return AllowSet.of([[] for _ in range(sets[0].rows)], self.vocab_size)


def last_one_wins(self: Chain, state: Any, sets: list[AllowSet], active: Any = None) -> AllowSet:
    return combine(self, state, sets[-1:] * len(sets), active)


def blame_all(self: Chain, state: Any, sets: list[AllowSet], active: Any = None) -> AllowSet:
    try:
        return combine(self, state, sets, active)
    except EmptyAllowedSet as error:
        raise EmptyAllowedSet(error.row, [one.name for one in self.processors]) from error


def blame_in_place_order(self: Chain, state: Any, sets: list[AllowSet], active: Any = None) -> AllowSet:
    try:
        return combine(self, state, sets, active)
    except EmptyAllowedSet as error:
        raise EmptyAllowedSet(error.row, sorted(error.processors, reverse=True)) from error


def finished_is_a_member(self: Chain, state: Any, sets: list[AllowSet], active: Any = None) -> AllowSet:
    common = sets[0]
    for one in sets[1:]:
        common = common.intersect(one)
    empty = common.count() == 0
    if bool(empty.any()):
        raise EmptyAllowedSet(int(empty.nonzero()[0]))
    return common


def finished_rows_advance(self: Chain, state: Any, tokens: Any, active: Any = None) -> Any:
    return tuple(one.advance(inner, tokens, active) for one, inner in zip(self.processors, state, strict=True))


def unchecked_eos(self: MultiSeqLogitsProcessor, eos_token_id: int, *, vocab_size: int, device: Any = "cpu") -> None:
    self.eos_token_id, self.vocab_size, self.device = eos_token_id % vocab_size, vocab_size, torch.device(device)


def unchecked(self: Checked[Any], state: Any, tokens: Any, active: Any = None) -> Any:
    return self.processor.advance(state, tokens, active)


def fail_open(self: Script, request: Json) -> None:
    vocab_size, members = request["vocab_size"], []
    for config in request["processors"]:
        try:
            members.append(script_form.make_processor(config, vocab_size))
        except TokenSpecError:
            members.append(MultiSeqLogitsProcessor(0, vocab_size=vocab_size))
    left = Chain(members[:1] if len(members) > 1 else members)
    self.members, self.chain = members, Rewindable(left, checked=request.get("checked", False))
    self.state = self.chain.init(request["rows"])


MUTANTS = (
    mutant("commit-when-forced", "001", "asking for a forced token commits it", (Script, "allow", commit_when_forced)),
    mutant(
        "last-token-only",
        "002",
        "of several tokens the last is committed",
        request=each_step("advance", last_token_only),
    ),
    mutant(
        "one-state-for-all",
        "003",
        "every row gets the sets of row 0",
        answer=each_answer("allowed", lambda sets: sets[:1] * len(sets)),
    ),
    mutant("reorder-ignored", "004", "a permutation is ignored", request=each_step("reorder", keep_places)),
    mutant(
        "reorder-scatters", "004", "a permutation is applied the other way round", request=each_step("reorder", scatter)
    ),
    mutant(
        "held-rows-move",
        "005",
        "the active flags are ignored",
        request=each_step("advance", lambda step: step.pop("active", None)),
    ),
    mutant(
        "token-wraps",
        "006",
        "a token id is taken modulo the vocabulary",
        *((module, "token_columns", wrapped_columns) for module in (drafts, tree, think, recommendation)),
    ),
    mutant(
        "source-row-wraps",
        "007",
        "a negative source row counts from the end",
        request=each_step("reorder", wrap_negative),
    ),
    mutant("ids-beyond-dropped", "008", "ids beyond the logits are dropped without a word", request=drop_beyond),
    mutant(
        "padding-ones", "009", "padding bits are 1", (script_form, "pack", lambda allow: pack(allow, padding_bit=1))
    ),
    mutant(
        "padding-one-short",
        "009",
        "a last word of one bit is padded with 1",
        (script_form, "pack", lambda allow: pack(allow, padding_bit=1 if allow.vocab_size % 32 == 1 else 0)),
    ),
    mutant("words-big-endian", "009", "the first id is in the highest bit", answer=each_answer("words", big_endian)),
    mutant("large-negative", "010", "banned logits become -10000", (script_form, "apply_allowed", large_negative)),
    mutant("additive-mask", "011", "a mask of zeros and -inf is added", (script_form, "apply_allowed", add_a_mask)),
    mutant("forced-is-one", "011", "a forced logit becomes 1", (script_form, "apply_allowed", forced_is_one)),
    mutant("empty-is-everything", "012", "an empty set lifts the constraint", (Chain, "_combine", empty_is_everything)),
    mutant("empty-goes-on", "012", "an empty set is returned as it is", (Chain, "_combine", empty_goes_on)),
    mutant(
        "dead-in-silence",
        "013",
        "a dead row stays -inf without a word",
        (script_form, "apply_allowed", dead_in_silence),
    ),
    mutant("dead-stays-dead", "013", "on_dead zero leaves -inf", (script_form, "apply_allowed", dead_stays_dead)),
    mutant(
        "free-rows-die", "014", "an unconstrained row of -inf is refused", (script_form, "apply_allowed", free_rows_die)
    ),
    mutant("into-a-copy", "015", "strided logits are masked in a copy", (script_form, "apply_allowed", into_a_copy)),
    mutant("any-type", "015", "integer logits are accepted", (Script, "apply", any_type)),
    mutant(
        "mask-shifts",
        "016",
        "masked logits are shifted by how much is banned",
        (script_form, "apply_allowed", normalised),
    ),
    mutant(
        "last-one-wins",
        "020",
        "the last processor of the chain overrides the others",
        (Chain, "_combine", last_one_wins),
    ),
    mutant(
        "nobody-is-refused",
        "023",
        "an empty list of processors is refused",
        (script_form, "Chain", chain_of_somebody),
    ),
    mutant(
        "nobody-allows-one-id",
        "023",
        "an empty list of processors allows the first id only",
        (Unconstrained, "allow", first_id_only),
    ),
    mutant("blame-all", "021", "a conflict names every member", (Chain, "_combine", blame_all)),
    mutant(
        "blame-in-place-order",
        "021",
        "a conflict names members in another order",
        (Chain, "_combine", blame_in_place_order),
    ),
    mutant(
        "finished-is-a-member",
        "022",
        "finished rows are intersected like the others",
        (Chain, "_combine", finished_is_a_member),
    ),
    mutant(
        "finished-rows-advance",
        "022",
        "other members advance on finished rows",
        (Chain, "advance", finished_rows_advance),
    ),
    mutant("fail-open", "039", "a configuration that fails to load is left out", (Script, "__init__", fail_open)),
    mutant(
        "eos-unchecked",
        "060",
        "the end of sequence is taken modulo the vocabulary",
        (MultiSeqLogitsProcessor, "__init__", unchecked_eos),
    ),
    mutant("checked-is-not", "064", "a checked processor does not check", (Checked, "advance", unchecked)),
)
