"""Whether a tokenizer does as its pipeline says: asked once, of texts that show where tokenizers differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenspec_reference.fast_forward.pipeline import Pipeline

PROBES = (  # what published pre-tokenizers treat differently
    *("I'll say: it's DON'T, we've", "a  b   c", " \t x\n\n y \r\n  z", "12345 678,90.1", "getHTTPResponseCode2x"),
    *("naïve CAFÉ ÅNGström ſ'S", "日本語テキストabcDEF漢字Kanji", "한국어 ไทย नमस्ते עברית", "x == y && !z // # @name_1"),
    *(
        "\u3000全角\u00a0space\u2003",
        "🙂🙃 👩\u200d💻",
        "½²Ⅷ٣४",
        "e\u0301a\u0308",
        '/usr/lib\\n"quoted"\t',
        "...\n\n--- \n",
    ),
    *("ǅungla ʰx ªº", "<tag attr='1'>text</tag>", "   ", "\n", "0", "\u0000\u0007\u007f\u00ad\ufeff"),
)


def believed(
    pipeline: Pipeline | str, encode: Callable[[str], list[int]], by_id: Sequence[bytes | None]
) -> tuple[Pipeline | None, str | None]:
    """The pipeline if the tokenizer does as it says, and why it is not believed."""
    if isinstance(pipeline, str):
        return None, pipeline

    def spell(ids: list[int]) -> bytes | None:
        pieces = [by_id[token_id] for token_id in ids]
        return None if None in pieces else b"".join(piece or b"" for piece in pieces)

    probe = _disagreement(pipeline, encode, spell)
    return (pipeline, None) if probe is None else (None, f"it cuts {probe!r} in another way than its description says")


def _disagreement(
    pipeline: Pipeline, encode: Callable[[str], list[int]], spell: Callable[[list[int]], bytes | None]
) -> str | None:
    """The first probe that a tokenizer cuts otherwise than its pipeline says; None where there is none.

    Args:
        pipeline: what is believed.
        encode: the tokenizer.
        spell: bytes of ids; texts that do not come back are no evidence.
    """
    for probe in PROBES:
        ids = encode(probe)
        if spell(ids) != probe.encode() or any(text in probe.encode() for text in pipeline.literal):
            continue
        if pipeline.alone(probe) != ids:
            return probe
    return None
