"""What is printed and drawn of an outcome, and when a command fails; without engines and Parquet."""

import json
import re
import shlex
import shutil
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

from tokenspec.cli import group
from tokenspec.cli.dataset_options import pad_of
from tokenspec.data import checkout_root
from tokenspec.datasets.job import Job, begin, refuse_changes
from tokenspec.datasets.looking import look
from tokenspec.datasets.outcome import Example, Outcome, failing
from tokenspec.datasets.page import audit_page, histogram, page_data
from tokenspec.datasets.recipe import check_template, faster, of_files, of_row, preparer_of, renderer_of
from tokenspec.datasets.source import cut, find
from tokenspec.datasets.summary import print_outcome
from tokenspec.errors import UsageError
from tokenspec.requirements import requirements
from tokenspec_reference.preparation import CODES, Conversation


@pytest.fixture
def job(tmp_path):
    asked = [{"role": "user", "content": "\n\nhi </script> größer"}, {"role": "assistant", "content": "hello"}]
    (tmp_path / "data.jsonl").write_text(json.dumps(asked) + "\n{\n" + json.dumps(asked[1:]) + "\n")
    return Job(
        find(str(tmp_path / "data.jsonl"), "train"), of_row("toy-bpe"), str(tmp_path / "out"), keep_ids=False, total=3
    )


@pytest.fixture
def found():
    examples = {
        "header-merges": [
            Example(0, "data.jsonl:1", "header-merges", 0, 30, 31, "message 0 begins inside the token '\n'")
        ],
        "broken-record": [Example(1, "data.jsonl:2", "broken-record", None, None, None, "column 2: \x1b[31m")],
    }
    return Outcome(
        rows=3,
        kept=2,
        tokens=60,
        trained=20,
        lengths=[40, 0, 20],
        shares=[0.2, 0.6],
        rows_with=Counter({"header-merges": 1, "broken-record": 1}),
        by_row={"header-merges": [0], "broken-record": [1]},
        examples=examples,
    )


def shown_of(job, found):
    return look(job, cut(job.source, 2), [example for several in found.examples.values() for example in several])


@pytest.mark.parametrize("width", [80, 100])
def test_the_summary_fits_and_needs_no_colour(width, job, found):
    stream = StringIO()
    print_outcome(Console(file=stream, width=width, no_color=True), found, shown_of(job, found))
    said = stream.getvalue()
    assert "\x1b" not in said
    assert all(len(line) <= width for line in said.splitlines())
    for words in ("3 rows, 2 with ids", "header-merges", "33.33%", "row 0 (data.jsonl:1)", "Mend:"):
        assert words in said
    assert "␛[31m" in said


def test_the_page_holds_the_examples_and_loads_nothing(job, found):
    made_of = {
        "template_sha256": "a" * 64,
        "tokenizer_sha256": "b" * 64,
        "code": "c",
        "recipe": {"encoder": "tokenizers"},
    }
    shown = shown_of(job, found)
    page = audit_page("data.jsonl on <toy>", made_of, found, shown)
    assert page == audit_page("data.jsonl on <toy>", made_of, found, shown)
    assert "data.jsonl on &lt;toy&gt;" in page
    assert "hi </script>" not in page
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    held = json.loads(data)
    assert held == json.loads(json.dumps(page_data(found, shown)))
    first, second = held["examples"]
    assert "".join(first["tokens"]["pieces"]).count("hello") == 1
    assert second["tokens"] is None
    assert {kind for kind, _ in first["tokens"]["labels"]} == {"scaffold", "content", "sampled"}


def test_a_histogram_counts_everything():
    assert sum(histogram([0.0, 1.0, 5.0])["counts"]) == 3
    assert sum(histogram([])["counts"]) == 0


@pytest.mark.parametrize(
    ("bound", "exceeded"),
    [
        ("header-merges", True),
        ("header-merges>0.3", True),
        ("header-merges>34%", False),
        ("refused", False),
        ("error", True),
        ("warning>50%", False),
    ],
)
def test_bounds_are_of_rows(bound, exceeded, found):
    assert bool(failing([bound], found)) is exceeded


@pytest.mark.parametrize("bound", ["nothing", "refused>", "refused<3", ""])
def test_a_bound_that_means_nothing_is_refused(bound, found):
    with pytest.raises(UsageError, match="--fail-on"):
        failing([bound], found)


def test_every_finding_rests_on_requirements_that_exist():
    for code in CODES.values():
        assert set(code.requirements) <= set(requirements())
        assert all((code.meaning, code.effect, code.cure))


@pytest.mark.parametrize(("total", "sample"), [(100, 7), (7, 100), (1000, 1), (12, 12), (1000, 999)])
def test_a_sample_has_as_many_rows_as_asked(job, total, sample):
    sampled = replace(job, total=total, sample=sample)
    assert sum(map(sampled.is_chosen, range(total))) == min(total, sample)


def test_a_folder_belongs_to_one_job(job):
    job = replace(job, keep_ids=True)
    assert begin(job, "code") == begin(job, "code")
    with pytest.raises(UsageError, match=r"something else \(code\)"):
        begin(job, "another")
    with pytest.raises(UsageError, match=r"something else \(.*options"):
        begin(replace(job, keep_ids=False), "code")


@pytest.mark.parametrize(
    "name",
    [
        "tokenizer_config.json",
        "special_tokens_map.json",
        "generation_config.json",
        "additional_chat_templates/tools.jinja",
    ],
)
def test_a_job_is_another_when_a_file_of_its_tokenizer_changes(name, job, tmp_path):
    shutil.copytree(job.recipe.directory, tmp_path / "tokenizer")
    job = replace(job, keep_ids=True, recipe=replace(job.recipe, directory=str(tmp_path / "tokenizer")))
    said = begin(job, "code")
    refuse_changes(job, said)
    (tmp_path / "tokenizer" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "tokenizer" / name).write_text("{}")
    with pytest.raises(UsageError, match="something else"):
        begin(job, "code")
    with pytest.raises(UsageError, match="files_sha256 changed while"):
        refuse_changes(job, said)


def test_a_source_that_changes_while_it_is_read_is_an_error(job):
    said = begin(job, "code")
    with Path(job.source.files[0]).open("a") as stream:
        stream.write("[]\n")
    with pytest.raises(UsageError, match=r"source changed while data\.jsonl was read"):
        refuse_changes(job, said)


def test_audit_edit_the_data_and_audit_again(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("datasets")
    path, out = tmp_path / "a.jsonl", tmp_path / "audit"
    asked = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    words = ["audit", str(path), "--row", "toy-bpe", "--processes", "1", "-o", str(out), "--fail-on", "error"]

    def audited(text):
        path.write_text(text)
        return CliRunner().invoke(group, words).exit_code

    assert audited(json.dumps(asked) + "\n{\n") == 1
    assert audited(json.dumps(asked) + "\n") == 0
    assert json.loads((out / "manifest.json").read_text())["rows"] == 1
    assert audited(json.dumps(asked) + "\n") == 0
    (out / ".work").mkdir()
    (out / ".work" / "plan.json").write_bytes((out / "manifest.json").read_bytes())
    (out / ".work" / "rows-00000.parquet").write_bytes(b"of an audit that was stopped")
    (out / "manifest.json").unlink()
    assert audited((json.dumps(asked) + "\n") * 3) == 0
    assert json.loads((out / "manifest.json").read_text())["rows"] == 3
    assert not (out / ".work").exists()


def test_a_finding_is_explained():
    said = CliRunner().invoke(group, ["explain", "header-merges"]).output
    assert "In training:" in said
    assert "RND-027" in said


def test_a_tokenizer_folder_renders_like_its_row(job):
    recipe = of_row("toy-bpe")
    conversation = Conversation([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}])
    theirs = of_files(None, Path(recipe.directory))
    assert preparer_of(theirs)(conversation).token_ids == preparer_of(recipe)(conversation).token_ids
    with pytest.raises(UsageError, match="--template"):
        of_files(None, Path(job.out))


def test_an_unproven_encoder_is_not_taken(monkeypatch):
    pytest.importorskip("fastokens")
    assert faster(of_row("toy-bpe"), ["hi"]) is not None
    import fastokens

    class Other:
        def from_file(self, _path):
            return self

        def encode(self, _text):
            return type("Encoding", (), {"ids": [0]})

    monkeypatch.setattr(fastokens, "Tokenizer", Other())
    assert faster(of_row("toy-bpe"), ["hi"]) is None


def test_the_commands_that_people_are_told_are_understood():
    root = checkout_root()
    told = [root / "README.md", root / "conformance" / "docs" / "pages" / "prepare-a-dataset.md"]
    lines = [line.partition("  #")[0] for path in told for line in path.read_text(encoding="utf-8").splitlines()]
    commands = [
        shlex.split(line.partition("tokenspec ")[2])
        for line in lines
        if re.search(r"tokenspec (audit|prepare) \S+\.jsonl", line)
    ]
    assert len(commands) == 5
    for verb, *words in commands:
        command = group.get_command(click.Context(group), verb)
        assert command is not None
        command.make_context(verb, words)


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages[0].content * 999999999 }}",
        "{% for a in range(99999) %}{% for b in range(99999) %}{{ a }}{% endfor %}{% endfor %}",
    ],
)
def test_a_template_that_runs_away_is_refused_before_the_first_row(template):
    recipe = replace(of_row("toy-bpe"), chat_template=template, family="template", wire=())
    with pytest.raises(UsageError, match=r"runs away: chat_template: line 1:"):
        check_template(recipe)
    check_template(of_row("toy-bpe"))


def test_an_empty_file_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "a.jsonl").write_text("\n\n")
    said = CliRunner().invoke(
        group, ["audit", str(tmp_path / "a.jsonl"), "--row", "toy-bpe", "-o", str(tmp_path / "o")]
    )
    assert "holds no record" in str(said.exception)
    assert not (tmp_path / "o").exists()


def test_a_column_that_nothing_reads_is_named_once_a_run(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("datasets")
    asked = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello", "weight": 0.5}]
    record = json.dumps({"messages": asked, "source": "a", "split": "b"})
    (tmp_path / "a.jsonl").write_text(f"{record}\n" * 5)
    words = ["audit", str(tmp_path / "a.jsonl"), "--row", "toy-bpe", "--shard-rows", "2", "--processes", "1"]
    said = CliRunner().invoke(group, [*words, "-o", str(tmp_path / "o")]).output
    for told in (
        "the column source is not read",
        "the column split is not read",
        "weight of a message is read as 1 where it is neither 0 nor 1",
    ):
        assert said.count(told) == 1


def test_results_go_into_a_folder_that_can_be_written(job, tmp_path):
    with pytest.raises(UsageError, match="is a file"):
        begin(replace(job, out=job.source.files[0]), "code")
    with pytest.raises(UsageError, match="cannot write there"):
        begin(replace(job, out=f"{job.source.files[0]}/out"), "code")


def test_padding_is_the_tokenizers_own(job, tmp_path):
    shutil.copytree(job.recipe.directory, tmp_path / "tokenizer")
    path = tmp_path / "tokenizer" / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "pad_token": "<|im_end|>"}))
    recipe = replace(job.recipe, directory=str(tmp_path / "tokenizer"))
    assert pad_of(recipe) == renderer_of(recipe).tokenizer.convert_tokens_to_ids("<|im_end|>")


def test_a_bound_that_means_nothing_is_refused_before_the_first_row(job):
    said = CliRunner().invoke(
        group, ["audit", job.source.files[0], "--row", "toy-bpe", "-o", job.out, "--fail-on", "nothing"]
    )
    assert "--fail-on nothing" in str(said.exception)
    assert not Path(job.out).exists()
