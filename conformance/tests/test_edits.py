"""The tool that edits code for tests of tests: what it finds, what it refuses, and that it leaves nothing behind."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.edits import Edit, Weakening
from tests.page_edits import PageEdit
from tests.trees import EditError, edited_text
from tokenspec.report import page, tally

PROGRAM = '''
def share(found, total):
    """How much of it."""
    if not total:
        return "none"   # nothing to share
    for one in found:
        total -= one
        print(one)
    return f"{len(found)} of {total}", sum(
        found, start = 0
    )
'''


@pytest.mark.parametrize(
    ("find", "put", "line"),
    [
        ("not total", "total < 1", "if total < 1:"),
        ("return 'none'", "return 'some'", "return 'some'"),
        ("sum(found,start=0)", "0", ", 0)"),
        ("sum(_, start=0)", "max(_)", "max(found)"),
        ("sum(__, start=_)", "max(__, _)", "max(found, 0)"),
        ("for one in found: ...", "for one in found[:1]: ...", "for one in found[:1]:\n        total -= one\n        print(one)"),
        ("total -= one\nprint(one)", "print(one)", "for one in found:\n        print(one)"),
        ("def share(found, total): ...", "@cache\ndef share(found, total): ...", "@cache\ndef share(found, total):"),
        ("for each in listed: ...", "for each in reversed(listed): ...", "for one in reversed(found):"),
        ("len(_)", "len(_) + 1", "{len(found) + 1} of"),
        ("for one in found: ...", "pass", "pass\n    return (f'"),
    ],
)  # fmt: skip
def test_code_is_found_however_it_is_written(find: str, put: str, line: str) -> None:
    assert line in edited_text(PROGRAM, (find, put))
    assert ast.dump(ast.parse(edited_text(PROGRAM, (find, find)))) == ast.dump(ast.parse(PROGRAM))


@pytest.mark.parametrize(
    ("find", "put", "says"),
    [
        ("not nothing.at_all", "True", "nothing there is"),
        ("found", "[]", "3 places are 'found'; say more"),
        ("_.each(one)", "_", "nothing there is"),
        ("return 'None'", "return 0", "nothing there is"),
        ("sum(found, start=False)", "0", "nothing there is"),
        ("sum(found, 0)", "0", "nothing there is"),
        ("not total", "__", "__ stands for nothing that was found"),
        ("one - one", "0", "nothing there is"),
    ],
)
def test_what_is_not_there_exactly_once_is_refused(find: str, put: str, says: str) -> None:
    with pytest.raises(EditError, match=says.replace("'", ".")):
        edited_text(PROGRAM.replace("print(one)", "print"), (find, put))


def test_local_names_stand_for_local_names_one_for_one() -> None:
    program = "def f(a, b):\n    return a - b\n"
    assert "return b - a" in edited_text(program, ("x - y", "y - x"))
    with pytest.raises(EditError, match="nothing there"):
        edited_text(program, ("x - x", "0"))
    with pytest.raises(EditError, match="nothing there"):
        edited_text(program, ("len - y", "0"))


COUNTED = Edit("tokenspec.report.tally", "Tally.passed", "self.counts[Verdict.PASS]", "99")


def test_what_is_loaded_is_edited_and_put_back() -> None:
    counted = tally.Tally()
    with COUNTED.applied():
        assert counted.passed == 99
    assert counted.passed == 0
    with pytest.raises(ZeroDivisionError), COUNTED.applied():
        raise ZeroDivisionError
    assert counted.passed == 0


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (Edit("tokenspec.report.tally", "Tally.passed", "self.counts[_]", "missing_name"), "missing_name.* is nothing there"),
        (Edit("tokenspec.report.tally", "Tally.passed", "self.sums", "0"), "Tally.passed: nothing there is"),
        (Edit("tokenspec.report.tally", "Key", "_", "()"), "is no function"),
        (PageEdit("page.html", "<nothing>", ""), "page.html: 0 places"),
        (PageEdit("page.html", "</div>", ""), "page.html: . places"),
    ],
)  # fmt: skip
def test_an_edit_that_cannot_be_made_is_no_test_that_noticed(edit: Edit, says: str, request: pytest.FixtureRequest) -> None:  # fmt: skip
    with pytest.raises(EditError, match=says):
        Weakening(edit, lambda: pytest.fail("noticed")).must_be_noticed(request)


def test_an_edit_that_changes_nothing_is_not_noticed(request: pytest.FixtureRequest) -> None:
    def looks() -> None:
        assert tally.Tally().passed == 0

    Weakening(COUNTED, looks).must_be_noticed(request)
    Weakening(COUNTED, looks).must_pass_without(request)
    with pytest.raises(pytest.fail.Exception):
        Weakening(COUNTED.changing_nothing(), looks).must_be_noticed(request)


def test_a_crash_of_the_edited_code_is_no_test_that_noticed(request: pytest.FixtureRequest) -> None:
    crashes = Edit("tokenspec.report.tally", "Tally.passed", "self.counts[_]", "self.counts[1 // 0]")
    with pytest.raises(ZeroDivisionError):
        Weakening(crashes, lambda: tally.Tally().passed).must_be_noticed(request)


def test_the_code_of_the_repository_may_be_written_in_another_way(tmp_path, monkeypatch) -> None:
    """Reformatted, commented and with other local names: the same edits find their places."""
    source = textwrap.dedent(
        """
        def plain(words):
            # what follows is one line, in other words
            shown = ''.join(
                f'\\\\{sign}'
                if sign in SPECIAL
                else sign for sign in words)
            return ' '.join(shown.split())
        SPECIAL = "|"
        """
    )
    (tmp_path / "rewritten.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    import rewritten

    with Edit("rewritten", "plain", "character in SPECIAL", "False").applied():
        assert rewritten.plain("|") == "|"
    assert rewritten.plain("|") == "\\|"


def test_files_of_the_page_are_edited_word_by_word() -> None:
    edit = PageEdit("state.js", "if(step)location . hash=hash;", "")
    real = page.source("state.js")
    with edit.applied():
        assert "location.hash = hash;" not in page.source("state.js")
        assert page.source("main.js")
    assert page.source("state.js") == real
    assert PageEdit("a.js", "say('it')", "x").edited('a = /* b */ say(\n  "it" // now\n);') == "a = /* b */ x;"
