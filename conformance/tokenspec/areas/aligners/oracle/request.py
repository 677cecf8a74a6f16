"""The request of an aligner case: ids and masks of both sides, the same for every implementation."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import Any

from tokenspec.areas.aligners.records import AlignersInput, SideInput
from tokenspec.models import load
from tokenspec.store.canonical import convert
from tokenspec.store.records import Case


def plain_request(case: Case) -> dict[str, Any]:
    """The request of a task that needs no model."""
    given = convert(case.input, AlignersInput, where=f"{case.id}: input")
    return {
        "task": given.task,
        "profile": given.profile,
        "options": copy.deepcopy(given.options),
        "data": copy.deepcopy(given.data),
    }


def align_request(case: Case, row: str) -> dict[str, Any]:
    """``student`` and ``teacher`` each hold ``model``, ``texts``, and padded ``ids`` and ``mask``."""
    given = convert(case.input, AlignersInput, where=f"{case.id}: input")
    student, teacher = row.split("+")
    request: dict[str, Any] = {
        "task": "align",
        "profile": given.profile,
        "options": copy.deepcopy(given.options),
        "student": side(student, [(item.text, item.student) for item in given.batch]),
        "teacher": side(teacher, [(item.text, item.teacher) for item in given.batch]),
    }
    damage(request, given.edit)
    return request


def side(model: str, rows: list[tuple[str, SideInput]]) -> dict[str, Any]:
    """One side of the batch, padded on the right to its longest row."""
    made = [side_row(model, text, wish) for text, wish in rows]
    width = max((len(ids) for ids, _ in made), default=0)
    pad = padding_id(model)
    return {
        "model": model,
        "texts": [text if wish.text is None else wish.text for text, wish in rows],
        "ids": [ids + [pad] * (width - len(ids)) for ids, _ in made],
        "mask": [mask + [0] * (width - len(mask)) for _, mask in made],
    }


def side_row(model: str, text: str, wish: SideInput) -> tuple[list[int], list[int]]:
    """Ids and mask of one row."""
    spelled = text_ids(model, text if wish.text is None else wish.text)[: wish.take]
    real = [*special_ids(model, wish.before), *spelled, *special_ids(model, wish.after)]
    pad = padding_id(model)
    return [pad] * wish.left + real + [pad] * wish.right, [0] * wish.left + [1] * len(real) + [0] * wish.right


@lru_cache(maxsize=4096)
def text_ids(model: str, text: str) -> tuple[int, ...]:
    """The tokens of a text, without special tokens."""
    return tuple(load(model).vocabulary.encode(text))


def special_ids(model: str, attributes: list[str]) -> list[int]:
    """Ids of the special tokens that this tokenizer has under these attribute names, or spelled so."""
    vocabulary = load(model).vocabulary
    special = {token.content for token in vocabulary.added_tokens_decoder.values() if token.special}
    spelled = [name if name in special else vocabulary.named(name) for name in attributes]
    ids = [vocabulary.convert_tokens_to_ids(token) for token in spelled if token is not None]
    return [id_ for id_ in ids if id_ is not None]


def padding_id(model: str) -> int:
    """The padding token, or the end token, or 0."""
    vocabulary = load(model).vocabulary
    name = vocabulary.named("pad_token") or vocabulary.named("eos_token")
    return (vocabulary.convert_tokens_to_ids(name) or 0) if name is not None else 0


def damage(request: dict[str, Any], edit: str | None) -> None:
    """Make the request one that must be refused, or one whose padding is no id of the vocabulary."""
    teacher = request["teacher"]
    if edit == "ragged":
        teacher["ids"][0].append(teacher["ids"][0][0])
    elif edit == "mask-shape":
        teacher["mask"] = [row[1:] for row in teacher["mask"]]
    elif edit == "batch-size":
        for key in ("ids", "mask", "texts"):
            teacher[key] = teacher[key][:-1]
    elif edit == "bad-id":
        teacher["ids"][0][teacher["mask"][0].index(1)] = 99_999_999
    elif edit == "student-mask-shape":
        request["student"]["mask"] = [row[1:] for row in request["student"]["mask"]]
    elif edit == "student-bad-id":
        request["student"]["ids"][-1][request["student"]["mask"][-1].index(1)] = -1
    elif edit == "bad-option":
        request["options"]["on_mismatch"] = "guess"
    elif edit == "unknown-option":
        request["options"]["on_missmatch"] = "truncate"
    elif edit == "padding-ids":
        for name, unknown in (("student", -100), ("teacher", 99_999_999)):
            side_of = request[name]
            rows = [zip(ids, mask, strict=True) for ids, mask in zip(side_of["ids"], side_of["mask"], strict=True)]
            side_of["ids"] = [[one if real else unknown for one, real in row] for row in rows]
