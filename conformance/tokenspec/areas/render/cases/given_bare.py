"""Templates that come with the conversation and print bodies alone: nothing stands between messages, or around them."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import DERIVED, assistant, user
from tokenspec.areas.render.cases.build_given import GIVEN, given

BARE = "{% for message in messages %}{{ message.content }}{% endfor %}"
MASKS = ("RND-005", *DERIVED)

CASES = (
    given(
        "bare-question",
        "A body is the whole text: its tokens are the first message's, to the last.",
        BARE,
        [user("Which city?")],
        requires=(*GIVEN, *MASKS),
        derive=("user",),
    ),
    given(
        "bare-questions",
        "Bodies of one role that touch are of two messages all the same.",
        BARE,
        [user("Which city?"), user("\nIn Europe.")],
        requires=(*GIVEN, *MASKS),
        derive=("user",),
    ),
    given(
        "bare-nothing",
        "A template that prints nothing at all: no tokens, and no masks of them.",
        "{% for message in messages %}{% endfor %}",
        [user("Which city?")],
        requires=("RND-001", "RND-005", *DERIVED),
        derive=("user",),
    ),
    given(
        "bare-answer-left-open",
        "White space that a text begins with stays where what is left open is trimmed.",
        "{{ '\n' }}{% for message in messages %}{{ message.content | trim ~ '<|im_end|>' }}{% endfor %}",
        [user("Which city?"), assistant("Lisbon ")],
        requires=("RND-001", "RND-005"),
        options={"continue_final_message": True},
    ),
)
