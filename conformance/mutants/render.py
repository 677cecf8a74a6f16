"""Broken renderers: the reference with one small edit before or after its work."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from mutants import Mutant
from tokenspec.model import decode_mask
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
            "content_mask",
            "loss_mask",
            "content_spans_by_role",
        ):
            result.pop(name, None)
    result["text"], result["token_ids"] = text, ids


# ---- text and ids -------------------------------------------------------------------------------------------------


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


# ---- masks --------------------------------------------------------------------------------------------------------


def runs(mask: list[bool]) -> list[tuple[int, int]]:
    """Maximal true runs."""
    edges = [at for at in range(len(mask) + 1) if (at > 0 and mask[at - 1]) != (at < len(mask) and mask[at])]
    return list(zip(edges[::2], edges[1::2], strict=True))


def role_of(request: Request, result: Result, token: int) -> str | None:
    index = result["message_indices"][token]
    return request["messages"][index].get("role") if index >= 0 else None


def closer_leaks(role: str) -> After:
    """The token after each body of this role is content too."""

    def edit(request: Request, result: Result, _: Any) -> None:
        if not result.get("is_content"):
            return
        for start, end in runs(result["is_content"]):
            if end < len(result["is_content"]) and role_of(request, result, start) == role:
                result["is_content"][end] = True

    return edit


def opener_leaks(request: Request, result: Result, _: Any) -> None:
    for start, _end in runs(result.get("is_content") or []):
        if start and role_of(request, result, start) != "assistant":
            result["is_content"][start - 1] = True


def wrapper_leaks(request: Request, result: Result, _: Any) -> None:
    for token, index in enumerate(result.get("message_indices") or []):
        if index >= 0 and request["messages"][index].get("role") == "tool" and result.get("is_content"):
            result["is_content"][token] = True


def prompt_is(name: str) -> After:
    """The generation prompt is marked in one mask."""

    def edit(request: Request, result: Result, _: Any) -> None:
        if request["options"].get("add_generation_prompt") and result.get(name):
            result[name][-1] = True

    return edit


def shift(name: str, by: int) -> After:
    """A mask is off by one."""

    def edit(_: Request, result: Result, __: Any) -> None:
        mask = result.get(name)
        if mask:
            result[name] = [False, *mask[:-1]] if by > 0 else [*mask[1:], False]

    return edit


def overlap_rule(_: Request, result: Result, tokenizer: Any) -> None:
    """A token that reaches into a body is content, though it begins in scaffold."""
    mask = result.get("is_content") or []
    for start, _end in runs(mask):
        before = tokenizer.decode([result["token_ids"][start - 1]]) if start else ""
        if len(before) > 1 and before.isspace():
            mask[start - 1] = True


def first_token_only(request: Request, result: Result, _: Any) -> None:
    for start, end in runs(result.get("is_content") or []):
        if role_of(request, result, start) != "assistant":
            result["is_content"][start + 1 : end] = [False] * (end - start - 1)


def fill(name: str, value: bool) -> After:
    """A mask of one value."""

    def edit(_: Request, result: Result, __: Any) -> None:
        if result.get(name):
            result[name] = [value] * len(result["token_ids"])

    return edit


def longer_mask(_: Request, result: Result, __: Any) -> None:
    if result.get("is_content"):
        result["is_content"].append(False)


def index_off_by_one(_: Request, result: Result, __: Any) -> None:
    result["message_indices"] = [index - 1 if index > 0 else index for index in result.get("message_indices") or []]


def index_beyond(request: Request, result: Result, _: Any) -> None:
    count = len(request["messages"])
    result["message_indices"] = [count if index == -1 else index for index in result.get("message_indices") or []]


def edit_sampled_runs(change: Callable[[list[bool], int, int], None], names: tuple[str, ...]) -> After:
    """Change the given masks around each sampled run."""

    def edit(_: Request, result: Result, __: Any) -> None:
        for start, end in runs(result.get("sampled_mask") or []):
            for name in names:
                if result.get(name):
                    change(result[name], start, end)

    return edit


def without_stop(mask: list[bool], _: int, end: int) -> None:
    mask[end - 1] = False


def with_next(mask: list[bool], _: int, end: int) -> None:
    if end < len(mask):
        mask[end] = True


def with_opener(mask: list[bool], start: int, _: int) -> None:
    if start:
        mask[start - 1] = True


def user_is_sampled(request: Request, result: Result, _: Any) -> None:
    for start, end in runs(result.get("is_content") or []):
        if role_of(request, result, start) == "user":
            result["sampled_mask"][start:end] = [True] * (end - start)


def assistant_is_no_content(_: Request, result: Result, __: Any) -> None:
    if result.get("is_content") and result.get("sampled_mask"):
        pairs = zip(result["is_content"], result["sampled_mask"], strict=True)
        result["is_content"] = [content and not sampled for content, sampled in pairs]


# ---- derived ------------------------------------------------------------------------------------------------------


def spans_are_outer(request: Request, result: Result, _: Any) -> None:
    """One span a role from its first to its last body token: other messages in between are counted in."""
    spans = result.get("content_spans_by_role")
    if spans:
        result["content_spans_by_role"] = {
            role: [[min(a for a, _ in found), max(b for _, b in found)]] for role, found in spans.items() if found
        }


def roles_ignored(_: Request, result: Result, __: Any) -> None:
    if result.get("content_mask") is not None:
        result["content_mask"] = list(result["is_content"])


def wraps_are_trained(request: Request, result: Result, _: Any) -> None:
    roles = (request.get("derive") or {}).get("roles", [])
    if result.get("loss_mask") is not None:
        result["loss_mask"] = [
            trained or role_of(request, result, token) in roles for token, trained in enumerate(result["loss_mask"])
        ]


def bodies_not_trained(_: Request, result: Result, __: Any) -> None:
    if result.get("loss_mask") is not None:
        result["loss_mask"] = list(result["sampled_mask"])


def everything_is_trained(_: Request, result: Result, __: Any) -> None:
    if result.get("loss_mask") is not None:
        result["loss_mask"] = list(result["is_content"])


TWICE = ("is_content", "sampled_mask")
MUTANTS: tuple[Mutant, ...] = (
    mutant("drop-bos", "RND-001 RND-010", "the first token is missing", after=drop_first_token),
    mutant("double-bos", "RND-001 RND-010", "the first token stands twice", after=double_first_token),
    mutant("no-generation-prompt", "RND-003 RND-001", "add_generation_prompt is ignored", before=no_generation_prompt),
    mutant("trailing-newline", "RND-001 RND-010", "a newline after the last turn", after=trailing_newline),
    mutant("strip-content", "RND-001", "content is stripped before rendering", before=strip_content),
    mutant("ensure-ascii", "RND-001", "non-ASCII text is escaped", after=escape_non_ascii),
    mutant("sort-keys", "RND-001", "keys of tool schemas are sorted", before=sort_schema_keys),
    mutant("reverse-calls", "RND-001", "parallel tool calls are reversed", before=reverse_calls),
    mutant("arguments-twice", "RND-001", "arguments are JSON-encoded twice", before=arguments_encoded_twice),
    mutant("drop-reasoning", "RND-001", "reasoning never reaches the template", before=drop_reasoning),
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
    mutant("mask-too-long", "RND-020", "is_content has one entry more", after=longer_mask),
    mutant("index-off-by-one", "RND-021", "message_indices count an injected system prompt", after=index_off_by_one),
    mutant("index-beyond", "RND-021", "scaffold carries the index after the last message", after=index_beyond),
    mutant("user-closer-leaks", "RND-022", "the token after a user body is content", after=closer_leaks("user")),
    mutant("tool-closer-leaks", "RND-022", "the token after a tool body is content", after=closer_leaks("tool")),
    mutant("system-closer-leaks", "RND-022", "the token after a system body is content", after=closer_leaks("system")),
    mutant("opener-leaks", "RND-028", "the token before a body is content", after=opener_leaks),
    mutant("tool-wrap-leaks", "RND-022", "the whole tool message is content", after=wrapper_leaks),
    mutant("prompt-content", "RND-025", "the generation prompt's last token is content", after=prompt_is("is_content")),
    mutant("prompt-sampled", "RND-025", "the generation prompt's last token is sampled", after=prompt_is("sampled_mask")),
    mutant("content-late", "RND-022", "is_content is one token late", after=shift("is_content", 1)),
    mutant("content-early", "RND-022", "is_content is one token early", after=shift("is_content", -1)),
    mutant("overlap", "RND-027", "a straddling token is attributed by overlap", after=overlap_rule),
    mutant("first-token-only", "RND-022", "only the first token of a body is content", after=first_token_only),
    mutant("all-content", "RND-022", "everything is content", after=fill("is_content", True)),
    mutant("no-content", "RND-022", "nothing is content", after=fill("is_content", False)),
    mutant("nothing-sampled", "RND-029", "nothing is sampled", after=fill("sampled_mask", False)),
    mutant("stop-not-content", "RND-023", "the stop token is sampled, but not content", after=edit_sampled_runs(without_stop, ("is_content",))),
    mutant("stop-not-sampled", "RND-029", "the stop token is neither", after=edit_sampled_runs(without_stop, TWICE)),
    mutant("newline-sampled", "RND-029", "the newline after the stop token is sampled", after=edit_sampled_runs(with_next, TWICE)),
    mutant("opener-sampled", "RND-029", "the end of the assistant's opener is sampled", after=edit_sampled_runs(with_opener, TWICE)),
    mutant("user-sampled", "RND-026", "user bodies are sampled", after=user_is_sampled),
    mutant("sampled-no-content", "RND-024", "sampled tokens are not content", after=assistant_is_no_content),
    mutant("outer-spans", "RND-030", "content spans of a role reach over other messages", after=spans_are_outer),
    mutant("roles-ignored", "RND-031", "the mask for roles is the whole content mask", after=roles_ignored),
    mutant("wraps-trained", "RND-032", "the wraps of tool results enter the loss", after=wraps_are_trained),
    mutant("bodies-not-trained", "RND-032", "content_sft_roles has no effect", after=bodies_not_trained),
    mutant("users-trained", "RND-032", "every body enters the loss", after=everything_is_trained),
)  # fmt: skip
