"""Templates that come with the conversation, in shapes of their own: no loop, odd ends, prompts that always stand."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import (
    CONTINUE,
    GENERATE,
    IMAGE_PART,
    WEATHER,
    assistant,
    call,
    calling,
    system,
    text_part,
    tool,
    user,
)
from tokenspec.areas.render.cases.build_given import HEAD, LOOP, PROMPT, STRICT_PARTS, TAIL, given
from tokenspec.areas.render.cases.given_prompts import COUNTED
from tokenspec.store.records import Case

TURNS = [user("One?"), assistant("Two."), user("Three?"), assistant("Four.")]
ASKED = TURNS[:3]
BODY = "{{ message.content }}"
END = "{% endfor %}"
ALWAYS = "{{ '<|im_start|>assistant\\n' }}"
CALLS = "{% for call in message.tool_calls or [] %}{{ '<call>' ~ call.function.name ~ '</call>' }}{% endfor %}"
LOOKED_UP = (
    "{% if message.role == 'tool' %}{% for other in messages %}{% for call in other.tool_calls or [] %}"
    "{% if call.id == message.tool_call_id %}{{ 'for ' ~ call.function.name ~ ': ' }}{% endif %}"
    "{% endfor %}{% endfor %}{% endif %}"
)
ENDS = {"asked": ASKED, "answered": TURNS}
OPENERS = {
    "toy-bpe": ("<|im_start|>user\\n", "<|im_start|>assistant\\n", "<|im_end|>"),
    "toy-ranks": ("<|role|>user<|body|>\\n\\n", "<|role|>assistant<|body|>\\n\\n", "<|end|>"),
    "toy-metaspace": ("<turn>user\\n", "<turn>model\\n", "</turn>"),
    "toy-added": ("[USER]", "[BOT]", "[END]"),
}
"""What opens a turn of the user and of the assistant, and what ends both, by row."""


def written_out(row: str) -> tuple[Case, ...]:
    """Turns whose headers are words of the template, in the tokens of a row."""
    asks, answers, end = OPENERS[row]
    head = f"{{{{ '{asks}' if message.role == 'user' else '{answers}' }}}}"
    thought = "{{ '<reason>\\n\\n</reason>\\n' if message.role == 'assistant' }}"
    numbered = "{{ loop.index ~ '. Q: ' if message.role == 'user' }}"
    last = f"{{{{ '{end}\\n' if not loop.last or add_generation_prompt else '{end}' }}}}"
    prompt = f"{{% if add_generation_prompt %}}{{{{ '{answers}' }}}}{{% endif %}}"
    name = row.removeprefix("toy-")
    return (
        given(
            f"written-out-{name}",
            "Headers are words of the template, the last turn ends without a newline, and nothing prompts.",
            f"{LOOP}{head}{BODY}{{{{ '{end}' }}}}{{{{ '\\n' if not loop.last }}}}{END}",
            TURNS,
            row=row,
        ),
        given(
            f"written-out-numbered-{name}",
            "Questions are numbered behind headers that are words of the template, and nothing prompts.",
            f"{LOOP}{head}{numbered}{BODY}{{{{ ' {end}\\n' }}}}{END}",
            TURNS,
            row=row,
        ),
        given(
            f"laid-out-{name}",
            "A template over several lines, whose answers begin with an empty thought that the prompt does not have.",
            f"{{%- for message in messages -%}}\n  {head}{thought}{BODY}{last}\n{{%- endfor -%}}{prompt}",
            TURNS,
            row=row,
        ),
    )


ALONE = (
    given(
        "unlooped",
        "A template of two messages, without a loop, a role and a prompt.",
        "{{ '<|im_start|>user\\n' ~ messages[0].content ~ '<|im_end|>\\n<|im_start|>assistant\\n' }}"
        "{{ messages[1].content ~ '<|im_end|>\\n' }}",
        TURNS[:2],
    ),
    given(
        "unlooped-pieces",
        "A template of two messages, without a loop, a role and a prompt, piece by piece.",
        "<|im_start|>user\n{{ messages[0].content }}<|im_end|>\n<|im_start|>assistant\n{{ messages[1].content }}"
        "<|im_end|>\n",
        TURNS[:2],
    ),
    given(
        "unlooped-prompted",
        "A template of three messages, without a loop and a role.",
        "<|im_start|>user\n{{ messages[0].content }}<|im_end|>\n<|im_start|>assistant\n{{ messages[1].content }}"
        "<|im_end|>\n<|im_start|>user\n{{ messages[2].content }}<|im_end|>\n" + PROMPT,
        ASKED,
        options=GENERATE,
    ),
    given(
        "unlooped-system",
        "The first message stands in front of the loop, as an instruction and not as a turn.",
        "Rules: {{ messages[0].content }}\n{% for message in messages[1:] %}" + HEAD + BODY + TAIL + END + PROMPT,
        [system("Be brief."), *TURNS],
    ),
)

ODD_ENDS = (
    given(
        "closer-in-the-words",
        "The words of an answer spell what ends it.",
        LOOP + HEAD + BODY + TAIL + END + PROMPT,
        [user("One?"), assistant("Two <|im_end|> more."), user("Three?")],
    ),
    given(
        "prompt-behind-no-end",
        "Nothing ends the answer in front of the prompt.",
        LOOP + HEAD + BODY + END + PROMPT,
        TURNS[:2],
        options=GENERATE,
    ),
    given(
        "prompt-always-behind-no-end",
        "Nothing ends the answer in front of a prompt that always stands.",
        LOOP + HEAD + BODY + END + ALWAYS,
        TURNS[:2],
    ),
    given(
        "ends-otherwise-answered",
        "The last turn ends in another token where nothing prompts behind it; here something does, behind an answer.",
        LOOP
        + HEAD
        + BODY
        + "{{ '<|im_end|>\\n' if add_generation_prompt or not loop.last else '<|endoftext|>' }}"
        + END
        + PROMPT,
        TURNS[:2],
        options=GENERATE,
    ),
    given(
        "tools-in-answers",
        "Answers begin with the name of a tool.",
        LOOP + HEAD + "{{ tools[0].function.name ~ ': ' if message.role == 'assistant' }}" + BODY + TAIL + END + PROMPT,
        TURNS,
        tools=[WEATHER],
    ),
    given(
        "words-ahead-of-later-answers",
        "A word stands in front of the header of every answer but the first.",
        LOOP + "{{ 'Again: ' if message.role == 'assistant' and loop.index > 2 }}" + HEAD + BODY + TAIL + END + PROMPT,
        TURNS,
    ),
    given(
        "prompt-in-other-words",
        "Prompt and answers go on differently behind one header.",
        LOOP
        + HEAD
        + "{{ 'A: ' if message.role == 'assistant' else 'Q: ' }}"
        + BODY
        + TAIL
        + END
        + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<reason>\\n' }}{% endif %}",
        TURNS,
    ),
    given(
        "handed-over",
        "Answers end in the second of the tokens that end a turn.",
        LOOP
        + "{{ '<|role|>' ~ message.role ~ '<|body|>\\n\\n' ~ message.content }}"
        + "{{ '<|handover|>' if message.role == 'assistant' else '<|end|>' }}"
        + END,
        TURNS,
        row="toy-ranks",
    ),
)

ELSEWHERE = (
    given(
        "default-in-pieces",
        "A default instruction is printed in pieces at the first message of the loop.",
        LOOP
        + "{% if loop.first and message.role != 'system' %}{{ '<|im_start|>' }}{{ 'system' }}{{ '\\nBe good.' }}"
        + "{{ '<|im_end|>\\n' }}{% endif %}"
        + HEAD
        + BODY
        + TAIL
        + END
        + PROMPT,
        TURNS,
    ),
    given(
        "looked-up-call",
        "A result looks its call up in a loop over all messages, and names it.",
        LOOP + HEAD + LOOKED_UP + BODY + CALLS + TAIL + END + PROMPT,
        [user("One?"), calling(call("get_weather", {"city": "Rome"})), tool("Sun."), assistant("Two.")],
    ),
    given(
        "two-pictures-at-once",
        "The placeholders of all pictures of a message are one text.",
        LOOP
        + HEAD
        + "{% if message.content is string %}"
        + BODY
        + "{% else %}{{ '<|image_pad|>' * (message.content|selectattr('type', 'equalto', 'image')|list|length) }}"
        + "{% for part in message.content if part.type == 'text' %}{{ part.text }}{% endfor %}{% endif %}"
        + TAIL
        + END
        + PROMPT,
        [user([IMAGE_PART, text_part("One?"), IMAGE_PART]), assistant("Two."), user("Three?")],
    ),
    given(
        "words-behind-no-end",
        "A sign stands behind every body, and nothing ends the last answer.",
        LOOP + HEAD + "{{ message.content ~ ' ;' }}" + END,
        TURNS[:2],
    ),
    given(
        "prompt-of-an-observer",
        "Another speaker is prompted behind a result, where no turn goes on from what was before it.",
        COUNTED
        + LOOP
        + HEAD
        + BODY
        + TAIL
        + END
        + "{% if add_generation_prompt %}{{ '<|im_start|>observer\\n' if messages[-1].role == 'tool' else "
        + "'<|im_start|>assistant\\n' }}{% endif %}",
        [*ASKED, tool("Four.")],
        options=GENERATE,
    ),
    given(
        "continues-unseen",
        "That a message is continued is no variable of the template.",
        "{% if continue_final_message is defined %}{{ raise_exception('seen') }}{% endif %}"
        + COUNTED
        + LOOP
        + HEAD
        + BODY
        + TAIL
        + END
        + PROMPT,
        TURNS,
        "PREFILL",
        options=CONTINUE,
    ),
    *(
        given(
            f"counted-strict-parts{name}",
            "Parts of text and nothing else, headers that are words, and no turn goes on from what was before it.",
            COUNTED
            + LOOP
            + "{{ '<|im_start|>user\\n' if message.role == 'user' else '<|im_start|>assistant\\n' }}"
            + STRICT_PARTS
            + TAIL
            + END
            + prompt,
            [user([text_part("One?")]), assistant([text_part("Two.")]), user([text_part("Three?")])],
        )
        for name, prompt in (("", PROMPT), ("-unprompted", ""))
    ),
)

STANDING = tuple(
    given(
        f"prompt-always-shorter-{words}-{name}",
        f"A prompt that always stands is less than what answers begin with, {words.replace('-', ' ')}.",
        LOOP + HEAD + f"{{{{ '{begun}' if message.role == 'assistant' }}}}" + BODY + TAIL + END + ALWAYS,
        turns,
    )
    for words, begun in (("a-tag", "<answer>"), ("a-thought", "<think>\\n\\n</think>\\n"))
    for name, turns in ENDS.items()
)

BEHIND_USERS = tuple(
    given(
        f"header-behind-users-{what}",
        "The header of answers stands behind every question; the prompt only adds to it.",
        LOOP
        + "{% if message.role == 'user' %}"
        + HEAD
        + BODY
        + TAIL
        + ALWAYS
        + "{% else %}"
        + BODY
        + TAIL
        + "{% endif %}"
        + END
        + "{% if add_generation_prompt %}{{ '"
        + added
        + "' }}{% endif %}",
        turns,
        options=options,
    )
    for what, added, turns, options in (
        ("asked-thought", "<think>\\n", ASKED, GENERATE),
        ("answered-thought", "<think>\\n", TURNS, {}),
        ("asked-blank", "\\n", ASKED, GENERATE),
        ("answered-blank", "\\n", TURNS, {}),
    )
)

CASES = (
    *ALONE,
    *ODD_ENDS,
    *ELSEWHERE,
    *STANDING,
    *BEHIND_USERS,
    *(case for row in OPENERS for case in written_out(row)),
)
