"""syrupy over the golden store: a snapshot is one golden, its collection the file of a row and area."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.base import AbstractSyrupyExtension

from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import canonical_json
from tokenspec.store.golden_files import read_goldens, write_goldens
from tokenspec.store.records import Golden


class GoldenSnapshot(AbstractSyrupyExtension):  # type: ignore[misc]  # untyped here: syrupy is a test extra
    """``<path below fixtures/golden>#<slug>`` names a snapshot; its data is the golden as canonical JSON."""

    file_extension = "json"

    def serialize(self, data: Any, **_: Any) -> str:
        """Canonical JSON of the whole golden."""
        return canonical_json(data)

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Equal up to who said it: the same answer of a newer oracle, or of one more program, is no change."""
        new, old = json.loads(serialized_data), json.loads(snapshot_data)
        whoever: dict[str, Any] = {"oracle": None, "witnesses": None, "answers": None}
        return bool({**new, **whoever} == {**old, **whoever})

    @classmethod
    def get_snapshot_name(cls, *, test_location: Any, index: Any = 0) -> str:
        """The slug."""
        del test_location
        return str(index).partition("#")[2]

    @classmethod
    def get_location(cls, *, test_location: Any, index: Any) -> str:
        """The file of the golden's row and area."""
        del test_location
        return str(fixtures_dir() / "golden" / str(index).partition("#")[0])

    @classmethod
    def dirname(cls, *, test_location: Any) -> str:
        """Where goldens live; syrupy looks here for files it might own."""
        del test_location
        return str(fixtures_dir() / "golden")

    @classmethod
    def matches_test_location(cls, *, test_location: Any, snapshot_location: str) -> bool:
        """Every golden belongs to the one test."""
        del test_location, snapshot_location
        return True

    def discover_snapshots(self, *, test_location: Any, ignore_extensions: Any = None) -> SnapshotCollections:
        """Nothing: a golden that a run did not ask about is not *unused*, and no update deletes one."""
        del test_location, ignore_extensions
        return SnapshotCollections()

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """The goldens of one file."""
        collection = SnapshotCollection(location=snapshot_location)
        file = read_goldens(Path(snapshot_location))
        for slug in file.cases if file is not None else ():
            collection.add(Snapshot(name=slug, data=self._data(snapshot_location, slug)))
        return collection

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        """One golden, or None."""
        del session_id
        return self._data(snapshot_location, snapshot_name)

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **_: Any) -> None:
        """Put the goldens into their file; the others of the file stay."""
        changes: dict[str, Golden | None] = {
            snapshot.name: msgspec.json.decode(snapshot.data, type=Golden) for snapshot in snapshot_collection
        }
        write_goldens(Path(snapshot_collection.location), changes)

    def delete_snapshots(self, *, snapshot_location: str, snapshot_names: set[str]) -> None:
        """Take goldens out of their file."""
        write_goldens(Path(snapshot_location), dict.fromkeys(snapshot_names))

    @staticmethod
    def _data(location: str, slug: str) -> str | None:
        file = read_goldens(Path(location))
        golden = file.golden(slug) if file is not None else None
        return None if golden is None else canonical_json(golden)
