"""Broken ``nw-compat`` pipelines: canonical spelling, the programme, anchors, repairs, packing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tokenspec.areas.aligners.mutants.patched import Json, edited, replaced
from tokenspec_reference.aligners import adapter as tasks
from tokenspec_reference.aligners import (
    alignment,
    canonical,
    canonical_tables,
    nw_anchors,
    nw_compat,
    nw_postprocess,
    nw_rows,
    nw_scalar,
    nw_scores,
    token_aligner,
)
from tokenspec_reference.aligners.nw_scores import Scores

CANONICAL_TOKEN = canonical.canonical_token
MERGE_BYTES = canonical.merge_consecutive_bytes
PAIRS_TO_BATCH = alignment.pairs_to_batch


# ---- canonical spelling ------------------------------------------------------------------------------------------


def _keeps_underscore(token: str, *, enabled: bool = True) -> str:
    return token if token.startswith("_") else CANONICAL_TOKEN(token, enabled=enabled)


def _byte_then_special(token: str, *, enabled: bool = True) -> str:
    """Newlines are looked for before the space mark is normalised, so a marked newline stays."""
    return CANONICAL_TOKEN(token.replace("Ċ", "\n"), enabled=enabled)


def _idempotent(token: str, *, enabled: bool = True) -> str:
    return CANONICAL_TOKEN(CANONICAL_TOKEN(token, enabled=enabled), enabled=enabled)


def _merge_any_run(tokens: Sequence[str], ranges: Sequence[Any]) -> Any:
    """Ranges of a merged run keep only its first token."""
    merged, spans = MERGE_BYTES(tokens, ranges)
    return merged, [(start, min(end, start + 1)) for start, end in spans]


RIGHT_BYTES = {key: byte for key, byte in canonical_tables.CHARACTER_TO_BYTE.items() if ord(key) > 255}
REACHABLE = tuple(sorted(canonical_tables.UNICODE_FIXES, key=lambda fix: fix[0] == "\u00c3"))


# ---- the programme -----------------------------------------------------------------------------------------------


def _left_before_up(table: Any, tokens: Any, joins: Any, at: tuple[int, int], rules: Any) -> tuple[int, int]:
    i, j = at
    if table[i][j - 1] == table[i][j] and table[i - 1][j] == table[i][j]:
        return 0, 1
    return MOVE(table, tokens, joins, at, rules)


def _gap_before_diagonal(table: Any, tokens: Any, joins: Any, at: tuple[int, int], rules: Any) -> tuple[int, int]:
    i, j = at
    return (1, 0) if table[i - 1][j] == table[i][j] else MOVE(table, tokens, joins, at, rules)


def _match_of_one(scores: Any, tokens: int, max_comb_len: int) -> Any:
    """A match gains too little."""
    return replace(RULES(scores, tokens, max_comb_len), match=1)


def _wide_gaps(scores: Any, tokens: int, max_comb_len: int) -> Any:
    rules = RULES(scores, tokens, max_comb_len)
    return replace(rules, gap=2 * rules.gap)


def _never_rounded(scores: Any, tokens: int, max_comb_len: int) -> Any:
    """Sums are exact, and so other than upstream's."""
    rules = RULES(scores, tokens, max_comb_len)
    return replace(rules, match=float(rules.match), gap=float(rules.gap)) if rules.rounded else rules


def _seeds_scores(options: Any, names: frozenset[str]) -> Any:
    """Scores of the request are not read."""
    _, others = SCORES_OF(options, names)
    return Scores(), others


RULES = nw_scores.rules_of
SCORES_OF = tasks._scores


MOVE = nw_rows._move
FIND_ANCHORS = nw_anchors.find_anchors


def _repeated_anchors(tokens: Sequence[str], length: int) -> dict[tuple[str, ...], int]:
    """N-grams may occur more than once."""
    return {tuple(tokens[start : start + length]): start for start in range(len(tokens) - length + 1)}


def _last_increasing(anchors: Sequence[Any]) -> list[Any]:
    """The filter runs from the end."""
    kept: list[Any] = []
    first_j = 1 << 30
    for i, j, length in reversed(anchors):
        if j + length <= first_j:
            kept.append((i, j, length))
            first_j = j
    return kept[::-1]


def _remap_start_of_last(span: tuple[int, int], ranges: Sequence[Any]) -> tuple[int, int]:
    return span if span[0] == -1 else (ranges[span[0]][0], ranges[span[1] - 1][0] + 1)


def _raw_agree(fast: Any, spans: Sequence[Any], s: Sequence[int], t: Sequence[int]) -> list[bool]:
    """Texts are compared as they are, not canonicalised again."""
    texts = fast.forms.texts
    sides = [
        ("".join(texts[x] for x in s[max(a, 0) : max(b, 0)]), "".join(texts[x] for x in t[max(c, 0) : max(d, 0)]))
        for a, b, c, d in spans
    ]
    return [ours == theirs for ours, theirs in sides]


def _gaps_not_counted(rows: Any, *, student_length: int, teacher_length: int) -> Any:
    kept = [[pair for pair in row if pair.s_start >= 0 and pair.t_start >= 0] for row in rows]
    return PAIRS_TO_BATCH(kept, student_length=student_length, teacher_length=teacher_length)


def _long_pairs_are_exact(rows: Any, *, student_length: int, teacher_length: int) -> Any:
    batch = PAIRS_TO_BATCH(rows, student_length=student_length, teacher_length=teacher_length)
    return replace(batch, student_exact_partition_mask=batch.student_chunk_id >= 0)


def _limit_of_four(request: Json) -> None:
    request["options"].pop("max_comb_len", None)


MUTANTS = (
    edited("limit-of-four", "ALN-033", "four tokens combine, whatever limit is asked for", before=_limit_of_four),
    replaced(
        "keeps-underscore",
        "ALN-030",
        "a leading underscore stays",
        (canonical, "canonical_token", _keeps_underscore),
        (tasks, "canonical_token", _keeps_underscore),
    ),
    replaced(
        "newline-first",
        "ALN-030",
        "newlines are replaced before anything else",
        (canonical, "canonical_token", _byte_then_special),
        (tasks, "canonical_token", _byte_then_special),
    ),
    replaced(
        "idempotent",
        "ALN-030",
        "canonicalised until nothing changes",
        (canonical, "canonical_token", _idempotent),
        (tasks, "canonical_token", _idempotent),
    ),
    replaced("right-bytes", "ALN-031", "the byte table is the true alphabet", (canonical, "VISUAL_BYTES", RIGHT_BYTES)),
    replaced("reachable-fixes", "ALN-031", "the bare replacement comes last", (canonical, "UNICODE_FIXES", REACHABLE)),
    replaced(
        "no-artefacts", "ALN-031 ALN-032", "two-token patterns are not joined", (canonical, "TWO_TOKEN_FIXES", ())
    ),
    replaced(
        "short-ranges",
        "ALN-032",
        "a merged run covers only its first token",
        (canonical, "merge_consecutive_bytes", _merge_any_run),
    ),
    replaced(
        "left-before-up", "ALN-033 ALN-039", "teacher gaps are preferred on ties", (nw_rows, "_move", _left_before_up)
    ),
    replaced(
        "gap-before-diagonal",
        "ALN-033 ALN-039",
        "student gaps are preferred on ties",
        (nw_rows, "_move", _gap_before_diagonal),
    ),
    replaced(
        "match-of-one",
        "ALN-033",
        "a match gains too little",
        (nw_scalar, "rules_of", _match_of_one),
        (nw_rows, "rules_of", _match_of_one),
    ),
    replaced("scalar-drifts", "ALN-039", "only the scalar path has another gap", (nw_scalar, "rules_of", _wide_gaps)),
    replaced("seeds-scores", "ALN-040", "scores that are given are not read", (tasks, "_scores", _seeds_scores)),
    replaced("never-rounded", "ALN-040", "sums are not of single precision", (nw_scalar, "rules_of", _never_rounded)),
    replaced(
        "leading-counts",
        "ALN-040",
        "a leading character always counts",
        (nw_scores.Scores, "spell", property(lambda _: str)),
    ),
    replaced(
        "no-anchors",
        "ALN-034",
        "the programme runs over everything",
        (nw_compat, "find_anchors", lambda *_: []),
    ),
    replaced(
        "repeated-anchors", "ALN-034", "anchors need not be unique", (nw_anchors, "_unique_starts", _repeated_anchors)
    ),
    replaced(
        "anchors-from-the-end",
        "ALN-034",
        "the monotone filter runs backwards",
        (nw_anchors, "_keep_increasing", _last_increasing),
    ),
    replaced("narrow-window", "ALN-035", "repairs look at three pairs", (nw_postprocess, "REPAIR_WINDOW", 3)),
    replaced(
        "lumps-everywhere",
        "ALN-035",
        "the last fifth is lumped too",
        (nw_postprocess, "END_MISMATCH_THRESHOLD", 0.0),
    ),
    replaced(
        "remap-start-of-last",
        "ALN-036",
        "the end is the start of the last range",
        (alignment, "_original", _remap_start_of_last),
    ),
    replaced(
        "raw-correct",
        "ALN-037",
        "correctness compares tokens without canonicalising again",
        (nw_compat.FastAligner, "_agreeing", _raw_agree),
    ),
    replaced(
        "gaps-not-counted",
        "ALN-038",
        "gap pairs are not counted",
        (tasks, "pairs_to_batch", _gaps_not_counted),
    ),
    replaced(
        "long-pairs-exact",
        "ALN-038",
        "pairs of several tokens are in the exact partition",
        (tasks, "pairs_to_batch", _long_pairs_are_exact),
    ),
    replaced(
        "padding-stays",
        "ALN-038 ALN-005",
        "masks are ignored",
        (tasks, "drop_padding", lambda batch, **_: batch),
        (token_aligner, "drop_padding", lambda batch, **_: batch),
    ),
)
