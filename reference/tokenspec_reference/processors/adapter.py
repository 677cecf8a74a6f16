"""The reference's side of the suite's operation ``process_logits``: a script of steps in plain JSON.

The request names processors, a vocabulary width and a number of rows, and lists steps; the answer has one entry per
step. A typed error inside a step becomes that step's entry and ends the script; a bad configuration is a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import torch

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.processors.after import After
from tokenspec_reference.processors.bitmask import pack
from tokenspec_reference.processors.chain import Chain
from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.drafts import Rewindable
from tokenspec_reference.processors.errors import ConfigError, config_error, inside
from tokenspec_reference.processors.masking import apply_allowed
from tokenspec_reference.processors.multi_seq import MultiSeqLogitsProcessor
from tokenspec_reference.processors.processor import Processor
from tokenspec_reference.processors.recommendation import RecommendationLogitsProcessor
from tokenspec_reference.processors.think import ThinkModeLogitsProcessor
from tokenspec_reference.processors.tree import TreeLogitsProcessor, require_root
from tokenspec_reference.processors.tree_file import compile_tree

if TYPE_CHECKING:
    from torch import Tensor

    from tokenspec_reference.loaded_model import LoadedModel

DTYPES = {
    "float16": (torch.float16, torch.int16),
    "bfloat16": (torch.bfloat16, torch.int16),
    "float32": (torch.float32, torch.int32),
    "float64": (torch.float64, torch.int64),
}


OPERATIONS = (
    *("allow", "advance", "reorder", "finish", "status", "bitmask", "apply", "select"),
    *("masks", "commit", "rollback", "forced"),
)


def make_processor(config: Mapping[str, Any], vocab_size: int) -> Processor[Any]:
    """One processor from its JSON form: ``kind`` and the arguments of the class. Errors have their place in it."""
    arguments = {key: value for key, value in config.items() if key != "kind"}
    kind = config.get("kind")
    if kind == "tree":
        return _tree(arguments, vocab_size)
    if kind == "think":
        return ThinkModeLogitsProcessor(vocab_size=vocab_size, **arguments)
    if kind == "multi_seq":
        return MultiSeqLogitsProcessor(vocab_size=vocab_size, **arguments)
    if kind == "recommendation":
        return RecommendationLogitsProcessor(vocab_size=vocab_size, **arguments)
    if kind == "after":
        with inside("/processor"):
            inner = make_processor(arguments["processor"], vocab_size)
        return After(arguments["tag_ids"], inner)
    raise config_error("/kind", Rule.KIND, f"must be tree, think, multi_seq, recommendation or after, not {kind!r}")


def _tree(arguments: Mapping[str, Any], vocab_size: int) -> TreeLogitsProcessor:
    where = "config_text" if "config_text" in arguments else "config"
    with inside(f"/{where}", text=where == "config_text"):
        tree = compile_tree(
            arguments[where],
            mode=arguments.get("mode", "strict"),
            vocab_size=vocab_size if arguments.get("bind", True) else None,
        )
        processor = TreeLogitsProcessor(tree, vocab_size=vocab_size)
    if "prompt_token_ids" in arguments:
        with inside("/prompt_token_ids"):
            require_root(tree, arguments["prompt_token_ids"])
    return processor


def status_of(processor: Processor[Any], state: Any) -> list[str] | None:
    """The status of every row, of a processor that has one; behind a tag it is the inner one's."""
    if isinstance(processor, After):
        return status_of(processor.processor, state.inner)
    if isinstance(processor, TreeLogitsProcessor):
        return processor.status(state)
    if isinstance(processor, ThinkModeLogitsProcessor):
        return [str(matched) for matched in state.end.tolist()]
    return None


class Script:
    """Runs the steps of one request; ``state`` is replaced, never changed."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        """Build the processors. Raises the typed errors of their configurations."""
        vocab_size = request["vocab_size"]
        self.members = []
        for place, config in enumerate(request["processors"]):
            with inside(f"/processors/{place}"):
                self.members.append(make_processor(config, vocab_size))
        self.chain = Rewindable(Chain(self.members, vocab_size=vocab_size), checked=request["checked"])
        self.state = self.chain.init(request["rows"])

    def allow(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The allowed ids of every row; ``ALL`` for no constraint."""
        del step
        return {"allowed": [_named(ids) for ids in self.chain.allow(self.state).to_lists()]}

    def advance(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Commit sampled tokens."""
        tokens = [one if isinstance(one, list) else [one] for one in step["tokens"]]
        self.state = self.chain.advance(self.state, tokens, step.get("active"))
        return {}

    def reorder(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Beam remap."""
        self.state = self.chain.reorder(self.state, step["src"])
        return {}

    def finish(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Set the finished flags."""
        self.state = self.chain.finish(self.state, step["finished"])
        return {}

    def status(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The derived status of every row, of the first processor that has one."""
        del step
        for member, state in zip(self.members, self.state.state, strict=False):
            status = status_of(member, state)
            if status is not None:
                return {"status": status}
        raise config_error("/processors", Rule.NO_STATUS, "only tree and think have a status")

    def bitmask(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The packed form of the allow-set."""
        del step
        return {"words": pack(self.chain.allow(self.state)).tolist()}

    def apply(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Write the mask into logits given as bit patterns, one hexadecimal string of big-endian words per row."""
        logits, digits = _from_bits(step)
        allow = self.chain.allow(self.state)
        apply_allowed(logits, allow, on_dead=step.get("on_dead", "raise"))
        return {"bits": _to_bits(logits, digits)}

    def select(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The allowed ids with the rules that look at logits, given as numbers or as texts such as ``nan``."""
        logits = torch.tensor([[float(number) for number in row] for row in step["logits"]], dtype=torch.float64)
        allow = self.chain.allow_from_logits(self.state, logits)
        return {"allowed": [_named(ids) for ids in allow.to_lists()]}

    def masks(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The sets before and behind the drafts of every row."""
        sets = self.chain.masks(self.state, step["drafts"]).to_lists()
        return {"masks": [[_named(ids) for ids in row] for row in sets]}

    def commit(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Commit as many tokens as each row accepted."""
        self.state = self.chain.commit(self.state, step["tokens"])
        return {}

    def rollback(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Take tokens back."""
        self.state = self.chain.rollback(self.state, step["counts"])
        return {}

    def forced(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """The forced run of every row."""
        return {"forced": self.chain.forced(self.state, step["limit"], step.get("stop_ids", ()))}


def process_logits(request: dict[str, Any], models: Mapping[str, LoadedModel]) -> dict[str, Any]:
    """Run a script of steps (see ``spec/30-processors.md``, "The script form"). Needs no model."""
    del models
    script = Script(request)
    operations: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
        name: getattr(script, name) for name in OPERATIONS
    }
    answers: list[dict[str, Any]] = []
    for number, step in enumerate(request["steps"]):
        try:
            answers.append(operations[step["op"]](step))
        except TokenSpecError as error:
            answers.append({"error": _told(error, f"/steps/{number}")})
            break
    return {"steps": answers}


def _told(error: TokenSpecError, step: str) -> dict[str, Any]:
    """The entry of a refused step. To blame is something of the configuration, or an argument: ``tokens[1]``."""
    argument = "" if error.field is None else "/" + re.sub(r"\[(\d+)\]", r"/\1", error.field)
    return {
        "code": error.rejection_code,
        "row": getattr(error, "row", None),
        "processors": list(getattr(error, "processors", ())),
        "place": error.rejection_place if isinstance(error, ConfigError) else step + argument,
    }


def _named(ids: list[int] | None) -> list[int] | str:
    return "ALL" if ids is None else ids


def _from_bits(step: Mapping[str, Any]) -> tuple[Tensor, int]:
    """Hexadecimal rows -> logits; ``layout`` ``strided`` embeds them in a wider, transposed buffer."""
    if step["dtype"] not in DTYPES:
        return torch.empty(0, dtype=getattr(torch, step["dtype"])), 0
    dtype, integer = DTYPES[step["dtype"]]
    digits = torch.finfo(dtype).bits // 4
    rows = [
        [_signed(int(row[at : at + digits], 16), digits) for at in range(0, len(row), digits)] for row in step["logits"]
    ]
    bits = torch.tensor(rows, dtype=integer)
    if step.get("layout", "contiguous") == "strided":
        buffer = torch.zeros((2 * bits.shape[1], bits.shape[0] + 1), dtype=integer)
        buffer.t()[: bits.shape[0], ::2] = bits
        bits = buffer.t()[: bits.shape[0], ::2]
    return bits.view(dtype), digits


def _signed(word: int, digits: int) -> int:
    return word - (1 << 4 * digits) if word >> (4 * digits - 1) else word


def _to_bits(logits: Tensor, digits: int) -> list[str]:
    integer = {4: torch.int16, 8: torch.int32, 16: torch.int64}[digits]
    mask = (1 << 4 * digits) - 1
    return ["".join(f"{word & mask:0{digits}x}" for word in row) for row in logits.view(integer).tolist()]
