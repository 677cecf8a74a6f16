"""Allow-sets against the stateless oracle, one check per requirement that can go wrong by itself."""

from __future__ import annotations

from tokenspec.areas.check import Applies, Question, Subject, check
from tokenspec.areas.processors.checks.asked import Asked, Rows, has_step, kinds
from tokenspec.areas.processors.oracle import scripts
from tokenspec.areas.processors.oracle.allowed_sets import parse_tree, think_allowed, tree_walk

AREA, SETS = "processors", "SETS"


def history(asked: Asked, row: int) -> list[int]:
    """What the row generated so far."""
    return [token for token in asked.timeline.rows[row] if token is not None]


def tree_phase(asked: Asked, row: int) -> str:
    """``root``, ``live``, ``ended`` (finished or lost) of the script's first tree, by the words of the chapter."""
    processor = next(one for one in asked.timeline.processors if one.get("kind") == "tree")
    tokens, config = history(asked, row), parse_tree(processor)
    if not tokens:
        return "root"
    path = tree_walk(processor, tokens, asked.timeline.vocab_size)[1]
    whole = config["sep"].join(map(str, [config["start_token_id"], *tokens]))
    return "live" if path == whole and config["end_token_id"] not in tokens else "ended"


def matched(asked: Asked, row: int) -> int:
    """The matched part of the end tag."""
    return int(think_allowed(asked.timeline.processors[0], history(asked, row), asked.timeline.vocab_size)[1])


def tag(asked: Asked) -> int:
    """The length of the end tag."""
    return len(asked.timeline.processors[0]["end_ids"])


def only(kind: str, *modes: str) -> Applies:
    """A script of one processor of this kind (and, for trees, of one of these modes)."""

    def applies(question: Question) -> bool:
        script = question.request["processors"]
        return kinds(question) == [kind] and (not modes or script[0].get("mode", "strict") in modes)

    return applies


def only_think(**settings: object) -> Applies:
    """A script of one think policy with these settings."""
    alone, defaults = only("think"), {"close": "budget", "counting": "generated"}

    def applies(question: Question) -> bool:
        policy = {**defaults, **question.request["processors"][0]} if alone(question) else {}
        return bool(policy) and all(policy.get(name) == value for name, value in settings.items())

    return applies


def the_policy(question: Question) -> dict[str, object]:
    """The first configuration."""
    policy: dict[str, object] = question.request["processors"][0]
    return policy


def has_boundaries(question: Question) -> bool:
    """A script of one think policy that knows its begin tag."""
    return only("think")(question) and bool(question.request["processors"][0].get("begin_ids"))


def is_chain(question: Question) -> bool:
    """A chain without finished rows."""
    return len(kinds(question)) > 1 and "multi_seq" not in kinds(question)


def bans_own_combos(question: Question) -> bool:
    """A recommendation policy alone, whose rows do not hear of each other."""
    return only("recommendation")(question) and not crosses(question)


def crosses(question: Question) -> bool:
    """Rows are meant to hear of each other."""
    return scripts.crosses([one for one in question.request["processors"] if "kind" in one])


def in_phase(phase: str) -> Rows:
    """Rows of normative trees in one phase."""
    return Rows(("allow",), lambda asked, row: tree_phase(asked, row) == phase, only("tree", "strict", "lenient"))


def compares(name: str, rows: Rows, *requirements: str, doc: str, hint: str) -> None:
    """Register the comparison of some rows with the oracle's."""

    def judge(subject: Subject) -> None:
        rows.compare(subject, hint)

    judge.__doc__ = doc
    check(f"processors.{name}", area=AREA, level=SETS, requires=requirements, kind="golden", applies=rows.applies)(
        judge
    )


compares(
    "tree.first-step",
    in_phase("root"),
    "PRC-030",
    "PRC-008",
    doc="The first step looks up the start token's own key.",
    hint="candidates of step 0 are those of the key str(start_token_id)",
)
compares(
    "tree.candidates",
    in_phase("live"),
    "PRC-031",
    "PRC-032",
    "PRC-008",
    doc="A live row allows the candidates of its path, or the end token.",
    hint="candidates of the path; the end token alone without an entry or with an empty list",
)
compares(
    "tree.ended",
    in_phase("ended"),
    "PRC-032",
    "PRC-033",
    doc="A finished or lost row allows the end token only.",
    hint="finished and lost rows never leave that state",
)
compares(
    "tree.lenient",
    Rows(("allow",), scripts=only("tree", "lenient")),
    "PRC-037",
    doc="A lenient tree drops what it cannot use and keeps the rest.",
    hint="drop ids outside the vocabulary, then fall back",
)
compares(
    "tree.upstream",
    Rows(("allow", "status"), scripts=only("tree", "upstream")),
    "PRC-038",
    doc="The upstream profile reproduces the pinned differences.",
    hint="alibaba/rtp-llm at 4b8d39cd",
)
compares(
    "think.budget",
    Rows(("allow",), lambda asked, row: matched(asked, row) < tag(asked), only_think(close="budget")),
    "PRC-051",
    doc="The end tag is forced at the budget, not before and not later.",
    hint="the budget counts free tokens; the forced tag comes on top",
)
compares(
    "think.continued",
    Rows(("allow",), lambda asked, row: 0 < matched(asked, row) < tag(asked), only("think")),
    "PRC-052",
    "PRC-050",
    doc="A tag that has begun is continued behind its matched part.",
    hint="the forced id is end_ids[matched], and matched is the longest border",
)
compares(
    "think.closed",
    Rows(("allow",), lambda asked, row: matched(asked, row) == tag(asked), only("think")),
    "PRC-053",
    doc="A closed segment is never forced again.",
    hint="once the end tag has occurred the policy is over",
)
compares(
    "think.eager",
    Rows(("allow",), lambda asked, row: matched(asked, row) > 0, only_think(close="eager")),
    "PRC-054",
    doc="Eager closing forces the rest of a begun tag.",
    hint="one tag token commits the row to the tag",
)
compares(
    "think.boundaries",
    Rows(("allow",), scripts=has_boundaries),
    "PRC-055",
    doc="Boundary ids are banned exactly where the policy says.",
    hint="begin: from the start of the segment; both: end[0] after it",
)
compares(
    "think.counting",
    Rows(("allow",), scripts=only_think(counting="after_begin")),
    "PRC-056",
    doc="The segment opens with the begin tag where the policy counts from there.",
    hint="before the begin tag nothing is counted, matched or masked",
)
compares(
    "think.minimum",
    Rows(("allow",), scripts=lambda question: only("think")(question) and "min_tokens" in the_policy(question)),
    "PRC-049",
    doc="The end tag cannot complete before the minimum, and nothing else is banned for it.",
    hint="ban the id that would complete the tag; with eager, the one that would begin it",
)
compares(
    "think.closing",
    Rows(("allow",), scripts=lambda question: only("think")(question) and "closing_ids" in the_policy(question)),
    "PRC-059",
    doc="The closing sequence is forced at the budget, unless more of the end tag is there already.",
    hint="continue the longer of both matched parts; the end tag alone closes",
)
compares(
    "chain.after",
    Rows(("allow", "status"), scripts=lambda question: "after" in kinds(question)),
    "PRC-024",
    doc="A constraint behind a tag begins with the token behind it.",
    hint="before the tag the inner processor is neither consulted nor advanced",
)
compares(
    "drafts.masks",
    Rows(("masks",)),
    "PRC-025",
    doc="The sets before and behind drafts, up to the first that is not allowed.",
    hint="one set more than drafts accepted; the state stays what it was",
)
compares(
    "drafts.commit",
    Rows(("allow", "status"), scripts=lambda question: has_step(question, "commit")),
    "PRC-026",
    doc="Every row is behind its own tokens.",
    hint="rows commit different numbers of tokens; finished rows stand still",
)
compares(
    "drafts.rollback",
    Rows(("allow", "status"), scripts=lambda question: has_step(question, "rollback")),
    "PRC-027",
    doc="Tokens taken back have never been.",
    hint="count tokens of the row, not steps; rows keep their past when they are reordered",
)
compares(
    "drafts.forced",
    Rows(("forced",)),
    "PRC-028",
    doc="The longest run of ids without a choice.",
    hint="follow singletons to the limit or a stop id; finished rows have none",
)
compares(
    "chain.intersection",
    Rows(("allow",), scripts=is_chain),
    "PRC-020",
    doc="A chain allows what every member allows.",
    hint="intersect sets, do not write masks in turn",
)
compares(
    "chain.empty",
    Rows(("allow", "bitmask", "apply"), scripts=lambda question: not kinds(question)),
    "PRC-023",
    doc="A chain of nobody allows everything and writes nothing.",
    hint="no processor, no constraint: neither a refusal nor an empty set",
)
compares(
    "chain.finished",
    Rows(("allow", "status"), scripts=lambda question: "multi_seq" in kinds(question)),
    "PRC-022",
    doc="Finished rows take the end of sequence only, and stand still.",
    hint="on a finished row the other members are neither consulted nor advanced",
)
compares(
    "combo.bans",
    Rows(("allow",), scripts=bans_own_combos),
    "PRC-061",
    "PRC-050",
    doc="Combos are banned at their last token, configured or completed.",
    hint="ban the last id where the first k - 1 match",
)
compares(
    "combo.crossing",
    Rows(("allow",), scripts=crosses),
    "PRC-062",
    doc="Every row but the primary one avoids what other rows completed.",
    hint="row 0 hears nothing, held rows hear nothing",
)
compares(
    "combo.divergence",
    Rows(("select",)),
    "PRC-063",
    doc="Divergence removes the best logits of the secondary rows.",
    hint="min(row, vocab - 1, 8) ids, at the first token",
)
compares(
    "tree.status",
    Rows(("status",), scripts=only("tree", "strict", "lenient")),
    "PRC-035",
    doc="The status of a tree is its path.",
    hint="a lost row keeps its last path with an entry",
)
compares(
    "think.matched",
    Rows(("status",), scripts=only("think")),
    "PRC-050",
    doc="The matched length is the longest border.",
    hint="Knuth-Morris-Pratt, absorbing at the whole tag",
)
