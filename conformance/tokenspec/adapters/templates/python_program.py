#!/usr/bin/env python3
"""A tokenspec adapter: one JSON line in, one JSON line out. No dependencies.

Put your own implementation in place of what the operations below do: those of the table OPERATIONS are what you claim,
and what you raise Unsupported for is never counted.
The contract: spec/90-adapter-protocol.md, or `tokenspec explain ADP-001`. The fields: `tokenspec list operations`.
"""

import json
import re  # only segment
import sys
import traceback
from typing import Any

Json = dict[str, Any]
rows: dict[str, Json] = {}


class Unsupported(Exception):
    """An input this implementation does not claim to handle; the text is printed in the matrix."""


class Rejected(Exception):
    """An input that the specification wants refused. Its arguments: a short code, then what happened."""


# >>> segment
def segment(request: Json) -> Json:
    """Cut after every blank line; white space alone joins what follows it. Offsets count characters, never bytes."""
    if request["engines"] != ["new-line"] or any(request[key] for key in ("given", "fusion", "gold", "parameters")):
        raise Unsupported("only the engine new-line, alone")
    trace = request["trace"]
    offsets: list[list[int]] = []
    begin = 0
    for end in [*(found.end() for found in re.finditer("\n\n+", trace)), len(trace)]:
        if trace[begin:end].strip():
            offsets.append([begin, end])
            begin = end
    if begin < len(trace):
        offsets = [*offsets[:-1], [offsets[-1][0] if offsets else 0, len(trace)]]
    return {"offsets": offsets}


# <<<
# >>> render
def render(request: Json) -> Json:
    """The turns of the row toy-bpe as text, with system and user messages alone. Add token_ids where you have them."""
    options, messages = request["options"], request["messages"]
    if request["model"] != "toy-bpe" or request["tools"] or request["derive"] or set(options) - {PROMPT}:
        raise Unsupported("only plain conversations of toy-bpe")
    if not messages or any(not isinstance(message.get("content"), str) for message in messages):
        raise Unsupported("only messages whose content is text")
    if {message["role"] for message in messages} - {"system", "user"}:
        raise Unsupported("only system and user messages")
    if messages[0]["role"] != "system":
        messages = [{"role": "system", "content": "You are a careful toy assistant."}, *messages]
    turns = [f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n" for message in messages]
    return {"text": "".join(turns) + ("<|im_start|>assistant\n" if options.get(PROMPT) else "")}


PROMPT = "add_generation_prompt"


# <<<
# >>> bridge
def bridge(request: Json) -> Json:
    """Without a prompt there is nothing to append to: a bridge declines."""
    if request["prompt_ids"]:
        raise Unsupported("only bridges that decline")
    return {"token_ids": None}


# <<<
# >>> *
def other_operation(_: Json) -> Json:
    """Yours. The request and the result have the fields that `tokenspec adapter types` writes types of."""
    raise Unsupported("other_operation is not written yet")


# <<<
def unknown(_: Json) -> Json:
    """Any other operation."""
    raise Unsupported("not among my operations")


OPERATIONS = {
    "segment": segment,  # only segment
    "render": render,  # only render
    "bridge": bridge,  # only bridge
    "other_operation": other_operation,  # only *
}


def start(_: Json) -> Json:
    """Say who answers. The protocol version is yours: do not echo the one you are asked for."""
    implementation = {"name": "my-adapter", "version": "0.1", "language": "python"}
    return {"protocol": 1, "implementation": implementation, "capabilities": {name: {} for name in OPERATIONS}}


def load(message: Json) -> Json:
    """A model row: assets has directory (with tokenizer.json), chat_template, family, status, wire."""
    rows[message["model"]] = message["assets"]
    return {"ok": True}


def run(message: Json) -> Json:
    """One case. Every input is answered: what cannot be done is unsupported, rejected or an error."""
    answer: Json = {"seq": message["seq"]}
    try:
        operation = OPERATIONS.get(message["op"], unknown)
        return {**answer, "result": operation(message["input"])}
    except Unsupported as reason:
        return {**answer, "unsupported": {"reason": str(reason)}}
    except Rejected as refusal:
        return {**answer, "rejected": {"code": refusal.args[0], "message": " ".join(refusal.args[1:])}}
    except Exception as error:
        return {**answer, "error": {"message": repr(error), "traceback": traceback.format_exc()}}


def main() -> None:
    """Answer until stop, or until the input ends. Only answers go to stdout, each at once; print to stderr."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["cmd"] == "stop":
            break
        answer = {"start": start, "load": load, "run": run}[message["cmd"]](message)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
