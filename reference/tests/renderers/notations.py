"""Every notation of completions by the name of its family, and an encoder whose tokens are characters and markers."""

from functools import cache

from tokenspec_reference.renderers.families import FAMILIES, declared_by
from tokenspec_reference.renderers.family import Revisions
from tokenspec_reference.renderers.parsing import call_formats
from tokenspec_reference.renderers.parsing.parse import ResponseFormat
from tokenspec_reference.renderers.parsing.thought import ThoughtFormat

STOP = "<|stop|>"
FIRST_CONTROL = 0x110000
HARMONY_MARKERS = ("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|constrain|>")


@cache
def formats():
    found = {}
    for name in FAMILIES:
        declared = declared_by(name)
        if isinstance(declared, Revisions):
            found |= {f"{name}:{revision}": declared.family(revision).response for revision, _ in declared.markers}
        else:
            found[name] = declared.response
    listed = call_formats.CallFormat("<|img|>", "", call_formats.read_json_list, ends=call_formats.json_end)
    named = call_formats.CallFormat("<|img|>", "", call_formats.read_named_json)
    return {
        **found,
        "derived:list": ResponseFormat(calls=listed),
        "derived:named": ResponseFormat(thought=ThoughtFormat(), calls=named, before_content="\n", after_content="\n."),
    }


def markers_of(form):
    markers = ["<|python_tag|>"] if form.bare_calls else []
    if form.whole is not None:
        markers += HARMONY_MARKERS
    if form.thought is not None:
        markers += [form.thought.open, form.thought.close]
    if form.calls is not None:
        markers += [form.calls.begin, form.calls.end, *form.calls.sections]
        if form.calls.values is not None:
            markers += [form.calls.values.close, getattr(form.calls.values, "last", "")]
    return [marker for marker in dict.fromkeys(markers) if marker]


class CharacterEncoder:
    """Token ids are code points; markers that are control tokens have ids of their own, so has the stop token."""

    tokenizer = None

    def __init__(self, controls):
        self.added = {FIRST_CONTROL + n: text for n, text in enumerate((STOP, *controls))}

    def token_bytes(self, token):
        return bytes([token - 0x200000]) if token >= 0x200000 else chr(token).encode("utf-8", "surrogatepass")

    def ids(self, pieces):
        known = {text: token for token, text in self.added.items()}
        return [token for piece in pieces for token in ([known[piece]] if piece in known else map(ord, piece))]


STOP_IDS = frozenset({FIRST_CONTROL})
