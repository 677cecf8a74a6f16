"""What can be wrong with a configuration, in words: the rules that messages name, and what JSON values are called."""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Rule(StrEnum):
    """A rule that a configuration breaks; equal to its name in messages."""

    BEGIN_IDS_EMPTY = "begin-ids-empty"
    BOUNDARIES_SHARE_A_TOKEN = "boundaries-share-a-token"
    CANDIDATE_NEGATIVE = "candidate-negative"
    CANDIDATE_RANGE = "candidate-range"
    CANDIDATE_TYPE = "candidate-type"
    CANDIDATES_TYPE = "candidates-type"
    CHAIN_EMPTY = "chain-empty"
    CHAIN_NO_FINISHER = "chain-no-finisher"
    CHAIN_TWO_FINISHERS = "chain-two-finishers"
    CHOICE = "choice"
    CLOSING_END_TAG = "closing-end-tag"
    COMBO_LENGTH = "combo-length"
    COMBO_SIZE = "combo-size"
    DUPLICATE_KEY = "duplicate-key"
    END_IDS_EMPTY = "end-ids-empty"
    END_TOKEN_RANGE = "end-token-range"
    FILE = "file"
    FILE_NAME = "file-name"
    JSON_SYNTAX = "json-syntax"
    KEY_AFTER_END = "key-after-end"
    KEY_EMPTY = "key-empty"
    KEY_MALFORMED = "key-malformed"
    KEY_ORPHAN = "key-orphan"
    KEY_START = "key-start"
    KEY_TYPE = "key-type"
    KIND = "kind"
    MAX_TOKENS = "max-tokens"
    MIN_TOKENS = "min-tokens"
    MODE = "mode"
    NO_STATUS = "no-status"
    NOT_JSON = "not-json"
    PREFIX_DICT_MISSING = "prefix-dict-missing"
    PREFIX_DICT_TYPE = "prefix-dict-type"
    REORDER = "reorder"
    ROOT_KEY_MISSING = "root-key-missing"
    ROOT_NOT_OBJECT = "root-not-object"
    SEP_AMBIGUOUS = "sep-ambiguous"
    SEP_EMPTY = "sep-empty"
    SEP_TYPE = "sep-type"
    START_TOKEN_RANGE = "start-token-range"
    TAG_IDS_EMPTY = "tag-ids-empty"
    TOKEN_ID_INT32 = "token-id-int32"
    TOKEN_ID_RANGE = "token-id-range"
    TOKEN_ID_TYPE = "token-id-type"
    UNKNOWN_FIELD = "unknown-field"
    VOCAB_SIZE = "vocab-size"


KINDS = {
    "start_map": "an object",
    "start_array": "an array",
    "string": "a string",
    "boolean": "a boolean",
    "null": "null",
    "number": "a number with a fraction or an exponent",
}


def kind_of(event: str, value: Any = None) -> str:
    """What a parser's event has found."""
    return "an integer" if event == "number" and isinstance(value, int) else KINDS[event]
