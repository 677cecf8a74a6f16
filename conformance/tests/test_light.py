"""A plain install judges renderers: ``tokenizers`` is enough, and what needs more says so before the first cell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tokenspec.areas import areas, operations
from tokenspec.data import fixtures_dir
from tokenspec.models import available, load, specs
from tokenspec.skeletons.adapter import LANGUAGES, source
from tokenspec.store.smoke import smoke_cases

ALONE = "import sys; sys.modules.update(torch=None, transformers=None, numpy=None); "
COMMAND = "from tokenspec.cli import main; main()"
TEXTS = [
    "Grüße  an\n\n東京 👩‍🚀 e\u0301",
    "<|im_start|>user\n <think>\n</think>\n\n </s> <unk> ▁a",
    " lead",
    "\ttab \u2028 ﬁ Å",
    "a",
]
ROWS = [pytest.param(row, marks=() if spec.status == "toy" else pytest.mark.real) for row, spec in specs().items()]


def run(alone: bool, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", (ALONE if alone else "") + COMMAND, *words]
    return subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)


@pytest.mark.tools
def test_verdicts_are_the_same_without_torch_and_transformers(tmp_path: Path) -> None:
    verdicts = []
    for alone in (True, False):
        report = tmp_path / f"{alone}.jsonl"
        words = (
            "--area",
            "render",
            "--row",
            "toy-bpe",
            "--row",
            "toy-metaspace",
            "--report",
            str(report),
            "--jobs",
            "1",
        )
        answer = run(alone, "run", "--impl", "light_renderer:LightRenderer", *words)
        lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()[1:-1]]
        verdicts.append((answer.returncode, [(line["row"], line["case"], line["findings"]) for line in lines]))
    assert verdicts[0] == verdicts[1]
    assert len(verdicts[0][1]) > 500


def test_what_judging_lacks_is_said_before_the_first_cell() -> None:
    answer = run(True, "run", "--impl", "light_renderer:Answers", "--area", "engines")
    assert answer.returncode == 2
    assert "the area engines is judged with transformers, which is not installed here" in answer.stderr
    assert "pip install 'tokenspec[reference]', or leave it out: --area render" in answer.stderr


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (("run", "--impl", "reference", "--row", "toy-bpe", "--area", "render"), "transformers"),
        (("run", "--impl", "reference", "--area", "processors", "--row", "-"), "torch"),
        (("run", "--impl", "light_renderer:LightRenderer", "--impl", "reference", "--row", "toy-bpe"), "transformers"),
        (("run", "--impl", "reference-template", "--row", "toy-bpe"), "transformers"),
    ],
)
def test_what_the_reference_lacks_is_said_before_the_first_cell(words: tuple[str, ...], missing: str) -> None:
    answer = run(True, *words)
    assert answer.returncode == 2, answer.stdout
    assert f"takes {missing}, which is not installed here. Run: pip install 'tokenspec[reference]'" in answer.stderr


def test_the_reference_answers_what_needs_no_more_than_a_plain_install() -> None:
    answer = run(True, "run", "--impl", "reference", "--area", "grammar-mask", "--row", "-", "--sample", "3")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "conformant on all 3 cells" in answer.stdout


@pytest.mark.parametrize("words", [("smoke",), ("smoke", "--impl", "reference"), ("run",)])
def test_a_command_without_what_it_needs_ends_with_the_one_that_installs_it(words: tuple[str, ...]) -> None:
    answer = run(True, *words)
    assert answer.returncode == 2
    assert answer.stderr.endswith(": pip install 'tokenspec[reference]'\n")


def test_an_adapter_without_segment_is_unsupported_not_in_error() -> None:
    answer = run(True, "run", "--impl", "light_renderer:LightRenderer", "--row", "toy-bpe", "--area", "engines")
    assert "light-renderer: nothing judged" in answer.stdout
    assert "no operation segment; see what it has: tokenspec doctor" in answer.stdout
    assert answer.returncode == 1


def test_a_smoke_on_one_row_needs_no_more_and_names_it_again() -> None:
    answer = run(True, "smoke", "--impl", "light_renderer:LightRenderer", "--row", "toy-bpe")
    assert answer.returncode == 0, answer.stdout
    assert "toy-metaspace" not in answer.stdout
    assert "light-renderer\n" in answer.stdout.replace(" \n", "\n")
    assert answer.stdout.endswith(
        "smoke passes. Next: tokenspec run --impl light_renderer:LightRenderer --row toy-bpe\n"
    )


def test_a_program_is_judged_without_them(tmp_path: Path) -> None:
    (tmp_path / "adapter.py").write_text(source(LANGUAGES["python"], ("bridge", "render")))
    impl = f"cmd:{sys.executable} {tmp_path / 'adapter.py'}"
    answer = run(True, "smoke", "--impl", impl)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "Adapter protocol: lines over a pipe" in answer.stdout
    answer = run(
        True, "run", "--impl", impl, "--area", "protocol", "--area", "bridge", "--status", "toy", "--jobs", "1"
    )
    assert answer.returncode in {0, 1}, answer.stdout + answer.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("models", "add", "--dry-run", "--from-dir", str(fixtures_dir() / "toy/toy-bpe")), "reference"),
        (("run", "--impl", "light_renderer:LightRenderer", "--row", str(fixtures_dir() / "toy/toy-bpe")), "reference"),
        (("try", "--row", "toy-bpe", "-o", os.devnull), "reference"),
        (("bench", "processors"), "reference"),
    ],
    ids=lambda words: words if isinstance(words, str) else words[0],
)
def test_what_a_command_lacks_is_one_line_with_the_cure(words: tuple[str, ...], extra: str) -> None:
    answer = run(True, *words)
    assert answer.returncode == 2, answer.stdout + answer.stderr
    (line,) = answer.stderr.splitlines()
    assert line.endswith(f"which is not installed here. Run: pip install 'tokenspec[{extra}]'")


def test_the_next_step_is_one_that_works() -> None:
    rows = ("next: tokenspec models pull", "next: tokenspec adapter new --lang python my-adapter")
    assert run(True, "doctor").stdout.splitlines()[-1].startswith(rows)


def test_a_smoke_that_judged_nothing_says_so() -> None:
    answer = run(True, "smoke", "--impl", "light_renderer:Elsewhere", "--row", "toy-bpe")
    assert answer.returncode == 1
    assert "smoke judged nothing: knows no model toy-bpe. On a row that it supports: tokenspec smoke" in answer.stdout


def test_a_smoke_takes_the_first_row_that_is_loaded() -> None:
    answer = run(True, "smoke", "--impl", "light_renderer:MetaspaceOnly")
    assert answer.returncode == 0, answer.stdout
    assert "toy-metaspace" in answer.stdout
    assert "toy-bpe" not in answer.stdout


def test_every_operation_has_smoke_cases_and_few() -> None:
    listed = smoke_cases()
    assert {areas()[name].operation for name in listed} == set(operations())
    assert 25 <= sum(map(len, listed.values())) <= 40


@pytest.mark.parametrize("name", ROWS)
def test_judges_read_a_vocabulary_as_transformers_does(name: str) -> None:
    if missing := available(name):
        pytest.skip(missing)
    row = load(name)
    theirs, ours = row.tokenizer, row.vocabulary
    assert ours.get_added_vocab() == theirs.get_added_vocab()
    assert set(ours.added_tokens_decoder) == set(theirs.added_tokens_decoder)
    assert (len(ours), ours.unk_token_id) == (len(theirs), theirs.unk_token_id)
    assert ours.all_special_tokens[:1] == theirs.all_special_tokens[:1]
    for token in (*row.spec.wire.stop, "<0x0A>", "nothing such"):
        assert ours.convert_tokens_to_ids(token) == theirs.convert_tokens_to_ids(token)
    for text in TEXTS:
        ids = theirs.encode(text, add_special_tokens=False)
        assert ours.encode(text) == ids
        assert ours.decode(ids) == theirs.decode(ids)
        assert ours.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)
        offsets = theirs(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        assert list(map(tuple, ours(text)["offset_mapping"])) == list(map(tuple, offsets))
    assert ours.convert_ids_to_tokens([len(ours), 10**7]) == theirs.convert_ids_to_tokens([len(ours), 10**7])
