"""Imports run downwards only, and never in a circle: inside functions and for type checking too.

The source is parsed, never imported. A layer is a set of modules; a module may import its own layer and those above it
in the table, which is written from the ground up.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tokenspec.data import checkout_root

SUITE = (
    ("the package itself", ("tokenspec",)),
    ("ground", ("data", "errors", "verdict", "benchmark", "guard")),
    ("store and spec", ("store", "requirements")),
    ("models and adapters", ("models", "adapters")),
    ("oracles' shared parts", ("oracle",)),
    (
        "what an area is",
        (
            "areas",
            *(f"areas.{word}" for word in ("area", "check", "mutant", "exhibit", "selection", "oracle_version")),
        ),
    ),
    ("areas", ("areas.*",)),
    ("certificates, columns, reports", ("certificate", "columns", "report")),
    ("the judge", ("bounded", "runner")),
    (
        "applications",
        (
            "known_failures",
            "curation",
            "skeletons",
            "bindings",
            "traceability",
            "addition",
            "mutation",
            "power",
            "parallel",
            "datasets",
            "bench",
            "reproduction",
        ),
    ),
    ("faces", ("suite", "pytest_plugin", "cli", "__main__")),
)
REFERENCE = (
    ("the package itself", ("tokenspec_reference",)),
    ("ground", ("errors", "loaded_model", "surrogates")),
    ("areas", ("*",)),
    ("adapter", ("adapter",)),
)

Layers = tuple[tuple[str, tuple[str, ...]], ...]
Imports = Mapping[str, Mapping[str, int]]
"""Module -> the modules it imports, each with the line of its first import."""


def sources(package: Path) -> dict[str, Path]:
    """The modules of a package by their full name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(modules: Mapping[str, Path]) -> Imports:
    """What each module imports of the others, wherever in its text."""
    return {name: dict(reversed(list(_imported(name, path, modules)))) for name, path in modules.items()}


def _imported(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = name if path.name == "__init__.py" else name.rpartition(".")[0]
            for _ in range(node.level - 1):
                package = package.rpartition(".")[0]
            base = ".".join(filter(None, (package if node.level else "", node.module or "")))
            wanted = [deeper if (deeper := f"{base}.{alias.name}") in modules else base for alias in node.names]
        else:
            continue
        yield from ((target, node.lineno) for target in wanted if target in modules and target != name)


def height(module: str, layers: Layers) -> int:
    """The layer of a module: that of the longest prefix of its name in the table; ``*`` is any one name."""
    package, _, rest = module.partition(".")
    parts = rest.split(".") if rest else []
    fits = [
        (len(name.split(".")), "*" not in name, number)
        for number, (_, names) in enumerate(layers)
        for name in names
        if (not parts and name == package) or (parts and _begins(parts, name.split(".")))
    ]
    assert fits, f"{module} has no layer: put it into the table of {Path(__file__).name}"
    return max(fits)[2]


def _begins(parts: list[str], name: list[str]) -> bool:
    return len(parts) >= len(name) and all(word in {"*", part} for word, part in zip(name, parts, strict=False))


def upward(imports: Imports, layers: Layers) -> list[str]:
    """Every import of a higher layer, both ends named."""
    return [
        f"{module}:{line} ({layers[own][0]}) imports {target} ({layers[above][0]})"
        for module, targets in imports.items()
        for target, line in targets.items()
        if (above := height(target, layers)) > (own := height(module, layers))
    ]


def by_folder(imports: Imports) -> Imports:
    """The same with an area's folder as one module."""
    folded: dict[str, dict[str, int]] = {}
    for module, targets in imports.items():
        own = folded.setdefault(_folder(module), {})
        own.update({_folder(target): line for target, line in targets.items() if _folder(target) != _folder(module)})
    return folded


def _folder(module: str) -> str:
    return ".".join(module.split(".")[:2])


def circles(imports: Imports) -> list[str]:
    """One line for every group of modules that import each other, in an order that shows how."""
    found, done = [], set()
    for start in imports:
        if start in done:
            continue
        back = _path(imports, start)
        if back:
            found.append(" -> ".join(back))
            done.update(back)
    return found


def _path(imports: Imports, start: str) -> list[str]:
    """The shortest way from a module back to itself, empty where there is none."""
    ways = [[start]]
    seen: set[str] = set()
    for way in ways:
        for target in imports[way[-1]]:
            if target == start:
                return [*way, start]
            if target not in seen:
                seen.add(target)
                ways.append([*way, target])
    return []


def root() -> Path:
    found = checkout_root()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("package", "layers"),
    [("conformance/tokenspec", SUITE), ("reference/tokenspec_reference", REFERENCE)],
    ids=["tokenspec", "tokenspec_reference"],
)
def test_imports_run_downwards(package: str, layers: Layers) -> None:
    assert upward(imports_of(sources(root() / package)), layers) == []


@pytest.mark.parametrize("package", ["conformance/tokenspec", "reference/tokenspec_reference"])
def test_no_module_imports_itself_through_others(package: str) -> None:
    assert circles(imports_of(sources(root() / package))) == []


def test_no_folder_of_the_reference_imports_itself_through_others() -> None:
    assert circles(by_folder(imports_of(sources(root() / "reference/tokenspec_reference")))) == []


def test_every_layer_is_there() -> None:
    for package, layers in (("conformance/tokenspec", SUITE), ("reference/tokenspec_reference", REFERENCE)):
        heights = {height(module, layers) for module in sources(root() / package)}
        assert heights == set(range(len(layers)))


PLACES = {
    "at the top": "from tokenspec.runner import Run\n",
    "of a package's name": "from tokenspec import runner\n",
    "relative": "from ..runner import Run\n",
    "inside a function": "def late():\n    import tokenspec.runner\n",
    "for types only": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tokenspec.runner import Run\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Two modules, the higher of which imports the lower one."""
    made = tmp_path / "tokenspec"
    (made / "store").mkdir(parents=True)
    for name in ("__init__.py", "store/__init__.py"):
        (made / name).write_text("")
    (made / "runner.py").write_text("from tokenspec.store.writing import locked\n")
    (made / "store" / "writing.py").write_text("")
    return made


@pytest.mark.parametrize("place", PLACES)
def test_an_upward_import_is_found_and_both_ends_are_named(place: str, package: Path) -> None:
    assert upward(imports_of(sources(package)), SUITE) == []
    (package / "store" / "writing.py").write_text(PLACES[place])
    imports = imports_of(sources(package))
    (found,) = upward(imports, SUITE)
    assert found.startswith("tokenspec.store.writing:")
    assert "imports tokenspec.runner (the judge)" in found
    assert circles(imports) == ["tokenspec.runner -> tokenspec.store.writing -> tokenspec.runner"]


def test_a_module_without_a_layer_is_named(package: Path) -> None:
    (package / "helpers.py").write_text("from tokenspec import runner\n")
    with pytest.raises(AssertionError, match=r"tokenspec\.helpers has no layer"):
        upward(imports_of(sources(package)), SUITE)
