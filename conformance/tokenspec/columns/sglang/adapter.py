"""SGLang's parsers, as its server calls them: first reasoning, then calls in what is left.

Which parser a row gets is SGLang's own choice, from the chat template, as with ``--reasoning-parser auto``; whether the
prompt opened a thought is its server's, from that choice and the options of the request. The token that ended the
completion is gone before, and a call of a tool that was not offered is none. At the end of a stream the server tells
what it read of the last call and has not told.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from llm_router_utils.sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest, Tool
from llm_router_utils.sglang.srt.entrypoints.openai.serving_chat import OpenAIServingChat
from llm_router_utils.sglang.srt.function_call.function_call_parser import FunctionCallParser
from llm_router_utils.sglang.srt.parser import template_detection as detection
from llm_router_utils.sglang.srt.parser.reasoning_parser import ReasoningParser
from pydantic import ValidationError
from tokenizers import Tokenizer

from tokenspec.adapters import Unsupported
from tokenspec.columns.openai_wire import chunks_without_stop, parsed_call, require_served, without_stop, wrapped

thinks = OpenAIServingChat._get_reasoning_from_request  # noqa: SLF001  (its server has no other name for it)
left_over = OpenAIServingChat._check_for_unstreamed_tool_args  # noqa: SLF001


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
        if assets["status"] == "toy":
            raise Unsupported("detects parsers for the templates of published models")
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
        require_served(request)
        try:
            tools = [Tool.model_validate(tool) for tool in wrapped(request["tools"])]
        except ValidationError as error:
            raise Unsupported("its server refuses a request with these tools") from error
        if tools and not self.calls:
            raise Unsupported("detects no parser of calls for the template")
        calls = FunctionCallParser(tools, self.calls, tokenizer=self.vocabulary) if tools else None
        if not self.reasoning:
            return None, calls
        options = dict(request["options"])
        if self.reasoning == "hunyuan":
            options.setdefault("reasoning_effort", "none")  # the template's; its server asks for a high one
        sent = asked(options)
        reasoning = ReasoningParser(
            self.reasoning,
            force_reasoning=self.forced or thinks(self.server(), sent),
            request=sent,
            tokenizer=self.vocabulary,
            tool_call_parser_active=calls is not None,
        )
        return reasoning, calls

    def server(self) -> SimpleNamespace:
        """What the server's own methods read of it."""
        detector = ReasoningParser(self.reasoning).detector if self.reasoning else None
        return SimpleNamespace(
            reasoning_parser=self.reasoning,
            template_manager=SimpleNamespace(reasoning_config=self.toggle),
            _reasoning_detector=detector,
        )

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """A whole completion."""
        reasoning, calls = self.parsers(request)
        text = without_stop(self.vocabulary.decode(request["token_ids"]), self.stops)
        thought, text = reasoning.parse_non_stream(text) if reasoning else (None, text)
        found = list[Any]()
        if calls and calls.has_tool_call(text):
            text, found = read(calls, text)
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
        given += untold(calls) if calls and end else []
        return {"content": text or None, "reasoning_content": thought or None, "tool_calls": given}


def read(calls: FunctionCallParser, text: str) -> tuple[str, list[Any]]:
    """Text and calls of a whole completion; where the parser breaks, the server gives the text as it is."""
    try:
        content, found = calls.parse_non_stream(text)
    except Exception:  # noqa: BLE001  (as the server does)
        return text, []
    return content, found


def asked(options: dict[str, Any]) -> ChatCompletionRequest:
    """The request as a client would have sent it."""
    effort = {"reasoning_effort": options["reasoning_effort"]} if "reasoning_effort" in options else {}
    return ChatCompletionRequest.model_validate(
        {"model": "", "messages": [{"role": "user", "content": ""}], "chat_template_kwargs": dict(options), **effort}
    )


def untold(calls: FunctionCallParser) -> list[dict[str, Any]]:
    """The end of the last call's arguments, which the server sends when the stream has ended."""
    content = {"meta_info": {"id": ""}}
    event = left_over(None, calls, content, asked({}), 0, 0)
    if event is None:
        return []
    told = json.loads(event.removeprefix("data: "))["choices"][0]["delta"]["tool_calls"]
    return [{"index": one["index"], "name": None, "arguments": one["function"]["arguments"]} for one in told]
