"""What a template does with tools, tool calls and their results."""

from __future__ import annotations

import json
from typing import Any, Literal

from .facts import Calls, Tools
from .probe import Probe, Refused, difference
from .scenarios import TOOLS, USER, Spelling, call_id, result

WORD = "okapi"


def spelling_of(probe: Probe) -> Spelling:
    """The first way to write a call that the template shows: a dict before a string, empty content before none."""
    for as_string in (False, True):
        for content in ("", None):
            spelling = Spelling(as_string, content)
            if _shown(_one(probe, spelling)) == "shown":
                return spelling
    return Spelling()


def _one(probe: Probe, spelling: Spelling, **more: Any) -> str | Refused:
    return probe.text([USER, {**spelling.call({"word": WORD}), **more}], tools=TOOLS)


def _shown(text: str | Refused) -> str:
    if isinstance(text, Refused):
        return str(text)
    return "shown" if WORD in text else "dropped"


def calls(probe: Probe, spelling: Spelling) -> Calls:
    """Which form of arguments a template takes, and how it prints values."""
    as_dict, as_string = (_one(probe, Spelling(flag, spelling.content)) for flag in (False, True))
    twice = isinstance(as_string, str) and f'\\"{WORD}\\"' in as_string
    return Calls(
        arguments=_form(as_dict, as_string),
        as_dict=_shown(as_dict),
        as_string="quoted twice" if twice else _shown(as_string),
        beside_content=_shown(_one(probe, spelling, content="Let me see.")),
        content_none=_content_none(probe, spelling),
        booleans=_booleans(probe, spelling),
        key_order=_key_order(probe, spelling),
        non_ascii=_non_ascii(probe, spelling),
    )


def _form(
    as_dict: str | Refused, as_string: str | Refused
) -> Literal["dict", "string", "either", "conflicting", "none"]:
    takes_dict, takes_string = _shown(as_dict) == "shown", _shown(as_string) == "shown"
    if takes_dict and takes_string:
        return "either" if as_dict == as_string else "conflicting"
    if takes_dict:
        return "dict"
    return "string" if takes_string else "none"


def _content_none(probe: Probe, spelling: Spelling) -> str:
    text = _one(probe, spelling, content=None)
    return "prints None" if isinstance(text, str) and "None" in text else _shown(text)


def _two(probe: Probe, spelling: Spelling, one: dict[str, Any], other: dict[str, Any]) -> tuple[str, str] | None:
    """Where two sets of arguments make a difference, or None when the template does not take them."""
    texts = [probe.text([USER, spelling.call(arguments)], tools=TOOLS) for arguments in (one, other)]
    if any(isinstance(text, Refused) for text in texts):
        return None
    was, becomes = difference(str(texts[0]), str(texts[1]))
    return (was, becomes) if was or becomes else None


def _booleans(probe: Probe, spelling: Spelling) -> Literal["json", "python", "other"] | None:
    found = _two(probe, spelling, {"word": True}, {"word": False})
    if found is None:
        return None
    return {"t": "json", "T": "python"}.get(found[0][:1], "other")  # type: ignore[return-value]


def _key_order(probe: Probe, spelling: Spelling) -> Literal["given", "other"] | None:
    text = probe.text([USER, spelling.call({"zulu": 1, "alpha": 2})], tools=TOOLS)
    if isinstance(text, Refused) or "zulu" not in text or "alpha" not in text:
        return None
    return "given" if text.index("zulu") < text.index("alpha") else "other"


def _non_ascii(probe: Probe, spelling: Spelling) -> Literal["raw", "escaped", "other"] | None:
    found = _two(probe, spelling, {"word": "a東b"}, {"word": "acb"})
    if found is None:
        return None
    if "東" in found[0]:
        return "raw"
    return "escaped" if json.dumps("東").strip('"') in found[0] else "other"


def tools(probe: Probe, spelling: Spelling) -> Tools:
    """Whether tools are shown, whether an empty list means none, and whether parallel results can be told apart."""
    offered, none, empty = (probe.text([USER], tools=given) for given in (TOOLS, None, []))
    shown = str(offered) if isinstance(offered, Refused) else "shown" if "look_up" in offered else "dropped"
    order, apart = _results(probe, spelling)
    return Tools(
        shown=shown,
        empty_list=str(empty) if isinstance(empty, Refused) else "as none" if empty == none else "differs",
        results=order,
        told_apart=apart,
    )


def _results(
    probe: Probe, spelling: Spelling
) -> tuple[str, Literal["by id", "by order of calls", "not at all"] | None]:
    """Two calls of one function, answered in order, in the other order, and with the ids exchanged."""
    asked = [USER, spelling.call({"word": "token"}, {"word": "merge"})]
    one, two = result("a piece", 1), result("a pair", 2)
    texts = [
        probe.text([*asked, *results], tools=TOOLS)
        for results in (
            [one, two],
            [two, one],
            [{**one, "tool_call_id": call_id(2)}, {**two, "tool_call_id": call_id(1)}],
        )
    ]
    refusal = next((text for text in texts if isinstance(text, Refused)), None)
    if refusal is not None:
        return str(refusal), None
    given, swapped, renamed = texts
    if given == swapped:
        return "in the order of calls", "by order of calls"
    return "in the order given", "by id" if renamed != given else "not at all"
