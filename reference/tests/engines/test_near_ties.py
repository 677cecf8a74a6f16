"""Decisions within rounding of the threshold: which ones are, and that processors differ in no others."""

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.engines import (
    OffsetFusionMerge,
    RTLLMForcedDecoderBased,
    RTLLMSurprisal,
    RTLLMTopKShift,
    RTSeg,
)
from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.near_ties import Closeness, Error, closeness, signal_error
from tokenspec_reference.engines.scoring import calibrate
from tokenspec_reference.engines.token_signals import top_k_distance

from .conftest import LONG_TRACE, PIECES, TOY, TRACE, scripted

torch = pytest.importorskip("torch")
OPTIONS = {"alpha": 1.0, "beta": 0.0, "quantile": 50.0, "mode": "normalized"}
SINGLE = Error(1e-6, exact=False)


def processors():
    """Values of ATEN_CPU_CAPABILITY this machine can run; None is its best."""
    best = torch.backends.cpu.get_cpu_capability()
    return ["default", *(["avx2"] if best in ("AVX2", "AVX512") else []), None]


def test_processors_and_threads_differ_in_close_decisions_only():
    script = Path(__file__).with_name("on_a_threshold.py")
    found = []
    for capability in processors():
        limits = ("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA")
        environment = {name: value for name, value in os.environ.items() if name not in limits}
        environment |= {"ATEN_CPU_CAPABILITY": capability} if capability else {}
        environment["OMP_WAIT_POLICY"] = "passive"  # or two threads take a busy machine from each other
        command = [sys.executable, str(script), str(TOY / "toy-bpe"), LONG_TRACE]
        finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
        answers = json.loads(finished.stdout)
        by_threads = [{k[:-2]: v for k, v in answers.items() if k.endswith(f" {threads}")} for threads in (1, 2)]
        found += by_threads
    for one, other in combinations(found, 2):
        for name, ours in one.items():
            theirs = other[name]
            close = {*ours["close"], *theirs["close"]}
            different = sorted({*ours["starts"]} ^ {*theirs["starts"]})
            if "Forced" in name:  # a cut changes what is read after it
                different = different[:1]
            assert close.issuperset(different), (name, ours, theirs)
    for answers in found:
        for name, answer in answers.items():
            assert len(answer["close"]) <= 3, (name, answer)  # of 14 anchors, of 240 tokens: one triple
        assert sum(bool(answer["close"]) for answer in answers.values()) >= 8


def test_equality_in_a_table_is_exact():
    gaps = [-5.0, 1.0, 1.0, 1.0, -5.0]
    table = calibrate(gaps, [0.0] * 5, **OPTIONS, error=signal_error(0.0, 5.0)).closeness
    assert not table.holds(0.0, calibrated=True)
    assert not table.holds(0.0, calibrated=False)
    assert table.holds(1e-15, calibrated=True)


def test_equality_in_a_model_is_an_accident_where_a_second_score_stands():
    alone = calibrate([-5.0, 1.0, 3.0], [0.0] * 3, **OPTIONS, error=SINGLE).closeness
    crowded = calibrate([-5.0, 1.0, 1.0 + 1e-7], [0.0] * 3, **OPTIONS, error=SINGLE).closeness
    assert [alone.holds(0.0, calibrated=True), crowded.holds(0.0, calibrated=True)] == [False, True]
    assert alone.holds(0.0, calibrated=False)  # a score of pass 2 that equals the threshold


@given(st.lists(st.floats(-20, 20), min_size=2, max_size=20), st.integers(0, 19), st.floats(-1, 1))
def test_an_error_of_one_gap_flips_close_decisions_only(gaps, at, share):
    """The formula against the thing itself: one gap moved by up to its error."""
    moved = list(gaps)
    moved[at % len(gaps)] += share * SINGLE.size
    priors = [0.0] * len(gaps)
    before, after = (calibrate(values, priors, **OPTIONS, error=SINGLE) for values in (gaps, moved))
    for ours, theirs in zip(before.scores, after.scores, strict=True):
        if before.exceeds(ours) != after.exceeds(theirs):
            distances = abs(ours - before.threshold), abs(theirs - after.threshold)
            holds = [
                side.closeness.holds(d, calibrated=True) for side, d in zip((before, after), distances, strict=True)
            ]
            assert any(holds), (gaps, moved)


def test_nothing_moves_what_has_no_weight():
    assert calibrate([0.0, 1.0], [0.0, 0.0], **(OPTIONS | {"alpha": 0.0}), error=SINGLE).closeness.reach == 0
    assert not Closeness(0.0, accidental=True, exact=False).holds(0.0, calibrated=False)
    assert not closeness([math.inf, 1.0], 1.0, 0.5, SINGLE).accidental


def test_literal_scores_move_in_nats():
    literal = calibrate([-5.0, 1.0, 3.0], [0.0] * 3, **(OPTIONS | {"mode": "upstream_literal"}), error=SINGLE)
    normalized = calibrate([-5.0, 1.0, 3.0], [0.0] * 3, **OPTIONS, error=SINGLE)
    deviation = normalized.spread
    assert normalized.closeness.reach == pytest.approx(2 * SINGLE.size / deviation)
    assert literal.closeness.reach == pytest.approx(SINGLE.size * (1 / deviation + 1), rel=1e-5)


def test_exchanged_candidates_move_a_distance_as_far_as_is_said():
    from tokenspec_reference.engines.near_ties import exchangeable_share

    for share in (0.01, 0.3, 1.0):
        left = {0: 1 - share, 1: share}
        right = {0: 1 - share, 2: share}
        assert top_k_distance(left, right) == pytest.approx(exchangeable_share(share))


def test_a_near_tie_at_the_edge_of_the_top_makes_the_shift_close(tiny):
    """In bfloat16 candidates tie everywhere, so every top is an accident."""
    result = RTLLMTopKShift().segment(LONG_TRACE, window=4, **tiny(seed=2, dtype="bfloat16"))
    assert len(result.close) == len(result.curve.positions)
    single = RTLLMTopKShift().segment(LONG_TRACE * 2, window=4, **tiny(seed=2))
    assert len(single.close) < len(single.curve.positions) / 2


def test_what_is_exchangeable_does_not_depend_on_how_a_trace_is_read():
    """The error is that of the whole signal: a row whose own logits are small is not read more finely for it."""
    given = scripted(TRACE, [float(at % 5) for at in range(16)])
    quiet = {**dict.fromkeys(PIECES, -1.0), "A": 1.0, " b": 0.5 + 2.0**-46, " c": 0.5}
    rows = tuple(quiet if at % 3 else row for at, row in enumerate(given["model"].rows))
    given["model"] = replace(given["model"], rows=rows)
    reaches = {
        RTLLMTopKShift().segment(TRACE, window=2, top_k=2, algorithm=algorithm, **given).curve.reach
        for algorithm in ("fast", "sequential")
    }
    assert len(reaches) == 1
    assert min(reaches) > 1e-3


def test_coarser_arithmetic_reaches_farther(tiny):
    reaches = [
        RTLLMForcedDecoderBased().segment(LONG_TRACE, **tiny(seed=3, dtype=dtype)).curve.reach
        for dtype in ("float64", "float32", "bfloat16")
    ]
    assert reaches == sorted(reaches)
    assert reaches[0] < 1e-12
    assert 1e-6 < reaches[1] < 1e-4


def test_matrix_products_that_may_be_coarse(tiny):
    model = tiny(seed=3)["model"]
    before = torch.get_float32_matmul_precision()
    try:
        found = []
        for precision in ("highest", "high", "medium"):
            torch.set_float32_matmul_precision(precision)
            found.append(CausalModel(model).epsilon)
    finally:
        torch.set_float32_matmul_precision(before)
    assert found == [2**-23, 2**-10, 2**-7]


def test_tables_have_no_close_decisions_and_fusions_have_all(tiny):
    gaps = [-7.5, -3, -6, -2.5, -1, -8, -4, -0.5, -6.5, -3.5, -5, 1, -2, -7, -0.25, -9]
    assert RTLLMForcedDecoderBased().segment(TRACE, quantile=100 * 13 / 15, **scripted(TRACE, gaps)).close == ()
    options = {**tiny(seed=2), "window": 4, "quantile": 50, "cache_policy": "window:12"}
    alone = RTLLMSurprisal().segment(LONG_TRACE * 3, **options)
    fused = RTSeg([RTLLMSurprisal, RTLLMTopKShift], aligner=OffsetFusionMerge).segment(LONG_TRACE * 3, **options)
    assert alone.close
    assert {*alone.close} <= {*fused.close}
