"""Aligners: both profiles against their readable twins, against budgets, and against the peers that are installed.

Text is random and cut at random, which is hard for the dynamic programme: hardly any anchors. The scalar programme is
timed once, the others as medians of interleaved rounds.
"""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, TypeVar

from tokenspec.benchmark import Bench, Figure, measure

Text = TypeVar("Text", bytes, str)
LETTERS = b"etaoin shrdlu"
ROWS, LENGTH = 8, 8192


@dataclass(frozen=True)
class Batch:
    """Texts cut twice: pieces per row, and the same as padded ids and masks over made-up vocabularies."""

    pieces: tuple[list[list[bytes]], list[list[bytes]]]
    tables: tuple[Any, Any]
    ids: tuple[Any, Any]
    masks: tuple[Any, Any]


@cache
def batch(rows: int, length: int) -> Batch:
    """``rows`` texts of ``length`` student tokens each."""
    import torch

    from tokenspec_reference.aligners import PieceTable

    rng = random.Random(length)
    pieces: tuple[list[list[bytes]], list[list[bytes]]] = ([], [])
    for _ in range(rows):
        student = [bytes(rng.choices(LETTERS, k=rng.randint(1, 7))) for _ in range(length)]
        pieces[0].append(student)
        pieces[1].append(cut(b"".join(student), rng))
    tables, ids, masks = [], [], []
    for side in pieces:
        vocabulary = {piece: index for index, piece in enumerate(sorted({piece for row in side for piece in row}))}
        width = max(map(len, side))
        tables.append(PieceTable(tuple(vocabulary), ("",) * len(vocabulary)))
        ids.append(torch.tensor([[vocabulary[piece] for piece in row] + [0] * (width - len(row)) for row in side]))
        masks.append(torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in side]))
    return Batch(pieces, (tables[0], tables[1]), (ids[0], ids[1]), (masks[0], masks[1]))


def cut(text: Text, rng: random.Random) -> list[Text]:
    """Random pieces of 1 to 7 bytes or characters."""
    found = []
    start = 0
    while start < len(text):
        end = start + rng.randint(1, 7)
        found.append(text[start:end])
        start = end
    return found


def composed(form: Literal["NFC", "NFD"], tokens: int = 38_000) -> Batch:
    """One row with many accents; the student's tokenizer composes them, the teacher's does as ``form`` says."""
    import torch

    from tokenspec_reference.aligners import PieceTable

    rng = random.Random(tokens)
    text = "".join(rng.choices("etaoin shrdlué", k=4 * tokens))
    tables, ids, pieces = [], [], []
    for own in ("NFC", form):
        spelled = unicodedata.normalize(own, text)
        row = [piece.encode() for piece in cut(spelled, rng)]
        vocabulary = {piece: index for index, piece in enumerate(sorted(set(row)))}
        tables.append(PieceTable(tuple(vocabulary), ("",) * len(vocabulary), unicode_form=own))
        ids.append(torch.tensor([[vocabulary[piece] for piece in row]]))
        pieces.append([row])
    masks = [torch.ones_like(side) for side in ids]
    return Batch((pieces[0], pieces[1]), (tables[0], tables[1]), (ids[0], ids[1]), (masks[0], masks[1]))


def boundary(made: Batch, device: str = "cpu") -> Callable[[], object]:
    """One call of the normative profile, tables ready."""
    from tokenspec_reference.aligners import TokenAligner

    aligner = TokenAligner(*made.tables, device=device)
    ids = [side.to(device) for side in made.ids]
    masks = [side.to(device) for side in made.masks]
    return lambda: aligner.align(*ids, student_attention_mask=masks[0], teacher_attention_mask=masks[1])


def words(length: int) -> tuple[list[str], list[str]]:
    """One row as strings, cut to equal numbers of tokens."""
    made = batch(1, length)
    student, teacher = ([piece.decode() for piece in side[0]] for side in made.pieces)
    return student[:length], teacher[:length]


def once(call: Callable[[], object]) -> float:
    """Process time of one call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def run() -> Iterator[Figure]:
    """All figures, the cheap ones first."""
    import torch

    from tokenspec_reference.aligners import align_rows, align_scalar, boundary_align

    torch.set_num_threads(1)
    large, middle, single = batch(ROWS, LENGTH), batch(ROWS, LENGTH // 4), batch(1, 2048)
    walk = [(s, t) for s, t in zip(*large.pieces, strict=True)]
    times = measure(
        {
            "large": boundary(large),
            "middle": boundary(middle),
            "single": boundary(single),
            "walk": lambda: [boundary_align(s, t) for s, t in walk],
        },
        rounds=15,
        warmup=2,
    )
    shape = f"boundary, {ROWS} rows of {LENGTH} tokens"
    yield Figure(shape, times["large"], 0.015, "15 ms", limit=1.0)
    yield Figure(f"{shape}: growth", times["large"], 4 * times["middle"], "4 x a quarter of it", limit=1.5)
    yield Figure(shape, times["large"], times["walk"], "two-pointer walk in Python")
    long, short = batch(1, 8 * LENGTH), batch(1, LENGTH)
    times |= measure({"long": boundary(long), "short": boundary(short)}, rounds=5, warmup=1)
    yield Figure(
        f"boundary, {8 * LENGTH} tokens: growth", times["long"], 8 * times["short"], "8 x an eighth", limit=1.5
    )
    forms = {form: boundary(composed(form)) for form in ("NFC", "NFD")}
    times |= measure(forms, rounds=7, warmup=2)
    yield Figure("boundary, 38,000 tokens, a side in NFD", times["NFD"], times["NFC"], "both in NFC", limit=5.0)
    student, teacher = words(512)
    scalar = once(lambda: align_scalar(student, teacher))
    rows = measure({"rows": lambda: align_rows(student, teacher)}, rounds=5)["rows"]
    yield Figure("nw-compat programme, 512 tokens", rows, scalar, "scalar twin", limit=1 / 10)
    yield from upstream(student, teacher, rows)
    yield from upstream_pipeline()
    yield from loss_memory()
    yield from trl_groups(large, times["large"])
    student, teacher = words(2048)
    scalar = once(lambda: align_scalar(student, teacher))
    yield Figure("boundary, 2,048 tokens", times["single"], scalar, "scalar nw-compat programme", limit=1 / 1000)
    yield from on_gpu(large, student, teacher, scalar)


def upstream(student: list[str], teacher: list[str], ours: float) -> Iterator[Figure]:
    """The original programme, where a checkout is named."""
    from tokenspec.areas.aligners.oracle.upstream import VARIABLE, align_canonical

    if os.environ.get(VARIABLE):
        peer = once(lambda: align_canonical(student, teacher, {}))
        yield Figure("nw-compat programme, 512 tokens", ours, peer, "upstream", limit=1 / 10)


def upstream_pipeline() -> Iterator[Figure]:
    """The whole of ``nw-compat`` on text with anchors, as ids, against the original file, where a checkout is named."""
    import torch

    from tokenspec.areas.aligners.oracle.upstream import VARIABLE, upstream
    from tokenspec.data import spec_dir
    from tokenspec.models import load
    from tokenspec_reference.aligners import TokenAligner

    if not os.environ.get(VARIABLE):
        return
    sides = [load(name).tokenizer for name in ("qwen3", "deepseek-v3")]
    text = "".join(path.read_text() for path in sorted(spec_dir().glob("[1-5]*.md")))
    for length in (512, 2048):
        text_of_row = sides[0].decode(sides[0].encode(text, add_special_tokens=False)[:length])
        ids = [torch.tensor([side.encode(text_of_row, add_special_tokens=False)]) for side in sides]
        ours = TokenAligner(sides[0], sides[1], "", 4, profile="nw-compat")
        theirs = upstream()[0].TokenAligner(sides[0], sides[1], "", 4)
        calls = {"ours": partial(ours.align, *ids), "theirs": partial(theirs.align, *ids)}
        times = measure(calls, rounds=5, warmup=1)
        yield Figure(f"nw-compat, {length} tokens", times["ours"], times["theirs"], "upstream, with anchors", limit=0.2)


LOSS_MEMORY = """
import resource, sys, torch
from tokenspec_reference.aligners import AlignmentBatch
from tokenspec_reference.aligners.loss_utils import LossOptions, gold_loss, projection_kl_loss
mode, blocks, tokens, size = sys.argv[1], sys.argv[2] == "blocks", int(sys.argv[3]), int(sys.argv[4])
student = torch.randn(1, tokens, size, requires_grad=True)
teacher = torch.randn(1, tokens, size)
ids, marks = torch.arange(tokens)[None], torch.ones(1, tokens, dtype=torch.bool)
alignment = AlignmentBatch(marks, marks, marks, marks, ids, ids, torch.tensor([tokens]))
every, options = torch.arange(size), LossOptions(in_blocks=blocks)
exact = every[: size // 2], every[size // 2 :]
names = ("common_student", "common_teacher", "uncommon_student", "uncommon_teacher")
names = dict(zip(names, (exact[0], exact[0], exact[1], exact[1])))
matrix = torch.sparse_coo_tensor(torch.stack([every, every]), torch.ones(size), (size, size)).coalesce()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
loss = gold_loss if mode == "gold" else projection_kl_loss
loss(student, teacher, alignment, names if mode == "gold" else matrix, options, torch.ones(1)).loss.backward()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before - student.grad.nbytes // 1024)
"""


def loss_memory() -> Iterator[Figure]:
    """The peak of a loss beyond the logits and their gradient, in blocks against all at once, each in a process."""
    for mode in ("gold", "p-kl"):
        peaks = []
        for how in ("blocks", "plain"):
            told = [sys.executable, "-c", LOSS_MEMORY, mode, how, "256", "151936"]
            done = subprocess.run(told, check=True, capture_output=True, text=True)  # noqa: S603
            peaks.append(int(done.stdout))
        yield Figure(f"{mode}, 256 positions, memory", peaks[0], peaks[1], "all at once", limit=0.25, unit="KiB")


def trl_groups(made: Batch, ours: float) -> Iterator[Figure]:
    """TRL's grouping of byte offsets, offsets ready, where it is installed."""
    if importlib.util.find_spec("trl") is None:
        return
    from trl.experimental.gold.gold_trainer import ULDLoss

    group = ULDLoss._align_by_byte_offsets  # noqa: SLF001
    sides = [[offsets(row) for row in side] for side in made.pieces]
    peer = measure({"trl": lambda: [group(s, t) for s, t in zip(*sides, strict=True)]}, rounds=3)["trl"]
    yield Figure(f"boundary, {ROWS} rows of {LENGTH} tokens", ours, peer, "trl, byte offsets given")


def offsets(pieces: list[bytes]) -> list[tuple[int, int]]:
    """Start and end byte of each piece."""
    found = []
    end = 0
    for piece in pieces:
        found.append((end, end + len(piece)))
        end += len(piece)
    return found


def on_gpu(made: Batch, student: list[str], teacher: list[str], scalar: float) -> Iterator[Figure]:
    """The same on a CUDA device, in wall time."""
    import torch

    from tokenspec_reference.aligners import align_rows

    if not torch.cuda.is_available():
        return
    call = boundary(made, "cuda")
    yield Figure("boundary on CUDA", wall(call), 0.001, "1 ms", limit=1.0)
    rows = wall(lambda: align_rows(student, teacher, device="cuda"))
    yield Figure("nw-compat programme on CUDA, 2,048 tokens", rows, scalar, "scalar twin on CPU", limit=1 / 20)


def wall(call: Callable[[], object], rounds: int = 20) -> float:
    """Median wall time of a call that runs on the device."""
    import torch

    times = []
    for _ in range(rounds + 3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return sorted(times[3:])[rounds // 2]


BENCH = Bench("aligners", "Both profiles against their twins, budgets and peers", run)
