"""A model that is a table: fixtures without weights, readable in any language.

The state after the prompt is two counters: ``p`` trace tokens read and ``n`` separators inserted (a literal separator
in the trace counts as a separator too). Row ``p`` of the table gives the logits of the next token:
``rows[p][piece] + n * per_separator[piece]``, and ``default_logit`` for pieces the row does not name. Rows beyond the
table repeat the last one.
The tokenizer takes the longest piece at every place; pieces are the vocabulary, ids are their positions. A character
that begins no piece is an unknown token, whose id the model has no row for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.reading import check_positions
from tokenspec_reference.engines.rows import FullRows
from tokenspec_reference.engines.sessions import CachePolicy


@dataclass(frozen=True)
class ScriptedTokenizer:
    """Longest match over ``pieces``; the chat template is the text ``prompt`` whatever the messages say.

    ``refuses_system`` raises as a template without a system role does; ``prompt=None`` is a tokenizer without template.
    """

    pieces: tuple[str, ...]
    prompt: str | None = "<P>"
    refuses_system: bool = False
    is_fast: bool = True

    def __post_init__(self) -> None:
        """Refuse a vocabulary that names nothing or two things."""
        if "" in self.pieces or len(set(self.pieces)) != len(self.pieces):
            raise InvalidParameter("pieces are non-empty and distinct", field="model")

    @property
    def chat_template(self) -> str | None:
        """Truthy when there is a template."""
        return self.prompt

    def get_vocab(self) -> dict[str, int]:
        """Piece to id."""
        return {piece: index for index, piece in enumerate(self.pieces)}

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        """Ids of ``text``; ``add_special_tokens`` is accepted and has nothing to add."""
        del add_special_tokens
        return [token for token, _, _ in self._matches(text)]

    def __call__(self, text: str, **options: Any) -> Mapping[str, Any]:
        """Ids and spans, as a fast tokenizer returns them."""
        del options
        found = self._matches(text)
        return {
            "input_ids": [token for token, _, _ in found],
            "offset_mapping": [(start, end) for _, start, end in found],
        }

    def decode(self, token_ids: Sequence[int], **options: Any) -> str:
        """The concatenated pieces."""
        del options
        return "".join(self.pieces[token] for token in token_ids)

    def apply_chat_template(self, conversation: list[dict[str, str]], **options: Any) -> str:
        """The fixed prompt."""
        from jinja2.exceptions import TemplateError

        del options
        if self.refuses_system and conversation[0]["role"] == "system":
            raise TemplateError("System role not supported")
        return self.prompt or ""

    def _matches(self, text: str) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        cursor = 0
        while cursor < len(text):
            fitting = [(len(piece), index) for index, piece in enumerate(self.pieces) if text.startswith(piece, cursor)]
            length, index = max(fitting, default=(1, len(self.pieces)))
            found.append((index, cursor, cursor + length))
            cursor += length
        return found


@dataclass(frozen=True)
class ScriptedModel:
    """The table. ``rows[p]`` maps pieces to logits (None means NaN); ``per_separator`` is added per separator read."""

    pieces: tuple[str, ...]
    rows: tuple[Mapping[str, float | None], ...]
    separator: str = "<|seg|>"
    per_separator: Mapping[str, float] = field(default_factory=dict)
    default_logit: float = -30.0
    position_limit: int | None = None

    @property
    def vocabulary_size(self) -> int:
        """One row per piece."""
        return len(self.pieces)

    @property
    def epsilon(self) -> float:
        """A table has no rounding."""
        return 0.0

    def open_rows(self, policy: CachePolicy, prompt_length: int) -> ScriptedSession:
        """See :class:`SessionSource`."""
        return ScriptedSession(self, policy, prompt_length)

    def open_steps(self, policy: CachePolicy, prompt_length: int) -> ScriptedSession:
        """See :class:`SessionSource`."""
        return ScriptedSession(self, policy, prompt_length)

    def logits(self, read: int, separators: int) -> list[float]:
        """All logits after ``read`` trace tokens and ``separators`` separators."""
        row = self.rows[min(read, len(self.rows) - 1)]
        values = [row.get(piece, self.default_logit) for piece in self.pieces]
        return [
            float("nan") if value is None else value + separators * self.per_separator.get(piece, 0.0)
            for piece, value in zip(self.pieces, values, strict=True)
        ]


class ScriptedSession:
    """Only two counters per context length matter, so the context is the list of separator counts."""

    def __init__(self, model: ScriptedModel, policy: CachePolicy, prompt_length: int) -> None:
        if policy.kind != "none":
            raise InvalidParameter("a scripted model has no cache to cut; use 'none'", field="cache_policy")
        self.forwards = 0
        self.model = model
        self.prompt_length = prompt_length
        self.separator = model.pieces.index(model.separator)
        self.separators = [0]  # separators[length]: how many were read after the prompt in a context of that length

    def room(self) -> int | None:
        """See :class:`Session`."""
        return None

    def read(self, token_ids: Sequence[int], keep: int) -> FullRows:
        """See :class:`Session`; rows are float64."""
        import torch

        for token in token_ids:
            counted = token == self.separator and len(self.separators) > self.prompt_length
            self.separators.append(self.separators[-1] + counted)
        length = len(self.separators) - 1
        check_positions(length, self.model.position_limit)
        self.forwards += 1
        read = range(length - len(token_ids) + 1, length + 1)
        rows = [self._logits(shorter) for shorter in read[len(token_ids) - keep :]]
        return FullRows(torch.tensor(rows, dtype=torch.float64))

    def _logits(self, length: int) -> list[float]:
        separators = self.separators[length]
        return self.model.logits(max(0, length - self.prompt_length) - separators, separators)

    def rewind(self, count: int) -> None:
        """See :class:`Session`."""
        if count:
            del self.separators[-count:]

    def settle(self) -> None:
        """Nothing is ever evicted."""
