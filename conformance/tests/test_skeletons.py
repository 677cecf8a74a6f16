"""Skeletons go into every module there is, and into none twice."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tokenspec.areas import areas
from tokenspec.data import checkout_root
from tokenspec.errors import UsageError
from tokenspec.skeletons import making, unfilled
from tokenspec.skeletons.source import with_definition, with_entry, with_import

ROOT = checkout_root() or Path()
THEMES = {
    f"{path.parts[-3]}/{path.parent.name}/{path.stem}": path
    for path in sorted((ROOT / making.AREAS).glob("*/*/*.py"))
    if path.parent.name in {"cases", "mutants"} and re.search(r"^(CASES|MUTANTS)\b", path.read_text(), re.MULTILINE)
}


def items(text: str, table: str) -> ast.expr:
    (node,) = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and table in ast.unparse(node).split(" ")[0].rstrip(":")
    ]
    assert node.value is not None
    return node.value


@pytest.mark.parametrize("name", THEMES)
def test_an_entry_goes_to_the_end_of_every_table(name: str) -> None:
    path = THEMES[name]
    table = "CASES" if path.parent.name == "cases" else "MUTANTS"
    text = path.read_text(encoding="utf-8")
    text = with_import(text, "tokenspec.areas.mutant", "Mutant")
    text = with_definition(text, "class Added:\n    pass", before=table)
    made = items(with_entry(path, text, table, "Added(),"), table)
    assert isinstance(made, ast.List | ast.Tuple)
    assert ast.unparse(made.elts[-1]) == "Added()"
    before = items(path.read_text(encoding="utf-8"), table)
    if isinstance(before, ast.List | ast.Tuple):
        assert [ast.unparse(item) for item in made.elts[:-1]] == [ast.unparse(item) for item in before.elts]


@pytest.mark.parametrize(
    ("text", "module", "made"),
    [
        ("import re\n", "typing", "import re\nfrom typing import Any\n"),
        ("from typing import Any\n", "typing", "from typing import Any\n"),
        ("from typing import TYPE_CHECKING\n", "typing", "from typing import TYPE_CHECKING, Any\n"),
        (
            "from tokenspec.runner import Run\n",
            "tokenspec.areas",
            "from tokenspec.areas import Any\nfrom tokenspec.runner import Run\n",
        ),
    ],
)
def test_an_import_goes_where_the_sorter_has_it(text: str, module: str, made: str) -> None:
    assert with_import(text, module, "Any") == made


@pytest.mark.parametrize(
    ("first", "block", "made"),
    [
        ("TYPE_CHECKING", "    from a import Case\n", "import re\nfrom a import Case\n\nX = 1\n"),
        (
            "TYPE_CHECKING, Any",
            "    from a import Case\n",
            "import re\nfrom typing import Any\nfrom a import Case\n\nX = 1\n",
        ),
        (
            "TYPE_CHECKING",
            "    from a import B, Case\n",
            "import re\nfrom typing import TYPE_CHECKING\nfrom a import Case\n\nif TYPE_CHECKING:\n    from a import B\n\nX = 1\n",
        ),
    ],
)
def test_an_import_for_types_becomes_one_for_use(first: str, block: str, made: str) -> None:
    text = f"import re\nfrom typing import {first}\n\nif TYPE_CHECKING:\n{block}\nX = 1\n"
    assert with_import(text, "a", "Case") == made


def test_a_table_made_in_another_way_is_named() -> None:
    with pytest.raises(UsageError, match=r"x\.py: no CASES that is a list or tuple"):
        with_entry(Path("x.py"), "CASES = make()\n", "CASES", "Added(),")


def test_a_requirement_gets_the_next_number_at_the_end_or_behind_another() -> None:
    ((path, text),) = making.requirement(ROOT, "RND", "round", "SHOULD", None).items()
    assert path.name == "10-renderers.md"
    numbers = [int(found) for found in re.findall(r"^### RND-(\d+)", text, re.MULTILINE)]
    assert numbers == sorted(numbers)
    assert re.search(r"\n\n### RND-\d+ SHOULD: round \{#RND-\d+\}\n\nUNFILLED: .*SHOULD", text)


PROCESSORS = areas()["processors"]
REFUSED = {
    "an unknown level": (lambda: making.requirement(ROOT, "RND", "x", "WILL", None), "--level"),
    "an unknown prefix": (lambda: making.requirement(ROOT, "XYZ", "x", "MUST", None), "no chapter"),
    "a number that is taken": (lambda: making.requirement(ROOT, "PRC", "x", "MUST", "PRC-001"), "PRC-002 is taken"),
    "a case there is": (lambda: making.case(ROOT, PROCESSORS, "combos", "combo-reorder", (), ()), "never used again"),
    "a case without a name": (lambda: making.case(ROOT, PROCESSORS, "combos", "No Name", (), ()), "a-z"),
    "a theme outside": (lambda: making.case(ROOT, PROCESSORS, "../x", "x", (), ()), "--theme"),
    "an unknown requirement": (lambda: making.case(ROOT, PROCESSORS, "x", "x", ("PRC-999",), ()), "PRC-999"),
    "a check there is": (
        lambda: making.check(ROOT, PROCESSORS, "sets", "config.closed", ("PRC-001",), None, "golden"),
        "there is a check",
    ),
    "an unknown grade": (
        lambda: making.check(ROOT, PROCESSORS, "sets", "x", ("PRC-001",), "TEXT", "golden"),
        "processors has SETS",
    ),
    "an unknown kind": (lambda: making.check(ROOT, PROCESSORS, "sets", "x", ("PRC-001",), None, "odd"), "--kind"),
    "a mutant there is": (lambda: making.mutant(ROOT, PROCESSORS, "sets", "blame-all", ("PRC-021",)), "there is a"),
    "a family there is": (lambda: making.family(ROOT, "qwen3"), "there is a family"),
    "a family of two names": (lambda: making.family(ROOT, "qwen3.6"), "there is a family"),
    "an area there is": (lambda: making.area(ROOT, "render", "XYZ"), "there is an area"),
    "a prefix that is taken": (lambda: making.area(ROOT, "reversing", "RND"), "is taken"),
    "an operation there is": (lambda: making.area(ROOT, "align", "XYZ"), "there is an operation"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_there_or_malformed_is_refused(name: str) -> None:
    make, says = REFUSED[name]
    with pytest.raises(UsageError, match=says):
        make()


def test_places_are_listed_as_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(
        '"""UNFILLED: one line."""\nx = f("UNFILLED: a word"),\n### X-001 MUST: UNFILLED: a title {#X-001}\n'
    )
    assert list(unfilled(path)) == [(1, "one line."), (2, "a word"), (3, "a title")]
