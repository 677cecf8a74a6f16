"""One model call: render, send ids, read the answer, and keep the attribution of the prompt.

The transport is a function from a request of ids to a completion: a :class:`TokenServer`'s, or the caller's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.media.served import as_served, content_parts

if TYPE_CHECKING:
    from tokenspec_reference.renderers.parsing.parsed import ParsedToolCall
    from tokenspec_reference.renderers.rendered import MultiModalData, RenderedTokens
    from tokenspec_reference.renderers.renderer import Renderer

NO_LOGPROB = -9999.0


class MalformedCompletion(TokenSpecError):
    """The server's answer cannot be trained on: ids and log-probabilities do not belong together."""

    rejection_code = "malformed-completion"


class PromptTooLong(TokenSpecError):
    """The prompt has more tokens than the model takes; nothing was sent."""

    rejection_code = "prompt-too-long"


@dataclass(frozen=True)
class GenerationRequest:
    """What is sent: ids and sampling parameters, with the family's stop ids filled in.

    ``content_parts``: pictures and videos, in the order of their placeholders, for a server that expands them itself.
    ``multi_modal_data``: of ids in which they are expanded already; then no parts are sent with them.
    """

    token_ids: list[int]
    sampling_params: Mapping[str, Any]
    content_parts: list[dict[str, str]] = field(default_factory=list)
    multi_modal_data: MultiModalData | None = None


@dataclass(frozen=True)
class Completion:
    """What comes back: ids, one log-probability per id (natural logarithm), and why the server stopped.

    ``prompt_ids`` is the prompt as the server read it, where it says so. ``said`` holds what else it said, under its
    own names: ``request_id``, ``usage``, ``stop_reason``, ``routed_experts``, ``sampling_mask``.
    """

    token_ids: list[int]
    logprobs: list[float]
    finish_reason: str = "stop"
    prompt_ids: list[int] | None = None
    said: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Generation:
    """A finished call. ``prompt_attribution`` is the render of the prompt, or the caller's own object, or None.

    ``said`` is the server's, untouched.
    """

    prompt_ids: list[int]
    completion_ids: list[int]
    completion_logprobs: list[float]
    content: str
    reasoning_content: str | None
    reasoning_complete: bool
    finish_reason: str
    tool_calls: list[ParsedToolCall] = field(default_factory=list)
    prompt_attribution: RenderedTokens | None = None
    said: Mapping[str, Any] = field(default_factory=dict)


def generate(
    complete: Callable[[GenerationRequest], Completion],
    renderer: Renderer,
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Any = None,
    sampling_params: Mapping[str, Any] | None = None,
    prompt_ids: Sequence[int] | None = None,
    prompt_attribution: RenderedTokens | None = None,
    max_prompt_len: int | None = None,
) -> Generation:
    """Ask a model to continue a conversation.

    Args:
        complete: sends the request and returns the completion.
        renderer: renders the prompt and reads the answer.
        messages: the conversation; not rendered when ``prompt_ids`` are given. Pictures and videos in it are sent as
            they are, and the server's expanded prompt comes back with its masks.
        tools: tool schemas, for the prompt and for reading calls.
        sampling_params: passed on, but ``logprobs`` is 1, and the family's stop ids are always among
            ``stop_token_ids``: without them a completion cannot be read or trained on.
        prompt_ids: ids built before, e.g. by a bridge.
        prompt_attribution: what belongs to these ids; handed through untouched. Ids without it give None.
        max_prompt_len: the longest prompt allowed, in tokens.

    Raises:
        PromptTooLong: before anything is sent.
        MalformedCompletion: the answer has not one log-probability for every id: a finite number, at most 0, and not
            the -9999 that servers write where they have none.
    """
    asked = _ask(
        renderer,
        messages,
        tools=tools,
        sampling_params=sampling_params,
        prompt_ids=prompt_ids,
        prompt_attribution=prompt_attribution,
        max_prompt_len=max_prompt_len,
    )
    return asked.read(complete(asked.request))


async def generate_async(
    complete: Callable[[GenerationRequest], Awaitable[Completion]],
    renderer: Renderer,
    messages: Sequence[Mapping[str, Any]],
    **options: Any,
) -> Generation:
    """:func:`generate` with a transport that is awaited; ``options`` are its keywords."""
    asked = _ask(renderer, messages, **options)
    return asked.read(await complete(asked.request))


@dataclass(frozen=True)
class _Asked:
    """A request, and what is needed to read its answer."""

    renderer: Renderer
    tools: Any
    request: GenerationRequest
    prompt_attribution: RenderedTokens | None

    def read(self, answer: Completion) -> Generation:
        if not isinstance(answer, Completion):
            raise MalformedCompletion(
                f"complete has to return a Completion, not {type(answer).__name__}", field="complete"
            )
        check_logprobs(answer)
        prompt_ids, attribution = self.request.token_ids, self.prompt_attribution
        if self.request.content_parts and answer.prompt_ids is not None:
            prompt_ids = answer.prompt_ids
            if attribution is not None:
                attribution = as_served(attribution, prompt_ids, answer.said.get("mm_placeholders") or {})
        said = self.renderer.parse_response(answer.token_ids, tools=self.tools, prompt_ids=prompt_ids)
        has_call = any(call.status == "ok" for call in said.tool_calls)
        return Generation(
            prompt_ids=prompt_ids,
            completion_ids=list(answer.token_ids),
            completion_logprobs=list(answer.logprobs),
            content=said.content,
            reasoning_content=said.reasoning_content,
            reasoning_complete=said.reasoning_complete,
            finish_reason="tool_calls" if has_call and answer.finish_reason == "stop" else answer.finish_reason,
            tool_calls=said.tool_calls,
            prompt_attribution=attribution,
            said=answer.said,
        )


def _ask(
    renderer: Renderer,
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Any = None,
    sampling_params: Mapping[str, Any] | None = None,
    prompt_ids: Sequence[int] | None = None,
    prompt_attribution: RenderedTokens | None = None,
    max_prompt_len: int | None = None,
) -> _Asked:
    if prompt_ids is None:
        if prompt_attribution is not None:
            raise TokenSpecError("belongs to prompt_ids; pass both or neither", field="prompt_attribution")
        prompt_attribution = renderer.render(messages, tools=tools, add_generation_prompt=True)
        prompt_ids = prompt_attribution.token_ids
    if max_prompt_len is not None and len(prompt_ids) > max_prompt_len:
        raise PromptTooLong(f"{len(prompt_ids)} tokens, at most {max_prompt_len} allowed", field="prompt_ids")
    given = dict(sampling_params or {})
    for name in ("n", "best_of"):
        if given.get(name) not in (None, 1):
            raise TokenSpecError(
                f"one completion is read, so {name} is 1, not {given[name]!r}", field="sampling_params"
            )
    stops = dict.fromkeys((*renderer.get_stop_token_ids(), *(given.pop("stop_token_ids", None) or ())))
    params = {**given, "stop_token_ids": list(stops), "logprobs": 1}
    expanded = prompt_attribution.multi_modal_data if prompt_attribution is not None else None
    parts = content_parts(messages) if expanded is None else []
    request = GenerationRequest(list(prompt_ids), params, parts, expanded)
    return _Asked(renderer, tools, request, prompt_attribution)


def check_logprobs(answer: Completion) -> None:
    """Refuse a completion whose log-probabilities are not those of its ids.

    Raises:
        MalformedCompletion: naming the first that is none.
    """
    if len(answer.logprobs) != len(answer.token_ids):
        raise MalformedCompletion(
            f"{len(answer.token_ids)} ids need as many log-probabilities, got {len(answer.logprobs)}", field="logprobs"
        )
    for place, value in enumerate(answer.logprobs):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value) or value > 0:
            raise MalformedCompletion(f"expected a number up to 0, got {value!r}", field=f"logprobs[{place}]")
        if value == NO_LOGPROB:
            raise MalformedCompletion(
                f"{value!r} is what servers write where they have none; ask for logprobs=1", field=f"logprobs[{place}]"
            )
