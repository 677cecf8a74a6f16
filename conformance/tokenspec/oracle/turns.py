"""What a row's own template writes for one assistant turn after a generation prompt, and where that turn stops.

Only the template knows where a turn begins (right after the prompt that was sampled from) and where it ends, so the
oracle is asked; whose characters the turn's are is found by differences.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tokenspec.models import Row
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options

from .attribution import Path, Undecidable, attribute

Message = dict[str, Any]
THOUGHT = "Let me see."


class NotApplicable(Exception):
    """The row cannot express the completion; the message says why."""


@dataclass(frozen=True)
class Turn:
    """What the template writes for one assistant turn after the generation prompt.

    ``text`` runs through the stop token, ``body`` to just before it. ``fields`` are the ranges in ``text`` of each
    caller string of the turn, by its path inside the message. ``borrowed_stop`` says that the stop token is the tag
    of the next message, which the template does not write as part of this turn.
    """

    message: Message
    text: str
    body: str
    fields: dict[Path, list[tuple[int, int]]]
    borrowed_stop: bool = False

    def reach(self, *keys: str) -> int:
        """Where the last character of these fields ends in ``text``, or 0 when the template writes none of them."""
        return max((end for path, ranges in self.fields.items() if path[0] in keys for _, end in ranges), default=0)


@dataclass(frozen=True)
class Thought:
    """What the template writes before reasoning (after the prompt), and between reasoning and content."""

    open: str
    close: str


@dataclass(frozen=True)
class Conversation:
    """The history of a completion on one row, with the oracle that renders it."""

    row: Row
    messages: list[Any]
    tools: list[Any] | None
    options: dict[str, Any]
    oracle: TransformersOracle = field(init=False)

    def __post_init__(self) -> None:
        """Bind the oracle of the row."""
        object.__setattr__(self, "oracle", TransformersOracle(self.row))

    def render(self, more: list[Any], *, generation_prompt: bool) -> str:
        """The text of the history followed by ``more``. Raises OracleRefuses."""
        options = {**effective_options(self.row, self.options), "add_generation_prompt": generation_prompt}
        return self.oracle.text([*self.messages, *more], self.tools, options)

    def prompt(self) -> str:
        """The text that was sampled from. Raises NotApplicable where the template refuses the history."""
        try:
            return self.render([], generation_prompt=True)
        except OracleRefuses as refusal:
            raise NotApplicable(f"the template refuses the history: {refusal.kind}") from refusal

    def prompt_ids(self) -> list[int]:
        """The canonical ids of the prompt."""
        return encode(self.row, self.prompt())

    def turn(self, message: Message) -> Turn:
        """The text of a turn after the prompt.

        Where the prompt opens a thought, a turn without reasoning gets one: a model cannot but think there.

        Raises:
            NotApplicable: the template refuses the turn, or writes one that does not continue its own prompt.
        """
        try:
            return self._turn(message)
        except NotApplicable:
            if message.get("reasoning_content"):
                raise
        return self._turn({**message, "reasoning_content": THOUGHT})

    def _turn(self, message: Message) -> Turn:
        prompt = self.prompt()
        try:
            text = self.render([message], generation_prompt=False)
            owners = attribute([message], lambda changed: self.render(changed, generation_prompt=False))
        except OracleRefuses as refusal:
            raise NotApplicable(f"the template refuses the turn: {refusal.kind}") from refusal
        except Undecidable as undecidable:
            raise NotApplicable(f"the owners of the turn's text cannot be told: {undecidable}") from undecidable
        if not text.startswith(prompt):
            raise NotApplicable("what the template writes for this turn does not continue its own generation prompt")
        fields = {
            path[1:]: [(start - len(prompt), end - len(prompt)) for start, end in ranges if start >= len(prompt)]
            for path, ranges in owners.strings.items()
        }
        written = text[len(prompt) :]
        last = max((end for ranges in fields.values() for _, end in ranges), default=0)
        start, end = find_close(self.row, written, last)
        if start == end:
            following = _following(message)
            tag = self._next_tag(message, following, prompt + written)
            is_borrowed = bool(tag) and self._opens(tag, following)
            return Turn(message, written + tag, written, fields, borrowed_stop=is_borrowed)
        return Turn(message, written[:end], written[:start], fields)

    def _next_tag(self, message: Message, following: list[Message], so_far: str) -> str:
        """What stops a turn that has no close while it is the last: the tag of the message after it, or its own close.

        Empty where the template writes no turn close there at all (results that are written inside the turn).
        """
        try:
            text = self.render([message, *following], generation_prompt=False)
        except OracleRefuses as refusal:
            raise NotApplicable(f"the template refuses a message after the turn: {refusal.kind}") from refusal
        between = text[_common(text, so_far) : text.find("qzqz")]
        found = [(between.rfind(tag), tag) for tag in self.row.spec.wire.assistant_close if tag in between]
        return max(found)[1] if found else ""

    def _opens(self, tag: str, following: list[Message]) -> bool:
        """Whether the message after a turn has the tag without the turn, too; a template may refuse it alone."""
        try:
            ahead = self.render([], generation_prompt=False)
            return tag in self.render(following, generation_prompt=False)[len(ahead) :]
        except OracleRefuses:
            return True

    def thought(self) -> Thought | None:
        """How the template writes a thought after this prompt, or None where it writes none."""
        try:
            probe = self.turn({"role": "assistant", "reasoning_content": "reasons", "content": "answer"})
        except NotApplicable:
            return None
        reasoning, content = probe.fields.get(("reasoning_content",)), probe.fields.get(("content",))
        if not reasoning or not content or reasoning[-1][1] > content[0][0]:
            return None
        return Thought(probe.text[: reasoning[0][0]], probe.text[reasoning[-1][1] : content[0][0]])

    def prompt_opens_thought(self) -> bool:
        """Whether the generation prompt leaves a thought open."""
        return self.opened_thought() is not None

    def opened_thought(self) -> Thought | None:
        """The thought that the generation prompt leaves open, where it does: reasoning is written right after it."""
        thought = self.thought()
        return thought if thought is not None and thought.open.strip() == "" else None


def _following(message: Message) -> list[Message]:
    """What comes after a turn: the results of its calls, else a user's message."""
    results: list[Message] = [
        {"role": "tool", "tool_call_id": call.get("id", ""), "content": "qzqz"}
        for call in message.get("tool_calls") or []
    ]
    return results or [{"role": "user", "content": "qzqz"}]


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))


def find_close(row: Row, text: str, start: int) -> tuple[int, int]:
    """Where the first turn close at or after ``start`` begins and ends; the end of the text when there is none."""
    wanted = (*row.spec.wire.assistant_close, *row.spec.wire.stop)
    found = [(at, -len(close), at + len(close)) for close in wanted if (at := text.find(close, start)) >= 0]
    if not found:
        return len(text), len(text)
    first = min(found)
    return first[0], first[2]


def encode(row: Row, text: str) -> list[int]:
    """One encode of a whole text, without added special tokens."""
    return list(row.tokenizer(text, add_special_tokens=False)["input_ids"])
