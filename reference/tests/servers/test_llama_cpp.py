"""The completions dialect against llama.cpp's own server (xllamacpp's wheel carries it)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tokenspec_reference.renderers import TokenServer, create_renderer, generate
from tokenspec_reference.renderers.generate import MalformedCompletion

pytestmark = pytest.mark.servers
ASK = [{"role": "user", "content": "hi"}]
CONTROL, NORMAL = 3, 1


@pytest.fixture(scope="module")
def tokenizer():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate([*alphabet, "hi"])}, merges=[("h", "i")]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_tokens([AddedToken(token, special=True) for token in ("<|im_start|>", "<|im_end|>", "<|endoftext|>")])
    return PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|im_end|>")


@pytest.fixture(scope="module")
def address(tokenizer, tmp_path_factory):
    vocabulary = {
        "tokens": tokenizer.convert_ids_to_tokens(range(len(tokenizer))),
        "types": [CONTROL if i in tokenizer.added_tokens_decoder else NORMAL for i in range(len(tokenizer))],
        "merges": ["h i"],
        "eos": tokenizer.eos_token_id,
    }
    command = [sys.executable, Path(__file__).with_name("llama_cpp.py"), tmp_path_factory.mktemp("gguf") / "tiny.gguf"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        json.dump(vocabulary, process.stdin)
        process.stdin.close()
        yield process.stdout.readline().strip()
        process.kill()


def ask(address, tokenizer, **params):
    with TokenServer(address, dialect="completions") as server:
        renderer = create_renderer(tokenizer, family="qwen2.5")
        return generate(server.complete, renderer, ASK, sampling_params={"temperature": 0, **params})


def test_ids_and_log_probabilities_come_back(address, tokenizer):
    hi = tokenizer.convert_tokens_to_ids("hi")
    made = ask(address, tokenizer, max_tokens=5, logit_bias=[[hi, 100]])
    assert (made.completion_ids, made.content, made.finish_reason) == ([hi] * 5, "hi" * 5, "length")
    assert made.said["usage"]["prompt_tokens"] == len(made.prompt_ids)
    assert all(-20 < logprob < 0 for logprob in made.completion_logprobs)


def test_the_end_of_a_turn_is_among_the_ids(address, tokenizer):
    made = ask(address, tokenizer, max_tokens=5, logit_bias=[[tokenizer.eos_token_id, 100]])
    assert made.completion_ids == [tokenizer.eos_token_id]
    assert (made.content, made.finish_reason) == ("", "stop")


def test_tokens_it_keeps_to_itself_are_missed(address, tokenizer):
    first_byte_of_two = tokenizer.convert_tokens_to_ids("Ã")
    with pytest.raises(MalformedCompletion):
        ask(address, tokenizer, max_tokens=5, logit_bias=[[first_byte_of_two, 100]])
