"""The reference, imported afresh with other programs for some of its modules; no file is written."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

PACKAGE = "tokenspec_reference"
ADAPTER = "ReferenceAdapter"


class _Given(SourceFileLoader):
    """A loader that has been given the program."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self.code = code

    def get_code(self, fullname: str) -> CodeType:
        del fullname
        return self.code


class Substituted:
    """Finds the modules of a package, some of them with another program."""

    def __init__(self, programs: Mapping[str, CodeType]) -> None:
        """``programs`` are by the module's full name."""
        self.programs = programs

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As Python does, for the modules that have another program."""
        if name not in self.programs:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Given(name, spec.origin, self.programs[name])
        return spec


def module_name(file: str) -> str:
    """The module that lies in a file of the package: ``renderers/encode.py``."""
    parts = [PACKAGE, *file.removesuffix(".py").split("/")]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def fresh_adapter(programs: Mapping[str, CodeType]) -> object:
    """The reference's adapter, out of modules that nobody has imported before. For a process of its own."""
    for name in [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]:
        del sys.modules[name]
    sys.meta_path.insert(0, Substituted(programs))
    adapter: object = getattr(importlib.import_module(f"{PACKAGE}.adapter"), ADAPTER)()
    return adapter
