"""Broken parsers: a faultless one with one small edit."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tokenspec.areas.bridge.mutants.golden_echo import GoldenEcho, Request, Result, expectation
from tokenspec.areas.mutant import Mutant
from tokenspec.models import load
from tokenspec.store.records import Case
from tokenspec_reference.adapter import ReferenceAdapter

Edit = Callable[[Request, Case, dict[str, Any], Result], None]


class Edited(GoldenEcho):
    """Edits the right answer; the edit may look at the case."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit

    def parse(self, request: Request) -> Result:
        """The right answer, then the edit."""
        result = super().parse(request)
        case, expect = expectation("parse", request)
        self.edit(request, case, expect, result)
        return result


class RawBeginsLate(ReferenceAdapter):
    """Gives the text of a call without its first character."""

    def parse(self, request: Request) -> Result:
        """The right answer, but for the text of its calls."""
        result: Result = super().parse(request)
        calls = [{**call, "raw": call["raw"][1:]} for call in result["tool_calls"]]
        return {**result, "tool_calls": calls}


def reasoning_in_content(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    result["content"] = (result["reasoning_content"] or "") + result["content"]
    result["reasoning_content"] = None


def reasoning_lost(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    result["reasoning_content"] = None


def stripped(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    result["content"] = result["content"].strip()


def text_beside_calls_lost(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    result["content"] = "" if result["tool_calls"] else result["content"]


def template_newlines_kept(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    if result["reasoning_content"]:
        result["reasoning_content"] = f"\n{result['reasoning_content']}\n"


def last_call_lost(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    del result["tool_calls"][-1:]


def calls_reversed(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    result["tool_calls"].reverse()


def arguments_as_text(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        call["arguments"] = json.dumps(call["arguments"])


def coerced_values(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if isinstance(call["arguments"], dict):
            call["arguments"] = {key: coerced(value) for key, value in call["arguments"].items()}


def coerced(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def stop_in_content(request: Request, _: Case, __: dict[str, Any], result: Result) -> None:
    row = load(request["model"])
    stops = {row.tokenizer.convert_tokens_to_ids(stop): stop for stop in row.spec.wire.stop}
    last = request["token_ids"][-1:]
    result["content"] += stops.get(last[0], "") if last else ""


def broken_call_is_ok(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        call["status"] = "ok"


def broken_call_is_dropped(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    result["tool_calls"] = [call for call in result["tool_calls"] if call["status"] == "ok"]


def cut_thought_complete(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    if result["reasoning_complete"] is False:
        result["reasoning_complete"] = True


def cut_thought_is_content(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    if result["reasoning_complete"] is False:
        result["content"], result["reasoning_content"] = result["reasoning_content"] or "", None


def prompt_ignored(request: Request, case: Case, expect: dict[str, Any], result: Result) -> None:
    if expect["prompt_opens_thought"]:
        reasoning_in_content(request, case, expect, result)


def markers_by_text(_: Request, case: Case, __: dict[str, Any], result: Result) -> None:
    for piece in case.input["completion"]:
        result["content"] = result["content"].replace(piece.get("plain") or "\x00", "")


def token_by_token(request: Request, _: Case, __: dict[str, Any], result: Result) -> None:
    tokenizer = load(request["model"]).tokenizer
    whole = tokenizer.decode(request["token_ids"])
    pieces = "".join(tokenizer.decode([token]) for token in request["token_ids"])
    if pieces != whole and result["content"]:
        result["content"] += "\ufffd"


def resplit_calls_lost(_: Request, case: Case, __: dict[str, Any], result: Result) -> None:
    if any("resplit" in piece for piece in case.input["completion"]):
        result["tool_calls"] = []


def last_character_lost(_: Request, __: Case, expect: dict[str, Any], result: Result) -> None:
    if expect["content_prefix"]:
        result["content"] = result["content"][:-1]


def whole_call_broken(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        call["status"] = "malformed_structure"


def first_closer_closes(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if "</tool_call>" in json.dumps(call["arguments"]):
            call["status"] = "invalid_json"


def cut_call_closed_by_a_string(_: Request, case: Case, __: dict[str, Any], result: Result) -> None:
    if not case.input["completion"][-1].get("special") and "</tool_call> b" in json.dumps(case.input["completion"]):
        for call in result["tool_calls"]:
            call["status"] = "invalid_json"


def calls_of_an_open_thought_lost(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    if result["reasoning_complete"] is False:
        result["tool_calls"] = []


def call_invented(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    if not result["tool_calls"]:
        result["tool_calls"] = [{"name": "get_weather", "arguments": {}}]


def calls_renumbered(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for number, call in enumerate(result["tool_calls"]):
        call["id"] = f"call_{number}"


def span_a_token_short(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if call["token_span"]:
            call["token_span"] = [call["token_span"][0], call["token_span"][1] - 1]


def span_is_everything(request: Request, _: Case, __: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        call["token_span"] = [0, len(request["token_ids"])]


def span_to_the_end(request: Request, _: Case, __: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if call["token_span"]:
            call["token_span"] = [call["token_span"][0], len(request["token_ids"])]


def attempts_nameless(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if call["status"] != "ok":
            call["name"] = None


def attempts_half_named(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if call["status"] != "ok" and call["name"] is None:
            call["name"] = ""


def words_between_tags_left_out(_: Request, case: Case, __: dict[str, Any], result: Result) -> None:
    if case.requires in (["RND-084"], ["RND-005", "RND-084"]):
        for call in result["tool_calls"]:
            call["status"] = "ok"


def arguments_invented(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if call["status"] != "ok":
            call.update(raw="<tool_call>", arguments={"city": "Paris"})


def every_tool_known(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        if call["status"] == "unknown_tool":
            call["status"] = "ok"


def raw_of_everything(request: Request, _: Case, __: dict[str, Any], result: Result) -> None:
    for call in result["tool_calls"]:
        call["raw"] = load(request["model"]).tokenizer.decode(request["token_ids"])


def closed_thought_open(_: Request, __: Case, ___: dict[str, Any], result: Result) -> None:
    result["reasoning_complete"] = False


def given_templates_hold_no_calls(request: Request, _: Case, __: dict[str, Any], result: Result) -> None:
    if "chat_template" in request["options"]:
        result["tool_calls"] = []


def edited(id_: str, breaks: str, note: str, edit: Edit, rows: tuple[str, ...] = ()) -> Mutant:
    """A mutant that edits the right answer."""
    return Mutant(f"parse-{id_}", "parse", tuple(breaks.split()), note, lambda: Edited(edit), rows)


WITH_IDS = ("kimi-k2-stand-in",)
"""A row whose notation holds the ids of calls; that of no toy row does."""

MUTANTS: tuple[Mutant, ...] = (
    edited("reasoning-in-content", "RND-060", "puts reasoning in front of the content", reasoning_in_content),
    edited("reasoning-lost", "RND-060", "drops reasoning", reasoning_lost),
    edited("strips", "RND-066", "strips the content", stripped),
    edited("keeps-template-newlines", "RND-066", "keeps the newlines of the think tags", template_newlines_kept),
    edited("text-beside-calls-lost", "RND-082", "drops the words beside calls", text_beside_calls_lost),
    edited("last-call-lost", "RND-061", "drops the last call", last_call_lost),
    edited("calls-reversed", "RND-061", "returns calls last first", calls_reversed),
    edited("arguments-as-text", "RND-061", "returns arguments as JSON text", arguments_as_text),
    edited("coerces-values", "RND-061", "reads strings as JSON values", coerced_values),
    edited("whole-call-broken", "RND-061", "reports whole calls as broken", whole_call_broken),
    edited("first-closer-closes", "RND-061", "ends a call at a close tag in a value", first_closer_closes),
    edited("cut-call-closed", "RND-063", "ends a cut call at a close tag in a string", cut_call_closed_by_a_string),
    edited(
        "calls-behind-open-thought", "RND-061", "drops the calls behind an open thought", calls_of_an_open_thought_lost
    ),
    edited("call-invented", "RND-061", "finds a call in text", call_invented),
    edited("calls-renumbered", "RND-080", "numbers calls instead of reading their ids", calls_renumbered, WITH_IDS),
    edited("span-short", "RND-081", "ends the span of a call a token early", span_a_token_short),
    edited("span-everything", "RND-081", "gives the whole completion as the span of a call", span_is_everything),
    edited("span-to-the-end", "RND-081", "ends the span of a call where the completion ends", span_to_the_end),
    edited("attempts-nameless", "RND-084", "drops the names of broken calls", attempts_nameless),
    edited("attempts-half-named", "RND-084", "gives broken calls without a name an empty one", attempts_half_named),
    edited("words-left-out", "RND-084", "takes calls with words between their tags", words_between_tags_left_out),
    edited("arguments-invented", "RND-084", "gives broken calls other arguments", arguments_invented),
    edited("every-tool-known", "RND-084", "takes calls of tools that nobody offered", every_tool_known),
    Mutant(
        "parse-raw-begins-late",
        "parse",
        ("RND-084",),
        "leaves out the first character of a call's text",
        RawBeginsLate,
        ("qwen3",),
    ),
    edited("raw-of-everything", "RND-084", "gives the completion as the text of a call", raw_of_everything),
    edited("closed-thought-open", "RND-084", "calls closed thoughts incomplete", closed_thought_open),
    edited("given-template", "RND-005", "finds no calls where a template is given", given_templates_hold_no_calls),
    edited("stop-in-content", "RND-062", "leaves the stop token in the content", stop_in_content),
    edited("broken-call-ok", "RND-063", "calls every attempt ok", broken_call_is_ok),
    edited("broken-call-dropped", "RND-063", "drops attempts that do not parse", broken_call_is_dropped),
    edited("cut-thought-complete", "RND-064", "calls a cut thought complete", cut_thought_complete),
    edited("cut-thought-content", "RND-064", "returns a cut thought as content", cut_thought_is_content),
    edited("prompt-ignored", "RND-065", "does not know that the prompt opened a thought", prompt_ignored),
    edited("markers-by-text", "RND-067", "finds markers by their text", markers_by_text),
    edited("token-by-token", "RND-068", "decodes token by token", token_by_token),
    edited("resplit-calls-lost", "RND-068", "finds no call in another split of its bytes", resplit_calls_lost),
    edited("last-character-lost", "RND-069", "drops the last whole character before a cut", last_character_lost),
)
