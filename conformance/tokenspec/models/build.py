"""From a vocabulary and a row's declarations to an ordinary Hugging Face tokenizer folder, byte for byte reproducible.

``tokenizer.json`` is written in one canonical form, so that every carrier of the same tokenizer, and the publisher's
own file, give the same sha256. Loading the folder needs nothing of this project.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tokenspec.models.errors import BuildError
from tokenspec.models.pipelines import PIPELINES
from tokenspec.models.spec import RowSpec, Tokenizer, added_tokens
from tokenspec.models.vocabulary import read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def tokenizer_json(tokenizer: Tokenizer, data: bytes, file_format: str) -> bytes:
    """Canonical ``tokenizer.json`` of a row from the bytes of one source.

    Format ``hf`` is a finished file and is only brought into canonical form; every other format gives vocabulary and
    merges, and the row's pipeline and added tokens complete it.

    Raises:
        BuildError: unreadable bytes, an unknown pipeline, or an added token that the vocabulary has under another id.
    """
    if file_format == "hf":
        return canonical(data)
    pipeline = PIPELINES.get(tokenizer.pipeline or "")
    if pipeline is None:
        raise BuildError(f"tokenizer.pipeline {tokenizer.pipeline!r} is unknown; known: {', '.join(sorted(PIPELINES))}")
    vocabulary = read_vocabulary(data, file_format, merges=pipeline.merges)
    added = added_tokens(tokenizer)
    texts = {text: token_id for token_id, (text, _) in added.items()}
    tokens = {
        text: token_id
        for text, token_id in vocabulary.tokens.items()
        if token_id not in added or texts.get(text) == token_id
    }
    if clash := [text for text, token_id in texts.items() if tokens.get(text, token_id) != token_id]:
        raise BuildError(f"added token {clash[0]!r} is an ordinary token of the vocabulary with another id")
    if tokenizer.added_in_vocabulary:
        tokens |= texts
    return canonical_document(
        {
            "added_tokens": [
                {"id": token_id, "content": text} | {flag: flag in flags for flag in _FLAGS}
                for token_id, (text, flags) in added.items()
            ],
            "normalizer": pipeline.normalizer,
            "pre_tokenizer": pipeline.pre_tokenizer,
            "post_processor": pipeline.post_processor,
            "decoder": pipeline.decoder,
            "model": {
                "type": "BPE",
                "unk_token": pipeline.unknown,
                "fuse_unk": pipeline.unknown is not None,
                "byte_fallback": pipeline.byte_fallback,
                "ignore_merges": pipeline.ignore_merges,
                "vocab": tokens,
                "merges": vocabulary.merges,
            },
        }
    )


def canonical(data: bytes) -> bytes:
    """Canonical form of the bytes of any BPE ``tokenizer.json``."""
    try:
        return canonical_document(json.loads(data))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BuildError(f"not a BPE tokenizer.json: {error!r}") from error


def canonical_document(document: Mapping[str, Any]) -> bytes:
    """One spelling for every way to write the same BPE tokenizer.

    Fixed key order, vocabulary and added tokens by id, merges as pairs, absent options written out. Truncation and
    padding are dropped: they are settings of a call, and a renderer sets neither.
    """
    model = document["model"]
    if model["type"] != "BPE":
        raise BuildError(f"model.type is {model['type']!r}; only BPE tokenizers have a canonical form here")
    merges = (merge.split(" ", 1) if isinstance(merge, str) else list(merge) for merge in model["merges"])
    result = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _sorted_added(document.get("added_tokens") or ()),
        "normalizer": _sorted(document.get("normalizer")),
        "pre_tokenizer": _sorted(document.get("pre_tokenizer")),
        "post_processor": _sorted(document.get("post_processor")),
        "decoder": _sorted(document.get("decoder")),
        "model": {
            "type": "BPE",
            "dropout": model.get("dropout"),
            "unk_token": model.get("unk_token"),
            "continuing_subword_prefix": model.get("continuing_subword_prefix") or None,
            "end_of_word_suffix": model.get("end_of_word_suffix") or None,
            "fuse_unk": model.get("fuse_unk", False),
            "byte_fallback": model.get("byte_fallback", False),
            "ignore_merges": model.get("ignore_merges", False),
            "vocab": dict(sorted(model["vocab"].items(), key=lambda entry: entry[1])),
            "merges": list(merges),
        },
    }
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _sorted_added(tokens: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    rows = ({"id": token["id"], "content": token["content"]} | {f: token[f] for f in _FLAGS} for token in tokens)
    return sorted(rows, key=lambda token: token["id"])


def _sorted(section: Any) -> Any:
    """Key order of JSON objects is no property of a tokenizer: sort it. The order of lists is."""
    if isinstance(section, dict):
        return {key: _sorted(section[key]) for key in sorted(section)}
    return [_sorted(item) for item in section] if isinstance(section, list) else section


def folder(row: RowSpec, tokenizer: bytes, template: str) -> dict[str, bytes]:
    """The files of an ordinary tokenizer folder: name -> bytes."""
    named = {key: value for key, value in row.tokenizer.config.items() if key.endswith("_token")}
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_input_names": ["input_ids", "attention_mask"],
        **row.tokenizer.config,
    }
    files = {
        "tokenizer.json": tokenizer,
        "tokenizer_config.json": _pretty(config),
        "special_tokens_map.json": _pretty({key: value for key, value in named.items() if value is not None}),
    }
    return files | ({row.template_file: template.encode()} if row.has_template else {})


def _pretty(document: Mapping[str, Any]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()
