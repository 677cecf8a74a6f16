"""Bridges of templates that come with the conversation: what follows depends on what the turn says, or how it ends."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import CLOSES, EOS, NEXT, OSLO, ROME, STOP, TOOLS, turn
from tokenspec.areas.bridge.cases.given import LISBON, PROMPT, RESULT, chat, given
from tokenspec.areas.render.cases.build import assistant, calling, text_part, thinking, tool, user
from tokenspec.areas.render.cases.build_given import STRICT_PARTS

THOUGHT = "{% if m.reasoning_content %}<reason>{{ m.reasoning_content }}</reason>\n{% endif %}"
CALLS = (
    "{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call>\n"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
)
TEXT_CALLS = CALLS.replace(" | tojson", "")
WHOLE = (
    "{% for c in m.tool_calls or [] %}{% if not c.id or c.type != 'function' or not c.function.name or "
    "c.function.arguments is not mapping %}{{ raise_exception('a call must be whole') }}{% endif %}{% endfor %}"
)
ANSWERED = (
    "{% if m.role == 'assistant' %}{% set said.ids = (m.tool_calls or []) | map(attribute='id') | list %}"
    "{% if said.ids | unique | list | length != said.ids | length %}{{ raise_exception('one id twice') }}{% endif %}"
    "{% elif m.role == 'tool' and m.tool_call_id not in said.ids %}{{ raise_exception('a result of no call') }}"
    "{% endif %}"
)
IDS = "{% set said = namespace(ids=[]) %}"
NAMED = (
    "{% if m.role == 'assistant' %}{% set said.calls = m.tool_calls or [] %}{% elif m.role == 'tool' %}"
    "{% for c in said.calls if c.id == m.tool_call_id %}"
    "{{ c.function.name ~ ' of ' ~ c.function.arguments.city ~ ': ' }}{% endfor %}{% endif %}"
)
LISTED = (
    "{{ m.content or '' }}{% if m.tool_calls %}<|img|>[{% for c in m.tool_calls %}"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}, "id": "{{ c.id }}"}'
    "{% if not loop.last %}, {% endif %}{% endfor %}]{% endif %}"
)
UNPROMPTED = (
    "{% for m in messages if m.role != 'narrator' %}{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content ~ '<|im_end|>\\n' }}"
    "{% endfor %}"
)
RESULTS = [RESULT, tool("2 C", "calloslo2")]

SAID = (
    given(
        "end-by-answer",
        "A template that leaves a line behind an answer that asks.",
        chat("{{ m.content }}{{ '<|im_end|>\\n' if m.content.endswith('?') else '<|im_end|>' }}", behind="\\n"),
        assistant("Lisbon, or do you mean Malta?"),
        [NEXT],
    ),
    given(
        "end-by-thought",
        "A template that leaves a line behind an answer that was not sure.",
        chat(
            THOUGHT + "{{ m.content }}{{ '<|im_end|>\\n' if 'Not sure' in m.reasoning_content else '<|im_end|>' }}",
            behind="\\n",
        ),
        thinking("Not sure.", "Lisbon."),
        [NEXT],
    ),
    given(
        "end-of-nothing",
        "A stop token alone is a turn of some words: a template may leave out one without.",
        chat("{{ m.content }}{{ '<|im_end|>' if m.content else '<|im_end|>\\n' }}", behind="\\n"),
        [STOP],
        [NEXT],
        CLOSES,
    ),
    given(
        "result-by-call",
        "A result is headed by the name and the arguments of the call it answers.",
        IDS + chat(NAMED + CALLS),
        calling(ROME, OSLO),
        RESULTS,
        tools=TOOLS,
    ),
    given(
        "result-by-call-id",
        "A call that was sampled with its id is the one that a result names, whatever comes first.",
        IDS + chat(NAMED + LISTED),
        calling(ROME, OSLO),
        RESULTS[::-1],
        tools=TOOLS,
    ),
)

WHOLE_TURNS = (
    given(
        "whole-calls",
        "A template that refuses calls that are not whole, an id twice, and a result of no call.",
        IDS + chat(WHOLE + ANSWERED + CALLS),
        calling(ROME, OSLO),
        RESULTS,
        tools=TOOLS,
    ),
    given(
        "whole-calls-in-text",
        "A template that refuses calls that are not whole, and arguments that are no text.",
        IDS + chat(WHOLE.replace("is not mapping", "is not string") + ANSWERED + TEXT_CALLS),
        calling(
            *({**c, "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}} for c in (ROME, OSLO)),
        ),
        RESULTS,
        tools=TOOLS,
    ),
    given(
        "one-result-of-two",
        "Two calls, and the result of one: the other one has an id of its own.",
        IDS + chat(WHOLE + ANSWERED + CALLS),
        calling(ROME, OSLO),
        [RESULT],
        tools=TOOLS,
    ),
    given(
        "result-behind-a-question",
        "A question in front of the result of a call.",
        IDS + chat(WHOLE + ANSWERED + CALLS),
        calling(ROME),
        [NEXT, RESULT],
        tools=TOOLS,
    ),
    given(
        "calls-in-parts",
        "A template that refuses all but parts of text, and calls without content.",
        chat(STRICT_PARTS.replace("message", "m") + CALLS.removeprefix("{{ m.content or '' }}")),
        calling(ROME),
        [{**RESULT, "content": [text_part("21 C")]}],
        tools=TOOLS,
        messages=[user([text_part("Where?")])],
    ),
    given(
        "one-call-or-none",
        "A template that refuses calls that are there and are not exactly one.",
        "{% for m in messages if m.tool_calls is defined and m.tool_calls|length != 1 %}"
        "{{ raise_exception('one call') }}{% endfor %}" + chat("{{ m.content }}"),
        LISBON,
        [NEXT],
    ),
    given(
        "spoken-questions",
        "A template that refuses a question without words.",
        "{% for m in messages if m.role == 'user' and not m.content %}{{ raise_exception('ask') }}{% endfor %}"
        + chat("{{ m.content }}"),
        LISBON,
        [NEXT],
    ),
)

ENDS = (
    given(
        "end-of-text-before-the-next-marker",
        "Turns that end where the next one begins: behind an end of text the marker of the next turn follows.",
        "{% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content }}{% endfor %}" + PROMPT,
        [turn(LISBON, stop=False), EOS],
        [NEXT],
        ("RND-005", *CLOSES),
    ),
    given(
        "nothing-follows",
        "A template without a generation prompt that leaves a message out: a line follows the turn, and nothing else.",
        UNPROMPTED,
        LISBON,
        [{"role": "narrator", "content": "Snow falls."}],
        ("RND-005", "RND-050", "RND-052", "RND-055"),
    ),
    given(
        "cut-in-a-prompted-thought",
        "A thought that the prompt opened, and that was cut before its first word.",
        chat(THOUGHT + "{{ m.content }}").replace(PROMPT, PROMPT.replace("assistant\\n", "assistant\\n<reason>")),
        [],
        [NEXT],
        ("RND-050", "RND-054", "RND-058"),
    ),
    given(
        "cut-thought-in-blanks",
        "A thought that was cut is closed with all that the template writes behind one.",
        chat("{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}{{ m.content }}"),
        thinking("South-west, or the islands.", "Lisbon."),
        [NEXT],
        ("RND-005", "RND-050", "RND-054", "RND-058"),
        until="South-",
    ),
)

CASES = (*SAID, *WHOLE_TURNS, *ENDS)
