"""Chunk averages, projection files, exact maps and the three losses, on small seeded numbers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tokenspec.areas.aligners.cases.build import case
from tokenspec.areas.aligners.hostile import archived, pickled
from tokenspec.store.records import Case

Json = dict[str, Any]

DENSE: Json = {
    "kind": "dense",
    "indices": [[0, -1], [1, -1], [2, 3], [4, 1], [1, -1]],
    "likelihoods": [[1.0, 0.0], [1.0, 0.0], [0.7, 0.3], [0.6, 0.4], [1.0, 0.0]],
}
PRINTS = (  # a pickle that is a call of print, released as it is
    "8002635f5f6275696c74696e5f5f0a7072696e740a71005812000000746869732066696c652072616e20636f646571018571025271032e"
)
NOTHING_COMMON: Json = {
    "kind": "dense",
    "indices": [[0, 1], [1, 2], [2, 3], [4, 1], [5, 0]],
    "likelihoods": [[0.6, 0.4], [0.5, 0.5], [0.7, 0.3], [0.6, 0.4], [0.9, 0.1]],
}
SPARSE: Json = {"kind": "sparse", "entries": [[0, 1, 2.0], [3, 0, 0.5], [1, 4, 1.0], [3, 2, 0.25], [2, -1, 9.0]]}
REPEATED: Json = {
    "kind": "dense",
    "indices": [[1, 1], [2, -1], [0, 2]],
    "likelihoods": [[0.5, 0.25], [1.0, 9.0], [0.0, 1.0]],
}
CLAIMS: Json = {
    "kind": "dense",
    "indices": [[2, -1], [2, -1], [1, 0], [0, -1], [9, -1], [3, 1], [-1, -1]],
    "likelihoods": [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.9, 0.0], [1.0, 0.0], [0.1, 0.8], [1.0, 0.0]],
}
TIED: Json = {
    "kind": "dense",
    "indices": [[2, 0], [2, 0], [0, 2], [1, 0], [1, 3]],
    "likelihoods": [[0.7, 0.1], [0.8, 0.1], [0.1, 0.8], [0.6, 0.4], [0.5, 0.5]],
}


def cases() -> Iterator[Case]:
    """In the order of the chapter."""
    yield from averages()
    yield from projections()
    yield from maps()
    yield from losses()


def numbers(rng: random.Random, *shape: int) -> Any:
    """A nested list of rounded normal numbers."""
    if not shape:
        return round(rng.gauss(0, 2), 4)
    return [numbers(rng, *shape[1:]) for _ in range(shape[0])]


def averages() -> Iterator[Case]:
    """Sizes, sentinels, empty chunks."""
    rng = random.Random(50)
    for slug, chunk_id, chunks in (
        ("plain", [[0, 0, 1, 2]], 3),
        ("sentinels", [[-1, 0, -1, 0], [1, 1, 1, -1]], 2),
        ("empty-chunk", [[0, 0, 2, 2]], 4),
        ("nothing", [[-1, -1, -1, -1]], 1),
    ):
        yield case(
            f"average-{slug}",
            "LOSS_CHUNKS",
            ("ALN-050",),
            f"Averages over chunks: {slug.replace('-', ' ')}.",
            task="chunk-average",
            data={"log_probs": numbers(rng, len(chunk_id), 4, 3), "chunk_id": chunk_id, "max_chunks": chunks},
        )


def projections() -> Iterator[Case]:
    """Both forms, sizes, and files that must be refused."""
    sizes = {"student_vocab_size": 4, "teacher_vocab_size": 3}
    for slug, file in (("dense", DENSE), ("sparse", SPARSE), ("repeated", REPEATED)):
        yield case(
            f"projection-{slug}",
            "LOSS_PROJECTION",
            ("ALN-052",),
            f"The matrix of a projection file: {slug}; it may be larger than configured.",
            task="projection",
            data={"file": file, **sizes},
        )
    yield case(
        "projection-configured-larger",
        "LOSS_PROJECTION",
        ("ALN-052",),
        "Configured sizes beyond every id of the file.",
        task="projection",
        data={"file": SPARSE, "student_vocab_size": 9, "teacher_vocab_size": 11},
    )
    yield case(
        "projection-without-an-entry",
        "LOSS_PROJECTION",
        ("ALN-052",),
        "A file of no entry is a matrix of zeros.",
        task="projection",
        data={"file": {"kind": "sparse", "entries": []}, **sizes},
    )
    refused: dict[str, Json] = {
        "missing": {"kind": "missing"},
        "pickled-code": {"kind": "hex", "hex": PRINTS},
        "pickled-projection": {"kind": "hex", "hex": pickled().hex()},
        "archived-projection": {"kind": "hex", "hex": archived().hex()},
        "garbage": {"kind": "hex", "hex": "00ff" * 20},
        "shapes": {"kind": "dense", "indices": [[1, 2]], "likelihoods": [[1.0]]},
        "fractional-ids": {"kind": "dense", "indices": [[0.5, 1.0]], "likelihoods": [[1.0, 0.0]]},
        "ids-below-sentinel": {"kind": "dense", "indices": [[-2, 1]], "likelihoods": [[1.0, 0.0]]},
        "infinite-likelihoods": {"kind": "dense", "indices": [[1, 2]], "likelihoods": [[1.0, 1e39]]},
        "negative-student": {"kind": "sparse", "entries": [[-1, 0, 1.0]]},
        "fractional-student": {"kind": "sparse", "entries": [[0.5, 0, 1.0]]},
    }
    tensors = {
        "fractional-ids": "/indices",
        "ids-below-sentinel": "/indices",
        "infinite-likelihoods": "/likelihoods",
    }
    for slug, file in refused.items():
        yield case(
            f"projection-refuse-{slug}",
            "UNSAFE_FILE",
            ("ALN-053",),
            f"A projection file that is no projection: {slug.replace('-', ' ')}.",
            ("invalid-projection-file", f"/data/file{tensors.get(slug, '')}"),
            task="projection",
            data={"file": file, **sizes},
        )


def maps() -> Iterator[Case]:
    """Who owns a teacher token."""
    for slug, file, xtoken in (
        ("strict", CLAIMS, False),
        ("strict-on-relaxed-file", TIED, False),
        ("relaxed", TIED, True),
        ("relaxed-claims", CLAIMS, True),
    ):
        yield case(
            f"exact-map-{slug}",
            "LOSS_PROJECTION",
            ("ALN-054",),
            f"Common and uncommon tokens: {slug.replace('-', ' ')}.",
            task="exact-map",
            data={"file": file, "xtoken": xtoken, "teacher_vocab_size": 4},
        )


def losses() -> Iterator[Case]:
    """Three modes, each with its options."""
    variants: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
        "p-kl": ("p-kl", {}, {}),
        "p-kl-temperature": ("p-kl", {"temperature": 2.5}, {}),
        "p-kl-top-columns": ("p-kl", {"vocab_topk": 3}, {}),
        "p-kl-reversed": ("p-kl", {"reverse_kl": True}, {}),
        "p-kl-correct-only": ("p-kl", {"exact_token_match_only": True}, {}),
        "gold": ("gold", {}, {}),
        "gold-temperature-reversed": ("gold", {"temperature": 0.7, "reverse_kl": True}, {}),
        "gold-short-tail": ("gold", {"uncommon_topk": 2}, {}),
        "gold-nothing-common": ("gold", {}, {"file": NOTHING_COMMON}),
        "xtoken": ("xtoken", {}, {}),
        "xtoken-masked-sample": ("xtoken", {}, {"sample_mask": [0, 1]}),
        "p-kl-weighted-sample": ("p-kl", {}, {"sample_mask": [1, 0.5]}),
        "p-kl-small-sample": ("p-kl", {"temperature": 1.5}, {"sample_mask": [0.25, 3]}),
        "gold-weighted-sample": ("gold", {}, {"sample_mask": [1, 0.5]}),
        "xtoken-weighted-sample": ("xtoken", {}, {"sample_mask": [0.25, 1]}),
        "gold-invalid-pairs": ("gold", {}, {"pair_valid": [[True, False, False], [False, False, False]]}),
        "p-kl-everything": (
            "p-kl",
            {"temperature": 1.5, "vocab_topk": 4, "reverse_kl": True, "exact_token_match_only": True},
            {},
        ),
        "xtoken-everything": ("xtoken", {"temperature": 3.0, "reverse_kl": True, "uncommon_topk": 1}, {}),
        "p-kl-nothing-valid": ("p-kl", {}, {"pair_valid": [[False] * 3, [False] * 3]}),
    }
    requirement = {"p-kl": "ALN-055", "gold": "ALN-056", "xtoken": "ALN-057"}
    for slug, (mode, options, changes) in variants.items():
        data = _two_rows(mode, options, changes)
        yield case(
            f"loss-{slug}",
            "LOSS_MODES LOSS_CHUNKS",
            ("ALN-051", requirement[mode]),
            f"The loss {slug.replace('-', ' ')} on two small rows.",
            task="loss",
            data=data,
        )
        yield case(
            f"gradient-{slug}",
            "LOSS_MODES LOSS_CHUNKS",
            ("ALN-051", "ALN-058", requirement[mode]),
            f"The same with its gradient: {slug.replace('-', ' ')}.",
            task="loss",
            data={**data, "want": ["loss", "gradient"]},
        )

    yield from refused_losses()


def refused_losses() -> Iterator[Case]:
    """What no loss can be made of, and where it stands in the request."""
    narrow = {"student_logits": numbers(random.Random(57), 2, 4, 4)}
    short = {"teacher_logits": numbers(random.Random(57), 2, 4, 7)}
    refused: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
        "temperature-of-nothing": ("gold", {"temperature": 0.0}, {}, "options/temperature"),
        "temperature-below-nothing": ("p-kl", {"temperature": -1.0}, {}, "options/temperature"),
        "columns-below-one": ("p-kl", {"vocab_topk": -1}, {}, "options/vocab_topk"),
        "tail-below-one": ("gold", {"uncommon_topk": 0}, {}, "options/uncommon_topk"),
        "samples-of-another-batch": ("gold", {}, {"sample_mask": [1, 1, 1]}, "sample_mask"),
        "logits-too-narrow": ("p-kl", {}, narrow, "student_logits"),
        "logits-too-narrow-for-the-map": ("xtoken", {}, narrow, "student_logits"),
        "logits-too-short": ("gold", {}, short, "teacher_logits"),
        "student-logits-too-short": (
            "gold",
            {},
            {"student_logits": numbers(random.Random(57), 2, 3, 5)},
            "student_logits",
        ),
    }
    for slug, (mode, options, changes, place) in refused.items():
        yield case(
            f"loss-{slug}",
            "LOSS_MODES LOSS_CHUNKS",
            ("ALN-060",),
            f"A loss is refused: {slug.replace('-', ' ')}.",
            ("invalid-alignment-input", f"/data/{place}"),
            task="loss",
            data=_two_rows(mode, options, changes),
        )


def _two_rows(mode: str, options: dict[str, Any], changes: dict[str, Any]) -> Json:
    rng = random.Random(57)
    return {
        "mode": mode,
        "file": DENSE,
        "student_logits": numbers(rng, 2, 4, 5),
        "teacher_logits": numbers(rng, 2, 5, 7),
        "student_chunk_id": [[0, 0, 1, 2], [0, 1, -1, -1]],
        "teacher_chunk_id": [[0, 1, 1, 1, 2], [0, 0, 1, -1, -1]],
        "pair_valid": [[True, True, True], [True, True, False]],
        "pair_is_correct": [[True, False, True], [True, True, False]],
        "teacher_vocab_size": 6,
        "sample_mask": [1, 1],
        "options": options,
        **changes,
    }


CASES = tuple(cases())
