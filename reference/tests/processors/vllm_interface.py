"""What the runners of vLLM 0.33.0 demand of a logits processor, recorded: its wheel needs CUDA to be imported whole.

``test_vllm.py`` lays the wheel's own classes beside this record wherever the wheel is installed.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class MoveDirectionality(Enum):
    UNIDIRECTIONAL = auto()
    SWAP = auto()


@dataclass(frozen=True)
class BatchUpdate:
    batch_size: int
    removed: Any
    added: Any
    moved: Any


class BatchLogitsProcessor(ABC):
    @classmethod
    def validate_params(cls, sampling_params):
        return None

    @abstractmethod
    def __init__(self, vllm_config, device, is_pin_memory):
        raise NotImplementedError

    @abstractmethod
    def apply(self, logits):
        raise NotImplementedError

    @abstractmethod
    def is_argmax_invariant(self):
        raise NotImplementedError

    @abstractmethod
    def update_state(self, batch_update):
        raise NotImplementedError


@dataclass(frozen=True)
class LogitsContext:
    expanded_idx_mapping: Any
    idx_mapping: Any
    idx_mapping_np: Any
    expanded_local_pos: Any
    input_ids: Any
    pos: Any
    seq_lens_upper_bound_np: Any


@dataclass(frozen=True)
class LogitsProcRequestState:
    device: Any
    max_num_reqs: int
    vocab_size: int
    all_token_ids: Any
    prompt_len: Any
    prefill_len: Any
    total_len: Any


class SlotLogitsProcessor(ABC):
    def __init__(self, vllm_config, req_states):  # noqa: B027 - as vLLM has it
        pass

    @classmethod
    def validate_params(cls, sampling_params):
        return None

    def add_request(self, req_idx, sampling_params):
        return True

    def apply_staged_writes(self):  # noqa: B027 - as vLLM has it
        pass

    @abstractmethod
    def apply(self, logits, ctx):
        raise NotImplementedError


V1 = {
    "LogitsProcessor": BatchLogitsProcessor,
    "BatchUpdate": BatchUpdate,
    "MoveDirectionality": MoveDirectionality,
}
V2 = {
    "LogitsProcessor": SlotLogitsProcessor,
    "LogitsContext": LogitsContext,
    "LogitsProcRequestState": LogitsProcRequestState,
}
