"""``nw-compat`` without tokenizers: its tables, its byte merging, its programme, and the mistakes it is known for."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tokenspec.areas.aligners.cases.build import COMPAT, STRUCTURE, case, row
from tokenspec.store.records import Case

CANONICAL_TOKENS = {
    "spaces": ("ALN-030", ["", " x", "_x", "▁x", "▁▁▁", "__init__", "Ġx", "x▁", " ", "▁", "_"]),
    "newlines": ("ALN-030", ["Ċ", "\\n", "ĉ", "ĠĊ", "Ġ\n", "ĊĊ", "aĊb", "a\\nb", "▁Ċ", "ĉĉ", "\\nĊ", "_\n"]),
    "punctuation": ("ALN-030", ["Ġ,", "Ġ.", "Ġ;", "Ġ:", "_,", "▁:", "Ġ!", "Ġ,,", ",", "Ġ?"]),
    "byte-fallback": (
        "ALN-030",
        ["<0x41>", "<0x0A>", "<0xC3>", "<0xff>", "<0xZZ>", "<0x1>", "▁<0x41>", "<0x20>", "<0x5F>"],
    ),
    "replacements": (
        "ALN-031",
        [
            *("Ã±", "Ã¡", "Ã©", "Ã\u00ad", "Ã³", "Ãº", "Ã", "Ã¢", "Ã§", "Ã¨", "Ã«", "Ã®", "Ã´", "Ã¹", "Ã»", "Ã¿"),
            *("ä¸Ń", "æĸĩ", "æĹ¥æľ¬", "èªŀ", "ÐłÑĥÑģ", "ÑģÐºÐ¸Ð¹", "Ø§ÙĦØ¹Ø±Ø¨ÙĬØ©", "à¤¹", "à¤¿à¤Ĥ", "à¤¦à¥Ģ"),
            *("âĪĳ", "âĪı", "âĪĤ", "âĪĩ", "âĪŀ", "âĪļ", "âĪ«", "âīĪ", "âīł", "âī¤", "âī¥", "ĠÃ©tÃ©", "ÃÃ©", "xâĪĳy"),
        ],
    ),
    "special": (
        "ALN-031",
        ["<|begin_of_text|>", "<bos>", "<pad>", "<s>", "</s>", "<|endoftext|>", "Ġ<pad>", "<pad><pad>"],
    ),
}
SEQUENCES = {
    "plain": ("Hello|Ġworld|!", "Nothing to join: one range per token."),
    "two-token-fixes": (
        "ĠâĪ|ĳ|âĪ|ı|âĪ|Ĥ|ĠâĪ|ĩ|âĪ|ŀ|âĪ|ļ|ĠâĪ|«|Ġâī|ł|ä¸|Ń|Ġä¸|Ń|æĸ|ĩ|Ġæĸ|ĩ",
        "Every two-token fix, some with a space mark.",
    ),
    "fix-needs-both": ("âĪ|x|ĳ|âĪ", "Halves of a fix that do not stand together."),
    "byte-run": ("中|<0xF0>|<0x9F>|<0x98>|<0x8A>|中", "A run of exactly one character's bytes is joined."),
    "byte-run-beside-ascii": ("▁a|<0xE4>|<0xB8>|<0xAD>", "An ASCII word beside the bytes prevents the join."),
    "two-characters-in-a-run": (
        "中|<0xF0>|<0x9F>|<0x98>|<0x8A>|<0xF0>|<0x9F>|<0x98>|<0x8B>|中",
        "Two characters in one run stay apart.",
    ),
    "space-mark-in-run": ("中|Ġä|Ġ¸|Ń|中", "Only the first space mark of a run survives."),
    "wrong-byte-table": ("ä½|ł", "The byte table decodes to another character."),
    "shadowed-accent": ("Ã|©|中", "The bare replacement runs first, so the accent is never joined."),
    "single-token-decoded": ("中|äº|中", "One token of two characters between others is decoded if it can be."),
    "only-marks": ("Ġ|Ġ|中||<pad>", "Lone space marks and empty tokens end a run."),
    "latin-1": ("中|é|中", "One character of one byte stays."),
}
PROGRAMMES = {
    "empty": ("", "", "Two empty sequences."),
    "one-sided": ("a|b", "", "Nothing on the other side: gaps only."),
    "mismatch-is-diagonal": ("a", "b", "A mismatch ties with two gaps and is taken as a diagonal step."),
    "combination-of-two": ("ab", "a|b", "Two tokens joined score as much as one match."),
    "combination-of-four": ("abcd|x", "a|b|c|d|x", "The longest combination."),
    "combination-of-five": ("abcde", "a|b|c|d|e", "Beyond the longest combination."),
    "match-before-combination": ("a|ab", "ab|b", "Ties between combinations and diagonal steps."),
    "repeats": ("a|a|a|a|a|a", "a|a|a|a", "Where the gaps of repeated tokens go."),
    "empty-tokens": ("a||b|", "|a|b", "Empty tokens match each other and combine with anything."),
    "up-before-left": ("x|a", "a|y", "A student gap is preferred to a teacher gap."),
    "combinations-cross": ("aa|a|aa", "a|aa|aa", "Combinations in both directions compete."),
}
TEN = "a|b|c|d|e|f|g|h|i|j"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BEFORE = "|".join(f"w{number}" for number in range(44))
PIECES = {
    "crossing-two-three": ("abc|defg", "ab|cde|fg", "No step covers two against three; a repair does."),
    "one-to-five": ("abcde", "a|b|c|d|e", "Beyond the longest combination, found by a repair."),
    "repeats": ("a|a|a|a|a|a", "a|a|a|a", "Leading gaps, joined by the first repair."),
    "both-combinations": ("aa|a", "a|aa", "One repaired chunk."),
    "shifted-pairs": ("|".join(["ab"] * 20), "|".join(["a", *["ba"] * 18, "b", ""]), "Twenty against shifted pairs."),
    "anchors-out-of-order": ("a|b|c|x|d|e|f", "d|e|f|y|a|b|c", "The first anchor in student order removes the other."),
    "wrong-anchor": ("x|y|z|p|q|xy|z", "xy|z|p|q|x|y|z", "A trigram unique on both sides, at two places."),
    "anchor-chain": ("a|b|c|d|e|f|g|h|i|j", "a|b|c|d|e|f|g|h|i|j", "Equal sequences are all anchors."),
    "tab-equals-newline": ("ĉ|Ċ", "Ċ|ĉ", "Tab and newline count as equal and correct."),
    "underscore-equals-space": ("_foo|_bar", "Ġfoo|▁bar", "Underscore and space count as equal and correct."),
    "space-runs-differ": ("▁▁▁▁|x", "ĠĠĠĠ|x", "Only the first mark of a run is canonical."),
    "literal-newline": ("\\n|a", "Ċ|a", "A literal backslash-n is a newline."),
    "artefact": ("Hello|ĠâĪ|ĳ|.", "Hello|Ġ∑|.", "A joined artefact: original tokens 1 and 2 share a chunk."),
    "accent-not-joined": ("Ã|©|中", "é|中", "The accent shares a chunk and is not correct."),
    "unmatched-bos": ("<s>|a|b|c|d", "a|b|c|d", "A begin token of unknown spelling is a gap."),
    "known-bos": ("<|begin_of_text|>|a|b", "<bos>|a|b", "Begin tokens of known spelling are equal."),
    "different-eos": ("a|b|c|d|</s>", "a|b|c|d|<|endoftext|>", "End tokens pair one to one and are not correct."),
    "pads-unequal": ("a|b|<pad>|<pad>|<pad>", "ab|<pad>", "Padding of different length is aligned and correct."),
    "pad-glued": ("a|<pad>|b", "a|b", "A pad may be joined to a real token."),
    "late-mismatch": (f"{TEN}|x|y", f"{TEN}|p|q", "Mismatches in the last fifth are not lumped."),
    "early-mismatch": (f"x|y|{TEN}", f"p|q|{TEN}", "The same mismatches at the start are lumped."),
    "long-repair": ("|".join("abcdefghijklmn"), "ab|c|de|f|gh|i|jk|l|mn", "Many combinations in a row."),
    "window-of-ten": ("abcdefghijklmnop", "|".join("abcdefghijklmnop"), "One against sixteen, wider than the window."),
    "anchor-taken-by-the-teacher": (
        "a|b|c|c|q|r|s|m|n|o|p",
        "a|b|c|q|r|z|m|n|o|p|q|r|s",
        "A trigram whose teacher tokens are in an anchor already leaves its student tokens to the next one.",
    ),
    "anchor-taken-by-the-student": ("a|b|c|d|e|f|x|g", "d|e|f|y|a|b|c|d|z|g", "The first of two trigrams counts."),
    "mismatch-over-the-last-fifth": ("a|b|c|d|e|f|1|2|3|4", "a|b|c|d|e|f|5|6|7|8", "What lies before is lumped."),
    "mismatch-at-the-last-fifth": ("a|b|c|d|e|f|g|h|1|2|3", "a|b|c|d|e|f|g|h|5|6|7", "One of them lies before."),
    "aligned-again": ("b|ba|ba|b|a", "b|ba|b|a|ba", "A repair behind the first token, in pieces that agree."),
    "aligned-again-elsewhere": ("q|r|b|ba|ba|b|a", "qr|b|ba|b|a|ba", "The same at another place of each side."),
    "digits": ("123|456|789|0", "12|34|56|78|90", "Digits in threes against digits in pairs."),
    "empty": ("", "", "No tokens on either side."),
}  # fmt: skip


def shifted(count: int) -> tuple[str, str]:
    """So many pairs of tokens whose texts agree only when all of them are taken together."""
    text = LETTERS[: 2 * count - 1]
    student = [text[at : at + 2] for at in range(0, len(text), 2)]
    teacher = [text[:1], *(text[at : at + 2] for at in range(1, len(text), 2))]
    return "|".join(student), "|".join(teacher)


def split(words: str) -> list[str]:
    """``a|b`` to pieces; an empty string is no piece."""
    return words.split("|") if words else []


def cases() -> Iterator[Case]:
    """Tables, sequences, the bare programme, the pipeline, masks, remapping, random mixtures."""
    flags = "COMPAT_CANONICAL"
    for slug, (requirement, tokens) in CANONICAL_TOKENS.items():
        why = f"Canonical spelling of single tokens: {slug.replace('-', ' ')}."
        yield case(f"canonical-{slug}", flags, (requirement,), why, task="canonical-token", data={"tokens": tokens})
    for slug, (words, why) in SEQUENCES.items():
        data = {"tokens": split(words)}
        yield case(f"sequence-{slug}", flags, ("ALN-031", "ALN-032"), why, task="canonical-sequence", data=data)
    flags = "COMPAT_DYNAMIC_PROGRAMME"
    for slug, (student, teacher, why) in PROGRAMMES.items():
        data = {"student": split(student), "teacher": split(teacher)}
        requires = ("ALN-033", "ALN-039")
        yield case(f"programme-{slug}", flags, requires, why, task="align-canonical", profile="nw-compat", data=data)
    yield from programmes()
    yield from scores()
    yield from pipelines(flags)
    yield from remaps()
    yield from mixtures()


def pipelines(flags: str) -> Iterator[Case]:
    """The whole pipeline on pieces."""
    for slug, (student, teacher, why) in PIECES.items():
        data = {"student": [split(student)], "teacher": [split(teacher)]}
        yield case(f"compat-pieces-{slug}", flags, COMPAT, why, task="align-pieces", profile="nw-compat", data=data)
    yield case(
        "compat-pieces-masked",
        "COMPAT_PADDING",
        COMPAT,
        "Masks clear ids and partitions and leave pairs and counts as they are.",
        task="align-pieces",
        profile="nw-compat",
        data={
            "student": [["a", "b", "<pad>", "<pad>"], ["<pad>", "x", "y", "z"]],
            "teacher": [["ab", "<pad>", "<pad>"], ["<pad>", "xy", "z"]],
            "student_mask": [[1, 1, 0, 0], [0, 1, 1, 1]],
            "teacher_mask": [[1, 0, 0], [0, 1, 1]],
        },
    )
    for count in (2, 9, 10, 11):
        student, teacher = shifted(count)
        data = {"student": [split(f"{BEFORE}|{student}|z")], "teacher": [split(f"{BEFORE}|{teacher}|z")]}
        yield case(
            f"compat-pieces-window-{count}",
            flags,
            COMPAT,
            f"Only {count} pairs together spell one text, in the last fifth.",
            task="align-pieces",
            profile="nw-compat",
            data=data,
        )
    for limit in (1, 2, 6):
        yield case(
            f"compat-pieces-limit-{limit}",
            flags,
            (*COMPAT, "ALN-033"),
            f"Combinations of at most {limit} tokens.",
            task="align-pieces",
            profile="nw-compat",
            options={"max_comb_len": limit},
            data={"student": [["abcdef", "gh", "i"]], "teacher": [["a", "b", "c", "d", "e", "f", "g", "hi"]]},
        )


SCORES = {
    "unequal": {"exact_match_score": 1.0, "combination_score_multiplier": 0.25, "gap_penalty": -0.5},
    "joins-first": {"combination_score_multiplier": 4.0},
    "rounded": {"exact_match_score": 0.1, "combination_score_multiplier": 0.07, "gap_penalty": -0.03},
    "gaps-gain": {"gap_penalty": 0.5},
    "leading-ignored": {"ignore_leading_char_diff": True},
}


def scores() -> Iterator[Case]:
    """Other scores than NeMo-RL's, in the bare programme and in the pipeline."""
    rng = random.Random(40)
    pieces = ["a", "Ġa", "_a", "aa", "b", "ab", "_", "ba", "Ċ", "\\n"]
    data = {name: [rng.choice(pieces) for _ in range(24)] for name in ("student", "teacher")}
    flags = "COMPAT_DYNAMIC_PROGRAMME"
    for slug, options in SCORES.items():
        why = f"Other scores: {slug.replace('-', ' ')}."
        requires = ("ALN-040", "ALN-039")
        yield case(
            f"programme-scores-{slug}",
            flags,
            requires,
            why,
            task="align-canonical",
            profile="nw-compat",
            options=options,
            data=data,
        )
    rows = {name: [values] for name, values in data.items()}
    for slug, options in (
        ("unequal", SCORES["unequal"]),
        ("rounded", SCORES["rounded"]),
        ("anchors-of-two", {"anchor_lengths": [2]}),
        ("anchors-of-two-lengths", {"anchor_lengths": [2, 1]}),
        ("no-anchors", {"anchor_lengths": []}),
    ):
        yield case(
            f"compat-pieces-scores-{slug}",
            flags,
            (*STRUCTURE, "ALN-040"),
            f"The pipeline with other scores or anchors: {slug.replace('-', ' ')}.",
            task="align-pieces",
            profile="nw-compat",
            options=options,
            data=rows,
        )
    yield case(
        "compat-pieces-scores-equal-lists",
        flags,
        (*STRUCTURE, "ALN-035", "ALN-040"),
        "Equal tokens lose, so mismatches are lumped into two equal lists; other tokens follow.",
        task="align-pieces",
        profile="nw-compat",
        options={"exact_match_score": -1.0, "gap_penalty": -0.5, "anchor_lengths": []},
        data={
            "student": [["a", "b", "cd", "ef", "gh", "ij"]],
            "teacher": [["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]],
        },
    )


def programmes() -> Iterator[Case]:
    """Longer sequences, and other limits of a combination."""
    rng = random.Random(33)
    for slug, length, limit in (("long", 530, 4), ("limit-1", 14, 1), ("limit-2", 24, 2), ("limit-6", 24, 6)):
        yield case(
            f"programme-{slug}",
            "COMPAT_DYNAMIC_PROGRAMME",
            ("ALN-033", "ALN-039"),
            f"Tokens that combine in many ways, at most {limit} at once.",
            task="align-canonical",
            profile="nw-compat",
            options={"max_comb_len": limit},
            data={
                "student": [rng.choice(["a", "aa", "aaaa", "b", "ab", "abab", ""]) for _ in range(length)],
                "teacher": [rng.choice(["a", "aaa", "ba", "b", "ab", "aabb", ""]) for _ in range(18)],
            },
        )
    for limit in (1, 6):
        yield case(
            f"compat-limit-{limit}",
            "COMPAT_DYNAMIC_PROGRAMME",
            COMPAT,
            f"Combinations of at most {limit} tokens, on real pieces.",
            task="align",
            profile="nw-compat",
            batch=[row("Antidisestablishmentarianism 31415926535 and Donaudampfschiffahrt, incomprehensibilities.")],
            options={"max_comb_len": limit},
        )


def remaps() -> Iterator[Case]:
    """Canonical ranges to original ranges."""
    pairs = [[0, 1, 0, 2], [1, 3, -1, -1], [-1, -1, 2, 3], [3, 4, 3, 4]]
    yield case(
        "remap-ranges",
        "COMPAT_CANONICAL",
        ("ALN-036",),
        "Collapsed tokens carry their whole range; gaps keep their sentinel.",
        task="remap",
        profile="nw-compat",
        data={
            "pairs": pairs,
            "student_ranges": [[0, 3], [3, 4], [4, 8], [8, 9]],
            "teacher_ranges": [[0, 1], [1, 3], [3, 4], [4, 5]],
        },
    )


def mixtures() -> Iterator[Case]:
    """Seeded random mixtures of awkward pieces, in the bare programme and in the pipeline."""
    pieces = [
        "a",
        "b",
        "ab",
        "aa",
        "",
        "Ġa",
        "Ġ",
        "<pad>",
        "_x",
        "中",
        "<0xE4>",
        "<0xB8>",
        "<0xAD>",
        "Ã",
        "©",
        "âĪ",
        "ĳ",
        "Ċ",
        "ĉ",
    ]
    for seed in range(8):
        rng = random.Random(seed)
        student, teacher = ([rng.choice(pieces) for _ in range(rng.randint(10, 28))] for _ in range(2))
        yield case(
            f"mixture-{seed}",
            "COMPAT_DYNAMIC_PROGRAMME COMPAT_CANONICAL",
            (*COMPAT, "ALN-032"),
            f"Random awkward pieces through the whole pipeline, seed {seed}.",
            task="align-pieces",
            profile="nw-compat",
            data={"student": [student], "teacher": [teacher]},
        )
        yield case(
            f"programme-mixture-{seed}",
            "COMPAT_DYNAMIC_PROGRAMME",
            ("ALN-033", "ALN-039"),
            f"Random short tokens that combine in many ways, seed {seed}.",
            task="align-canonical",
            profile="nw-compat",
            data={
                "student": [rng.choice(["a", "aa", "aaa", "b", "ab", ""]) for _ in range(24)],
                "teacher": [rng.choice(["a", "aa", "ba", "b", "ab", ""]) for _ in range(24)],
            },
        )


CASES = tuple(cases())
