"""Around every forward of a model: dropout off, shared heads not copied, and only positions and ids that it has."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tokenspec_reference.engines.errors import InvalidParameter, TraceTooLong

SHARED_HEADS = "TRANSFORMERS_SDPA_FORCE_GQA"  # transformers' own switch; without it masked attention repeats every key


@contextlib.contextmanager
def evaluating(model: Any, modules: Iterable[Any] | None = None) -> Iterator[None]:
    """Dropout and autocast off while the model is read, and every module's flag as it was afterwards.

    On a processor the kernel reads keys that several heads share where they lie; the numbers are the same ones.
    ``modules``: those of the model, for who reads often.
    """
    training = [module for module in modules or model.modules() if module.training]
    for module in training:
        module.training = False
    before = os.environ.get(SHARED_HEADS)
    if before is None and model.device.type == "cpu":
        os.environ[SHARED_HEADS] = "1"
    try:
        with unrounded(input_device(model)):
            yield
    finally:
        if before is None:
            os.environ.pop(SHARED_HEADS, None)
        for module in training:
            module.training = True


def unrounded(device: Any) -> Any:
    """A context in which products have the dtype of their factors: autocast would round some of them and not others."""
    import torch

    return torch.autocast(torch.device(device).type, enabled=False)


def input_device(model: Any) -> Any:
    """Where token ids go: to the embedding, or to where it runs when its weights are offloaded."""
    embedding = model.get_input_embeddings()
    if embedding.weight.is_meta:
        return getattr(getattr(embedding, "_hf_hook", None), "execution_device", None) or "cpu"
    return embedding.weight.device


def check_positions(needed: int, limit: int | None) -> None:
    """Refuse a context the model has no positions for.

    Raises:
        TraceTooLong: says how many tokens are too many.
    """
    if limit is not None and needed > limit:
        raise TraceTooLong(
            f"{needed} tokens of prompt, trace and separators, but the model has {limit} positions ({needed - limit} "
            "too many); shorten the trace or use a model with a longer context",
            field="trace",
        )


def check_vocabulary(token_ids: Sequence[int], size: int, added_id: int | None) -> None:
    """Refuse ids the model has no row for.

    Raises:
        InvalidParameter: tokenizer and model do not belong together.
    """
    beyond = [token for token in token_ids if token >= size and token != added_id]
    if beyond:
        raise InvalidParameter(
            f"token id {beyond[0]} is outside the model's {size} rows; give its own tokenizer", field="tokenizer"
        )
