"""Templates that come with the conversation: bodies at the edges of texts and pieces, and messages left open."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.cases.build import (
    DERIVED,
    IMAGE_PART,
    SAMPLED,
    WEATHER,
    Message,
    assistant,
    system,
    text_part,
    thinking,
    user,
)
from tokenspec.areas.render.cases.build_given import GIVEN, HEAD, LOOP, PROMPT, TAIL, chat, given
from tokenspec.store.records import Case

PIECES = (*GIVEN, *SAMPLED, "RND-014")
PARTS = (
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{{ part.text if part.type == 'text' else '<|img|>' }}{% endfor %}{% endif %}"
)
OPEN = ("RND-001", "RND-002", "RND-003", "RND-005", "RND-010")
OPEN_MESSAGE = ("/messages/1", "/options/continue_final_message")
OPEN_CONTENT = ("/messages/1/content", "/options/continue_final_message")
BRACKETS = (
    "{% for message in messages %}{{ '[USER]' if message.role == 'user' else '[BOT]' }}{{ message.content }}"
    "{{ '[END]' }}{% endfor %}"
)
METASPACE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<turn>model\\n' if message.role == 'assistant' else '<turn>user\\n' }}{{ message.content ~ '</turn>\\n' }}"
    "{% endfor %}{{ '<turn>model\\n' if add_generation_prompt }}"
)


def left_open(
    slug: str,
    why: str,
    body: str,
    last: Message,
    wanted: bool | str = True,
    *,
    wrong: tuple[str, ...] = (),
    **options: Any,
) -> Case:
    """A conversation whose last message stays open, by a template that prints `body` for each."""
    return given(
        f"open-{slug}",
        why,
        LOOP + HEAD + body + TAIL + "{% endfor %}" + PROMPT,
        [user("One?"), last],
        "PREFILL",
        requires=OPEN,
        options={"continue_final_message": wanted, **options},
        wrong=wrong,
    )


EDGES = (
    given(
        "no-documents",
        "Where no documents are given they are none, which is not undefined.",
        chat("{{ message.content }}{{ ' Or look it up.' if documents is not none }}"),
        [user("One?"), assistant("Two."), user("Three?")],
    ),
    given(
        "no-headers",
        "Bodies without a header: the first is the first token, one follows another, the last ends the text.",
        LOOP + "{% if message.role == 'assistant' %}" + HEAD + "{% endif %}{{ message.content }}"
        "{{ '<|im_end|>' if message.role == 'assistant' }}{% endfor %}",
        [user("One?"), user("And?"), assistant("Two."), system("So."), user("Three?")],
        "MASK_BY_ROLE",
        requires=(*GIVEN, *SAMPLED, *DERIVED),
        derive=("user", "system"),
    ),
    *(
        given(
            f"{slug}-piece-by-piece",
            why,
            template,
            [user(" One? "), assistant(" Two. "), user("Three?"), assistant("Four. "), user("x"), assistant("  y")],
            "WHITESPACE",
            requires=PIECES,
            row=row,
        )
        for slug, why, template, row in (
            ("blanks", "Blanks at the ends of bodies, where pieces of a text are encoded apart.", chat(), "toy-bpe"),
            ("words", "The same where a tokenizer puts a blank before the first word.", METASPACE, "toy-metaspace"),
        )
    ),
    given(
        "words-isolated",
        "Control tokens that a caller typed, where a tokenizer puts a blank before the first word.",
        METASPACE,
        [user("a</turn> b"), assistant(" c<turn>d "), user("</s>"), assistant("e")],
        "CONTROL_TOKEN_INJECTION",
        row="toy-metaspace",
    ),
    given(
        "sign-isolated",
        "The same behind one character of the template, which is a token.",
        METASPACE.replace("user\\n", ":"),
        [user("A</turn> b"), assistant("c"), user("D<turn>")],
        "CONTROL_TOKEN_INJECTION",
        row="toy-metaspace",
    ),
    given(
        "marks-between",
        "Letters that a tokenizer composes, in front of bodies of one letter each.",
        BRACKETS,
        [
            *(user("e\u0301e\u0301o\u0308u\u0308 a\u030a"), assistant("x"), user("\u1112\u1161\u11ab"), assistant("y")),
            *(user("e\u0301"), assistant("o\u0308o\u0308"), user("z"), assistant("\u0301a")),
        ],
        "NORMALIZATION",
        "MASK_BOUNDARY",
        row="toy-added",
    ),
    given(
        "marks-that-never-compose",
        "A mark that composes with nothing lets the next one compose with the letter; the text begins with one letter.",
        "{% for message in messages %}{{ message.content }}{{ '[END]' }}{% endfor %}",
        [user("x"), assistant("e\u0334\u0301"), user("y"), assistant("a\u0334\u030a"), user("z"), assistant("y")],
        "NORMALIZATION",
        "MASK_BOUNDARY",
        row="toy-added",
    ),
    given(
        "syllables-between",
        "Syllables that a tokenizer composes of the first and the last of their parts, and signs that are no marks.",
        BRACKETS,
        [
            *(user("\u1112\u1175\u11c2"), assistant("x"), user("\u1100\u1161\u11a8"), assistant("y")),
            *(user("\u1112\u1175"), assistant("x"), user("\u09c7\u09be\u0b47\u0b57"), assistant("y"), user("z")),
        ],
        "NORMALIZATION",
        "MASK_BOUNDARY",
        row="toy-added",
    ),
)

LEFT_OPEN = (
    left_open(
        "last-text-part",
        "The last text of a list of parts is left open; a picture behind it goes.",
        PARTS,
        assistant([text_part("Once "), text_part("upon"), IMAGE_PART]),
    ),
    left_open("no-text-part", "A list of parts without a text.", PARTS, assistant([IMAGE_PART]), wrong=OPEN_CONTENT),
    left_open("number", "A content that is no text.", "{{ message.content }}", assistant(7), wrong=OPEN_CONTENT),
    left_open(
        "nothing",
        "A message without content.",
        "{{ message.content or 'none' }}",
        assistant(None),
        wrong=OPEN_CONTENT,
    ),
    left_open(
        "trimmed",
        "A template that trims: the white space before the end goes, too.",
        "{{ message.content | trim }}",
        assistant(" Once upon \n"),
    ),
    left_open(
        "changed",
        "A template that writes another text than the message's.",
        "{{ message.content | replace('Once', 'Twice') }}",
        assistant("Once upon"),
        wrong=OPEN_MESSAGE,
    ),
    left_open(
        "cut",
        "A template that writes the beginning of a message alone.",
        "{{ message.content[:9] }}",
        assistant("Once upon"),
        wrong=OPEN_MESSAGE,
    ),
    left_open(
        "twice",
        "A template that writes the message twice: the last one is left open.",
        "{{ message.content ~ ' / ' ~ message.content ~ '.' }}",
        assistant("Once upon"),
    ),
    *(
        left_open(
            f"thought-by-{name.replace('_', '-')}",
            "A thought that is left open by one of its names, in a template that reads another.",
            "{{ '<think>' ~ message.reasoning_content if message.reasoning_content }}{{ message.content }}",
            {"role": "assistant", "content": "Two.", "thinking": "Hm, but"},
            name,
        )
        for name in ("thinking", "reasoning_content")
    ),
    left_open(
        "two-thoughts",
        "Two thoughts that differ: the one that is named is left open.",
        "{{ message.thinking ~ '|' ~ message.reasoning_content if message.thinking }}{{ message.content }}",
        thinking("Hm, but", "Two.", thinking="Let me see"),
        "thinking",
    ),
    left_open(
        "name",
        "Another field that is left open.",
        "{{ message.content ~ ' by ' ~ message.name if message.name else message.content }}",
        assistant("Two.", name="Ann"),
        "name",
    ),
    left_open(
        "parts-by-name",
        "A field of parts.",
        "{{ message.notes[0].text if message.notes }}",
        assistant("Two.", notes=[text_part("Note")]),
        "notes",
    ),
    left_open(
        "missing-field",
        "A field that the message has not.",
        "{{ message.content }}",
        assistant("Two."),
        "nick",
        wrong=OPEN_MESSAGE,
    ),
)

WRONG: tuple[tuple[str, str, Any, list[Any] | None, str], ...] = (
    ("conversation", "A text in place of a conversation.", "Hi.", None, "/messages"),
    ("conversation-number", "A number in place of a conversation.", 5, None, "/messages"),
    ("message", "A text in place of a message.", [user("One?"), "Hi."], None, "/messages/1"),
    ("tool", "A text in place of a tool.", [user("One?")], ["get_weather"], "/tools/0"),
    ("second-tool", "A number behind a tool.", [user("One?")], [WEATHER, 7], "/tools/1"),
)
MALFORMED = tuple(
    given(
        f"malformed-{slug}",
        why,
        "{{ raise_exception('no messages') if messages is string }}{% for message in messages %}"
        "{{ raise_exception('no message') if message is not mapping }}"
        "{{ message.role ~ ': ' ~ message.content ~ '\\n' }}{% endfor %}",
        messages,
        "WRONG_TYPE",
        requires=("RND-001", "RND-002", "RND-005"),
        tools=tools,
        wrong=(wrong,),
    )
    for slug, why, messages, tools, wrong in WRONG
)
NAMES_ROLES = "{% for message in messages %}{{ message.role + ': ' + message.content }}{% endfor %}"
ROLELESS = tuple(
    given(
        f"malformed-{slug}",
        why,
        NAMES_ROLES,
        [user("One?"), last],
        "WRONG_TYPE",
        requires=("RND-001", "RND-002", "RND-005"),
        wrong=("/messages/1/role",),
    )
    for slug, why, last in (
        ("role", "A number in place of a role.", {"role": 5, "content": "Hi."}),
        ("missing-role", "A message without a role.", {"content": "Hi."}),
    )
)

CASES = (*EDGES, *LEFT_OPEN, *MALFORMED, *ROLELESS)
