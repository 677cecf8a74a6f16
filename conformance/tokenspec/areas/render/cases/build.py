"""Small words for writing conversations, and the one function that makes a case of them."""

from __future__ import annotations

from typing import Any

from tokenspec.store.records import Case

Message = dict[str, Any]
Tool = dict[str, Any]

TEXT = ("RND-001", "RND-010")
REJECTS = ("RND-001", "RND-002")
OPTIONS = ("RND-001", "RND-003", "RND-010")
BODIES = ("RND-001", "RND-010", "RND-022")
SAMPLED = ("RND-001", "RND-023", "RND-024", "RND-026", "RND-029")
PROMPT = ("RND-001", "RND-003", "RND-010", "RND-025")
SEAM = ("RND-001", "RND-010", "RND-022", "RND-027")
ISOLATED = ("RND-015", "RND-016", "RND-017")
DERIVED = ("RND-022", "RND-030", "RND-031", "RND-032")

GENERATE = {"add_generation_prompt": True}
CONTINUE = {"continue_final_message": True}


def system(content: Any, **extra: Any) -> Message:
    return {"role": "system", "content": content, **extra}


def user(content: Any, **extra: Any) -> Message:
    return {"role": "user", "content": content, **extra}


def assistant(content: Any, **extra: Any) -> Message:
    return {"role": "assistant", "content": content, **extra}


def thinking(reasoning: Any, content: Any, **extra: Any) -> Message:
    """An assistant turn with reasoning in its own field."""
    return {"role": "assistant", "reasoning_content": reasoning, "content": content, **extra}


def tool(content: Any, call_id: str | None = "call00001", **extra: Any) -> Message:
    """A tool result; `call_id=None` leaves the id out. Ids are nine letters and digits, which all vendors accept."""
    identity = {} if call_id is None else {"tool_call_id": call_id}
    return {"role": "tool", **identity, "content": content, **extra}


def call(name: str, arguments: Any, call_id: str | None = "call00001") -> dict[str, Any]:
    """One entry of `tool_calls`; `call_id=None` leaves the id out."""
    identity = {} if call_id is None else {"id": call_id}
    return {**identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls: dict[str, Any], content: Any = "", **extra: Any) -> Message:
    """An assistant turn that calls tools."""
    return {"role": "assistant", "content": content, **extra, "tool_calls": list(calls)}


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


IMAGE_PART = {"type": "image"}


def function(name: str, parameters: Any = None, description: Any = None) -> Tool:
    """A tool definition, keys in the order name, description, parameters; what is None is left out."""
    body = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": {key: value for key, value in body.items() if value is not None}}


def properties(**types: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in types.items()},
        "required": list(types)[:1],
    }


WEATHER = function("get_weather", properties(city="string"), "Current weather of a city.")
ADD = function("add", properties(b="number", a="number"), "Add two numbers.")


def render(
    slug: str,
    why: str,
    messages: list[Message],
    *flags: str,
    requires: tuple[str, ...] = TEXT,
    tools: list[Tool] | None = None,
    options: dict[str, Any] | None = None,
    features: tuple[str, ...] | None = None,
    derive: tuple[str, ...] = (),
    issue: str | None = None,
    wrong: tuple[str, ...] = (),
) -> Case:
    """One render case; features follow from the conversation unless they are given.

    ``wrong`` are the pointers to what is refused of it, where it is not the template's to say.
    """
    case_input: dict[str, Any] = {"messages": messages}
    if tools is not None:
        case_input["tools"] = tools
    if options:
        case_input["options"] = options
    if derive:
        case_input["derive"] = {"roles": list(derive)}
    return Case(
        id=f"render/{slug}",
        area="render",
        flags=list(flags),
        requires=sorted(
            {*requires, *(ISOLATED if "CONTROL_TOKEN_INJECTION" in flags else ()), *(("RND-007",) if wrong else ())}
        ),
        features=list(infer_features(messages, tools) if features is None else features),
        why=why,
        since="0.1",
        issue=issue,
        input=case_input,
        refusal={"code": "", "places": list(wrong)} if wrong else None,
    )


def infer_features(messages: list[Message], tools: list[Tool] | None) -> tuple[str, ...]:
    """What a row's template must read for the case to say something about it.

    `tool-role` for calls and results (a template may know them and ignore `tools=`), `tools` for definitions alone,
    `parts` for parts that are not text; everything else runs everywhere.
    """
    found: list[str] = []
    if any(message.get("tool_calls") or message["role"] == "tool" for message in messages):
        found.append("tool-role")
    elif tools:
        found.append("tools")
    contents = [message.get("content") for message in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    if any(isinstance(part, dict) and part.get("type") not in (None, "text") for part in parts):
        found.append("parts")
    return tuple(found)
