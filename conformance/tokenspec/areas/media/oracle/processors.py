"""The processors of ``transformers``, made of numbers: no hub, no file, and no torchvision.

What needs torchvision is pixel arithmetic on videos and on Kimi's pictures, which changes no count; sampled frames,
resized sizes, times and text are the processors' own code. Beside the whole processor of Qwen3-VL (torchvision 0.28)
the same frames and grids came out for 60 of 60 random videos.
"""

from __future__ import annotations

import ast
import copy
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tokenspec.models import Row, load

Settings = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Replacement:
    """A placeholder of the template (in its text), and what was written in its place (in the expanded text)."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Processed:
    """What a processor makes of a text and its media; ``types`` is None where it gives none, as ``grids`` is empty."""

    ids: list[int]
    text: str
    types: list[int] | None
    grids: dict[str, list[tuple[int, int, int]]]
    replacements: list[Replacement]
    tokens: dict[str, int]


class ProcessorRefuses(Exception):
    """The processor refuses text or media; ``kind`` is its error's class."""

    def __init__(self, error: Exception) -> None:
        """Keep class and message."""
        self.kind = type(error).__name__
        super().__init__(str(error))


def process(row: Row, settings: Settings, text: str, images: list[Any], videos: list[Any]) -> Processed:
    """Expand the media of a text: pictures as images of Pillow, videos as ``VideoMetadata`` with a size.

    Raises:
        ProcessorRefuses: the processor raises.
    """
    processor = _processor(row.id, json.dumps(settings))
    given: dict[str, Any] = {"images": images} if images else {}
    if videos:
        given |= {"videos": [_blank(video) for video in videos], "video_metadata": videos}
    try:
        made = processor(text=[text], add_special_tokens=False, **given)
    except (ValueError, ZeroDivisionError) as error:
        raise ProcessorRefuses(error) from error
    expanded, places = processor.written
    types = made.get("mm_token_type_ids")
    return Processed(
        ids=list(map(int, made["input_ids"][0])),
        text=expanded[0],
        types=None if types is None else list(map(int, types[0])),
        grids={
            kind: [(int(frames), int(rows), int(columns)) for frames, rows, columns in made[f"{kind}_grid_thw"]]
            for kind in ("image", "video")
            if f"{kind}_grid_thw" in made
        },
        replacements=[Replacement(p["type"], p["span"][0], p["span"][1], p["replacement"]) for p in places[0]],
        tokens={"image": processor.image_token_id, "video": processor.video_token_id},
    )


def placeholders_of(row: Row, settings: Settings) -> dict[str, str]:
    """The placeholder of each modality."""
    processor = _processor(row.id, json.dumps(settings))
    return {"image": processor.image_token, "video": processor.video_token}


def _blank(video: Any) -> Any:
    """The frames of a video with nothing on them, in the memory of one pixel."""
    import torch

    frames = video.total_num_frames if video.frames_indices is None else len(video.frames_indices)
    return torch.zeros((1, 3, 1, 1), dtype=torch.uint8).expand(frames, 3, video.height, video.width)


@lru_cache(maxsize=4)
def _processor(row_id: str, numbers: str) -> Any:
    """The processor of a row; its tokenizer is a copy, for some processors change theirs. A copy takes seconds."""
    row, settings = load(row_id), json.loads(numbers)
    assert row.spec.media is not None
    make = {"qwen3-vl": _qwen3_vl, "gemma-4": _gemma_4, "kimi-k2.5": _kimi_k2_5}[row.spec.media.processor]
    return make(copy.deepcopy(row.tokenizer), settings)


def _qwen3_vl(tokenizer: Any, settings: Settings) -> Any:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil
    from transformers.models.qwen3_vl.processing_qwen3_vl import Qwen3VLProcessor

    image, video = settings["image"], settings["video"]
    pictures = Qwen2VLImageProcessorPil(
        patch_size=image["patch_size"],
        merge_size=image["merge_size"],
        size={"shortest_edge": image["min_pixels"], "longest_edge": image["max_pixels"]},
        do_rescale=False,
        do_normalize=False,
    )
    frames = _video_grids()(
        patch_size=video["patch_size"],
        merge_size=video["merge_size"],
        temporal_patch_size=video["temporal_patch_size"],
        size={"shortest_edge": video["min_pixels"], "longest_edge": video["max_pixels"]},
        fps=video["fps"],
        min_frames=video["min_frames"],
        max_frames=video["max_frames"],
    )
    return _recording(Qwen3VLProcessor)(image_processor=pictures, tokenizer=tokenizer, video_processor=frames)


def _gemma_4(tokenizer: Any, settings: Settings) -> Any:
    """The published tokenizer names its media tokens; this one is told their names."""
    from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil
    from transformers.models.gemma4.processing_gemma4 import Gemma4Processor

    for kind, placeholder, begin, end in (
        ("image", "<|image|>", "boi_token", "eoi_token"),
        ("audio", "<|audio|>", "boa_token", "eoa_token"),
    ):
        setattr(tokenizer, f"{kind}_token", placeholder)
        setattr(tokenizer, f"{kind}_token_id", tokenizer.convert_tokens_to_ids(placeholder))
        setattr(tokenizer, begin, f"<|{kind}>")
        setattr(tokenizer, end, f"<{kind}|>")
    return _recording(Gemma4Processor)(
        feature_extractor=None,
        image_processor=Gemma4ImageProcessorPil(**settings["image"], do_rescale=False),
        tokenizer=tokenizer,
        video_processor=_GemmaFrames(settings["video"]),
    )


@dataclass(frozen=True)
class _GemmaFrames:
    """The video processor of Gemma 4 without its pixels."""

    settings: Mapping[str, float]

    def __call__(self, videos: list[Any], video_metadata: list[Any], **kwargs: Any) -> dict[str, Any]:
        from transformers.models.gemma4.image_processing_pil_gemma4 import get_aspect_ratio_preserving_size
        from transformers.video_utils import default_sample_indices_fn

        del videos, kwargs
        patch, pool = int(self.settings["patch_size"]), int(self.settings["pooling_kernel_size"])
        counts = []
        for metadata in video_metadata:
            if metadata.frames_indices is None:
                wanted = int(self.settings["num_frames"])
                metadata.frames_indices = default_sample_indices_fn(metadata, num_frames=wanted)
            most = int(self.settings["max_soft_tokens"]) * pool**2
            height, width = get_aspect_ratio_preserving_size(metadata.height, metadata.width, patch, most, pool)
            counts.append((height // patch) * (width // patch) // pool**2)
        return {"num_soft_tokens_per_video": counts, "video_metadata": video_metadata}


def _kimi_k2_5(tokenizer: Any, settings: Settings) -> Any:
    from transformers.models.kimi_k25.processing_kimi_k25 import Kimi_K25Processor

    pictures = _KimiGrids(settings["image"])
    return _recording(Kimi_K25Processor)(image_processor=pictures, tokenizer=tokenizer, video_processor=None)


@dataclass(frozen=True)
class _KimiGrids:
    """The image processor of Kimi K2.5 without its pixels."""

    settings: Mapping[str, float]

    @property
    def merge_size(self) -> int:
        return int(self.settings["merge_size"])

    def fetch_images(self, images: Any) -> Any:
        return images

    def __call__(self, images: list[Any], **kwargs: Any) -> dict[str, Any]:
        import torch

        del kwargs
        patch, longest = int(self.settings["patch_size"]), int(self.settings["max_side"])
        resize = _function_of("transformers.models.kimi_k25.image_processing_kimi_k25", "navit_resize")
        most = int(self.settings["max_patches"])
        grids = []
        for image in images:
            _, (height, width) = resize(image.height, image.width, patch, self.merge_size, most, longest)
            grids.append([1, height // patch, width // patch])
        return {"image_grid_thw": torch.tensor(grids)}


@cache
def _function_of(module: str, name: str) -> Any:
    """One function of a module that cannot be imported here, compiled by itself; it needs ``math`` alone."""
    package, _, last = module.rpartition(".")
    folder = Path(import_module(package).__path__[0])
    tree = ast.parse((folder / f"{last}.py").read_text(encoding="utf-8"))
    found = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    scope: dict[str, Any] = {"math": math}
    exec(compile(ast.Module([found], []), f"{last}.py", "exec"), scope)  # noqa: S102 - the oracle's own code
    return scope[name]


@cache
def _recording(base: Any) -> Any:
    """The processor, which also keeps the text it wrote; its parts are not compared with the classes of torchvision."""

    class Recording(base):  # type: ignore[misc]
        written: tuple[list[str], list[list[dict[str, Any]]]]

        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            del argument_name
            return type(argument)

        def get_text_with_replacements(self, text: list[str], *args: Any, **kwargs: Any) -> Any:
            written = super().get_text_with_replacements(text, *args, **kwargs)
            self.written = copy.deepcopy(written)
            return written

    return Recording


@cache
def _video_grids() -> Any:
    """The video processor of Qwen3-VL without its pixels."""
    import torch
    from transformers.image_processing_utils import BatchFeature
    from transformers.models.qwen3_vl.video_processing_qwen3_vl import Qwen3VLVideoProcessor, smart_resize

    class Grids(Qwen3VLVideoProcessor):  # type: ignore[misc]
        def __call__(self, videos: list[Any], video_metadata: list[Any], **kwargs: Any) -> Any:
            del videos, kwargs
            grids = []
            for metadata in video_metadata:
                if metadata.frames_indices is None:
                    metadata.frames_indices = self.sample_frames(metadata, fps=self.fps)
                count, step = len(metadata.frames_indices), self.temporal_patch_size
                height, width = smart_resize(
                    num_frames=count,
                    height=metadata.height,
                    width=metadata.width,
                    temporal_factor=step,
                    factor=self.patch_size * self.merge_size,
                    min_pixels=self.size["shortest_edge"],
                    max_pixels=self.size["longest_edge"],
                )
                grids.append([-(-count // step), height // self.patch_size, width // self.patch_size])
            data = {"video_grid_thw": torch.tensor(grids), "video_metadata": video_metadata}
            return BatchFeature(data=data, skip_tensor_conversion=["video_metadata"])

    return Grids
