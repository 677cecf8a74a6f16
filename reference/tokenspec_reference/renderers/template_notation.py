"""The notation of any chat template: what it writes around answers, thoughts and calls.

A template is asked to write a thought and a call with known words; what stands around these words is its markers.
Where that shows nothing, the formats of the hand-written families are tried: one that reads all the template writes is
its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TemplateRejects, UnsupportedByReference
from tokenspec_reference.renderers.bridge import in_parts, spellings
from tokenspec_reference.renderers.encode import any_of
from tokenspec_reference.renderers.families import FAMILIES, load_family
from tokenspec_reference.renderers.parsing import call_formats
from tokenspec_reference.renderers.parsing.call_formats import CallFormat, ToolSchemas
from tokenspec_reference.renderers.parsing.completion import read_completion
from tokenspec_reference.renderers.parsing.gemma_calls import GEMMA_CALLS
from tokenspec_reference.renderers.parsing.parse import ResponseFormat, parse_completion
from tokenspec_reference.renderers.parsing.thought import PromptThought, ThoughtFormat, read_prompt

if TYPE_CHECKING:
    from tokenspec_reference.renderers.family import Family
    from tokenspec_reference.renderers.renderer import Renderer

TOOL = {
    "type": "function",
    "function": {"name": "na5me", "description": "f", "parameters": {"type": "object", "properties": {}}},
}
SYSTEM, ASK, REASON, ANSWER, NAME, VALUE = "sy5tem", "que5tion", "rea5on", "an5wer", "na5me", "val5ue"
CALL = {"id": "c4ll1ng01", "type": "function", "function": {"name": NAME, "arguments": {"key": VALUE}}}
KNOWN_CALLS = (
    call_formats.JSON_CALLS,
    call_formats.XML_CALLS,
    call_formats.KEY_VALUE_CALLS,
    call_formats.MINIMAX_CALLS,
    call_formats.DEEPSEEK_CALLS,
    call_formats.DEEPSEEK_BARE_CALLS,
    call_formats.HY3_CALLS,
    call_formats.DSML_CALLS,
    call_formats.DSML_FUNCTION_CALLS,
    GEMMA_CALLS,
)
_TAG = re.compile(r"<[^<>\s]+>")
_EMPTY_THOUGHT = re.compile(r"(<[a-z_]*think[a-z_]*>)(\s*)(</[a-z_]*think[a-z_]*>)(\s*)\Z")
_PROMPTED_THOUGHT = re.compile(r"(<[a-z_]*think[a-z_]*>)\s*$")


@dataclass(frozen=True)
class Asked:
    """A question as a template writes it, without and with the generation prompt; empty where it refuses every one."""

    ahead: str
    prompted: str

    @property
    def opening(self) -> str:
        """The generation prompt behind the question; empty where the template writes it anew."""
        return self.prompted[len(self.ahead) :] if self.prompted.startswith(self.ahead) else ""

    @property
    def is_written_anew(self) -> bool:
        """Whether something else stands in front of the question with the generation prompt than without it."""
        return not self.prompted.startswith(self.ahead.partition(ASK)[0])


def ask(renderer: Renderer) -> Asked:
    """A question in the first form that the template does not refuse."""
    for asked, tools in _questions():
        try:
            prompted, *_ = renderer.render_parts(asked, tools=tools, add_generation_prompt=True)
            ahead, *_ = renderer.render_parts(asked, tools=tools)
        except TemplateRejects:
            continue
        return Asked(ahead, prompted)
    return Asked("", "")


def notation_of(
    renderer: Renderer, opened: str, earlier: Callable[[], Renderer]
) -> tuple[ResponseFormat, dict[str, UnsupportedByReference]]:
    """How completions of a template are read, and why ``thoughts`` or ``calls`` are not, where they are not.

    Args:
        renderer: renders by the template.
        opened: its generation prompt.
        earlier: renders by the template as transformers 4 does; asked where it writes no calls.
    """
    unreadable: dict[str, UnsupportedByReference] = {}
    before, after = _around_content(renderer, opened)
    response = ResponseFormat(before_content=before, after_content=after)
    try:
        response = replace(response, thought=_thought(renderer, before, opened))
    except UnsupportedByReference as unsupported:
        unreadable["thoughts"] = unsupported
    try:
        calls = _calls(renderer, response.thought)
        if calls is None and "tool_calls" in (renderer.chat_template or ""):
            calls = _calls(earlier(), response.thought)
        response = replace(response, calls=calls)
    except UnsupportedByReference as unsupported:
        unreadable["calls"] = unsupported
    return response, unreadable


def history_before_results(renderer: Renderer, present: frozenset[str]) -> list[Mapping[str, Any]]:
    """A question, and a call with its result where a prompt had one and the template writes the next one otherwise.

    Args:
        renderer: renders by the template.
        present: the control tokens of the prompt.
    """
    asked = {"role": "user", "content": ASK}
    told = {"role": "tool", "content": ANSWER, "name": NAME, "tool_call_id": CALL["id"]}
    try:
        question, *_ = renderer.render_parts([asked], tools=[TOOL], add_generation_prompt=True)
    except TemplateRejects:
        return [asked]
    for called in _spellings({"role": "assistant", "content": "", "tool_calls": [CALL]}):
        try:
            conversation = [asked, called, told, called, told]
            text, *_ = renderer.render_parts(conversation, tools=[TOOL], add_generation_prompt=True)
        except TemplateRejects:
            continue
        first, second, *_ = (part.rpartition(VALUE)[2] for part in f"{text}{ANSWER}".split(ANSWER))
        if any(one in first and one not in question + second for one in present):
            return [asked, called, told]
    return [asked]


def _questions() -> Iterator[tuple[list[Mapping[str, Any]], Any]]:
    """A question as templates insist on it: text or parts, without tools or with one, or behind a system text."""
    question = {"role": "user", "content": ASK}
    for tools in (None, [TOOL]):
        yield [question], tools
        yield [in_parts(question)], tools
    yield [{"role": "system", "content": SYSTEM}, question], None


def _turn_text(renderer: Renderer, turn: Mapping[str, Any]) -> str | None:
    """What the template writes behind a question for one turn, in the form that it writes all words of.

    None where it refuses every form; where it writes all words in none of them, what it writes last.
    """
    words = [turn["content"] or "", VALUE if turn.get("tool_calls") else ""]
    text: str | None = None
    for asked, tools in _questions():
        for spelled in _spellings(in_parts(turn) if isinstance(asked[-1]["content"], list) else turn):
            try:
                whole, *_ = renderer.render_parts([*asked, spelled], tools=tools)
                ahead, *_ = renderer.render_parts(asked, tools=tools)
            except TemplateRejects:
                continue
            text = whole.removeprefix(ahead)
            if all(word in text for word in words):
                return text
    return text


def _spellings(turn: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A turn as a bridge spells it, each form also with no content in place of an empty one."""
    for spelled in spellings(turn):
        yield spelled
        if not turn["content"]:
            yield {**spelled, "content": None}


def _around_content(renderer: Renderer, opened: str) -> tuple[str, str]:
    """What the template writes between its prompt and an answer, and between an answer and what closes the turn.

    White space behind an answer that nothing closes belongs to the answer.
    """
    text = _turn_text(renderer, {"role": "assistant", "content": ANSWER}) or ""
    before, _, behind = text.partition(ANSWER)
    before = before.removeprefix(opened) if before.startswith(opened) else ""
    closed = [behind.find(stop) for stop in renderer.family.stop_tokens if stop in behind]
    after = behind[: min(closed, default=len(behind))]
    return before, "" if after.isspace() and not closed else after


def _thought(renderer: Renderer, before_content: str, opened: str) -> ThoughtFormat | None:
    """Markers and white space around a thought; None where the template neither writes nor prompts one."""
    turn = {"role": "assistant", "reasoning_content": REASON, "content": ANSWER}
    texts = [_turn_text(renderer, told) for told in (turn, {**turn, "tool_calls": [CALL]})]
    inline = f"<think>\n{REASON}\n</think>\n\n{ANSWER}"
    rewritten = _turn_text(renderer, {"role": "assistant", "content": inline})
    if rewritten is not None and inline not in rewritten:
        texts.append(rewritten)
    text = next((text for text in texts if text is not None and REASON in text), None)
    if text is None:
        if empty := _EMPTY_THOUGHT.match(before_content) or _EMPTY_THOUGHT.search(opened):
            inside = len(empty[2]) // 2
            return ThoughtFormat(empty[1], empty[3], empty[2][:inside], empty[2][inside:], empty[4])
        prompted = _PROMPTED_THOUGHT.search(opened)
        return prompted and ThoughtFormat(prompted[1], f"</{prompted[1][1:]}")
    before, _, rest = text.partition(REASON)
    between, found, _ = rest.partition(ANSWER)
    begun, closed = before.rstrip(), between.lstrip()
    marker = any_of([*renderer.encoder.added.values(), *_TAG.findall(text)]).pattern
    opener = re.search(rf"(?:{marker})[a-z]*\Z", begun)  # or with a word behind it (<|channel>thought)
    closer = re.match(marker, closed)
    behind = closed[closer.end() :].removesuffix(before_content) if closer else ""
    if not found or opener is None or closer is None or behind.strip():
        raise UnsupportedByReference("the template writes thoughts in no known notation", field="template")
    return ThoughtFormat(
        opener[0],
        closer[0],
        after_open=before[len(begun) :],
        before_close=between[: len(between) - len(closed)],
        after_close=behind,
    )


def _calls(renderer: Renderer, thought: ThoughtFormat | None) -> CallFormat | None:
    """The notation that reads a written call back; None where the template writes none."""
    text = _turn_text(renderer, {"role": "assistant", "content": "", "tool_calls": [CALL]})
    if text is None or not (NAME in text or VALUE in text):
        return None
    own = (_named_json(renderer, text), _json_list(renderer, text))
    for form in (*KNOWN_CALLS, *own):
        if form is not None and _reads_call(renderer, form, text, thought):
            beside = _turn_text(renderer, {"role": "assistant", "content": ANSWER, "tool_calls": [CALL]}) or ""
            return replace(form, separator=_separator(form, beside))
    raise UnsupportedByReference("the template writes calls in no known notation", field="template")


def _separator(form: CallFormat, beside: str) -> str:
    """The white space between an answer and the block of a call, without the markers around a group of blocks."""
    between = beside.partition(ANSWER)[2].partition(form.begin)[0]
    for marker in form.sections:
        between = between.replace(marker, "")
    return between if not between.strip() else ""


def _named_json(renderer: Renderer, text: str) -> CallFormat | None:
    """A control token, the name, a blank, the JSON of the arguments, and no close."""
    before = text.partition(NAME)[0]
    marker = next((token for token in renderer.encoder.added.values() if before.endswith(token)), None)
    return None if marker is None else CallFormat(marker, "", call_formats.read_named_json)


def _json_list(renderer: Renderer, text: str) -> CallFormat | None:
    """A control token and the JSON list of all calls, and no close."""
    before = text.partition("[{")[0].rstrip()
    marker = next((token for token in renderer.encoder.added.values() if before.endswith(token)), None)
    return None if marker is None else CallFormat(marker, "", call_formats.read_json_list, ends=call_formats.json_end)


@dataclass(frozen=True)
class Wrote:
    """What a template wrote behind its prompt for a turn that says these things."""

    text: str
    content: str
    reasoning: str | None
    calls: int


def written(renderer: Renderer, opened: str) -> Iterator[list[Wrote]]:
    """An answer, a thought and a call as the template writes them behind its prompt; the call by two forms of its id.

    What it refuses or drops, or does not go on with from its prompt, is left out.
    """

    def wrote(reasoning: str | None, content: str, calls: list[Any]) -> Wrote | None:
        turn: dict[str, Any] = {"role": "assistant", "content": content}
        turn |= {"reasoning_content": reasoning} if reasoning else {}
        text = _turn_text(renderer, {**turn, "tool_calls": calls} if calls else turn)
        words = content or VALUE
        if text is None or not text.startswith(opened) or ASK in text or words not in text:
            return None
        if not opened and not calls and text.partition(words)[0].strip():
            return None  # nothing is prompted, so nothing tells where the emission begins
        thought = reasoning if reasoning and reasoning in text else None
        return Wrote(text[len(opened) :], content, thought, len(calls))

    plain = [wrote(None, ANSWER, []), wrote(REASON, ANSWER, [])]
    for call in (CALL, {**CALL, "id": f"functions.{NAME}:0"}):
        yield [sample for sample in (*plain, wrote(None, "", [call])) if sample is not None]


def family_alike(renderer: Renderer, opened: str, samples: Sequence[Sequence[Wrote]]) -> Family | None:
    """The template's family with the format and the stops of a hand-written one that reads all that it writes.

    A call is among it, in one of two forms of its id.
    """
    whole = [sample for sample in samples if any(wrote.calls for wrote in sample)]
    for name in FAMILIES:
        known = load_family(name, renderer.chat_template)
        stops = tuple(filter(renderer.encoder.has, known.stop_tokens))
        family = replace(renderer.family, response=known.response, stop_tokens=stops)
        reader = replace(renderer, family=family)
        if stops[:1] == known.stop_tokens[:1] and any(reads_back(reader, opened, sample) for sample in whole):
            return family
    return None


def misread(renderer: Renderer, asked: Asked, samples: Sequence[Sequence[Wrote]]) -> dict[str, UnsupportedByReference]:
    """Why ``thoughts`` or ``calls`` must not be read by a renderer: it would not, as the template writes them."""
    found: dict[str, UnsupportedByReference] = {}
    for what, is_call in (("thoughts", False), ("calls", True)):
        wrote = [[one for one in sample if bool(one.calls) is is_call] for sample in samples]
        if not any(reads_back(renderer, asked.opening, sample) for sample in wrote):
            found[what] = UnsupportedByReference(
                f"{what} are not read back as the template writes them", field="template"
            )
    if asked.is_written_anew:
        found["thoughts"] = UnsupportedByReference("the prompt does not go on from the question", field="template")
    return found


def reads_back(renderer: Renderer, opened: str, samples: Sequence[Wrote]) -> bool:
    """Whether a renderer reads what a template wrote behind its prompt."""
    form, prompt = renderer.family.response, PromptThought()
    if form.thought is not None:
        prompt = read_prompt(opened, form.thought, opened.rfind(form.thought.open), opened.rfind(form.thought.close))
    for wrote in samples:
        view = read_completion(renderer.encoder, renderer.encoder.ids(wrote.text), renderer.stop_ids)
        found = parse_completion(view, form, ToolSchemas(None), prompt)
        said = [(call.name, call.arguments, call.status) for call in found.tool_calls]
        wanted = (wrote.content, wrote.reasoning, [(NAME, {"key": VALUE}, "ok")] * wrote.calls)
        if (found.content.strip(), found.reasoning_content or None, said) != wanted:
            return False
    return True


def _reads_call(renderer: Renderer, form: CallFormat, text: str, thought: ThoughtFormat | None) -> bool:
    start = text.rfind(form.begin)
    if start < 0:
        return False
    view = read_completion(renderer.encoder, renderer.encoder.ids(text[start:]), renderer.stop_ids)
    found = parse_completion(view, ResponseFormat(thought, form), ToolSchemas(None), PromptThought())
    return [(call.name, call.arguments, call.status) for call in found.tool_calls] == [(NAME, {"key": VALUE}, "ok")]
