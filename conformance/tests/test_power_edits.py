"""Edits of a program: each kind gives another program that compiles, and none touches what people read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tokenspec.power.edits import Edit, Source, drawn, read_package
from tokenspec.power.operators import OPERATORS
from tokenspec.power.statements import instrumented

PROGRAM = '''"""What the module says."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ROLES", "Wrong", "shown"]
Reader = Callable[[str, int], str]
ROLES = {"user", "tool"}


class Wrong(ValueError):
    """What went wrong."""

    def __init__(self, message: str, *, code: str = "bad-input") -> None:
        super().__init__(message)
        self.code = code


def shown(text: str, limit: int = 3, *, strict: bool = False) -> list[str]:
    """A few words of a text."""
    logging.warning("two words")
    if not text or limit < 1:
        raise Wrong(f"expected a text, not {text!r}", code="no-text")
    found: list[str] = []
    for word in text.strip().split(" ", limit):
        if word in ROLES and any(letter.isupper() for letter in word):
            continue
        found.append(word[1 : limit - 1] + "!")
    count = len(found) + 1
    count += 2
    return found[:count] if strict else []


def first(text: str) -> list[str]:
    return shown(text, 1, strict=True)


def refuse(message: str) -> NoReturn:
    raise Wrong(message)


def second(text: str) -> NoReturn:
    refuse("nothing shown")
'''

EXPECTED = {
    "comparison": ("not text or limit < 1", "not text or limit <= 1"),
    "number": ("len(found) + 1", "len(found) + 2"),
    "truth": ("shown(text, 1, strict=True)", "shown(text, 1, strict=False)"),
    "text": ("{'user', 'tool'}", "{'ser', 'tool'}"),
    "member": ("{'user', 'tool'}", "{'user'}"),
    "connective": ("not text or limit < 1", "not text and limit < 1"),
    "negation": ("not text or limit < 1", "text or limit < 1"),
    "decided": ("found[:count] if strict else []", "found[:count] if True else []"),
    "arithmetic": ("len(found) + 1", "len(found) - 1"),
    "arguments": ("shown(text, 1, strict=True)", "shown(text, strict=True)"),
    "other function": ("text.strip().split(' ', limit)", "text.split(' ', limit)"),
    "bounds": ("found[:count] if strict else []", "found[:] if strict else []"),
    "answer": ("return shown(text, 1, strict=True)", "return []"),
    "deleted": ("raise Wrong(f'expected a text, not {text!r}', code='no-text')", "pass"),
}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    (tmp_path / "words.py").write_text(PROGRAM)
    (found,) = read_package(tmp_path)
    return found


def edit_of(source: Source, before: str, after: str) -> Edit:
    return next(edit for edit in source.edits if edit.shown == (before, after))


@pytest.mark.parametrize("name", OPERATORS)
def test_each_kind_of_edit_is_there_and_does_what_it_says(source: Source, name: str) -> None:
    assert edit_of(source, *EXPECTED[name]).operator == name


def test_every_edit_is_another_program_that_compiles(source: Source) -> None:
    plain = compile(source.tree, str(source.where), "exec")
    assert len(source.edits) > 60
    for edit in source.edits:
        assert edit.program() != plain, edit.shown


def test_the_file_is_left_alone(source: Source) -> None:
    for edit in source.edits:
        edit.program()
    assert source.where.read_text() == PROGRAM
    assert ast.dump(source.tree) == ast.dump(ast.parse(PROGRAM))


@pytest.mark.parametrize(
    "untouched",
    [
        "What the module says",
        "A few words",
        "shown'",
        "two words",
        "expected a text",
        "nothing shown",
        "Callable",
        "TYPE_CHECKING",
        "annotations",
    ],
)
def test_what_people_or_type_checkers_read_is_not_edited(source: Source, untouched: str) -> None:
    for edit in source.edits:
        if edit.operator != "deleted":
            before, after = edit.shown
            assert untouched not in before or untouched in after, edit.shown


def test_the_code_of_a_refusal_is_edited(source: Source) -> None:
    assert any("'o-text'" in edit.shown[1] for edit in source.edits)


def test_ids_differ_and_do_not_depend_on_lines(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(PROGRAM)
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "words.py").write_text(PROGRAM.replace("__all__", "\n\nUNUSED = None\n__all__"))
    (later,), (early, _) = read_package(tmp_path / "later"), read_package(tmp_path)[::-1]
    assert [edit.id for edit in early.edits] == [edit.id for edit in later.edits]
    assert len({edit.id for edit in early.edits}) == len(early.edits)
    assert early.edits[-1].line < later.edits[-1].line


def test_a_sample_is_fixed_by_its_seed_and_takes_a_place_once(source: Source) -> None:
    one, again, other = (drawn(source.edits, 30, seed) for seed in ("7", "7", "8"))
    assert one == again != other
    assert len({(edit.path, edit.operator) for edit in one}) == 30


def test_a_counting_program_does_what_the_program_does(source: Source) -> None:
    plain: dict[str, object] = {}
    exec(compile(source.tree, "words", "exec"), plain)
    counts = [0] * len(source.statements)
    counting: dict[str, object] = {"__tokenspec_counts__": counts}
    exec(compile(instrumented(source.tree, 0), "words", "exec"), counting)
    at_import = list(counts)
    assert counting["shown"]("a tool USER", 3, strict=True) == plain["shown"]("a tool USER", 3, strict=True)
    ran = {source.statements[number].line for number, count in enumerate(counts) if count > at_import[number]}
    lines = PROGRAM.splitlines()
    assert '        found.append(word[1 : limit - 1] + "!")' in {lines[line - 1] for line in ran}
    assert not any("raise" in lines[line - 1] for line in ran)


@pytest.mark.parametrize("kept", ["strict=True", "report(len(one))"])
def test_what_no_answer_depends_on_is_not_edited(tmp_path: Path, kept: str) -> None:
    (tmp_path / "pairs.py").write_text(
        "def paired(one: str, other: str) -> list[tuple[str, str]]:\n"
        "    report(len(one))\n"
        "    return list(zip(one, other, strict=True))\n"
    )
    (source,) = read_package(tmp_path)
    shown = [edit.shown for edit in source.edits if edit.operator != "answer"]
    assert shown
    assert all(kept in after for before, after in shown if kept in before)
