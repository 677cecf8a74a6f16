"""Real servers, each with a tiny random model that has the vocabulary and the template of the row ``toy-bpe``."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tokenspec.data import fixtures_dir

LLAMA_CPP = Path(__file__).resolve().parents[3] / "reference/tests/servers/llama_cpp.py"
ROW = "toy-bpe"
CONTROL, NORMAL = 3, 1
SHAPE = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "num_hidden_layers": 1,
    "vocab_size": 1024,
    "max_position_embeddings": 32768,
}
STARTS_WITHIN = 300.0


class Server(NamedTuple):
    """A running server, and the key it wants to be shown."""

    address: str
    process: subprocess.Popen
    key: str = ""


def folder_of_row() -> Path:
    return fixtures_dir() / "toy" / ROW


def vocabulary() -> dict:
    """The row's vocabulary in the words of a GGUF file; llama.cpp's way of splitting that comes nearest is Qwen2's."""
    tokenizer = json.loads((folder_of_row() / "tokenizer.json").read_text())
    ids = tokenizer["model"]["vocab"] | {added["content"]: added["id"] for added in tokenizer["added_tokens"]}
    added = {entry["id"] for entry in tokenizer["added_tokens"]}
    tokens = sorted(ids, key=ids.get)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]]
    return {
        "tokens": tokens,
        "types": [CONTROL if ids[token] in added else NORMAL for token in tokens],
        "merges": merges,
        "eos": ids["<|im_end|>"],
        "pre": "qwen2",
        "template": (folder_of_row() / "chat_template.jinja").read_text(),
    }


@contextmanager
def llama_server(folder: Path, key: str = "", **settings: object) -> Iterator[Server]:
    command = [sys.executable, LLAMA_CPP, folder / "tiny.gguf"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        json.dump(vocabulary() | {"keys": [key] if key else []} | settings, process.stdin)
        process.stdin.close()
        try:
            yield Server(process.stdout.readline().strip(), process, key)
        finally:
            process.kill()


def model_folder(folder: Path) -> Path:
    """The row's folder with a configuration beside it."""
    shutil.copytree(folder_of_row(), folder)
    (folder / "config.json").write_text(json.dumps(SHAPE))
    return folder


@contextmanager
def started(command: Sequence[object], port: int, log: Path) -> Iterator[Server]:
    """A program that answers ``/health`` once it serves."""
    offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(log.parent), "CUDA_VISIBLE_DEVICES": "", "DO_NOT_TRACK": "1"}
    with log.open("w") as said:
        words = [str(word) for word in command]
        environment = {**os.environ, **offline, "VLLM_TARGET_DEVICE": "cpu"}
        process = subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{address}/health", process, log)
        yield Server(address, process)
    finally:
        process.kill()
        process.wait()


def wait_for(url: str, process: subprocess.Popen, log: Path) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, log.read_text()[-3000:]
            assert time.monotonic() < deadline, log.read_text()[-3000:]
            time.sleep(0.2)
        else:
            return


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with llama_server(tmp_path_factory.mktemp("llama")) as server:
        yield server


@pytest.fixture
def mortal_llama(tmp_path: Path) -> Iterator[Server]:
    """One that the test may kill; it goes on with a last assistant turn, as by default, and wants a key."""
    with llama_server(tmp_path, "open-sesame", prefill=True) as server:
        yield server


@pytest.fixture(scope="module")
def vllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """``vllm launch render``: templates, tokenizer and parsers of vLLM, without a GPU."""
    folder, port = tmp_path_factory.mktemp("vllm"), free_port()
    parsers = ("--reasoning-parser", "qwen3", "--tool-call-parser", "hermes", "--enable-auto-tool-choice")
    program = Path(sys.executable).with_name("vllm")
    command = (program, "launch", "render", "--model", model_folder(folder / "toy"), "--port", port, *parsers)
    with started(command, port, folder / "log") as server:
        yield server


@pytest.fixture(scope="module")
def transformers_serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """``transformers serve`` with weights drawn at random."""
    from transformers import LlamaConfig, LlamaForCausalLM

    folder, port = tmp_path_factory.mktemp("transformers"), free_port()
    LlamaForCausalLM(LlamaConfig(**SHAPE)).save_pretrained(model_folder(folder / "toy"))
    command = (Path(sys.executable).with_name("transformers"), "serve", folder / "toy", "--port", port)
    with started((*command, "--device", "cpu"), port, folder / "log") as server:
        yield server
