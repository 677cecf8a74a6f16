"""``tokenspec try``: conversations beside their template, by two implementations, as a page that opens from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tokenspec.adapters import Column
from tokenspec.adapters.resolve import resolve
from tokenspec.cli.options import SECONDS
from tokenspec.cli.render import (
    answered,
    option_words,
    options_of,
    read_conversation,
    save_page,
    shown_tokens,
    title_of,
    unread,
)
from tokenspec.cli.screen import say
from tokenspec.errors import AdapterError, TokenspecError, UsageError
from tokenspec.models import Row, load
from tokenspec.report.exhibit import owner_texts
from tokenspec.report.tried import Answer, Tried
from tokenspec.runner import DEFAULT_TIMEOUT
from tokenspec.store.writing import refuse_outputs

TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a place.",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
    },
}
CALL = {"type": "function", "id": "call00001", "function": {"name": "weather", "arguments": {"place": "Oslo"}}}
EXAMPLES: dict[str, dict[str, Any]] = {
    "a question": {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is 6 x 7?"},
            {"role": "assistant", "content": "42."},
        ],
        "tools": None,
    },
    "a call": {
        "messages": [
            {"role": "user", "content": "How is the weather in Oslo?"},
            {"role": "assistant", "content": "", "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "call00001", "name": "weather", "content": "4 degrees, rain"},
            {"role": "assistant", "content": "Take an umbrella."},
        ],
        "tools": [TOOL],
    },
    "a thought": {
        "messages": [
            {"role": "user", "content": "Is 91 prime?"},
            {"role": "assistant", "reasoning_content": "7 x 13 is 91.", "content": "No."},
            {"role": "user", "content": "And 97?"},
        ],
        "tools": None,
    },
}


@click.command("try")
@click.argument("conversations", nargs=-1)
@click.option("--row", required=True, help="The model row. See: tokenspec list rows")
@click.option(
    "--impl",
    "impls",
    multiple=True,
    default=("reference", "transformers"),
    show_default=True,
    metavar="IMPL",
    help="Who renders it; one or two.",
)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="A template option; the value is JSON.")
@click.option("--generation-prompt", is_flag=True, help="End with the generation prompt.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("try.html"),
    show_default=True,
    help="The page.",
)
@click.option("--timeout", type=SECONDS, default=DEFAULT_TIMEOUT, show_default=True, help="Seconds a call may take.")
def try_(
    conversations: tuple[str, ...],
    row: str,
    impls: tuple[str, ...],
    options: tuple[str, ...],
    generation_prompt: bool,
    output: Path,
    timeout: float,
) -> None:
    """Write a page with conversations beside their template: tokens, masks, what vanished, two implementations.

    CONVERSATIONS are JSON files, or - for standard input: a list of messages, or an object with messages and tools.
    Three examples where none is given. The page opens from disk and runs no template: of a conversation that is pasted
    there it shows the answers where it has them, and otherwise the command that writes them.

    Example: tokenspec try conversation.json --row qwen3 --impl reference --impl transformers
    """
    if len(impls) > 2:
        raise UsageError(f"--impl {impls[2]}: a page shows one implementation, or two side by side")
    refuse_outputs([output], conversations)
    named = {title_of(name): read_conversation(name) for name in conversations} or EXAMPLES
    wanted = options_of(options)
    loaded = load(row)
    for warning in unread(wanted, loaded):
        say(f"warning: {warning}", err=True)
    if generation_prompt:
        wanted["add_generation_prompt"] = True
    columns = [resolve(impl) for impl in impls]
    try:
        tried = [
            Tried(title, given, [answer(column, loaded, {**given, "options": wanted}, timeout) for column in columns])
            for title, given in named.items()
        ]
    finally:
        for column in columns:
            column.close()
    said = {one.said for conversation in tried for one in conversation.answers}
    for reason in sorted(said - {""}):
        say(f"warning: {reason}", err=True)
    if "" not in said:
        raise AdapterError(f"no answer to show: {min(said)}")
    words = [word for impl in impls for word in ("--impl", impl)]
    again = ["tokenspec", "try", "--row", row, *words, *option_words(options, prompt=generation_prompt)]
    save_page(output, loaded, columns, tried, again, conversations)


def answer(column: Column, row: Row, given: dict[str, Any], timeout: float) -> Answer:
    """What an implementation makes of a conversation, or why it makes nothing of it."""
    try:
        found = shown_tokens(column, row, answered(column, row, "render", given, timeout))
    except TokenspecError as error:
        return Answer(None, said=str(error))
    return Answer(found, "".join(owner_texts(row.vocabulary, found)))
