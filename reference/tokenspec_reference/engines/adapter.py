"""The operation ``segment``: plain JSON in, plain JSON out.

Request: ``row`` (whose tokenizer a tiny model uses), ``model`` (a scripted or tiny model, or null), ``trace``,
``engines`` (names), ``parameters`` (options of the call), ``given`` (segmentations to fuse beside the engines'),
``fusion``, ``gold`` (offsets to compare with) and ``base_units`` (starts, instead of a base segmenter).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import tokenspec_reference.engines as package
from tokenspec_reference import __version__
from tokenspec_reference.engines import metrics
from tokenspec_reference.engines.__main__ import ENGINES, FUSIONS
from tokenspec_reference.engines.base_units import rule_based_starts
from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.options import option_names
from tokenspec_reference.engines.orchestrator import RTSeg, taken_by
from tokenspec_reference.engines.recorded_model import RecordedModel
from tokenspec_reference.engines.scripted_model import ScriptedModel, ScriptedTokenizer
from tokenspec_reference.engines.segmentation import Segmentation, unlabelled
from tokenspec_reference.engines.tiny_model import TinyModel
from tokenspec_reference.errors import placed
from tokenspec_reference.loaded_model import LoadedModel, load_into


@dataclass(frozen=True)
class Given:
    """A segmentation that is there already, as an engine."""

    result: Segmentation

    def segment(self, trace: str) -> Segmentation:
        """The segmentation, whatever the trace."""
        del trace
        return self.result


OBJECTS = frozenset({"base_segmenter", "few_units", "model", "model_name", "progress", "tokenizer"})
"""Keywords of the engines that are no options of a request."""

PLACES = {
    "aligner": "/fusion",
    "logits": "/model",
    "predicted": "/gold",
    "segmentations": "/given",
    "tokenizer": "/model",
}


def segment(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """Run the engines of the request on its trace.

    Raises:
        TokenSpecError: typed refusals; unknown names of engines, fusions and models.
    """
    with placed(lambda error: _place(error.field, request)):
        return _segmented(request, models)


def _place(field: str | None, request: Mapping[str, Any]) -> str:
    """The pointer to what an error calls ``field``: options stand below ``parameters``, and what is fused
    below ``engines`` and behind those ``given``.
    """
    if field is None:
        return ""
    name, _, rest = field.partition("[")
    if name in ("segmentations", "labels") and rest:
        number, of_engines = int(rest.partition("]")[0]), len(request.get("engines") or [])
        return f"/engines/{number}" if number < of_engines else f"/given/{number - of_engines}"
    return PLACES.get(name) or (f"/{name}" if name in request else f"/parameters/{name}")


def _segmented(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    parameters = dict(request.get("parameters") or {})
    for name in OBJECTS.intersection(parameters):
        with placed(f"/parameters/{name}"):
            raise InvalidParameter("no option of a request: it is an object, or stands beside the options", field=name)
    engines = _engines(request)
    if request.get("model") is not None:
        _refuse_another_kind(request["model"], engines)
        parameters = _model(request["model"], request.get("row", "-"), models) | parameters
    starts = request.get("base_units")
    segmenter = RTSeg(
        engines,
        aligner=_named(request["fusion"], FUSIONS, "fusion") if request.get("fusion") else None,
        label_fusion_type=parameters.pop("label_fusion_type", "majority"),
        max_kv_tokens=None,
        base_segmenter=rule_based_starts if starts is None else lambda _trace, _unit: starts,
    )
    result = segmenter.segment(request["trace"], **parameters)
    answer: dict[str, Any] = {
        "offsets": [list(pair) for pair in result.offsets],
        "labels": result.labels,
        "threshold": result.curve.threshold if result.curve else None,
        "margin": result.margin,
        "close": list(result.close),
        "reach": result.curve.reach if result.curve else None,
        "forwards": result.forwards,
    }
    if request.get("gold") is not None:
        gold = [(start, end) for start, end in request["gold"]]
        answer["agreement"] = asdict(metrics.agreement(gold, result.offsets))
        if result.of_engines:
            answer["group"] = asdict(metrics.group_agreement([gold, *result.of_engines], len(request["trace"])))
    return answer


def _engines(request: dict[str, Any]) -> list[Any]:
    engines = [_named(name, ENGINES, "engines") for name in request.get("engines") or []]
    for given in request.get("given") or []:
        offsets = [(start, end) for start, end in given["offsets"]]
        labels = given.get("labels")
        result = unlabelled(offsets) if labels is None else Segmentation(offsets, list(labels))
        engines.append(Given(result))
    return engines


def _named(name: str, known: Mapping[str, str], field: str) -> Any:
    if name not in known:
        raise InvalidParameter(f"{name!r} is not one of {', '.join(known)}", field=field)
    return getattr(package, known[name])


def _refuse_another_kind(description: dict[str, Any], engines: list[Any]) -> None:
    """A recording has no logits, and the other models answer no question."""
    for engine in engines:
        question = getattr(engine, "question", "")
        if "model" in (taken_by(engine) or ()) and bool(question) != (description.get("kind") == "recorded"):
            wanted = f"answers of a recorded one ({question})" if question else "logits of a scripted or tiny one"
            raise InvalidParameter(f"this engine needs the {wanted}", field="model")


def _model(description: dict[str, Any], row: str, models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """The options ``model`` and ``tokenizer`` (and the row's chat template) of a description."""
    fields = dict(description)
    kind = fields.pop("kind", None)
    if kind == "scripted":
        pieces = tuple(fields.pop("pieces"))
        spoken = {name: fields.pop(name) for name in ("prompt", "refuses_system") if name in fields}
        tokenizer = ScriptedTokenizer(pieces, **spoken)
        fields["rows"] = tuple(fields["rows"])
        return {"model": ScriptedModel(pieces, **fields), "tokenizer": tokenizer}
    if kind == "tiny":
        if row not in models:
            raise InvalidParameter(f"a tiny model needs the tokenizer of a loaded row, got {row!r}", field="row")
        loaded = models[row]
        size = max(loaded.tokenizer.get_vocab().values()) + 1 + fields.pop("padding", 0)
        model = TinyModel(vocabulary=size, **fields).build()
        return {"model": model, "tokenizer": loaded.tokenizer, "chat_template": loaded.chat_template}
    if kind == "recorded":
        entailments = [(each["premise"], each["hypothesis"], each["shares"]) for each in fields.pop("entailments", ())]
        return {"model": RecordedModel(entailments=entailments, **fields)}
    raise InvalidParameter(f"{kind!r} is not 'scripted', 'tiny' or 'recorded'", field="model")


class SequentialColumn:
    """The sequential twin as a column of its own: ``--impl tokenspec_reference.engines.adapter:SequentialColumn``."""

    def __init__(self) -> None:
        """Start without models."""
        self.models: dict[str, LoadedModel] = {}

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "tokenspec-reference-sequential", "version": __version__, "language": "python"}

    def load(self, model: str, assets: Mapping[str, Any]) -> None:
        """See the reference."""
        load_into(self.models, model, assets)

    def segment(self, request: dict[str, Any]) -> dict[str, Any]:
        """The operation, with every engine that has a twin replaced by it."""
        engines = [getattr(package, ENGINES[name]) for name in request.get("engines") or [] if name in ENGINES]
        if not any("algorithm" in option_names(getattr(engine, "options", ())) for engine in engines):
            return segment(request, self.models)
        parameters = {**(request.get("parameters") or {}), "algorithm": "sequential"}
        return segment({**request, "parameters": parameters}, self.models)
