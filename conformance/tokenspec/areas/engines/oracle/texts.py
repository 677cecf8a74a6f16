"""Tokens of a trace with their starts, the prompt, and the separator candidates."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from tokenspec.areas.engines.records import EnginesInput, Scripted

DEFAULT_SEPARATOR = "<|seg|>"
STEP_WORDS = ("Step", " Step")


@dataclass(frozen=True)
class Texts:
    """Everything a tokenizer contributes. ``cuttable[i]``: a cut before token ``i`` divides no character."""

    trace: str
    ids: list[int]
    starts: list[int]
    cuttable: list[bool]
    prompt: list[int]
    candidates: list[int]
    separator: int

    def before(self, index: int) -> str:
        """The previous character of token ``index``."""
        start = self.starts[index]
        return self.trace[start - 1] if self.cuttable[index] and start else ""


def scripted_tokens(pieces: list[str], text: str) -> list[tuple[int, int, int]]:
    """``(id, start, end)`` by longest match; a character that begins no piece is unknown."""
    found: list[tuple[int, int, int]] = []
    at = 0
    while at < len(text):
        best = max((piece for piece in pieces if text.startswith(piece, at)), key=len, default="")
        end = at + (len(best) or 1)
        found.append((pieces.index(best) if best else len(pieces), at, end))
        at = end
    return found


def texts_of(given: EnginesInput, tokenizer: Any, chat_template: str | None) -> Texts:
    """Tokenize what the engine will read. ``tokenizer`` is the row's, None for scripted models."""
    parameters = given.parameters
    separator = parameters.get("sep_tok", DEFAULT_SEPARATOR)
    system = parameters.get("system_prompt", "")
    if isinstance(given.model, Scripted):
        pieces = given.model.pieces
        spans = scripted_tokens(pieces, given.trace)
        single = [
            token[0] for word in STEP_WORDS if len(token := [t for t, _, _ in scripted_tokens(pieces, word)]) == 1
        ]
        prompt = [token for token, _, _ in scripted_tokens(pieces, given.model.prompt or "")]
        inserted = pieces.index(separator)
    else:
        vocabulary = tokenizer.get_vocab()
        inserted = vocabulary.get(separator, max(vocabulary.values()) + 1)
        if separator not in vocabulary and separator in given.trace + system:
            tokenizer = copy.deepcopy(tokenizer)
            tokenizer.add_tokens([separator], special_tokens=True)
        encoding = tokenizer(given.trace, add_special_tokens=False, return_offsets_mapping=True)
        spans = [
            (token, start, end)
            for token, (start, end) in zip(encoding["input_ids"], encoding["offset_mapping"], strict=True)
        ]
        encoded = [tokenizer.encode(word, add_special_tokens=False) for word in STEP_WORDS]
        single = [ids[0] for ids in encoded if len(ids) == 1]
        messages = [{"role": "system", "content": system}, {"role": "user", "content": given.trace}]
        if parameters.get("system_role") == "merge":
            messages = [{"role": "user", "content": f"{system}\n\n{given.trace}"}]
        text = tokenizer.apply_chat_template(
            messages,
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
            chat_template=parameters.get("chat_template", chat_template),
        )
        prompt = tokenizer.encode(text, add_special_tokens=False)
    starts, cuttable = _starts(given.trace, spans)
    return Texts(given.trace, [t for t, _, _ in spans], starts, cuttable, prompt, [*single, inserted], inserted)


def _starts(trace: str, spans: list[tuple[int, int, int]]) -> tuple[list[int], list[bool]]:
    """Per token where it begins (white space that nobody covers is its own), and whether a segment may begin there."""
    starts: list[int] = []
    cuttable: list[bool] = []
    for index, (_, start, _) in enumerate(spans):
        covered = max((end for _, _, end in spans[:index]), default=0)
        own = start
        while own > covered and trace[own - 1].isspace():
            own -= 1
        begins = max([own, *starts])
        cuttable.append(begins == own and own >= covered and all(own > earlier for earlier in starts))
        starts.append(begins)
    return starts, cuttable
