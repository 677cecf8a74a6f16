"""What an implementation declares of itself is judged in that form, and counted anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from tests.edited_reference import CELLS, Edited, Request, Result, blamed, judged, levels
from tokenspec.adapters.capability import Profile
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.check import NotComparable
from tokenspec.areas.render.checks.text import require_same_arguments
from tokenspec.areas.render.declared import declared_expect
from tokenspec.areas.render.exhibit import labels_expected
from tokenspec.areas.render.records import RenderExpect, RenderOutput
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.models import load
from tokenspec.report.standing import standing
from tokenspec.runner import in_form
from tokenspec.verdict import CellResult, Verdict


def declared(profile: Mapping[str, str], adapter: Edited) -> list[CellResult]:
    adapter.capabilities = {"render": {"profile": dict(profile)}}
    return judged(adapter)


def as_strings(request: Request) -> Request:
    calls = [call for message in request["messages"] for call in message.get("tool_calls") or ()]
    if any(not isinstance(call["function"]["arguments"], str) for call in calls):
        raise AssertionError("a mapping reached an implementation that takes strings")
    return parsed(request)


def parsed(request: Request) -> Request:
    import json

    messages = [dict(message) for message in request["messages"]]
    for message in messages:
        if message.get("tool_calls"):
            message["tool_calls"] = [
                {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
                for call in message["tool_calls"]
            ]
    return {**request, "messages": messages}


def test_arguments_come_in_the_declared_form() -> None:
    found = declared({"arguments": "string"}, Edited(before=as_strings))
    assert not blamed(found)
    assert standing(found).code == 0


@pytest.mark.parametrize("area", ["bridge", "media"])
def test_arguments_and_reasoning_come_in_the_declared_form_wherever_there_are_messages(area: str) -> None:
    (cell, *_) = select_cells(Selection(areas=(area,)))
    call = {"type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
    message = {"role": "assistant", "reasoning_content": "One.", "tool_calls": [call]}
    operation = cell.area.operation
    form = {operation: {"profile": {"arguments": "string", "reasoning": "thinking"}}}
    (asked,) = in_form(InProcess("mini", Edited(capabilities=form)), cell, {"messages": [message]})["messages"]
    assert asked == {
        "role": "assistant",
        "thinking": "One.",
        "tool_calls": [{"type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}],
    }


def test_refusing_mappings_is_not_asked_of_those_who_take_text() -> None:
    call = {"type": "function", "function": {"name": "add", "arguments": {"a": 1}}}
    request = {"messages": [{"role": "assistant", "tool_calls": [call]}]}
    subject: Any = SimpleNamespace(request=request, profile=Profile(arguments="string"))
    with pytest.raises(NotComparable, match="mappings"):
        require_same_arguments(subject)
    subject.request = {"messages": [{"role": "user", "content": "Hi."}]}
    require_same_arguments(subject)


@pytest.mark.parametrize("name", ["reasoning", "thinking"])
def test_reasoning_comes_under_the_declared_name(name: str) -> None:
    thought = [
        cell
        for cell in select_cells(Selection(areas=("render",), rows=("toy-bpe",)))
        if cell.case.slug in {"thinking-final", "thinking-tool-loop"}
    ]

    def keyed(request: Request, keys: Mapping[str, str]) -> Request:
        messages = request["messages"]
        assert not any("reasoning_content" in message for message in messages)
        assert any(name in message for message in messages)
        return {**request, "messages": [{keys.get(key, key): said for key, said in one.items()} for one in messages]}

    form = {"render": {"profile": {"reasoning": name}}}
    renamed = Edited(before=lambda request: keyed(request, {name: "reasoning_content"}), capabilities=form)
    assert not blamed(judged(renamed, thought))
    unread = Edited(before=lambda request: keyed(request, {name: "unread"}), capabilities=form)
    assert "RND-001" in blamed(judged(unread, thought))


def cut_behind_the_stop(_request: Request, result: Result) -> Result:
    """As a trainer cuts its samples: nothing behind the last sampled token."""
    from tokenspec.store.masks import decode_mask

    sampled = [bool(one) for one in decode_mask(result["sampled_mask"])]
    if not any(sampled):
        return result
    keep = max(index for index, one in enumerate(sampled) if one) + 1
    lists = {name: [*decode_mask(result[name])][:keep] for name in ("sampled_mask", "is_content") if result.get(name)}
    return {"token_ids": result["token_ids"][:keep], "message_indices": result["message_indices"][:keep], **lists}


def test_a_sample_may_end_with_its_stop_token_where_that_is_declared() -> None:
    ended = [
        cell
        for cell in CELLS
        if not cell.case.input.get("options") and cell.case.input["messages"][-1]["role"] == "assistant"
    ]
    assert ended
    plain = judged(Edited(cut_behind_the_stop), ended)
    assert blamed(plain) == {"RND-001"}
    form = Edited(cut_behind_the_stop, capabilities={"render": {"profile": {"ending": "stop"}}})
    assert not blamed(judged(form, ended))


def test_a_template_of_its_own_is_judged_for_ids_and_bodies() -> None:
    def shouted(_request: Request, result: Result) -> Result:
        return {**result, "text": "# chat\n" + result["text"], "token_ids": result["token_ids"]}

    found = declared({"template": "own"}, Edited(shouted))
    assert "RND-001" not in blamed(found)
    assert levels(found)["TEXT"] == {Verdict.INCOMPARABLE}


def with_masks(edit: Callable[[list[bool], list[int]], None]) -> Callable[[Request, Result], Result]:
    """Both masks of a result and its indices, edited alike."""
    from tokenspec.store.masks import decode_mask

    def edited(_request: Request, result: Result) -> Result:
        sampled, indices = [bool(one) for one in decode_mask(result["sampled_mask"])], list(result["message_indices"])
        content = [bool(one) for one in decode_mask(result["is_content"])]
        others = [is_body and not is_sampled for is_body, is_sampled in zip(content, sampled, strict=True)]
        edit(sampled, indices)
        body = [one or other for one, other in zip(sampled, others, strict=True)]
        return {**result, "sampled_mask": sampled, "is_content": body, "message_indices": indices}

    return edited


def ends_of_runs(mask: list[bool]) -> list[int]:
    return [at for at, one in enumerate(mask) if one and not (at + 1 < len(mask) and mask[at + 1])]


def train_the_newline_behind_the_stop(sampled: list[bool], indices: list[int]) -> None:
    for at in ends_of_runs(sampled):
        if at + 1 < len(sampled):
            sampled[at + 1], indices[at + 1] = True, indices[at]


def leave_the_stop_token_out(sampled: list[bool], _indices: list[int]) -> None:
    for at in ends_of_runs(sampled):
        sampled[at] = False


@pytest.mark.parametrize(
    ("profile", "edit"),
    [
        ({"after_stop": "sampled"}, train_the_newline_behind_the_stop),
        ({"sampled": "content"}, leave_the_stop_token_out),
    ],
)
def test_a_mask_policy_is_judged_as_declared(
    profile: dict[str, str], edit: Callable[[list[bool], list[int]], None]
) -> None:
    plain = [cell for cell in CELLS if cell.case.slug == "unicode-cjk"]
    assert "RND-029" in blamed(judged(Edited(with_masks(edit)), plain))
    form = {"render": {"profile": profile}}
    assert not blamed(judged(Edited(with_masks(edit), capabilities=form), plain))
    assert "RND-029" in blamed(judged(Edited(capabilities=form), plain))


@pytest.mark.parametrize(
    ("closer", "behind", "newline"), [("</assistant>", "\n<user>\n", "sampled"), ("<user>", "\n", "scaffold")]
)
def test_what_is_declared_is_counted_anew_and_a_newline_belongs_to_the_turn_that_it_opens(
    closer: str, behind: str, newline: str
) -> None:
    tokenizer, wire = load("toy-bpe").vocabulary, SimpleNamespace(assistant_close=[closer])
    turn = [("content", "Why?"), ("sampled", f"So.{closer}"), ("scaffold", behind)]
    spans = [(kind, None if kind == "scaffold" else 1, 0, text) for kind, text in [("scaffold", "<user>\n"), *turn * 2]]
    text = "".join(span[3] for span in spans)
    ids = tokenizer.encode(text, add_special_tokens=False)
    expect = RenderExpect(token_ids=ids, spans=spans, sampled="1", is_content="1")
    row = SimpleNamespace(vocabulary=tokenizer, spec=SimpleNamespace(wire=wire))
    asked: Any = SimpleNamespace(expect=expect, rows={"toy-bpe": row}, cell=CELLS[0])
    found = declared_expect(asked, Profile(after_stop="sampled", ending="stop"), RenderOutput(text=text))
    assert found.text == text.removesuffix(behind)
    assert sum(span[2] for span in found.spans) == len(labels_expected(found)) == len(found.token_ids)
    assert [span[0] for span in found.spans if span[3] == "\n"] == [newline]


def test_an_empty_thought_is_scaffold_where_that_is_declared() -> None:
    (blank,) = (
        cell
        for cell in select_cells(Selection(areas=("render",), rows=("toy-bpe",)))
        if cell.case.slug == "thinking-blank"
    )

    def leave_it_out(request: Request, result: Result) -> Result:
        tokenizer = load("toy-bpe").tokenizer
        starts = [start for start, _ in tokenizer(result["text"], return_offsets_mapping=True)["offset_mapping"]]
        opened, closed = result["text"].index("<think>"), result["text"].index("It is 42")
        inside = [opened <= start < closed for start in starts]
        masked = with_masks(lambda sampled, _: sampled.__setitem__(slice(None), outside(sampled, inside)))
        return masked(request, result)

    def outside(mask: list[bool], inside: list[bool]) -> list[bool]:
        return [one and not within for one, within in zip(mask, inside, strict=True)]

    form = {"render": {"profile": {"empty_thought": "scaffold"}}}
    assert "RND-029" in blamed(judged(Edited(leave_it_out), [blank]))
    assert not blamed(judged(Edited(leave_it_out, capabilities=form), [blank]))
    assert "RND-029" in blamed(judged(Edited(capabilities=form), [blank]))


def test_a_clock_of_its_own_may_write_another_date_and_nothing_else() -> None:
    dated = [
        cell
        for cell in select_cells(Selection(areas=("render",), rows=("toy-ranks",)))
        if cell.case.slug in {"role-user", "call-parallel", "content-one-part"}
    ]

    def on_another_day(request: Request) -> Request:
        return {**request, "now": "2031-03-09T08:00:00"}

    def without_a_date(request: Request, result: Result) -> Result:
        text = result["text"].replace("09 Mar 2031", "some day")
        return {**result, "text": text, "token_ids": load("toy-ranks").tokenizer.encode(text, add_special_tokens=False)}

    def ids_alone(request: Request, result: Result) -> Result:
        return {name: value for name, value in result.items() if name != "text"}

    form = {"render": {"profile": {"clock": "own"}}}
    assert "RND-001" in blamed(judged(Edited(before=on_another_day), dated))
    assert not blamed(judged(Edited(before=on_another_day, capabilities=form), dated))
    assert not blamed(judged(Edited(ids_alone, on_another_day, form), dated))
    assert "RND-001" in blamed(judged(Edited(without_a_date, on_another_day, form), dated))


def test_a_date_of_its_own_is_read_whole() -> None:
    tokenizer = load("toy-bpe").vocabulary
    expect = RenderExpect(token_ids=[], spans=[("scaffold", None, 0, "Date: 2024-07-26\n")], unattributed="all of it")
    asked: Any = SimpleNamespace(expect=expect, rows={"toy-bpe": SimpleNamespace(vocabulary=tokenizer)}, cell=CELLS[0])
    given = "Date: 2031-11-24\n"
    assert declared_expect(asked, Profile(clock="own"), RenderOutput(text=given)).text == given


def test_a_text_that_nobody_can_attribute_ends_with_its_stop_token_where_that_is_declared() -> None:
    (cell,) = (one for one in select_cells(Selection(cases=("render/role-user-assistant",), rows=("toy-bpe",))))
    tokenizer, wire = load("toy-bpe").vocabulary, SimpleNamespace(assistant_close=["</assistant>"])
    row = SimpleNamespace(vocabulary=tokenizer, spec=SimpleNamespace(wire=wire))
    for behind, ends in (("\n", ""), ("\nSo.", "\nSo.")):
        spans = [("unattributed", None, 1, f"<assistant>Hi.</assistant>{behind}")]
        expect = RenderExpect(token_ids=[1], spans=spans, unattributed="all of it")
        asked: Any = SimpleNamespace(expect=expect, rows={"toy-bpe": row}, cell=cell, input=cell.case.input)
        found = declared_expect(asked, Profile(ending="stop"), RenderOutput(text=""))
        assert found.text == f"<assistant>Hi.</assistant>{ends}"
