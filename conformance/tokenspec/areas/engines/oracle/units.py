"""Engines over base units, written out: cuts, and the labels of the segments between them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, TypeVar, get_args

from tokenspec.areas.engines.oracle.forced import Refuses, percentile, z_scores
from tokenspec.areas.engines.records import EnginesInput, Recorded, UnitEngineName

UNIT_ENGINES = frozenset(get_args(UnitEngineName))
Said = TypeVar("Said")
MARKS = ("$$", "$", "```", "`")


def protected(trace: str) -> list[tuple[int, int]]:
    """Math and code, the longest mark first at every place."""
    found = []
    at = 0
    while at < len(trace):
        for mark in MARKS:
            end = trace.find(mark, at + len(mark)) if trace.startswith(mark, at) else -1
            if end >= 0:
                found.append((at, end + len(mark)))
                at = end + len(mark)
                break
        else:
            at += 1
    return found


def unit_starts(trace: str, starts: list[int]) -> list[int]:
    """Where units begin, 0 included."""
    whole = protected(trace)
    inside = {at for start, end in whole for at in range(start + 1, end)}
    return sorted({0, *(start for start in starts if 0 < start < len(trace) and start not in inside)})


def unit_cuts(name: str, given: EnginesInput) -> tuple[list[int], list[str] | None]:
    """Cuts of one engine, and a label for each segment if it gives labels."""
    trace = given.trace
    if not trace:
        return [], None
    starts = unit_starts(trace, given.base_units or [])
    ends = [*starts[1:], len(trace)]
    if name == "plain":
        return starts[1:], None
    if not isinstance(given.model, Recorded):
        raise Refuses("ENG-060", "/model")
    texts = [trace[start:end] for start, end in zip(starts, ends, strict=True)]
    parameters = given.parameters
    if name == "offsets":
        return _offsets(trace, given.model, parameters), None
    if name in ("semantic-shift", "entailment"):
        first = _joined(name, texts, given.model, parameters)
    elif name == "rewards":
        first = _rewarded(starts, ends, _rewards(texts, given.model, parameters), parameters)
    elif name == "unit-groups":
        first = _groups(texts, given.model, parameters)
    else:
        read = name in ("zero-shot", "topics")
        labels = _chosen(name, texts, given.model, parameters) if read else _labels(texts, given.model, parameters)
        first = [at for at in range(1, len(texts)) if labels[at] != labels[at - 1]]
        return [starts[at] for at in first], [labels[at] for at in (0, *first)]
    return sorted({starts[at] for at in first if at}), None


def _asked(answers: Sequence[Said], count: int) -> Sequence[Said]:
    """So many of the answers."""
    if len(answers) < count:
        raise Refuses("ENG-060", "/model")
    return answers[:count]


class _Writer:
    """Replies, each to what it is said to."""

    def __init__(self, model: Recorded, parameters: dict[str, Any]) -> None:
        self.model = model
        self.system = parameters.get("system_prompt", "")
        self.asked = 0

    def said(self, user: str) -> str:
        """The next reply, to these words of the user."""
        if not self.model.is_said_to(self.asked, f"{self.system}\n{user}"):
            raise Refuses("ENG-060", "/model")
        self.asked += 1
        return _asked(self.model.replies, self.asked)[-1]


def _number(value: float | None) -> float:
    if value is None or not math.isfinite(value):
        raise Refuses("ENG-061", "/model")
    return value


def _joined(name: str, texts: list[str], model: Recorded, parameters: dict[str, Any]) -> list[int]:
    """Units that join no segment before them."""
    shift = name == "semantic-shift"
    tolerance = parameters.get("tolerance", 0.15)
    least = parameters.get("min_threshold", 0.4 if shift else 0.25)
    vectors = [[_number(value) for value in vector] for vector in _asked(model.vectors, len(texts))] if shift else []

    def score(members: list[int], at: int) -> float:
        if shift:
            total = [math.fsum(vectors[member][place] for member in members) for place in range(len(vectors[0]))]
            return _cosine(total, vectors[at])
        premise = " ".join(texts[member] for member in members[-2:])
        asked = premise, texts[at]
        recorded = [each.shares for each in model.entailments if (each.premise, each.hypothesis) == asked]
        entailment, neutral = _asked(recorded, 1)[0]
        return min(1.0, max(0.0, _number(entailment) + 0.4 * _number(neutral)))

    first = [0]
    members, running = [0], 1.0 if shift else 0.85
    for at in range(1, len(texts)):
        needed = max(running - tolerance, least)
        own = score(members, at)
        joins = own >= needed or (at + 1 < len(texts) and score(members, at + 1) >= needed)
        if joins:
            running = (running + own) / 2 if shift else 0.7 * running + 0.3 * own
            members.append(at)
        else:
            members, running = [at], 1.0 if shift else 0.85
            first.append(at)
    return first


def _cosine(left: list[float], right: list[float]) -> float:
    sizes = [math.hypot(*vector) for vector in (left, right)]
    return sum(a * b for a, b in zip(left, right, strict=True)) / math.prod(sizes) if all(sizes) else 0.0


def _rewards(texts: list[str], model: Recorded, parameters: dict[str, Any]) -> list[float]:
    """The reward of each unit, to the problem and the units that are shown together."""
    size = parameters.get("chunk_size", 50)
    for number, shown in enumerate(model.step_scores_to[: math.ceil(len(texts) / size)]):
        if shown != [parameters.get("problem", ""), *texts[size * number : size * (number + 1)]]:
            raise Refuses("ENG-060", "/model")
    return [_number(score) for score in _asked(model.step_scores, len(texts))]


def _rewarded(starts: list[int], ends: list[int], scores: list[float], parameters: dict[str, Any]) -> list[int]:
    """Units behind a jump."""
    window = parameters.get("window", 4)
    jumps = []
    for at in range(len(scores)):
        before, after = scores[max(0, at - window) : at] or scores[:1], scores[at : at + window]
        jumps.append(abs(math.fsum(after) / len(after) - math.fsum(before) / len(before)))
    z = z_scores(jumps)
    threshold = percentile(z, parameters.get("quantile", 60.0))
    first = [0]
    for at in range(len(scores) - 1):
        if z[at] > threshold * (0.5 + 0.5 * min(at / 5, 1)) and ends[at] - starts[first[-1]] > 4:
            first.append(at + 1)
    return first


def _chosen(name: str, texts: list[str], model: Recorded, parameters: dict[str, Any]) -> Sequence[str]:
    """Labels of a classifier, or names of topics, which nobody gives it."""
    candidates = parameters.get("labels", []) if name == "zero-shot" else model.labels_among
    if model.labels_among and sorted(candidates) != sorted(model.labels_among):
        raise Refuses("ENG-060", "/model")
    return _asked(model.labels, len(texts))


def _labels(texts: list[str], model: Recorded, parameters: dict[str, Any]) -> list[str]:
    """Labels out of the replies."""
    writer, window = _Writer(model, parameters), parameters.get("context_window", 2)
    labels = []
    for at, text in enumerate(texts):
        around = {
            "{PREVIOUS_SEGMENT}": texts[max(at - window, 0)] if at else "[START OF TRACE]",
            "{TARGET_SEGMENT}": text,
            "{NEXT_SEGMENT}": texts[min(at + window, len(texts) - 1)] if at + 1 < len(texts) else "[END OF TRACE]",
        }
        prompt = parameters.get("user_prompt", "{TARGET_SEGMENT}")
        user = "".join(around.get(piece, piece) for piece in re.split(r"({[A-Z]+_SEGMENT})", prompt))
        for _ in range(parameters.get("max_retry", 30) + 1):
            label = _label(writer.said(user))
            if label:
                labels.append(label)
                break
        else:
            raise Refuses("ENG-106", "/model")
    return labels


def _label(reply: str) -> str:
    try:
        found = json.loads(reply)
    except ValueError:
        return ""
    label = found.get("label") if isinstance(found, dict) else None
    return label if isinstance(label, str) else ""


def _lists(reply: str, length: int, *, pairs: bool) -> list[list[int]] | None:
    """The lists of a reply; None: of no use."""
    try:
        found = json.loads(reply[reply.find("[") : reply.rfind("]") + 1])
    except ValueError:
        return None
    found = [found] if found and isinstance(found[0], int) else found
    for each in found:
        if not isinstance(each, list) or not each or not all(type(number) is int for number in each):
            return None
        beyond = max(each) > length if pairs else max(each) >= length
        if beyond or min(each) < 0 or (pairs and (len(each) != 2 or each[0] >= each[1])):
            return None
    return list(found)


def _groups(texts: list[str], model: Recorded, parameters: dict[str, Any]) -> list[int]:
    writer, left = _Writer(model, parameters), parameters.get("max_retry", 30)
    count, size, at = len(texts), parameters.get("chunk_size", 100), 0
    first = [0]
    while at < count - 1:
        units = ", ".join(f'"{number}": {json.dumps(text)}' for number, text in enumerate(texts[at : at + size]))
        user = parameters.get("prompt", "") + "{" + units + "}"
        groups = _lists(writer.said(user), min(size, count - at), pairs=False)
        if groups is not None:
            first += [at + min(group) for group in groups]
            if not groups or at + max(groups[-1]) >= count - 2:
                break
            at += min(groups[-1])
        if groups is None or min(groups[-1]) == 0:
            size += 0 if groups is None else 5
            left -= 1
            if left < 0:
                raise Refuses("ENG-106", "/model")
    return first


def _offsets(trace: str, model: Recorded, parameters: dict[str, Any]) -> list[int]:
    writer, cuts, at = _Writer(model, parameters), set(), 0
    left = again = parameters.get("max_retries_per_chunk", 10)
    while at < len(trace) - 20:
        chunk = trace[at : at + parameters.get("chunk_size", 300)]
        pairs = _lists(writer.said(parameters.get("prompt", "") + chunk), len(chunk), pairs=True)
        if pairs is None:
            left -= 1
            if left < 0:
                raise Refuses("ENG-106", "/model")
            continue
        if not pairs:
            break
        cuts |= {at + start for start, _ in pairs}
        at, left = at + pairs[-1][1], again
        cuts.add(at)
    return sorted(cut for cut in cuts if 0 < cut < len(trace))
