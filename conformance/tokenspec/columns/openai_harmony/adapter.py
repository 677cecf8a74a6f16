"""openai-harmony, the publisher's own renderer and parser of gpt-oss.

Its vocabulary is the row's: a folder of ranks, which the library verifies. The mapping of messages to its objects is
the one its documentation describes: the first system or developer message becomes the developer message, which also has
the tools; reasoning is a message in the channel ``analysis``, a call one to ``functions.NAME`` in ``commentary``.
"""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import openai_harmony as harmony

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.openai_wire import arguments_as_text, parsed_call, wrapped
from tokenspec.columns.ranks import HARMONY, write_ranks

UNREAD = {"continue_final_message", "builtin_tools", "model_identity"}


THOUGHT = "analysis"
TOOL = re.compile(r"(functions\.)?(?P<name>(?<=functions\.).+|(browser|container)\..+|python)")


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
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"token_ids": ids, "text": self.encoding.decode(ids)}

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """The messages in a completion."""
        try:
            ids = self.until_stop(request["token_ids"])
            messages = self.encoding.parse_messages_from_completion_tokens(ids, harmony.Role.ASSISTANT, strict=False)
        except harmony.HarmonyError as error:
            raise Rejected("cannot-parse", str(error)) from error
        content, thoughts, calls = "", list[str](), []
        for message in messages:
            text = "".join(part.text for part in message.content)
            name = called(message.recipient)
            if name is not None:
                calls.append(parsed_call(name, text))
            elif message.channel == THOUGHT:
                thoughts.append(text)
            else:
                content += text
        return {"content": content, "reasoning_content": "\n".join(thoughts), "tool_calls": calls}

    def until_stop(self, ids: list[int]) -> list[int]:
        """Ids to the first token that ends a completion; a server samples nothing behind it."""
        stops = self.encoding.stop_tokens_for_assistant_actions()
        end = next((place for place, id_ in enumerate(ids, 1) if id_ in stops), len(ids))
        return ids[:end] if set(ids[end:]) <= set(stops) else ids

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """Token by token through its streaming parser."""
        parser = harmony.StreamableParser(self.encoding, harmony.Role.ASSISTANT, strict=False)
        stream, left = (
            Stream(parser),
            self.until_stop([id_ for chunk in request["chunks"] for id_ in chunk["token_ids"]]),
        )
        deltas, taken = list[dict[str, Any]](), 0
        try:
            for chunk in request["chunks"]:
                ids = chunk["token_ids"]
                deltas.append(stream.delta(left[taken : taken + len(ids)]))
                taken += len(ids)
        except harmony.HarmonyError as error:
            raise Rejected("cannot-parse", str(error)) from error
        with suppress(harmony.HarmonyError):  # a stream that was cut in a header ends with nothing more
            parser.process_eos()
        return {"deltas": [*deltas, stream.end()]}


class Stream:
    """What the parser says after each token, as deltas."""

    def __init__(self, parser: Any) -> None:
        """Begin with nothing told."""
        self.parser = parser
        self.calls: list[int] = []
        self.thoughts: list[int] = []
        self.told: dict[int, int] = {}

    def delta(self, ids: list[int]) -> dict[str, Any]:
        """What became known with the ids of a chunk."""
        parts = []
        for id_ in ids:
            self.parser.process(id_)
            name, channel = called(self.parser.current_recipient), self.parser.current_channel
            parts.append(self.part(len(self.parser.messages), name, channel, self.parser.last_content_delta or ""))
        return joined(parts)

    def end(self) -> dict[str, Any]:
        """What the parser knows of messages, now that they are over, and has not told."""
        parts = []
        for place, message in enumerate(self.parser.messages):
            rest = "".join(part.text for part in message.content)[self.told.get(place, 0) :]
            if rest:
                parts.append(self.part(place, called(message.recipient), message.channel, rest))
        return joined(parts)

    def part(self, place: int, name: str | None, channel: str | None, text: str) -> dict[str, Any]:
        """More text of a message; a newline comes between two thoughts."""
        self.told[place] = self.told.get(place, 0) + len(text)
        if name is not None:
            begins = place not in self.calls
            self.calls += [place] if begins else []
            call = {"index": self.calls.index(place), "arguments": text, **({"name": name} if begins else {})}
            return {"tool_calls": [call] if begins or text else []}
        if channel != THOUGHT or not text:
            return {"content": text}
        if place not in self.thoughts:
            text = "\n" * bool(self.thoughts) + text
            self.thoughts.append(place)
        return {"reasoning_content": text}


def joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Several deltas as one."""
    texts = {key: "".join(part.get(key, "") for part in parts) or None for key in ("content", "reasoning_content")}
    return {**texts, "tool_calls": [call for part in parts for call in part.get("tool_calls", ())]}


def called(recipient: str | None) -> str | None:
    """The tool that a message goes to, one that was offered or one of the model's; None where it goes to nobody."""
    found = TOOL.fullmatch(recipient or "")
    return found and found["name"]


def conversation_of(request: dict[str, Any]) -> list[Any]:
    """The messages of a request as the library's."""
    options, messages = request["options"], arguments_as_text(request["messages"])
    system = harmony.SystemContent.new().with_conversation_start_date(request["now"][:10])
    effort = harmony.ReasoningEffort[options.get("reasoning_effort", "medium").upper()]
    system = system.with_reasoning_effort(effort)
    made = [harmony.Message.from_role_and_content(harmony.Role.SYSTEM, system)]
    developer = harmony.DeveloperContent.new()
    leading = bool(messages) and messages[0]["role"] in {"system", "developer"}
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
