"""Write a tiny random Llama with the vocabulary on standard input, serve it with llama.cpp, and say where, until killed.

``pre`` names how llama.cpp splits text before the merges, ``template`` is a chat template, ``prefill``: it goes on with a
last assistant turn, as it does by default, ``keys`` are those that it wants to be shown. All of them may be left out.
"""

import json
import sys
import threading

import gguf
import numpy as np
import xllamacpp

WIDTH, INNER, HEADS, CONTEXT = 32, 64, 2, 512
SHAPES = {
    "attn_q": (WIDTH, WIDTH),
    "attn_k": (WIDTH, WIDTH),
    "attn_v": (WIDTH, WIDTH),
    "attn_output": (WIDTH, WIDTH),
    "ffn_gate": (INNER, WIDTH),
    "ffn_up": (INNER, WIDTH),
    "ffn_down": (WIDTH, INNER),
}


def write(path, vocabulary):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(vocabulary["tokens"]))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(vocabulary.get("pre", "default"))
    writer.add_token_list(vocabulary["tokens"])
    writer.add_token_types(vocabulary["types"])
    writer.add_token_merges(vocabulary["merges"])
    writer.add_eos_token_id(vocabulary["eos"])
    writer.add_add_bos_token(False)
    if "template" in vocabulary:
        writer.add_chat_template(vocabulary["template"])
    draws = np.random.default_rng(0)
    embedding = (len(vocabulary["tokens"]), WIDTH)
    tensors = {"token_embd": embedding, "output": embedding} | {f"blk.0.{name}": s for name, s in SHAPES.items()}
    for name, shape in tensors.items():
        writer.add_tensor(f"{name}.weight", draws.normal(0, 0.3, shape).astype(np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def serve(path, prefill, keys):
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.n_ctx, settings.n_parallel, settings.port = CONTEXT, 1, 0
    settings.cpuparams.n_threads = 1
    settings.use_jinja, settings.prefill_assistant = True, prefill
    settings.api_keys = keys
    return xllamacpp.Server(settings)


if __name__ == "__main__":
    vocabulary = json.load(sys.stdin)
    write(sys.argv[1], vocabulary)
    server = serve(sys.argv[1], vocabulary.get("prefill", False), vocabulary.get("keys", []))
    print(server.listening_address, flush=True)
    threading.Event().wait()
