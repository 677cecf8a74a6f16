"""Three small tokenizers of the kinds there are: byte-level with few merges, with more, and one that marks spaces."""

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast


def byte_level(*merges):
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    joined = ["".join(pair) for pair in merges]
    backend = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate([*alphabet, *joined])}, merges=list(merges)))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_tokens([AddedToken(token, special=True) for token in ("<|im_start|>", "<|im_end|>", "</s>")])
    return PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="</s>")


SMALL = byte_level(("h", "i"), ("Ċ", "h"), ("h", "Ã"), ("t", "h"))
LARGE = byte_level(("h", "i"), ("Ġ", "hi"), ("]", "Ġhi"), ("Ã", "©"), ("i", "Ġ"), ("ä", "¸"))


def metaspace():
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁hite<>/|_[]asrunmd", "hi", "▁h", "▁hi"]
    merges = [("h", "i"), ("▁", "h"), ("▁", "hi")]
    model = models.BPE(
        vocab={t: i for i, t in enumerate(pieces)}, merges=merges, byte_fallback=True, unk_token="<unk>", fuse_unk=True
    )
    backend = Tokenizer(model)
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    backend.add_tokens([AddedToken(token, special=True) for token in ("<|im_start|>", "<|im_end|>", "</s>")])
    return PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="</s>")


TOKENIZERS = {"small": SMALL, "large": LARGE, "metaspace": metaspace()}
