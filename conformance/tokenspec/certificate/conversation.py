"""What a template does with roles, bodies, reasoning, and with text nobody wrote."""

from __future__ import annotations

import json
from typing import Any

from tokenspec.oracle.clock import OTHER

from .facts import Date, Reasoning, System
from .probe import Message, Probe, Refused, common, difference
from .scenarios import AGAIN, ANSWER, SYSTEM, USER, Spelling, result, scenarios, tools_of

ODD = " \n Mixed  case,\tand a tab.\n\n "
MARK = "Zebra quagga."


def roles(probe: Probe, spelling: Spelling) -> dict[str, str]:
    """Per role or order of roles: whether the message is there, and under which role; or dropped, or refused."""
    one, later = {"content": MARK}, [USER, ANSWER]
    chats: dict[str, list[Message]] = {
        "system": [{"role": "system", **one}, USER],
        "system later": [*later, {"role": "system", **one}, AGAIN],
        "developer": [{"role": "developer", **one}, USER],
        "user": [{"role": "user", **one}],
        "user twice": [USER, {"role": "user", **one}],
        "assistant": [USER, {"role": "assistant", **one}, AGAIN],
        "assistant first": [{"role": "assistant", **one}, USER],
        "tool": [USER, spelling.call({"word": "token"}), result(MARK)],
        "tool without call": [USER, {"role": "tool", "content": MARK}],
        "unknown": [*later, {"role": "critic", **one}, AGAIN],
    }
    return {name: _role(probe, name, messages) for name, messages in chats.items()}


def _role(probe: Probe, name: str, messages: list[Message]) -> str:
    text = probe.text(messages, tools=tools_of(messages))
    if isinstance(text, Refused):
        return str(text)
    if MARK not in text:
        return "dropped"
    if name in {"developer", "unknown"}:
        for other in ("system", "user"):
            renamed = [
                {**message, "role": other} if message["role"] in {"developer", "critic"} else message
                for message in messages
            ]
            if probe.text(renamed) == text:
                return f"as {other}"
    return "kept"


def _with_body(role: str, content: Any, spelling: Spelling) -> list[Message]:
    return {
        "system": [{"role": "system", "content": content}, USER],
        "user": [{"role": "user", "content": content}],
        "assistant": [USER, {"role": "assistant", "content": content}],
        "tool": [USER, spelling.call({"word": "token"}), {**result(""), "content": content}],
    }[role]


def content(probe: Probe, spelling: Spelling) -> dict[str, str]:
    """Per role: whether a body with odd white space is printed as it is."""
    return {role: _body(probe, _with_body(role, ODD, spelling)) for role in ("system", "user", "assistant", "tool")}


def _body(probe: Probe, messages: list[Message]) -> str:
    text = probe.text(messages, tools=tools_of(messages))
    if isinstance(text, Refused):
        return str(text)
    forms = {
        "verbatim": ODD,
        "stripped left": ODD.lstrip(),
        "stripped right": ODD.rstrip(),
        "stripped": ODD.strip(),
        "as json": json.dumps(ODD),
        "altered": "Mixed",
    }
    return next((name for name, form in forms.items() if form in text), "dropped")


def parts(probe: Probe, spelling: Spelling) -> dict[str, str]:
    """Per role: what becomes of content that is a list of two text parts."""
    listed = [{"type": "text", "text": "Zebra "}, {"type": "text", "text": "quagga."}]
    return {role: _parts(probe, _with_body(role, listed, spelling)) for role in ("system", "user", "assistant", "tool")}


def _parts(probe: Probe, messages: list[Message]) -> str:
    text = probe.text(messages, tools=tools_of(messages))
    if isinstance(text, Refused):
        return str(text)
    if "Zebra" not in text and "quagga" not in text:
        return "dropped"
    return "printed whole" if any(key in text for key in ("'text':", '"text":', r"\"text\":")) else "joined"


def reasoning(probe: Probe, spelling: Spelling) -> Reasoning:
    """Whether ``reasoning_content`` is printed, by where the assistant message stands."""
    thought = {"reasoning_content": MARK}
    call = {**spelling.call({"word": "token"}), **thought}
    inline = {"role": "assistant", "content": f"<think>\n{MARK}\n</think>\n\nYes."}
    chats = {
        "final": [USER, ANSWER | thought],
        "in_loop": [USER, call, result("a piece")],
        "history": [USER, ANSWER | thought, AGAIN],
        "inline_history": [USER, inline, AGAIN],
    }
    return Reasoning(**{name: _role(probe, name, messages) for name, messages in chats.items()})


def system(probe: Probe) -> System:
    """The text before the first message, and the part of it that a system message takes the place of."""
    alone, other = probe.text([{"role": "user", "content": MARK}]), probe.text([{"role": "user", "content": "Okapi?"}])
    asked = probe.text([{**SYSTEM, "content": "Ψ"}, {"role": "user", "content": MARK}])
    if isinstance(alone, Refused) or isinstance(other, Refused):
        return System(default=None, preamble="")
    replaced, taken = ("", "") if isinstance(asked, Refused) else difference(alone, asked)
    return System(
        default=replaced if replaced.strip() and "Ψ" in taken else None, preamble=alone[: common(alone, other)]
    )


def date(probe: Probe, spelling: Spelling) -> Date:
    """Whether any scenario reads differently on another day."""
    for messages in scenarios(spelling).values():
        one = probe.text(messages, tools=tools_of(messages), prompt=True)
        other = probe.at(OTHER).text(messages, tools=tools_of(messages), prompt=True)
        if isinstance(one, str) and isinstance(other, str) and one != other:
            start = common(one, other)
            word = start - max(one.rfind(" ", 0, start), one.rfind("\n", 0, start)) - 1
            was, becomes = difference(one, other)
            before = one[start - word : start]
            return Date(depends=True, was=before + was, becomes=before + becomes)
    return Date(depends=False)
