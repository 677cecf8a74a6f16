"""Templates that come with the conversation: prompts that differ from the history, always stand, or never do."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import (
    GENERATE,
    WEATHER,
    Message,
    assistant,
    call,
    calling,
    system,
    text_part,
    thinking,
    tool,
    user,
)
from tokenspec.areas.render.cases.build_given import HEAD, LOOP, PROMPT, STRICT_TOOLS, SYSTEM_FIRST, TAIL, given
from tokenspec.store.records import Case

TURNS = [user("One?"), assistant("Two."), user("Three?"), assistant("Four."), user("Five?")]
ANSWERED = TURNS[:4]
BODY = "{{ message.content }}"
TURN = LOOP + HEAD + BODY + TAIL + "{% endfor %}"
THOUGHT = "{{ '<think>\\n' ~ (message.reasoning_content or '') ~ '\\n</think>\\n\\n' if message.role == 'assistant' }}"
COUNTED = "{{ '<|im_start|>system\\nTurns: ' ~ messages|length ~ '<|im_end|>\\n' }}"
"""Another text for every number of messages: no turn goes on from what was rendered before it."""

TAGGED = LOOP + "{{ '[USER]' if message.role == 'user' else '[BOT]' }}{{ message.content ~ '[END]' }}{% endfor %}"
ANSWERS_ONLY = (
    "{% if not add_generation_prompt and messages[-1].role == 'user' %}{{ raise_exception('ends in a question') }}"
    "{% endif %}"
)
BEHIND_USERS = (
    LOOP
    + "{% if message.role == 'user' %}"
    + HEAD
    + BODY
    + TAIL
    + "{{ '<|im_start|>assistant\\n' }}{% else %}"
    + BODY
    + TAIL
    + "{% endif %}{% endfor %}"
)


ASKED_FOR = "{{{{ '<think>\\n' if {}.content.startswith('Think') }}}}"
BY_QUESTION = (
    LOOP
    + HEAD
    + "{% if message.role == 'assistant' %}"
    + ASKED_FOR.format("messages[loop.index0 - 1]")
    + "{% endif %}"
    + BODY
    + TAIL
    + "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
    + ASKED_FOR.format("messages[-1]")
    + "{% endif %}"
)
PIECES = (
    "{{ '<|im_start|>' }}{{ message.role }}{{ '\\n' }}{{ message.content }}{{ '<|im_end|>' }}{{ '\\n' }}{% endfor %}"
)
EMPTY_THOUGHT = "<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n"
SOME_THOUGHT = [user("One?"), assistant("Two."), user("Three?"), thinking("Hm.", "Four."), user("Five?")]


def one_by_one(turn: str) -> str:
    """A template without a loop: five turns at most, ``N`` is the number of each."""
    return "".join(f"{{% if messages|length > {n} %}}{turn.replace('N', str(n))}{{% endif %}}" for n in range(5))


APART = one_by_one(
    "{{ '<|im_start|>' }}{{ messages[N].role }}{{ '\\n' }}{{ messages[N].content }}{{ '<|im_end|>' }}{{ '\\n' }}"
)


def prompted(text: str) -> str:
    """A generation prompt of this text."""
    return f"{{{{ '{text}' if add_generation_prompt }}}}"


def counted(slug: str, why: str, turn: str, prompt: str, messages: list[Message] = TURNS) -> Case:
    """A text that begins otherwise for every number of messages."""
    template = COUNTED + LOOP + HEAD + turn + BODY + TAIL + "{% endfor %}" + prompt
    return given(f"counted-{slug}", why, template, messages, options=GENERATE)


CASES = (
    counted("plain", "The number of messages stands in front of them.", "", PROMPT),
    counted(
        "opened", "The prompt opens a thought, no answer does.", "", prompted("<|im_start|>assistant\\n<think>\\n")
    ),
    counted(
        "thought",
        "The prompt opens a thought, and so does every answer.",
        THOUGHT,
        prompted("<|im_start|>assistant\\n<think>\\n"),
        [user("One?"), thinking("Hm.", "Two."), user("Three?"), assistant("Four."), user("Five?")],
    ),
    counted(
        "blank",
        "An answer of a history begins with a line more than the prompt ends with.",
        "{{ '\\n' if message.role == 'assistant' }}",
        PROMPT,
    ),
    counted("no-newline", "The prompt has no line end.", "", prompted("<|im_start|>assistant")),
    counted(
        "word",
        "The prompt says a word that one answer begins with.",
        "",
        prompted("<|im_start|>assistant\\nAnswer: "),
        [user("One?"), assistant("Answer: Two."), user("Three?"), assistant("Four."), user("Five?")],
    ),
    counted(
        "noted",
        "Every answer of a history begins with a word that the prompt does not say.",
        "{{ 'Note: ' if message.role == 'assistant' }}",
        PROMPT,
    ),
    counted(
        "two-answers",
        "Two answers in a row.",
        "",
        PROMPT,
        [user("One?"), assistant("Two."), assistant("Three."), user("Five?")],
    ),
    given(
        "counted-pieces",
        "The number of messages stands in front, and turns and prompt are printed in pieces.",
        COUNTED
        + LOOP
        + PIECES
        + "{% if add_generation_prompt %}{{ '<|im_start|>' }}{{ 'assistant' }}{{ '\\n' }}{{ '<think>' }}{{ '\\n' }}"
        + "{% endif %}",
        TURNS,
        options=GENERATE,
    ),
    given(
        "counted-behind-users",
        "The same, and what opens an answer stands behind every question.",
        COUNTED + BEHIND_USERS,
        TURNS,
    ),
    given(
        "counted-always",
        "The same, and the prompt ends every text.",
        COUNTED + TURN + "{{ '<|im_start|>assistant\\n' }}",
        TURNS,
    ),
    given(
        "counted-always-opened",
        "The same, and a prompt that opens a thought ends every text.",
        COUNTED + TURN + "{{ '<|im_start|>assistant\\n<think>\\n' }}",
        TURNS,
        unattributed=None,
    ),
    given("counted-never", "The same, without a prompt.", COUNTED + TURN, ANSWERED),
    given(
        "counted-end-behind",
        "The same, and a turn's end stands in front of the next turn, the last one's behind the loop.",
        COUNTED
        + LOOP
        + "{{ '' if loop.first else '<|im_end|>\\n' }}"
        + HEAD
        + BODY
        + "{% endfor %}{{ '<|im_end|>\\n' }}"
        + PROMPT,
        ANSWERED,
    ),
    given(
        "counted-parts",
        "The same, and contents are parts.",
        COUNTED
        + LOOP
        + HEAD
        + "{% for part in message.content %}{{ part['text'] }}{% endfor %}"
        + TAIL
        + "{% endfor %}"
        + PROMPT,
        [user([text_part("One?")]), assistant([text_part("Two"), text_part(" words.")]), user([text_part("Three?")])],
        options=GENERATE,
    ),
    given(
        "counted-tools",
        "The same, in a template that insists on whole tools.",
        "{% if not tools %}{{ raise_exception('no tools') }}{% endif %}" + STRICT_TOOLS + COUNTED + TURN + PROMPT,
        TURNS,
        tools=[WEATHER],
        options=GENERATE,
    ),
    given(
        "empty-thought",
        "The prompt closes the thought that it opens, and a history has both.",
        LOOP + HEAD + THOUGHT + BODY + TAIL + "{% endfor %}" + prompted(EMPTY_THOUGHT),
        SOME_THOUGHT,
        options=GENERATE,
    ),
    counted(
        "empty-thought", "The same, the number of messages in front.", THOUGHT, prompted(EMPTY_THOUGHT), SOME_THOUGHT
    ),
    given("one-by-one", "Turns in pieces, without a loop.", APART + PROMPT, ANSWERED),
    given(
        "one-by-one-prompted", "Turns in pieces, without a loop, and a prompt.", APART + PROMPT, TURNS, options=GENERATE
    ),
    given(
        "one-by-one-raw",
        "Turns without a loop, whose headers and ends are the template's text.",
        one_by_one("<|im_start|>{{ messages[N].role }}\n{{ messages[N].content }}<|im_end|>\n\n") + PROMPT,
        TURNS,
        options=GENERATE,
    ),
    given(
        "counted-tags",
        "Turns of tags, their number in front.",
        "[SYS]{{ messages|length }}[END]" + TAGGED,
        TURNS,
        row="toy-added",
    ),
    given("prompt-always", "The prompt ends every text.", TURN + "{{ '<|im_start|>assistant\\n' }}", TURNS),
    given(
        "prompt-always-answered",
        "The prompt ends every text, behind an answer, too.",
        TURN + "{{ '<|im_start|>assistant\\n' }}",
        ANSWERED,
    ),
    given(
        "prompt-always-opened",
        "A prompt that opens a thought ends every text.",
        TURN + "{{ '<|im_start|>assistant\\n<think>\\n' }}",
        TURNS,
        unattributed=None,
    ),
    given(
        "prompt-always-tag", "A tag ends every text, and opens every answer.", TAGGED + "[BOT]", TURNS, row="toy-added"
    ),
    given("prompt-behind-users", "What opens an answer stands behind every question.", BEHIND_USERS, TURNS),
    given(
        "prompt-behind-users-answered",
        "What opens an answer stands behind every question, and an answer is the last.",
        BEHIND_USERS,
        ANSWERED,
    ),
    given("prompt-never", "A template without a prompt.", TURN, ANSWERED),
    given("prompt-never-tags", "Turns of tags, without a prompt.", TAGGED, ANSWERED, row="toy-added"),
    given(
        "end-of-text",
        "A token ends every text, and no turn.",
        TURN + "{{ '<|endoftext|>' }}",
        ANSWERED,
        unattributed=None,
    ),
    given(
        "answers-only",
        "A template that refuses to end in a question, unless prompted.",
        ANSWERS_ONLY + TURN + PROMPT,
        ANSWERED,
    ),
    given(
        "answers-only-counted",
        "A template that refuses to end in a question, unless prompted, the number of messages in front.",
        ANSWERS_ONLY + COUNTED + TURN + PROMPT,
        ANSWERED,
    ),
    given(
        "questions-only",
        "A template that refuses to prompt behind an answer.",
        "{% if messages[-1].role == 'assistant' and add_generation_prompt %}{{ raise_exception('no question') }}{% "
        "endif %}" + TURN + PROMPT,
        TURNS,
        options=GENERATE,
    ),
    given(
        "prompt-by-role",
        "The prompt opens a thought behind a question, and none behind a result.",
        TURN + "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
        "{{ '<think>\\n' if messages[-1].role == 'user' }}{% endif %}",
        [
            user("Rome?"),
            calling(call("get_weather", {"city": "Rome"}), content="<think>\nLook."),
            tool("21 C"),
            assistant("Mild."),
            user("Ok."),
        ],
        options=GENERATE,
    ),
    given(
        "prompt-by-question",
        "The prompt opens a thought where the question asks for one.",
        BY_QUESTION,
        [*TURNS[:2], user("Think: three?"), assistant("Four."), user("Think: five?")],
        options=GENERATE,
    ),
    given(
        "prompt-by-sixteenth-question",
        "The prompt opens a thought where the question asks for one; of sixteen the last one does.",
        BY_QUESTION,
        [*TURNS[:2] * 15, user("Think: three?"), assistant("Four.")],
    ),
    given(
        "answers-alone",
        "Answers alone are printed, and a stop token where none is asked for.",
        "{% for message in messages %}{{ message.content if message.role == 'assistant' }}{% endfor %}"
        "{% if not add_generation_prompt %}<|im_end|>{% endif %}",
        TURNS[:2],
    ),
    given(
        "system-first",
        "A system message has to come first; the prompt opens a thought, and the history shows none.",
        SYSTEM_FIRST + LOOP + HEAD + BODY + "{{ '<|im_end|>' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n<think>\\n' }}{% endif %}",
        [system("Answer briefly."), *TURNS],
        options=GENERATE,
    ),
    given(
        "led-in",
        "The prompt leads the answer in on a line of its own, and the history does not.",
        LOOP
        + "{% if message.role == 'user' %}<|im_start|>user\n{% else %}<|im_start|>assistant\n{% endif %}"
        + BODY
        + TAIL
        + "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\nAnswer: {% endif %}",
        TURNS,
        options=GENERATE,
    ),
    given("answer-first", "An answer is the first message.", TURN + PROMPT, [assistant("Hello."), *TURNS[:2]]),
    given(
        "end-of-the-next",
        "A turn's end stands in front of the next turn, and the last has none.",
        LOOP + "{{ '<|im_end|>\\n' if loop.index0 }}" + HEAD + BODY + "{% endfor %}",
        TURNS[:2],
    ),
)
