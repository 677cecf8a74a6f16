"""Relations between scripts: an implementation is asked the same thing in another way and must agree with itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check
from tokenspec.areas.processors.checks import variations as vary
from tokenspec.areas.processors.checks.asked import answers, kinds, shorten
from tokenspec.areas.processors.checks.sets import crosses, only
from tokenspec.areas.processors.oracle.allowed_sets import parse_tree
from tokenspec.areas.processors.oracle.scripts import packed

if TYPE_CHECKING:
    from tokenspec.areas.processors.records import StepAnswer

AREA, SETS, LOGITS = "processors", "SETS", "LOGITS"
MOST_IDS = 256  # relations over whole rows are checked on small vocabularies


def all_answered(question: Question) -> bool:
    """No step of the case is expected to be refused."""
    return all(step.error is None for step in question.expect.steps)


def moves_by(question: Question, op: str) -> bool:
    """All is answered, and a step of this kind stands in the script."""
    return all_answered(question) and any(step["op"] == op for step in question.request["steps"])


def is_small(question: Question) -> bool:
    """All is answered, over a vocabulary that relations over whole rows are checked on."""
    return all_answered(question) and question.request["vocab_size"] <= MOST_IDS


def ends_with_rows(question: Question) -> bool:
    """All is answered over a small vocabulary, and a row is left to mask."""
    return is_small(question) and bool(vary.final(question.request).rows)


def ask(subject: Subject, script: vary.Script) -> list[StepAnswer]:
    """The implementation's answers to another script; what it does not support is not given."""
    steps: list[StepAnswer] = subject.output_of(script).steps
    if steps and steps[-1].error is not None and len(steps) <= len(script["steps"]):
        step = script["steps"][len(steps) - 1]
        raise Violation(
            "a variation of the case is refused", expected="answers", got=steps[-1].error.code, where=str(step)
        )
    if len(steps) != len(script["steps"]):
        raise Violation("wrong number of answered steps", expected=len(script["steps"]), got=len(steps))
    for step, one in zip(script["steps"], steps, strict=True):
        named = (token for ids in one.allowed or [] if ids != "ALL" for token in ids)
        foreign = next((token for token in named if not 0 <= int(token) < script["vocab_size"]), None)
        if foreign is not None:
            raise Violation("an id outside the vocabulary", got=foreign, where=str(step))
    return steps


def sets_of(subject: Subject, script: vary.Script) -> list[Any]:
    """The last answer of another script, as sets."""
    last = ask(subject, script)[-1]
    if last.allowed is None:
        raise NotGiven("no field allowed in the answer")
    return last.allowed


def candidates(subject: Subject, script: vary.Script) -> list[int]:
    """The last answer of a script of one row, as ids; a row always has some."""
    sets = sets_of(subject, script)
    if len(sets) != 1 or not sets[0]:
        raise Violation("one row with candidates is expected", got=shorten(sets), where=str(script["steps"]))
    return list(range(script["vocab_size"])) if sets[0] == "ALL" else sets[0]


def agree(one: list[Any], other: list[Any], relation: str, hint: str) -> None:
    """Both ways give the same rows."""
    if len(one) != len(other):
        raise Violation(relation, expected=f"{len(one)} rows", got=f"{len(other)} rows", hint=hint)
    for row, (want, got) in enumerate(zip(one, other, strict=True)):
        if want != got:
            raise Violation(relation, expected=shorten(want), got=shorten(got), where=f"row {row}", hint=hint)


@check(
    "processors.pure.asked-twice",
    area=AREA,
    level=SETS,
    requires=("PRC-001",),
    kind="metamorphic",
    applies=all_answered,
)
def asking_has_no_effect(subject: Subject) -> None:
    """Asking twice gives the same answers, and the request is left alone."""
    if subject.mutated:
        raise Violation("the implementation changed its request", hint="configurations and tokens are the caller's")
    script = subject.request
    twice = iter(ask(subject, vary.asked_twice(script)))
    for step, first in zip(script["steps"], answers(subject), strict=True):
        for _ in range(1 + (step["op"] in vary.ASKING)):
            again = next(twice, None)
            if again != first:
                raise Violation("asked twice, answered differently", expected=first, got=again, where=str(step))


@check(
    "processors.rows.several-tokens",
    area=AREA,
    level=SETS,
    requires=("PRC-002",),
    kind="metamorphic",
    applies=lambda question: moves_by(question, "advance"),
)
def several_tokens_are_several_steps(subject: Subject) -> None:
    """Several tokens at once and single steps give the same sets."""
    one, many = sets_of(subject, vary.split(subject.request)), sets_of(subject, vary.fused(subject.request))
    agree(one, many, "several tokens at once differ from single steps", "commit every token of the batch, in order")


def has_independent_rows(question: Question) -> bool:
    """Several rows that do not hear of each other."""
    return all_answered(question) and not crosses(question) and question.request["rows"] > 1


@check(
    "processors.rows.turned",
    area=AREA,
    level=SETS,
    requires=("PRC-003",),
    kind="metamorphic",
    applies=has_independent_rows,
)
def rows_are_independent(subject: Subject) -> None:
    """Turning the rows of a script round turns its answers round."""
    for there, back in zip(answers(subject), ask(subject, vary.reversed_rows(subject.request)), strict=True):
        for field in ("allowed", "status", "words", "bits", "masks", "forced"):
            one, other = getattr(there, field), getattr(back, field)
            if one is not None and other is not None:
                agree(one, other[::-1], "an answer depends on the place of its row", "keep one state per row")


def reorders(question: Question) -> bool:
    """Rows that do not hear of each other change places."""
    return moves_by(question, "reorder") and not crosses(question)


@check(
    "processors.rows.replayed",
    area=AREA,
    level=SETS,
    requires=("PRC-004", "PRC-003"),
    kind="metamorphic",
    applies=reorders,
)
def reorder_equals_replay(subject: Subject) -> None:
    """A reordered row equals one that was given its history from scratch."""
    allow = {"op": "allow"}
    there = sets_of(subject, vary.ending_with(subject.request, allow))
    agree(
        sets_of(subject, vary.replayed(subject.request, allow)),
        there,
        "a reordered row differs from its history",
        "new row i is old row src[i], and copies do not alias",
    )


@check("processors.rows.held", area=AREA, level=SETS, requires=("PRC-005",), kind="metamorphic", applies=all_answered)
def held_rows_stand_still(subject: Subject) -> None:
    """Steps in which every row is held change no answer."""
    steps = vary.held_noise(subject.request)["steps"]
    noisy = ask(subject, vary.with_steps(subject.request, steps))
    asked = [one for step, one in zip(steps, noisy, strict=True) if step["op"] in vary.ASKING]
    plain = [
        one for step, one in zip(subject.request["steps"], answers(subject), strict=True) if step["op"] in vary.ASKING
    ]
    agree(plain, asked, "a held step changes an answer", "an inactive row keeps its state")


def has_other_chains(question: Question) -> bool:
    """The chain has another order, or a member that may be repeated."""
    return all_answered(question) and any(True for _ in vary.other_chains(question.request))


@check(
    "processors.chain.order", area=AREA, level=SETS, requires=("PRC-020",), kind="metamorphic", applies=has_other_chains
)
def order_and_repetition_do_not_show(subject: Subject) -> None:
    """Another order of the chain, and a repeated member, give the same sets."""
    there = sets_of(subject, vary.ending_with(subject.request, {"op": "allow"}))
    for other in vary.other_chains(subject.request):
        again = sets_of(subject, vary.ending_with(other, {"op": "allow"}))
        agree(there, again, "the chain's order or a repeated member shows", "intersect sets")


def masks_unfinished_rows(question: Question) -> bool:
    """Rows are left to mask, and none of them is finished."""
    return "multi_seq" not in kinds(question) and ends_with_rows(question)


@check(
    "processors.mask.two-masks",
    area=AREA,
    level=LOGITS,
    requires=("PRC-016",),
    kind="metamorphic",
    applies=masks_unfinished_rows,
)
def two_masks_are_one(subject: Subject) -> None:
    """Masking twice changes nothing, and masking by each member in turn is masking by the chain."""
    script, rows = subject.request, len(vary.final(subject.request).rows)
    first = {**vary.applied(rows, script["vocab_size"], "float32"), "on_dead": "zero"}

    def masked(request: vary.Script, logits: list[str]) -> list[str]:
        last = ask(subject, vary.ending_with(request, {**first, "logits": logits}))[-1]
        if last.bits is None:
            raise NotGiven("no field bits in the answer")
        return last.bits

    once = masked(script, first["logits"])
    agree(once, masked(script, once), "masking twice differs from masking once", "-inf stays -inf, allowed bits stay")
    if len(kinds(subject)) > 1:
        turned = first["logits"]
        for processor in script["processors"]:
            turned = masked({**script, "processors": [processor], "checked": False}, turned)
        agree(once, turned, "members in turn differ from the chain", "the mask of a chain is the intersection")


@check(
    "processors.mask.every-type",
    area=AREA,
    level=LOGITS,
    requires=("PRC-010", "PRC-011", "PRC-015"),
    kind="metamorphic",
    applies=ends_with_rows,
)
def every_type_and_layout(subject: Subject) -> None:
    """The implementation's own sets, written into four types and two layouts."""
    script, rows = subject.request, len(vary.final(subject.request).rows)
    steps = [
        vary.applied(rows, script["vocab_size"], dtype, layout)
        for dtype in vary.PATTERNS
        for layout in ("contiguous", "strided")
    ]
    allowed, *masked = ask(subject, vary.ending_with(script, {"op": "allow"}, *steps))[-1 - len(steps) :]
    if allowed.allowed is None or any(one.bits is None for one in masked):
        raise NotGiven("no field allowed or bits in the answer")
    if len(allowed.allowed) != rows:
        raise Violation("wrong number of rows", expected=rows, got=len(allowed.allowed))
    for step, one in zip(steps, masked, strict=True):
        wanted = vary.mask_expected(step, allowed.allowed)
        relation = f"{step['dtype']} {step['layout']} logits do not follow the sets"
        agree(wanted, one.bits or [], relation, "banned is -inf, allowed keeps its bits")


@check(
    "processors.mask.words-and-sets",
    area=AREA,
    level=LOGITS,
    requires=("PRC-009",),
    kind="metamorphic",
    applies=is_small,
)
def words_say_what_sets_say(subject: Subject) -> None:
    """The packed form and the sets are the same sets."""
    script = subject.request
    sets, words = ask(subject, vary.ending_with(script, {"op": "allow"}, {"op": "bitmask"}))[-2:]
    if sets.allowed is None or words.words is None:
        raise NotGiven("no field allowed or words in the answer")
    wanted = [packed(None if ids == "ALL" else frozenset(map(int, ids)), script["vocab_size"]) for ids in sets.allowed]
    agree(wanted, words.words, "packed words differ from the sets", "bit v % 32 of word v // 32, padding 0")


def gives_sets(question: Question) -> bool:
    """A step is answered with the sets of some rows."""
    return any(step.allowed for step in question.expect.steps)


@check("processors.sets.never-empty", area=AREA, level=SETS, requires=("PRC-012",), applies=gives_sets)
def sets_are_never_empty(subject: Subject) -> None:
    """No answer allows nothing."""
    seen = False
    for index, one in enumerate(subject.output.steps):
        for row, ids in enumerate(one.allowed or []):
            seen = True
            if ids == []:
                raise Violation("an empty set instead of a refusal", where=f"step {index}, row {row}")
    if not seen:
        raise NotGiven("no field allowed in any answer")


def can_be_renamed(question: Question) -> bool:
    """Every configuration is strict and names ids where ids belong, and no logits are tied to ids."""
    script = question.request
    strict = all(vary.innermost(processor).get("mode", "strict") == "strict" for processor in script["processors"])
    if not is_small(question) or not strict or "select" in {step["op"] for step in script["steps"]}:
        return False
    return all(vary.is_renamable(processor, script["vocab_size"]) for processor in script["processors"])


@check(
    "processors.tree.renamed", area=AREA, level=SETS, requires=("PRC-040",), kind="metamorphic", applies=can_be_renamed
)
def ids_are_only_names(subject: Subject) -> None:
    """Renamed ids rename the sets; another separator changes nothing."""
    script = subject.request
    there = sets_of(subject, vary.ending_with(script, {"op": "allow"}))
    for names, separator in ((vary.renaming(script["vocab_size"]), "_"), (list(range(script["vocab_size"])), "|")):
        other = vary.renamed(vary.ending_with(script, {"op": "allow"}), names, separator)
        wanted = [ids if ids == "ALL" else sorted(names[token] for token in ids) for ids in there]
        agree(wanted, sets_of(subject, other), "renamed ids or another separator show", "ids and separators are names")


def is_tree(question: Question) -> bool:
    """A normative tree alone, whose configuration can be read."""
    return only("tree", "strict", "lenient")(question) and vary.is_readable(question.request["processors"][0])


@check(
    "processors.tree.absorbing",
    area=AREA,
    level=SETS,
    requires=("PRC-033", "PRC-032"),
    kind="metamorphic",
    applies=lambda question: all_answered(question) and is_tree(question),
)
def ended_rows_stay_ended(subject: Subject) -> None:
    """After the end token, and after a token without an edge, the end token is all there is."""
    script = subject.request
    config, rows, ids = parse_tree(script["processors"][0]), len(vary.final(script).rows), range(script["vocab_size"])
    end, listed = config["end_token_id"], config["prefix_dict"].get(str(config["start_token_id"]), [])
    unlisted = next((token for token in ids if token not in listed), end)
    later = [token for token in listed if token in ids][:4]
    finished = [*vary.moves(script), {"op": "advance", "tokens": [end] * rows}]
    lost = [{"op": "advance", "tokens": [unlisted]}]
    for name, request, opening, count in (
        ("the end token", script, finished, rows),
        ("a token without an edge", {**script, "rows": 1}, lost, 1),
    ):
        for token in [*later, unlisted, end]:
            opening.append({"op": "advance", "tokens": [token] * count})
            sets = sets_of(subject, vary.with_steps(request, [*opening, {"op": "allow"}], checked=False))
            due = "ALL" if len(ids) == 1 else [end]
            agree([due] * count, sets, f"a row goes on after {name}", "finished and lost are for ever")


@check("processors.tree.rollouts", area=AREA, level=SETS, requires=("PRC-034",), kind="metamorphic", applies=is_tree)
def rollouts_stay_inside(subject: Subject) -> None:
    """Sampling from the sets walks keys of the tree and ends in time."""
    script = subject.request
    config = parse_tree(script["processors"][0])
    separator, end = config["sep"], config["end_token_id"]
    longest = 1 + max((key.count(separator) if separator else len(key)) for key in [*config["prefix_dict"], ""])
    for pick in (min, max, lambda ids: sorted(ids)[len(ids) // 2]):
        path: list[int] = []
        while end not in path:
            if len(path) > longest:
                raise Violation("a rollout does not end", expected=f"at most {longest} tokens", got=path)
            step = [{"op": "advance", "tokens": [path]}] if path else []
            alone = vary.with_steps({**script, "rows": 1, "checked": False}, [*step, {"op": "allow"}])
            path.append(pick(candidates(subject, alone)))
            key = separator.join(map(str, [config["start_token_id"], *path[:-1]]))
            if path[-1] != end and path[-1] not in config["prefix_dict"].get(key, []):
                raise Violation("a rollout leaves the tree", expected=f"a candidate of {key!r}", got=path[-1])


def has_a_budget(question: Question) -> bool:
    """A think policy alone, with a budget."""
    if not only("think")(question):
        return False
    policy = question.request["processors"][0]
    tags = (policy.get("end_ids"), policy.get("begin_ids", []), policy.get("closing_ids", []))
    return type(policy.get("max_tokens")) is int and all(isinstance(tag, list) for tag in tags)


@check(
    "processors.think.rollouts", area=AREA, level=SETS, requires=("PRC-057",), kind="metamorphic", applies=has_a_budget
)
def segments_end_in_time(subject: Subject) -> None:
    """A row that never closes by itself is closed after the budget and the tag."""
    script = subject.request
    policy = script["processors"][0]
    opening = policy.get("begin_ids", []) if policy.get("counting") == "after_begin" else []
    bound, path = policy["max_tokens"] + len(policy.get("closing_ids", policy["end_ids"])), list(opening)
    while path[-len(policy["end_ids"]) :] != policy["end_ids"] or len(path) == len(opening):
        if len(path) - len(opening) > bound:
            raise Violation("the segment does not end", expected=f"at most {bound} tokens", got=path[len(opening) :])
        step = [{"op": "advance", "tokens": [path]}] if path else []
        free = candidates(subject, vary.with_steps({**script, "rows": 1, "checked": False}, [*step, {"op": "allow"}]))
        path.append(next((token for token in free if token not in policy["end_ids"]), free[0]))
