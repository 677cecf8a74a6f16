"""``python -m shaken``: every condition, one after the other, then a table of them.

``--share N`` takes under every condition each N-th test file and area, others each time: N conditions in a row run
everything once.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shaken.conditions import CONDITIONS, Condition
from tokenspec.areas import areas

ROOT = Path(__file__).resolve().parents[2]
MARKS = (
    "not soak and not gpu and not wheel and not real and not servers and not datasets and not columns and not compilers"
)
LEFT_OUT = ("conformance/tests/docs", "conformance/tests/test_examples.py", "conformance/tests/test_wheel.py")
NOT_COPIED = (".git", ".tox", ".venv", ".hypothesis", "__pycache__", ".*_cache", "site")
BURNER = "import os, sys\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(10**6))"
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"'
NAMESPACES = (("unshare", "--mount"), ("unshare", "--user", "--map-root-user", "--mount"))
NOWHERE = "/dev/null/home"
PATIENCE = ("-o", "faulthandler_timeout=900", "-o", "faulthandler_exit_on_timeout=true", "--max-worker-restart", "0")
"""A test that hangs shows where, and fails."""


@dataclass(frozen=True)
class Outcome:
    """One command under one condition."""

    what: str
    seconds: float
    failed: tuple[str, ...]


def main() -> int:
    """Run, print, and say by the exit code whether anything failed."""
    parser = argparse.ArgumentParser(prog="python -m shaken", description=__doc__)
    parser.add_argument("--share", type=int, default=1, metavar="N", help="each N-th test file and area only")
    parser.add_argument("--only", type=int, action="append", metavar="K", help="only the K-th condition; repeatable")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="workers of pytest and of the run")
    parser.add_argument("tests", nargs="*", help="these tests instead of all, and no conformance run")
    asked = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    rows: list[tuple[int, Condition, list[Outcome]]] = []
    for number, condition in enumerate(CONDITIONS, start=1):
        if asked.only and number not in asked.only:
            continue
        print(f"== {number}/{len(CONDITIONS)} {condition.name}", flush=True)
        rows.append((number, condition, list(shaken(condition, number, asked))))
    print(table(rows))
    return int(any(outcome.failed for _, _, outcomes in rows for outcome in outcomes))


def shaken(condition: Condition, number: int, asked: argparse.Namespace) -> Iterator[Outcome]:
    """The unit tests, then the reference's conformance on the toy rows, under one condition."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="shaken-"))
        place = Path(folder) / "an odd \u00e9" if condition.odd_path else Path(folder)
        (place / "tmp").mkdir(parents=True)
        root = copied(place) if condition.odd_path else ROOT
        before = within(root) if condition.read_only else []
        environment = surroundings(condition, root, place / "tmp")
        umask = 0o022 if condition.home else 0o077
        stack.enter_context(burning(condition.load * (os.cpu_count() or 1)))
        for what, words in commands(number, asked):
            begun = time.monotonic()
            code, lines = streamed([*before, sys.executable, "-m", *words], cwd=root, env=environment, umask=umask)
            seconds = time.monotonic() - begun
            failed = [line for line in lines if line.startswith(("FAILED ", "ERROR ", "FAIL "))] if code else []
            yield Outcome(what, seconds, tuple(failed or [f"{what}: exit code {code}"] * bool(code)))


def streamed(words: Sequence[str], **given: Any) -> tuple[int, list[str]]:
    """Run a command and show its lines as they come; its exit code and its lines."""
    lines = []
    with subprocess.Popen(  # noqa: S603 - our own commands
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", **given
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.rstrip())
            print(f"   {lines[-1]}", flush=True)
    return process.returncode, lines


def commands(number: int, asked: argparse.Namespace) -> Iterator[tuple[str, list[str]]]:
    """What is run, as modules of Python."""
    pytest = ["pytest", "-p", "shaken.order", "-p", "no:randomly", "-p", "no:cacheprovider", "-q", "--color=no"]
    pytest += PATIENCE
    files = asked.tests or part(test_files(), number, asked.share)
    yield "tests", [*pytest, "-n", str(asked.jobs), "--dist", "loadfile", "-m", MARKS, *files]
    if not asked.tests:
        areas = [word for area in part(area_names(), number, asked.share) for word in ("--area", area)]
        run = ["tokenspec", "run", "--impl", "reference", "--status", "toy", "--jobs", str(asked.jobs)]
        yield "toy rows", [*run, *areas]


def part(names: Sequence[str], number: int, share: int) -> list[str]:
    """The names whose turn it is."""
    return [name for index, name in enumerate(names) if index % share == number % share]


def test_files() -> list[str]:
    """The files of the unit tests, as ``tox -e unit`` takes them."""
    found = [
        str(path.relative_to(ROOT))
        for tests in ("reference/tests", "conformance/tests")
        for path in sorted((ROOT / tests).rglob("test_*.py"))
    ]
    return [name for name in found if not name.startswith(LEFT_OUT)]


def area_names() -> list[str]:
    """The areas of the suite that need no program behind a pipe."""
    return sorted(set(areas()) - {"protocol"})


def surroundings(condition: Condition, root: Path, temporary: Path) -> dict[str, str]:
    """The environment: what is not named here stays as it is."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}
    found = {
        **kept,
        "PYTHONPATH": os.pathsep.join(str(root / name) for name in ("reference", "conformance")),
        "PYTHONHASHSEED": str(condition.seed),
        "SHAKEN_SEED": str(condition.seed),
        "OMP_NUM_THREADS": str(condition.threads),
        "LC_ALL": condition.locale,
        "TMPDIR": str(temporary),
    }
    if condition.instructions:
        plain = condition.instructions == "default"
        found["ATEN_CPU_CAPABILITY"] = condition.instructions
        found["ONEDNN_MAX_CPU_ISA"] = "SSE41" if plain else condition.instructions.upper()
    if not condition.home:
        for key in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NO_COLOR"):
            found.pop(key, None)
        found |= {"HOME": NOWHERE, "COLUMNS": "60", "FORCE_COLOR": "1"}
    return found


def copied(place: Path) -> Path:
    """A copy of the checkout."""
    return Path(shutil.copytree(ROOT, place / "checkout", ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True))


def within(root: Path) -> list[str]:
    """The words before a command that make the checkout read-only for it, in a mount namespace of its own."""
    for namespace in NAMESPACES:
        words = [*namespace, "sh", "-c", READ_ONLY, str(root)]
        if not shutil.which(words[0]):
            continue
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:  # noqa: S603
            return words
    print("   read-only: not possible here (no mount namespaces); the checkout stays writable", flush=True)
    return []


@contextmanager
def burning(count: int) -> Iterator[None]:
    """``count`` processes that compute as long as this lasts; they end by themselves when it dies."""
    burners = [subprocess.Popen([sys.executable, "-c", BURNER]) for _ in range(count)]  # noqa: S603
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def table(rows: Sequence[tuple[int, Condition, list[Outcome]]]) -> str:
    """Condition, seconds, failures; then every failure by name."""
    lines = ["", "| | condition | seconds | failures |", "|---:|---|---:|---:|"]
    for number, condition, outcomes in rows:
        seconds, failures = sum(one.seconds for one in outcomes), sum(len(one.failed) for one in outcomes)
        lines.append(f"| {number} | {condition.name} | {seconds:.0f} | {failures} |")
    lines += [""] + [f"{number}: {line}" for number, _, outcomes in rows for one in outcomes for line in one.failed]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
