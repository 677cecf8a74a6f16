"""One golden of the aligners' area: which oracle answers which task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tokenspec.areas.aligners.oracle import distillation, literature, losses, projections
from tokenspec.areas.aligners.oracle import upstream as nemo
from tokenspec.areas.aligners.oracle.request import align_request, plain_request
from tokenspec.areas.aligners.oracle.sides import AddedSpace, Position, role_of_spelling
from tokenspec.areas.aligners.oracle.walk import SideText, TextsDiffer, tokenized, walk
from tokenspec.areas.aligners.records import AlignersExpect
from tokenspec.models import Row
from tokenspec.store.canonical import input_sha256
from tokenspec.store.masks import encode_mask
from tokenspec.store.records import Case, Golden

WALK = {"walk": "two-pointer walk over the text"}
SUMS = {"sums": "plain sums in double precision"}
SCORES = {*nemo.SCORES, "ignore_leading_char_diff"}
OF_KERNEL = {*SCORES, "max_comb_len", "path"}
OF_PIECES = {"boundary": {"on_mismatch"}, "nw-compat": {*SCORES, "max_comb_len", "anchor_lengths"}}
"""What may be asked for with pieces."""

REFUSED_EDITS = {
    "student-mask-shape": "invalid-alignment-input",
    "student-bad-id": "id-out-of-vocabulary",
    "ragged": "invalid-alignment-input",
    "mask-shape": "invalid-alignment-input",
    "batch-size": "invalid-alignment-input",
    "bad-option": "invalid-alignment-input",
    "unknown-option": "invalid-alignment-input",
    "bad-id": "id-out-of-vocabulary",
}


def alignment_golden(case: Case, row: str, rows: Mapping[str, Row]) -> Golden:
    """Ask the task's oracle.

    Raises:
        AssetsMissing: the upstream checkout is needed and not there.
    """
    pins = {
        f"{side}.tokenizer": loaded.spec.tokenizer.sha256
        for side, loaded in zip(("student", "teacher"), rows.values(), strict=False)
    }
    edit = case.input.get("edit")
    header: dict[str, Any] = {"case": case.id, "row": row, "input_sha256": input_sha256(case.input)}
    if edit in REFUSED_EDITS:
        return Golden(
            **header, pins=pins, oracle={"rule": "ALN-060, ALN-061"}, outcome="raises", error=REFUSED_EDITS[edit]
        )
    try:
        expect, oracle = _align(case, row, rows) if case.input["task"] == "align" else _plain(case)
    except TextsDiffer as difference:
        return Golden(**header, pins=pins, oracle=WALK, outcome="raises", error=f"text-mismatch {difference}")
    except losses.FileRefused:
        return Golden(**header, pins=pins, oracle=SUMS, outcome="raises", error="invalid-projection-file")
    except losses.LossRefused as refused:
        return Golden(**header, pins=pins, oracle=SUMS, outcome="raises", error=f"invalid-alignment-input {refused}")
    built = msgspec.to_builtins(expect)
    return Golden(**header, pins=pins, oracle=oracle, outcome="ok", expect=built)


Answer = tuple[AlignersExpect, dict[str, str]]


def _align(case: Case, row: str, rows: Mapping[str, Row]) -> Answer:
    request = align_request(case, row)
    if request["profile"] == "nw-compat":
        return _compat(request, rows)
    declared = request["options"].get("special_roles", {})
    student, teacher = (tokenized(rows, request[name], declared) for name in ("student", "teacher"))
    return _walked(student, teacher, request), WALK


def _walked(students: list[SideText], teachers: list[SideText], request: dict[str, Any]) -> AlignersExpect:
    truncate = request["options"].get("on_mismatch") == "truncate"
    walked = [walk(s, t, truncate=truncate) for s, t in zip(students, teachers, strict=True)]
    return AlignersExpect(
        student_ids=request["student"]["ids"] if "student" in request else None,
        teacher_ids=request["teacher"]["ids"] if "teacher" in request else None,
        student_chunk_id=[row.student for row in walked],
        teacher_chunk_id=[row.teacher for row in walked],
        correct=[encode_mask([True] * len(row.chunks)) for row in walked],
    )


def _compat(request: dict[str, Any], rows: Mapping[str, Row]) -> Answer:
    pieces, masks = [], []
    for name in ("student", "teacher"):
        tokenizer = rows[request[name]["model"]].tokenizer
        pieces.append([tokenizer.convert_ids_to_tokens(ids) for ids in request[name]["ids"]])
        masks.append(request[name]["mask"])
    expect, oracle = _upstream(pieces[0], pieces[1], masks[0], masks[1], request["options"])
    ids = {"student_ids": request["student"]["ids"], "teacher_ids": request["teacher"]["ids"]}
    return msgspec.structs.replace(expect, **ids), oracle


def _upstream(student: Any, teacher: Any, student_mask: Any, teacher_mask: Any, options: dict[str, Any]) -> Answer:
    found = nemo.align_batch(student, teacher, student_mask, teacher_mask, options)
    expect = AlignersExpect(
        student_chunk_id=found["student_chunk_id"],
        teacher_chunk_id=found["teacher_chunk_id"],
        pairs=found["pairs"],
        correct=[encode_mask(row) for row in found["correct"]],
        values={
            "student_exact": [encode_mask(row) for row in found["student_exact"]],
            "teacher_exact": [encode_mask(row) for row in found["teacher_exact"]],
        },
    )
    return expect, upstream_version()


def upstream_version() -> dict[str, str]:
    """What answered: the hash of the upstream file."""
    return {"nemo-rl token_aligner.py": nemo.upstream()[1]}


def _refuse_scores(options: dict[str, Any]) -> None:
    """Scores that single precision does not have."""
    if any(abs(options[name]) > losses.LARGEST for name in nemo.SCORES if name in options):
        raise losses.LossRefused("a score")


def _plain(case: Case) -> Answer:
    request = plain_request(case)
    task, data, options = request["task"], request["data"], request["options"]
    if task in ("align-pieces", "align-canonical"):
        losses.refuse_options(options, OF_PIECES[request["profile"]] if task == "align-pieces" else OF_KERNEL)
        _refuse_scores(options)
    if task == "align-pieces":
        _refuse_pieces(data)
    if task == "align-pieces" and request["profile"] == "boundary":
        return _walked(made_up(data, "student"), made_up(data, "teacher"), request), WALK
    if task == "align-pieces":
        return _upstream(data["student"], data["teacher"], data.get("student_mask"), data.get("teacher_mask"), options)
    if task == "align-canonical":
        pairs, score = nemo.align_canonical(data["student"], data["teacher"], options)
        return AlignersExpect(pairs=[pairs], score=score), upstream_version()
    if task == "canonical-token":
        return AlignersExpect(canonical=nemo.canonical_tokens(data["tokens"])), upstream_version()
    if task == "canonical-sequence":
        canonical, ranges = nemo.canonical_sequence(data["tokens"])
        return AlignersExpect(canonical=canonical, ranges=ranges), upstream_version()
    if task == "remap":
        pairs = nemo.remap(data["pairs"], data["student_ranges"], data["teacher_ranges"])
        return AlignersExpect(pairs=[pairs]), upstream_version()
    return AlignersExpect(values=_values(task, data)), SUMS


def _refuse_pieces(data: dict[str, Any]) -> None:
    for name in ("student", "teacher"):
        lengths, mask = [len(row) for row in data[name]], data.get(f"{name}_mask")
        if len(set(lengths)) > 1 or (mask is not None and [len(row) for row in mask] != lengths):
            raise losses.LossRefused("rows of several lengths")


def made_up(data: dict[str, Any], name: str) -> list[SideText]:
    """The rows of one side, with the habits of its tokenizer and the texts they were made from."""
    habits = data.get(f"{name}_habits", {})
    adds: AddedSpace = "never"
    if habits.get("prefix_space", "none") != "none":
        adds = "if-missing" if habits.get("prefix_optional") else "always"
    texts = data.get(f"{name}_texts", data.get("texts", [""] * len(data[name])))
    rules = adds, habits.get("prefix_space") == "every", habits.get("unicode_form") is not None
    return [SideText(positions_of(row), text, *rules) for row, text in zip(data[name], texts, strict=True)]


def _values(task: str, data: dict[str, Any]) -> dict[str, Any]:
    if task == "chunk-average":
        return losses.chunk_average(data["log_probs"], data["chunk_id"], data["max_chunks"])
    if task == "projection":
        return losses.projection(data["file"], data["student_vocab_size"], data["teacher_vocab_size"])
    if task == "exact-map":
        return losses.exact_map(data["file"], data["teacher_vocab_size"], xtoken=data["xtoken"])
    if task == "build-projection":
        return projections.made(data)
    oracle: Any = {"loss": losses, "distil": distillation, "chunk-loss": literature}[task]
    found: dict[str, Any] = oracle.loss(data)
    return {**found, "gradient": oracle.gradient(data)} if "gradient" in data.get("want", ()) else found


def positions_of(row: list[list[str]]) -> list[Position]:
    """Pieces of a case: ``[kind, value]`` with kind text, hex, run (``2 a`` is ``aa``), special, named or padding."""
    return [_position(kind, value) for kind, value in row]


def _position(kind: str, value: str) -> Position:
    if kind == "text":
        return Position("text", value.encode())
    if kind == "hex":
        return Position("text", bytes.fromhex(value))
    if kind == "run":
        count, text = value.split(" ", 1)
        return Position("text", (text * int(count)).encode())
    if kind == "named":
        return Position("special", role=role_of_spelling(value) or value)
    return Position("special", role=value) if kind == "special" else Position("padding")
