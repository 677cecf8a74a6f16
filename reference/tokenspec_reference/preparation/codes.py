"""Every finding there is: how bad, which requirement it rests on, what it does to training, how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Level = Literal["error", "warning", "note"]
"""``error``: nothing of the row can be trained; ``warning``: not what was meant is trained; ``note``: a fact."""


@dataclass(frozen=True)
class Code:
    """A kind of finding. ``requirements`` are ids of the specification; empty where the row was never rendered.

    ``once``: it is told of the first row only that has it, since it mostly holds for all of them.
    """

    name: str
    level: Level
    requirements: tuple[str, ...]
    meaning: str
    effect: str
    cure: str
    once: bool = False


_ALL = (
    Code(
        "broken-record",
        "error",
        (),
        "The line is no JSON value.",
        "Loaders stop at it, or skip it and train on less than was paid for.",
        "Mend or delete the line that is named; a cut last line means that the writer was stopped.",
    ),
    Code(
        "wrong-encoding",
        "error",
        (),
        "The line holds bytes that are no UTF-8.",
        "Read under another encoding, every character beyond ASCII is trained as rubbish.",
        "Save the file as UTF-8 from the program that wrote it; the byte is named.",
    ),
    Code(
        "too-large",
        "error",
        (),
        "The record is larger than the bound for one record.",
        "One such row holds millions of tokens: a worker runs out of memory, or almost all of it is cut away.",
        "Usually a file pasted into a message. Split it, or raise --max-record-mb.",
    ),
    Code(
        "unknown-shape",
        "error",
        (),
        "The record is none of the known shapes of a conversation.",
        "Nothing can be rendered.",
        "Name the columns with --column, for example --column messages=chat.",
    ),
    Code(
        "refused",
        "error",
        ("RND-002",),
        "The template refuses the conversation; the detail has its own words.",
        "A trainer stops here after hours, or drops the row silently.",
        "Do what the words say: mostly the order of roles, a missing user message, or content of a wrong type.",
    ),
    Code(
        "template-limit",
        "error",
        ("RND-002",),
        "The template runs away on this conversation: too many steps or too much text.",
        "A worker would hang or run out of memory.",
        "Look at the loop of the template that is given; published templates do not do this.",
    ),
    Code(
        "tokenizer-limit",
        "error",
        (),
        "The tokenizer runs away on the text of this conversation: it takes too much time or memory, or panics.",
        "A worker would hang or run out of memory.",
        "Look at the patterns and normalizers of tokenizer.json; published tokenizers do not do this.",
    ),
    Code(
        "failed",
        "error",
        (),
        "The conversation could not be prepared, for a reason nobody foresaw.",
        "The row is left out; all others are prepared.",
        "Report it with the row: it is a defect of this program.",
    ),
    Code(
        "vanished-text",
        "warning",
        ("RND-077", "RND-083"),
        "Content beside a call, a call or a tool was given and is not in the rendered text.",
        "The model is trained to answer without having seen it, or never to call.",
        "Use a role or a field that the template writes; see: tokenspec explain ROW.",
    ),
    Code(
        "message-vanished",
        "error",
        ("RND-077", "RND-083"),
        "Nothing of a message is in the rendered text: no content, no call, no reasoning.",
        "The model is trained to answer without having seen it, or trained on an empty turn.",
        "Give the message a role that the template writes, with --speaker NAME=ROLE, or remove it.",
    ),
    Code(
        "all-text-vanished",
        "error",
        ("RND-077", "RND-083"),
        "Nothing of what the messages say is in the rendered text.",
        "Empty turns would be trained.",
        "Mostly content of a form that the template does not read: give texts instead of lists of parts.",
    ),
    Code(
        "media-not-expanded",
        "error",
        ("RND-077",),
        "The conversation holds images, video or sound, which are not expanded here.",
        "One placeholder, or none, would stand where the model sees hundreds of tokens.",
        "Give --media where the reference knows the model's media; else prepare the rows with the model's processor.",
    ),
    Code(
        "unknown-role",
        "warning",
        (),
        "A role that the template does not know.",
        "The turn is refused, left out, or trained under a header the model never sees again.",
        "Say which role it stands for with --speaker, for example --speaker human=user --speaker bot=assistant.",
    ),
    Code(
        "odd-json",
        "warning",
        (),
        "The record holds NaN, an infinity or a repeated key, on which readers of JSON do not agree.",
        "Calls are trained that no parser takes; of a repeated key all values but the last are lost.",
        "Mend the program that wrote it: null for what is no number, each key once.",
    ),
    Code(
        "unread-call",
        "error",
        ("RND-083",),
        "A call is given under a name that neither the template nor a reader of data sets reads.",
        "The turn is trained without its call.",
        'Give calls as tool_calls: function_call F becomes tool_calls [{"type": "function", "function": F}].',
    ),
    Code(
        "ignored-weight",
        "warning",
        (),
        "A weight or a mask is given that is not read; only 0 and 1 of messages are. Told of the first row.",
        "The messages are trained with full weight.",
        "Give messages weight 0 or train false to leave them out; other weights belong into the trainer.",
        once=True,
    ),
    Code(
        "ignored-input",
        "warning",
        (),
        "Something is given that would change the ids, or is ids, and is not read. Told of the first row.",
        "Other tokens are trained than were meant or sampled.",
        "Give template options with --option; recorded ids are not taken over, the text is encoded again.",
        once=True,
    ),
    Code(
        "unknown-column",
        "note",
        (),
        "A column, or a key of messages, that nothing reads. Told of the first row.",
        "None, unless it holds what was to be trained.",
        "Name a column with --column where it holds the conversation or the tools; rename a key to what is read.",
        once=True,
    ),
    Code(
        "prefix-unstable",
        "note",
        ("RND-072",),
        "The text up to a turn is not how the whole conversation begins: later messages rewrite it.",
        "The turn is trained in another form than it has when it is sampled; caches miss; step-wise masks shift.",
        "Train one sample a turn (the conversation cut behind each), or use a template that only appends.",
    ),
    Code(
        "sampled-differs",
        "warning",
        ("RND-073",),
        "The generation prompt is not how the rendered turn begins: a sampler stands elsewhere than the training text.",
        "The first tokens of the turn are trained in a place where the model never samples them.",
        "Give reasoning where the prompt opens a thought, or set the option that the prompt is made with.",
    ),
    Code(
        "control-token",
        "warning",
        ("RND-015",),
        "Text of a message spells a control token, which becomes the control token itself.",
        "A turn seems to end, or another to begin, inside a message; in a trained turn that is learnt.",
        "Remove or break up the text, or encode with encoding='isolated'.",
    ),
    Code(
        "header-merges",
        "warning",
        ("RND-027",),
        "The first characters of a body share a token with the header before it.",
        "These characters are not in the mask, and the header is another token than that of the prompt.",
        "Strip white space from the beginning of the content.",
    ),
    Code(
        "empty-loss-mask",
        "error",
        ("RND-029",),
        "No token of the conversation is trained.",
        "The row costs compute and gives no gradient; a batch of such rows gives NaN.",
        "Add the assistant's answer, or remove the row. Prompts alone belong into evaluation.",
    ),
    Code(
        "untrained-turn",
        "warning",
        ("RND-029",),
        "An assistant turn was to be trained and no token of it is.",
        "The answer is context only.",
        "Mostly a turn the template leaves out or rewrites; look at its tokens.",
    ),
    Code(
        "unattributed",
        "warning",
        ("RND-029",),
        "Tokens of an assistant turn of which the template does not show whether the model writes them.",
        "They are not trained.",
        "Use a row whose turns are declared, or a template whose prompt is how its turns begin.",
    ),
    Code(
        "broken-call",
        "warning",
        ("RND-061", "RND-063"),
        "A call is malformed, cut, or does not read back as it was given.",
        "The model learns to write calls that no parser takes.",
        "Arguments are a JSON object, or its text; the detail says where it breaks.",
    ),
    Code(
        "call-without-result",
        "warning",
        ("RND-083",),
        "A call is followed by other messages, but by no result of its own.",
        "The model learns to go on as if a tool had answered.",
        "Add the tool message, or end the conversation with the call.",
    ),
    Code(
        "result-without-call",
        "warning",
        ("RND-083",),
        "A tool result answers no call before it.",
        "The model sees results it never asked for.",
        "Add the call, or give the result the id of the call it answers.",
    ),
    Code(
        "reasoning-dropped",
        "warning",
        ("RND-077",),
        "Reasoning was given with a turn, and the template leaves it out at that place of the conversation.",
        "The turn is trained as if the model had answered without thinking.",
        "Cut the conversation behind each turn with reasoning: most templates keep it in the last one.",
    ),
    Code(
        "over-length",
        "warning",
        (),
        "The conversation has more tokens than --max-length; the detail says what was cut.",
        "What is cut is not trained. Cut inside a body, an answer has no end and the model learns none.",
        "Raise --max-length, or split the conversation; --overlong says where it may be cut.",
    ),
    Code(
        "duplicate",
        "note",
        (),
        "The same messages and tools stand in an earlier row.",
        "The conversation weighs twice; held out, it leaks.",
        "Remove the later row.",
    ),
)

CODES = MappingProxyType({code.name: code for code in _ALL})
