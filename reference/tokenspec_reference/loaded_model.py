"""What the operations of every area are given of a model row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

KEPT_MODELS = 4
"""How many rows stay loaded: a vocabulary of 150k tokens takes some hundred megabytes."""

KEPT_RENDERERS = 16
"""How many renderers a row keeps: one for each set of options that is asked for in turn."""


@dataclass(frozen=True)
class LoadedModel:
    """One row as the suite hands it over: a Hugging Face tokenizer folder and its chat template.

    ``family`` names the renderer, None where it is to be found; ``directory`` holds ``tokenizer.json``,
    ``tokenizer_config.json`` and ``chat_template.jinja``. ``wire`` are the row's declared facts: ``assistant_open``,
    ``assistant_close``, ``placeholder`` (lists of strings) and ``straddle``. ``renderers`` are those that were asked
    for last, by what asked for them; ``kept`` is what else was made of the row, as long as it is loaded.
    """

    id: str
    directory: str
    family: str | None
    chat_template: str
    status: str
    wire: Mapping[str, Any] = field(default_factory=dict)
    renderers: dict[str, Any] = field(default_factory=dict, compare=False)
    kept: dict[str, Any] = field(default_factory=dict, compare=False)

    @cached_property
    def tokenizer(self) -> Any:
        """The ``transformers`` fast tokenizer of the folder (loaded once)."""
        from transformers import PreTrainedTokenizerFast

        return PreTrainedTokenizerFast.from_pretrained(self.directory)

    def renderer(self, asked: str, create: Callable[[], Any]) -> Any:
        """The renderer that was made for what is asked, as long as it is kept; else a new one."""
        found = self.renderers.pop(asked, None) or create()
        while len(self.renderers) >= KEPT_RENDERERS:
            del self.renderers[next(iter(self.renderers))]
        self.renderers[asked] = found
        return found


def load_into(models: dict[str, LoadedModel], model: str, assets: Mapping[str, Any]) -> None:
    """Make the row ``model`` the youngest of ``models``; the oldest goes where there are too many.

    Its tokenizer is loaded now, unless it was: that takes longer than an answer may.
    """
    loaded = LoadedModel(
        model,
        assets["directory"],
        assets["family"],
        assets["chat_template"],
        assets["status"],
        assets.get("wire", {}),
    )
    before = models.pop(model, None)
    while len(models) >= KEPT_MODELS:
        del models[next(iter(models))]
    if before == loaded:
        loaded = before
    loaded.tokenizer  # noqa: B018 - loads it
    models[model] = loaded
