"""What a record holds and nothing reads: weights, options, recorded ids, columns, media."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tokenspec_reference.preparation.finding import Finding
from tokenspec_reference.renderers.media.medium import kind_of

WEIGHTS = (
    *("weight", "train", "loss_weight", "sample_weight", "training", "trainable", "loss", "loss_mask", "weights"),
    *("train_on_turn", "train_on_message", "train_detail", "trained", "is_trained", "learn"),
)
"""Names under which data sets say how much of something is trained."""

READ_WEIGHTS = ("weight", "train")
"""Those of messages that are read, where they are 0 or 1."""

MASKS = ("masked", "mask", "is_masked", "ignore", "ignored", "train_mask")
"""Names under which data sets say of something that it is not trained, or of what part of it."""

INPUTS = (
    *("chat_template_kwargs", "chat_template", "template_kwargs", "documents", "functions", "enable_thinking"),
    *("system", "token_ids", "input_ids", "output_ids", "prompt_ids", "completion_ids", "prompt_token_ids"),
    *("completion_token_ids", "response_token_ids", "labels", "attention_mask", "assistant_masks", "logprobs"),
    *("generation_token_ids", "generation_logprobs", "generation_log_probs", "top_logprobs"),
)
"""Names of what would change the ids, or are ids that somebody sampled."""

MEDIA = ("image", "image_url", "video", "video_url", "audio", "audio_url", "input_image", "input_audio", "input_file")
"""Types of parts, and keys in them, that stand for more than text."""

MEDIA_COLUMNS = ("images", "image", "videos", "video", "audios", "audio")


def unread_columns(record: Mapping[str, Any], used: set[str]) -> Iterator[Finding]:
    """``ignored-weight``, ``ignored-input``, ``unknown-column`` and ``media-not-expanded`` of a record's own fields."""
    for name, value in record.items():
        if name in used or is_empty(value):
            continue
        if name in WEIGHTS or name in MASKS:
            if not _is_all(name, value):
                yield Finding("ignored-weight", f"the column {name} is not read: weigh messages, with weight 0")
        elif name in MEDIA_COLUMNS:
            yield Finding("media-not-expanded", f"the column {name} holds media")
        elif name in INPUTS:
            yield Finding("ignored-input", f"the column {name} is not read")
        else:
            yield Finding("unknown-column", f"the column {name} is not read")


def unread_tools(value: Any, read: Any) -> Iterator[Finding]:
    """``ignored-input``: tools that are neither a list nor the JSON text of one."""
    if read is None and not is_empty(value) and str(value).strip() not in {"[]", "null"}:
        yield Finding("ignored-input", "the tools are neither a list of objects nor the JSON text of one")


def unread_weights(turns: Sequence[Any]) -> Iterator[Finding]:
    """``ignored-weight`` of messages; weight 0 and train false are read, and what says that all is trained is true."""
    for turn in turns:
        for name, value in turn.items() if isinstance(turn, Mapping) else ():
            if name not in {*WEIGHTS, *MASKS} or _is_all(name, value) or _is_none(name, value):
                continue
            if name in READ_WEIGHTS:
                yield Finding("ignored-weight", f"{name} of a message is read as 1 where it is neither 0 nor 1")
            else:
                yield Finding("ignored-weight", f"{name} of a message is not read: the message is trained")


def media(messages: Sequence[Mapping[str, Any]], *, expanded: bool = False) -> Iterator[Finding]:
    """``media-not-expanded``: parts of messages that are more than text; ``expanded``: that no renderer expands."""
    for index, message in enumerate(messages):
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, Mapping) or (expanded and kind_of(part) is not None):
                continue
            if is_media(part):
                kind = part.get("type") or "media"
                yield Finding("media-not-expanded", f"message {index} holds a part of type {kind}", index)
                break


def is_media(part: Mapping[str, Any]) -> bool:
    """Whether a part of content stands for a picture, video or sound."""
    return part.get("type") in MEDIA or any(part.get(name) is not None for name in MEDIA)


def is_empty(value: Any) -> bool:
    """Whether a field holds nothing."""
    return value is None or (isinstance(value, (str, list, tuple, Mapping)) and not value)


def _is_all(name: str, value: Any) -> bool:
    """Whether a weight or mask says that all is trained, as it is where there is none."""
    return value is None or (isinstance(value, (bool, int, float)) and value == (0 if name in MASKS else 1))


def _is_none(name: str, value: Any) -> bool:
    """Whether a message is taken as context for this value."""
    return (name == "weight" and isinstance(value, (bool, int, float)) and value == 0) or (
        name == "train" and value is False
    )
