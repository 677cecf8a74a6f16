"""Facts of the wire format, inferred from renders and marked for review: what opens and closes an assistant turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokenspec.certificate.calls import spelling_of
from tokenspec.certificate.probe import Probe, Refused
from tokenspec.certificate.scenarios import TOOLS, result
from tokenspec.guard.strangers import strangers
from tokenspec.models.spec import Wire

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenspec.addition.files import Published
    from tokenspec.certificate.facts import Facts
    from tokenspec.models.rows import Row

THINK = re.compile(r"</?think>\s*$")
ASKED, ANSWERED, AGAIN, FOUND = "Zebra?", "Quagga.", "Okapi?", "Gnu."


def infer_wire(row: Row, published: Published) -> Wire:
    """Opener: what generation prompt and history have in common; closer: the first control token after a body."""
    probe, known = Probe(row), tuple(published.added)
    question: dict[str, Any] = {"role": "user", "content": ASKED}
    answer: dict[str, Any] = {"role": "assistant", "content": ANSWERED}
    asked, final = _text(probe, [question]), _text(probe, [question, answer])
    chat = _text(probe, [question, answer, {"role": "user", "content": AGAIN}])
    prompt = _text(probe, [question], prompt=True).removeprefix(asked)
    whole = chat or final
    header = whole[_after(whole, ASKED) : max(whole.find(ANSWERED), 0)]
    if asked and whole.startswith(asked):
        header = whole[len(asked) : max(whole.find(ANSWERED), 0)] or header
    opener = THINK.sub("", _common_tokens(row, prompt, header)) or _last_control(header, known)
    ends = end_tokens(row, published)
    closers = [_first_control(text[_after(text, ANSWERED) :], known) for text in (chat, final)]
    last = closers[1] or closers[0]
    spelling = spelling_of(probe)
    called = [question, spelling.call({"word": ASKED})]
    answered = _text(probe, [*called, result(FOUND), answer], tools=TOOLS)
    behind_call = answered[answered.rfind(ASKED) : answered.find(FOUND)] if FOUND in answered else ""
    closers.append(_first_control(behind_call, {*ends, *closers}))
    behind_result = answered[_after(answered, FOUND) : answered.find(ANSWERED)] if FOUND in answered else ""
    openers = [opener]
    if behind_result and opener not in behind_result:
        openers.append(_last_control(behind_result, known))
    return Wire(assistant_open=_unique(openers), assistant_close=_unique(closers), stop=_unique([last, *ends]))


def _text(probe: Probe, messages: list[Any], *, tools: list[Any] | None = None, prompt: bool = False) -> str:
    text = probe.text(messages, tools=tools, prompt=prompt)
    return "" if isinstance(text, Refused) else text


def _after(text: str, body: str) -> int:
    return text.find(body) + len(body) if body in text else len(text)


def _common_tokens(row: Row, one: str, other: str) -> str:
    """The longest common start of two texts that ends between tokens of both."""
    tokenizer, shared = row.tokenizer, []
    with strangers("tokenizer", len(one) + len(other)):
        lists = [list(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in (one, other)]
        for left, right in zip(*lists, strict=False):
            if left != right:
                break
            shared.append(left)
        text = str(tokenizer.decode(shared))
    return text if one.startswith(text) and other.startswith(text) else ""


def _first_control(text: str, known: Iterable[str]) -> str:
    """The control token that begins first; of several the longest."""
    found = [(at, -len(token), token) for token in known if token and (at := text.find(token)) >= 0]
    return min(found)[2] if found else ""


def _last_control(text: str, known: Iterable[str]) -> str:
    found = [(at, len(token), token) for token in known if token and (at := text.rfind(token)) >= 0]
    return max(found)[2] if found else ""


def end_tokens(row: Row, published: Published) -> list[str]:
    """End-of-sequence tokens: of ``generation_config.json`` (one id or several), then of the tokenizer."""
    stated = published.generation.get("eos_token_id")
    ids = stated if isinstance(stated, list) else [stated]
    texts = [str(row.tokenizer.convert_ids_to_tokens(one)) for one in ids if isinstance(one, int)]
    return list(_unique([*texts, published.named.get("eos_token", "")]))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))


def infer_features(facts: Facts) -> tuple[str, ...]:
    """Which cases apply: what the template shows of system messages, tools, results, reasoning, parts, the date."""
    shows_calls = facts.calls.arguments != "none"
    found = {
        "system": facts.roles["system"] == "kept",
        "tools": facts.tools.shown == "shown" and shows_calls,
        "tool-role": facts.roles["tool"] == "kept",
        "thinking": "kept" in {facts.reasoning.final, facts.reasoning.in_loop, facts.reasoning.history},
        "parts": facts.parts["user"] == "joined",
        "date": facts.date.depends,
    }
    return tuple(name for name, holds in found.items() if holds)
