"""Templates that come with the conversation: ways to walk its messages, and what stands in a turn beside the body."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import (
    GENERATE,
    IMAGE_PART,
    WEATHER,
    Message,
    assistant,
    call,
    calling,
    system,
    text_part,
    tool,
    user,
)
from tokenspec.areas.render.cases.build_given import HEAD, LOOP, PROMPT, TAIL, given
from tokenspec.store.records import Case

ANSWERED = [user("One?"), assistant("Two."), user("Three?"), assistant("Four.")]
TURN = HEAD + "{{ message.content }}" + TAIL
SILENT = (
    "{{ '<|im_start|>user\\n' if message.role == 'user' else '<|im_start|>assistant\\n' }}"
    "{{ 'Noted.' if message.content|length > 20 }}" + TAIL
)
"""A turn of the template's own words: only its place says whose they are."""

MEDIA = (
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{{ '<|img|><|image_pad|><|/img|>' if part.type == 'image' else part.text }}{% endfor %}{% endif %}"
)


def walked(slug: str, why: str, begin: str, end: str = "{% endfor %}", messages: list[Message] = ANSWERED) -> Case:
    """Turns that are printed between these."""
    return given(f"walked-{slug}", why, begin + TURN + end + PROMPT, messages)


SAID = "No more than what a template says of it."
LONG = [user(SAID), assistant(SAID), user("Two?"), assistant("Two."), user(SAID), assistant(SAID)]


def silent(slug: str, why: str, begin: str, end: str = "{% endfor %}", messages: list[Message] = LONG) -> Case:
    """Turns that print nothing of their messages, between these."""
    return given(f"silent-{slug}", why, begin + SILENT + end + PROMPT, messages)


PAIRED = (
    "{% set ns = namespace(pairs=[]) %}"
    + LOOP
    + "{% set ns.pairs = ns.pairs + [(loop.index, message)] %}{% endfor %}{% for n, message in ns.pairs %}"
)
"""Begins a loop over pairs of a number and a message."""


WORDLESS = (
    silent("turns", "Turns of the template's own words.", LOOP),
    silent(
        "by-index",
        "A loop over indices picks messages that are not printed.",
        "{% for i in range(messages|length) %}{% set message = messages[i] %}",
    ),
    silent(
        "in-pairs",
        "A loop over pairs of a number and a message that is not printed.",
        PAIRED,
    ),
    silent(
        "in-pairs-answer-ahead", "The same, of a conversation that begins with an answer.", PAIRED, messages=LONG[1:]
    ),
    silent(
        "in-batches",
        "A loop over batches of messages that are not printed.",
        "{% for pair in messages|batch(2) %}{% for message in pair %}",
        "{% endfor %}{% endfor %}",
    ),
    silent(
        "in-a-block",
        "A block keeps a loop over messages that are not printed.",
        "{% set all %}" + LOOP,
        "{% endfor %}{% endset %}{{ all }}",
    ),
    silent(
        "in-a-macro",
        "A macro walks batches of messages that are not printed.",
        "{% macro all(them) %}{% for pair in them|batch(2) %}{% for message in pair %}",
        "{% endfor %}{% endfor %}{% endmacro %}{{ all(messages) }}",
    ),
    silent(
        "filtered",
        "A filter block holds a loop over messages that are not printed, and one over numbers in it.",
        "{% filter replace('..', '.') %}" + LOOP,
        "{% for _ in range(3) %}{{ '.' }}{% endfor %}{% endfor %}{% endfilter %}",
    ),
    silent(
        "left",
        "A loop in a loop over messages is left before its end.",
        LOOP + "{% for other in messages %}{% if loop.index > 2 %}{% break %}{% endif %}{% endfor %}",
    ),
)

CASES = (
    *WORDLESS,
    walked(
        "by-index",
        "A loop over indices picks the messages, and looks at the first one, too.",
        "{% for i in range(messages|length) %}{% set message = messages[i] %}{% set first = messages[0] %}{{ '' }}",
        messages=[user("One?", name="anna"), *ANSWERED[1:]],
    ),
    walked(
        "by-inner-index",
        "A loop in a loop over indices picks the messages.",
        "{% for i in range(messages|length) %}{% for j in [i] %}{% set message = messages[j] %}",
        "{% endfor %}{% endfor %}",
    ),
    walked(
        "looking-back",
        "A loop over messages looks at the one before by its index.",
        LOOP + "{% set before = messages[loop.index0 - 1] %}",
    ),
    walked(
        "in-pairs",
        "A loop over pairs that a loop over messages made.",
        "{% set ns = namespace(pairs=[]) %}"
        + LOOP
        + "{% set ns.pairs = ns.pairs + [[loop.index, message]] %}{% endfor %}{% for n, message in ns.pairs %}",
    ),
    walked(
        "in-batches",
        "A loop over batches of messages.",
        "{% for pair in messages|batch(2) %}{% for message in pair %}",
        "{% endfor %}{% endfor %}",
    ),
    walked(
        "chosen",
        "A loop over the messages that a filter and a condition leave.",
        "{% for message in messages|selectattr('role', 'ne', 'system') if message.content %}",
        messages=[system("No."), *ANSWERED[:2], user(""), *ANSWERED[2:]],
    ),
    given(
        "walked-questions-first",
        "All questions come first, then all answers, and nothing is prompted.",
        "{% for message in messages if message.role == 'user' %}"
        + TURN
        + "{% endfor %}{% for message in messages if message.role == 'assistant' %}"
        + TURN
        + "{% endfor %}",
        ANSWERED,
    ),
    walked("backwards", "The last message comes first.", "{% for message in messages|reverse %}"),
    walked(
        "in-a-macro",
        "A macro walks the messages.",
        "{% macro all(them) %}{% for message in them %}",
        "{% endfor %}{% endmacro %}{{ all(messages) }}",
    ),
    walked(
        "in-a-call",
        "The body of a call walks the messages.",
        "{% macro whole() %}{{ caller() }}{% endmacro %}{% call whole() %}" + LOOP,
        "{% endfor %}{% endcall %}",
    ),
    walked(
        "turn-by-turn",
        "Each turn is kept in a block before it is printed.",
        LOOP + "{% set kept %}",
        "{% endset %}{{ kept }}{% endfor %}",
    ),
    given(
        "collected",
        "Turns are collected as text, and printed at the end.",
        "{% set ns = namespace(text='') %}"
        + LOOP
        + "{% set ns.text = ns.text ~ '<|im_start|>' ~ message.role ~ '\\n' ~ "
        "message.content ~ '<|im_end|>\\n' %}{% endfor %}{{ ns.text }}" + PROMPT,
        [*ANSWERED, user("Five?")],
        options=GENERATE,
    ),
    given(
        "collected-in-a-list",
        "Turns are collected in a list, and joined at the end.",
        "{% set ns = namespace(all=[]) %}" + LOOP + "{% set ns.all = ns.all + ['<|im_start|>' ~ message.role ~ '\\n' ~ "
        "message.content ~ '<|im_end|>\\n'] %}{% endfor %}{{ ns.all|join }}" + PROMPT,
        ANSWERED,
    ),
    given(
        "parts-outside",
        "The parts of the first message are printed before the loop over the others.",
        "{{ '<|im_start|>system\\n' }}{% for part in messages[0].content %}{{ part.text ~ ';' }}{% endfor %}"
        "{{ '<|im_end|>\\n' }}{% for message in messages[1:] %}" + TURN + "{% endfor %}" + PROMPT,
        [system([text_part("Be"), text_part("brief")]), *ANSWERED],
    ),
    given(
        "types-of-parts",
        "Of each part its type is printed, too.",
        LOOP
        + HEAD
        + "{% for part in message.content %}{{ part.type ~ ': ' ~ part.text ~ ' ' }}{% endfor %}"
        + TAIL
        + "{% endfor %}"
        + PROMPT,
        [user([text_part("One"), text_part("more?")]), assistant([text_part("Two.")])],
    ),
    given(
        "fields-outside",
        "The fields of the first message are printed before the loop over the others.",
        "{% for key, value in messages[0].items() %}{{ '<|im_start|>' ~ key ~ '\\n' }}{{ 'of it' }}"
        "{{ '<|im_end|>\\n' }}{% endfor %}{% for message in messages[1:] %}" + TURN + "{% endfor %}" + PROMPT,
        [assistant("Two."), user("Three?"), assistant("Four.")],
    ),
    given(
        "parts-unprinted",
        "The parts of the first message are counted before the loop over the others.",
        "{{ '<|im_start|>assistant\\n' }}{% for part in messages[0].content %}{{ 'A part.' }}{% endfor %}"
        "{{ '<|im_end|>\\n' }}{% for message in messages[1:] %}" + TURN + "{% endfor %}" + PROMPT,
        [assistant([text_part("Be"), text_part("brief")]), user("Three?"), assistant("Four.")],
    ),
    given(
        "tools-in-turns",
        "Every turn names the tools before its words.",
        LOOP
        + HEAD
        + "{% for tool in tools %}{{ tool.function.name ~ ': ' ~ tool|tojson ~ '\\n' }}{% endfor %}"
        + "{{ message.content }}"
        + TAIL
        + "{% endfor %}"
        + PROMPT,
        [system("Be brief."), user("One?")],
        tools=[WEATHER],
    ),
    given(
        "notes-behind-answers",
        "An option's words follow every answer.",
        LOOP + TURN + "{{ note ~ '\\n' if message.role == 'assistant' }}{% endfor %}" + PROMPT,
        [*ANSWERED, user("Five?")],
        options={"note": "A note."},
    ),
    given(
        "bos-ahead",
        "The token that begins every text stands before the first turn.",
        "{{ bos_token }}"
        + LOOP
        + "{{ '[USER]' if message.role == 'user' else '[BOT]' }}{{ message.content ~ '[END]' }}{% endfor %}",
        ANSWERED,
        row="toy-added",
    ),
    given(
        "media",
        "Pictures among words, and a picture's token among a user's own words.",
        LOOP + HEAD + MEDIA + TAIL + "{% endfor %}" + PROMPT,
        [
            user([text_part("Look: "), IMAGE_PART, text_part(" <|image_pad|> and"), IMAGE_PART]),
            assistant("Two."),
            user("Three?"),
        ],
    ),
    given(
        "measured",
        "The length of a body and the number of its turn stand beside it.",
        LOOP
        + HEAD
        + "{{ '[' ~ message.content|length ~ '] ' ~ message.content ~ ' (' ~ loop.index ~ ')' }}"
        + TAIL
        + "{% endfor %}"
        + PROMPT,
        [user("One?"), user("And?")],
    ),
    given(
        "empty-turns",
        "Questions and answers that say nothing.",
        LOOP + TURN + "{% endfor %}" + PROMPT,
        [user("One?"), assistant(""), user(""), assistant("Four."), user("Five?")],
        options=GENERATE,
    ),
    given(
        "calls-and-results",
        "Calls, and results in turns of their own.",
        LOOP
        + HEAD
        + "{{ message.content }}{% for call in message.tool_calls or [] %}"
        + "{{ '<tool_call>' ~ call.function|tojson ~ '</tool_call>' }}{% endfor %}"
        + TAIL
        + "{% endfor %}"
        + PROMPT,
        [
            user("Rome?"),
            calling(call("get_weather", {"city": "Rome"})),
            tool("21 C"),
            assistant("Mild."),
            user("Ok."),
        ],
        options=GENERATE,
    ),
)
