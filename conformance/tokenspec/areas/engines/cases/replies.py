"""Engines that ask a chat model for groups of units, or for offsets of characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tokenspec.areas.engines.cases.units import UNITS, recorded
from tokenspec.store.records import Case


def replies() -> Iterator[Case]:
    """Groups of units, and offsets of characters."""
    many = [f"Unit {number}. " for number in range(9)]
    grouped: dict[str, tuple[str, str, list[str], dict[str, Any]]] = {
        "one": ("Everything fits into one chunk.", "ENG-107", ["[[0, 1], [2, 3, 4], [5, 6, 7, 8]]"], {}),
        "chunks": (
            "Each chunk goes on with the last group of the one before.",
            "ENG-107",
            ["[[0, 1], [2, 3]]", "[[0, 1, 2], [3]]", "[[0, 1], [2, 3]]"],
            {"chunk_size": 4},
        ),
        "words": ("Words around the list.", "ENG-107", ["Here: [[0, 1, 2, 3], [4, 5, 6, 7, 8]] Done."], {}),
        "list": ("One list of numbers is one group.", "ENG-107", ["[0, 1, 2, 3, 4, 5, 6, 7, 8]"], {}),
        "none": ("The reply has no group.", "ENG-107", ["[]"], {}),
        "again": (
            "Numbers beyond the chunk, no list, an empty group.",
            "ENG-106 ENG-107",
            ["[[0, 9]]", "no", "[[0, 1], []]", "[[0, 1, 2], [3, 4, 5, 6, 7, 8]]"],
            {},
        ),
        "no-numbers": (
            "A number among words, and one below the first.",
            "ENG-106 ENG-107",
            ['[[0, "1"]]', "[[-1, 0]]", "[[0, 1, 2, 3], [4, 5, 6, 7, 8]]"],
            {},
        ),
        "last-alone": (
            "The last group is the last unit of a chunk and of the trace.",
            "ENG-107",
            ["[[0, 1, 2, 3], [4, 5], [6]]", "[[0], [1], [2]]"],
            {"chunk_size": 7},
        ),
        "grows": (
            "A chunk that is one group grows.",
            "ENG-107",
            ["[[0, 1, 2]]", "[[0, 1, 2, 3], [4, 5, 6, 7]]"],
            {"chunk_size": 3},
        ),
    }
    for slug, (why, requires, said, parameters) in grouped.items():
        yield recorded(f"unit-groups-{slug}", why, requires, "unit-groups", many, {"replies": said}, **parameters)
    yield recorded(
        "unit-groups-alone",
        "There is one unit, and nothing to ask.",
        "ENG-107",
        "unit-groups",
        many[:1],
        {"replies": []},
    )
    yield recorded(
        "unit-groups-refused",
        "A chunk that is one group, more often than allowed.",
        "ENG-106",
        "unit-groups",
        many,
        {"replies": ["[[0, 1]]", "[[0, 1]]", "[[0, 1]]"]},
        chunk_size=2,
        max_retry=1,
        refused=("unusable-reply", "/model"),
    )
    trace = "0123456789" * 7
    offsets: dict[str, tuple[str, str, list[str], dict[str, Any]]] = {
        "one": ("Everything fits into one chunk.", "ENG-108", ["[[0, 10], [10, 35], [35, 70]]"], {}),
        "chunks": (
            "Chunks of thirty characters.",
            "ENG-108",
            ["[[0, 12], [12, 25]]", "so [[0, 9], [9, 30]]."],
            {"chunk_size": 30},
        ),
        "rest": (
            "Twenty characters are left, which nobody is asked about.",
            "ENG-108",
            ["[[0, 30], [30, 50]]", "[[0, 20]]"],
            {"chunk_size": 50},
        ),
        "nearly": (
            "Twenty-one characters are left.",
            "ENG-108",
            ["[[0, 30], [30, 49]]", "[[0, 10], [10, 21]]"],
            {"chunk_size": 49},
        ),
        "pair": ("One pair is a list of one; what is left is the last segment.", "ENG-108", ["[0, 50]"], {}),
        "none": ("The reply has no pair.", "ENG-108", ["[]"], {}),
        "again": (
            "Beyond the chunk, backwards, empty, three numbers.",
            "ENG-106 ENG-108",
            ["[[0, 71]]", "[[5, 2]]", "[[3, 3]]", "[[0, 1, 2]]", "[[0, 20], [20, 70]]"],
            {},
        ),
    }
    for slug, (why, requires, said, parameters) in offsets.items():
        yield recorded(f"unit-offsets-{slug}", why, requires, "offsets", [trace], {"replies": said}, **parameters)
    for engine, slug in (("unit-groups", "max_retry"), ("offsets", "max_retries_per_chunk")):
        for name in (slug, "chunk_size"):
            yield recorded(
                f"refuse-{engine}-{name.replace('_', '-')}",
                "A count that is none.",
                "ENG-060",
                engine,
                UNITS,
                {"replies": []},
                refused=("invalid-parameter", f"/parameters/{name}"),
                **{name: -1},
            )
    yield recorded(
        "unit-offsets-refused",
        "One reply of no use is one too many.",
        "ENG-106",
        "offsets",
        [trace],
        {"replies": ["", ""]},
        max_retries_per_chunk=0,
        refused=("unusable-reply", "/model"),
    )


CASES = tuple(replies())
