"""Build the toy rows: `cd conformance && python -m generators.toy [TARGET]` writes `fixtures/toy/<row>/`.

Five small tokenizers and four chat templates of our own, so that the whole suite runs with no network. The
merges are learned here, in plain Python, and `tokenizer.json` is written as data: no byte depends on the
version of a tokenizer library, and a second run gives the same files (a test proves it).
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from .toy_text import WEIGHTED

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = Path(__file__).parent / "toy_templates"

Pair = tuple[str, str]

WORDS = r"[^\S\r\n]?[^\W\d_]+|\d| ?(?:[^\w\s]|_)+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
WORDS_ONIG = r"[^\S\r\n]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
RANKS = r"(?:[^\r\n\w]|_)?[^\W\d_]+|\d{1,3}| ?(?:[^\w\s]|_)+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
RANKS_ONIG = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PIECES = r" ?[^\s]+|\n+| +|\s"
"""What a piece of training text is. A Python pattern splits it like the Oniguruma one that the row ships."""


@dataclass(frozen=True)
class AddedToken:
    """One entry of `added_tokens`; the flags are those of the tokenizers library."""

    content: str
    special: bool = True
    lstrip: bool = False
    rstrip: bool = False
    single_word: bool = False
    normalized: bool = False

    def as_json(self, token_id: int) -> dict[str, Any]:
        return {
            "id": token_id,
            "content": self.content,
            "single_word": self.single_word,
            "lstrip": self.lstrip,
            "rstrip": self.rstrip,
            "normalized": self.normalized,
            "special": self.special,
        }


@dataclass(frozen=True)
class ToyRow:
    """Everything that makes one folder: the model, the pipeline around it, its special tokens.

    ``has_template``: its chat template stands among the toy templates; else the row is a vocabulary only.
    """

    name: str
    model: dict[str, Any]
    added: tuple[AddedToken, ...]
    pre_tokenizer: dict[str, Any] | None
    decoder: dict[str, Any]
    normalizer: dict[str, Any] | None = None
    bos_prefix: str | None = None
    special: dict[str, str] = field(default_factory=dict)
    has_template: bool = True


def byte_alphabet() -> dict[int, str]:
    """The printable stand-in of every byte in byte-level vocabularies (a fact of the format)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table = {byte: chr(byte) for byte in printable}
    hidden = (byte for byte in range(256) if byte not in table)
    table.update({byte: chr(256 + n) for n, byte in enumerate(hidden)})
    return dict(sorted(table.items()))


def learn_merges(words: Counter[tuple[str, ...]], count: int) -> list[Pair]:
    """The `count` most frequent merges, greedily; ties go to the smaller pair: a pure function."""
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[Pair] = Counter()
        for word, weight in words.items():
            for pair in pairwise(word):
                pairs[pair] += weight
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        merged: Counter[tuple[str, ...]] = Counter()
        for word, weight in words.items():
            merged[merge_pair(word, best)] += weight
        words = merged
    return merges


def merge_pair(word: tuple[str, ...], pair: Pair) -> tuple[str, ...]:
    """`word` with every occurrence of `pair`, left to right, replaced by its concatenation."""
    out: list[str] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            out.append(pair[0] + pair[1])
            at += 2
        else:
            out.append(word[at])
            at += 1
    return tuple(out)


def byte_words(pattern: str) -> Counter[tuple[str, ...]]:
    table = byte_alphabet()
    words: Counter[tuple[str, ...]] = Counter()
    for text, weight in WEIGHTED:
        for piece in re.findall(pattern, text):
            words[tuple(table[byte] for byte in piece.encode())] += weight
    return words


def bpe(vocabulary: list[str], merges: list[Pair], **changes: Any) -> dict[str, Any]:
    """A tokenizers `BPE` model as data; `vocabulary` is in id order."""
    known = {token: n for n, token in enumerate(vocabulary)}
    if len(known) != len(vocabulary):
        raise SystemExit("a vocabulary entry occurs twice")
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": known,
        "merges": [list(pair) for pair in merges],
    }
    return model | changes


def byte_level_pipeline(pattern: str) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split, byte_level()]}


def byte_level() -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


def specials(*contents: str) -> tuple[AddedToken, ...]:
    return tuple(AddedToken(content) for content in contents)


def plain(*contents: str) -> tuple[AddedToken, ...]:
    """Added tokens that are matched in text but survive `skip_special_tokens`."""
    return tuple(AddedToken(content, special=False) for content in contents)


def toy_bpe() -> ToyRow:
    """Byte-level BPE with newline merges; `<tool_response>` is plain text and merges with bodies."""
    merges = learn_merges(byte_words(WORDS), 480)
    vocabulary = [*byte_alphabet().values(), *(left + right for left, right in merges)]
    return ToyRow(
        name="toy-bpe",
        model=bpe(vocabulary, merges),
        added=specials("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|img|>", "<|/img|>", "<|image_pad|>")
        + plain("<think>", "</think>", "<tool_call>", "</tool_call>"),
        pre_tokenizer=byte_level_pipeline(WORDS_ONIG),
        decoder=byte_level(),
        special={"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
    )


def toy_metaspace() -> ToyRow:
    """SentencePiece-like: spaces are `▁`, unknown characters become byte tokens, one space is prepended."""
    words: Counter[tuple[str, ...]] = Counter()
    for text, weight in WEIGHTED:
        for piece in re.findall(PIECES, text):
            words[tuple(piece.replace(" ", "▁"))] += weight
    merges = learn_merges(words, 420)
    characters = sorted({character for word in words for character in word})
    vocabulary = [
        *("<unk>", "<s>", "</s>"),
        *(f"<0x{byte:02X}>" for byte in range(256)),
        *characters,
        *(left + right for left, right in merges),
    ]
    replace = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    return ToyRow(
        name="toy-metaspace",
        model=bpe(vocabulary, merges, unk_token="<unk>", byte_fallback=True, fuse_unk=True),  # noqa: S106
        added=specials("<unk>", "<s>", "</s>", "<turn>", "</turn>"),
        pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False},
        decoder={
            "type": "Sequence",
            "decoders": [replace, {"type": "ByteFallback"}, {"type": "Fuse"}, strip],
        },
        bos_prefix="<s>",
        special={"bos_token": "<s>", "eos_token": "</turn>", "unk_token": "<unk>", "pad_token": "<unk>"},
    )


def toy_ranks() -> ToyRow:
    """tiktoken-like: a word that is in the vocabulary is one token even where no merge leads to it."""
    words = byte_words(RANKS)
    merges = learn_merges(Counter(words), 300)
    learned = [left + right for left, right in merges]
    alphabet = list(byte_alphabet().values())
    whole = sorted(("".join(word) for word in words if len(word) > 5), key=lambda word: (-len(word), word))
    unreachable = [word for word in dict.fromkeys(whole) if word not in learned][:90]
    return ToyRow(
        name="toy-ranks",
        model=bpe([*alphabet, *learned, *unreachable], merges, ignore_merges=True),
        added=specials(
            *("<|begin|>", "<|role|>", "<|body|>", "<|end|>", "<|call|>", "<|handover|>", "<|pad|>"),
            *("<think>", "</think>"),
        ),
        pre_tokenizer=byte_level_pipeline(RANKS_ONIG),
        decoder=byte_level(),
        bos_prefix="<|begin|>",
        special={"bos_token": "<|begin|>", "eos_token": "<|end|>", "pad_token": "<|pad|>"},
    )


def toy_added() -> ToyRow:
    """Added tokens of every flag over an NFC byte-level BPE: they swallow spaces or match by spelling."""
    merges = learn_merges(byte_words(WORDS), 256)
    vocabulary = [*byte_alphabet().values(), *(left + right for left, right in merges)]
    return ToyRow(
        name="toy-added",
        model=bpe(vocabulary, merges),
        added=(
            *specials("[BOS]", "[END]", "[PAD]", "[SYS]", "[USER]", "[BOT]", "[TOOL]", "[TOOLS]"),
            AddedToken("<pic>", lstrip=True, rstrip=True),
            AddedToken("<mask>", lstrip=True),
            AddedToken("<sep>", rstrip=True),
            AddedToken("toy", special=False, single_word=True),
            AddedToken("Ångström", special=False, normalized=True),
            AddedToken("<call ", special=False),
            AddedToken("</call>", special=False),
        ),
        pre_tokenizer=byte_level_pipeline(WORDS_ONIG),
        decoder=byte_level(),
        normalizer={"type": "NFC"},
        bos_prefix="[BOS]",
        special={"bos_token": "[BOS]", "eos_token": "[END]", "pad_token": "[PAD]"},
    )


def toy_nfd() -> ToyRow:
    """A vocabulary that decomposes text and puts a space of its own before every stretch that has none."""
    merges = learn_merges(byte_words(WORDS), 200)
    vocabulary = [*byte_alphabet().values(), *(left + right for left, right in merges)]
    return ToyRow(
        name="toy-nfd",
        model=bpe(vocabulary, merges),
        added=specials("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
        pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
        decoder=byte_level(),
        normalizer={"type": "NFD"},
        special={"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
        has_template=False,
    )


def tokenizer_json(row: ToyRow) -> dict[str, Any]:
    """The `tokenizer.json` of one row; added tokens that the model does not hold get the ids after it."""
    ids = dict(row.model["vocab"])
    for token in row.added:
        ids.setdefault(token.content, len(ids))
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            token.as_json(ids[token.content]) for token in sorted(row.added, key=lambda token: int(ids[token.content]))
        ],
        "normalizer": row.normalizer,
        "pre_tokenizer": row.pre_tokenizer,
        "post_processor": bos_processor(row.bos_prefix, ids) if row.bos_prefix else None,
        "decoder": row.decoder,
        "model": row.model,
    }


def bos_processor(token: str, ids: dict[str, int]) -> dict[str, Any]:
    """A post-processor that puts one BOS in front of every sequence encoded with special tokens."""
    bos = {"SpecialToken": {"id": token, "type_id": 0}}
    first = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 1}}
    return {
        "type": "TemplateProcessing",
        "single": [bos, first],
        "pair": [bos, first, second],
        "special_tokens": {token: {"id": token, "ids": [ids[token]], "tokens": [token]}},
    }


def tokenizer_config(row: ToyRow) -> dict[str, Any]:
    """What loads the folder; transformers 4 takes an added space away that is not said here, too."""
    adds_space = bool((row.pre_tokenizer or {}).get("add_prefix_space"))
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": 1_000_000,
        **({"add_prefix_space": True} if adds_space else {}),
        **row.special,
    }


ROWS = (toy_bpe, toy_metaspace, toy_ranks, toy_added, toy_nfd)


def build(target: Path) -> list[Path]:
    """Write every row under `target` and return the files, in order."""
    written: list[Path] = []
    for make in ROWS:
        row = make()
        files = {
            "tokenizer.json": json.dumps(tokenizer_json(row), ensure_ascii=False, indent=1) + "\n",
            "tokenizer_config.json": json.dumps(tokenizer_config(row), ensure_ascii=False, indent=2) + "\n",
        }
        if row.has_template:
            files["chat_template.jinja"] = (TEMPLATES / f"{row.name}.jinja").read_text(encoding="utf-8")
        folder = target / row.name
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            path = folder / name
            partial = folder / f".{name}.partial"
            partial.write_bytes(text.encode())
            partial.replace(path)
            written.append(path)
    return written


if __name__ == "__main__":
    for file in build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "fixtures" / "toy"):
        print(file.stat().st_size, file.relative_to(file.parents[1]))
