r"""Newline, blank, newline at both ends of every text: ``strip("\n")``, ``strip()`` and nothing give three texts."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.cases.build import (
    GENERATE,
    OPTIONS,
    SAMPLED,
    TEXT,
    assistant,
    call,
    calling,
    function,
    render,
    system,
    text_part,
    thinking,
    tool,
    user,
)

MAY_REFUSE = (*TEXT, *SAMPLED, "RND-002")


def padded(text: str) -> str:
    """A text with newline, blank, newline around it, and a blank beside it."""
    return f"\n \n {text} \n \n"


ASK, MORE = user(padded("Why?")), user(padded("And now?"))
HM, SO = padded("Hm, well."), padded("So it is.")
INLINE = f"<think>{HM}</think>{SO}"
AROUND = f"{padded('Wait a bit.')}<think>{HM}</think>{SO}<think>{padded('Or not at all.')}</think>{padded('It is.')}"
OPEN = f"{padded('Wait a bit.')}<think>{HM}"
GO = call("go", {"to": padded("Rome"), "at": [padded("noon")]})
GO_TEXT = call("go", '{"to": " \\n Rome \\n "}', "call00002")
PARTS: list[Any] = [text_part(padded("one")), text_part(" "), text_part(padded("two"))]

THOUGHTS = (
    render(
        "blanks-thought",
        "Around reasoning in its own field and around the answer, in history and last.",
        [ASK, thinking(HM, SO), MORE, thinking(HM, SO)],
        "WHITESPACE",
        "REASONING",
        requires=MAY_REFUSE,
    ),
    render(
        "blanks-thought-inline",
        "Around reasoning inside the text, in history and last.",
        [ASK, assistant(INLINE), MORE, assistant(INLINE)],
        "WHITESPACE",
        "REASONING_INLINE",
        requires=MAY_REFUSE,
    ),
    render(
        "blanks-thought-inline-twice",
        "Around text before, between and behind two thoughts, in history and last.",
        [ASK, assistant(AROUND), MORE, assistant(AROUND)],
        "WHITESPACE",
        "REASONING_INLINE",
        requires=MAY_REFUSE,
    ),
    render(
        "blanks-thought-open",
        "Around a thought that never closes, in history and last.",
        [ASK, assistant(OPEN), MORE, assistant(OPEN)],
        "WHITESPACE",
        "REASONING_INLINE",
        requires=MAY_REFUSE,
    ),
)

CALLS = (
    render(
        "blanks-calls",
        "Around reasoning, text, arguments and results of calls, in history and last.",
        [
            *(ASK, calling(GO, content=SO, reasoning_content=HM), tool(padded("21 C")), assistant(SO)),
            *(MORE, calling(GO, content="", reasoning_content=HM), tool(padded("2 C"))),
        ],
        "WHITESPACE",
        "TOOL_CALLS",
        requires=MAY_REFUSE,
        options=GENERATE,
    ),
    render(
        "blanks-calls-inline",
        "Around reasoning inside the text of calls, in history and last.",
        [
            *(ASK, calling(GO, content=INLINE), tool(padded("21 C")), assistant(INLINE)),
            *(MORE, calling(GO, content=AROUND), tool(padded("2 C")), calling(GO, content=INLINE)),
        ],
        "WHITESPACE",
        "REASONING_INLINE",
        requires=MAY_REFUSE,
    ),
    render(
        "blanks-calls-open",
        "Around an open thought and behind a lone close tag in the text of calls.",
        [
            *(ASK, calling(GO, content=OPEN), tool(padded("21 C"))),
            *(calling(GO, content=f"{HM}</think>{SO}"), tool(padded("2 C")), assistant(SO), MORE),
        ],
        "WHITESPACE",
        "REASONING_INLINE",
        requires=MAY_REFUSE,
    ),
    render(
        "blanks-calls-as-text",
        "Around the text beside calls whose arguments are text.",
        [
            *(ASK, calling(GO_TEXT, content=SO), tool(padded("21 C"), "call00002"), assistant(INLINE)),
            *(MORE, calling(GO_TEXT, content=SO), tool(padded("2 C"), "call00002")),
        ],
        "WHITESPACE",
        "ARGUMENTS_FORM",
        requires=MAY_REFUSE,
        options=GENERATE,
    ),
    render(
        "blanks-calls-kept",
        "Reasoning beside calls of history, where an option keeps it.",
        [ASK, calling(GO, reasoning_content=HM), tool(padded("21 C")), thinking(HM, SO), MORE, thinking("", SO)],
        "REASONING_HISTORY",
        "TEMPLATE_OPTIONS",
        requires=(*OPTIONS, "RND-002"),
        options={"preserve_thinking": True, "clear_thinking": False, "truncate_history_thinking": False},
    ),
)

PLAIN = (
    render(
        "blanks-parts",
        "Around the parts of every role's content.",
        [system(PARTS), user(PARTS), assistant(PARTS), user([text_part(" ")]), assistant([text_part(" ")])],
        "WHITESPACE",
        "CONTENT_PARTS",
        requires=MAY_REFUSE,
    ),
    render(
        "blanks-everywhere",
        "Around the system text and every other, and nothing but blanks.",
        [system(padded("Be brief.")), ASK, assistant(SO), user(" \n "), assistant(" \n "), MORE],
        "WHITESPACE",
        requires=MAY_REFUSE,
        options=GENERATE,
    ),
    render(
        "blanks-schema",
        "Around names, descriptions, types and words of a tool, beside a padded system text.",
        [system(padded("Be brief.")), user("What can you do?")],
        "WHITESPACE",
        "TOOL_SCHEMA",
        requires=(*TEXT, "RND-002"),
        tools=[
            function(
                " go ",
                {
                    "type": " object ",
                    "properties": {" to ": {"type": " string ", "description": padded("Where."), "enum": [" a ", "b"]}},
                    "required": [" to "],
                    "title": padded("Going"),
                },
                padded("Goes."),
            )
        ],
    ),
)

CASES = (*THOUGHTS, *CALLS, *PLAIN)
