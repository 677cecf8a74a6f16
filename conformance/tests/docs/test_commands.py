"""Every command that documents and help texts show is understood, names what there is, and runs as far as it can here.

A typed command, of a block or a help's example, runs in a folder with the files it names; a judging one on one case of a
toy row. What does not run here is listed with the reason, and is understood all the same.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest

from tests.certificates.seeded import FAULTLESS
from tests.docs.commands import ROOT, Shown, shown
from tokenspec.adapters.foreign import foreign_column
from tokenspec.adapters.resolve import registered
from tokenspec.areas import areas
from tokenspec.areas.check import all_checks
from tokenspec.areas.selection import load_cases
from tokenspec.cli import group
from tokenspec.data import fixtures_dir
from tokenspec.errors import EXTRAS
from tokenspec.models import specs
from tokenspec.requirements import requirements
from tokenspec.skeletons.adapter import LANGUAGES, source

COMMANDS = shown()
TYPED = list(dict.fromkeys(shlex.join(command.words) for command in COMMANDS if command.typed))
PLACEHOLDER = re.compile(r"[A-Z]+|\.\.\.")
NOT_RUN = {
    r"python3 -m venv|(\.venv/bin/)?pip install": "installs from a registry",
    r"(\.venv/bin/)?tox|\.tox/": "CI itself",
    r"docker": "no daemon; conformance/tests/ci/test_image.py, tox -e wheel",
    r"sha256sum": "conformance/tests/fixtures/test_export.py",
    r"tokenspec (audit|prepare)": "the extra datasets: tox -e datasets",
    r"tokenspec models (pull|add)": "the network, or a row's goldens: conformance/tests/models",
    r"tokenspec models check": "a block of add-a-model.md runs it",
    r"tokenspec .*--row \./my-model": "a row's goldens: conformance/tests/models/test_own_row.py",
    r"tokenspec (bless|fixtures (cases|erratum|promote)|spec ack|mutants)": "writes into the checkout, or takes hours",
    r"tokenspec new": "test_contributing.py runs them in a copy",
    r"tokenspec (spec check|fixtures (lint|verify))": "tox -e spec,fixtures,witnesses",
    r"tokenspec columns (make|latest)|tokenspec run .*(--columns|--impl sglang)": "environments of others: tox -e columns",
    r"tokenspec .*--impl https?://|vllm launch": "a server, which is not here: tox -e servers",
    r"tokenspec .*'cmd:node": "node, which may not be here: tox -e adapters",
}
MESSAGES = '[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]'


def judged(words: list[str]) -> bool:
    """Whether it belongs to this project's own programs."""
    return words[0] == "tokenspec" or words[0].endswith("/tokenspec")


def our_words(command: Shown) -> list[str]:
    """What ``tokenspec`` is given, also through uvx or an image; empty for other programs."""
    words = command.words
    if words[:2] == ["docker", "run"]:
        words = words[words.index("tokenspec") :]
    if words[0] == "uvx":
        words = words[1:]
    return words[1:] if judged(words) else []


OURS = {shlex.join(our_words(command)): command for command in COMMANDS if our_words(command)}


@pytest.mark.parametrize("command", OURS.values(), ids=lambda command: f"{command.source}: {command.text}")
def test_a_command_is_understood(command: Shown, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    verb: click.Command = group
    context, words = click.Context(group), our_words(command)
    while isinstance(verb, click.Group) and words:
        word = words.pop(0)
        found = verb.get_command(context, word)
        assert found is not None, f"{command.text}: there is no {word}"
        verb = found
    try:
        verb.make_context(verb.name, list(words)) if words else None
    except click.MissingParameter:
        assert not command.typed
    except click.BadParameter:
        if not any(map(PLACEHOLDER.fullmatch, words)):
            raise


def named(words: list[str]) -> Iterator[tuple[str, str]]:
    """Options that name something, with the name; a skeleton may name what is yet to be."""
    if words[0] == "new":
        return
    for option, value in pairwise(words):
        if option in KNOWN and not PLACEHOLDER.fullmatch(value):
            yield option, value


CASES = {case.id for area in areas().values() for case in load_cases(area)}
KNOWN = {
    "--row": lambda name: name in specs() or "/" in name,
    "--area": lambda name: name in areas(),
    "--case": lambda name: any(id_ == name or (name.endswith("-") and id_.startswith(name)) for id_ in CASES),
    "--impl": lambda name: name in registered() or foreign_column(name) is not None or ":" in name,
    "--flag": lambda name: name in tomllib.loads((fixtures_dir() / "flags.toml").read_text()),
    "--requires": lambda name: name in requirements(),
    "--breaks": lambda name: name in requirements(),
    "explain": lambda name: name in {*requirements(), *specs(), *all_checks(), *CASES},
    "check": lambda name: name in specs(),
}


def test_what_commands_name_is_there() -> None:
    wrong = [
        f"{command.source}: {option} {name}"
        for command in OURS.values()
        for option, name in named(our_words(command))
        if not KNOWN[option](name)
    ]
    assert wrong == []


def test_environments_and_extras_and_options_of_others_are_there(pytestconfig: pytest.Config) -> None:
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for command in COMMANDS:
        for name in re.findall(r"tox -e (\S+)", command.text):
            assert all(f"testenv:{part}" in tox for part in name.split(",")), command
        for names in re.findall(r"tokenspec\[([a-z,]+)\]", command.text):
            assert set(names.split(",")) <= set(extras), command
        for option in re.findall(r"--tokenspec-[a-z-]+", command.text):
            pytestconfig.getoption(option)
    assert set(EXTRAS) <= set(extras)
    page = (ROOT / "conformance/docs/pages/install.md").read_text()
    assert [name for name in extras if f"| `{name}` |" not in page] == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that commands name: adapters, a model, a template, a conversation, programs."""
    home = tmp_path_factory.mktemp("typed")
    adapter = source(LANGUAGES["python"], ("render", "parse"))
    for name in ("adapter.py", "adapter"):
        (home / name).write_text(adapter if adapter.startswith("#!") else f"#!/usr/bin/env python3\n{adapter}")
        (home / name).chmod(0o755)
    shutil.copytree(fixtures_dir() / "toy/toy-bpe", home / "my-model")
    (home / "chat_template.jinja").write_text(FAULTLESS)
    (home / "conversation.json").write_text(MESSAGES)
    (readme,) = re.findall(r"^>>> (class MyRenderer:.*?)^$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    for module in ("my/module.py", "mylib/conformance.py"):
        (home / module).parent.mkdir()
        (home / module).write_text(re.sub(r"^\.\.\. ", "", readme, flags=re.MULTILINE) + "Adapter = MyRenderer\n")
    (home / "bin").mkdir()
    (home / "bin/tokenspec").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m tokenspec "$@"\n')
    (home / "bin/tokenspec").chmod(0o755)
    return home


def narrowed(words: list[str]) -> list[str]:
    """The same on a toy row; where it judges everything, on one case."""
    words = ["toy-bpe" if word in specs() else word for word in words]
    if words[:2] == ["tokenspec", "run"]:
        area = words[words.index("--area") + 1] if "--area" in words else "render"
        words += ["--case", min(id_ for id_ in CASES if id_.startswith(f"{area}/"))]
        words += ["--row", "toy-bpe"] if area == "render" and "--row" not in words else []
    if words[0] == "pytest":
        words += ["-p", "no:cacheprovider", "--tokenspec-row", "toy-bpe", "--tokenspec-case", "render/role-user"]
    return words


def test_typed_commands_run(folder: Path) -> None:
    refused = dict.fromkeys(NOT_RUN, 0)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1", "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    ran = 0
    for text in TYPED:
        listed = [pattern for pattern in NOT_RUN if re.match(pattern, text)]
        for pattern in listed:
            refused[pattern] += 1
        if listed:
            continue
        words = narrowed(shlex.split(text.removeprefix("uvx ")))
        program = {"tokenspec": [sys.executable, "-m", "tokenspec"], "pytest": [sys.executable, "-m", "pytest"]}[
            words[0]
        ]
        done = subprocess.run(
            [*program, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        # Either verdict: the adapter of the README is a first attempt; it passes smoke.
        judges = words[1] == "run" or words[0] == "pytest"
        assert done.returncode == 0 or (judges and done.returncode == 1), (
            f"{shlex.join(words)}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
        assert "Traceback" not in done.stderr, done.stderr
        ran += 1
    assert ran > 12
    assert [pattern for pattern, count in refused.items() if not count] == []
