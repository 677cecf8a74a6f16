"""``tokenspec report`` and ``tokenspec render`` as people type them: output, exit codes, messages that help."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tokenspec.cli import group
from tokenspec.errors import TokenspecError
from tokenspec.report.jsonl import save_report
from tokenspec.verdict import Verdict

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import cell, every_verdict, finding, header

CONVERSATION = [
    {"role": "user", "content": "What is the time?\nTell me 🌦."},
    {"role": "assistant", "content": "Late."},
]


def tokenspec(*arguments: object, given: bytes | str | None = None) -> Result:
    """One command in this process; the suite's own errors come back as they reach ``main``."""
    return CliRunner().invoke(group, [str(argument) for argument in arguments], input=given)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    report = every_verdict()
    save_report(path, report.header, report.results)
    return path


@pytest.mark.parametrize(
    ("verb", "begins"),
    [("html", "<!doctype html>"), ("md", "# tokenspec run"), ("junit", "<?xml"), ("json", "{\n")],
)
def test_every_shape_goes_to_stdout_or_a_file(saved: Path, tmp_path: Path, verb: str, begins: str) -> None:
    done = tokenspec("report", verb, saved)
    assert done.exit_code == 0
    assert done.stdout.startswith(begins)
    out = tmp_path / "out"
    assert tokenspec("report", verb, saved, "-o", out).stdout == ""
    assert out.read_text() == done.stdout


def test_a_run_writes_page_and_report_that_fit_together(tmp_path: Path) -> None:
    page, report = tmp_path / "run.html", tmp_path / "run.jsonl"
    chosen = [
        "--impl",
        "reference",
        "--row",
        "toy-bpe",
        "--case",
        "render/role-user",
        "--sample",
        "1",
        "--sample",
        "all",
    ]
    done = tokenspec("run", *chosen, "--html", page, "--report", report)
    assert done.exit_code == 0, done.output
    assert "Next: tokenspec report html" in done.stderr
    assert tokenspec("report", "html", report).stdout == page.read_text()
    machine = {str(tmp_path), str(Path.home()), str(Path(__file__).parents[3])}
    assert not [place for place in machine if place in page.read_text() + report.read_text()]


def test_combine_and_compare_by_hand(tmp_path: Path) -> None:
    paths = []
    for name, verdict in (("a", Verdict.PASS), ("b", Verdict.FAIL)):
        paths.append(tmp_path / f"{name}.jsonl")
        save_report(paths[-1], header(name), [cell(finding(verdict), impl=name)])
    both = tmp_path / "both.jsonl"
    assert tokenspec("report", "combine", *paths, "-o", both).exit_code == 0
    assert "| row | a TEXT | a IDS | b TEXT | b IDS |" in tokenspec("report", "md", both).stdout
    worse = tmp_path / "worse.jsonl"
    save_report(worse, header("a"), [cell(finding(Verdict.FAIL), impl="a")])
    done = tokenspec("report", "compare", paths[0], worse)
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "regression (1)",
        "         pass -> fail        a  render/alpha/one render.ids",
        "1 changes: 1 regressions, 0 fixes",
    ]
    done = tokenspec("report", "compare", paths[0], worse, "--md")
    assert done.exit_code == 1
    assert "* a: 1.2\n" in done.stdout
    assert "| regression | a | `render/alpha/one` | `render.ids` | pass | fail |" in done.stdout
    assert tokenspec("report", "compare", worse, worse, "--md").stdout.endswith("No verdict changed.\n")
    assert tokenspec("report", "compare", worse, paths[0]).exit_code == 0
    rows = json.loads(tokenspec("report", "compare", worse, paths[0], "--json").stdout)["changes"]
    assert rows == [
        {"kind": "fix", "impl": "a", "cell": "render/alpha/one render.ids", "before": "fail", "after": "pass"}
    ]
    again = tokenspec("report", "combine", both, paths[0], "-o", tmp_path / "again.jsonl")
    assert isinstance(again.exception, TokenspecError)
    assert "both have the column a" in str(again.exception)


def test_long_comparisons_are_cut_and_say_so(tmp_path: Path) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    for path, verdict in ((old, Verdict.PASS), (new, Verdict.FAIL)):
        save_report(path, header("a"), [cell(finding(verdict), impl="a", case=f"render/{n}") for n in range(50)])
    assert "... and 30 more; --show-all prints them" in tokenspec("report", "compare", old, new).stdout
    assert len(tokenspec("report", "compare", old, new, "--show-all").stdout.splitlines()) == 52


def conversation(tmp_path: Path, value: Any = CONVERSATION) -> Path:
    path = tmp_path / "conversation.json"
    path.write_text(json.dumps(value))
    return path


def test_a_conversation_in_the_terminal(tmp_path: Path) -> None:
    done = tokenspec("render", "--row", "toy-bpe", conversation(tmp_path))
    lines = done.stdout.splitlines()
    table = {words[0]: words for line in lines[:9] if (words := line.split())}
    assert table["0"][1] == "user"
    assert table["1"][1] == "assistant"
    assert int(table["1"][4]) == int(table["1"][3]) > 0 == int(table["0"][4])
    assert int(table["all"][1]) == sum(int(table[key][2]) for key in ("0", "1", "-") if key in table)
    assert "content 0     What is the time?↵" in lines
    assert "              Tell me 🌦." in lines
    assert any(line.startswith("sampled 1     ") for line in lines)
    assert max(map(len, lines)) <= 100
    assert "\x1b" not in done.stdout


def test_what_the_template_does_not_read_or_leaves_out_is_warned_of(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "hi"}, {"role": "critic", "content": "Well said."}]
    done = tokenspec("render", "--row", "toy-added", conversation(tmp_path, chat))
    assert done.stderr.splitlines() == ["warning: message 1 (critic) has no token: the template leaves it out"]
    path = conversation(tmp_path, chat[:1])
    done = tokenspec("render", "--row", "toy-bpe", path, "--option", "enabel_thinking=False")
    assert done.stderr.splitlines() == [
        "warning: enabel_thinking: the template of toy-bpe reads no such option; did you mean enable_thinking?"
    ]
    spelled = [
        tokenspec("render", "--row", "toy-bpe", path, "--generation-prompt", "--json", "--option", option)
        for option in ("enable_thinking=False", "enable_thinking=false", "enable_thinking=True")
    ]
    assert spelled[0].stdout == spelled[1].stdout != spelled[2].stdout
    assert not spelled[0].stderr


def test_the_printed_text_is_the_rendered_text(tmp_path: Path) -> None:
    """Nothing is lost or added but the margin: the run texts joined spell what the ids decode to."""
    from tokenspec.models import load

    path = conversation(tmp_path, [{"role": "user", "content": "long " * 60}, *CONVERSATION[1:]])
    found = json.loads(tokenspec("render", "--row", "toy-bpe", path, "--json").stdout)
    decoded = load("toy-bpe").tokenizer.decode(found["token_ids"])
    lines = tokenspec("render", "--row", "toy-bpe", path).stdout.split("\n")
    start = next(number for number, line in enumerate(lines) if re.match(r"(scaffold|content|sampled)", line))
    text = "".join(line[14:] for line in lines[start:-2])
    assert text == decoded.replace("\n", "↵")


def test_every_token_and_json(tmp_path: Path) -> None:
    path = conversation(tmp_path)
    found = json.loads(tokenspec("render", "--row", "toy-bpe", path, "--json").stdout)
    assert sum(run["tokens"] for run in found["owners"]) == len(found["token_ids"]) == len(found["pieces"])
    assert [line["role"] for line in found["messages"] if line["message"] in "01"] == ["user", "assistant"]
    listed = tokenspec("render", "--row", "toy-bpe", path, "--tokens").stdout
    assert all(f" {id_} " in listed for id_ in found["token_ids"])


def test_media_are_expanded_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "conversation.json"
    path.write_text(json.dumps(CONVERSATION))
    found = json.loads(tokenspec("render", path, "--row", "toy-bpe", "--media", "--json").stdout)
    assert found["media"] == []
    picture = {"type": "image", "width": 64, "height": 64}
    path.write_text(json.dumps([{"role": "user", "content": [picture]}]))
    done = tokenspec("render", path, "--row", "toy-bpe", "--media")
    assert isinstance(done.exception, TokenspecError)
    assert "messages[0]: what this template's processor writes for media is not described" in str(done.exception)


@pytest.mark.real
def test_each_medium_is_named_with_its_placeholders(tmp_path: Path) -> None:
    path = tmp_path / "conversation.json"
    picture = {"type": "image", "width": 640, "height": 480, "hash": "abc"}
    path.write_text(json.dumps([{"role": "user", "content": [picture, {"type": "text", "text": "Hi."}]}]))
    done = tokenspec("render", path, "--row", "qwen3-vl", "--media")
    assert "image: 300 placeholders in tokens 4 to 304, abc\n" in done.stdout


def test_options_tools_and_the_generation_prompt_reach_the_implementation(tmp_path: Path) -> None:
    tool = {"type": "function", "function": {"name": "clock", "parameters": {"type": "object", "properties": {}}}}
    (tmp_path / "tools.json").write_text(json.dumps([tool]))
    apart = conversation(tmp_path, CONVERSATION[:1])
    plain = json.loads(tokenspec("render", "--row", "toy-bpe", apart, "--json").stdout)["token_ids"]
    prompted = json.loads(tokenspec("render", "--row", "toy-bpe", apart, "--generation-prompt", "--json").stdout)
    assert prompted["token_ids"][: len(plain)] == plain != prompted["token_ids"]
    by_file = tokenspec("render", "--row", "toy-bpe", apart, "--tools", tmp_path / "tools.json", "--json").stdout
    together = conversation(tmp_path, {"messages": CONVERSATION[:1], "tools": [tool]})
    assert by_file == tokenspec("render", "--row", "toy-bpe", together, "--json").stdout
    assert json.loads(by_file)["token_ids"] != plain
    by_option = tokenspec(
        "render",
        "--row",
        "toy-bpe",
        "-",
        "--option",
        "add_generation_prompt=true",
        "--json",
        given=json.dumps(CONVERSATION[:1]),
    )
    assert json.loads(by_option.stdout)["token_ids"] == prompted["token_ids"]


def test_a_page_of_a_conversation(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    done = tokenspec("render", "--row", "toy-bpe", conversation(tmp_path), "--html", out)
    assert done.exit_code == 0
    assert "Open it in a browser" in done.stderr
    assert '"kind":"conversation"' in out.read_text()
    again = "tokenspec render --row toy-bpe --impl reference --html page.html"
    assert f'"again":"{again} conversation.json"' in out.read_text()
    assert str(tmp_path) not in out.read_text()


def written(path: Path) -> dict[str, Any]:
    """The data of a page."""
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', path.read_text())
    return json.loads(data)


def test_conversations_beside_their_template_by_two_implementations(tmp_path: Path) -> None:
    out = tmp_path / "try.html"
    done = tokenspec("try", "--row", "toy-bpe", "-o", out)
    assert done.exit_code == 0, done.output
    data = written(out)
    assert [one["title"] for one in data["conversations"]] == ["a question", "a call", "a thought"]
    assert [impl["impl"] for impl in data["implementations"]] == ["reference", "transformers"]
    assert all({mark for mark, _, _ in one["runs"]} == {"="} for one in data["conversations"])
    lost = [[side["vanished"] for side in one["sides"]] for one in data["conversations"]]
    assert lost == [[[], []], [[], []], [["the reasoning of message 1 (assistant)"]] * 2]
    assert "{%" in data["template"]
    given = [{"role": "user", "content": 'a "b" \\ c'}, {"role": "nobody", "content": "Well."}]
    path = conversation(tmp_path, given)
    words = ["try", path, "--row", "toy-added", "--impl", "reference", "--generation-prompt", "-o", out]
    assert tokenspec(*words, "--impl", "renderers").stderr.startswith("warning: renderers: unsupported: ")
    (one,) = written(out)["conversations"]
    assert one["sides"][0]["vanished"] == ["the content of message 1 (nobody)"]
    assert "tokens" not in one["sides"][1]
    assert one["runs"] is None
    again = "tokenspec try --row toy-added --impl reference --impl renderers --generation-prompt conversation.json"
    assert written(out)["again"] == again
    assert str(tokenspec(*words, "--impl", "a", "--impl", "b").exception).startswith("--impl b: a page shows one")
    refused = tokenspec("try", conversation(tmp_path, []), "--row", "toy-bpe", "-o", out)
    assert getattr(refused.exception, "exit_code", None) == 3


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("[1", "standard input: line 1, column 3"),
        ("nothing", "standard input: line 1, column 1"),
        (b"[\xff]", "byte 1 is not UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ("5", "no messages"),
        ('{"messages": 3}', "no messages"),
        ('{"messages": [], "mesages": []}', "unknown field 'mesages'"),
        ("[5]", r"messages\[0\]: a number instead of an object"),
        ('[{"role": "user"}, {"content": "x"}]', r"messages\[1\]\.role: nothing instead of a text"),
        ('[{"role": "user", "content": true}]', r"messages\[0\]\.content: true or false"),
        ('[{"role": "assistant", "tool_calls": {}}]', r"messages\[0\]\.tool_calls: not a list of objects"),
        ('{"messages": [], "tools": {"a": 1}}', "tools: an object instead of a list"),
        ("[]", "reference: rejected"),
    ],
)
def test_bad_conversations_are_refused_by_place(given: str | bytes, says: str) -> None:
    done = tokenspec("render", "--row", "toy-bpe", "-", given=given)
    assert isinstance(done.exception, TokenspecError), done.output
    assert re.search(says, str(done.exception)), done.exception


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["/no/such/file"], "No such file"),
        (["-", "--option", "thinking"], "KEY=VALUE"),
        (["-", "--tools", "/no/such/tools"], "No such file"),
        (["-", "--impl", "nobody"], "Known:"),
    ],
)
def test_bad_arguments_are_refused(arguments: list[str], says: str) -> None:
    done = tokenspec("render", "--row", "toy-bpe", *arguments, given=json.dumps(CONVERSATION))
    assert isinstance(done.exception, TokenspecError)
    assert says in str(done.exception)


def test_an_implementation_that_breaks_is_an_adapter_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "broken_renderer.py"
    module.write_text(
        "class Broken:\n    def info(self): return {'name': 'broken', 'version': '1'}\n"
        "    def render(self, request): raise RuntimeError('out of cheese')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    done = tokenspec("render", "--row", "toy-bpe", conversation(tmp_path), "--impl", "broken_renderer:Broken")
    assert getattr(done.exception, "exit_code", None) == 3
    assert "out of cheese" in str(done.exception)


@pytest.mark.parametrize(
    "verb",
    [
        ["render"],
        ["try"],
        *(["report", name] for name in ("html", "md", "junit", "json", "badge", "combine", "compare")),
    ],
)
def test_help_says_what_it_does_in_100_columns(verb: list[str]) -> None:
    done = tokenspec(*verb, "--help")
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert len(done.stdout.splitlines()[2]) > 20


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = conversation(tmp_path, [{"role": "user", "content": "a\x1b[31mb\x07\u202ec\u2028d"}])
    for arguments in ([], ["--tokens"]):
        out = tokenspec("render", "--row", "toy-bpe", path, *arguments).stdout
        assert len(out) > 200
        assert not set(out) & set("\x1b\x07\u202e\u2028"), arguments
