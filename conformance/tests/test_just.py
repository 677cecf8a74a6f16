"""A verdict says what was compared and nothing else: grades, blame, refusals, claims, declared forms, the share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.edited_reference import CELLS, Edited, Request, Result, blamed, judged, levels
from tokenspec.adapters import Rejected, Unsupported
from tokenspec.adapters.capability import Claim
from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.errors import AdapterError
from tokenspec.report.standing import standing
from tokenspec.verdict import Verdict
from tokenspec_reference.adapter import ReferenceAdapter


def wrong_ids(_request: Request, result: Result) -> Result:
    return {**result, "token_ids": [5] * len(result["token_ids"]), "text": None}


def test_right_lengths_and_wrong_ids_pass_no_masks() -> None:
    found = levels(judged(Edited(wrong_ids)))
    assert found["MASKS"] == {Verdict.INCOMPARABLE}
    assert found["TEXT"] == {Verdict.FAIL}


@pytest.mark.parametrize("row", ["toy-metaspace", "toy-ranks"])
def test_right_lengths_pass_no_masks_where_nothing_is_body(row: str) -> None:
    cells = select_cells(Selection(areas=("render",), rows=(row,)))
    found = levels(
        judged(Edited(lambda request, result: {**wrong_ids(request, result), "text": result["text"]}), cells)
    )
    assert Verdict.PASS not in found["MASKS"]
    assert Verdict.INCOMPARABLE in found["MASKS"]


def test_another_text_is_blamed_once_and_its_masks_are_judged_where_its_bodies_are() -> None:
    def headed(request: Request) -> Request:
        system = {"role": "system", "content": "Be brief, and never mention this."}
        return {**request, "messages": [system, *request["messages"]]}

    def indexed(_request: Request, result: Result) -> Result:
        return {**result, "message_indices": [max(index - 1, -1) for index in result["message_indices"]]}

    found = judged(Edited(indexed, headed))
    assert blamed(found) == {"RND-001"}
    assert levels(found)["IDS"] == {Verdict.PASS}
    assert Verdict.PASS in levels(found)["MASKS"]


def test_what_is_unattributed_is_not_judged_in_another_text() -> None:
    def longer(request: Request) -> Request:
        options = request["options"]
        template = options["chat_template"].replace("<|im_end|>\\n", "<|im_end|>\\n\\n")
        return {**request, "options": {**options, "chat_template": template}}

    cells = select_cells(Selection(cases=("render/given-prompt-never",), rows=("toy-bpe",)))
    (found,) = judged(Edited(before=longer), cells)
    (listed,) = (finding for finding in found.findings if finding.check == "render.unattributed")
    assert listed.verdict is Verdict.INCOMPARABLE
    assert "RND-001" in blamed([found])


def test_a_template_engine_gets_text_and_nothing_else() -> None:
    found = judged(Edited(lambda _request, result: {"text": result["text"]}))
    assert levels(found) == {"TEXT": {Verdict.PASS}, "IDS": {Verdict.UNSUPPORTED}, "MASKS": {Verdict.UNSUPPORTED}}
    assert standing(found).code == 0


def test_a_refusal_counts_once_in_its_level() -> None:
    def refuse(_request: Request) -> Request:
        raise Rejected("no", "never")

    found = levels(judged(Edited(before=refuse)))
    assert found == {"TEXT": {Verdict.REJECTED}, "IDS": {Verdict.UNSUPPORTED}, "MASKS": {Verdict.UNSUPPORTED}}
    claimed = levels(judged(Edited(before=refuse, capabilities={"render": {"claim": {"levels": ["IDS"]}}})))
    assert claimed["IDS"] == {Verdict.REJECTED}
    outside = levels(judged(Edited(before=refuse, capabilities={"render": {"claim": {"rows": ["qwen3"]}}})))
    assert outside["TEXT"] == {Verdict.UNSUPPORTED}


def test_a_row_that_does_not_load_is_one_finding() -> None:
    class Unloadable(Edited):
        def load(self, model: str, assets: Mapping[str, Any]) -> None:
            raise RuntimeError("no such tokenizer")

    found = judged(Unloadable())
    broken = [result for result in found if any(finding.verdict is Verdict.ERROR for finding in result.findings)]
    assert len(broken) == 1
    assert standing(found).code == 3


def single_messages(request: Request) -> Request:
    if len(request["messages"]) > 1:
        raise Unsupported("one message only")
    return request


def test_a_share_is_no_conformance_and_a_claim_makes_it_one() -> None:
    found = judged(Edited(before=single_messages))
    whole = standing(found)
    assert whole.code == 1
    assert "conformant on" in whole.said
    assert "%" in whole.said
    assert "--require-judged" in whole.hint
    assert standing(found, require=1.0).code == 0
    single = {flag for cell in CELLS if cell.case.slug == "role-user" for flag in cell.case.flags}
    others = {flag for cell in CELLS for flag in cell.case.flags} - single
    claim = {"claim": {"without": sorted(others)}}
    claimed = judged(Edited(before=single_messages, capabilities={"render": claim}))
    assert [result.case for result in claimed if result.asked] == ["render/role-user"]
    assert standing(claimed).code == 0


def test_unsupported_inside_a_claim_fails() -> None:
    found = judged(Edited(before=single_messages, capabilities={"render": {"claim": {}}}))
    assert blamed(found) == {"CNV-005"}
    assert standing(found).code == 1


def one_id_profile(request: Request) -> Request:
    if request.get("id_profile", "canonical") != "canonical":
        raise Unsupported("canonical ids only")
    return request


def test_what_is_asked_beside_a_case_is_claimed_too_unless_it_is_left_out() -> None:
    claimed = judged(Edited(before=one_id_profile, capabilities={"render": {"claim": {}}}))
    assert blamed(claimed) == {"CNV-005"}
    left_out = {"render": {"claim": {"without": ["RND-014"]}}}
    assert blamed(judged(Edited(before=one_id_profile, capabilities=left_out))) == set()


def test_what_is_no_capability_is_refused_with_its_place() -> None:
    with pytest.raises(AdapterError, match=r"capabilities.*claims"):
        InProcess("mini", Edited(capabilities={"render": {"claims": {}}}))
    assert Claim(without=["TOOLS"]).covers("qwen3", ["OTHER"])
    assert not Claim(without=["TOOLS"]).covers("qwen3", ["TOOLS"])


class Declining(ReferenceAdapter):
    """It claims to bridge, and never does."""

    def bridge(self, request: Request) -> Result:
        return {"token_ids": None}


def test_a_bridge_that_always_declines_breaks_its_claim_and_nothing_else() -> None:
    cells = [
        cell
        for cell in select_cells(Selection(areas=("bridge",), rows=("toy-bpe",)))
        if cell.golden is not None and cell.golden.expect is not None and cell.golden.expect.get("must") == "answer"
    ]
    assert len(cells) > 5
    musts = [
        finding
        for result in judged(Declining(), cells)
        for finding in result.findings
        if finding.verdict is Verdict.FAIL and finding.requires != ["RND-059"]
    ]
    assert {finding.requires[0] for finding in musts} == {"CNV-005"}
