"""Pages made from the repository: every requirement, chapter, verb and public module has its place."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tokenspec.adapters.foreign import foreign_columns
from tokenspec.adapters.resolve import registered
from tokenspec.cli import VERBS
from tokenspec.data import checkout_root
from tokenspec.models import specs
from tokenspec.report.disagreements import disputed_cells, sides
from tokenspec.reproduction.kept import reproductions
from tokenspec.requirements import chapters, requirements
from tokenspec.traceability.lock import read_lock
from tokenspec_reference.preparation import CODES

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs"))
from site_pages import (
    api,
    column_pages,
    command_line,
    disagreement_pages,
    finding_pages,
    links,
    readme,
    reproduction_pages,
    requirement_pages,
    row_pages,
)
from site_pages import chapters as chapter_pages


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return requirement_pages.pages()


def test_every_requirement_has_a_page_with_all_that_is_known_of_it(pages: dict[str, str]) -> None:
    assert set(pages) == {f"requirements/{id_}.md" for id_ in requirements()} | {"requirements/index.md"}
    for id_, block in requirements().items():
        page = pages[f"requirements/{id_}.md"]
        assert f"# {id_}: {block.title}" in page
        locked = read_lock()[id_]
        for name in (*locked.checks, *locked.mutants):
            assert f"| `{name}` |" in page, (id_, name)
        assert f"(../spec/{block.chapter.removesuffix('.md')}.md#spec-{id_.lower()})" in page


def test_every_finding_has_its_section() -> None:
    (page,) = finding_pages.pages().values()
    for code in CODES.values():
        assert f"## {code.name}\n" in page
        assert all(words in page for words in (code.meaning, code.effect, code.cure, *code.requirements))


def test_every_row_has_a_page_with_certificate_losses_wire_and_sources() -> None:
    made = row_pages.pages()
    assert set(made) == {f"rows/{id_}.md" for id_ in specs()} | {"rows/index.md"}
    for spec in specs().values():
        page = made[f"rows/{spec.id}.md"]
        assert f"| [{spec.id}]({spec.id}.md) |" in made["rows/index.md"]
        parts = ["Wire", "Sources", *(["Losses", "Certificate"] if spec.has_template else [])]
        assert all(f"\n## {part}\n" in page for part in parts), spec.id
        assert spec.tokenizer.sha256 in page


def test_every_column_has_a_page_that_says_what_it_answers() -> None:
    made = column_pages.pages()
    points = {name for name, point in registered().items() if point.value.startswith("tokenspec")} | {
        *foreign_columns()
    }
    assert {f"columns/{name}.md" for name in points | {"vllm", "rt-seg", "nltk"}} <= set(made)
    assert "--impl tokenspec.columns.vllm:VllmColumn" in made["columns/vllm.md"]
    assert all("* answers [" in page for name, page in made.items() if not name.endswith("index.md"))


def test_every_reproduction_is_shown_with_its_verdict_and_script() -> None:
    (text,) = reproduction_pages.pages().values()
    for one in reproductions().values():
        assert f"({reproduction_pages.target(one)})=" in text
        assert one.written.script.strip() in text
        assert one.prints.rstrip() in text
        assert f"*{one.written.verdict}* · `{one.written.package}`" in text


def test_disagreements_are_shown_with_both_texts() -> None:
    made = disagreement_pages.pages()
    text = made.pop("sources-disagree.md")
    for of, answer in disputed_cells():
        page = made[f"sources-disagree/{of.row}.md"]
        assert f"| [{of.row}](sources-disagree/{of.row}.md) | {answer.by} |" in text
        assert f"\n## {of.case.slug}\n" in page
        assert all(line in page for side in sides(of, answer) for line in side)
    found = [one for one in reproductions().values() if one.written.verdict == "sources disagree"]
    assert {one.column for one in found} == {"mistral-common", "openai-harmony"}
    assert all(f"```text\n{said}\n```" in text for one in found for said in (one.written.expected, one.written.got))


def test_mutants_say_what_they_edit(pages: dict[str, str]) -> None:
    page = pages["requirements/RND-022.md"]
    notes = re.findall(r"^\| `render-[a-z0-9-]+` \| (.*) \|$", page, re.MULTILINE)
    assert notes
    assert all(notes)


def test_chapters_lead_to_requirements_and_lose_nothing() -> None:
    made = chapter_pages.pages()
    for path in chapters():
        page = made[f"spec/{path.name}"]
        for block in (block for block in requirements().values() if block.chapter == path.name):
            assert f"(spec-{block.id})=" in page
            assert f"(../requirements/{block.id}.md)" in page
        fences = path.read_text(encoding="utf-8").count("```")
        assert page.count("```") == fences


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("see RND-001.", "see [RND-001](r/RND-001.md)."),
        ("`RND-001` stays", "`RND-001` stays"),
        ("RND-999 is unknown", "RND-999 is unknown"),
        ("[RND-001](x)", "[RND-001](x)"),
        ("# RND-001 heading", "# RND-001 heading"),
        ("```text\nRND-001\n```", "```text\nRND-001\n```"),
    ],
)
def test_ids_in_prose_become_links(text: str, linked: str) -> None:
    assert links.linked(text, {"RND-001"}, "r/") == linked


def test_every_verb_and_every_public_module_is_there() -> None:
    page = command_line.pages()["reference/command-line.md"]
    for verb in VERBS:
        assert f"\n## tokenspec {verb}\n" in page
    assert "--write-known-failures FILE" in page
    assert set(api.pages()) == {f"reference/{name}.md" for name in (*api.PACKAGES, *api.MODULES, "index")}


def test_parts_of_the_readme_are_taken_by_heading() -> None:
    root = checkout_root()
    assert root is not None
    text = readme.with_readme("<!-- readme: Two commands -->", root / "README.md")
    assert "tox" in text
    with pytest.raises(ValueError, match="has no heading 'Nowhere'"):
        readme.with_readme("<!-- readme: Nowhere -->", root / "README.md")


@pytest.mark.parametrize("text", ["a | b", "a\nb", "<script>alert(1)</script>", "*x* _y_", "[a](javascript:1)"])
def test_text_in_tables_stays_text(text: str) -> None:
    shown = requirement_pages.cell(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)[|<*\[]", shown)
