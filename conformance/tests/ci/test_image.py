"""The steps of the image in their order, in folders in place of stages: there need not be a daemon here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from tokenspec.data import checkout_root
from tokenspec.skeletons.adapter import LANGUAGES, source

ROOT = checkout_root() or Path()
FILE = ROOT / "conformance/docker/Dockerfile"
SKIPPED = shutil.ignore_patterns("__pycache__", "node_modules")
PLACES = re.compile(r"(?<![\w./])/(wheels|tmp)\b")


class Stage:
    """A folder that stands for a file system, and a Python of its own."""

    def __init__(self, root: Path) -> None:
        self.root, self.work = root, root
        venv.create(root / "python", with_pip=True)
        (root / "python/bin/useradd").write_text(f'#!/bin/sh\necho "$@" >> {root}/users\n')
        (root / "python/bin/useradd").chmod(0o755)

    def place(self, path: str) -> Path:
        """Where a path of the file lies."""
        return self.root / path.lstrip("/") if path.startswith("/") else self.work / path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """A command in the working folder."""
        environment = {**os.environ, "PATH": f"{self.root}/python/bin{os.pathsep}{os.environ['PATH']}"}
        environment.pop("PYTHONPATH", None)
        return subprocess.run(command, cwd=self.work, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.wheel
def test_the_steps_of_the_image_make_a_judge(tmp_path: Path) -> None:
    stages: dict[str, Stage] = {}
    stage, words = Stage(tmp_path / "none"), {}
    for line in FILE.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        verb, _, rest = line.partition(" ")
        if verb == "FROM":
            stage = stages[rest.partition(" AS ")[2] or "last"] = Stage(tmp_path / str(len(stages)))
        elif verb == "WORKDIR":
            stage.work = stage.place(rest)
            stage.work.mkdir(parents=True)
        elif verb == "COPY":
            *given, target = rest.split()
            source_of = ROOT
            if given[0].startswith("--from="):
                source_of = stages[given.pop(0).removeprefix("--from=")].root
            for name in given:
                origin, place = source_of / name.lstrip("/"), stage.place(target)
                place = place / origin.name if target.endswith("/") else place
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copytree(origin, place, ignore=SKIPPED) if origin.is_dir() else shutil.copy(origin, place)
        elif verb == "RUN":
            done = stage.run("sh", "-c", PLACES.sub(rf"{stage.root}/\1", rest))
            assert done.returncode == 0, done.stdout + done.stderr
        elif verb in {"ENTRYPOINT", "CMD"}:
            words[verb] = json.loads(rest)
    assert "--uid 10001 judge" in (stage.root / "users").read_text()
    done = stage.run(*words["ENTRYPOINT"], *words["CMD"])
    assert done.returncode == 0, done.stderr
    assert "Usage: tokenspec smoke" in done.stdout
    (stage.work / "adapter.py").write_text(source(LANGUAGES["python"], ("bridge", "render")))
    done = stage.run(*words["ENTRYPOINT"], "smoke", "--impl", "cmd:python3 adapter.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "smoke passes" in done.stdout
