"""Roles of special tokens: what pairs ``<|im_end|>`` with ``<|eot_id|>`` and with ``</s>`` (``ALN-013``).

A role is, in this order: what the caller declares; the entry of the table below; the attribute of the tokenizer (BOS,
EOS, padding, unknown); the token's own spelling, so that equal spellings pair.
"""

from __future__ import annotations

from typing import Any

BEGIN, END, TURN, PADDING, UNKNOWN = "begin", "end", "turn-start", "padding", "unknown"
NEVER_PAIRED = frozenset({PADDING, UNKNOWN})

ROLE_OF_SPELLING = {
    **dict.fromkeys(
        ("<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "<｜begin▁of▁sentence｜>"),
        BEGIN,
    ),
    **dict.fromkeys(
        (
            *("</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>", "<｜end▁of▁sentence｜>"),
            *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<turn|>", "<|end|>", "<|return|>"),
        ),
        END,
    ),
    **dict.fromkeys(
        ("<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "<|turn>", "<|start|>"),
        TURN,
    ),
    **dict.fromkeys(("<pad>", "[PAD]", "<|finetune_right_pad_id|>", "<｜▁pad▁｜>"), PADDING),
    **dict.fromkeys(("<unk>", "[UNK]"), UNKNOWN),
}


def role_of(token: str, tokenizer: Any) -> str:
    """Role of a special token that the caller has not declared."""
    if token in ROLE_OF_SPELLING:
        return ROLE_OF_SPELLING[token]
    attributes = (
        (tokenizer.bos_token, BEGIN),
        (tokenizer.eos_token, END),
        (tokenizer.pad_token, PADDING),
        (tokenizer.unk_token, UNKNOWN),
    )
    return next((role for attribute, role in attributes if attribute == token), token)
