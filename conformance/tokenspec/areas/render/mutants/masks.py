"""Broken renderers, masks and what is derived from them: right tokens, wrong owners."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from tokenspec.areas.mutant import Mutant
from tokenspec.areas.render.mutants.texts import After, Request, Result, mutant


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


def nothing_unattributed(_: Request, result: Result, __: Any) -> None:
    result["unattributed"] = []


def all_unattributed(_: Request, result: Result, __: Any) -> None:
    result["unattributed"] = [[0, len(result["token_ids"])]]


def unattributed_is_sampled(_: Request, result: Result, __: Any) -> None:
    for start, end in result["unattributed"]:
        for name in TWICE:
            result[name][start:end] = [True] * (end - start)


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


def scaffold_of_the_last(request: Request, result: Result, _: Any) -> None:
    """All that is no body carries the last message's index."""
    last = len(request["messages"]) - 1
    pairs = zip(result.get("message_indices") or [], result.get("is_content") or [], strict=False)
    result["message_indices"] = [index if body else last for index, body in pairs]


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


def spans_are_longer(_: Request, result: Result, __: Any) -> None:
    result["char_spans"] = [[start, end + 1] for start, end in result["char_spans"]]


def spans_touch(_: Request, result: Result, __: Any) -> None:
    spans = result["char_spans"]
    result["char_spans"] = [[start, max(start, after)] for (start, _), (after, _) in pairwise(spans)]
    result["char_spans"] += spans[-1:]


TWICE = ("is_content", "sampled_mask")
MUTANTS: tuple[Mutant, ...] = (
    mutant("mask-too-long", "RND-020", "is_content has one entry more", after=longer_mask),
    mutant("index-off-by-one", "RND-021", "message_indices count an injected system prompt", after=index_off_by_one),
    mutant("index-beyond", "RND-021", "scaffold carries the index after the last message", after=index_beyond),
    mutant("scaffold-elsewhere", "RND-021", "scaffold carries the last message", after=scaffold_of_the_last),
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
    mutant("nothing-unattributed", "RND-029", "what no template shows is not listed", after=nothing_unattributed),
    mutant("all-unattributed", "RND-029", "every token is listed as unattributed", after=all_unattributed),
    mutant("unattributed-sampled", "RND-029", "what no template shows is sampled", after=unattributed_is_sampled),
    mutant("user-sampled", "RND-026", "user bodies are sampled", after=user_is_sampled),
    mutant("sampled-no-content", "RND-024", "sampled tokens are not content", after=assistant_is_no_content),
    mutant("spans-longer", "RND-019", "char_spans end one character too late", after=spans_are_longer),
    mutant("spans-touch", "RND-019", "a token ends where the next one begins, also inside a character", after=spans_touch),
    mutant("outer-spans", "RND-030", "content spans of a role reach over other messages", after=spans_are_outer),
    mutant("roles-ignored", "RND-031", "the mask for roles is the whole content mask", after=roles_ignored),
    mutant("wraps-trained", "RND-032", "the wraps of tool results enter the loss", after=wraps_are_trained),
    mutant("bodies-not-trained", "RND-032", "content_sft_roles has no effect", after=bodies_not_trained),
    mutant("users-trained", "RND-032", "every body enters the loss", after=everything_is_trained),
)  # fmt: skip
