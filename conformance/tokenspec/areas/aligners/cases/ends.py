"""What lies at the ends of a table and just beside them; sides that begin differently; scores too large to add up."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.aligners.cases.build import case
from tokenspec.areas.aligners.cases.literature import ALM, FILE, HYBRID, MERGED, ULD, Json, data_of
from tokenspec.store.records import Case

LEAD, SECOND = "<0xC4>", "<0x80>"
BESIDE = "\u0124\u0145\u0121\u0195\u01a5\u011b"
INERT = "\u011c\u011f\u01a4\u01a0"
"""Characters that the byte table knows, of bytes that no text of one character has beside two others."""
BEGINNINGS = {
    "student": {"student_chunk_id": [[0, 0, 1, 1, 2], [-1, 0, 0, 1, -1]]},
    "teacher": {"teacher_chunk_id": [[0, 0, 1, 1, 1, 2], [0, 0, 0, 1, -1, -1]]},
}
LARGE: Json = {"exact_match_score": 4194304.0, "combination_score_multiplier": 3.0, "gap_penalty": -1.0}


def cases() -> Iterator[Case]:
    """The byte table, the first tokens, large scores."""
    yield from byte_table()
    yield from beginnings()
    yield from large_scores()


def byte_table() -> Iterator[Case]:
    """Runs of bytes that a character of the visual byte table belongs to, or does not."""
    runs = {
        "ends": (
            [[LEAD, "\u0125"], [LEAD, "\u0144"], [LEAD, "\u0122"], [LEAD, "\u0123"]]
            + [[first, *[SECOND] * 3] for first in ("\u00f0", "\u0196", "\u0199", "\u019a")],
            "The first and the last entry of each part of the byte table, where bytes are read.",
        ),
        "beside": (
            [[character, LEAD, SECOND] for character in BESIDE],
            "Characters just beside the parts of the byte table are no bytes, and leave their neighbours alone.",
        ),
        "inert": (
            [[character, LEAD, SECOND] for character in INERT],
            "Characters of the byte table whose bytes spell nothing keep their neighbours from being joined.",
        ),
    }
    for slug, (pieces, why) in runs.items():
        tokens = [token for run in pieces for token in ("\u4e2d", *run)]
        yield case(
            f"sequence-byte-table-{slug}",
            "COMPAT_CANONICAL",
            ("ALN-031", "ALN-032"),
            why,
            task="canonical-sequence",
            data={"tokens": [*tokens, "\u4e2d"]},
        )


def beginnings() -> Iterator[Case]:
    """Only one side has a prompt before its first chunk: the other's first token is predicted by nothing."""
    for side, changes in BEGINNINGS.items():
        for slug, requires, mode, options, more in (
            ("uld-bayesian", (MERGED, ULD), "uld", {"merge": "bayesian"}, {}),
            ("hybrid-bayesian", (MERGED, HYBRID), "uld-hybrid", {"merge": "bayesian"}, {"file": FILE}),
            ("alm", (ALM,), "alm", {"binarization_temperature": 1.0}, {}),
        ):
            data = data_of(mode, options, {**changes, **more})
            yield case(
                f"literature-{slug}-no-prompt-of-{side}",
                "LOSS_LITERATURE",
                ("ALN-058", *requires),
                f"The {side} alone begins with a chunk.",
                task="chunk-loss",
                data={**data, "want": ["loss", "gradient"]},
            )


def large_scores() -> Iterator[Case]:
    """Scores whose sums single precision rounds; how long the joins may be has nothing to do with it."""
    words = "a|b|c|ab|d|e|a|c|bd|e|f|g"
    other = "a|b|x|c|a|b|d|y|e|ac|b|d|e|f|g"
    data: Json = {"student": words.split("|"), "teacher": other.split("|")}
    for limit in (1, 2):
        yield case(
            f"programme-scores-large-limit-{limit}",
            "COMPAT_DYNAMIC_PROGRAMME",
            ("ALN-033", "ALN-039", "ALN-040"),
            f"Matches worth so much that gaps are rounded away, with joins of at most {limit}.",
            task="align-canonical",
            profile="nw-compat",
            options={**LARGE, "max_comb_len": limit},
            data=data,
        )


CASES = tuple(cases())
