"""Rows of Parquet files by index, one row group in memory at a time."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from tokenspec.datasets.place import Place
from tokenspec.errors import UsageError


@dataclass
class RowGroups:
    """``groups`` are file and number of each row group, ``ends`` the row behind each."""

    groups: list[tuple[str, int]]
    ends: list[int]
    _at: int = -1
    _rows: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, files: tuple[str, ...]) -> RowGroups:
        """Read how many rows the files have.

        Raises:
            UsageError: one is no Parquet file.
        """
        import pyarrow.parquet as pq

        groups, counts = [], []
        for file in files:
            try:
                with Place(file).open() as stream:
                    known = pq.read_metadata(stream)
            except (OSError, ValueError) as error:
                raise UsageError(f"{file}: cannot be opened: {error}") from error
            groups += [(file, number) for number in range(known.num_row_groups)]
            counts += [known.row_group(number).num_rows for number in range(known.num_row_groups)]
        return cls(groups, list(accumulate(counts)))

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def __getitem__(self, row: int) -> dict[str, Any]:
        import pyarrow.parquet as pq

        at = bisect_right(self.ends, row)
        if at != self._at:
            file, number = self.groups[at]
            with Place(file).open() as stream:
                self._rows = pq.ParquetFile(stream).read_row_group(number).to_pylist()
            self._at = at
        return self._rows[row - self.ends[at]]
