"""The generation prompt, and what assistant turns end with."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.oracle.golden import label_characters
from tokenspec.areas.render.records import RenderInput
from tokenspec.oracle.attribution import Undecidable
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options

from .facts import Prompt, Stop
from .probe import Message, Probe, Refused
from .scenarios import AGAIN, ANSWER, USER, Spelling, result, scenarios, tools_of

EXCERPT = 24


def prompt(probe: Probe, spelling: Spelling) -> Prompt:
    """What ``add_generation_prompt`` adds after a user and after a tool result."""
    after_user, after_tool = _added(probe, [USER]), _added(probe, [USER, spelling.call({"word": "token"}), result("1")])
    text = after_user or ""
    return Prompt(
        text=after_user,
        no_op=after_user == "",
        after_tool=after_tool,
        appends=all(_appends(probe, messages) for messages in scenarios(spelling).values()),
        trailing_space=text[len(text.rstrip()) :],
    )


def _added(probe: Probe, messages: list[Message]) -> str | None:
    """The generation prompt after these messages; None when the template refuses them or changes more than the end."""
    without, with_prompt = (probe.text(messages, tools=tools_of(messages), prompt=flag) for flag in (False, True))
    if isinstance(without, Refused) or isinstance(with_prompt, Refused) or not with_prompt.startswith(without):
        return None
    return with_prompt[len(without) :]


def _appends(probe: Probe, messages: list[Message]) -> bool:
    """Whether the prompt only adds to the text, wherever the conversation is cut."""
    for k in range(1, len(messages) + 1):
        without, with_prompt = (
            probe.text(messages[:k], tools=tools_of(messages), prompt=flag) for flag in (False, True)
        )
        if isinstance(without, str) and isinstance(with_prompt, str) and not with_prompt.startswith(without):
            return False
    return True


def stop(probe: Probe, spelling: Spelling) -> Stop:
    """Whether the sampled region of a turn ends with a stop token: last, before a user, before a tool result."""
    call = spelling.call({"word": "token"})
    ends = {
        name: stop_of(Probe(probe.row), messages, 1, tools_of(messages))
        for name, messages in {
            "final": [USER, ANSWER],
            "before_user": [USER, ANSWER, AGAIN],
            "before_tool": [USER, call, result("1")],
        }.items()
    }
    judged = [end for end in ends.values() if not end.startswith("refused: ")]
    return Stop(**ends, trained=bool(judged) and all(end.startswith("ends with ") for end in judged))


def stop_of(probe: Probe, messages: list[Message], index: int, tools: list[Any] | None) -> str:
    """What the sampled region of message ``index`` ends with, as certificates write it."""
    row, asked = probe.row, {**probe.options, "add_generation_prompt": False}
    oracle, options = TransformersOracle(row), effective_options(row, asked)
    given = RenderInput(messages, tools, asked)
    try:
        text = oracle.text(messages, given.tools, options)
        labels: list[Any] = label_characters(row, oracle, given, options, text)
    except OracleRefuses as refusal:
        return f"refused: {refusal.kind}"
    except Undecidable as undecidable:
        return f"undecided: {undecidable}"
    region = "".join(text[at] for at, label in enumerate(labels) if label == ("sampled", index))
    for token in row.spec.wire.stop:
        if region.endswith(token):
            return f"ends with {token}"
    return f"no stop token: {region[-EXCERPT:]!r}" if region else "no sampled region"
