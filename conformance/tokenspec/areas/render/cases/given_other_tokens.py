"""Templates that come with the conversation, in tokens of a row whose end of a sequence ends turns and opens none.

What ends turns where no sequence ends in it is among the regressions (`given-other-end`), and found by its place.
"""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.cases.build import GENERATE, Message, assistant, text_part, user
from tokenspec.areas.render.cases.build_given import LOOP, STRICT_TURNS, given
from tokenspec.store.records import Case

TURNS = [user("One?"), assistant("Two."), user("Three?"), assistant("Four.")]
ASKED = TURNS[:3]
PARTS = [user([text_part("One?")]), assistant([text_part("Two.")]), user([text_part("Three?")])]
HEAD = "{{ '<turn>user\\n' if message.role == 'user' else '<turn>model\\n' }}"
BODY = "{{ message.content }}"
TAIL = "{{ '</turn>\\n' }}"
END = "{% endfor %}"
ALWAYS = "{{ '<turn>model\\n' }}"
PROMPT = "{% if add_generation_prompt %}{{ '<turn>model\\n' }}{% endif %}"
COUNTED = "{{ '<turn>system\\nTurns: ' ~ messages|length ~ '</turn>\\n' }}"
EACH_PART = "{% for part in message.content %}{{ part.text }}{% endfor %}"
AHEAD = "{{ '</turn>\\n' if not loop.first }}"
TURN = LOOP + HEAD + BODY + TAIL + END


def own(
    slug: str,
    why: str,
    template: str,
    turns: list[Message],
    options: dict[str, Any] | None = None,
    unattributed: tuple[str, ...] | None = (),
) -> Case:
    """One template in these tokens."""
    return given(
        f"own-end-{slug}", why, template, turns, options=options, row="toy-metaspace", unattributed=unattributed
    )


def one_by_one(turns: int) -> str:
    """A template without a loop."""
    return "".join(
        f"{{% if messages|length > {n} %}}<turn>{'model' if n % 2 else 'user'}\n{{{{ messages[{n}].content }}}}"
        "</turn>\n{% endif %}"
        for n in range(turns)
    )


CASES = (
    own("unlooped", "Turns without a loop, whose headers are words.", one_by_one(5), TURNS),
    own("unlooped-prompted", "Turns without a loop, and a prompt.", one_by_one(5) + PROMPT, ASKED, GENERATE),
    own(
        "unlooped-two",
        "Two turns without a loop, in a template that refuses one alone.",
        "<turn>user\n{{ messages[0].content }}</turn>\n<turn>model\n{{ messages[1].content }}</turn>\n",
        TURNS[:2],
    ),
    own(
        "two-ends",
        "Another token stands behind the one that ends a turn.",
        LOOP + HEAD + BODY + "{{ '</turn></s>\\n' }}" + END + PROMPT,
        TURNS,
    ),
    own(
        "behind-a-space",
        "A space stands in front of what ends a turn.",
        LOOP + HEAD + BODY + "{{ ' </turn>\\n' }}" + END,
        TURNS,
    ),
    own("counted", "No turn goes on from what was rendered before it.", COUNTED + TURN + PROMPT, TURNS),
    own("counted-unprompted", "The same, and nothing prompts.", COUNTED + TURN, TURNS),
    own("prompt-always", "A prompt ends every text.", TURN + ALWAYS, ASKED),
    own("prompt-always-answered", "A prompt ends every text, behind an answer, too.", TURN + ALWAYS, TURNS),
    own(
        "prompt-always-thinks",
        "A prompt that opens a thought ends every text.",
        TURN + "{{ '<turn>model\\n<think>\\n' }}",
        TURNS,
        unattributed=None,
    ),
    own(
        "prompt-always-shorter",
        "A prompt ends every text that is less than what answers begin with.",
        LOOP + HEAD + "{{ '<answer>' if message.role == 'assistant' }}" + BODY + TAIL + END + ALWAYS,
        TURNS,
    ),
    own(
        "end-ahead",
        "What ends a turn stands in front of the next one.",
        LOOP + AHEAD + HEAD + BODY + END + TAIL + PROMPT,
        TURNS,
    ),
    own(
        "end-ahead-asked",
        "What ends a turn stands in front of the next one, and of the prompt.",
        LOOP + AHEAD + HEAD + BODY + END + TAIL + PROMPT,
        ASKED,
        GENERATE,
    ),
    own("parts", "Turns of parts.", LOOP + HEAD + EACH_PART + TAIL + END + PROMPT, PARTS),
    own(
        "parts-counted", "The same behind their number.", COUNTED + LOOP + HEAD + EACH_PART + TAIL + END + PROMPT, PARTS
    ),
    own(
        "strict-counted",
        "Users and answers take turns, behind their number.",
        COUNTED + LOOP + STRICT_TURNS + HEAD + BODY + TAIL + END + PROMPT,
        TURNS,
    ),
    own(
        "in-the-words",
        "Words of a question and of an answer spell what ends a turn.",
        TURN + PROMPT,
        [user("One </turn> more?"), assistant("Two </turn> more."), user("Three?")],
    ),
    own(
        "answers-otherwise",
        "Answers end in the end of a sequence by its name, questions in the token itself.",
        LOOP + HEAD + BODY + "{{ eos_token ~ '\\n' if message.role == 'assistant' else '</turn>\\n' }}" + END + PROMPT,
        TURNS[:2],
    ),
)
