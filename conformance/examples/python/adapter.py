#!/usr/bin/env python3
"""A tokenspec adapter without dependencies: plain ChatML conversations through a byte-level BPE written out in full.

    tokenspec smoke --impl "cmd:python3 conformance/examples/python/adapter.py"

It claims `render` on rows whose turns look like toy-bpe's, and says unsupported to what needs a template engine.
"""

import json
import re
import sys
from itertools import pairwise
from pathlib import Path

# The pre-tokenizer of toy-bpe in Python's own regular expressions: they know letters as [^\W\d_].
WORDS = re.compile(r"[^\S\r\n]?[^\W\d_]+|\d| ?(?:[^\s\w]|_)+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
LETTER = {byte: chr(byte) for byte in PRINTABLE}
LETTER |= {byte: chr(256 + rank) for rank, byte in enumerate(sorted(set(range(256)) - set(PRINTABLE)))}
rows = {}


class Unsupported(Exception):
    """What this adapter does not claim; the text is printed in the matrix."""


class Rejected(Exception):
    """What the specification wants refused; the text is a short code."""


def load(assets):
    """The default system prompt, the control tokens (cut out before words are), the ranks of merges, the vocabulary."""
    tokenizer = json.loads(Path(assets["directory"], "tokenizer.json").read_text(encoding="utf-8"))
    default = re.search("'(You are a careful toy [^']+)'", assets["chat_template"])
    if default is None:
        raise Unsupported("only the ChatML turns of toy-bpe")
    control = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    split = re.compile("(" + "|".join(map(re.escape, control)) + ")")
    ranks = {tuple(pair): rank for rank, pair in enumerate(tokenizer["model"]["merges"])}
    return default[1], control, split, ranks, tokenizer["model"]["vocab"]


def encode(text, row):
    """One encode of the whole text: control tokens, then words, then merges by rank."""
    _, control, split, ranks, vocabulary = row
    ids = []
    for part in split.split(text):
        for word in [part] if part in control else WORDS.findall(part):
            letters = [word] if word in control else [LETTER[byte] for byte in word.encode()]
            while pairs := [(ranks[pair], at) for at, pair in enumerate(pairwise(letters)) if pair in ranks]:
                _, at = min(pairs)
                letters[at : at + 2] = ["".join(letters[at : at + 2])]
            ids += [control.get(letter, vocabulary.get(letter)) for letter in letters]
    return ids


def render(request):
    """Turns of system, user and assistant whose content is a string."""
    messages, options = request["messages"], request["options"]
    if not messages:
        raise Rejected("invalid-messages")
    if request["tools"] or set(options) - {"add_generation_prompt"}:
        raise Unsupported("neither tools nor options")
    if messages[0]["role"] != "system":
        messages = [{"role": "system", "content": rows[request["model"]][0]}, *messages]
    for message in messages:
        plain = set(message) == {"role", "content"} and isinstance(message["content"], str)
        if not plain or message["role"] not in {"system", "user", "assistant"} or "</think>" in message["content"]:
            raise Unsupported("only plain turns of system, user and assistant")
    text = "".join(f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n" for message in messages)
    text += "<|im_start|>assistant\n" * bool(options.get("add_generation_prompt"))
    return {"text": text, "token_ids": encode(text, rows[request["model"]])}


def answer(message):
    """What comes back for one message."""
    if message["cmd"] == "start":
        who = {"name": "python-chatml", "version": "1.0.0", "language": "python"}
        return {"protocol": 1, "implementation": who, "capabilities": {"render": {}}}
    if message["cmd"] == "load":
        try:
            rows[message["model"]] = load(message["assets"])
        except Exception as error:
            return {"ok": False, "reason": str(error)}
        return {"ok": True}
    try:
        if message["op"] != "render":
            raise Unsupported(f"no operation {message['op']}")
        outcome = {"result": render(message["input"])}
    except Unsupported as reason:
        outcome = {"unsupported": {"reason": str(reason)}}
    except Rejected as refusal:
        outcome = {"rejected": {"code": str(refusal)}}
    except Exception as error:
        outcome = {"error": {"message": repr(error)}}
    return {"seq": message["seq"], **outcome}


for line in sys.stdin.buffer:
    request = json.loads(line)
    if request["cmd"] == "stop":
        break
    print(json.dumps(answer(request)), flush=True)
