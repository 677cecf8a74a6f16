"""LMDeploy's parser of answers, as its server calls it: one state machine for reasoning, content and tool calls.

The names are those of ``--reasoning-parser`` and ``--tool-call-parser`` for the models its engine runs. What it is
given is what its engine decodes, so that no chunk ends within a token: without the token that ended the completion and,
unless its parser asks for them, without other special tokens. The package imports torch for its engine; here its
parsers are imported alone, and ``lmdeploy.utils``, of which they take a logger, is a placeholder.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.openai_wire import parsed_call, wrapped
from tokenspec.columns.ranks import HARMONY, write_ranks
from tokenspec.columns.single_modules import folders, installed_at, placeholder

GPT_OSS = "gpt-oss"
QWEN, CODER, GLM = ("qwen3", "default"), ("qwen3coder", "default"), ("glm47", "default")
PARSERS: dict[str, tuple[str | None, str | None]] = {
    "qwen2.5": ("qwen2d5", None),
    "qwen3": QWEN,
    "qwen3-vl": ("qwen3", None),
    "qwen3.5": CODER,
    "qwen3.6": CODER,
    "qwen3.8": CODER,
    "llama-3": ("llama3", None),
    "glm-4.7": GLM,
    "glm-5.1": GLM,
    "glm-5.3": GLM,
    "kimi-k2": ("kimi_k2", None),
    "kimi-k2.5": ("kimi_k2", "default"),
    "deepseek-r1": (None, "default"),
    "deepseek-v3.1": (None, "deepseek-v3"),
    "deepseek-v3.2": ("deepseek-v32", "deepseek-v32"),
    "deepseek-v4": ("deepseek-v4", "deepseek-v4"),
    GPT_OSS: (None, None),
}
HALF = "\N{REPLACEMENT CHARACTER}"


class Adapter:
    """The rows whose family has a parser."""

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Choose the parsers of a row; one row is kept."""
        family, folder = assets["family"], Path(assets["directory"])
        if family not in PARSERS:
            raise Unsupported(f"has no parser for the family {family}")
        self.manager, self.request = imported()
        calls, reasoning = PARSERS[family]
        self.reads_ids = family == GPT_OSS
        self.has_calls = self.reads_ids or calls is not None
        self.stops = assets["wire"]["stop"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        if self.reads_ids:
            self.parser: Any = self.manager.get(GPT_OSS)
            with tempfile.TemporaryDirectory() as place:
                write_ranks(folder, Path(place) / HARMONY)
                os.environ["TIKTOKEN_ENCODINGS_BASE"] = place
                self.parser(self.request(model=model, messages=[]))
            return
        self.parser = type("Configured", (self.manager.get("default"),), {})
        self.parser.set_parsers(None if model.endswith("2507") else reasoning, calls)

    def asked(self, request: dict[str, Any]) -> Any:
        """A fresh parser of what a client would have sent."""
        tools = wrapped(request["tools"])
        if request["undeclared_calls"]:
            raise Unsupported("takes calls of tools that were offered, and no others")
        if tools and not self.has_calls:
            raise Unsupported("has no parser of calls for the family")
        sent = {"model": request["model"], "messages": [], "chat_template_kwargs": request["options"]}
        with refusals():
            return self.parser(self.request(**sent, tools=tools or None))

    def steps(self, chunks: list[list[int]], parser: Any) -> list[tuple[str, list[int]]]:
        """Chunks of ids as its engine decodes them: half a character waits; the token that ends is no part of it."""
        ids, said, steps = list[int](), "", list[tuple[str, list[int]]]()
        left = sum(map(len, chunks)) - self.ends([id_ for chunk in chunks for id_ in chunk])
        skip = bool(parser.request.skip_special_tokens)
        for chunk in chunks:
            new = chunk[: max(0, left - len(ids))]
            ids += new
            text = self.tokenizer.decode(ids, skip_special_tokens=skip)
            text = said if text.endswith(HALF) else text
            steps.append((text[len(said) :], new))
            said = text
        rest = "" if self.reads_ids else self.tokenizer.decode(ids, skip_special_tokens=skip)[len(said) :]
        return [*steps, (rest, [])]

    def ends(self, ids: list[int]) -> bool:
        """Whether the last token is one that ends a completion."""
        return bool(ids) and self.tokenizer.id_to_token(ids[-1]) in self.stops

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """A whole completion."""
        parser, ids = self.asked(request), request["token_ids"]
        steps = self.steps([ids], parser)
        with refusals():
            content, calls, thought = parser.parse_complete("".join(text for text, _ in steps), steps[0][1])
        read = [parsed_call(call.function.name, call.function.arguments) for call in calls or ()]
        return {"content": content or "", "reasoning_content": thought, "tool_calls": read}

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """A completion in chunks, and an empty one that is told that it is the last."""
        parser = self.asked(request)
        *steps, (rest, _) = self.steps([chunk["token_ids"] for chunk in request["chunks"]], parser)
        with refusals():
            deltas = [merged(parser.stream_chunk(text, ids)) if ids else {} for text, ids in steps]
            return {"deltas": [*deltas, merged(parser.stream_chunk(rest, [], final=True))]}


@contextmanager
def refusals() -> Iterator[None]:
    """What its server answers with *invalid request*: whatever its parser raises."""
    try:
        yield
    except Exception as error:
        raise Rejected("cannot-parse", f"{type(error).__name__}: {error}") from error


def imported() -> tuple[Any, Any]:
    """The registry of its parsers, and its request."""
    folders(installed_at("lmdeploy") or Path(), "lmdeploy", "lmdeploy.serve", "lmdeploy.serve.openai")
    placeholder("lmdeploy.utils", get_logger=logging.getLogger)
    from lmdeploy.serve.openai.protocol import ChatCompletionRequest
    from lmdeploy.serve.parsers import ResponseParserManager

    return ResponseParserManager, ChatCompletionRequest


def merged(found: list[tuple[Any, bool]]) -> dict[str, Any]:
    """What one step said, in one delta."""
    messages = [message for message, _ in found]
    calls = (
        {
            "index": call.index,
            "name": (call.function and call.function.name) or None,
            "arguments": (call.function and call.function.arguments) or "",
        }
        for message in messages
        for call in message.tool_calls or ()
    )
    said = {
        name: "".join(getattr(message, name) or "" for message in messages) or None
        for name in ("content", "reasoning_content")
    }
    return {**said, "tool_calls": list(calls)}
