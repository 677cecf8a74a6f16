"""Anyone's conversation, shown like a case: what each message costs, and every token with its owner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.verdict import Tokens

STYLES = {
    "scaffold": "bright_black",
    "content": "bold blue",
    "sampled": "bold green",
    "prompt": "magenta",
    "unattributed": "",
}
GUTTER = 14


@dataclass(frozen=True)
class Share:
    """What one message takes of the rendered tokens; ``message`` is ``-`` for what the template adds by itself.

    ``content`` and ``sampled`` are None where the implementation gives no masks.
    """

    message: str
    role: str
    tokens: int
    content: int | None
    sampled: int | None


def shares(tokens: Tokens, roles: Sequence[str]) -> list[Share]:
    """One line a message, what belongs to none first, the total last."""
    labels = tokens.labels()
    known = all(kind != "unattributed" for kind, _ in labels)

    def share(name: str, role: str, kinds: Sequence[str]) -> Share:
        body = sum(kind in {"content", "sampled"} for kind in kinds) if known else None
        return Share(name, role, len(kinds), body, kinds.count("sampled") if known else None)

    of_none = [kind for kind, message in labels if message is None]
    lines = [share("-", "template", of_none)] if of_none else []
    lines += [
        share(str(index), role, [kind for kind, message in labels if message == index])
        for index, role in enumerate(roles)
    ]
    return [*lines, share("all", "", [kind for kind, _ in labels])]


def print_conversation(console: Console, tokens: Tokens, roles: Sequence[str], texts: Sequence[str]) -> None:
    """The table of messages, then the text in runs of one owner (``texts``: what each run spells)."""
    print_shares(console, shares(tokens, roles))
    for line in text_lines(tokens, texts, console.width - GUTTER):
        console.print(line, soft_wrap=True)


def print_shares(console: Console, lines: Sequence[Share]) -> None:
    """The table of messages."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("message", "role"):
        table.add_column(name, no_wrap=True)
    for name in ("tokens", "content", "sampled"):
        table.add_column(name, justify="right")
    for line in lines:
        if line is lines[-1]:
            table.add_section()
        counts = ("–" if count is None else str(count) for count in (line.tokens, line.content, line.sampled))
        table.add_row(line.message, line.role, *counts)
    console.print(table)


def token_table(tokens: Tokens) -> Table:
    """Every token on a line: place, id, what it spells, owner."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("token", justify="right")
    table.add_column("id", justify="right")
    table.add_column("spells", overflow="fold")
    table.add_column("owner", no_wrap=True)
    for place, (id_, piece, (kind, message)) in enumerate(zip(tokens.ids, tokens.pieces, tokens.labels(), strict=True)):
        owner = kind if message is None else f"{kind} {message}"
        table.add_row(str(place), str(id_), Text(repr(piece), style=STYLES.get(kind, "")), Text(owner, style="dim"))
    return table


def text_lines(tokens: Tokens, texts: Sequence[str], width: int) -> Iterator[Text]:
    """The text, a run of one owner at a time: the owner in the margin, so that it can be read without colours."""
    for (kind, message, _), text in zip(tokens.owners, texts, strict=True):
        margin = kind if message is None else f"{kind} {message}"
        for line in wrapped(visible(text), max(width, 20)):
            margin = margin or ("·" if line.lstrip().startswith("::") else "")  # a CI job would take it for a command
            yield Text().append(margin.ljust(GUTTER), style="dim").append(line, style=STYLES.get(kind, ""))
            margin = ""


def visible(text: str) -> str:
    """Control characters as pictures, so that no text moves the cursor; line ends keep ending lines."""
    shown = (chr(0x2400 + ord(c)) if c < " " and c != "\n" else "␡" if c == "\x7f" else escaped(c) for c in text)
    return "".join(shown).replace("\n", "↵\n")


def escaped(character: str) -> str:
    """A character, or its escape where it would not be seen: other control, format and line separator characters."""
    return character if character.isprintable() or character == "\n" else ascii(character)[1:-1]


def wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of at most ``width`` characters; no character is lost or moved."""
    for line in text.removesuffix("\n").split("\n"):
        yield from [line[start : start + width] for start in range(0, len(line), width)] or [""]
