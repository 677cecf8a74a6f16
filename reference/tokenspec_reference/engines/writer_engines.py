"""Engines that ask a chat model in words and read its JSON: labels of units, groups of units, offsets of characters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from tokenspec_reference.engines.errors import UnusableReply
from tokenspec_reference.engines.offsets import Offsets, partition
from tokenspec_reference.engines.prompt_texts import filled, load_prompt
from tokenspec_reference.engines.segmentation import Segmentation, unlabelled
from tokenspec_reference.engines.unit_engines import UnitEngine, from_labels, from_starts
from tokenspec_reference.engines.unit_options import Asking, Chunks, Spans

LABEL_TOKENS, LIST_TOKENS = 128, 8000  # of a reply, at most
START, END = "[START OF TRACE]", "[END OF TRACE]"
GROWTH = 5  # units by which a chunk grows that is one group
TAIL = 20  # characters of a trace that are no longer asked about

Read = TypeVar("Read")


@dataclass
class Patience:
    """How many replies may still be unusable."""

    left: int
    option: str = "max_retry"

    def ask(self, asked: Any, system: str, user: str, max_new_tokens: int, read: Callable[[str], Read | None]) -> Read:
        """The first reply that ``read`` makes something of.

        Raises:
            UnusableReply: the last one that is allowed was not it either.
        """
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        attempt = 0
        while True:
            reply = asked.reply(messages, max_new_tokens=max_new_tokens, attempt=attempt)
            found = read(reply)
            if found is not None:
                return found
            self.spend(reply)
            attempt += 1

    def spend(self, reply: str) -> None:
        """One more was unusable."""
        if self.left == 0:
            raise UnusableReply(
                f"gave up at {reply[:80]!r}; raise {self.option} or use a stronger model", field="model"
            )
        self.left -= 1


def label_of(reply: str) -> str | None:
    """The non-empty text ``label`` of a JSON object."""
    try:
        found = json.loads(reply)
    except ValueError:
        return None
    label = found.get("label") if isinstance(found, Mapping) else None
    return label if isinstance(label, str) and label else None


def lists_of(reply: str, length: int, pairs: bool) -> list[list[int]] | None:
    """Lists of whole numbers from 0 on, below ``length`` (``pairs``: starts and ends, up to it).

    What stands before the first ``[`` and after the last ``]`` does not count; one list alone is a list of one.
    """
    try:
        found = json.loads(reply[reply.find("[") : reply.rfind("]") + 1])
    except ValueError:
        return None
    if found and all(type(number) is int for number in found):
        found = [found]
    for numbers in found:
        if not isinstance(numbers, list) or not numbers or any(type(number) is not int for number in numbers):
            return None
        if pairs and (len(numbers) != 2 or numbers[0] >= numbers[1]):
            return None
        if min(numbers) < 0 or max(numbers) > length - (not pairs):
            return None
    result: list[list[int]] = found
    return result


def _question(prompt: str, texts: Sequence[str], index: int, context_window: int) -> str:
    """The prompt about one unit, with the unit so far before it, and the one so far behind it."""
    before = texts[max(0, index - context_window)] if index else START
    after = texts[index + 1 :][:context_window][-1:] or [END]
    return filled(prompt, previous=before, target=texts[index], following=after[0])


@dataclass(frozen=True)
class _Labelling(UnitEngine):
    """A label for every unit, its neighbours shown; runs of equal labels are segments (ENG-104, ENG-106)."""

    question: ClassVar[str] = "reply"
    options: ClassVar[tuple[type, ...]] = (Asking,)
    scheme: ClassVar[str] = ""

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter."""
        (asking,) = options
        system = asking.system_prompt or load_prompt(f"system_prompt_{self.scheme}")
        user = asking.user_prompt or load_prompt(f"user_prompt_{self.scheme}")
        labels = []
        for index in range(len(texts)):
            question = _question(user, texts, index, asking.context_window)
            labels.append(Patience(asking.max_retry).ask(asked, system, question, LABEL_TOKENS, label_of))
        return from_labels(units, labels)


@dataclass(frozen=True)
class RTLLMArgument(_Labelling):
    """Labels of argument mining."""

    scheme: ClassVar[str] = "argument"


@dataclass(frozen=True)
class RTLLMReasoningFlow(_Labelling):
    """Labels of ReasoningFlow."""

    scheme: ClassVar[str] = "reasoning_flow"


@dataclass(frozen=True)
class RTLLMThoughtAnchor(_Labelling):
    """Labels of ThoughtAnchor."""

    scheme: ClassVar[str] = "thought_anchor"


@dataclass(frozen=True)
class RTLLMSegUnitBased(UnitEngine):
    """Groups of numbered units, chunk by chunk (ENG-107)."""

    question: ClassVar[str] = "reply"
    options: ClassVar[tuple[type, ...]] = (Chunks,)

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter."""
        (chunks,) = options
        system = chunks.system_prompt or load_prompt("system_prompt_sentbased")
        size, patience = chunks.chunk_size, Patience(chunks.max_retry)
        first: list[int] = []
        at = 0
        while at < len(texts) - 1:
            chunk = texts[at : at + size]
            user = chunks.prompt + json.dumps(dict(enumerate(chunk)))

            def read(reply: str, count: int = len(chunk)) -> list[list[int]] | None:
                return lists_of(reply, count, pairs=False)

            groups = patience.ask(asked, system, user, LIST_TOKENS, read)
            if not groups:
                break
            last = groups[-1]
            first += [at + min(group) for group in groups]
            if at + max(last) >= len(texts) - 2:
                break
            if min(last) == 0:  # the whole chunk is one group, so far
                size += GROWTH
                patience.spend(json.dumps(groups))
            at += min(last)
        return from_starts(units, first)


@dataclass(frozen=True)
class RTLLMOffsetBased(UnitEngine):
    """Starts and ends of segments in characters, chunk by chunk (ENG-108)."""

    question: ClassVar[str] = "reply"
    options: ClassVar[tuple[type, ...]] = (Spans,)

    def group(self, asked: Any, texts: Sequence[str], units: Offsets, *options: Any) -> Segmentation:
        """See the chapter; units play no part but the whole text they make."""
        del units
        (spans,) = options
        trace = "".join(texts)
        system = spans.system_prompt or load_prompt("system_prompt_offset")
        starts: list[int] = []
        at = 0
        while at < len(trace) - TAIL:
            chunk = trace[at : at + spans.chunk_size]

            def read(reply: str, count: int = len(chunk)) -> list[list[int]] | None:
                return lists_of(reply, count, pairs=True)

            patience = Patience(spans.max_retries_per_chunk, "max_retries_per_chunk")
            pairs = patience.ask(asked, system, spans.prompt + chunk, LIST_TOKENS, read)
            if not pairs:
                break
            starts += [at + start for start, _ in pairs]
            at += pairs[-1][1]
            starts.append(at)
        return unlabelled(partition(starts, len(trace)))
