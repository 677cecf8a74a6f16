"""Next-token logits of a context, from scratch each time: a table, or a Qwen2 forward pass in float64."""

from __future__ import annotations

import math
from typing import Any, Protocol

from tokenspec.areas.engines.oracle.texts import Texts
from tokenspec.areas.engines.records import Scripted, Tiny


class Predictor(Protocol):
    """``context`` is prompt and everything after it; ``window`` is the M of ``window:M``, None for full attention.

    ``limit`` is the longest context the model has positions for.
    """

    limit: int | None

    def logits(self, context: list[int], prompt_length: int, window: int | None) -> list[float]:
        """Logits of the next token, one per vocabulary entry."""
        ...


class TablePredictor:
    """A scripted model."""

    def __init__(self, model: Scripted) -> None:
        """Keep the table."""
        self.model = model
        self.limit = model.position_limit

    def logits(self, context: list[int], prompt_length: int, window: int | None) -> list[float]:
        """See the protocol; ``window`` is never used with a table."""
        del window
        after = [self.model.pieces[token] for token in context[prompt_length:]]
        separators = after.count(self.model.separator)
        row = self.model.rows[min(len(after) - separators, len(self.model.rows) - 1)]
        return [
            math.nan
            if (value := row.get(piece, self.model.default_logit)) is None
            else value + separators * self.model.per_separator.get(piece, 0.0)
            for piece in self.model.pieces
        ]


def uniform(seed: int, matrix: int, count: int) -> Any:
    """``count`` numbers of the chapter's formula, as float64."""
    import numpy as np

    mask = 2**64 - 1
    with np.errstate(over="ignore"):
        h = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        h += np.uint64((seed * 0x9E3779B97F4A7C15 + matrix * 0xD1B54A32D192ED03) & mask)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            h ^= h >> np.uint64(shift)
            h *= np.uint64(factor)
        h ^= h >> np.uint64(31)
    return (h >> np.uint64(40)).astype(np.float64) / 2.0**23 - 1.0


class Qwen2Predictor:
    """A tiny model, written from the architecture's description."""

    def __init__(self, model: Tiny, vocabulary: int, separator: int) -> None:
        """Fill the matrices; a separator beyond them gets the mean row."""
        self.model = model
        self.limit: int | None = model.positions
        self.number = 0
        width, heads, shared = model.hidden, model.heads, model.key_value_heads
        self.size = width // heads
        self.embedding = self._matrix(vocabulary, width)
        self.layers = []
        for _ in range(model.layers):
            layer = {}
            for name, rows in (("q", width), ("k", shared * self.size), ("v", shared * self.size)):
                layer[name], layer[name + "b"] = self._matrix(rows, width), self._matrix(1, rows)[0]
            layer["o"] = self._matrix(width, width)
            layer["gate"] = self._matrix(model.intermediate, width)
            layer["up"] = self._matrix(model.intermediate, width)
            layer["down"] = self._matrix(width, model.intermediate)
            self.layers.append(layer)
        self.head = self.embedding if model.tied else self._matrix(vocabulary, width)
        if separator >= vocabulary:
            self.embedding, self.head = (self._extended(each, separator) for each in (self.embedding, self.head))

    def _matrix(self, rows: int, columns: int) -> Any:
        values = self.model.scale * uniform(self.model.seed, self.number, rows * columns)
        self.number += 1
        return values.reshape(rows, columns)

    @staticmethod
    def _extended(matrix: Any, separator: int) -> Any:
        import numpy as np

        mean = matrix.mean(axis=0, keepdims=True)
        return np.concatenate([matrix, np.repeat(mean, separator + 1 - len(matrix), axis=0)])

    def logits(self, context: list[int], prompt_length: int, window: int | None) -> list[float]:
        """See the protocol."""
        import numpy as np

        count = len(context)
        query, key = np.arange(count)[:, None], np.arange(count)[None]
        visible = key <= query
        if window is not None:
            visible &= (query < prompt_length) | (key >= query - window)
        state = self.embedding[context]
        for layer in self.layers:
            normal = _normalised(state)
            state = state + self._attention(normal, layer, visible) @ layer["o"].T
            normal = _normalised(state)
            gate = normal @ layer["gate"].T
            state = state + (gate / (1 + np.exp(-gate)) * (normal @ layer["up"].T)) @ layer["down"].T
        result: list[float] = (_normalised(state)[-1] @ self.head.T).tolist()
        return result

    def _attention(self, normal: Any, layer: dict[str, Any], visible: Any) -> Any:
        import numpy as np

        groups = self.model.heads // self.model.key_value_heads
        query = self._heads(normal @ layer["q"].T + layer["qb"], self.model.heads, rotate=True)
        key = self._heads(normal @ layer["k"].T + layer["kb"], self.model.key_value_heads, rotate=True)
        value = self._heads(normal @ layer["v"].T + layer["vb"], self.model.key_value_heads, rotate=False)
        mixed = []
        for head in range(self.model.heads):
            scores = query[head] @ key[head // groups].T / math.sqrt(self.size)
            scores = np.where(visible, scores, -np.inf)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            mixed.append(weights / weights.sum(axis=1, keepdims=True) @ value[head // groups])
        return np.concatenate(mixed, axis=1)

    def _heads(self, values: Any, heads: int, *, rotate: bool) -> list[Any]:
        """Split into heads; rotary positions turn element ``i`` against element ``i + size / 2``."""
        import numpy as np

        split = [values[:, head * self.size : (head + 1) * self.size] for head in range(heads)]
        if not rotate:
            return split
        half = self.size // 2
        angle = np.arange(len(values))[:, None] * 10000.0 ** (-np.arange(half) / half)[None]
        cos, sin = np.cos(angle), np.sin(angle)
        return [
            np.concatenate([x[:, :half] * cos - x[:, half:] * sin, x[:, half:] * cos + x[:, :half] * sin], axis=1)
            for x in split
        ]


def _normalised(state: Any) -> Any:
    """RMSNorm with unit weights and epsilon 1e-6."""
    import numpy as np

    return state / np.sqrt((state**2).mean(axis=1, keepdims=True) + 1e-6)


def predictor_of(model: Scripted | Tiny, texts: Texts, vocabulary: int) -> Predictor:
    """The predictor of a described model."""
    if isinstance(model, Scripted):
        return TablePredictor(model)
    return Qwen2Predictor(model, vocabulary + model.padding, texts.separator)
