"""One model call: render, send ids, read the answer, and keep the attribution of the prompt.

The transport is the caller's: a function from a request of ids to a completion. So there is no HTTP client here, and a
test can play the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TokenSpecError

if TYPE_CHECKING:
    from tokenspec_reference.renderers.parsing.parsed import ParsedToolCall
    from tokenspec_reference.renderers.rendered import RenderedTokens
    from tokenspec_reference.renderers.renderer import Renderer


class MalformedCompletion(TokenSpecError):
    """The server's answer cannot be trained on: ids and log-probabilities do not belong together."""

    rejection_code = "malformed-completion"


class PromptTooLong(TokenSpecError):
    """The prompt has more tokens than the model takes; nothing was sent."""

    rejection_code = "prompt-too-long"


@dataclass(frozen=True)
class GenerationRequest:
    """What is sent: ids and sampling parameters, with the family's stop ids filled in."""

    token_ids: list[int]
    sampling_params: Mapping[str, Any]


@dataclass(frozen=True)
class Completion:
    """What comes back: ids, one log-probability per id (natural logarithm), and why the server stopped."""

    token_ids: list[int]
    logprobs: list[float]
    finish_reason: str = "stop"


@dataclass(frozen=True)
class Generation:
    """A finished call. ``prompt_attribution`` is the render of the prompt, or the caller's own object, or None."""

    prompt_ids: list[int]
    completion_ids: list[int]
    completion_logprobs: list[float]
    content: str
    reasoning_content: str | None
    reasoning_complete: bool
    finish_reason: str
    tool_calls: list[ParsedToolCall] = field(default_factory=list)
    prompt_attribution: RenderedTokens | None = None


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
        messages: the conversation; not rendered when ``prompt_ids`` are given.
        tools: tool schemas, for the prompt and for reading calls.
        sampling_params: passed on; ``stop_token_ids`` and ``logprobs`` are filled in when missing.
        prompt_ids: ids built before, e.g. by a bridge.
        prompt_attribution: what belongs to these ids; handed through untouched. Ids without it give None.
        max_prompt_len: the longest prompt allowed, in tokens.

    Raises:
        PromptTooLong: before anything is sent.
        MalformedCompletion: the answer has no finite log-probability for every id.
    """
    if prompt_ids is None:
        if prompt_attribution is not None:
            raise TokenSpecError("belongs to prompt_ids; pass both or neither", field="prompt_attribution")
        prompt_attribution = renderer.render(messages, tools=tools, add_generation_prompt=True)
        prompt_ids = prompt_attribution.token_ids
    if max_prompt_len is not None and len(prompt_ids) > max_prompt_len:
        raise PromptTooLong(f"{len(prompt_ids)} tokens, at most {max_prompt_len} allowed", field="prompt_ids")
    params = {"stop_token_ids": renderer.get_stop_token_ids(), "logprobs": 1, **(sampling_params or {})}
    answer = complete(GenerationRequest(list(prompt_ids), params))
    if len(answer.logprobs) != len(answer.token_ids) or not all(map(isfinite, answer.logprobs)):
        raise MalformedCompletion(
            f"{len(answer.token_ids)} ids need as many finite log-probabilities, got {answer.logprobs[:3]}...",
            field="logprobs",
        )
    said = renderer.parse_response(answer.token_ids, tools=tools, prompt_ids=prompt_ids)
    has_call = any(call.status == "ok" for call in said.tool_calls)
    return Generation(
        prompt_ids=list(prompt_ids),
        completion_ids=list(answer.token_ids),
        completion_logprobs=list(answer.logprobs),
        content=said.content,
        reasoning_content=said.reasoning_content,
        reasoning_complete=said.reasoning_complete,
        finish_reason="tool_calls" if has_call and answer.finish_reason == "stop" else answer.finish_reason,
        tool_calls=said.tool_calls,
        prompt_attribution=prompt_attribution,
    )
