"""What a pull tells about itself, as a protocol, so that the command line draws bars and tests listen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


class Progress(Protocol):
    """Receives the story of a pull; every method may be called from any number of archives, in order."""

    def start(self, name: str, total: int) -> None:
        """An archive of ``total`` bytes begins to download."""

    def grown(self, name: str, done: int) -> None:
        """So many bytes of it have arrived."""

    def finish(self, name: str) -> None:
        """It arrived and was verified, or it failed."""

    def note(self, text: str) -> None:
        """One line worth reading: damage found, drift, a fallback taken."""


@dataclass
class Notes:
    """Keeps the notes and draws nothing."""

    lines: list[str] = field(default_factory=list)
    downloads: dict[str, int] = field(default_factory=dict)

    def start(self, name: str, total: int) -> None:
        """Remember that this archive was asked for."""
        self.downloads[name] = total

    def grown(self, name: str, done: int) -> None:
        """Nothing to draw."""

    def finish(self, name: str) -> None:
        """Nothing to draw."""

    def note(self, text: str) -> None:
        """Keep the line."""
        self.lines.append(text)
