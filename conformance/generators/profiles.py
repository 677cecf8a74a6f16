"""Writes ``fixtures/profiles/<row>.json``: ``python conformance/generators/profiles.py [ROW ...]`` (all at hand)."""

from __future__ import annotations

import sys

from tokenspec.fixtures.profiles import answered, path_of, rows_with_profiles, write
from tokenspec.models import available


def main(wanted: list[str]) -> None:
    """Write the files of the named rows, or of every row that is at hand and has goldens."""
    for row in wanted or rows_with_profiles():
        if (missing := available(row)) is not None:
            print(f"{row}: not written, {missing}")
        elif answered(row):
            write(row)
            print(f"{row}: {path_of(row).name}")


if __name__ == "__main__":
    main(sys.argv[1:])
