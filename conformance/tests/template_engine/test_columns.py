"""Engines as people set them up are judged on what they do."""

from collections import Counter

import pytest

from tokenspec.adapters import Refused
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.runner import Run
from tokenspec.verdict import Verdict


@pytest.fixture(scope="module")
def cells():
    import tokenspec_reference.renderers.adapter  # noqa: F401 - its imports are not part of the first call

    return select_cells(Selection(areas=("template-engine",), rows=("-", "toy-bpe", "toy-ranks")))


def findings(name, cells):
    column = resolve(name)
    try:
        return [(result, finding) for result in Run([column], cells) for finding in result.findings]
    finally:
        column.close()


def wrong(found):
    return {id_ for _, finding in found if finding.non_conformant for id_ in finding.requires}


def test_transformers_conforms_takes_no_bounds_and_names_no_places(cells):
    broken = {one.detail for _, one in findings("transformers", cells) if one.verdict != "pass"}
    assert broken == {"takes no bounds", "names no place"}


def test_stock_jinja_writes_other_json_and_knows_no_generation_tag(cells):
    found = findings("jinja2", [cell for cell in cells if cell.row == "-"])
    assert {"TPL-056", "TPL-060", "TPL-061"} <= wrong(found)
    assert not {"TPL-011", "TPL-022", "TPL-051", "TPL-062"} & wrong(found)


def test_a_refusal_is_charged_to_what_the_case_isolates(cells):
    case = [cell for cell in cells if cell.case.slug == "generation-tag-in-loop"]
    assert wrong(findings("jinja2", case)) == {"TPL-001", "TPL-005", "TPL-056"}


def test_minijinja_lets_templates_change_the_conversation(cells):
    pytest.importorskip("minijinja")
    found = findings("minijinja", [cell for cell in cells if cell.row == "-"])
    assert not any(finding.verdict is Verdict.ERROR for _, finding in found)
    assert {"TPL-005", "TPL-014", "TPL-040", "TPL-056", "TPL-060", "TPL-080"} <= wrong(found)
    changed = [one.detail for result, one in found if result.case.endswith("/pop-refused") and "005" in one.requires[0]]
    assert "the request was changed by the call" in changed[0]


def test_a_difference_says_where_and_why(cells):
    case = [cell for cell in cells if cell.case.slug == "tojson-no-html-escape"]
    details = [one.detail for _, one in findings("jinja2", case) if one.check == "template-engine.tojson"]
    assert "character 2 of" in details[0]
    assert "something escapes markup" in details[0]


def test_codes_are_a_should():
    cells = select_cells(Selection(areas=("template-engine",), rows=("-",), cases=("raise-exception",)))

    class Wordy:
        def info(self):
            return {"name": "wordy", "version": "1"}

        def render_template(self, request):
            error = ValueError("Conversation roles must alternate user/assistant")
            error.rejection_code = "no"
            raise error

    from tokenspec.adapters.in_process import InProcess

    column = InProcess("wordy", Wordy())
    assert isinstance(column.call("render_template", "c", {}, 1), Refused)
    verdicts = Counter((one.verdict, one.non_conformant) for result in Run([column], cells) for one in result.findings)
    assert verdicts[Verdict.WARNING, False] == 1
    assert verdicts[Verdict.FAIL, True] == 0
