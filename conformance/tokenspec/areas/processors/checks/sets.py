"""Allow-sets against the stateless oracle, one check per requirement that can go wrong by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec.areas.check import NOT_APPLICABLE, Applicability, Subject, check
from tokenspec.areas.processors.checks.asked import Asked, compare_rows, kinds, policies
from tokenspec.areas.processors.oracle.allowed_sets import parse_tree, think_allowed, tree_walk

if TYPE_CHECKING:
    from collections.abc import Callable

AREA, SETS = "processors", "SETS"


def history(asked: Asked, row: int) -> list[int]:
    """What the row generated so far."""
    return [token for token in asked.timeline.rows[row] if token is not None]


def tree_phase(asked: Asked, row: int) -> str:
    """``root``, ``live``, ``ended`` (finished or lost) of the script's first tree, by the words of the chapter."""
    processor = next(one for one in asked.timeline.processors if one["kind"] == "tree")
    tokens, config = history(asked, row), parse_tree(processor)
    if not tokens:
        return "root"
    path = tree_walk(processor, tokens, asked.timeline.vocab_size)[1]
    whole = config["sep"].join(map(str, [config["start_token_id"], *tokens]))
    return "live" if path == whole and config["end_token_id"] not in tokens else "ended"


def only(subject: Subject, kind: str, *modes: str) -> bool:
    """A script of one processor of this kind (and, for trees, of one of these modes)."""
    script = subject.request["processors"]
    return len(script) == 1 and script[0]["kind"] == kind and (not modes or script[0].get("mode", "strict") in modes)


def tree_sets(subject: Subject, phase: str, hint: str) -> Applicability | None:
    """Sets of normative trees on rows in one phase."""
    if not only(subject, "tree", "strict", "lenient"):
        return NOT_APPLICABLE
    return compare_rows(subject, ("allow",), lambda asked, row: tree_phase(asked, row) == phase, hint)


@check("processors.tree.first-step", area=AREA, level=SETS, requires=("PRC-030", "PRC-008"), kind="golden")
def tree_first_step(subject: Subject) -> Applicability | None:
    """The first step looks up the start token's own key."""
    return tree_sets(subject, "root", "candidates of step 0 are those of the key str(start_token_id)")


@check("processors.tree.candidates", area=AREA, level=SETS, requires=("PRC-031", "PRC-032", "PRC-008"), kind="golden")
def tree_candidates(subject: Subject) -> Applicability | None:
    """A live row allows the candidates of its path, or the end token."""
    return tree_sets(
        subject, "live", "candidates of the path; the end token alone without an entry or with an empty list"
    )


@check("processors.tree.ended", area=AREA, level=SETS, requires=("PRC-032", "PRC-033"), kind="golden")
def tree_ended(subject: Subject) -> Applicability | None:
    """A finished or lost row allows the end token only."""
    return tree_sets(subject, "ended", "finished and lost rows never leave that state")


@check("processors.tree.lenient", area=AREA, level=SETS, requires=("PRC-037",), kind="golden")
def tree_lenient(subject: Subject) -> Applicability | None:
    """A lenient tree drops what it cannot use and keeps the rest."""
    if not only(subject, "tree", "lenient"):
        return NOT_APPLICABLE
    return compare_rows(
        subject, ("allow",), lambda _asked, _row: True, "drop ids outside the vocabulary, then fall back"
    )


@check("processors.tree.upstream", area=AREA, level=SETS, requires=("PRC-038",), kind="golden")
def tree_upstream(subject: Subject) -> Applicability | None:
    """The upstream profile reproduces the pinned differences."""
    if not only(subject, "tree", "upstream"):
        return NOT_APPLICABLE
    return compare_rows(subject, ("allow", "status"), lambda _asked, _row: True, "alibaba/rtp-llm at 4b8d39cd")


def think_sets(subject: Subject, concerns: Callable[[Asked, int], bool], hint: str) -> Applicability | None:
    """Sets of a script with one think policy alone."""
    return compare_rows(subject, ("allow",), concerns, hint) if only(subject, "think") else NOT_APPLICABLE


def matched(asked: Asked, row: int) -> int:
    """The matched part of the end tag."""
    return int(think_allowed(asked.timeline.processors[0], history(asked, row), asked.timeline.vocab_size)[1])


@check("processors.think.budget", area=AREA, level=SETS, requires=("PRC-051",), kind="golden")
def think_budget(subject: Subject) -> Applicability | None:
    """The end tag is forced at the budget, not before and not later."""
    policy = policies(subject, "think")
    if not policy or policy[0].get("close", "budget") != "budget":
        return NOT_APPLICABLE
    return think_sets(
        subject,
        lambda asked, row: matched(asked, row) < len(policy[0]["end_ids"]),
        "the budget counts free tokens; the forced tag comes on top",
    )


@check("processors.think.continued", area=AREA, level=SETS, requires=("PRC-052", "PRC-050"), kind="golden")
def think_continued(subject: Subject) -> Applicability | None:
    """A tag that has begun is continued behind its matched part."""
    policy = policies(subject, "think")
    return think_sets(
        subject,
        lambda asked, row: 0 < matched(asked, row) < len(policy[0]["end_ids"]),
        "the forced id is end_ids[matched], and matched is the longest border",
    )


@check("processors.think.closed", area=AREA, level=SETS, requires=("PRC-053",), kind="golden")
def think_closed(subject: Subject) -> Applicability | None:
    """A closed segment is never forced again."""
    policy = policies(subject, "think")
    return think_sets(
        subject,
        lambda asked, row: matched(asked, row) == len(policy[0]["end_ids"]),
        "once the end tag has occurred the policy is over",
    )


@check("processors.think.eager", area=AREA, level=SETS, requires=("PRC-054",), kind="golden")
def think_eager(subject: Subject) -> Applicability | None:
    """Eager closing forces the rest of a begun tag."""
    if not any(policy.get("close") == "eager" for policy in policies(subject, "think")):
        return NOT_APPLICABLE
    return think_sets(subject, lambda asked, row: matched(asked, row) > 0, "one tag token commits the row to the tag")


@check("processors.think.boundaries", area=AREA, level=SETS, requires=("PRC-055",), kind="golden")
def think_boundaries(subject: Subject) -> Applicability | None:
    """Boundary ids are banned exactly where the policy says."""
    if not any(policy.get("begin_ids") for policy in policies(subject, "think")):
        return NOT_APPLICABLE
    return think_sets(subject, lambda _asked, _row: True, "begin: from the start of the segment; both: end[0] after it")


@check("processors.think.counting", area=AREA, level=SETS, requires=("PRC-056",), kind="golden")
def think_counting(subject: Subject) -> Applicability | None:
    """The segment opens with the begin tag where the policy counts from there."""
    if not any(policy.get("counting") == "after_begin" for policy in policies(subject, "think")):
        return NOT_APPLICABLE
    return think_sets(subject, lambda _asked, _row: True, "before the begin tag nothing is counted, matched or masked")


@check("processors.chain.intersection", area=AREA, level=SETS, requires=("PRC-020",), kind="golden")
def chain_intersection(subject: Subject) -> Applicability | None:
    """A chain allows what every member allows."""
    if len(kinds(subject)) < 2 or "multi_seq" in kinds(subject):
        return NOT_APPLICABLE
    return compare_rows(subject, ("allow",), lambda _asked, _row: True, "intersect sets, do not write masks in turn")


@check("processors.chain.finished", area=AREA, level=SETS, requires=("PRC-022",), kind="golden")
def chain_finished(subject: Subject) -> Applicability | None:
    """Finished rows take the end of sequence only, and stand still."""
    if "multi_seq" not in kinds(subject):
        return NOT_APPLICABLE
    hint = "on a finished row the other members are neither consulted nor advanced"
    return compare_rows(subject, ("allow", "status"), lambda _asked, _row: True, hint)


@check("processors.combo.bans", area=AREA, level=SETS, requires=("PRC-061", "PRC-050"), kind="golden")
def combo_bans(subject: Subject) -> Applicability | None:
    """Combos are banned at their last token, configured or completed."""
    configured = policies(subject, "recommendation")
    if len(kinds(subject)) != 1 or not configured or configured[0].get("cross_sequence_ban"):
        return NOT_APPLICABLE
    return compare_rows(subject, ("allow",), lambda _asked, _row: True, "ban the last id where the first k - 1 match")


@check("processors.combo.crossing", area=AREA, level=SETS, requires=("PRC-062",), kind="golden")
def combo_crossing(subject: Subject) -> Applicability | None:
    """Every row but the primary one avoids what other rows completed."""
    if not any(one.get("cross_sequence_ban") for one in policies(subject, "recommendation")):
        return NOT_APPLICABLE
    return compare_rows(subject, ("allow",), lambda _asked, _row: True, "row 0 hears nothing, held rows hear nothing")


@check("processors.combo.divergence", area=AREA, level=SETS, requires=("PRC-063",), kind="golden")
def combo_divergence(subject: Subject) -> Applicability | None:
    """Divergence removes the best logits of the secondary rows."""
    return compare_rows(
        subject, ("select",), lambda _asked, _row: True, "min(row, vocab - 1, 8) ids, at the first token"
    )


@check("processors.tree.status", area=AREA, level=SETS, requires=("PRC-035",), kind="golden")
def tree_status(subject: Subject) -> Applicability | None:
    """The status of a tree is its path."""
    if not only(subject, "tree", "strict", "lenient"):
        return NOT_APPLICABLE
    return compare_rows(subject, ("status",), lambda _asked, _row: True, "a lost row keeps its last path with an entry")


@check("processors.think.matched", area=AREA, level=SETS, requires=("PRC-050",), kind="golden")
def think_matched(subject: Subject) -> Applicability | None:
    """The matched length is the longest border."""
    if not only(subject, "think"):
        return NOT_APPLICABLE
    return compare_rows(
        subject, ("status",), lambda _asked, _row: True, "Knuth-Morris-Pratt, absorbing at the whole tag"
    )
