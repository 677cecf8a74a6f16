"""SGLang's parsers, as its server calls them: first reasoning, then calls in what is left.

Which parser a row gets is SGLang's own choice, from the chat template, as with ``--reasoning-parser auto``. The token
that ended the completion is gone before, and a call of a tool that was not offered is none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llm_router_utils.sglang.srt.entrypoints.openai.protocol import Tool
from llm_router_utils.sglang.srt.function_call.function_call_parser import FunctionCallParser
from llm_router_utils.sglang.srt.parser import template_detection as detection
from llm_router_utils.sglang.srt.parser.reasoning_parser import ReasoningParser
from tokenizers import Tokenizer

from tokenspec.adapters import Unsupported
from tokenspec.columns.openai_wire import chunks_without_stop, parsed_call, without_stop, wrapped


class Vocabulary:
    """What the detection asks of a tokenizer."""

    def __init__(self, folder: str) -> None:
        """Read ``tokenizer.json``."""
        self.tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))

    def get_vocab(self) -> dict[str, int]:
        """Tokens and their ids."""
        return dict(self.tokenizer.get_vocab())

    def decode(self, ids: list[int]) -> str:
        """The text of ids, special tokens included."""
        return str(self.tokenizer.decode(ids, skip_special_tokens=False))


class Adapter:
    """The rows whose template SGLang knows a parser for."""

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Detect the parsers of a row; one row is kept."""
        del model
        template, self.vocabulary = assets["chat_template"], Vocabulary(assets["directory"])
        self.stops = assets["wire"]["stop"]
        self.forced, self.toggle = detection.detect_reasoning_pattern(template)
        self.reasoning = detection.detect_reasoning_parser(template, self.vocabulary, self.toggle, self.forced)
        self.calls = detection.detect_tool_call_parser(template, self.vocabulary, self.toggle, self.forced)
        if self.calls == "gpt-oss":
            raise Unsupported(
                "its server prepares completions of gpt-oss for the parsers, and the package has no server"
            )
        if not self.reasoning and not self.calls:
            raise Unsupported("detects no parser for the template")

    def parsers(self, request: dict[str, Any]) -> tuple[Any, Any]:
        """Fresh parsers of a completion; None where there is nothing to look for."""
        if request["undeclared_calls"]:
            raise Unsupported("takes calls of tools that were offered, and no others")
        tools = [Tool.model_validate(tool) for tool in wrapped(request["tools"])]
        toggle = self.toggle and self.toggle.toggle_param
        off = toggle and request["options"].get(toggle, self.toggle.default_enabled) is False
        calls = FunctionCallParser(tools, self.calls) if tools and self.calls else None
        if not self.reasoning or off:
            return None, calls
        active = calls is not None
        forced = self.forced or None
        return ReasoningParser(self.reasoning, force_reasoning=forced, tool_call_parser_active=active), calls

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """A whole completion."""
        reasoning, calls = self.parsers(request)
        text = without_stop(self.vocabulary.decode(request["token_ids"]), self.stops)
        thought, text = reasoning.parse_non_stream(text) if reasoning else (None, text)
        found = []
        if calls and calls.has_tool_call(text):
            text, found = calls.parse_non_stream(text)
        return {
            "content": text or "",
            "reasoning_content": thought,
            "tool_calls": [parsed_call(call.name, call.parameters) for call in found],
        }

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """A completion in chunks, and its end."""
        reasoning, calls = self.parsers(request)
        texts = chunks_without_stop([chunk["text"] for chunk in request["chunks"]], self.stops)
        deltas = [self.delta(reasoning, calls, text, end=False) for text in texts]
        return {"deltas": [*deltas, self.delta(reasoning, calls, "", end=True)]}

    def delta(self, reasoning: Any, calls: Any, text: str, *, end: bool) -> dict[str, Any]:
        """What became known with a chunk, or with the end."""
        thought, parts = None, []
        if reasoning and (text or end):
            thought, text = reasoning.parse_stream_end() if end else reasoning.parse_stream_chunk(text)
        if calls:
            text, parts = calls.parse_stream_chunk(text) if text else ("", [])
            if end:
                rest, more = calls.parse_stream_end()
                text, parts = (text or "") + (rest or ""), [*parts, *more]
        given = [
            {"index": one.tool_index, "name": one.name or None, "arguments": one.parameters or ""} for one in parts
        ]
        return {"content": text or None, "reasoning_content": thought or None, "tool_calls": given}
