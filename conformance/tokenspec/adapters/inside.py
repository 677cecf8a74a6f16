"""Run by the Python of a column's environment: ``python -I inside.py FOLDER`` serves the adapter in FOLDER.

Of the suite only what a server needs is imported, and only msgspec is needed for it. The package is made importable by
its own folder, not by the one it lies in: beside an installed suite lies all that it depends on.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

SUITE = Path(__file__).resolve().parent.parent
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def module_at(name: str, path: Path, package: Path | None = None) -> ModuleType:
    """Import a file under a name, as a package where its folder is given."""
    places = None if package is None else [str(package)]
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=places)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def adapter_of(folder: Path, named: str | None) -> Any:
    """The adapter of a column: the class ``Adapter`` of its ``adapter.py``, or the one that is named."""
    if named is None:
        return module_at("adapter", folder / "adapter.py").Adapter()
    module, _, attribute = named.partition(":")
    return getattr(importlib.import_module(module), attribute)()


def main(folder: Path) -> None:
    """Serve until stop; an adapter without ``info`` is who its folder says."""
    if "tokenspec" not in sys.modules:
        module_at("tokenspec", SUITE / "__init__.py", SUITE)
    from tokenspec.adapters.foreign import Foreign
    from tokenspec.adapters.in_process import InProcess
    from tokenspec.adapters.server import serve_stdio

    column = Foreign(folder)
    os.environ.update({**OFFLINE, **column.description.variables})

    def started() -> InProcess:
        adapter = adapter_of(folder, column.description.adapter)
        if not hasattr(adapter, "info"):
            adapter.info = lambda: column.info(importlib.metadata.version(column.description.package))
        return InProcess(column.name, adapter)

    serve_stdio(started, column.description.operations)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
