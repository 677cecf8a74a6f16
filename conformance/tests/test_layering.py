"""What may import what, and how fast the command line answers."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "hypothesis", "tokenizers", "numpy", "pytest")


def modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import tokenspec",
        "import tokenspec.cli",
        "import tokenspec.runner, tokenspec.areas.selection, tokenspec.areas.check",
        "from tokenspec.areas.check import all_checks; all_checks()",
        "from tokenspec.areas import areas; areas()",
        "import tokenspec.models",
        "import tokenspec.pytest_plugin",
    ],
)
def test_the_suite_imports_nothing_heavy(statement: str) -> None:
    assert not modules_after(statement) & {"torch", "transformers", "hypothesis"}


@pytest.mark.parametrize("package", ["renderers", "renderers.adapter", "renderers.template", "fast_forward"])
def test_renderers_and_fast_forward_need_no_torch(package: str) -> None:
    assert "torch" not in modules_after(f"import tokenspec_reference.{package}")


def test_the_reference_never_imports_the_suite() -> None:
    loaded = modules_after(
        "import pkgutil, importlib, tokenspec_reference\n"
        "for m in pkgutil.walk_packages(tokenspec_reference.__path__, 'tokenspec_reference.'):\n"
        "    m.name.endswith('__main__') or importlib.import_module(m.name)"
    )
    assert not {name for name in loaded if name == "tokenspec" or name.startswith("tokenspec.")}


def test_help_imports_no_verb() -> None:
    loaded = modules_after(
        "from click.testing import CliRunner\nfrom tokenspec.cli import group\n"
        "assert CliRunner().invoke(group, ['--help']).exit_code == 0"
    )
    assert not {name for name in loaded if name.startswith(("tokenspec.cli.", "rich", "msgspec", "jinja2"))}
