"""The reference behind the adapter protocol: one operation per area, each a function in its area's folder.

Plain JSON in, plain JSON out. This module imports nothing heavy: an area is imported when its operation is first asked
for, so judging renderers never loads torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from . import __version__
from .loaded_model import LoadedModel, load_into

AREA_OF = {
    "render": "renderers",
    "parse": "renderers",
    "parse_stream": "renderers",
    "bridge": "renderers",
    "render_media": "renderers",
    "process_logits": "processors",
    "fast_forward": "fast_forward",
    "grammar_mask": "fast_forward",
    "align": "aligners",
    "segment": "engines",
    "render_template": "renderers",
}
NEEDS = {
    "load": ("transformers",),
    **dict.fromkeys(("process_logits", "align", "segment"), ("torch",)),
}
"""The modules that an operation takes beside those of a plain install; ``load`` stands for every cell on a model."""
WITHOUT = {operation: ["toy-added"] for operation in ("parse", "parse_stream", "bridge")}


class ReferenceAdapter:
    """The column ``reference``. It claims every cell, as the template answers it: what it leaves unanswered fails.

    But for one row, whose template writes thoughts in a notation of its own, which nothing derives.
    """

    capabilities: Mapping[str, Mapping[str, Any]] = {
        operation: {"claim": {"source": "template", "without": WITHOUT.get(operation, [])}} for operation in AREA_OF
    }

    needs: Mapping[str, Sequence[str]] = NEEDS

    def __init__(self) -> None:
        """Start without models; the suite loads them one by one."""
        self.models: dict[str, LoadedModel] = {}

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "tokenspec-reference", "version": __version__, "language": "python"}

    def prepare(self, operation: str) -> None:
        """Import what an operation needs: torch alone can take longer than an answer may."""
        import_module(f"tokenspec_reference.{AREA_OF[operation]}.adapter")
        for module in NEEDS.get(operation, ()):
            import_module(module)

    def load(self, model: str, assets: Mapping[str, Any]) -> None:
        """Make the row ``model`` available. Its tokenizer is loaded now: that takes longer than an answer may.

        Raises:
            UnknownFamily: the row names a family that nobody wrote; ``template`` renders a row that has none.
        """
        from .renderers.families import check_family

        if assets["family"] is not None:
            check_family(assets["family"])
        load_into(self.models, model, assets)

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

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """Chunks of completion ids to what becomes known with each."""
        from .renderers.adapter import parse_stream

        return parse_stream(request, self.models)

    def bridge(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sampled ids plus new messages to the next prompt."""
        from .renderers.adapter import bridge

        return bridge(request, self.models)

    def render_media(self, request: dict[str, Any]) -> dict[str, Any]:
        """Messages with pictures and videos to ids in which each has its placeholders."""
        from .renderers.media.adapter import render_media

        return render_media(request, self.models)

    def process_logits(self, request: dict[str, Any]) -> dict[str, Any]:
        """A script of logits-processor steps to allow-sets and masks."""
        from .processors.adapter import process_logits

        return process_logits(request, self.models)

    def fast_forward(self, request: dict[str, Any]) -> dict[str, Any]:
        """A grammar and a prefix to the tokens it forces."""
        from .fast_forward.adapter import fast_forward

        return fast_forward(request, self.models)

    def grammar_mask(self, request: dict[str, Any]) -> dict[str, Any]:
        """A grammar behind a prefix to the ids it allows, step by step."""
        from .fast_forward.mask_script import grammar_mask

        return grammar_mask(request, self.models)

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


class TemplateAdapter:
    """The column ``reference-template``: every row by the ``template`` family, also one that has its own."""

    name = "reference-template"
    assets: Mapping[str, Any] = {"family": "template"}
    needs: Mapping[str, Sequence[str]] = NEEDS

    def __init__(self) -> None:
        """Start without models."""
        self._reference = ReferenceAdapter()

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {**self._reference.info(), "name": f"tokenspec-{self.name}"}

    def load(self, model: str, assets: Mapping[str, Any]) -> None:
        """Make the row ``model`` available, whatever its family."""
        self._reference.load(model, {**assets, **self.assets})

    def close(self) -> None:
        """Drop the loaded tokenizers."""
        self._reference.close()

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """Chat messages to token ids and masks."""
        return self._reference.render(request)

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """Completion ids back to a message."""
        return self._reference.parse(request)

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """Chunks of completion ids to what becomes known with each."""
        return self._reference.parse_stream(request)

    def bridge(self, request: dict[str, Any]) -> dict[str, Any]:
        """Sampled ids plus new messages to the next prompt."""
        return self._reference.bridge(request)


class DoorAdapter(TemplateAdapter):
    """The column ``reference-door``: every row by ``create_renderer(tokenizer)``, told neither family nor wire."""

    name = "reference-door"
    assets: Mapping[str, Any] = {"family": None, "wire": {}}

    def render_media(self, request: dict[str, Any]) -> dict[str, Any]:
        """Messages with pictures and videos to ids in which each has its placeholders."""
        return self._reference.render_media(request)
