"""What a chat template sees: the variables transformers 5 hands to Jinja, made here so that every engine gets the same.

Nothing of ``transformers`` is imported; a test holds these few rules against it.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")
"""Keys a message's reasoning arrives under, in the order in which they win."""


def reaches_the_template(given: Mapping[str, Any]) -> bool:
    """Whether nothing in front of the template refuses the input, and nothing behind it edits the text.

    ``continue_final_message`` cuts the text after rendering: that is a renderer's work, not an engine's.
    """
    options = given.get("options") or {}
    lists = (given["messages"], given.get("tools") or [], options.get("documents") or [])
    return (
        bool(given["messages"])
        and all(isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries) for entries in lists)
        and not options.get("continue_final_message")
    )


def template_variables(
    given: Mapping[str, Any], options: Mapping[str, Any], special_tokens: Mapping[str, str]
) -> dict[str, Any]:
    """The variables of one render.

    Args:
        given: ``messages`` and ``tools`` of a renderer case.
        options: template options, the row's defaults included.
        special_tokens: ``bos_token`` and the like, which options override.
    """
    options = {name: value for name, value in options.items() if name != "continue_final_message"}
    return {
        "messages": [normalised(message) for message in given["messages"]],
        "tools": given.get("tools"),
        "documents": None,
        "add_generation_prompt": False,
        **special_tokens,
        **options,
    }


def normalised(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message without its null keys, its reasoning under both names that templates read."""
    kept = {key: value for key, value in message.items() if value is not None}
    reasoning = next((kept[key] for key in REASONING_KEYS if key in kept), None)
    if reasoning is None:
        return kept
    return {"thinking": reasoning, **kept, "reasoning_content": reasoning}


@lru_cache(maxsize=4)
def special_tokens(directory: Path) -> dict[str, str]:
    """The named special tokens of a tokenizer folder, from its configuration."""
    configuration = json.loads((directory / "tokenizer_config.json").read_text(encoding="utf-8"))
    named = {name: value for name, value in configuration.items() if name.endswith("_token")}
    texts = {name: value["content"] if isinstance(value, dict) else value for name, value in named.items()}
    return {name: text for name, text in texts.items() if isinstance(text, str)}
