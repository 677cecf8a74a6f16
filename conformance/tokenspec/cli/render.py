"""``tokenspec render``: anyone's conversation as tokens with owners, in the terminal, as a page or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from tokenspec.adapters import Column, Failed, Ok
from tokenspec.adapters.resolve import resolve
from tokenspec.areas import areas
from tokenspec.areas.area import Cell
from tokenspec.areas.exhibit import Answered, labelled
from tokenspec.bounded import load_row
from tokenspec.certificate.source import template_facts
from tokenspec.cli.options import SECONDS
from tokenspec.cli.render_media import echo_media, placed
from tokenspec.cli.screen import say, screen
from tokenspec.errors import AdapterError, TokenspecError, UsageError
from tokenspec.models import Row, load
from tokenspec.report.conversation import (
    Share,
    print_conversation,
    print_shares,
    shares,
    token_table,
)
from tokenspec.report.exhibit import owner_texts, tokens
from tokenspec.report.tried import Answer, Tried, tried_data
from tokenspec.runner import DEFAULT_TIMEOUT, Run
from tokenspec.store.records import Case
from tokenspec.store.writing import refuse_outputs, write_atomically
from tokenspec.verdict import Tokens

SHOWN = 60
"""How many characters of a value a note quotes."""

SHAPE = 'Give a list of messages, or {"messages": [...], "tools": [...]}'


@click.command()
@click.argument("conversation")
@click.option("--row", required=True, help="The model row. See: tokenspec list rows")
@click.option("--impl", default="reference", show_default=True, metavar="IMPL", help="Who renders it.")
@click.option("--tools", "tools_file", metavar="FILE", help="Tools as a JSON list; also read from the conversation.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="A template option; the value is JSON.")
@click.option("--generation-prompt", is_flag=True, help="End with the generation prompt.")
@click.option("--media", "expand", is_flag=True, help="Expand pictures and videos, and say where each is.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write one self-contained page instead.")
@click.option("--tokens", "every_token", is_flag=True, help="List every token instead of the text.")
@click.option("--json", "as_json", is_flag=True, help="Print ids, owners and counts as JSON.")
@click.option("--timeout", type=SECONDS, default=DEFAULT_TIMEOUT, show_default=True, help="Seconds the call may take.")
def render(
    conversation: str,
    row: str,
    impl: str,
    tools_file: str | None,
    options: tuple[str, ...],
    generation_prompt: bool,
    expand: bool,
    html: Path | None,
    every_token: bool,
    as_json: bool,
    timeout: float,
) -> None:
    """Show a conversation as tokens: whose each is, what is body, what the model would have sampled.

    CONVERSATION is a JSON file, or - for standard input: a list of messages, or an object with messages and tools.

    Example: tokenspec render --row qwen3 conversation.json --generation-prompt
    """
    refuse_outputs([html], [conversation, tools_file])
    given = read_conversation(conversation)
    if tools_file is not None:
        given["tools"] = tools_of(tools_file, read_json(tools_file))
    given["options"] = options_of(options)
    if generation_prompt:
        given["options"]["add_generation_prompt"] = True
    loaded, column = load(row), resolve(impl)
    try:
        output = answered(column, loaded, "media" if expand else "render", given, timeout)
    finally:
        column.close()
    shown, media = shown_tokens(column, loaded, output), placed(output) if expand else []
    roles = [str(message["role"]) for message in given["messages"]]
    asked = [name for name in given["options"] if name != "add_generation_prompt"]
    for warning in (*unread(asked, loaded), *vanished(given["messages"], shares(shown, roles))):
        say(f"warning: {warning}", err=True)
    if as_json:
        counts = [asdict(share) for share in shares(shown, roles)]
        owners = [{"kind": kind, "message": message, "tokens": count} for kind, message, count in shown.owners]
        found = {"row": row, "impl": impl, "token_ids": shown.ids, "pieces": shown.pieces, "owners": owners}
        found |= {"media": [asdict(medium) for medium in media]} if expand else {}
        click.echo(json.dumps({**found, "messages": counts}, ensure_ascii=False))
    elif html is not None:
        words = [*option_words(options, prompt=generation_prompt), *(["--media"] if expand else [])]
        again = ["tokenspec", "render", "--row", row, "--impl", impl, *words, "--html", html.name]
        files = [conversation, *(["--tools", tools_file] if tools_file is not None else [])]
        tried = Tried(title_of(conversation), given, [Answer(shown, "".join(owner_texts(loaded.vocabulary, shown)))])
        save_page(html, loaded, [column], [tried], again, files)
    elif every_token:
        print_shares(screen(), shares(shown, roles))
        echo_media(media)
        screen().print(token_table(shown))
    else:
        print_conversation(screen(), shown, roles, owner_texts(loaded.vocabulary, shown))
        echo_media(media)
        click.echo("Next: add --html FILE for a page, --tokens for every token, --impl for another implementation")


def option_words(options: Iterable[str], *, prompt: bool) -> list[str]:
    """The template options as they are given again."""
    words = [word for option in options for word in ("--option", option)]
    return [*words, "--generation-prompt"] if prompt else words


def title_of(name: str) -> str:
    """A conversation by its file's name: a page must not name this machine's folders."""
    return "standard input" if name == "-" else Path(name).name


def save_page(
    path: Path, row: Row, columns: Sequence[Column], tried: Sequence[Tried], again: Sequence[str], files: Sequence[str]
) -> None:
    """The conversations beside their template, as one page; ``again`` and ``files`` are the command's words."""
    from tokenspec.report.catalog import versions
    from tokenspec.report.page import page

    implementations = [(column.name, column.info) for column in columns]
    names = [Path(file).name or file for file in files]
    data = tried_data(row.spec.id, row.chat_template, implementations, tried, again, names)
    write_atomically(path, page(f"tokenspec: {row.spec.id}", data, [("row", row.spec.id), *versions().items()]))
    say(f"wrote {path}. Open it in a browser.", err=True)


def answered(column: Column, row: Row, area: str, given: dict[str, Any], timeout: float) -> Any:
    """What an implementation makes of a conversation, in the area ``render`` or ``media``.

    Raises:
        AdapterError: it broke.
        TokenspecError: it refuses the conversation, or does not render.
    """
    case = Case(id=f"{area}/given", area=area, flags=[], requires=[], why="", since="", input=given)
    cell = Cell(areas()[area], case, row.spec.id, None)
    outcome = load_row(column, row)
    outcome = outcome or Run([column], [cell], timeout).call(column, cell, cell.area.request(case, row.spec.id))
    if isinstance(outcome, Failed):
        raise AdapterError(f"{column.name}: {outcome.message}. See: tokenspec smoke --impl {column.name}")
    if not isinstance(outcome, Ok):
        raise TokenspecError(f"{column.name}: {outcome}")
    return outcome.output


def shown_tokens(column: Column, row: Row, output: Answered) -> Tokens:
    """The tokens of an answer with the owners it claims.

    Raises:
        AdapterError: it has none.
    """
    found = labelled(output)
    if found is None:
        raise AdapterError(f"{column.name}: gives no token_ids")
    return tokens(row.vocabulary, *found)


def read_json(name: str) -> Any:
    """One JSON document of a file or standard input.

    Raises:
        UsageError: it cannot be read or is no JSON; the message names file, line and column.
    """
    source = "standard input" if name == "-" else name
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return json.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{source}: {error.strerror}. {SHAPE}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{source}: byte {error.start} is not UTF-8. Save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise UsageError(f"{source}: line {error.lineno}, column {error.colno}: {error.msg}. {SHAPE}") from error
    except RecursionError as error:
        raise UsageError(f"{source}: nested too deeply. {SHAPE}") from error


def read_conversation(name: str) -> dict[str, Any]:
    """Messages and tools, checked as far as every template needs them; what a template refuses it says itself.

    Raises:
        UsageError: naming the file and the field.
    """
    source = "standard input" if name == "-" else name
    value = read_json(name)
    found = {"messages": value} if isinstance(value, list) else value
    if not isinstance(found, dict) or not isinstance(found.get("messages"), list):
        raise UsageError(f"{source}: no messages. {SHAPE}")
    if unknown := sorted(set(found) - {"messages", "tools"}):
        raise UsageError(f"{source}: unknown field {unknown[0]!r}. {SHAPE}; template options are given with --option")
    for index, message in enumerate(found["messages"]):
        check_message(f"{source}: messages[{index}]", message)
    return {"messages": found["messages"], "tools": tools_of(source, found.get("tools"))}


def check_message(where: str, message: Any) -> None:
    """One message is an object with a role, and content of a kind that templates know."""
    if not isinstance(message, dict):
        raise UsageError(f'{where}: {kind_of(message)} instead of an object like {{"role": "user", "content": "..."}}')
    if not isinstance(message.get("role"), str):
        raise UsageError(f"{where}.role: {kind_of(message.get('role'))} instead of a text like user or assistant")
    content = message.get("content")
    if not (content is None or isinstance(content, str | list | dict)):
        raise UsageError(f"{where}.content: {kind_of(content)} instead of a text or a list of parts")
    calls = message.get("tool_calls")
    if not (calls is None or (isinstance(calls, list) and all(isinstance(call, dict) for call in calls))):
        raise UsageError(f"{where}.tool_calls: not a list of objects. Give a list, even for one call")


def tools_of(source: str, value: Any) -> list[Any] | None:
    """The tools: a list of objects, or none."""
    if value is None or (isinstance(value, list) and all(isinstance(tool, dict) for tool in value)):
        return value
    raise UsageError(f"{source}: tools: {kind_of(value)} instead of a list of objects")


def options_of(given: tuple[str, ...]) -> dict[str, Any]:
    """``enable_thinking=false`` (or Python's ``False``) as a mapping; what is no JSON is a text, and that is said."""
    found: dict[str, Any] = {}
    python = {"True": True, "False": False, "None": None}
    for text in given:
        key, separator, value = text.partition("=")
        if not key or not separator:
            raise UsageError(f"--option {text}: not of the form KEY=VALUE, for example --option enable_thinking=false")
        try:
            found[key] = python[value] if value in python else json.loads(value, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            found[key] = value
            say(f"note: --option {key}: {value[:SHOWN]} is no JSON, so the template gets it as a text", err=True)
    return found


def _no_constant(name: str) -> float:
    """Refuse what Python alone reads as a number."""
    raise ValueError(name)


def unread(options: Iterable[str], loaded: Row) -> Iterator[str]:
    """Of options that the row's template does not read: each with the one that was meant, perhaps."""
    read = [name for name in template_facts(loaded.chat_template).reads if not name.endswith("_token")]
    for name in options:
        if name not in read:
            close = get_close_matches(name, read, n=1)
            meant = f"did you mean {close[0]}?" if close else f"it reads {', '.join(read) or 'none'}"
            yield f"{name}: the template of {loaded.spec.id} reads no such option; {meant}"


def vanished(messages: Sequence[Mapping[str, Any]], taken: Iterable[Share]) -> Iterator[str]:
    """Of messages that say something and take no token, where others do: the template leaves them out."""
    tokens = {share.message: share.tokens for share in taken}
    if not any(tokens[str(index)] for index in range(len(messages))):
        return
    for index, message in enumerate(messages):
        if tokens[str(index)] == 0 and any(message.get(key) for key in ("content", "tool_calls", "reasoning_content")):
            yield f"message {index} ({message['role']}) has no token: the template leaves it out"


def kind_of(value: Any) -> str:
    """A JSON value's kind, in words."""
    names = {
        bool: "true or false",
        str: "a text",
        list: "a list",
        dict: "an object",
        int: "a number",
        float: "a number",
    }
    return "nothing" if value is None else names[type(value)]
