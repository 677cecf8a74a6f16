"""From what the caller has (objects, or a name) to a tokenizer and a session source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenspec_reference.engines.errors import InvalidParameter


def load_model(
    model_name: str, *, device: str | None = None, dtype: str = "auto", kind: str = "AutoModelForCausalLM"
) -> tuple[Any, Any]:
    """``(model, tokenizer)`` of a hub name or a local directory; ``device=None`` lets accelerate place it.

    ``kind`` is the class of ``transformers`` that loads it.

    Raises:
        InvalidParameter: nothing loadable under that name.
    """
    import transformers

    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(model_name)
        model = getattr(transformers, kind).from_pretrained(model_name, dtype=dtype, device_map=device or "auto")
    except (OSError, ValueError) as error:
        raise InvalidParameter(f"cannot load {model_name!r}: {error}", field="model_name") from error
    return model, tokenizer


def resolve_model(
    model: Any,
    tokenizer: Any,
    model_name: str | None,
    load: Callable[[str], tuple[Any, Any]] | None = None,
) -> tuple[Any, Any]:
    """The given objects, or those that ``load`` (by default :func:`load_model`) finds under ``model_name``.

    Raises:
        InvalidParameter: neither or half of a pair was given.
    """
    if model is not None and tokenizer is not None:
        return model, tokenizer
    if model is not None or tokenizer is not None:
        missing = "tokenizer" if tokenizer is None else "model"
        raise InvalidParameter("give model= and tokenizer= together", field=missing)
    if model_name is None:
        raise InvalidParameter("this engine reads a model: give model= and tokenizer=, or model_name=", field="model")
    return (load or load_model)(model_name)
