"""axolotl's strategy ``chat_template``: data of ``type: chat_template`` with what is set where nothing is said.

Its documentation wants ``eot_tokens`` named where turns end otherwise than with the tokenizer's end token: they are
those that end the assistant's turns on the row.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from axolotl.prompt_strategies.chat_template import load
from axolotl.utils.dict import DictDefault
from transformers import AutoTokenizer

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.oracle.clock import frozen

LENGTH = 1 << 20


class Adapter:
    """Every row with a template."""

    capabilities = {"render": {"profile": {"empty_thought": "scaffold"}}}  # noqa: RUF012

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read a row; one is kept."""
        del model
        if not assets["chat_template"]:
            raise Unsupported("the row has no chat template")
        self.tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
        self.template, self.closers = assets["chat_template"], assets["wire"]["assistant_close"]
        self.strategies: dict[str, Any] = {}

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The ids of a sample, and those that have a label."""
        options = dict(request["options"])
        if unread := {"add_generation_prompt", "continue_final_message"} & {key for key in options if options[key]}:
            raise Unsupported(f"makes samples, and has no counterpart to {min(unread)}")
        sample = {"messages": request["messages"], **({"tools": request["tools"]} if request["tools"] else {})}
        self.tokenizer.chat_template = options.pop("chat_template", self.template)
        try:
            with frozen(datetime.fromisoformat(request["now"])):
                made = self.strategy(options).tokenize_prompt(sample)
        except Exception as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"token_ids": made["input_ids"], "sampled_mask": [label != -100 for label in made["labels"]]}

    def strategy(self, options: dict[str, Any]) -> Any:
        """The strategy for the tokenizer's template and these options, made once: it reads the template each time."""
        key = repr((self.tokenizer.chat_template, options))
        if key not in self.strategies:
            closers = [token for token in self.closers if token in self.tokenizer.chat_template]
            config = {"train_on_inputs": False, "sequence_len": LENGTH, "chat_template_kwargs": options}
            self.strategies[key] = load(self.tokenizer, DictDefault({**config, "eot_tokens": closers or None}), {})
        return self.strategies[key]
