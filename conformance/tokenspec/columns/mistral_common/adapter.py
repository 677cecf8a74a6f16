"""Mistral's own library: a conversation in the form of its requests, encoded with the vocabulary that it brings.

A conversation that ends with an answer is one to train on, which is another mode of the library than one to sample for.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from pydantic import ValidationError

from tokenspec.adapters import Rejected, Unsupported

READ = {"add_generation_prompt", "continue_final_message"}


class Adapter:
    """The row mistral-nemo."""

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read the vocabulary of the library, once for each mode."""
        del assets
        if model != "mistral-nemo":
            raise Unsupported("knows mistral-nemo alone")
        vocabulary = files("mistral_common") / "data/tekken_240718.json"  # what v3(is_tekken=True) reads, in one mode
        modes = (ValidationMode.test, ValidationMode.finetuning)
        self.tokenizers = {mode: MistralTokenizer.from_file(str(vocabulary), mode=mode) for mode in modes}

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ids and text of a conversation."""
        options, messages = request["options"], request["messages"]
        if unread := options.keys() - READ:
            raise Unsupported(f"has no counterpart to {min(unread)}")
        goes_on = bool(options.get("continue_final_message"))
        is_answered = bool(messages) and messages[-1].get("role") == "assistant" and not goes_on
        mode = ValidationMode.finetuning if is_answered else ValidationMode.test
        try:
            asked: Any = ChatCompletionRequest(
                messages=messages, tools=request["tools"], continue_final_message=goes_on
            )
            encoded = self.tokenizers[mode].encode_chat_completion(asked)
        except (MistralCommonException, ValidationError, ValueError, TypeError, KeyError, AssertionError) as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"token_ids": encoded.tokens, "text": encoded.text}
