"""Broken renderers, text and ids: the reference with one small edit before or after its work."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from tokenspec.areas.misrefusing import coded, misrefusing, placing
from tokenspec.areas.mutant import Mutant
from tokenspec.store.masks import decode_mask
from tokenspec_reference.adapter import ReferenceAdapter

Request = dict[str, Any]
Result = dict[str, Any]
Before = Callable[[Request], None]
After = Callable[[Request, Result, Any], None]


class Edited(ReferenceAdapter):
    """The reference with an edit of the request before it renders, or of the result after."""

    def __init__(self, before: Before | None, after: After | None) -> None:
        """Either edit may be absent; without both this is the unmutated twin."""
        super().__init__()
        self.before, self.after = before, after

    def render(self, request: Request) -> Result:
        """Edit, render, edit."""
        given = copy.deepcopy(request)
        if self.before is not None:
            self.before(given)
        result = super().render(given)
        for name in ("is_content", "sampled_mask", "content_mask", "loss_mask"):
            if result.get(name) is not None:
                result[name] = decode_mask(result[name])
        if self.after is not None:
            self.after(request, result, self.models[request["model"]].tokenizer)
        return result


def mutant(id_: str, breaks: str, note: str, *, before: Before | None = None, after: After | None = None) -> Mutant:
    """One render mutant; ``breaks`` lists requirement ids."""
    return Mutant(f"render-{id_}", "render", tuple(breaks.split()), note, lambda: Edited(before, after))


def reencode(result: Result, tokenizer: Any, text: str) -> None:
    """Replace text and ids; masks no longer fit and are left out."""
    ids = tokenizer.encode(text, add_special_tokens=False)
    if len(ids) != len(result["token_ids"]):
        for name in (
            "is_content",
            "sampled_mask",
            "message_indices",
            "char_spans",
            "content_mask",
            "loss_mask",
            "content_spans_by_role",
        ):
            result.pop(name, None)
    result["text"], result["token_ids"] = text, ids


def drop_first_token(_: Request, result: Result, tokenizer: Any) -> None:
    reencode(result, tokenizer, tokenizer.decode(result["token_ids"][1:]))


def double_first_token(_: Request, result: Result, tokenizer: Any) -> None:
    reencode(result, tokenizer, tokenizer.decode(result["token_ids"][:1]) + result["text"])


def no_generation_prompt(request: Request) -> None:
    request["options"]["add_generation_prompt"] = False


def trailing_newline(_: Request, result: Result, tokenizer: Any) -> None:
    reencode(result, tokenizer, result["text"] + "\n")


def strip_content(request: Request) -> None:
    for message in messages_of(request):
        if isinstance(message.get("content"), str):
            message["content"] = message["content"].strip()


def messages_of(request: Request) -> list[dict[str, Any]]:
    messages = request["messages"]
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def functions_of(request: Request) -> list[dict[str, Any]]:
    calls = [call for message in messages_of(request) for call in message.get("tool_calls") or []]
    return [call["function"] for call in calls if isinstance(call, dict) and isinstance(call.get("function"), dict)]


def escape_non_ascii(_: Request, result: Result, tokenizer: Any) -> None:
    reencode(result, tokenizer, result["text"].encode("ascii", "backslashreplace").decode("ascii"))


def sort_schema_keys(request: Request) -> None:
    request["tools"] = json.loads(json.dumps(request["tools"], sort_keys=True))


def reverse_calls(request: Request) -> None:
    for message in messages_of(request):
        if isinstance(message.get("tool_calls"), list):
            message["tool_calls"].reverse()


def arguments_encoded_twice(request: Request) -> None:
    for function in functions_of(request):
        function["arguments"] = json.dumps(function.get("arguments"))


def drop_reasoning(request: Request) -> None:
    for message in messages_of(request):
        for key in ("reasoning", "reasoning_content", "thinking"):
            message.pop(key, None)


def other_normalisation(request: Request) -> None:
    request["normalisation"] = "hf5" if request.get("normalisation") == "hf4" else "hf4"


def inject_system(request: Request) -> None:
    if messages_of(request) and messages_of(request)[0].get("role") != "system":
        request["messages"].insert(0, {"role": "system", "content": "You are a helpful assistant."})


def wall_clock(request: Request) -> None:
    request["now"] = "2031-12-05T08:00:00"


def ignore_options(request: Request) -> None:
    request["options"] = {
        key: value
        for key, value in request["options"].items()
        if key in {"add_generation_prompt", "continue_final_message"}
    }


def drop_tools(request: Request) -> None:
    request["tools"] = None


def encode_piecewise(_: Request, result: Result, tokenizer: Any) -> None:
    """Split the text at every newline, as a renderer does that encodes header and body apart."""
    pieces = result["text"].split("\n")
    joined = [piece + "\n" for piece in pieces[:-1]] + [pieces[-1]]
    ids = [id_ for piece in joined for id_ in tokenizer.encode(piece, add_special_tokens=False)]
    if ids != result["token_ids"]:
        text = result["text"]
        reencode(result, tokenizer, text + " ")
        result["text"], result["token_ids"] = text, ids


def split_one_token(_: Request, result: Result, tokenizer: Any) -> None:
    """Respell one token by two: same text, ids no encoder gives."""
    for at, id_ in enumerate(result["token_ids"]):
        text = tokenizer.decode([id_])
        halves = (
            [tokenizer.encode(part, add_special_tokens=False) for part in (text[:1], text[1:])]
            if text.isalpha()
            else []
        )
        if len(text) > 1 and halves and all(len(half) == 1 for half in halves):
            result["token_ids"][at : at + 1] = [halves[0][0], halves[1][0]]
            for name in ("is_content", "sampled_mask", "message_indices", "content_mask", "loss_mask"):
                if result.get(name):
                    result[name].insert(at, result[name][at])
            result.pop("content_spans_by_role", None)
            return


def other_text(_: Request, result: Result, __: Any) -> None:
    result["text"] = result["text"].swapcase()


class ChangesItsInput(Edited):
    """Normalises the caller's messages in place."""

    def render(self, request: Request) -> Result:
        """Render, and leave a mark."""
        result = super().render(request)
        messages_of(request)[0]["seen"] = True
        return result


class RemembersCalls(Edited):
    """Its second render of anything ends in another token."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        super().__init__(None, None)
        self.seen: set[str] = set()

    def render(self, request: Request) -> Result:
        """Repeat the last id on every call but the first."""
        key = json.dumps(request, sort_keys=True)
        result = super().render(request)
        if key in self.seen:
            result["token_ids"] = result["token_ids"][:-1] + result["token_ids"][:1]
        self.seen.add(key)
        return result


class RendersAnything(Edited):
    """Renders a neutral conversation where the template refuses."""

    def render(self, request: Request) -> Result:
        """Never refuse."""
        try:
            return super().render(request)
        except ValueError:
            return super().render(
                {**request, "messages": [{"role": "user", "content": "?"}], "tools": None, "options": {}}
            )


def date_written_down(request: Request) -> None:
    """One day's date, whatever day is asked for."""
    request.pop("now", None)


MUTANTS: tuple[Mutant, ...] = (
    mutant("drop-bos", "RND-001", "the first token is missing", after=drop_first_token),
    mutant("double-bos", "RND-001", "the first token stands twice", after=double_first_token),
    mutant("no-generation-prompt", "RND-003 RND-001", "add_generation_prompt is ignored", before=no_generation_prompt),
    mutant("date-written-down", "RND-006", "today is always the same day", before=date_written_down),
    mutant("trailing-newline", "RND-001", "a newline after the last turn", after=trailing_newline),
    mutant("strip-content", "RND-001", "content is stripped before rendering", before=strip_content),
    mutant("ensure-ascii", "RND-001", "non-ASCII text is escaped", after=escape_non_ascii),
    mutant("sort-keys", "RND-001", "keys of tool schemas are sorted", before=sort_schema_keys),
    mutant("reverse-calls", "RND-001", "parallel tool calls are reversed", before=reverse_calls),
    mutant("arguments-twice", "RND-001", "arguments are JSON-encoded twice", before=arguments_encoded_twice),
    mutant("drop-reasoning", "RND-001", "reasoning never reaches the template", before=drop_reasoning),
    mutant("other-normalisation", "RND-004", "messages are prepared as another version does", before=other_normalisation),
    mutant("inject-system", "RND-001", "a system prompt of its own is put in front", before=inject_system),
    mutant("wall-clock", "RND-001", "today's date instead of the given one", before=wall_clock),
    mutant("ignore-options", "RND-003", "template keywords are ignored", before=ignore_options),
    mutant("drop-tools", "RND-001 RND-003", "tools are ignored", before=drop_tools),
    mutant("encode-piecewise", "RND-010", "the text is encoded line by line", after=encode_piecewise),
    mutant("split-token", "RND-010", "one token is respelled by two", after=split_one_token),
    mutant("other-text", "RND-011 RND-001", "the text is not what the ids spell", after=other_text),
    Mutant("render-changes-input", "render", ("RND-012",), "messages are normalised in place", lambda: ChangesItsInput(None, None)),
    Mutant("render-remembers", "render", ("RND-013",), "the second call differs", RemembersCalls),
    Mutant("render-accepts-all", "render", ("RND-002",), "renders what the template refuses", lambda: RendersAnything(None, None)),
    misrefusing("render", "render", "refuses-somehow", "RND-007", "a code of its own", coded("unprocessable")),
    misrefusing("render", "render", "blames-the-caller", "RND-007", "the template never refuses", coded("invalid-messages")),
    misrefusing("render", "render", "blames-the-first", "RND-007", "the first message is to blame", placing(lambda _: "/messages/0")),
)  # fmt: skip
