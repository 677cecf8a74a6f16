"""Three ways for a Python package: the pytest line, the entry-point group, and two lines in its own repository."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tokenspec.adapters.resolve import column_of, registered, resolve
from tokenspec.adapters.templates.python_object import MyAdapter
from tokenspec.areas import operations
from tokenspec.errors import UsageError
from tokenspec.skeletons.adapter import IN_PROCESS, source

pytestmark = pytest.mark.tools

BROKEN = """
from my_adapter import MyAdapter

class Broken(MyAdapter):
    def segment(self, request):
        return {"offsets": [[0, 1]]} if super().segment(request)["offsets"] else {"offsets": []}
"""
ENTRY = """
[[failure]]
case = "engines/line-paragraphs"
row = "-"
requirement = "{}"
class = "fail"
reason = "cuts nothing yet"
issue = "#1"
"""
KNOWN = 'implementation = "my-adapter"\n' + "".join(map(ENTRY.format, ("ENG-001", "ENG-076")))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with the template and a broken subclass of it."""
    (tmp_path / "my_adapter.py").write_text(source(IN_PROCESS, ("segment",)))
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "known.toml").write_text(KNOWN)
    return tmp_path


def pytest_in(folder: Path, *arguments: str, module: str = "") -> subprocess.CompletedProcess[str]:
    """Run pytest there, with a test module of this text."""
    if module:
        (folder / "test_mine.py").write_text("from tokenspec.suite import Conformance\n" + textwrap.dedent(module))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", "")))),
        },
    )


def test_one_line_of_pytest(package: Path) -> None:
    cases = ["--tokenspec-case", "engines/line-"]
    good = pytest_in(package, "--pyargs", "tokenspec.suite", "--tokenspec-impl", "my_adapter:MyAdapter", *cases)
    assert good.returncode == 0, good.stdout
    assert "10 passed" in good.stdout
    bad = pytest_in(package, "--pyargs", "tokenspec.suite", "--tokenspec-impl", "broken:Broken", *cases)
    assert bad.returncode == 1
    assert "first difference" in bad.stdout or "expected" in bad.stdout


def test_a_project_may_have_options_of_these_names(package: Path) -> None:
    (package / "conftest.py").write_text(
        "def pytest_addoption(parser):\n"
        "    for name in ('impl', 'area', 'row', 'case', 'status', 'timeout', 'known-failures'):\n"
        "        parser.addoption(f'--{name}')\n",
        encoding="utf-8",
    )
    (package / "test_own.py").write_text(
        "def test_own(request):\n    assert request.config.getoption('--impl') == 'x'\n"
    )
    done = pytest_in(package, "test_own.py", "--impl", "x")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_two_lines_of_ones_own(package: Path) -> None:
    done = pytest_in(
        package,
        module="""
        class TestMine(Conformance):
            impl = "my_adapter:MyAdapter"
            cases = ("engines/line-",)
        """,
    )
    assert done.returncode == 0, done.stdout
    assert "10 passed" in done.stdout
    assert "10 skipped" in done.stdout


def test_the_adapter_itself_and_another_selection(package: Path) -> None:
    done = pytest_in(
        package,
        "-v",
        module="""
        from my_adapter import MyAdapter

        class TestMine(Conformance):
            impl = MyAdapter
            areas = ["engines"]
            cases = ["line-paragraphs"]

        class TestBroken(Conformance):
            impl = "broken:Broken"
            cases = ["line-paragraphs"]
        """,
    )
    assert done.returncode == 1
    summary = done.stdout[done.stdout.index("short test summary") :]
    assert "TestBroken::test_cell[broken:Broken-engines/-/line-paragraphs]" in summary
    assert "TestMine" not in summary
    assert "1 passed" in summary


def test_known_failures_lie_beside_the_module_and_are_strict(package: Path) -> None:
    module = """
        class TestMine(Conformance):
            impl = "{impl}"
            cases = ("line-paragraphs",)
            known_failures = "known.toml"
        """
    listed = pytest_in(package, module=module.format(impl="broken:Broken"))
    assert listed.returncode == 0, listed.stdout
    assert "xfailed" in listed.stdout
    mended = pytest_in(package, module=module.format(impl="my_adapter:MyAdapter"))
    assert mended.returncode == 1
    assert "Remove the entry" in mended.stdout


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("areas = ('engines',)", 'say what is judged: impl = "my.mod:Adapter"'),
        ("impl = 'my_adapter:MyAdapter'\n    areas = ('poetry',)", "no area 'poetry'"),
        ("impl = 'my_adapter:MyAdapter'\n    rows = ('qwen-9',)", "no row 'qwen-9'"),
        ("impl = 'my_adapter:Nothing'\n    cases = ('line-empty',)", "Check the module path"),
        (
            "impl = 'my_adapter:MyAdapter'\n    cases = ('line-empty',)\n    known_failures = 'none.toml'",
            "no such file",
        ),
    ],
)
def test_a_mistake_in_the_class_is_named(package: Path, body: str, says: str) -> None:
    done = pytest_in(package, module=f"\nclass TestMine(Conformance):\n    {body}\n")
    assert done.returncode != 0
    assert says in done.stdout + done.stderr


def test_a_module_that_only_imports_the_class_has_no_tests(package: Path) -> None:
    assert pytest_in(package, module="").returncode == 5
    assert "no tests ran" in pytest_in(package, module="\n").stdout


def test_an_installed_package_announces_its_adapter(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = package / "my_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[tokenspec.adapters]\nmine = my_adapter:MyAdapter\nabsent = no_such_module:Adapter\n"
    )
    monkeypatch.syspath_prepend(str(package))
    assert {"mine", "absent", "reference"} <= set(registered())
    column = resolve("mine")
    assert (column.name, column.info["name"]) == ("mine", "my-adapter")
    with pytest.raises(Exception, match="no_such_module"):
        resolve("absent")
    with pytest.raises(UsageError, match="mine"):
        resolve("mien")


def test_an_object_is_a_column_under_the_name_it_is_given() -> None:
    for impl in (MyAdapter, MyAdapter()):
        assert column_of("here", impl).name == "here"
        assert [name for name in operations() if column_of("here", impl).has(name)] == ["render", "bridge", "segment"]
