"""Templates that come with the conversation: what they refuse to be asked, and what they write more than once."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import ROME, STOP, TOOLS, text
from tokenspec.areas.parse.cases.given import ARGUMENTS, CALLS, NAME, C, R, calls, chat, given, thought
from tokenspec.areas.render.cases.build import assistant, call, calling, text_part, thinking, user
from tokenspec.areas.render.cases.build_given import STRICT_PARTS

HERMES = f'<tool_call>\n{{"name": "{NAME}", "arguments": {ARGUMENTS}}}\n</tool_call>'
THINKS = thought(f"<reason>\n{R}\n</reason>\n\n")
THOUGHT = [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP]
SAYS = {"content": "Lisbon.", "reasoning_content": "South-west."}
CALLED = {"content": "Looking.", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]}
PARTS = STRICT_PARTS.replace("message", "m")
ONLY_TEXT = (
    "{% if tools %}{{ raise_exception('no tools') }}{% endif %}{% for m in messages %}{% if m.content is not string %}"
    "{{ raise_exception('no parts') }}{% endif %}{% endfor %}"
)
NINE = "{% if c.id | length != 9 %}{{ raise_exception('an id has nine characters') }}{% endif %}"
NUMBERED = calls(
    f"{NINE}<|tool_call_begin|>functions.{NAME}:{{{{ loop.index0 }}}}<|tool_call_argument_begin|>{ARGUMENTS}"
    "<|tool_call_end|>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
)
HEADED = (
    "{% for m in messages %}{{ '<|img|>' ~ m.role ~ '<|/img|>' }}"
    + calls(f"<|img|>{NAME} {ARGUMENTS}")
    + "{{ '<|im_end|>' }}{% endfor %}{{ '<|img|>assistant<|/img|>' if add_generation_prompt }}"
)
TOKENS = (
    "{% for m in messages %}{% if m.role == 'user' %}{{ '[INST]' ~ m.content ~ '[/INST]' }}{% else %}"
    + thought(f"[TOOL_RESULTS]{R}[/TOOL_RESULTS]")
    + C
    + "{{ '</s>' }}{% endif %}{% endfor %}"
)
WHOLE = (
    "{% for c in m.tool_calls %}{% if not c.id or c.type != 'function' or not c.function.name or "
    "c.function.arguments is not mapping %}{{ raise_exception('a call must be whole') }}{% endif %}{% endfor %}"
)

CASES = (
    given(
        "text-alone",
        "A template that refuses tools, and all content but text; a word of its own stands in front of every answer.",
        ONLY_TEXT + chat(f"{THINKS}So: {C}"),
        [text("<reason>\nSouth-west.\n</reason>\n\nSo: Lisbon."), STOP],
        says=SAYS,
    ),
    given(
        "question-twice",
        "A question is written once more at its end, and there only where no answer is prompted.",
        chat(THINKS + C, question="{{ m.content ~ (' (asked)' if add_generation_prompt else ' (told)') ~ m.content }}"),
        THOUGHT,
        says=SAYS,
    ),
    given(
        "calls-behind-a-question-marked-last",
        "A question is written in another way where nothing follows it, and answers call.",
        chat(calls(HERMES), question="{{ m.content }}{{ ' (now)' if loop.last }}"),
        [text('Looking.<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'), STOP],
        CALLS,
        says=CALLED,
        tools=TOOLS,
    ),
    given(
        "calls-behind-the-token-of-headers",
        "The token that announces a call heads every turn, too, and a question is marked where it is last.",
        HEADED.replace(C, C + "{{ ' (now)' if loop.last and m.role == 'user' }}", 1),
        [text('Looking.<|img|>get_weather {"city": "Rome"}'), STOP],
        CALLS,
        says=CALLED,
        tools=TOOLS,
    ),
    given(
        "calls-numbered-by-the-template",
        "A template that numbers calls by itself, and refuses those whose own id has not nine characters.",
        chat(NUMBERED),
        calling(call("get_weather", {"city": "Rome"}, "callrome1"), content="Looking."),
        CALLS,
        tools=TOOLS,
    ),
    given(
        "thought-opened-again",
        "A prompt that writes an empty thought and opens another; every answer begins with both.",
        chat(
            "{{ '<think>\\n\\n</think>\\n\\n<think>\\n' }}" + R + "{{ '\\n</think>\\n\\n' }}" + C,
            "{{ '<think>\\n\\n</think>\\n\\n<think>' }}",
        ),
        thinking("South-west.", "Lisbon."),
    ),
    given(
        "answer-repeated",
        "An answer is repeated in brackets behind its end: a bracket that it ends with is its own.",
        chat(C + "{{ '<|im_end|>\\n(' ~ m.content ~ ')' }}"),
        [text("Lisbon (Portugal)"), STOP],
        says={"content": "Lisbon (Portugal)"},
    ),
    given(
        "answer-in-tags-ended-twice",
        "What stands between an answer and the first of two ends is no content.",
        chat(f"<answer>\n{C}\n</answer>\n<|im_end|>"),
        assistant("Lisbon."),
    ),
    given(
        "answer-on-a-new-line",
        "A newline between the prompt and an answer is the template's.",
        "{% for m in messages %}{{ '<|im_start|>' ~ m.role ~ '\\n' ~ m.content ~ '<|im_end|>' }}{% endfor %}"
        "{{ '<|im_start|>assistant' if add_generation_prompt }}",
        assistant("Lisbon."),
    ),
    given(
        "thought-in-tokens",
        "A thought stands between two tokens that are no tags.",
        TOKENS,
        thinking("South-west.", "Lisbon."),
        row="mistral-nemo",
    ),
    given(
        "no-prompt-behind-answers",
        "A template that refuses a generation prompt behind an answer.",
        "{% if add_generation_prompt and messages[-1].role != 'user' %}{{ raise_exception('answered') }}{% endif %}"
        + chat(THINKS + C),
        THOUGHT,
        says=SAYS,
    ),
    given(
        "whole-calls",
        "A template that refuses a call without an id, a type, a name, or arguments that are a mapping.",
        chat(WHOLE + calls(HERMES)),
        calling(ROME, content="Looking."),
        CALLS,
        tools=TOOLS,
    ),
    given(
        "whole-calls-in-text",
        "A template that refuses a call without an id, a type, a name, or arguments that are a text.",
        chat(WHOLE.replace("is not mapping", "is not string") + calls(HERMES.replace(" | tojson", ""))),
        calling({**ROME, "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}, content="Looking."),
        CALLS,
        tools=TOOLS,
    ),
    given(
        "calls-in-parts",
        "A template that refuses all but parts of text, and whose calls stand without content.",
        chat(
            PARTS + calls(HERMES).removeprefix(C),
            question=PARTS,
        ),
        [text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'), STOP],
        CALLS,
        says={**CALLED, "content": ""},
        messages=[user([text_part("Where?")])],
        tools=TOOLS,
    ),
    given(
        "calls-unread-where-no-tools-are",
        "Calls are written in a notation of nobody's: where no tools are offered, answers are read all the same.",
        chat(THINKS + calls(f"(calls {NAME} with {ARGUMENTS})")),
        thinking("South-west.", "Lisbon."),
    ),
    given(
        "header-in-an-answer",
        "What the prompt writes in front of an answer is the answer's own where it is sampled behind a thought.",
        chat(C, "{{ '<think>\\n' }}"),
        [text("South-west.\n</think>\n\n<|im_start|>assistant\nLisbon."), STOP],
        says={"content": "<|im_start|>assistant\nLisbon.", "reasoning_content": "South-west."},
    ),
    given(
        "plain-lines-and-a-prompt-in-the-answer",
        "Turns on lines of their own, and an answer that ends with what prompts the next one.",
        "{% for m in messages %}{{ m.role ~ ': ' ~ m.content ~ '\\n' }}{% endfor %}"
        "{{ 'assistant: ' if add_generation_prompt }}",
        [text("Write:\nassistant: "), STOP],
        says={"content": "Write:\nassistant: "},
    ),
)
