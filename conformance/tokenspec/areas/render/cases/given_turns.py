"""Templates that come with the conversation: where turns begin and end, and whose the words are that stand in them."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import WEATHER, assistant, thinking, user
from tokenspec.areas.render.cases.build_given import HEAD, LOOP, PROMPT, STRICT_TOOLS, STRICT_TURNS, TAIL, given

TURNS = [user("One?"), assistant("Two."), user("Three?"), assistant("Four.")]
OPENED = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}"
NOTED = (
    "{{ '<|im_start|>user\\n' if message.role == 'user' else '<|im_start|>assistant\\n' }}"
    "{{ 'Note: ' if message.role == 'assistant' and not loop.last }}{{ message.content }}"
)

CASES = (
    given(
        "end-behind-the-loop",
        "A turn's end stands in front of the next turn, the last one's behind the loop.",
        LOOP + "{{ '' if loop.first else '<|im_end|>\\n' }}" + HEAD + "{{ message.content }}{% endfor %}"
        "{{ '<|im_end|>\\n' }}" + PROMPT,
        TURNS,
    ),
    given(
        "two-ends",
        "Another token behind the one that ends a turn, in a template that insists on users and answers in turn.",
        LOOP + STRICT_TURNS + HEAD + "{{ message.content ~ '<|im_end|><|endoftext|>\\n' }}{% endfor %}" + PROMPT,
        TURNS,
    ),
    given(
        "noted",
        "Answers of a history begin with a word that the last one has not; the prompt opens a thought.",
        LOOP + STRICT_TURNS + NOTED + TAIL + "{% endfor %}" + OPENED,
        TURNS,
    ),
    given(
        "noted-beside-tools",
        "Answers of a history begin with a word that the last one has not, in a template that insists on whole tools.",
        "{% if not tools %}{{ raise_exception('no tools') }}{% endif %}"
        + STRICT_TOOLS
        + LOOP
        + STRICT_TURNS
        + NOTED
        + TAIL
        + "{% endfor %}"
        + OPENED,
        TURNS,
        tools=[WEATHER],
    ),
    given(
        "quoted-behind",
        "Every turn is followed by the first message's words; one answer is empty.",
        LOOP
        + HEAD
        + "{{ message.content }}{{ '<|im_end|>\\n' }}{{ 'Re: ' ~ messages[0].content ~ '\\n' }}{% endfor %}"
        + PROMPT,
        [user("One?"), assistant(""), user("Three?"), assistant("Four."), user("Five?")],
    ),
    given(
        "quoted-ahead",
        "The first message's words stand in front of every header of an answer.",
        LOOP
        + "{{ 'Re: ' ~ messages[0].content ~ '\\n' if message.role == 'assistant' }}"
        + HEAD
        + "{{ message.content }}"
        + TAIL
        + "{% endfor %}"
        + PROMPT,
        [*TURNS, user("Five?")],
        unattributed=("Re: ", "\n<|im_start|>assistant\n") * 2,
    ),
    given(
        "continues-a-thought",
        "A thought that is left open, in a template that knows it by another name.",
        LOOP
        + HEAD
        + "{{ '<think>' ~ message.thinking ~ '</think>' if message.thinking }}{{ message.content }}"
        + TAIL
        + "{% endfor %}"
        + PROMPT,
        [user("One?"), thinking("Hm, but", "Two.")],
        "PREFILL",
        requires=("RND-001", "RND-003", "RND-005", "RND-010"),
        options={"continue_final_message": "reasoning_content"},
    ),
    given(
        "continues-unread",
        "A thought that is left open, in a template that names it nowhere.",
        LOOP + HEAD + "{{ message|tojson }}" + TAIL + "{% endfor %}" + PROMPT,
        [user("One?"), thinking("Hm, but", "Two.")],
        "PREFILL",
        requires=("RND-001", "RND-002", "RND-005"),
        options={"continue_final_message": "reasoning_content"},
        wrong=("/messages/1", "/options/continue_final_message"),
    ),
    given(
        "format-of-a-body",
        "A format whose words are a body's in part, and the same as those beside it.",
        LOOP + HEAD + "{{ ('x{}' ~ message.content ~ '{}x').format('-', '+') }}" + TAIL + "{% endfor %}" + PROMPT,
        [user("x"), user("xx"), user("x{}x".replace("{}", "-"))],
    ),
    given(
        "noted-on-one-line",
        "Answers of a history begin with a word that the last one has not; the prompt has no lines.",
        LOOP + "{{ '[USER]' if message.role == 'user' else '[BOT]' if loop.last else '[BOT]Hm, note: ' }}"
        "{{ message.content ~ '[END]' }}{% endfor %}{{ '[BOT]Hm' if add_generation_prompt }}",
        TURNS,
        row="toy-added",
    ),
)
