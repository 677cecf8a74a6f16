"""What token servers are sent and what they say: ids in, ids and log-probabilities out, in two dialects.

``tokens`` is vLLM's ``/inference/v1/generate``; ``completions`` is OpenAI's ``/v1/completions`` with ids for a prompt,
as vLLM and llama.cpp's server answer it. Both are pure: a body is made, a decoded answer is read, nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers.generate import Completion, GenerationRequest, MalformedCompletion

SPELLED_ID = "token_id:"
ABOUT_THE_CHOICE = ("stop_reason", "routed_experts", "sampling_mask")
ABOUT_THE_CALL = ("request_id", "id", "usage", "mm_placeholders")


@dataclass(frozen=True)
class Dialect:
    """One way to ask for tokens: where a request goes and what its body says."""

    name: str
    path: str
    body: Callable[[GenerationRequest], dict[str, Any]]

    def body_of(self, request: GenerationRequest) -> dict[str, Any]:
        """What is sent.

        Raises:
            UnsupportedByReference: the ids hold expanded media, which a server takes with features of its own alone.
        """
        if request.multi_modal_data is not None and not request.multi_modal_data.is_empty():
            raise UnsupportedByReference(
                "its media are expanded already, and a server expands what it is sent; render without expanding",
                field="prompt_attribution",
            )
        return self.body(request)


def _tokens_body(request: GenerationRequest) -> dict[str, Any]:
    # What a stop token spells is of no use to anyone who reads ids; it must not be taken out of them.
    params = {"skip_special_tokens": False, **request.sampling_params}
    media = {"content_parts": request.content_parts, "return_token_ids": True} if request.content_parts else {}
    return {"token_ids": request.token_ids, "sampling_params": params, **media}


def _completions_body(request: GenerationRequest) -> dict[str, Any]:
    if request.content_parts:
        raise UnsupportedByReference("completions take ids alone; media go with dialect='tokens'", field="messages")
    asked_for_ids = {"return_token_ids": True, "return_tokens_as_token_ids": True, "skip_special_tokens": False}
    return {**asked_for_ids, **request.sampling_params, "prompt": request.token_ids}


TOKENS = Dialect("tokens", "/inference/v1/generate", _tokens_body)
COMPLETIONS = Dialect("completions", "/v1/completions", _completions_body)
DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in (TOKENS, COMPLETIONS)}


def dialect_named(name: str) -> Dialect:
    """The dialect of this name.

    Raises:
        TokenSpecError: there is none.
    """
    if name not in DIALECTS:
        raise TokenSpecError(f"unknown dialect {name!r}. Known: {', '.join(DIALECTS)}", field="dialect")
    return DIALECTS[name]


def read_completion(answer: Any, request: GenerationRequest) -> Completion:
    """The completion in a server's decoded answer, whichever of the known spellings its ids have.

    Raises:
        MalformedCompletion: no choice or more than one; no ids, or fewer than were sampled; a log-probability of
            another id; or the server read another prompt than the one it was sent.
    """
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    if not isinstance(choices, Sequence) or len(choices) != 1 or not isinstance(choices[0], Mapping):
        raise MalformedCompletion("expected one choice; ask for n=1", field="choices")
    choice: Mapping[str, Any] = choices[0]
    scored = _scored(choice.get("logprobs"))
    ids = choice.get("token_ids")
    if ids is None:
        ids = [token_id for token_id, _ in scored]
    if not isinstance(ids, list) or any(type(token_id) is not int or token_id < 0 for token_id in ids):
        raise MalformedCompletion(
            "the answer holds text and no ids; use a server that returns them (vLLM: return_token_ids)",
            field="choices[0].token_ids",
        )
    for place, ((scored_id, _), token_id) in enumerate(zip(scored, ids, strict=False)):
        if scored_id is not None and scored_id != token_id:
            raise MalformedCompletion(f"is of token {scored_id}, not of {token_id}", field=f"logprobs[{place}]")
    usage = answer.get("usage")
    sampled = usage.get("completion_tokens") if isinstance(usage, Mapping) else None
    if sampled not in {None, len(ids)}:
        raise MalformedCompletion(
            f"the server sampled {sampled} tokens and gives {len(ids)}; some leave out those of a character cut in two",
            field="choices[0].token_ids",
        )
    read = answer.get("prompt_token_ids") or choice.get("prompt_token_ids")
    if request.content_parts and (read is None or not isinstance(answer.get("mm_placeholders"), Mapping)):
        raise MalformedCompletion(
            "the server was sent media and does not say where they stand; it must expand content_parts",
            field="mm_placeholders",
        )
    if read is not None and read != request.token_ids and not request.content_parts:
        raise MalformedCompletion(
            f"the server read {len(read)} ids, not the {len(request.token_ids)} it was sent; does it add a BOS?",
            field="prompt_token_ids",
        )
    return Completion(
        token_ids=ids,
        logprobs=[logprob for _, logprob in scored],
        finish_reason=choice.get("finish_reason") or "stop",
        prompt_ids=read,
        said={
            **{key: answer[key] for key in ABOUT_THE_CALL if answer.get(key) is not None},
            **{key: choice[key] for key in ABOUT_THE_CHOICE if choice.get(key) is not None},
        },
    )


def _scored(logprobs: Any) -> list[tuple[int | None, float]]:
    """The id, where it is said, and the log-probability of each sampled token."""
    if not isinstance(logprobs, Mapping):
        raise MalformedCompletion("the answer has none; the server must allow logprobs=1", field="logprobs")
    if isinstance(logprobs.get("content"), list):
        return [(_said_id(entry), entry.get("logprob")) for entry in logprobs["content"]]
    values, spelled = logprobs.get("token_logprobs"), logprobs.get("tokens")
    if not isinstance(values, list) or not isinstance(spelled, list) or len(values) != len(spelled):
        raise MalformedCompletion("expected `content`, or `tokens` and `token_logprobs`", field="logprobs")
    return [(_spelled_id(token), value) for token, value in zip(spelled, values, strict=True)]


def _said_id(entry: Any) -> int | None:
    if not isinstance(entry, Mapping):
        raise MalformedCompletion(f"expected objects, got {entry!r}", field="logprobs.content")
    for key in ("token_id", "id"):
        if type(entry.get(key)) is int:
            return int(entry[key])
    return _spelled_id(entry.get("token"))


def _spelled_id(token: Any) -> int | None:
    if isinstance(token, str) and token.startswith(SPELLED_ID) and token[len(SPELLED_ID) :].isascii():
        digits = token[len(SPELLED_ID) :]
        return int(digits) if digits.isdigit() else None
    return None
