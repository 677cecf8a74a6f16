"""Text inside Markdown: names and details may hold anything."""

from __future__ import annotations

SPECIAL = "\\`*_[]<>|#&"


def plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    escaped = "".join(f"\\{character}" if character in SPECIAL else character for character in text)
    return " ".join(escaped.split())


def code(text: str) -> str:
    """An inline code span that also holds backticks and column bars."""
    fence = "``" if "`" in text else "`"
    return f"{fence} {text} {fence}".replace("|", "\\|") if "`" in text else f"`{text}`".replace("|", "\\|")
