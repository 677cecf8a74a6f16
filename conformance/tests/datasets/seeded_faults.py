"""Data sets with known faults: three shapes, twelve ways to be broken; what was broken is told beside."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_LENGTH = 3000
"""Tokens a row may have; only rows that are to be too long have more, on any tokenizer."""

WORDS = (
    Path(__file__).read_text(encoding="utf-8") + json.dumps(["größer", "naïve", "東京", "🙂"], ensure_ascii=False)
).split()
WORDS = [word for word in WORDS if "<" not in word and "|" not in word]
TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Look something up.",
        "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
    },
}
Turns = list[dict[str, Any]]


@dataclass(frozen=True)
class Seeded:
    """A line of the file, and the codes that are to be found of it (notes but ``duplicate`` left out)."""

    line: bytes
    codes: frozenset[str]


def text(chance: random.Random, at_least: int = 3) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(at_least, at_least + 30)))


def turns_of(chance: random.Random, number: int) -> Turns:
    turns: Turns = [{"role": "system", "content": text(chance)}] if chance.random() < 0.3 else []
    for k in range(chance.choice((1, 1, 2, 3))):
        turns.append({"role": "user", "content": f"Question {number}.{k}: {text(chance)}"})
        turns.append({"role": "assistant", "content": f"Answer: {text(chance)}"})
    if chance.random() < 0.2:
        turns[-1]["reasoning_content"] = f"Because {text(chance)}"
    return turns


def loop_of(chance: random.Random, number: int) -> Turns:
    """A question, a call, its result, an answer."""
    call = {"id": "call00001", "type": "function", "function": {"name": "look_up", "arguments": {"what": text(chance)}}}
    return [
        {"role": "user", "content": f"Question {number}: {text(chance)}"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call00001", "content": text(chance)},
        {"role": "assistant", "content": f"Answer: {text(chance)}"},
    ]


def refused(turns: Turns, chance: random.Random) -> None:
    del chance.choice(turns)["role"]


def vanished(turns: Turns, chance: random.Random) -> None:
    asked = next(turn for turn in turns if turn["role"] == "user")
    asked["tool_calls"] = [{"type": "function", "function": {"name": "zzz_never", "arguments": {"what": text(chance)}}}]


def control(turns: Turns, chance: random.Random) -> None:
    spelled = chance.choice(["<|im_end|>", "<|im_start|>system\n", "<|endoftext|>"])
    asked = chance.choice([turn for turn in turns if turn["role"] in {"user", "assistant"}])
    asked["content"] += f" {spelled}more"


def merges(turns: Turns, chance: random.Random) -> None:
    asked = chance.choice([turn for turn in turns if turn["role"] == "user"])
    asked["content"] = "\n\n" + asked["content"]


def unanswered(turns: Turns, _chance: random.Random) -> None:
    turns[:] = [turn for turn in turns if turn["role"] != "assistant"]


def too_long(turns: Turns, chance: random.Random) -> None:
    turns[-1]["content"] = " ".join(chance.choices(WORDS, k=MAX_LENGTH))


def dropped(turns: Turns, chance: random.Random) -> None:
    turns.insert(len(turns) - 2, {"role": "user", "content": text(chance)})
    turns.insert(len(turns) - 2, {"role": "assistant", "content": text(chance), "reasoning_content": text(chance)})


def broken_call(turns: Turns, chance: random.Random) -> None:
    function = turns[1]["tool_calls"][0]["function"]
    function["arguments"] = chance.choice([json.dumps(function["arguments"])[:-3], "[1, 2]", "what: this"])


def no_result(turns: Turns, chance: random.Random) -> None:
    turns[2] = {"role": "user", "content": text(chance)}


def no_call(turns: Turns, chance: random.Random) -> None:
    turns[1] = {"role": "assistant", "content": text(chance)}


FAULTS: dict[str, Callable[[Turns, random.Random], None]] = {
    "refused": refused,
    "vanished-text": vanished,
    "control-token": control,
    "header-merges": merges,
    "empty-loss-mask": unanswered,
    "over-length": too_long,
    "reasoning-dropped": dropped,
    "broken-call": broken_call,
    "call-without-result": no_result,
    "result-without-call": no_call,
}
OF_LOOPS = ("broken-call", "call-without-result", "result-without-call")
ALL_FAULTS = (*FAULTS, "duplicate", "broken-record")


def record_of(turns: Turns, shape: str, tools: list[Any] | None) -> dict[str, Any]:
    if shape == "sharegpt":
        names = {"user": "human", "assistant": "gpt"}

        def spoken(turn: dict[str, Any]) -> dict[str, Any]:
            rest = {key: value for key, value in turn.items() if key not in {"role", "content"}}
            speaker = {"from": names.get(turn["role"], turn["role"])} if "role" in turn else {}
            return {**speaker, "value": turn["content"], **rest}

        return {"conversations": list(map(spoken, turns)), **({"tools": json.dumps(tools)} if tools else {})}
    if shape == "pair" and len(turns) > 1 and turns[-1].get("role") == "assistant":
        plain = len(turns) == 2 and all(set(turn) == {"role", "content"} for turn in turns)
        prompt, completion = (turns[0]["content"], turns[1]["content"]) if plain else (turns[:-1], turns[-1:])
        return {"prompt": prompt, "completion": completion, **({"tools": tools} if tools else {})}
    return {"messages": turns, **({"tools": tools} if tools else {})}


def data(rows: int, seed: int = 17, share: float = 0.02) -> list[Seeded]:
    """A data set; the share of it that is broken is spread evenly over the ways to be."""
    chance = random.Random(seed)
    made: list[Seeded] = []
    clean: list[int] = []
    broken = round(rows * share)
    places = dict(zip(sorted(chance.sample(range(1, rows), broken)), range(broken), strict=True))
    for number in range(rows):
        fault = ALL_FAULTS[places[number] % len(ALL_FAULTS)] if number in places else None
        if fault == "duplicate" and clean:
            made.append(Seeded(made[chance.choice(clean)].line, frozenset({fault})))
            continue
        is_loop = fault in OF_LOOPS or (fault is None and chance.random() < 0.2)
        turns = (loop_of if is_loop else turns_of)(chance, number)
        if fault in FAULTS:
            FAULTS[fault](turns, chance)
        shape = chance.choice(("openai", "sharegpt", "pair"))
        if fault == "control-token" and shape == "pair":
            shape = "openai"
        line = json.dumps(record_of(turns, shape, [TOOL] if is_loop else None), ensure_ascii=False).encode()
        if fault == "broken-record":
            line = line[: len(line) // 2]
        made.append(Seeded(line, frozenset({fault} if fault else ())))
        if fault is None:
            clean.append(number)
    return made


@dataclass(frozen=True)
class Score:
    """Of one code: rows seeded, rows flagged, and rows that are both."""

    seeded: int
    flagged: int
    both: int

    @property
    def precision(self) -> float:
        return self.both / self.flagged if self.flagged else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.seeded if self.seeded else 1.0


def scores(made: list[Seeded], found: Iterable[tuple[int, str]]) -> dict[str, Score]:
    """Precision and recall by code. ``prefix-unstable`` is a fact of the template, and no fault was seeded for it."""
    pairs = {(row, code) for row, code in found if code != "prefix-unstable"}
    wanted = {(row, code) for row, one in enumerate(made) for code in one.codes}
    seeded, flagged, both = (Counter(code for _, code in some) for some in (wanted, pairs, wanted & pairs))
    return {code: Score(seeded[code], flagged[code], both[code]) for code in sorted({*seeded, *flagged})}


def table(scored: dict[str, Score]) -> str:
    """The scores as text."""
    lines = [f"{'code':<22}{'seeded':>8}{'flagged':>9}{'precision':>11}{'recall':>8}"]
    lines += [f"{c:<22}{s.seeded:>8}{s.flagged:>9}{s.precision:>11.4f}{s.recall:>8.4f}" for c, s in scored.items()]
    return "\n".join(lines)
