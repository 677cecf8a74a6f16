"""One certificate: all facts of one row, measured by the installed oracle."""

from __future__ import annotations

from typing import Any

from tokenspec.guard.strangers import strangers
from tokenspec.models import Row
from tokenspec.oracle.transformers import versions

from . import calls, conversation, stability, turns
from .facts import Certificate, Facts, Tokens
from .losses import losses
from .probe import Probe, Refused, text_row
from .scenarios import USER
from .source import template_facts


def certify(row: Row, *, with_tokens: bool = True) -> Certificate:
    """Measure every fact. ``with_tokens`` False leaves out those that need the vocabulary, which is slow to load."""
    return Certificate(
        row=row.id,
        pins=row.pins,
        options=dict(row.options),
        oracle=versions(),
        facts=measure(row, with_tokens=with_tokens),
        reviewed=[],
    )


def measure(row: Row, *, with_tokens: bool) -> Facts:
    """The facts alone."""
    probe = Probe(text_row(row))
    template = template_facts(row.chat_template)
    spelling = calls.spelling_of(probe)
    prefix, coherence, stable = stability.stability(probe, spelling)
    return Facts(
        prefix=prefix,
        coherence=coherence,
        prefix_stable=stable,
        variants=stability.variants(probe, spelling, template.reads),
        prompt=turns.prompt(probe, spelling),
        calls=calls.calls(probe, spelling),
        tools=calls.tools(probe, spelling),
        roles=conversation.roles(probe, spelling),
        content=conversation.content(probe, spelling),
        parts=conversation.parts(probe, spelling),
        reasoning=conversation.reasoning(probe, spelling),
        losses=losses(probe, spelling),
        system=conversation.system(probe),
        date=conversation.date(probe, spelling),
        stop=turns.stop(probe, spelling),
        template=template,
        tokens=tokens(row, probe) if with_tokens else None,
    )


def tokens(row: Row, probe: Probe) -> Tokens:
    """:func:`token_facts` of a tokenizer that may be a stranger's."""
    text, tokenizer = probe.text([USER]), row.tokenizer
    with strangers("tokenizer"):
        return token_facts(row, tokenizer, text)


def token_facts(row: Row, tokenizer: Any, text: str | Refused) -> Tokens:
    """How often BOS begins the text, what a plain encode adds around it, and the ids of the stop strings."""
    bos = tokenizer.bos_token
    count = 0
    while bos and not isinstance(text, Refused) and text.startswith(bos * (count + 1)):
        count += 1
    plain = tokenizer("x", add_special_tokens=False)["input_ids"]
    added = tokenizer("x", add_special_tokens=True)["input_ids"]
    start = next((at for at in range(len(added)) if added[at : at + len(plain)] == plain), 0)
    return Tokens(
        bos_in_text=count,
        encode_adds=(added[:start], added[start + len(plain) :]),
        stop_ids={text: list(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in row.spec.wire.stop},
    )
