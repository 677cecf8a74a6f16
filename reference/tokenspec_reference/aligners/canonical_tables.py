"""The constant tables of ``nw-compat`` canonicalisation, as they are upstream, mistakes included (``ALN-031``).

Most entries are "the spelling of these characters in the GPT-2 byte alphabet", so they are written that way; the
entries that no byte-level tokenizer produces are written out and say so.
"""

from __future__ import annotations


def _byte_alphabet() -> dict[int, str]:
    """The GPT-2 byte alphabet: printable Latin-1 stands for itself, the other 68 bytes for U+0100 onwards."""
    itself = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in itself]
    return {byte: chr(byte) for byte in itself} | {byte: chr(256 + n) for n, byte in enumerate(others)}


BYTE_TO_CHARACTER = _byte_alphabet()
CHARACTER_TO_BYTE = {character: byte for byte, character in BYTE_TO_CHARACTER.items()}
SPACE = BYTE_TO_CHARACTER[0x20]
NEWLINE = BYTE_TO_CHARACTER[0x0A]
TAB = BYTE_TO_CHARACTER[0x09]


def byte_level_spelling(text: str) -> str:
    """How a byte-level tokenizer writes ``text`` in its vocabulary file."""
    return "".join(BYTE_TO_CHARACTER[byte] for byte in text.encode())


# Only the first and the last entry agree with the byte alphabet; see the table in the spec.
VISUAL_BYTES: dict[str, int] = (
    {"\u00f0": 240}
    | {chr(0x0196 + n): 241 + n for n in range(15)}
    | {chr(0x0125 + n): 128 + n for n in range(32)}
    | {"\u0122": 162, "\u0123": 163}
    | {chr(0x011C + n): 28 + n for n in range(4)}
)

# Order matters: replacements are made one after another, so the bare A-tilde hides the nine entries behind it.
UNICODE_FIXES: tuple[tuple[str, str], ...] = (
    *((byte_level_spelling(text), text) for text in "ñáé"),
    ("\u00c3\u00ad", "í"),  # byte AD is spelled U+0143, so nothing produces this
    *((byte_level_spelling(text), text) for text in "óú"),
    ("\u00c3", "À"),
    *((byte_level_spelling(text), text) for text in "âçèëîôùûÿ"),
    *((byte_level_spelling(text), text) for text in ("中", "文", "日本", "語", "Рус", "ский", "العربية", "ह")),
    (byte_level_spelling("िं"), "हिं"),  # invents a consonant
    *((byte_level_spelling(text), text) for text in ("दी", *"∑∏∂∇∞√∫≈≠≤≥")),
)


def _two_token_fix(character: str, *, space_first: bool = True) -> tuple[tuple[tuple[str, str], str], ...]:
    """The character cut before its last byte, with and without a leading space mark on both sides."""
    spelling = byte_level_spelling(character)
    plain = ((spelling[:-1], spelling[-1]), character)
    spaced = ((SPACE + spelling[:-1], spelling[-1]), SPACE + character)
    return (spaced, plain) if space_first else (plain, spaced)


TWO_TOKEN_FIXES: tuple[tuple[tuple[str, str], str], ...] = (
    *(fix for character in "∑∏∂∇∞√∫≠中" for fix in _two_token_fix(character)),
    *_two_token_fix("文", space_first=False),
)

SPECIAL_TOKENS: dict[str, str] = {"<|begin_of_text|>": "<bos>", "<bos>": "<bos>", "<pad>": ""}
