"""llama.cpp: the server of its Python package renders the row's template and splits what it wrote into ids.

The server wants a model. It gets one of two dimensions, without a trained weight, and with the vocabulary of the row as
its converter writes it: which of its ways to split text belongs to a family is the converter's choice.
"""

from __future__ import annotations

import json
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import xllamacpp

from tokenspec.adapters import Rejected, Unsupported

SPLITS = {
    "qwen2.5": "qwen2",
    "qwen3": "qwen2",
    "qwen3-vl": "qwen2",
    "qwen3.5": "qwen35",
    "qwen3.6": "qwen35",
    "qwen3.8": "qwen35",
    "llama-3": "llama-bpe",
    "gpt-oss": "gpt-4o",
    "glm-4.5": "glm4",
    "glm-4.7": "glm4",
    "glm-5.1": "glm4",
    "glm-5.3": "glm4",
    "kimi-k2": "kimi-k2",
    "kimi-k2.5": "kimi-k2",
    "minimax-m2": "minimax-m2",
    "deepseek-v3": "deepseek-v3",
    "deepseek-r1": "deepseek-v3",
    "deepseek-v3.1": "deepseek-v3",
    "deepseek-v3.2": "deepseek-v3",
    "deepseek-v4": "deepseek-v3",
    "nemotron-3": "tekken",
    "nemotron-3-super": "tekken",
    "nemotron-3-ultra": "tekken",
    "nemotron-3.5": "tekken",
}
ROWS = {"mistral-nemo": "tekken"}
WIDTH, INNER, CONTEXT = 32, 32, 64
SECONDS = 30.0
SHAPES = {f"attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")} | {
    f"ffn_{name}": (INNER, WIDTH) for name in ("gate", "up", "down")
}
FIELDS = frozenset({"add_generation_prompt", "continue_final_message"})
"""Options that are fields of its request; the others are keywords of the template."""


class Adapter:
    """The rows whose way to split text it has."""

    capabilities = {"render": {"profile": {"arguments": "string", "clock": "own"}}}  # noqa: RUF012 - read as it stands

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Serve the vocabulary and the template of a row; one row is kept."""
        self.server: Any = None
        split = SPLITS.get(assets["family"]) or ROWS.get(model)
        if not assets["chat_template"]:
            raise Unsupported("the row has no chat template")
        if split is None:
            raise Unsupported(f"no way to split text is known for the family {assets['family']}")
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "row.gguf")
            write(path, Path(assets["directory"]), assets["chat_template"], split)
            settings = xllamacpp.CommonParams()
            settings.model.path, settings.port, settings.n_parallel, settings.n_ctx = path, 0, 1, CONTEXT
            settings.cpuparams.n_threads, settings.warmup, settings.verbosity = 1, False, -1
            settings.use_jinja, settings.prefill_assistant = True, False
            try:
                self.server = xllamacpp.Server(settings)
            except Exception as error:
                raise Unsupported(f"does not serve the row: {error}") from error

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The text of a conversation, and the ids of it."""
        options = request["options"]
        if any(map(has_media, request["messages"])):
            raise Unsupported("needs the data of images, videos and sounds; the case only names them")
        body = {"messages": request["messages"], "add_generation_prompt": False}
        body |= {name: value for name, value in options.items() if name in FIELDS}
        body |= {} if request["tools"] is None else {"tools": request["tools"]}
        keywords = {name: value for name, value in options.items() if name not in FIELDS}
        text = self.ask("/apply-template", body | ({"chat_template_kwargs": keywords} if keywords else {}))["prompt"]
        ids = self.ask("/tokenize", {"content": text, "add_special": False, "parse_special": True})["tokens"]
        return {"text": text, "token_ids": ids}

    def ask(self, path: str, body: dict[str, Any]) -> Any:
        """One request to the server."""
        asked = urllib.request.Request(  # noqa: S310 - its own address
            f"{self.server.listening_address}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(asked, timeout=SECONDS) as answer:  # noqa: S310 - its own address
                return json.load(answer)
        except urllib.error.HTTPError as error:
            said = error.read().decode(errors="replace")[:400]
            raise Rejected("template-raises", f"HTTP {error.code}: {said}") from error


def has_media(message: Any) -> bool:
    """Whether a message has a part that is no text."""
    parts = message.get("content") if isinstance(message, dict) else None
    kinds = (part.get("type", "text") for part in parts if isinstance(part, dict)) if isinstance(parts, list) else ()
    return any(kind != "text" for kind in kinds)


def write(path: str, folder: Path, template: str, split: str) -> None:
    """A model without a trained weight, with the vocabulary in a row's folder."""
    document = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    added = {token["id"]: token for token in document["added_tokens"]}
    names = {id_: name for name, id_ in document["model"]["vocab"].items()}
    names |= {id_: token["content"] for id_, token in added.items()}
    ids = range(max(names) + 1)
    kinds = gguf.TokenType
    types = [kinds.NORMAL if id_ in names else kinds.UNUSED for id_ in ids]
    for id_, token in added.items():
        types[id_] = kinds.CONTROL if token["special"] else kinds.USER_DEFINED
    merges = document["model"]["merges"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(len(ids))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(split)
    writer.add_token_list([names.get(id_, f"[PAD{id_}]") for id_ in ids])
    writer.add_token_types(types)
    writer.add_token_merges([pair if isinstance(pair, str) else " ".join(pair) for pair in merges])
    by_name = {name: id_ for id_, name in names.items()}
    for key, add in (("bos_token", writer.add_bos_token_id), ("eos_token", writer.add_eos_token_id)):
        named = config.get(key)
        if named:
            add(by_name[named["content"] if isinstance(named, dict) else named])
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)
    for name in ("token_embd", "output"):
        writer.add_tensor(f"{name}.weight", np.zeros((len(ids), WIDTH), np.float16))
    for name, shape in SHAPES.items():
        writer.add_tensor(f"blk.0.{name}.weight", np.zeros(shape, np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
