"""``RTSeg``: one or several engines, and how their segmentations become one.

Keyword arguments of a call belong to that call: each goes to the engines and to the fusion that know it, one that
nobody knows is refused, and nothing is remembered but what ``default_kwargs`` of an engine says. As in RT-SEG,
``max_kv_tokens`` is 512 here unless it or ``cache_policy`` is given; engines called by themselves keep everything.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from tokenspec_reference.engines.base_units import BaseSegmenter, BaseUnit, rule_based_starts
from tokenspec_reference.engines.errors import InvalidParameter, MissingFusion
from tokenspec_reference.engines.label_fusion import LabelFusion, LabelMode
from tokenspec_reference.engines.loading import load_model
from tokenspec_reference.engines.local_models import kind_of
from tokenspec_reference.engines.offsets import Offsets
from tokenspec_reference.engines.options import option_names
from tokenspec_reference.engines.parameters import one_of
from tokenspec_reference.engines.progress import progress_bar
from tokenspec_reference.engines.seg_base import SegBase
from tokenspec_reference.engines.segmentation import Progress, Segmentation

MAX_KV_TOKENS = 512  # RT-SEG's default; another cache_policy takes its place


class Engine(Protocol):
    """Anything with a ``segment``; its keyword-only parameters are the arguments it knows."""

    segment: Callable[..., Segmentation]


class RTSeg:
    """Segment reasoning traces with one engine, or with several and a fusion: ``RTSeg(RTNewLine)(trace)``."""

    def __init__(
        self,
        engines: Any,
        aligner: Any = None,
        label_fusion_type: LabelMode = "majority",
        seg_base_unit: BaseUnit = "clause",
        model_base: str | None = None,
        *,
        max_kv_tokens: int | None = MAX_KV_TOKENS,
        base_segmenter: BaseSegmenter = rule_based_starts,
    ) -> None:
        """Choose engines and fusion.

        Args:
            engines: an engine class or instance, or a list of them.
            aligner: a fusion class (``fuse(segmentations, **options)``); required for several engines.
            label_fusion_type: ``majority`` or ``concat``.
            seg_base_unit: ``clause`` or ``sent``, for engines that group base units.
            model_base: the model of engines that read one, where a call names none.
            max_kv_tokens: the cap of engines that read a causal model, where a call gives neither it nor a
                ``cache_policy``; None: no cap.
            base_segmenter: ``(trace, unit) -> starts``; the default follows rules and needs no model.

        Raises:
            MissingFusion: several engines, no aligner.
            InvalidParameter: no engine, or an unknown label fusion or unit.
        """
        given = list(engines) if isinstance(engines, (list, tuple)) else [engines]
        self.engines: list[Any] = [engine() if isinstance(engine, type) else engine for engine in given]
        if not self.engines or not all(callable(getattr(engine, "segment", None)) for engine in self.engines):
            raise InvalidParameter("expected engines with a method segment(trace, ...)", field="engines")
        if len(self.engines) > 1 and aligner is None:
            names = ", ".join(type(engine).__name__ for engine in self.engines)
            raise MissingFusion(f"{names} need a fusion, e.g. aligner=OffsetFusionVoting", field="aligner")
        self.aligner = aligner
        one_of(label_fusion_type, ("majority", "concat"), "label_fusion_type")
        self.label_fusion_type: LabelMode = label_fusion_type
        one_of(seg_base_unit, ("clause", "sent"), "seg_base_unit")
        self.defaults: dict[str, Any] = {"seg_base_unit": seg_base_unit, "base_segmenter": base_segmenter}
        if model_base is not None:
            self.defaults["model_name"] = model_base
        self.max_kv_tokens = max_kv_tokens
        self._models: dict[tuple[str, str], tuple[Any, Any]] = {}
        self.default_kwargs: dict[type, dict[str, Any]] = {type(engine): {} for engine in self.engines}

    def __call__(self, trace: str, **options: Any) -> tuple[Offsets, list[str]]:
        """Offsets (code points, a partition of ``trace``) and labels.

        Raises:
            InvalidParameter: an option that no engine and no fusion knows.
            TokenSpecError: whatever an engine refuses.
        """
        result = self.segment(trace, **options)
        return result.offsets, result.labels

    def segment(self, trace: str, *, progress: Progress | bool | None = None, **options: Any) -> Segmentation:
        """The same with scores, margin and forwards. ``progress=True`` draws a bar, a callable is told instead."""
        self._refuse_unknown(options)
        with progress_bar("segmenting", shown=progress is True) as bar:
            tell = progress if callable(progress) else (bar if progress else None)
            results = [self._run(engine, trace, options, tell) for engine in self.engines]
        return results[0] if len(results) == 1 else self._fused(trace, results, options)

    def segment_many(self, traces: Iterable[str], *, progress: bool = False, **options: Any) -> list[Segmentation]:
        """A batch: the model is loaded once, forwards are shared where the engine can, and the bar counts traces."""
        batch = list(traces)
        self._refuse_unknown(options)
        results: list[Segmentation] = []
        with progress_bar("traces", shown=progress) as bar:
            if len(self.engines) == 1 and hasattr(self.engines[0], "segment_many"):
                return list(self.engines[0].segment_many(batch, **self._chosen(self.engines[0], options, bar)))
            for trace in batch:
                results.append(self.segment(trace, **options))
                bar(len(results), len(batch))
        return results

    def _run(self, engine: Any, trace: str, options: Mapping[str, Any], progress: Progress | None) -> Segmentation:
        result: Segmentation = engine.segment(trace, **self._chosen(engine, options, progress))
        return result

    def _chosen(self, engine: Any, options: Mapping[str, Any], progress: Progress | None) -> dict[str, Any]:
        """What one engine is called with: what it knows of the defaults, its own and the call's, its model loaded."""
        chosen = {**self.defaults, **self.default_kwargs[type(engine)], **options, "progress": progress}
        known = taken_by(engine)
        if known is None:
            return chosen
        return self._completed(engine, known, {name: value for name, value in chosen.items() if name in known})

    def _completed(self, engine: Any, known: set[str], chosen: dict[str, Any]) -> dict[str, Any]:
        """With the cap of this object, and with the model of a name."""
        if "max_kv_tokens" in known and chosen.get("cache_policy") is None:
            chosen = {"max_kv_tokens": self.max_kv_tokens, **chosen}
        if "model" in known and chosen.get("model") is None and chosen.get("model_name") is not None:
            chosen["model"], chosen["tokenizer"] = self._loaded(engine, chosen["model_name"])
        return chosen

    def _loaded(self, engine: Any, model_name: str) -> tuple[Any, Any]:
        """The model of that name, loaded once for all engines and traces that read it in the same way."""
        kind = kind_of(getattr(engine, "question", "reply"))
        if (kind, model_name) not in self._models:
            self._models[kind, model_name] = load_model(model_name, kind=kind)
        return self._models[kind, model_name]

    def _fused(self, trace: str, results: Sequence[Segmentation], options: Mapping[str, Any]) -> Segmentation:
        segmentations = [result.offsets for result in results]
        known = _known(self.aligner.fuse)
        chosen = {"length": len(trace), **options}
        offsets = self.aligner.fuse(segmentations, **{name: chosen[name] for name in chosen if name in known})
        labels = LabelFusion.fuse(segmentations, [result.labels for result in results], offsets, self.label_fusion_type)
        close = tuple(sorted({position for result in results for position in result.close}))
        forwards = sum(result.forwards for result in results)
        return Segmentation(offsets, labels, close=close, forwards=forwards, of_engines=tuple(segmentations))

    def _refuse_unknown(self, options: Mapping[str, Any]) -> None:
        taken = [taken_by(engine) for engine in self.engines]
        if None in taken:
            return
        known = set[str]().union(*(names or () for names in taken))
        if self.aligner is not None:
            known |= _known(self.aligner.fuse)
        for name in options:
            if name not in known:
                raise InvalidParameter(f"no engine knows this; known are {', '.join(sorted(known))}", field=name)


def taken_by(engine: Any) -> set[str] | None:
    """The keywords an engine takes: those of its method, and those it groups into options. None: any."""
    if isinstance(engine, SegBase):
        return None
    return _known(engine.segment) | option_names(getattr(engine, "options", ()))


def _known(function: Callable[..., Any]) -> set[str]:
    """Names of the keyword-only parameters."""
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
