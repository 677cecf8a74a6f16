"""A mask in a fixture: a list of booleans, or its run lengths."""

from __future__ import annotations

import re

LONGEST_MASK = 2**24
_RUN = re.compile(r"([FT])(\d+)")


def encode_mask(mask: list[bool]) -> str:
    """Run-length form of a mask: ``[False, False, True]`` is ``F2T1``; the empty mask is the empty string."""
    runs: list[str] = []
    start = 0
    for position in range(1, len(mask) + 1):
        if position == len(mask) or mask[position] != mask[start]:
            runs.append(f"{'T' if mask[start] else 'F'}{position - start}")
            start = position
    return "".join(runs)


def require_mask(mask: str | list[bool] | None, longest: int) -> None:
    """Raise ValueError for run lengths that are malformed, or so long that nobody should write them out."""
    if not isinstance(mask, str):
        return
    runs = _RUN.findall(mask)
    if "".join(kind + count for kind, count in runs) != mask:
        raise ValueError(f"mask {mask!r} is not of the form F12T300F2")
    if any(len(count) > 9 for _, count in runs) or sum(int(count) for _, count in runs) > longest:
        raise ValueError(f"mask of more than {longest} tokens")


def decode_mask(mask: str | list[bool]) -> list[bool]:
    """Both accepted forms of a mask to a list of booleans; a malformed run-length string is a ValueError."""
    if not isinstance(mask, str):
        return list(mask)
    runs = _RUN.findall(mask)
    if "".join(kind + count for kind, count in runs) != mask:
        raise ValueError(f"mask {mask!r} is not of the form F12T300F2")
    return [kind == "T" for kind, count in runs for _ in range(int(count))]
