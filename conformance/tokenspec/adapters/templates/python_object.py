"""A tokenspec adapter inside Python: an object whose methods are its operations.

Put your own implementation in place of what the operations below do: the methods named like operations are what you
claim, and what you raise Unsupported for is never counted.
"""

import re  # only segment
from typing import Any

from tokenspec.adapters import Unsupported

Json = dict[str, Any]
PROMPT = "add_generation_prompt"  # only render


class MyAdapter:
    """One column of the matrix."""

    def __init__(self) -> None:
        """Start without model rows."""
        self.rows: dict[str, Json] = {}

    def info(self) -> dict[str, str]:
        """Who answers."""
        return {"name": "my-adapter", "version": "0.1", "language": "python"}

    def load(self, model: str, assets: Json) -> None:
        """A model row: assets has directory (tokenizer.json, tokenizer_config.json), chat_template, family, status.

        Load the tokenizer here, and raise Unsupported for a row you cannot use.
        """
        self.rows[model] = assets

    # >>> segment
    def segment(self, request: Json) -> Json:
        """Cut after every blank line; white space alone joins what follows it. Offsets count characters."""
        if request["engines"] != ["new-line"] or any(request[key] for key in ("given", "fusion", "gold", "parameters")):
            raise Unsupported("only the engine new-line, alone")
        trace = request["trace"]
        offsets: list[list[int]] = []
        begin = 0
        for end in [*(found.end() for found in re.finditer("\n\n+", trace)), len(trace)]:
            if trace[begin:end].strip():
                offsets.append([begin, end])
                begin = end
        if begin < len(trace):
            offsets = [*offsets[:-1], [offsets[-1][0] if offsets else 0, len(trace)]]
        return {"offsets": offsets}

    # <<<
    # >>> render
    def render(self, request: Json) -> Json:
        """The turns of the row toy-bpe as text, with system and user messages alone. Add token_ids where you can."""
        options, messages = request["options"], request["messages"]
        if request["model"] != "toy-bpe" or request["tools"] or request["derive"] or set(options) - {PROMPT}:
            raise Unsupported("only plain conversations of toy-bpe")
        if not messages or any(not isinstance(message.get("content"), str) for message in messages):
            raise Unsupported("only messages whose content is text")
        if {message["role"] for message in messages} - {"system", "user"}:
            raise Unsupported("only system and user messages")
        if messages[0]["role"] != "system":
            messages = [{"role": "system", "content": "You are a careful toy assistant."}, *messages]
        turns = [f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n" for message in messages]
        return {"text": "".join(turns) + ("<|im_start|>assistant\n" if options.get(PROMPT) else "")}

    # <<<
    # >>> bridge
    def bridge(self, request: Json) -> Json:
        """Without a prompt there is nothing to append to: a bridge declines."""
        if request["prompt_ids"]:
            raise Unsupported("only bridges that decline")
        return {"token_ids": None}

    # <<<
    # >>> *
    def other_operation(self, _: Json) -> Json:
        """Yours. The fields of request and result: `tokenspec list operations`, fixtures/schema."""
        raise Unsupported("other_operation is not written yet")

    # <<<
