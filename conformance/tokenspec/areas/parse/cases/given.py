"""Templates that come with the conversation: their own notation of thoughts, answers and calls is read back."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.bridge.cases.build import OSLO, ROME, STOP, TOOLS, Piece, parse, text, turn
from tokenspec.areas.render.cases.build import Message, assistant, calling, thinking
from tokenspec.areas.render.cases.build_given import STRICT_PARTS, STRICT_TOOLS, STRICT_TURNS
from tokenspec.store.records import Case

GIVEN = ("RND-005", "RND-060", "RND-066")
CALLS = (*GIVEN, "RND-061")
STRICT = "{% set message = m %}" + STRICT_TURNS
R, C = "{{ m.reasoning_content }}", "{{ m.content or '' }}"
NAME, ARGUMENTS = "{{ f.name }}", "{{ f.arguments | tojson }}"


def chat(answer: str, prompt: str = "", question: str = "{{ m.content }}") -> str:
    """A template that prints `answer` for a turn of the assistant, and `prompt` behind the header it prompts with."""
    head = "{{ '<|im_start|>' ~ m.role ~ '\\n' }}"
    body = f"{{% if m.role == 'assistant' %}}{answer}{{% else %}}{question}{{% endif %}}"
    prompted = f"{{% if add_generation_prompt %}}{{{{ '<|im_start|>assistant\\n' }}}}{prompt}{{% endif %}}"
    return f"{{% for m in messages %}}{head}{body}{{{{ '<|im_end|>\\n' }}}}{{% endfor %}}{prompted}"


def thought(written: str) -> str:
    """What is printed of reasoning, where there is some."""
    return f"{{% if m.reasoning_content %}}{written}{{% endif %}}"


def calls(written: str, ahead: str = "", behind: str = "", between: str = "") -> str:
    """What is printed of each call, between what is printed around all of them."""
    each = f"{{% for c in m.tool_calls %}}{{% set f = c.function %}}{written}"
    each += f"{{% if not loop.last %}}{between}{{% endif %}}{{% endfor %}}"
    return f"{C}{{% if m.tool_calls %}}{ahead}{each}{behind}{{% endif %}}"


def values(written: str) -> str:
    """What is printed of each argument, whose key is `k` and whose value is `v`."""
    return f"{{% for k, v in f.arguments | items %}}{written}{{% endfor %}}"


def given(
    slug: str,
    why: str,
    template: str,
    completion: Message | list[Piece],
    requires: tuple[str, ...] = GIVEN,
    says: dict[str, Any] | None = None,
    tools: list[Any] | None = None,
    messages: list[Message] | None = None,
    prompt: str = "given",
    row: str = "toy-bpe",
) -> Case:
    """One turn in the notation of a template of its own, in the tokens of a toy row."""
    return parse(
        f"given-{slug}",
        why,
        completion if isinstance(completion, list) else [turn(completion)],
        "TEMPLATE_GIVEN",
        requires=requires,
        says=says,
        messages=messages,
        options={"chat_template": template},
        tools=tools,
        rows=[row],
        prompt=prompt,
    )


def called(slug: str, notation: str, message: Message | None = None) -> Case:
    """Two calls, in a notation that other templates write, too."""
    return given(
        f"calls-{slug}",
        "Calls in a notation that a template of another row writes come back.",
        chat(notation),
        message or calling(ROME, OSLO, content="Looking."),
        CALLS,
        tools=TOOLS,
    )


DEEP = thinking("South-west.\nOf Europe.", "Lisbon.")
IN_TAGS = chat(f"<answer>\n{C}\n</answer>\n")
HERMES = calls(f'\n<tool_call>\n{{"name": "{NAME}", "arguments": {ARGUMENTS}}}\n</tool_call>')

THOUGHTS = (
    given(
        "thought-tags",
        "Reasoning in tags of the template's own.",
        chat(thought(f"<reason>\n{R}\n</reason>\n\n") + C),
        DEEP,
    ),
    given(
        "thought-behind-word",
        "Reasoning behind a token and a word.",
        chat(thought(f"<think>plan\n{R}\n</think>\n") + C),
        DEEP,
    ),
    given("thought-on-one-line", "Reasoning without a newline.", chat(thought(f"<think>{R}</think>") + C), DEEP),
    given(
        "thought-prompted",
        "A thought that the prompt opens, and that no history has.",
        chat(C, "{{ '<think>\\n' }}"),
        [text("South-west.\n</think>\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": "South-west.", "reasoning_complete": True},
    ),
    given(
        "thought-behind-blanks",
        "A thought may begin behind white space, and what a template writes behind its marker may be missing in part.",
        chat(thought(f"<think> \n{R}\n</think>\n\n") + C),
        [text("\n <think>\nSouth-west.\n</think>\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": "\nSouth-west."},
    ),
    given(
        "thought-begun-by-the-prompt",
        "A thought that the prompt opens and begins: what is sampled goes on with it, its first newline too.",
        chat(thought(f"<think>\n{R}\n</think>\n\n") + C, "{{ '<think>\\nOf winters:' }}"),
        [text("\nSouth-west.\n</think>\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": "\nSouth-west.", "reasoning_complete": True},
    ),
    given(
        "answer-begun-by-the-prompt",
        "An answer that the prompt begins behind a thought it closes: the newlines behind are the answer's.",
        chat(thought(f"<think>\n{R}\n</think>\n\n") + C, "{{ '<think>\\n\\n</think>\\n\\nSo:' }}"),
        [text("\n\nLisbon."), STOP],
        says={"content": "\n\nLisbon.", "reasoning_content": None},
    ),
    given(
        "thought-without-a-header",
        "A template whose prompt is shorter than the marker of a thought, and is not told to the parser.",
        "{% for m in messages %}{{ m.role[0] ~ ':' }}{% if m.role == 'assistant' %}"
        + thought(f"<think>\n{R}\n</think>\n\n")
        + C
        + "{% else %}{{ m.content }}{% endif %}{{ '<|im_end|>' }}{% endfor %}"
        + "{% if add_generation_prompt %}a:{% endif %}",
        [text("Lisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": None},
        prompt="withheld",
    ),
    given(
        "call-in-a-prompted-thought",
        "A call at the very beginning of a thought that the prompt opens and nothing closes.",
        chat(HERMES, "{{ '<think>\\n' }}"),
        [text('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>'), STOP],
        CALLS,
        says={
            "content": "",
            "reasoning_complete": False,
            "tool_calls": [{"name": "get_weather", "arguments": {"city": "Rome"}}],
        },
        tools=TOOLS,
    ),
    given(
        "thought-closed-by-the-prompt",
        "A thought that the prompt opens and closes: what the template writes behind it is no content.",
        chat(thought(f"<think>\n{R}\n</think>\n\n") + C, "{{ '<think>\n\n</think>' }}"),
        [text("\n\nLisbon."), STOP],
        says={"content": "Lisbon."},
    ),
    given(
        "thought-empty",
        "A history whose answers begin with an empty thought.",
        chat("{{ '<think>\\n\\n</think>\\n\\n' }}" + C),
        [text("<think>\nSouth-west.\n</think>\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": "South-west.", "reasoning_complete": True},
    ),
    given(
        "thought-empty-and-a-word",
        "A history whose answers begin with an empty thought and a word.",
        chat("{{ '<think>\\n\\n</think>\\n\\nAnswer: ' }}" + C),
        assistant("Lisbon."),
    ),
    given(
        "answer-in-tags",
        "What the template puts around an answer is no content.",
        IN_TAGS,
        assistant("Lisbon."),
    ),
    *(
        given(
            f"answer-in-tags-{slug}",
            "What the template puts around an answer is no content, however much of it was sampled.",
            IN_TAGS,
            [text(written), *stop],
            says={"content": content},
        )
        for slug, written, content, stop in (
            ("cut", "<answer>\nLisbon, ", "Lisbon, ", ()),
            ("without-newline", "<answer>\nLisbon.\n</answer>", "Lisbon.", (STOP,)),
            ("missing", "Lisbon.", "Lisbon.", (STOP,)),
        )
    ),
    given(
        "strict-tools",
        "A template that refuses all but whole tools, and users and answers in turn.",
        STRICT_TOOLS + chat(STRICT + thought(f"<reason>\n{R}\n</reason>\n\n") + C, question=STRICT + "{{ m.content }}"),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": "South-west."},
        tools=TOOLS,
    ),
    given(
        "strict-parts",
        "A template that refuses all but parts of text, and users and answers in turn.",
        chat(STRICT + thought(f"<reason>\n{R}\n</reason>\n\n") + STRICT_PARTS, question=STRICT + STRICT_PARTS),
        [text("<reason>\nSouth-west.\n</reason>\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": "South-west."},
    ),
    given(
        "parts-alone",
        "A template that takes nothing but parts.",
        chat(thought(f"<think>\n{R}\n</think>\n\n") + "{{ m.content[0].text }}", question="{{ m.content[0].text }}"),
        [text("<think>\nSouth-west.\n</think>\n\nLisbon."), STOP],
        says={"content": "Lisbon.", "reasoning_content": "South-west."},
    ),
)

CALLED = (
    called("json", HERMES),
    called(
        "text-arguments",
        calls(
            f'<tool_call>{{"name": "{NAME}", "arguments": '
            "{{ f.arguments if f.arguments is string else raise_exception('text') }}}</tool_call>"
        ),
        calling(
            *({**c, "function": {**c["function"], "arguments": '{"city": "Rome"}'}} for c in (ROME, OSLO)),
            content="Looking.",
        ),
    ),
    called(
        "xml",
        calls(
            f"\n\n<tool_call>\n<function={NAME}>\n"
            + values("<parameter={{ k }}>\n{{ v }}\n</parameter>\n")
            + "</function>\n</tool_call>"
        ),
    ),
    called(
        "keys",
        calls(
            f"<tool_call>{NAME}" + values("<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value>") + "</tool_call>"
        ),
    ),
    called(
        "invocations",
        calls(
            f'<invoke name="{NAME}">\n' + values('<parameter name="{{ k }}">{{ v }}</parameter>\n') + "</invoke>\n",
            "\n<minimax:tool_call>\n",
            "</minimax:tool_call>",
        ),
    ),
    called("named-json", calls(f"<|img|>{NAME} {ARGUMENTS}")),
    called(
        "json-list",
        calls(f'{{"name": "{NAME}", "arguments": {ARGUMENTS}, "id": "{{{{ c.id }}}}"}}', "<|img|>[", "]", ", "),
    ),
    called(
        "fenced",
        calls(
            f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{NAME}\n```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜>",
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls▁end｜>",
            "\n",
        ),
    ),
)

CASES = (*THOUGHTS, *CALLED)
