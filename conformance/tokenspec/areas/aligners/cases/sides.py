"""Sides that are made differently: padding, special tokens, truncation, batches."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.aligners.cases.build import BOUNDARY, COMPAT, JsonCase, case, row
from tokenspec.store.records import Case

TEXT = "Alignment walks both sides, 同じ文章 by byte, and stops at every common boundary."
OTHER = "A shorter row — кратко."
BEGIN, END = {"before": ["bos_token"]}, {"after": ["eos_token"]}
BEGINS = (*("<s>", "<bos>", "[BOS]", "<|begin|>", "<|begin_of_text|>", "<|startoftext|>", "<｜begin▁of▁sentence｜>"),)
TURNS = ["<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|turn>", "<|start|>"]
PADS = ["<pad>", "[PAD]", "<|finetune_right_pad_id|>", "<｜▁pad▁｜>"]
UNKNOWNS = ["<unk>", "[UNK]"]
ENDS = (
    *("</s>", "<eos>", "[END]", "</turn>", "<|end|>", "<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|return|>"),
    *("<turn|>", "<end_of_turn>", "<|endoftext|>", "<｜end▁of▁sentence｜>"),
)


def cases() -> Iterator[Case]:
    """All of them are ``boundary``; the ones about padding and special tokens also run in ``nw-compat``."""
    yield from padding()
    yield from special_tokens()
    yield from added_text()
    yield from declared_roles()
    yield from known_roles()
    yield from truncation()


def both(
    slug: str, flags: str, requires: tuple[str, ...], why: str, *rows: JsonCase, compat: bool = True
) -> Iterator[Case]:
    """The same batch in both profiles."""
    yield case(slug, flags, (*BOUNDARY, *requires), why, task="align", batch=list(rows))
    if compat:
        yield case(
            f"compat-{slug}",
            f"{flags} COMPAT_PADDING",
            COMPAT,
            f"{why} The pinned programme aligns every position.",
            task="align",
            profile="nw-compat",
            batch=list(rows),
        )


def padding() -> Iterator[Case]:
    """Where the padding stands and how much of it."""
    flags = "ALIGN_PADDING"
    yield from both(
        "pad-right", flags, (), "Padding on the right of both sides.", row(TEXT, {"right": 3}, {"right": 7})
    )
    yield case(
        "pad-no-id",
        flags,
        BOUNDARY,
        "Padding that is no id of any vocabulary, as the ignored index of a loss is: what is masked is not read.",
        task="align",
        batch=[row(TEXT, {"right": 3}, {"left": 2}), row(OTHER)],
        edit="padding-ids",
    )
    yield from both("pad-left", flags, (), "Padding on the left of both sides.", row(TEXT, {"left": 4}, {"left": 1}))
    yield from both(
        "pad-opposite",
        flags,
        (),
        "One side padded on the left, the other on the right.",
        row(TEXT, {"left": 3}, {"right": 3}),
    )
    yield from both(
        "pad-batch", flags, ("ALN-006",), "Three rows of different length.", row(TEXT), row(OTHER), row("x")
    )
    yield from both(
        "pad-empty-row",
        flags,
        (),
        "An empty text beside a full one: a row of nothing but padding.",
        row(""),
        row(OTHER),
    )
    yield case("empty", flags, BOUNDARY, "An empty text alone: no tokens at all.", task="align", batch=[row("")])
    wide = row("Hi there.", {"left": 40}, {"right": 60})
    yield case("pad-wide", flags, BOUNDARY, "Much more padding than text.", task="align", batch=[wide])


def special_tokens() -> Iterator[Case]:
    """Special tokens around the text."""
    flags, requires = "ALIGN_SPECIAL", ("ALN-013",)
    yield from both("bos-student", flags, requires, "A begin token on the student's side only.", row(TEXT, BEGIN))
    yield from both("bos-teacher", flags, requires, "A begin token on the teacher's side only.", row(TEXT, None, BEGIN))
    yield from both("bos-both", flags, requires, "A begin token on both sides.", row(TEXT, BEGIN, BEGIN))
    yield from both(
        "eos-both", flags, requires, "End tokens with different spellings pair by role.", row(TEXT, END, END)
    )
    yield from both(
        "bos-eos-crosswise",
        flags,
        requires,
        "A begin token on one side, an end token on the other.",
        row(TEXT, BEGIN, END),
    )
    yield case(
        "eos-twice",
        flags,
        (*BOUNDARY, *requires),
        "Two end tokens against one: the first pairs.",
        task="align",
        batch=[row(TEXT, {"after": ["eos_token", "eos_token"]}, END)],
    )
    yield case(
        "special-only",
        flags,
        (*BOUNDARY, *requires),
        "Rows of special tokens without text; equal roles pair, in order.",
        task="align",
        batch=[row("", {"before": ["bos_token", "eos_token"]}, {"before": ["bos_token", "eos_token"]})],
    )
    yield case(
        "special-crossing",
        flags,
        (*BOUNDARY, *requires),
        "Begin and end in the opposite order on the other side: both candidates cross and none pairs.",
        task="align",
        batch=[row("", {"before": ["bos_token", "eos_token"]}, {"before": ["eos_token", "bos_token"]})],
    )
    yield case(
        "special-with-padding",
        "ALIGN_SPECIAL ALIGN_PADDING",
        (*BOUNDARY, *requires),
        "End tokens used as padding are masked and never pair.",
        task="align",
        batch=[row(TEXT, BEGIN | END | {"left": 2}, BEGIN | END | {"right": 5}), row(OTHER, END, END)],
    )


SMALL_PAIRS = ["toy-added+toy-bpe", "toy-bpe+toy-ranks", "toy-metaspace+toy-bpe", "toy-ranks+toy-metaspace"]
"""Where a vocabulary that is read anew for a case costs nothing."""


def added_text() -> Iterator[Case]:
    """Added tokens that are not special: their own characters, not those of the byte alphabet."""
    texts = ("an \u00c5ngstr\u00f6m toy", "toy<call m\u00e9</call>\u00c5ngstr\u00f6m", "<think>\u00c5</think>toy")
    yield case(
        "added-text",
        "ALIGN_SPECIAL",
        BOUNDARY,
        "Added tokens of one side are words of the text, some beyond ASCII.",
        pairs=["toy-added+toy-bpe"],
        task="align",
        batch=[row(text) for text in texts],
    )


def declared_roles() -> Iterator[Case]:
    """Roles that the caller gives to spellings."""
    rows = [
        row("", BEGIN, {"before": ["eos_token"]}),
        row("", {"before": ["eos_token"]}, {"before": ["eos_token", "bos_token"]}),
        row(TEXT, BEGIN | END, BEGIN | END),
        row(OTHER, END, {"after": ["bos_token", "eos_token"]}),
    ]
    for slug, why, roles in (
        ("one", "Begin and end tokens are declared to be one kind.", dict.fromkeys((*BEGINS, *ENDS), "edge")),
        ("own", "Every end token is declared to be of a kind of its own.", {token: f"own {token}" for token in ENDS}),
        ("turned", "Begin tokens are declared to be ends.", dict.fromkeys(BEGINS, "end")),
        ("never", "End tokens are declared to be padding, which never pairs.", dict.fromkeys(ENDS, "padding")),
    ):
        yield case(
            f"roles-declared-{slug}",
            "ALIGN_SPECIAL",
            (*BOUNDARY, "ALN-013"),
            why,
            pairs=SMALL_PAIRS,
            task="align",
            batch=rows,
            options={"special_roles": roles},
        )


def known_roles() -> Iterator[Case]:
    """Every spelling whose role the chapter says."""
    spelled = [*BEGINS, *TURNS, *PADS, *UNKNOWNS, *ENDS, "<|eom_id|>"]
    sides = {"all": (spelled, spelled), "turned": ([*ENDS, *BEGINS], [*ENDS[::-1], *BEGINS[::-1]])}
    for slug, (student, teacher) in sides.items():
        yield case(
            f"roles-known-{slug}",
            "ALIGN_SPECIAL",
            (*BOUNDARY, "ALN-013"),
            "All special tokens of a known role that a side has, in front of a text.",
            task="align",
            batch=[row("Text.", {"before": student}, {"before": teacher}), row(OTHER, {"after": student}, END)],
        )

    message = {"after": ["<|eom_id|>"]}
    yield case(
        "roles-known-message",
        "ALIGN_SPECIAL",
        (*BOUNDARY, "ALN-013"),
        "The end of a message, alone, against the end of a text.",
        task="align",
        batch=[row("Text.", message, END), row(OTHER, END, message)],
    )


def truncation() -> Iterator[Case]:
    """Sides that stop early."""
    flags, requires = "ALIGN_TRUNCATION", ("ALN-016",)
    for slug, student, teacher in (
        ("student", {"take": 6}, None),
        ("teacher", None, {"take": 5}),
        ("both", {"take": 9}, {"take": 7}),
        ("one-token", {"take": 1}, None),
        ("nothing", {"take": 0}, None),
    ):
        yield case(
            f"cut-{slug}",
            flags,
            (*BOUNDARY, *requires),
            f"Truncated by token count: {slug.replace('-', ' ')}.",
            task="align",
            batch=[row(TEXT, student, teacher)],
        )
    for take in (1, 2, 3, 5):
        yield case(
            f"cut-inside-character-{take}",
            f"{flags} ALIGN_SPLIT_BYTES",
            (*BOUNDARY, *requires),
            f"Cut after {take} tokens of characters that take several tokens.",
            task="align",
            batch=[row("🤷🏻‍♀️𓀀ꙮ🇩🇪", {"take": take})],
        )
    yield case(
        "cut-end-tokens",
        "ALIGN_TRUNCATION ALIGN_SPECIAL",
        (*BOUNDARY, *requires, "ALN-013"),
        "A truncated side ends in an end token; the other side's stands elsewhere in the text.",
        task="align",
        batch=[row(TEXT, {"take": 8, **END}, END)],
    )


CASES = tuple(cases())
