"""Pictures made in memory, and a tokenizer that knows their placeholders."""

import io
from functools import cache

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

TOKENS = [
    *("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "</tool_call>"),
    *("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"),
]


@cache
def seeing():
    """Bytes and the control tokens of Qwen3-VL."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(alphabet)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_tokens([AddedToken(token, special=token.startswith("<|"), normalized=False) for token in TOKENS])
    return PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|im_end|>")


def encoded(width, height, form="PNG", **how):
    """The bytes of a picture file."""
    from PIL import Image

    held = io.BytesIO()
    Image.new("RGB", (width, height)).save(held, form, **how)
    return held.getvalue()
