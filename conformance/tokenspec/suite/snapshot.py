"""Where and how syrupy keeps goldens: one canonical JSON file per (row, area, case), nothing else in that folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import canonical_json


class GoldenSnapshot(SingleFileSnapshotExtension):  # type: ignore[misc]  # untyped here: syrupy is a test extra
    """``fixtures/golden/[stand-in/]<row>/<area>/<slug>.json``; the snapshot's name is that path without the ending."""

    _write_mode = WriteMode.TEXT
    file_extension = "json"

    def serialize(self, data: Any, **_: Any) -> str:
        """Canonical JSON."""
        return canonical_json(data)

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Equal up to the versions of the oracle: the same answer of a newer version is not a change."""
        new, old = json.loads(serialized_data), json.loads(snapshot_data)
        return bool({**new, "oracle": None} == {**old, "oracle": None})

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:
        """The last part of the given name."""
        del test_location
        return Path(str(index)).name

    @classmethod
    def get_location(cls, *, test_location: Any, index: Any) -> str:
        """The golden's path."""
        del test_location
        return str(fixtures_dir() / "golden" / f"{index}.json")

    @classmethod
    def dirname(cls, *, test_location: Any) -> str:
        """Where goldens live; syrupy looks here for files it might own."""
        del test_location
        return str(fixtures_dir() / "golden")
