"""The reference behind the adapter protocol: one operation per area, each a function in its area's folder.

Plain JSON in, plain JSON out. This module imports nothing heavy: an area is imported when its operation is first asked
for, so judging renderers never loads torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from . import __version__

AREA_OF = {
    "render": "renderers",
    "parse": "renderers",
    "bridge": "renderers",
    "process_logits": "processors",
    "fast_forward": "fast_forward",
    "align": "aligners",
    "segment": "engines",
    "render_template": "renderers",
}
KEPT_MODELS = 4
"""How many rows stay loaded: a vocabulary of 150k tokens takes some hundred megabytes."""


@dataclass(frozen=True)
class LoadedModel:
    """One row as the suite hands it over: a Hugging Face tokenizer folder and its chat template.

    ``family`` names the renderer; ``directory`` holds ``tokenizer.json``, ``tokenizer_config.json`` and
    ``chat_template.jinja``. ``wire`` are the row's declared facts: ``assistant_open``, ``assistant_close``,
    ``placeholder`` (lists of strings) and ``straddle``.
    """

    id: str
    directory: str
    family: str
    chat_template: str
    status: str
    wire: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def tokenizer(self) -> Any:
        """The ``transformers`` fast tokenizer of the folder (loaded once)."""
        from transformers import PreTrainedTokenizerFast

        return PreTrainedTokenizerFast.from_pretrained(self.directory)


class ReferenceAdapter:
    """The column ``reference``."""

    def __init__(self) -> None:
        """Start without models; the suite loads them one by one."""
        self.models: dict[str, LoadedModel] = {}

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "tokenspec-reference", "version": __version__, "language": "python"}

    def prepare(self, operation: str) -> None:
        """Import what an operation needs: torch alone can take longer than an answer may."""
        import_module(f"tokenspec_reference.{AREA_OF[operation]}.adapter")
        if operation in {"process_logits", "align", "segment"}:
            import_module("torch")

    def load(self, model: str, assets: Mapping[str, Any]) -> None:
        """Make the row ``model`` available. Its tokenizer is loaded now: that takes longer than an answer may.

        Raises:
            UnknownFamily: the row names a family that nobody wrote; ``template`` renders a row that has none.
        """
        from .renderers.create import check_family

        check_family(assets["family"])
        while len(self.models) >= KEPT_MODELS and model not in self.models:
            del self.models[next(iter(self.models))]
        loaded = LoadedModel(
            model,
            assets["directory"],
            assets["family"],
            assets["chat_template"],
            assets["status"],
            assets.get("wire", {}),
        )
        loaded.tokenizer  # noqa: B018 - loads it
        self.models[model] = loaded

    def close(self) -> None:
        """Drop the loaded tokenizers."""
        self.models.clear()

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """Chat messages to token ids and masks."""
        from .renderers.adapter import render

        return render(request, self.models)

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """Completion ids back to a message."""
        from .renderers.adapter import parse

        return parse(request, self.models)

    def bridge(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sampled ids plus new messages to the next prompt."""
        from .renderers.adapter import bridge

        return bridge(request, self.models)

    def process_logits(self, request: dict[str, Any]) -> dict[str, Any]:
        """A script of logits-processor steps to allow-sets and masks."""
        from .processors.adapter import process_logits

        return process_logits(request, self.models)

    def fast_forward(self, request: dict[str, Any]) -> dict[str, Any]:
        """A grammar and a prefix to the tokens it forces."""
        from .fast_forward.adapter import fast_forward

        return fast_forward(request, self.models)

    def align(self, request: dict[str, Any]) -> dict[str, Any]:
        """Two tokenisations of one text to index pairs."""
        from .aligners.adapter import align

        return align(request, self.models)

    def segment(self, request: dict[str, Any]) -> dict[str, Any]:
        """A reasoning trace to segment offsets."""
        from .engines.adapter import segment

        return segment(request, self.models)

    def render_template(self, request: dict[str, Any]) -> dict[str, Any]:
        """A chat template and its variables to text."""
        from .renderers.template.engine import render_template

        return render_template(request)
