"""Templates that come with the conversation: forms they insist on, and where they write thoughts, answers and calls."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import ASK, OSLO, ROME, STOP, TOOLS, text
from tokenspec.areas.parse.cases.given import (
    ARGUMENTS,
    CALLS,
    DEEP,
    NAME,
    STRICT,
    C,
    R,
    called,
    calls,
    chat,
    given,
    thought,
)
from tokenspec.areas.render.cases.build import call, calling, system, text_part, thinking, user
from tokenspec.areas.render.cases.build_given import STRICT_PARTS, STRICT_TOOLS, SYSTEM_FIRST

HERMES = f'<tool_call>\n{{"name": "{NAME}", "arguments": {ARGUMENTS}}}\n</tool_call>'
THINKS = thought(f"<reason>\n{R}\n</reason>\n\n")
SAYS = {"content": "Lisbon.", "reasoning_content": "South-west."}
QUESTION_SECOND = "{% if messages[1].role != 'user' %}{{ raise_exception('question second') }}{% endif %}"
NUMBERED = [
    call("get_weather", {"city": city}, f"functions.get_weather:{n}") for n, city in enumerate(("Rome", "Oslo"))
]
SECTION = calls(
    f"<|tool_call_begin|>{{{{ c.id }}}}<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
)
REWRITTEN = (
    "{% if '</think>' in C %}{{ '<reason>' ~ C.split('</think>')[0].split('<think>')[-1].strip() ~ '</reason>' "
    "~ C.split('</think>')[-1].lstrip() }}{% else %}{{ C }}{% endif %}"
).replace("C", "m.content")

CASES = (
    given(
        "thought-beside-calls",
        "A template that writes a thought only beside calls.",
        chat(f"{{% if m.tool_calls %}}{THINKS}{{% endif %}}{calls(HERMES)}"),
        calling(ROME, content="Looking.", reasoning_content="South-west."),
        CALLS,
        tools=TOOLS,
    ),
    given(
        "thought-without-calls",
        "A template that writes a thought only where there are no calls.",
        chat(f"{{% if not m.tool_calls %}}{THINKS}{{% endif %}}{calls(HERMES)}"),
        DEEP,
        tools=TOOLS,
    ),
    given(
        "thought-rewritten",
        "A template that knows a thought in the content, and writes it in tags of its own.",
        chat(REWRITTEN),
        [text("<reason>South-west.</reason>Lisbon."), STOP],
        says=SAYS,
    ),
    given(
        "thought-copied",
        "A template that copies the content knows no thoughts, whatever stands in it.",
        chat(C),
        [text("<think>\nSouth-west.\n</think>\n\nLisbon."), STOP],
        says={"content": "<think>\nSouth-west.\n</think>\n\nLisbon.", "reasoning_content": None},
    ),
    given(
        "thought-empty-on-one-line",
        "A history whose answers begin with an empty thought without newlines.",
        chat("{{ '<thinking></thinking>\\n' }}" + C),
        [text("<thinking>South-west.</thinking>\nLisbon."), STOP],
        says=SAYS,
    ),
    given(
        "thought-prompted-on-one-line",
        "A thought that the prompt opens by a name of its own, without a newline.",
        chat(C, "{{ '<my_thinking>' }}"),
        [text("South-west.</my_thinking>\n\nLisbon."), STOP],
        says={**SAYS, "reasoning_complete": True},
    ),
    given(
        "answer-said-again",
        "A template that writes each answer again, behind the end of its turn.",
        chat(THINKS + C + "{{ '<|im_end|>\\n<|im_start|>note\\n' }}" + C),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
    ),
    given(
        "thought-and-a-word",
        "A word in front of every answer, also behind a thought.",
        chat(f"{THINKS}Answer: {C}"),
        DEEP,
    ),
    given(
        "thought-in-blanks",
        "Another white space at each of the four places around a thought.",
        chat(thought(f"<reason> {R}\n\n</reason>\t") + C),
        DEEP,
    ),
    given(
        "question-marked-last",
        "A question is written in another way where nothing follows it.",
        chat(THINKS + C, question="{{ m.content }}{{ ' (now)' if loop.last }}"),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
    ),
    given(
        "no-prompt",
        "A template that writes no generation prompt: who answers begins with the header, or behind it.",
        chat(THINKS + C).partition("{% if add_generation_prompt %}")[0],
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
    ),
    given(
        "strict-tools-and-parts",
        "A template that refuses all but whole tools and parts of text, and users and answers in turn.",
        STRICT_TOOLS + chat(STRICT + THINKS + STRICT_PARTS, question=STRICT + STRICT_PARTS),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
        tools=TOOLS,
        messages=[user([text_part("Where?")])],
    ),
    given(
        "system-first",
        "A template that refuses a conversation without a system text.",
        SYSTEM_FIRST + chat(C),
        [text("Lisbon."), STOP],
        says={"content": "Lisbon."},
        messages=[system("Be brief."), ASK],
    ),
    given(
        "system-first-thinking",
        "The same of thoughts, which such a template writes behind a system text.",
        SYSTEM_FIRST + chat(THINKS + C),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
        messages=[system("Answer briefly."), user("Where?")],
    ),
    given(
        "system-first-and-a-question",
        "A template that refuses a conversation without a system text, and one without a question.",
        SYSTEM_FIRST + QUESTION_SECOND + chat(THINKS + C),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
        messages=[system("Be brief."), ASK],
    ),
    given(
        "other-turn-tokens",
        "Turns between other tokens than those of the row's own template.",
        "{% for m in messages %}{{ '<|img|>' ~ m.role ~ ':' }}"
        + THINKS
        + "{{ m.content ~ '<|endoftext|>' }}{% endfor %}{{ '<|img|>assistant:' if add_generation_prompt }}",
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon.<|endoftext|>")],
        says=SAYS,
    ),
    given(
        "plain-lines",
        "Turns on lines of their own, without a token at their ends.",
        "{% for m in messages %}{{ m.role ~ ': ' }}" + THINKS + "{{ m.content ~ '\\n' }}{% endfor %}"
        "{{ 'assistant: ' if add_generation_prompt }}",
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
    ),
    given(
        "thought-empty-and-blanks",
        "A history whose answers begin with an empty thought, and white space of a thought itself.",
        chat("{{ '<think>\\n\\n</think>\\n\\n' }}" + C),
        [text("<think>\n\nSouth-west.\n\n</think>\n\n\nLisbon."), STOP],
        says={"content": "\nLisbon.", "reasoning_content": "\nSouth-west.\n"},
    ),
    given(
        "thought-prompted-again",
        "A thought that the prompt opens, behind a thought of the history.",
        chat(THINKS + C, "{{ '<reason>\\n' }}"),
        DEEP,
        messages=[user("A?"), thinking("b", "B."), user("C?")],
    ),
    given(
        "thought-closed-again",
        "A thought that the prompt closes, behind a question that names the tag that opens one.",
        chat(THINKS + C, "{{ '<reason>\\n\\n</reason>' }}"),
        [text("\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": None},
        messages=[user("What is <reason>?")],
    ),
    given(
        "thought-closed-twice",
        "A prompt of two thoughts that are empty: the last one counts.",
        chat(THINKS + C, "{{ '<reason></reason><reason>\\n\\n</reason>' }}"),
        [text("\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": None},
    ),
    given(
        "ended-by-two-tokens",
        "Two tokens that end an answer stand behind one another, the first behind words of the template.",
        chat(THINKS + C + " (end){{ '<|im_end|>' }}").replace("<|im_end|>\\n", "<|endoftext|>"),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon. (end)"), STOP],
        says=SAYS,
    ),
    given(
        "thought-closed-unseen",
        "A thought that the prompt closes, read without the prompt.",
        chat(THINKS + C, "{{ '<reason>\\n\\n</reason>' }}"),
        [text("\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": None},
        prompt="withheld",
    ),
    given(
        "thought-named-last",
        "A question that ends with the tag that opens a thought is no open thought.",
        chat(THINKS + C),
        [text("Lisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": None},
        messages=[user("What is <reason>")],
    ),
    given(
        "end-in-place-of-a-prompt",
        "A template that ends the text with a token of its own where it writes no generation prompt.",
        chat(THINKS + C) + "{{ '<|endoftext|>' if not add_generation_prompt }}",
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says=SAYS,
    ),
    given(
        "no-prompt-and-calls",
        "Calls by a template that writes no generation prompt.",
        chat(calls(HERMES)).partition("{% if add_generation_prompt %}")[0],
        [text('Looking.<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'), STOP],
        CALLS,
        says={"content": "Looking.", "tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}]},
        tools=TOOLS,
    ),
    called(
        "text-arguments-alone",
        calls(
            f'<tool_call>{{"name": "{NAME}", "arguments": {{{{ f.arguments if f.arguments is string }}}}}}</tool_call>'
        ),
        calling(
            *({**c, "function": {**c["function"], "arguments": '{"city": "Rome"}'}} for c in (ROME, OSLO)),
            content="Looking.",
        ),
    ),
    called(
        "without-content",
        "{% if m.tool_calls and m.content is string %}{{ raise_exception('content beside calls') }}{% endif %}"
        + calls(HERMES, between="\n"),
        calling(ROME, OSLO, content=None),
    ),
    called(
        "instead-of-content",
        f"{{% if m.tool_calls %}}{calls(HERMES).removeprefix(C)}{{% else %}}{C}{{% endif %}}",
        calling(ROME, OSLO),
    ),
    called(
        "json-list-behind-a-blank", calls(f'{{"name": "{NAME}", "arguments": {ARGUMENTS}}}', "<|img|> [", "]", ", ")
    ),
    called("numbered", SECTION, calling(*NUMBERED, content="Looking.")),
    called(
        "numbered-behind-a-thought",
        thought(f"<think>{R}</think>") + SECTION,
        calling(*NUMBERED, content="Looking.", reasoning_content="South-west."),
    ),
)
