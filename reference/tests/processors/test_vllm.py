"""Inside vLLM's runners: rows come, go, move and swap, slots are shuffled, and every request keeps its own state.

The classes are the wheel's where it is installed (`tox -e witnesses`), else those of the record beside this file.
"""

import importlib
import importlib.util
import inspect
import random
import sys
from contextlib import nullcontext
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tokenspec_reference.processors import (
    After,
    Chain,
    EmptyAllowedSet,
    ShapeMismatch,
    ThinkModeLogitsProcessor,
    TreeLogitsProcessor,
    compile_tree,
)
from tokenspec_reference.processors.vllm import Constraint, request_callable, vllm_interfaces, vllm_processor

sys.path.insert(0, str(Path(__file__).parent))
import vllm_interface as recorded

VOCAB = 16
TREE = TreeLogitsProcessor(
    compile_tree(
        {"start_token_id": 1, "prefix_dict": {"1": [3, 4], "1_3": [5], "1_4": [6, 7], "1_3_5": [2]}}, vocab_size=VOCAB
    )
)
FOLDERS = (
    *("vllm", "vllm.v1", "vllm.v1.sample", "vllm.v1.sample.logits_processor"),
    *("vllm.v1.worker", "vllm.v1.worker.gpu", "vllm.v1.worker.gpu.sample"),
    "vllm.v1.worker.gpu.sample.logits_processor",
)


def wheel():
    """The interface modules of the installed wheel, without what needs its kernels; None without the wheel."""
    found = importlib.util.find_spec("vllm")
    if found is None or found.origin is None:
        return None
    root = Path(found.origin).parent.parent
    for name in FOLDERS:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(root.joinpath(*name.split(".")))]
        sys.modules.setdefault(name, importlib.util.module_from_spec(spec))
    vars(sys.modules["vllm"]).setdefault("SamplingParams", SimpleNamespace)
    places = (FOLDERS[3], FOLDERS[7])
    return tuple(importlib.import_module(f"{place}.interface") for place in places)


WHEEL = wheel()
BASES = vllm_interfaces() if WHEEL else (recorded.BatchLogitsProcessor, recorded.SlotLogitsProcessor)
V1, V2 = WHEEL or (SimpleNamespace(**recorded.V1), SimpleNamespace(**recorded.V2))
Direction = V1.MoveDirectionality


def Update(batch_size, removed=(), added=(), moved=()):  # noqa: N802 - the class it makes
    return V1.BatchUpdate(batch_size, removed=list(removed), added=list(added), moved=list(moved))


def register(make):
    return vllm_processor(make, interfaces=BASES)


needs_the_wheel = pytest.mark.skipif(
    WHEEL is None, reason="the wheel of vLLM is not installed; tox -e witnesses has it"
)


@needs_the_wheel
@pytest.mark.parametrize(("module", "record"), [(0, recorded.V1), (1, recorded.V2)])
def test_the_record_is_the_wheel_s(module, record):
    def parameters(one):
        return [name for name in inspect.signature(one).parameters if name != "self"]

    for name, written in record.items():
        theirs = getattr(WHEEL[module], name)
        if is_dataclass(written):
            assert [one.name for one in fields(written)] == [one.name for one in fields(theirs)]
        elif issubclass(written, Enum):
            assert list(written.__members__) == list(theirs.__members__)
        else:
            assert written.__abstractmethods__ == theirs.__abstractmethods__
            own = {key for key, value in vars(written).items() if callable(value) or isinstance(value, classmethod)}
            assert own == {
                key for key, value in vars(theirs).items() if callable(value) or isinstance(value, classmethod)
            }
            for key in own:
                assert parameters(getattr(written, key)) == parameters(getattr(theirs, key)), key


@needs_the_wheel
def test_the_wheel_loads_it(monkeypatch):
    """By name, by entry point, and its batch updates are understood."""

    def stand_in(name, **attributes):
        module = importlib.util.module_from_spec(ModuleSpec(name, None))
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)

    silent = SimpleNamespace(debug=print, error=print)
    stand_in("vllm.logger", init_logger=lambda name: silent)
    stand_in("vllm.exceptions", VLLMValidationError=type("VLLMValidationError", (ValueError,), {}))
    stand_in("vllm.utils")
    stand_in("vllm.utils.torch_utils", guard_cuda_initialization=nullcontext)
    monkeypatch.setattr(importlib.import_module(__name__), "Plugin", register(make), raising=False)
    loader = importlib.import_module(f"{FOLDERS[7]}.loader")
    loaded = loader._load_v2_logitsprocs_by_fqcns([f"{__name__}:Plugin"])
    entry = SimpleNamespace(name="plugin", value="plugin", load=lambda: loaded[0])
    monkeypatch.setattr(loader, "entry_points", lambda group: [entry] if group == "vllm.logits_processors" else [])
    assert loader._load_v2_logitsprocs([]) == loaded
    validate = loader.build_custom_logits_processors_params_validator((loaded[0],))
    validate(None)
    with pytest.raises(ValueError, match="/max_tokens"):
        validate(-1)
    builder = importlib.import_module(f"{FOLDERS[3]}.state").BatchUpdateBuilder()
    builder.added += [(0, "tree", [1], [3]), (1, 0, [1], [])]
    processor = loaded[0](None, "cpu", False)
    processor.update_state(builder.get_and_reset(2))
    assert allowed(processor, 2) == [[5], [8]]
    builder.removed_append(0)
    builder.moved.append((1, 0, Direction.UNIDIRECTIONAL))
    processor.update_state(builder.get_and_reset(1))
    assert allowed(processor, 1) == [[8]]


def make(params):
    if params is None:
        return None
    if params == "tree":
        return TREE
    return ThinkModeLogitsProcessor([8], max_tokens=params, vocab_size=VOCAB)


def batch():
    return register(make)(None, "cpu", False)


def allowed(processor, rows):
    logits = processor.apply(torch.zeros(rows, VOCAB))
    return [None if bool(row.isfinite().all()) else row.isfinite().nonzero().flatten().tolist() for row in logits]


def test_add_apply_remove():
    processor, outputs = batch(), [[], [], []]
    processor.update_state(
        Update(3, added=[(0, "tree", [1], outputs[0]), (1, None, [1], outputs[1]), (2, 0, None, outputs[2])])
    )
    assert allowed(processor, 3) == [[3, 4], None, [8]]
    for output, token in zip(outputs, (4, 9, 8), strict=True):
        output.append(token)
    processor.update_state(None)
    assert allowed(processor, 3) == [[6, 7], None, None]
    processor.update_state(Update(2, removed=[0]))
    assert allowed(processor, 3) == [None, None, None]


def test_added_replaces_and_plain_requests_clear():
    processor = batch()
    processor.update_state(Update(1, added=[(0, "tree", [1], [3])]))
    assert allowed(processor, 1) == [[5]]
    processor.update_state(Update(1, removed=[0], added=[(0, "tree", [1], [])]))
    assert allowed(processor, 1) == [[3, 4]]
    processor.update_state(Update(1, added=[(0, None, [1], [])]))
    assert allowed(processor, 1) == [None]


def test_moves_and_swaps():
    processor = batch()
    outputs = [[3], [4], []]
    processor.update_state(Update(3, added=[(row, "tree", [1], output) for row, output in enumerate(outputs)]))
    assert allowed(processor, 3) == [[5], [6, 7], [3, 4]]
    processor.update_state(Update(3, moved=[(0, 2, Direction.SWAP)]))
    assert allowed(processor, 3) == [[3, 4], [6, 7], [5]]
    processor.update_state(Update(2, removed=[0], moved=[(2, 0, Direction.UNIDIRECTIONAL)]))
    assert allowed(processor, 2) == [[5], [6, 7]]
    processor.update_state(Update(2, moved=[(0, 1, Direction.UNIDIRECTIONAL)]))
    assert allowed(processor, 2) == [None, [5]]
    processor.update_state(Update(2, moved=[(0, 1, Direction.SWAP)]))
    assert allowed(processor, 2) == [[5], None]


def test_several_and_withdrawn_tokens():
    processor, output = batch(), []
    processor.update_state(Update(1, added=[(0, "tree", [1], output)]))
    output.extend([3, 5])
    assert allowed(processor, 1) == [[2]]
    del output[1:]
    assert allowed(processor, 1) == [[5]]


def test_random_batches_equal_a_replay_of_every_request():
    rng = random.Random(0)
    processor, rows = batch(), {}
    for _ in range(300):
        update = Update(8)
        for row in [row for row in rows if rng.random() < 0.1]:
            del rows[row]
            update.removed.append(row)
        for row in range(8):
            if row not in rows and rng.random() < 0.2:
                rows[row] = (rng.choice(["tree", "tree", None, 2]), [])
                update.added.append((row, rows[row][0], [1], rows[row][1]))
        for _ in range(rng.randint(0, 2)):
            origin, target = rng.sample(range(8), 2)
            swap = rng.random() < 0.5
            update.moved.append((origin, target, Direction.SWAP if swap else Direction.UNIDIRECTIONAL))
            leaving, displaced = rows.pop(origin, None), rows.pop(target, None)
            if leaving is not None:
                rows[target] = leaving
            if displaced is not None and swap:
                rows[origin] = displaced
        processor.update_state(update if update.removed or update.added or update.moved else None)
        got = allowed(processor, 8)
        for row in range(8):
            params, output = rows.get(row, (None, []))
            alone = make(params)
            expected = None if alone is None else alone.allow(alone.advance(alone.init(1), [output])).ids(0)
            assert got[row] == expected
        for _, output in rows.values():
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                output.append(rng.randrange(VOCAB))
            if rng.random() < 0.05 and output:
                output.pop()


def test_errors_come_before_writing():
    def conflicting(params):
        return Chain([TREE, ThinkModeLogitsProcessor([9], max_tokens=0, vocab_size=VOCAB)]) if params else TREE

    processor = register(conflicting)(None, "cpu", False)
    processor.update_state(Update(2, added=[(0, False, [1], []), (1, True, [1], [])]))
    logits = torch.zeros(2, VOCAB)
    with pytest.raises(EmptyAllowedSet, match=r"on row 1"):
        processor.apply(logits)
    assert torch.equal(logits, torch.zeros(2, VOCAB))
    with pytest.raises(ShapeMismatch, match="1 rows"):
        processor.apply(logits[:1])


def test_interface():
    cls = register(lambda params: ThinkModeLogitsProcessor(params, max_tokens=1, vocab_size=VOCAB))
    assert not cls().is_argmax_invariant()
    cls.validate_params([8])
    with pytest.raises(ValueError, match="/end_ids"):
        cls.validate_params([])


def test_per_request_callable():
    mask, output = request_callable(TREE), []
    for token, expected in ((3, [3, 4]), (5, [5]), (2, [2])):
        assert mask(output, torch.zeros(VOCAB)).isfinite().nonzero().flatten().tolist() == expected
        output = [*output, token]


def test_it_is_a_class_of_both_runners():
    cls = register(make)
    assert issubclass(cls, V1.LogitsProcessor)
    assert issubclass(cls, V2.LogitsProcessor)
    assert not cls.__abstractmethods__


def test_prompt_ids_are_seen_where_asked():
    """A begin tag in the prompt counts for a constraint that sees it."""

    def by_params(sees):
        think = ThinkModeLogitsProcessor(
            [8], max_tokens=1, vocab_size=VOCAB, begin_ids=[7], counting="after_begin", closing_ids=[4, 8]
        )
        return Constraint(think, sees_prompt=sees)

    processor = register(by_params)(None, "cpu", False)
    processor.update_state(Update(2, added=[(0, True, [5, 7], [3]), (1, False, [5, 7], [3])]))
    assert allowed(processor, 2) == [[4], None]
    with pytest.raises(ShapeMismatch, match="embeddings"):
        processor.update_state(Update(1, added=[(0, True, None, [])]))


def test_replaced_tails_and_placeholders():
    """Rejected drafts are taken out of the list in place; a placeholder may be there, but not when a mask is due."""
    processor, output = batch(), []
    processor.update_state(Update(1, added=[(0, "tree", [1], output)]))
    output[:] = [3, 5]
    assert allowed(processor, 1) == [[2]]
    output[:] = [4, 6]
    assert allowed(processor, 1) == [[2]]
    output[:] = [4]
    assert allowed(processor, 1) == [[6, 7]]
    output.append(-1)
    processor.update_state(None)
    with pytest.raises(ShapeMismatch, match=r"output_token_ids\[1\].*placeholder"):
        allowed(processor, 1)
    output[1:] = [7]
    assert allowed(processor, 1) == [[2]]


class Slots:
    """The V2 runner's buffers, and its context of one step."""

    def __init__(self, make_constraint, slots=4, length=32):
        self.tokens = torch.zeros(slots, length, dtype=torch.int32)
        self.prompt, self.total = np.zeros(slots, dtype=np.int32), [0] * slots
        whole, lengths = SimpleNamespace(gpu=self.tokens), SimpleNamespace(np=self.prompt)
        states = V2.LogitsProcRequestState("cpu", slots, VOCAB, whole, lengths, lengths, lengths)
        self.processor = register(make_constraint)(None, states)

    def add(self, slot, params, prompt, output=()):
        self.prompt[slot], self.total[slot] = len(prompt), len(prompt)
        self.tokens[slot, : len(prompt)] = torch.tensor(prompt, dtype=torch.int32)
        self.commit(slot, output)
        return self.processor.add_request(slot, params)

    def commit(self, slot, tokens):
        self.tokens[slot, self.total[slot] : self.total[slot] + len(tokens)] = torch.tensor(tokens, dtype=torch.int32)
        self.total[slot] += len(tokens)

    def ask(self, drafts, order=None):
        """``drafts``: of each slot in the step; ``order``: how its rows are shuffled."""
        rows = [
            (slot, place, self.tokens[slot, self.total[slot] - 1].item() if place == 0 else ids[place - 1])
            for slot, ids in drafts.items()
            for place in range(len(ids) + 1)
        ]
        rows = [rows[at] for at in order] if order else rows
        slots, places, inputs = (torch.tensor(column) for column in zip(*rows, strict=True))
        pos = torch.tensor([self.total[slot] - 1 + place for slot, place, _ in rows])
        index = torch.tensor(list(drafts))
        ctx = V2.LogitsContext(slots, index, index.numpy(), places, inputs, pos, pos.numpy())
        self.processor.apply_staged_writes()
        logits = self.processor.apply(torch.zeros(len(rows), VOCAB), ctx)
        sets = [None if bool(row.isfinite().all()) else row.isfinite().nonzero().flatten().tolist() for row in logits]
        return {(slot, place): one for (slot, place, _), one in zip(rows, sets, strict=True)}


def test_slots_have_a_row_for_each_draft():
    runner = Slots(make)
    assert runner.add(2, "tree", [9, 1])
    assert not runner.add(0, None, [9, 1])
    assert runner.add(3, 1, [9, 9, 9])
    found = runner.ask({2: [3, 5], 0: [5], 3: [6, 8]}, order=[3, 0, 7, 2, 5, 1, 4, 6])
    assert found[2, 0] == [3, 4]
    assert found[2, 1] == [5]
    assert found[2, 2] == [2]
    assert found[0, 0] is found[0, 1] is None
    assert [found[3, place] for place in range(3)] == [None, [8], None]
    runner.commit(2, [4])
    assert runner.ask({2: [5, 5]}) == {(2, 0): [6, 7], (2, 1): [6, 7], (2, 2): [6, 7]}


def test_slots_are_recycled_and_tokens_may_go_back():
    runner = Slots(make)
    runner.add(1, "tree", [1], [3, 5])
    assert runner.ask({1: []}) == {(1, 0): [2]}
    runner.total[1] -= 2
    runner.commit(1, [4])
    assert runner.ask({1: []}) == {(1, 0): [6, 7]}
    runner.add(1, 0, [1])
    assert runner.ask({1: []}) == {(1, 0): [8]}
    runner.add(1, None, [1])
    assert runner.ask({1: []}) == {(1, 0): None}


def test_slots_conflict_before_writing_and_see_the_prompt():
    def held(params):
        if params == "prompt":
            return Constraint(After([9], TREE), sees_prompt=True)
        return Chain([TREE, ThinkModeLogitsProcessor([9], max_tokens=params, vocab_size=VOCAB)])

    runner = Slots(held)
    runner.add(0, "prompt", [9, 3])
    runner.add(1, "prompt", [5, 3])
    assert runner.ask({0: [], 1: []}) == {(0, 0): [5], (1, 0): None}
    runner.add(2, 1, [1])
    with pytest.raises(EmptyAllowedSet, match=r"on row 1"):
        runner.ask({0: [], 2: [3]})


def test_random_slots_equal_a_replay():
    rng = random.Random(5)
    runner, outputs, params = Slots(make, slots=4, length=400), {}, {}
    for step in range(120):
        for slot in range(4):
            if slot not in outputs or (rng.random() < 0.05 and step):
                params[slot], outputs[slot] = rng.choice(["tree", "tree", None, 2]), []
                runner.add(slot, params[slot], [1] * rng.randint(1, 3))
        chosen = rng.sample(range(4), rng.randint(1, 4))
        drafts = {slot: [rng.randrange(VOCAB) for _ in range(rng.randint(0, 3))] for slot in chosen}
        count = sum(len(ids) + 1 for ids in drafts.values())
        found = runner.ask(drafts, order=rng.sample(range(count), count))
        for slot, ids in drafts.items():
            alone, history = make(params[slot]), list(outputs[slot])
            for place in range(len(ids) + 1):
                now = None if alone is None else alone.allow(alone.advance(alone.init(1), [history])).ids(0)
                assert found[slot, place] == now
                if place < len(ids) and now is not None and ids[place] not in now:
                    break
                history += ids[place : place + 1]
            sampled = [*ids[: rng.randint(0, len(ids))], rng.randrange(VOCAB)]
            outputs[slot] += sampled
            runner.commit(slot, sampled)
