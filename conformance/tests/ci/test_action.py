"""What others take into their CI: the steps of the action in their order, the workflow, the image, the hook."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

from tests.certificates.seeded import FAULTLESS
from tokenspec.adapters.resolve import registered
from tokenspec.cli import group
from tokenspec.data import checkout_root, fixtures_dir
from tokenspec.skeletons.adapter import LANGUAGES, source

ROOT = checkout_root() or Path()
ACTION = ROOT / ".github/actions/judge"
PROMISED = {"run.jsonl.gz", "report.html", "junit.xml", "badge.json"}


def parsed(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def filled(text: str, inputs: dict[str, str]) -> str:
    """The expressions that the action has: its inputs."""
    return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: inputs[found[1]], text)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A folder with an adapter, and programs of the machine: a python that notes what it installs, this tokenspec."""
    folder, programs = tmp_path / "work", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    (folder / "adapter.py").write_text(source(LANGUAGES["python"], ("bridge", "render")))
    for name, text in {
        "python": f'echo "$@" >> {tmp_path}/installed',
        "tokenspec": f'exec {shlex.quote(sys.executable)} -m tokenspec "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return folder


def steps(clean: Path, **given: str) -> tuple[int, str]:
    """Run every step of the action that is a command, as the runner does; the exit code of the last, and what it said."""
    action = parsed(ACTION / "action.yml")
    inputs = {
        name: given.get(name.replace("-", "_"), entry.get("default", "")) for name, entry in action["inputs"].items()
    }
    said = ""
    for step in action["runs"]["steps"]:
        assert "run" in step or re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
        if "run" not in step:
            continue
        environment = {
            **os.environ,
            **{name: filled(value, inputs) for name, value in step["env"].items()},
            "PATH": f"{clean.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_STEP_SUMMARY": str(clean.parent / "summary.md"),
            "COLUMNS": "100",
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", filled(step["run"], inputs)]
        done = subprocess.run(command, cwd=clean, env=environment, capture_output=True, text=True, check=False)
        said += done.stdout + done.stderr
        if done.returncode:
            return done.returncode, said
    return 0, said


IMPL = "cmd:python3 adapter.py"


def test_the_steps_judge_and_leave_what_they_promise(clean: Path) -> None:
    code, said = steps(clean, impl=IMPL, rows="toy-bpe", areas="bridge", fail_under="50", extras="reference")
    assert code == 0, said
    assert (clean.parent / "installed").read_text() == f"-m pip install --quiet {ACTION}/../../..[reference]\n"
    assert {path.name for path in (clean / "tokenspec-report").iterdir()} == PROMISED
    assert "Bridges: sampled ids" in (clean.parent / "summary.md").read_text()
    assert json.loads((clean / "tokenspec-report/badge.json").read_text())["label"] == "tokenspec"


def test_a_failure_is_annotated_and_a_share_decides_where_it_is_given(clean: Path) -> None:
    text = (clean / "adapter.py").read_text()
    (clean / "adapter.py").write_text(text.replace("<|im_end|>\\n", "<|im_end|>"))
    chosen = {"impl": IMPL, "rows": "toy-bpe", "areas": "render"}
    code, said = steps(clean, **chosen)
    assert code == 1
    (found,) = re.findall(r"^::error title=(.*?)::(render/toy-bpe/.*)$", said, re.MULTILINE)
    assert "%3A" not in found[1]
    assert "%0Atokenspec run --impl" in found[1]
    out = clean / "tokenspec-report"
    again = [
        "report",
        "ci",
        str(out / "run.jsonl.gz"),
        "--impl",
        IMPL,
        "--out",
        str(out),
        "--ended",
        "1",
        "--fail-under",
    ]
    assert [CliRunner().invoke(group, [*again, share]).exit_code for share in ("100", "0")] == [1, 0]


def test_what_is_no_verdict_is_no_pass(clean: Path) -> None:
    code, said = steps(clean, impl="cmd:./nothing", rows="toy-bpe", fail_under="0")
    assert code == 3
    assert "there is no program './nothing'" in said


def test_the_workflow_hands_every_input_to_the_action() -> None:
    workflow = parsed(ROOT / ".github/workflows/judge.yml")
    called = workflow[True]["workflow_call"]["inputs"]
    (step,) = [step for step in workflow["jobs"]["judge"]["steps"] if "judge" in step.get("uses", "")]
    known = parsed(ACTION / "action.yml")["inputs"]
    assert step["with"] == {name: f"${{{{ inputs.{name} }}}}" for name in step["with"]}
    assert set(step["with"]) == set(called) & set(known) >= {"impl", "rows", "areas", "known-failures", "fail-under"}


def test_the_image_copies_what_is_there_and_ends_as_nobody_special() -> None:
    text = (ROOT / "conformance/docker/Dockerfile").read_text().replace("\\\n", "")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    copied = {word for line in lines if line[0] == "COPY" and "--from" not in line[1] for word in line[1:-1]}
    assert all((ROOT / name).exists() for name in copied)
    packed = {
        line[1:] for line in (ROOT / "conformance/docker/Dockerfile.dockerignore").read_text().split() if line[0] == "!"
    }
    assert copied <= packed
    assert [line[1] for line in lines if line[0] == "USER"] == ["judge"]
    assert [line[0] for line in lines][-4:] == ["USER", "WORKDIR", "ENTRYPOINT", "CMD"]
    assert re.search(r"ARG PYTHON=\d+\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64}\n", text)


def test_the_hook_checks_a_template(tmp_path: Path) -> None:
    (hook,) = parsed(ROOT / ".pre-commit-hooks.yaml")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((fixtures_dir() / "toy/toy-bpe" / name).read_bytes())
    fit, unfit, broken = (tmp_path / f"{name}.jinja" for name in ("fit", "unfit", "broken"))
    fit.write_text(FAULTLESS)
    unfit.write_text(
        "{% for m in messages if m.role != 'system' %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
    )
    broken.write_text("{% for %}")
    assert all(re.search(hook["files"], path.name) for path in (fit, unfit, broken))
    words = shlex.split(hook["entry"])[1:]
    done = CliRunner().invoke(group, [*words, str(fit)])
    assert done.exit_code == 0, done.output
    assert "history stays" in done.output
    assert "limits: refuses " in done.output
    assert "minijinja" in done.output
    done = CliRunner().invoke(group, [*words, str(unfit), str(broken)])
    assert done.exit_code == 1
    assert "error: tools: " in done.output
    assert "--accept tools" in done.output
    assert "--accept role-system" in done.output
    assert f"{broken}: broken: the chat template does not parse: line 1" in done.output
    assert "0 of 2 templates are in order" in done.output
    names = re.findall(r"--accept (\S+)", done.output)
    assert CliRunner().invoke(group, [*words, str(unfit), *(w for n in names for w in ("--accept", n))]).exit_code == 0


def test_every_week_the_latest_versions_are_judged_and_compared() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/weekly.yml").read_text(encoding="utf-8"))
    assert workflow[True]["schedule"]
    others, *in_process = workflow["jobs"]["latest"]["strategy"]["matrix"]["columns"]
    assert others not in registered()
    assert set(in_process) < set(registered())
    steps = [step["run"] for step in workflow["jobs"]["latest"]["steps"] if "run" in step]
    for script in steps:
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    commands = [
        shlex.split(line, comments=True)
        for line in re.findall(r"/bin/(tokenspec .*?)(?: >| \|\||$)", "\n".join(steps), re.MULTILINE)
    ]
    for words in commands:
        verb: Any = group
        for number, word in enumerate(words[1:], start=1):
            if not isinstance(verb, click.Group):
                break
            verb, rest = verb.commands.get(word) or verb.get_command(click.Context(verb), word), words[number + 1 :]
        options = {name for parameter in verb.params for name in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= options, words
    assert len(commands) == 4


@pytest.mark.parametrize("path", [*(ROOT / ".github").rglob("*.yml"), *(ROOT / "conformance/docs/pages").glob("*.md")])
def test_the_actions_of_others_are_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"^[ -]*uses: (\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    others = [one for one in used if not one.startswith("./") and "tokenspec" not in one.partition("@")[0]]
    assert [one for one in others if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", one)] == []
