"""Tiny tokenizers made in memory, so that renderer tests need no files and no network."""

from functools import cache

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

CONTROL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<think>", "</think>", "<tool_call>", "</tool_call>"]
OTHER_CLOSERS = ["<|eot_id|>", "<｜end▁of▁sentence｜>", "[e~[", "</assistant>", "<turn|>", "<|return|>"]
MERGES = [("Ċ", "Ċ"), ("ĊĊ", "Ċ"), ("h", "i"), ("Ġ", "hi"), (">", "Ċ"), ("u", "s"), ("e", "r"), ("us", "er")]


@cache
def byte_level(*, nfc: bool = False, offsets: bool = True) -> PreTrainedTokenizerFast:
    """Byte-level BPE with a few merges that cross wire seams (newlines, a bracket with a newline)."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {token: i for i, token in enumerate([*alphabet, *("".join(pair) for pair in MERGES)])}
    backend = Tokenizer(models.BPE(vocab=vocab, merges=MERGES))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    if nfc:
        backend.normalizer = normalizers.NFC()
    backend.add_tokens(
        [AddedToken(token, special=token.startswith("<|"), normalized=False) for token in [*CONTROL, *OTHER_CLOSERS]]
    )
    kind = PreTrainedTokenizerFast if offsets else WithoutOffsets
    return kind(tokenizer_object=backend, eos_token="<|im_end|>")


class WithoutOffsets(PreTrainedTokenizerFast):
    """A tokenizer that refuses offsets, as fastokens does."""

    @property
    def backend_tokenizer(self):
        return BackendWithoutOffsets(super().backend_tokenizer)


class BackendWithoutOffsets:
    def __init__(self, backend):
        self.backend = backend

    def __getattr__(self, name):
        return getattr(self.backend, name)

    def encode(self, text, add_special_tokens=True):
        return EncodingWithoutOffsets(self.backend.encode(text, add_special_tokens=add_special_tokens).ids)


class Opaque:
    """A tokenizer that shows neither vocabulary nor offsets."""

    def encode(self, text, add_special_tokens=False):
        return [ord(character) for character in text]


class Untracked(Opaque):
    """One that refuses offsets."""

    def encode(self, text, add_special_tokens=False):
        return EncodingWithoutOffsets(super().encode(text))


class EncodingWithoutOffsets:
    def __init__(self, ids):
        self.ids = ids

    @property
    def offsets(self):
        raise NotImplementedError("no offsets here")


def gpt2_like() -> PreTrainedTokenizerFast:
    """A tokenizer with one added token that no chat format knows."""
    backend = Tokenizer(models.BPE(vocab={"a": 0}, merges=[]))
    backend.add_tokens([AddedToken("<eos>", special=True)])
    return PreTrainedTokenizerFast(tokenizer_object=backend)
