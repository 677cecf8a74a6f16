"""Add a folder, nothing else changes: an area is written by ``tokenspec new area``, filled in, and judged end to end.

Everything happens in a copy of the checkout, through the command line.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.tools

FOLDER = "conformance/tokenspec/areas/reversing"
FILLED = {
    "spec/{chapter}": {
        "UNFILLED: what": "What",
        "UNFILLED: the fact, as a title": "texts are turned round",
        "UNFILLED: in one or two exact sentences what MUST hold.": "The answer MUST have the characters in reverse.",
    },
    f"{FOLDER}/__init__.py": {"UNFILLED: what": "What"},
    f"{FOLDER}/area.py": {"UNFILLED: the area": "The area", "UNFILLED: where": "Where", "UNFILLED: one": "One"},
    f"{FOLDER}/records.py": {"Any  # UNFILLED: typed fields": "str", "from typing import Any\n\n": ""},
    f"{FOLDER}/oracle/golden.py": {
        "UNFILLED: the rule that": "The rule that",
        "raise NotImplementedError(given)": "return given[::-1]",
        "UNFILLED: the rule in": "the rule in",
    },
    f"{FOLDER}/checks/answers.py": {"UNFILLED: what": "what"},
    f"{FOLDER}/cases/basic.py": {
        "UNFILLED: what a failure means, a name in fixtures/flags.toml": "ROLES",
        "UNFILLED: the fact that this case pins, in plain words": "A text of different characters.",
        '{"given": None},  # UNFILLED: the fields of ReversingInput': '{"given": "abc"},',
    },
    f"{FOLDER}/mutants/answers.py": {
        "UNFILLED: the one edit": "The one edit",
        'answer_of(request["given"])': 'request["given"]',
        "from tokenspec.areas.reversing.oracle.golden import answer_of\n": "",
    },
}
PALINDROME = {
    f"{FOLDER}/cases/basic.py": {
        "UNFILLED: the fact that this case pins, in plain words": "A text that reads the same from its end.",
        "{},  # UNFILLED: the fields of ReversingInput in areas/reversing/records.py": '{"given": "aba"},',
    }
}
WRITE = """
from tokenspec.areas import areas, modules
from tokenspec.areas.selection import goldens_path, load_cases
from tokenspec.data import fixtures_dir
from tokenspec.store.case_files import write_cases
from tokenspec.store.golden_files import write_goldens

area = areas()["reversing"]
for module in modules("cases", area.name):
    if cases := getattr(module, "CASES", ()):
        theme = module.__name__.rpartition(".")[2]
        write_cases(fixtures_dir() / "cases" / area.name / f"{theme}.json", area.name, cases)
made = {case.slug: area.oracle(case, "-", {}) for case in load_cases(area)}
write_goldens(goldens_path("-", area.name), made)
"""
ADAPTERS = """
class Right:
    def info(self):
        return {"name": "right", "version": "1"}

    def reversing(self, request):
        return {"answer": request["given"][::-1]}


class Wrong(Right):
    def reversing(self, request):
        return {"answer": request["given"]}
"""


def fill(scratch: Any, texts: dict[str, dict[str, str]], chapter: str = "") -> None:
    for name, changes in texts.items():
        path = scratch.root / name.format(chapter=chapter)
        text = path.read_text()
        for old, new in changes.items():
            assert old in text, (path, old)
            text = text.replace(old, new)
        path.write_text(text)


def test_a_new_area_fails_until_it_is_filled_in_and_then_runs_from_end_to_end(scratch: Any) -> None:
    (scratch.root / "adapters.py").write_text(ADAPTERS)
    said = scratch.tokenspec("new area reversing --prefix REV")
    written = re.findall(r"^wrote (\S+)$", said, re.MULTILINE)
    (chapter,) = [name.removeprefix("spec/") for name in written if name.startswith("spec/")]
    assert {name for name in written if not name.startswith(FOLDER)} == {f"spec/{chapter}"}
    left = scratch.tokenspec("spec check", code=1)
    for name in FILLED:
        if name != f"{FOLDER}/oracle/__init__.py":
            assert f"T11 {name.format(chapter=chapter)}:" in left
    fill(scratch, FILLED, chapter)
    scratch.tokenspec("new case palindrome --area reversing --theme basic --requires REV-001 --flag ROLES")
    fill(scratch, PALINDROME)
    assert "T11" not in scratch.tokenspec("spec check", code=1)

    done = scratch.python("-c", WRITE)
    assert done.returncode == 0, done.stderr
    assert "reversing" in scratch.tokenspec("list areas")
    assert "reversing/palindrome" in scratch.tokenspec("list cases")
    judged = scratch.tokenspec("run --impl adapters:Right --area reversing --jobs 1")
    assert "conformant on all 2 cells" in judged
    failed = scratch.tokenspec("run --impl adapters:Wrong --area reversing --jobs 1", code=1)
    assert "FAIL REV-001  reversing/-/basic" in failed
    assert "reversing/-/palindrome" not in failed

    refused = scratch.tokenspec("mutants --record --area reversing", code=2)
    assert "first: tokenspec spec ack REV-001" in refused
    scratch.tokenspec("spec ack REV-001")
    assert "no mutant proves its checks can fail" in scratch.tokenspec("spec check", code=1)
    before = (scratch.root / "spec/requirements.lock.json").read_text()
    assert "1/1 killed" in scratch.tokenspec("mutants --record --area reversing")
    after = (scratch.root / "spec/requirements.lock.json").read_text()
    assert '"reversing-wrong"' in after
    assert after.count('"render-') == before.count('"render-')
    assert "all traced" in scratch.tokenspec("spec check")
