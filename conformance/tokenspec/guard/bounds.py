"""How much a template or a tokenizer may take, and the error of those that take more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tokenspec.errors import TokenspecError

Kind = Literal["template", "tokenizer"]

CURES: dict[Kind, str] = {
    "template": "Look at its length, its loops, and how large its values grow",
    "tokenizer": "Look at its patterns, its normalizers and how deep they are nested",
}


@dataclass(frozen=True)
class Bounds:
    """``seconds`` of processor time; ``memory`` in bytes beside what the process holds already."""

    seconds: float
    memory: int


SPEEDS: dict[Kind, int] = {"template": 200_000, "tokenizer": 4_000_000}
"""Bytes that the slowest published ones take a second for, several times over."""

LARGEST = 64 * 2**20
"""Bytes of what is given that count: no published tokenizer.json has more."""

LONGEST_TEMPLATE = 2**18
"""Characters: fourteen times the longest template of the suite."""


def bounds_for(kind: Kind, size: int) -> Bounds:
    """The bounds of work on ``size`` bytes: of a tokenizer that is loaded, of a conversation that is rendered."""
    counted = min(size, LARGEST)
    return Bounds(seconds=2.0 + counted / SPEEDS[kind], memory=384 * 2**20 + 64 * counted)


class OutOfBounds(TokenspecError):
    """A template or tokenizer took more than its bounds allow, or broke the library that reads it.

    Attributes:
        code: ``template-limit`` or ``tokenizer-limit``.
        line: the line of the template that was at work; None where no template was, or it is not known.
    """

    exit_code = 2

    def __init__(self, kind: Kind, how: str, line: int | None = None) -> None:
        """``how`` continues the sentence "it ..."."""
        self.code = f"{kind}-limit"
        self.line = line
        where = kind if line is None else f"{kind}, line {line}"
        super().__init__(f"{where}: {self.code}: it {how}. {CURES[kind]}")


def refuse_long(template: str) -> None:
    """A template that is mostly text makes every answer as long, and all work on it.

    Raises:
        OutOfBounds: it is longer than ``LONGEST_TEMPLATE``.
    """
    if len(template) > LONGEST_TEMPLATE:
        raise OutOfBounds("template", f"has {len(template):,} characters, more than {LONGEST_TEMPLATE:,}")


def too_slow(seconds: float) -> str:
    """What is said of one whose time is up."""
    return f"takes more than {seconds:.3g} s of processor time"


def too_large(memory: int) -> str:
    """What is said of one that wants more memory than it may have."""
    return f"wants more than {memory // 2**20} MiB of memory"
