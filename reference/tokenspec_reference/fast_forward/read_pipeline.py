"""Reads from a ``tokenizer.json`` what a pipeline needs, or says why nothing can be proven about it.

Texts that a normalizer changes are nobody's canonical tokenisation (FFT-002), so a normalizer need not be understood,
as long as a stretch of a text that it leaves alone is left alone, too: that holds for those listed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tokenspec_reference.fast_forward.characters import Characters
from tokenspec_reference.fast_forward.pipeline import ByNeighbours, ByPattern, Stage
from tokenspec_reference.fast_forward.split_pattern import Atom, FirstOf, Repeat, UnreadPattern, read_split_pattern

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
NORMALIZERS = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Replace"}


class Unproven(Exception):
    """Why the pipeline of a tokenizer is not understood."""


def read_stages(spec: Mapping[str, Any], space: str | None) -> tuple[Stage, ...]:
    """The stages of a pre-tokenizer without prefix space.

    Args:
        spec: the ``tokenizer.json``.
        space: the character that stands for a space where a normalizer or pre-tokenizer puts it in; None for bytes.

    Raises:
        Unproven: naming the part that is not understood.
    """
    for part in flat(spec["normalizer"]):
        if part["type"] not in NORMALIZERS or (part["type"] == "Replace" and "String" not in part["pattern"]):
            raise Unproven(f"the normalizer {part['type']}")
    return tuple(stage for part in flat(spec["pre_tokenizer"]) for stage in _stages(part, space))


def flat(part: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """A component, or the components of a sequence, nested or not."""
    if part is None:
        return []
    lists = [value for value in part.values() if isinstance(value, list)] if part["type"] == "Sequence" else []
    return [leaf for items in lists for item in items for leaf in flat(item)] if lists else [part]


def _stages(part: Mapping[str, Any], space: str | None) -> Iterator[Stage]:
    kind = part["type"]
    if kind == "ByteLevel":
        if part.get("use_regex", True):
            yield by_pattern(GPT2)
    elif kind == "Metaspace":
        if part.get("split", True):
            yield ByNeighbours(Characters([" "], matches), "before")
    elif kind == "Digits":
        yield ByNeighbours(Characters([r"\p{N}"], matches), "each" if part["individual_digits"] else "runs")
    elif kind == "Split" and "Regex" in part["pattern"]:
        if part["behavior"] != "Isolated" or part.get("invert"):
            raise Unproven(f"a split with behavior {part['behavior']}")
        if space is not None:
            raise Unproven("a split by pattern of a text whose spaces were replaced")
        yield by_pattern(part["pattern"]["Regex"])
    elif kind == "Split" and part["pattern"].get("String") == " " and space is not None:
        return  # no space is left to split at
    else:
        raise Unproven(f"the pre-tokenizer {kind}")


def by_pattern(pattern: str) -> Stage:
    """The stage of a pattern of the engine of ``tokenizers``.

    Raises:
        Unproven: the pattern cannot be followed.
    """
    try:
        read = read_split_pattern(pattern, "oniguruma")
    except UnreadPattern as error:
        raise Unproven(f"the split pattern: {error}") from error
    return simplest(read.root, read.classes, matches) or ByPattern.of(read, matches)


def simplest(root: Any, classes: Sequence[str], ask: Callable[[str, str], Sequence[bool]]) -> Stage | None:
    """A stage that compares neighbours, where the pattern is no more than runs of one class, or single characters."""
    match root:
        case Atom():
            return ByNeighbours(Characters(classes, ask), "each")
        case Repeat(Atom(), 1, None, "greedy"):
            return ByNeighbours(Characters(classes, ask), "runs")
        case FirstOf((Repeat(Atom(), 1, None, "greedy"), Repeat(Atom(), 1, None, "greedy"))):
            inside = [source for source in classes if not source.startswith("[^")]
            if len(inside) == 1 and set(classes) == {inside[0], f"[^{inside[0][1:]}"}:
                return ByNeighbours(Characters(inside, ask), "runs")
    return None


def matches(source: str, text: str) -> Sequence[bool]:
    """Which characters of a text a pattern of one character matches, by the engine of ``tokenizers``."""
    from tokenizers import Regex
    from tokenizers.pre_tokenizers import Split

    found = [True] * len(text)
    for _, (start, end) in Split(Regex(source), "removed").pre_tokenize_str(text):
        found[start:end] = [False] * (end - start)
    return found
