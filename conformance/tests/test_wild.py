"""The judge of public templates: it accepts what is right, and notices what is not."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tokenspec_reference.renderers import ParsedResponse, ParsedToolCall
from tokenspec_reference.renderers.template import TemplateRenderer
from wild import judging
from wild.__main__ import report
from wild.answers import answer_differences, content_differences
from wild.carriers import Packed, assign, listed_otherwise, picked, read_list, sha256
from wild.conversations import CONVERSATIONS
from wild.judging import Judged, differences, judge
from wild.prefix_oracle import tell
from wild.vocabulary import markers_of, tokenizer_for

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NO_PROMPT_BEHIND_RESULTS = CHATML.replace(
    "if add_generation_prompt", "if add_generation_prompt and messages[-1].role == 'user'"
)


def test_exact_unattributed_and_refused_are_told_apart() -> None:
    exact = judge(CHATML)
    assert (exact.verdict, exact.wrong, exact.unattributed) == ("exact", [], 0)
    assert exact.able["stop"] == exact.asked["stop"] > 10
    assert judge(NO_PROMPT_BEHIND_RESULTS).verdict == "unattributed"
    assert judge("{{ raise_exception('no messages here') }}").verdict == "refused"


@pytest.mark.parametrize("shift", [-1, 1])
@pytest.mark.parametrize("edge", ["start", "end"])
def test_a_region_that_begins_or_ends_a_token_off_is_wrong(edge: str, shift: int) -> None:
    tokenizer = tokenizer_for(CHATML)
    told = tell(tokenizer, CONVERSATIONS["two"], markers_of(CHATML))
    assert told is not None
    rendered = TemplateRenderer(tokenizer).render(told.messages)
    assert list(differences(told, rendered)) == []
    mask = list(rendered.sampled_mask)
    first, last = mask.index(True), mask.index(False, mask.index(True)) - 1
    place = {("start", 1): first, ("start", -1): first - 1, ("end", -1): last, ("end", 1): last + 1}[edge, shift]
    mask[place] = not mask[place]
    assert list(differences(told, replace(rendered, sampled_mask=mask)))


def test_another_text_a_lost_body_and_a_sampled_question_are_wrong() -> None:
    tokenizer = tokenizer_for(CHATML)
    told = tell(tokenizer, CONVERSATIONS["two"], markers_of(CHATML))
    assert told is not None
    rendered = TemplateRenderer(tokenizer).render(told.messages)
    assert list(differences(told, replace(rendered, text="x"))) == ["the text differs"]
    nothing = replace(rendered, sampled_mask=[False] * len(rendered.token_ids))
    assert list(differences(told, nothing)) == ["message 1: nothing is sampled", "message 3: nothing is sampled"]
    everything = replace(rendered, sampled_mask=[True] * len(rendered.token_ids))
    assert "'Quokka one' of message 0 is sampled" in list(differences(told, everything))


def test_a_bridge_that_differs_from_the_render_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = TemplateRenderer.bridge_to_next_turn

    def longer(*given: object, **more: object) -> object:
        found = usual(*given, **more)  # type: ignore[arg-type]
        return found and replace(found, token_ids=[*found.token_ids, 0])

    monkeypatch.setattr(judging.TemplateRenderer, "bridge_to_next_turn", longer)
    assert any("bridged otherwise" in what for what in judge(CHATML).wrong)


def test_a_worse_verdict_fails_and_a_better_one_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    exact, unknown = Judged(rendered=1, tokens=100), Judged(rendered=1, tokens=100, unattributed=1)
    assert report({"a": exact}, {"a": "unattributed"}) == 0
    assert report({"a": unknown}, {"a": "exact"}) == 1
    assert "WORSE a unattributed, recorded is exact" in capsys.readouterr().out
    assert report({"a": Judged(rendered=1, wrong=["one: no"])}, {"a": "wrong"}) == 1
    assert report({"a": Judged(rendered=1, tokens=100, unattributed=3)}, {"a": "unattributed"}) == 1


def test_templates_are_picked_out_of_files_strings_and_sums(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as bundle:
        bundle.writestr("a.jinja", CHATML)
        bundle.writestr("b.json", json.dumps({"x": [{"chat_template": CHATML + "json"}], "y": "messages"}))
        bundle.writestr("c.py", f"T = {CHATML!r} + 'sum'\nU = 'messages'\n")
        bundle.writestr("broken.py", "messages {% (")
        bundle.writestr("d.js", f"// 'messages {{%'\nconst t = {json.dumps(CHATML)} +\n `js`;")
        bundle.writestr("e.cpp", f'auto t = R"({CHATML})" /* messages */ "\\x63pp";')
    expected = [CHATML, CHATML + "json", CHATML + "sum", CHATML, CHATML + "js", CHATML + "cpp"]
    assert list(picked(tmp_path / "a.whl")) == expected


def packed(name: str, *templates: str) -> Packed:
    return Packed(
        msgspec.structs.replace(read_list()[0].carrier, id=name),
        quick=True,
        templates=dict.fromkeys(templates, "exact"),
    )


def test_a_template_that_is_picked_and_not_listed_is_found() -> None:
    listed = [packed("first", "a", "b"), packed("second", "c"), packed("unread", "d")]
    assert listed_otherwise(listed, {"first": "ab", "second": "cad"}) == []
    assert listed_otherwise(listed, {"first": "abe", "second": ""}) == ["UNLISTED e of first", "NOT PICKED c of second"]


def test_a_carrier_that_is_recorded_has_all_that_is_picked_there_and_that_no_other_has() -> None:
    listed = [packed("first", "a"), packed("second"), packed("unread", "d")]
    texts = {"first": "bc", "second": "abcd"}
    assign(listed, texts)
    assert [list(one.templates) for one in listed] == [["b", "c"], ["a"], ["d"]]
    assert listed_otherwise(listed, texts) == []


def test_an_answer_that_is_parsed_otherwise_is_wrong() -> None:
    message = {"role": "assistant", "content": "Walrus two", "reasoning_content": "Badger hmm"}
    region = "<think>\nBadger hmm\n</think>\n\nWalrus two<|im_end|>"
    assert list(answer_differences(message, region, ParsedResponse("Walrus two", "Badger hmm"))) == []
    for answer in (
        ParsedResponse("Walrus two"),
        ParsedResponse("Walrus two<|im_end|>", "Badger hmm"),
        ParsedResponse("Walrus two", "Badger hmm", [ParsedToolCall("", "get_weather", {})]),
    ):
        assert list(answer_differences(message, region, answer))


def test_a_question_that_is_no_content_and_a_header_that_is_are_wrong() -> None:
    tokenizer = tokenizer_for(CHATML)
    told = tell(tokenizer, CONVERSATIONS["two"], markers_of(CHATML))
    assert told is not None
    rendered = TemplateRenderer(tokenizer).render(told.messages)
    assert list(content_differences(told, rendered)) == []
    for is_content in (False, True):
        assert list(content_differences(told, replace(rendered, is_content=[is_content] * len(rendered.token_ids))))


def test_the_list_holds_hashes_and_nothing_is_recorded_as_wrong() -> None:
    listed = read_list()
    keys = [key for one in listed for key in one.templates]
    assert len(keys) == len(set(keys)) > 1300
    assert all(len(key) == len(sha256("")) for key in keys)
    assert "wrong" not in {verdict for one in listed for verdict in one.templates.values()}
    assert len({one.carrier.id for one in listed}) == len(listed)
