"""Completions read by a server's own parsers: ids in, a message in OpenAI's form out, whole or in deltas."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tokenspec.adapters import Unsupported
from tokenspec.columns.openai_wire import parsed_call

Send = Callable[[dict[str, Any]], Any]
REASONING = ("reasoning_content", "reasoning", "thinking")


def parsed(request: dict[str, Any], stops: frozenset[int], send: Send) -> dict[str, Any]:
    """A completion read at once."""
    choice = {"index": 0, "token_ids": request["token_ids"], "finish_reason": ending(request["token_ids"], stops)}
    answer = send({**common(request), "generate_response": {"choices": [choice]}})
    message = answer["choices"][0]["message"]
    return {
        "content": message.get("content") or "",
        "reasoning_content": reasoning_of(message),
        "tool_calls": [call_of(call) for call in message.get("tool_calls") or []],
    }


def streamed(request: dict[str, Any], stops: frozenset[int], send: Send) -> dict[str, Any]:
    """A completion read chunk by chunk; the state between them is the server's, carried back to it."""
    if request["prompt_ids"] is None:
        raise Unsupported("streams only where the ids of the prompt are given")
    deltas: list[dict[str, Any]] = []
    state, known = None, set[int]()
    ids = [id_ for chunk in request["chunks"] for id_ in chunk["token_ids"]]
    for chunk in [*request["chunks"], None]:
        new = [] if chunk is None else chunk["token_ids"]
        if chunk is not None and not new:
            deltas.append({})
            continue
        choice = {"index": 0, "token_ids": new, "finish_reason": ending(ids, stops) if chunk is None else None}
        body = {"stream": True, "stream_state": state, "generate_chunk": {"choices": [choice]}}
        answer = send({**common(request), **body})
        state = answer["stream_state"]
        choices = (answer["chunk"] or {}).get("choices") or [{}]
        deltas.append(delta_of(choices[0].get("delta") or {}, known))
    return {"deltas": deltas}


def common(request: dict[str, Any]) -> dict[str, Any]:
    """What both are told: the prompt, and the conversation as far as parsers read it.

    Raises:
        Unsupported: the completion calls tools, and none are offered; or a template comes with it.
    """
    tools = request["tools"]
    if "chat_template" in request["options"]:
        raise Unsupported("reads completions of the template it serves")
    if request["undeclared_calls"] and not tools:
        raise Unsupported("reads calls only where tools are offered")
    options = {name: value for name, value in request["options"].items() if name != "add_generation_prompt"}
    chat: dict[str, Any] = {"messages": [{"role": "user", "content": ""}], "chat_template_kwargs": options}
    if tools:
        chat |= {"tools": tools, "tool_choice": "auto"}
    prompt = {} if request["prompt_ids"] is None else {"prompt_token_ids": request["prompt_ids"]}
    return {"chat_request": chat, **prompt}


def ending(ids: list[int], stops: frozenset[int]) -> str:
    """Why an engine would have stopped here."""
    return "stop" if ids and ids[-1] in stops else "length"


def reasoning_of(message: dict[str, Any]) -> str | None:
    """The reasoning, under whichever name it comes."""
    return next((message[name] for name in REASONING if message.get(name)), None)


def call_of(call: dict[str, Any]) -> dict[str, Any]:
    """A call; arguments that are no JSON are said to be none."""
    function = call["function"]
    return {"id": call.get("id"), **parsed_call(function.get("name"), function["arguments"])}


def delta_of(delta: dict[str, Any], known: set[int]) -> dict[str, Any]:
    """A delta in our words; ``known`` are the calls that were told of."""
    return {
        "content": delta.get("content") or None,
        "reasoning_content": reasoning_of(delta),
        "tool_calls": list(call_deltas(delta.get("tool_calls") or [], known)),
    }


def call_deltas(calls: Iterable[dict[str, Any]], known: set[int]) -> Iterable[dict[str, Any]]:
    """More of calls; id and name are told with the first delta of each."""
    for call in calls:
        function = call.get("function") or {}
        first = {} if call["index"] in known else {"id": call.get("id"), "name": function.get("name")}
        known.add(call["index"])
        yield {"index": call["index"], "arguments": function.get("arguments") or "", **first}
