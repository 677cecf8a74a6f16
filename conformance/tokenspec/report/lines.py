"""JSON values as lines that can be laid side by side: one field a line, ``answers[0].tokens = 12, 13``."""

from __future__ import annotations

import json
from collections.abc import Iterator

MOST_LINES = 200
LONGEST_LINE = 400
NUMBERS_A_LINE = 16


def lines_of(value: object) -> list[str]:
    """All leaves of a JSON value with their paths; texts are broken at their line ends, number lists at sixteen."""
    return [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..." for line in _lines(value, "")]


def _lines(value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _lines(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and value:
        if all(isinstance(item, int | float) for item in value):
            for start in range(0, len(value), NUMBERS_A_LINE):
                shown = ", ".join(json.dumps(item) for item in value[start : start + NUMBERS_A_LINE])
                yield f"{path}[{start}..] = {shown}"
        else:
            for index, item in enumerate(value):
                yield from _lines(item, f"{path}[{index}]")
    elif isinstance(value, str) and "\n" in value[:-1]:
        parts = value.split("\n")
        for number, part in enumerate(parts):
            end = "\n" if number < len(parts) - 1 else ""
            if part or end:
                yield f"{path}:{number + 1} = {json.dumps(part + end, ensure_ascii=False)}"
    else:
        yield f"{path} = {json.dumps(value, ensure_ascii=False)}"


def cut_lines(expected: list[str], got: list[str]) -> tuple[list[str], list[str]]:
    """Both sides cut to the same window around their first difference; what is left out is said."""
    pairs = enumerate(zip(expected, got, strict=False))
    at = next((index for index, (want, have) in pairs if want != have), min(len(expected), len(got)))
    start = max(0, at - MOST_LINES // 2)
    return _window(expected, start), _window(got, start)


def _window(lines: list[str], start: int) -> list[str]:
    end = start + MOST_LINES
    before = [f"... {start} lines before"] if start else []
    after = [f"... {len(lines) - end} lines after"] if len(lines) > end else []
    return [*before, *lines[start:end], *after]
