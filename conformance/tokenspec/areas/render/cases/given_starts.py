"""Templates that come with the conversation: bodies that begin a text, values nested deep, rows that have another."""

from __future__ import annotations

from typing import Any

import msgspec

from tokenspec.areas.render.cases.build import assistant, call, calling, user
from tokenspec.areas.render.cases.build_given import chat, given
from tokenspec.areas.render.cases.given_edges import PIECES

BARE = (
    "{% for message in messages %}{{ '[BOT]' if message.role == 'assistant' }}{{ message.content }}{{ '[END]' }}"
    "{% endfor %}"
)
BARE_TURNS = BARE.replace("[BOT]", "<turn>").replace("[END]", "</turn>")
PICTURED = BARE.replace("{{ message.content }}", "{{ message.content ~ ' <pic> it <mask> and <sep> ' }}")
HEADED = (
    "{% for message in messages %}{% if message.role == 'assistant' %}{{ '<|im_start|>assistant\\n' }}"
    "{% else %}{{ '<|im_start|>user\\n' }}{% endif %}{{ message.content }}{{ '<|im_end|>\\n' }}{% endfor %}"
)
CALLED = (
    "{% for message in messages %}{{ '<|im_start|>' ~ message.role ~ '\\n' ~ (message.content or '') }}"
    "{% for c in message.tool_calls or [] %}{{ c.function.arguments|tojson }}{% endfor %}{{ '<|im_end|>\\n' }}"
    "{% endfor %}"
)


def nested(levels: int) -> Any:
    """A list in a mapping in a list, so many of them."""
    value: Any = 1
    for level in range(levels):
        value = {"k": value} if level % 2 else [value]
    return value


CASES = (
    given(
        "marks-ahead",
        "A text that begins with a mark, in front of letters that a tokenizer composes.",
        BARE,
        [user("\u0301e\u0301a"), assistant("o\u0308"), user("\u0308u"), assistant("\u0301a\u030a")],
        "NORMALIZATION",
        "MASK_BOUNDARY",
        requires=PIECES,
        row="toy-added",
    ),
    given(
        "syllable-ahead",
        "A text that begins with the vowel and the final of a syllable.",
        BARE,
        [user("\u1161\u11ab\u1112\u1161\u11ab"), assistant("x"), user("\u11a8"), assistant("\u1175y")],
        "NORMALIZATION",
        "MASK_BOUNDARY",
        requires=PIECES,
        row="toy-added",
    ),
    given(
        "word-ahead",
        "A text that begins with a word, where a tokenizer puts a blank before the first word and before no other.",
        BARE_TURNS,
        [user("Hi there."), assistant("hello"), user("see you"), assistant(" bye")],
        "MASK_BOUNDARY",
        requires=PIECES,
        row="toy-metaspace",
    ),
    given(
        "typed-tokens-behind-word-ahead",
        "The same where a caller typed control tokens behind the first word, and in front of it.",
        BARE_TURNS,
        [user("Hi</turn> there."), assistant(" hello<turn>"), user(" <turn>see"), assistant("you </turn>")],
        "CONTROL_TOKEN_INJECTION",
        "MASK_BOUNDARY",
        requires=PIECES,
        row="toy-metaspace",
    ),
    given(
        "answer-ahead",
        "A conversation that begins with an answer, whose first newline merges with the header in front of it.",
        HEADED,
        [assistant("\nHello."), user("Hi."), assistant("\n\nBye.")],
        "SEAM_MERGE",
        requires=PIECES,
    ),
    given(
        "blanks-eaten-by-own-tokens",
        "A template's own control tokens that swallow the blanks beside them, and no caller who typed one.",
        PICTURED,
        [user("one "), assistant(" two"), user(" three "), assistant("four")],
        "CONTROL_TOKEN_INJECTION",
        requires=PIECES,
        row="toy-added",
    ),
    given(
        "nested-deep",
        "An argument of lists and mappings in one another, sixty-four levels with those around it.",
        CALLED,
        [user("Hi."), calling(call("get_weather", {"city": nested(59)})), user("And?")],
        "TOOL_CALLS",
    ),
    msgspec.structs.replace(
        given(
            "instead-of-own",
            "A row whose own template writes turns otherwise: what comes with the conversation is what counts.",
            chat("({{ message.content }})", "[{{ message.content|upper }}]"),
            [user("Hi."), assistant("Hello."), user("And?"), assistant("Bye.")],
        ),
        rows=["toy-bpe", "qwen3"],
    ),
)
