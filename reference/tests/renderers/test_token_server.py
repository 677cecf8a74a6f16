"""Token servers: a small one with a tiny model behind a real socket, in every spelling that servers use."""

import asyncio
import json
import threading
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import torch
from toys import byte_level
from transformers import LlamaConfig, LlamaForCausalLM

from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers import (
    AsyncTokenServer,
    ServerFailed,
    TokenServer,
    create_renderer,
    generate,
    generate_async,
)
from tokenspec_reference.renderers.dialects import DIALECTS, TOKENS, read_completion
from tokenspec_reference.renderers.generate import Completion, GenerationRequest, MalformedCompletion
from tokenspec_reference.renderers.media.served import as_served
from tokenspec_reference.renderers.rendered import MultiModalData, PlaceholderRange, RenderedTokens

ASK = {"role": "user", "content": "hi"}
LONGEST = 96


@cache
def renderer():
    return create_renderer(byte_level(), family="qwen2.5")


@cache
def model():
    torch.manual_seed(7)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(byte_level()), **sizes)).eval()


def log_probabilities(ids):
    with torch.no_grad():
        return model()(torch.tensor([ids])).logits[0].double().log_softmax(-1)


def continue_(prompt, params):
    """Greedy ids and their log-probabilities, one forward a token; a stop token is the last of them."""
    ids, scores = list(prompt), []
    for _ in range(params.get("max_tokens", 8)):
        row = log_probabilities(ids)[-1]
        ids.append(int(row.argmax()))
        scores.append(float(row[ids[-1]]))
        if ids[-1] in params.get("stop_token_ids", []):
            return ids[len(prompt) :], scores, "stop"
    return ids[len(prompt) :], scores, "length"


def spellings(ids, scores, reason):
    """The same completion as four servers write it."""
    content = list(zip(ids, scores, strict=True))
    choice = {"index": 0, "finish_reason": reason}
    return {
        "vllm": choice
        | {"token_ids": ids, "logprobs": {"content": [{"token_id": i, "logprob": p, "rank": 1} for i, p in content]}},
        "older vllm": choice
        | {"token_ids": ids, "logprobs": {"content": [{"token": f"token_id:{i}", "logprob": p} for i, p in content]}},
        "vllm completions": choice
        | {"text": "…", "logprobs": {"tokens": [f"token_id:{i}" for i in ids], "token_logprobs": scores}},
        "llama.cpp": choice
        | {"text": "…", "logprobs": {"content": [{"id": i, "token": "…", "logprob": p} for i, p in content]}},
    }


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, {"data": [{"id": "other"}, {"id": "tiny", "max_model_len": LONGEST}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        if self.server.instead is not None:
            self.server.instead(self)
            return
        prompt = body["token_ids"] if self.path == TOKENS.path else body["prompt"]
        params = body["sampling_params"] if self.path == TOKENS.path else body
        said = continue_(prompt, params)
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(said[0])}
        self.answer(200, {"request_id": "r1", "usage": usage, "choices": [spellings(*said)[self.server.spelling]]})

    def answer(self, status, said):
        raw = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


@contextmanager
def serving(spelling="vllm", instead=None):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.seen, server.spelling, server.instead = [], spelling, instead
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.seen
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("spelling", ["vllm", "older vllm", "vllm completions", "llama.cpp"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_server_samples_comes_back_with_its_log_probabilities(dialect, spelling):
    with serving(spelling) as (url, seen), TokenServer(url + "/v1/", model="tiny", dialect=dialect) as server:
        made = generate(server.complete, renderer(), [ASK], sampling_params={"max_tokens": 6})
    whole = log_probabilities(made.prompt_ids + made.completion_ids)[len(made.prompt_ids) - 1 : -1]
    expected = whole[range(len(made.completion_ids)), made.completion_ids]
    assert len(made.completion_ids) == 6
    assert made.completion_logprobs == pytest.approx(expected.tolist(), abs=1e-4)
    assert made.prompt_attribution.token_ids == made.prompt_ids
    assert made.finish_reason == "length"
    assert made.said == {"request_id": "r1", "usage": {"prompt_tokens": len(made.prompt_ids), "completion_tokens": 6}}
    (path, _, body), params = seen[0], seen[0][2].get("sampling_params", seen[0][2])
    assert (path, body["model"]) == (DIALECTS[dialect].path, "tiny")
    assert params["stop_token_ids"] == renderer().get_stop_token_ids()
    assert (params["logprobs"], params["max_tokens"], params["skip_special_tokens"]) == (1, 6, False)


def test_it_stops_where_it_was_told_to():
    with serving() as (url, _), TokenServer(url) as server:
        free = generate(server.complete, renderer(), [ASK], sampling_params={"max_tokens": 6}).completion_ids
        stop = {"max_tokens": 6, "stop_token_ids": [free[2]]}
        made = generate(server.complete, renderer(), [ASK], sampling_params=stop)
    assert made.completion_ids == free[: free.index(free[2]) + 1]
    assert made.finish_reason == "stop"


def test_the_awaited_face_says_the_same_for_many_at_once():
    async def ask(url):
        async with AsyncTokenServer(url, model="tiny") as server:
            assert await server.max_prompt_len() == LONGEST
            return await asyncio.gather(*(generate_async(server.complete, renderer(), [ASK]) for _ in range(5)))

    with serving() as (url, _), TokenServer(url) as server:
        assert asyncio.run(ask(url)) == [generate(server.complete, renderer(), [ASK])] * 5


def test_the_key_the_headers_and_the_body_travel_and_the_key_is_not_printed():
    with serving() as (url, seen):
        server = TokenServer(url, api_key="secret", headers={"X-Tenant": "a"}, body={"priority": 3, "cache_salt": "s"})
        generate(server.complete, renderer(), [ASK])
        server.close()
    _, headers, body = seen[0]
    assert (headers["Authorization"], headers["X-Tenant"]) == ("Bearer secret", "a")
    assert (body["priority"], body["cache_salt"]) == (3, "s")
    assert "secret" not in repr(server)


def test_the_longest_prompt_is_the_models():
    with serving() as (url, _):
        assert TokenServer(url, model="tiny").max_prompt_len() == LONGEST
        assert TokenServer(url, model="other").max_prompt_len() is None


@pytest.mark.parametrize(
    ("instead", "says"),
    [
        (lambda handler: handler.answer(503, b"loading the model"), "answered 503: loading the model"),
        (lambda handler: handler.answer(200, b"<html>"), "did not answer with JSON: '<html>'"),
        (lambda handler: handler.connection.close(), "no answer from http://127.0.0.1"),
    ],
)
def test_a_failing_server_ends_with_its_words(instead, says):
    with serving(instead=instead) as (url, seen), TokenServer(url) as server:
        with pytest.raises(ServerFailed, match=says.replace("(", r"\(")):
            generate(server.complete, renderer(), [ASK])
        assert len(seen) == 1


def test_a_slow_server_and_none_at_all():
    release = threading.Event()
    with serving(instead=lambda _: release.wait(30)) as (url, _):
        with pytest.raises(ServerFailed, match="ReadTimeout"):
            generate(TokenServer(url, timeout=0.2).complete, renderer(), [ASK])
        release.set()
    with pytest.raises(ServerFailed, match="ConnectError"):
        generate(TokenServer(url).complete, renderer(), [ASK])


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
SEEN = [{"role": "user", "content": [{"type": "text", "text": "hi"}, PICTURE]}]


def media_renderer():
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.content is string %}{{ m.content }}{% else %}"
        "{% for p in m.content %}{{ p.text if p.type == 'text' else '<think>' }}{% endfor %}{% endif %}<|im_end|>\n"
        "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    return create_renderer(byte_level(), family="template", chat_template=template)


def test_media_are_sent_and_the_expanded_prompt_has_its_masks():
    made = media_renderer()
    logical = made.render(SEEN, add_generation_prompt=True)
    pad = byte_level().convert_tokens_to_ids("<think>")
    at = logical.token_ids.index(pad)
    expanded = [*logical.token_ids[:at], *[pad] * 5, *logical.token_ids[at + 1 :]]

    def answered(handler):
        choice = spellings([1, 2], [-1.0, -2.0], "length")["vllm"]
        where = {"image": [{"offset": at, "length": 5}]}
        handler.answer(200, {"choices": [choice], "prompt_token_ids": expanded, "mm_placeholders": where})

    with serving(instead=answered) as (url, seen), TokenServer(url) as server:
        found = generate(server.complete, made, SEEN)
    _, _, body = seen[0]
    assert body["content_parts"] == [{"type": "image_url", "url": PICTURE["image_url"]["url"]}]
    assert (body["token_ids"], body["return_token_ids"]) == (logical.token_ids, True)
    assert found.prompt_ids == found.prompt_attribution.token_ids == expanded
    assert found.prompt_attribution.is_content[at : at + 5] == [logical.is_content[at]] * 5
    assert found.prompt_attribution.message_indices[at + 5 :] == logical.message_indices[at + 1 :]
    assert found.prompt_attribution.multi_modal_data.mm_placeholders["image"] == [PlaceholderRange(at, 5)]


def test_media_need_a_server_that_says_where_they_stand():
    with serving() as (url, seen):
        with pytest.raises(MalformedCompletion, match="mm_placeholders"):
            generate(TokenServer(url).complete, media_renderer(), SEEN)
        with pytest.raises(UnsupportedByReference, match="completions take ids alone"):
            generate(TokenServer(url, dialect="completions").complete, media_renderer(), SEEN)
        beside = [{"role": "user", "content": [{"type": "image", "image": "cat.png"}]}]
        with pytest.raises(TokenSpecError, match=r"messages\[0\]\.content\[0\]: a server takes an address"):
            generate(TokenServer(url).complete, media_renderer(), beside)
        assert len(seen) == 1


def test_media_are_never_expanded_twice():
    data = MultiModalData({"image": [{}]}, {"image": [PlaceholderRange(1, 2)]}, {"image": [None]})
    bridged = RenderedTokens(token_ids=[7, 8, 8], multi_modal_data=data)
    sent = []

    def own(request):
        sent.append(request)
        return Completion([1], [-1.0])

    given = {"prompt_ids": bridged.token_ids, "prompt_attribution": bridged}
    made = generate(own, media_renderer(), SEEN, **given)
    assert (made.prompt_ids, made.prompt_attribution) == ([7, 8, 8], bridged)
    assert (sent[0].content_parts, sent[0].multi_modal_data) == ([], data)
    with serving() as (url, seen), pytest.raises(UnsupportedByReference, match="expanded already"):
        generate(TokenServer(url).complete, media_renderer(), SEEN, **given)
    assert not seen


@pytest.mark.parametrize(
    ("ids", "ranges"),
    [
        ([7, 8, 8, 9, 9], [(1, 2)]),
        ([7, 8, 8], [(1, 2)]),
        ([6, 8, 8, 9], [(1, 2)]),
        ([7, 8, 9], [(9, 2)]),
    ],
)
def test_another_prompt_than_was_sent_is_refused(ids, ranges):
    placeholders = {"image": [{"offset": offset, "length": length} for offset, length in ranges]}
    with pytest.raises(TokenSpecError, match="prompt_token_ids"):
        as_served(RenderedTokens(token_ids=[7, 8, 9]), ids, placeholders)


REQUEST = GenerationRequest([5, 6], {})
SCORES = {"content": [{"token_id": 1, "logprob": -1.0}]}


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        ([], "choices"),
        ({"choices": []}, "choices"),
        ({"choices": [{}, {}]}, "choices"),
        ({"choices": [{"token_ids": [1]}]}, "logprobs"),
        ({"choices": [{"logprobs": {"tokens": ["a"], "token_logprobs": [-1.0]}}]}, "choices[0].token_ids"),
        ({"choices": [{"token_ids": [1, True], "logprobs": SCORES}]}, "choices[0].token_ids"),
        ({"choices": [{"token_ids": [2], "logprobs": SCORES}]}, "logprobs[0]"),
        ({"choices": [{"logprobs": SCORES}], "usage": {"completion_tokens": 2}}, "choices[0].token_ids"),
        ({"choices": [{"token_ids": [1], "logprobs": {"content": [None]}}]}, "logprobs.content"),
        ({"choices": [{"token_ids": [1], "logprobs": {"tokens": ["a"]}}]}, "logprobs"),
        ({"choices": [{"token_ids": [1], "logprobs": SCORES}], "prompt_token_ids": [0, 5, 6]}, "prompt_token_ids"),
    ],
)
def test_an_answer_that_cannot_be_trained_on_is_refused_with_its_place(answer, field):
    with pytest.raises(MalformedCompletion) as refused:
        read_completion(answer, REQUEST)
    assert refused.value.field == field


def test_an_address_and_a_dialect_are_looked_at_first():
    with pytest.raises(TokenSpecError, match="base_url: expected an address"):
        TokenServer("localhost:8000")
    with pytest.raises(TokenSpecError, match="dialect: unknown dialect 'sglang'"):
        TokenServer("http://localhost", dialect="sglang")
