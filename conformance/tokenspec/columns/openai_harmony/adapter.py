"""openai-harmony, the publisher's own renderer and parser of gpt-oss.

Its vocabulary is the row's: a folder of ranks, which the library verifies. The mapping of messages to its objects is
the one its documentation describes: the first system or developer message becomes the developer message, which also has
the tools; reasoning is a message in the channel ``analysis``, a call one to ``functions.NAME`` in ``commentary``.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import openai_harmony as harmony

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.openai_wire import arguments_as_text, parsed_call, wrapped
from tokenspec.columns.ranks import HARMONY, write_ranks

UNREAD = {"continue_final_message", "builtin_tools", "model_identity"}


class Adapter:
    """The row gpt-oss."""

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Write the ranks where the library looks for them."""
        del model
        if assets["family"] != "gpt-oss":
            raise Unsupported("knows gpt-oss alone")
        with tempfile.TemporaryDirectory() as folder:
            write_ranks(Path(assets["directory"]), Path(folder) / HARMONY)
            os.environ["TIKTOKEN_ENCODINGS_BASE"] = folder
            self.encoding = harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The ids of a conversation, for sampling or as one that is trained on."""
        options = request["options"]
        if unread := UNREAD & options.keys():
            raise Unsupported(f"has no counterpart to {min(unread)}")
        if not all(isinstance(message.get("content") or "", str) for message in request["messages"]):
            raise Unsupported("has texts as contents")
        try:
            conversation = harmony.Conversation.from_messages(conversation_of(request))
            if options.get("add_generation_prompt"):
                ids = self.encoding.render_conversation_for_completion(conversation, harmony.Role.ASSISTANT)
            else:
                ids = self.encoding.render_conversation_for_training(conversation)
        except (harmony.HarmonyError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise Rejected("cannot-render", f"{type(error).__name__}: {error}") from error
        return {"token_ids": ids, "text": self.encoding.decode(ids)}

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """The messages in a completion."""
        try:
            messages = self.encoding.parse_messages_from_completion_tokens(
                request["token_ids"], harmony.Role.ASSISTANT, strict=False
            )
        except harmony.HarmonyError as error:
            raise Rejected("cannot-parse", str(error)) from error
        said: dict[str, str] = {"content": "", "reasoning_content": ""}
        calls = []
        for message in messages:
            text = "".join(part.text for part in message.content)
            name = called(message.recipient)
            if name is not None:
                calls.append(parsed_call(name, text))
            else:
                said[kind_of(message.channel)] += text
        return {**said, "tool_calls": calls}

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """Token by token through its streaming parser."""
        parser = harmony.StreamableParser(self.encoding, harmony.Role.ASSISTANT, strict=False)
        stream, deltas = Stream(parser), list[dict[str, Any]]()
        try:
            deltas.extend(stream.delta(chunk["token_ids"]) for chunk in request["chunks"])
        except harmony.HarmonyError as error:
            raise Rejected("cannot-parse", str(error)) from error
        return {"deltas": [*deltas, {}]}


class Stream:
    """What the parser says after each token, as deltas."""

    def __init__(self, parser: Any) -> None:
        """Begin with no call."""
        self.parser = parser
        self.calls: list[int] = []

    def delta(self, ids: list[int]) -> dict[str, Any]:
        """What became known with the ids of a chunk."""
        texts = {"content": "", "reasoning_content": ""}
        calls = []
        for id_ in ids:
            self.parser.process(id_)
            text, name = self.parser.last_content_delta or "", called(self.parser.current_recipient)
            message = len(self.parser.messages)
            if name is None:
                texts[kind_of(self.parser.current_channel)] += text
            elif message not in self.calls:
                self.calls.append(message)
                calls.append({"index": len(self.calls) - 1, "name": name, "arguments": text})
            elif text:
                calls.append({"index": len(self.calls) - 1, "arguments": text})
        return {**{key: text or None for key, text in texts.items()}, "tool_calls": calls}


def called(recipient: str | None) -> str | None:
    """The tool that a message goes to; None where it goes to nobody."""
    return recipient.removeprefix("functions.") if recipient and recipient.startswith("functions.") else None


def kind_of(channel: str | None) -> str:
    """Whether the text of a channel is reasoning."""
    return "reasoning_content" if channel == "analysis" else "content"


def conversation_of(request: dict[str, Any]) -> list[Any]:
    """The messages of a request as the library's."""
    options, messages = request["options"], arguments_as_text(request["messages"])
    system = harmony.SystemContent.new().with_conversation_start_date(request["now"][:10])
    effort = harmony.ReasoningEffort[options.get("reasoning_effort", "medium").upper()]
    system = system.with_reasoning_effort(effort)
    made = [harmony.Message.from_role_and_content(harmony.Role.SYSTEM, system)]
    developer = harmony.DeveloperContent.new()
    leading = messages[0]["role"] in {"system", "developer"}
    if leading:
        developer = developer.with_instructions(messages[0]["content"])
    if request["tools"]:
        developer = developer.with_function_tools([described(tool["function"]) for tool in wrapped(request["tools"])])
    if leading or request["tools"]:
        made.append(harmony.Message.from_role_and_content(harmony.Role.DEVELOPER, developer))
    names: dict[str, str] = {}
    for message in messages[leading:]:
        made += turn(message, names)
    return made


def described(function: dict[str, Any]) -> Any:
    """A tool."""
    return harmony.ToolDescription.new(
        function["name"], function.get("description", ""), parameters=function.get("parameters")
    )


def turn(message: dict[str, Any], names: dict[str, str]) -> list[Any]:
    """One message as one or several of the library's; ``names`` remembers whose results will come."""
    role = message["role"]
    if role == "tool":
        name = message.get("name") or names.get(message.get("tool_call_id", "")) or names.get("", "")
        author = harmony.Author.new(harmony.Role.TOOL, f"functions.{name}")
        made = harmony.Message.from_author_and_content(author, message["content"])
        return [made.with_channel("commentary").with_recipient("assistant")]
    if role != "assistant":
        return [harmony.Message.from_role_and_content(harmony.Role(role), message["content"])]
    made = []
    calls = message.get("tool_calls") or []
    if thought := message.get("reasoning_content") or message.get("thinking"):
        made.append(said("analysis", thought))
    if message.get("content"):
        made.append(said("commentary" if calls else "final", message["content"]))
    for call in calls:
        function = call.get("function", call)
        names[call.get("id", "")] = names[""] = function["name"]
        told = said("commentary", function["arguments"]).with_recipient(f"functions.{function['name']}")
        made.append(told.with_content_type("json"))
    return made


def said(channel: str, text: str) -> Any:
    """What the assistant said in a channel."""
    return harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, text).with_channel(channel)
