"""Fusion: the goldens of the facts page (run there on the upstream classes), and laws over random partitions."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.engines import (
    InvalidParameter,
    InvalidSegmentation,
    LabelFusion,
    OffsetFusionFlatten,
    OffsetFusionFuzzy,
    OffsetFusionGraph,
    OffsetFusionIntersect,
    OffsetFusionMerge,
    OffsetFusionVoting,
)
from tokenspec_reference.engines.offsets import partition

THREE = [[(0, 5), (5, 10), (10, 20)], [(0, 2), (2, 6), (6, 15), (15, 20)], [(0, 5), (5, 15), (15, 20)]]
CHAIN = [[(0, 4), (4, 5), (5, 6), (6, 7), (7, 10)]]
HOLES = [[(1, 4), (6, 9)], [(0, 4), (4, 10)]]
ALL = [OffsetFusionMerge, OffsetFusionVoting, OffsetFusionIntersect, OffsetFusionFuzzy, OffsetFusionGraph]


@pytest.mark.parametrize(
    ("fusion", "given", "options", "expected"),
    [
        (OffsetFusionVoting, THREE, {}, [5, 15, 20]),
        (OffsetFusionVoting, THREE, {"threshold": 3}, [20]),
        (OffsetFusionMerge, THREE, {}, [2, 5, 6, 10, 15, 20]),
        (OffsetFusionIntersect, THREE, {}, [20]),
        (OffsetFusionFuzzy, THREE, {}, [2, 5, 10, 15, 20]),
        (OffsetFusionFuzzy, THREE, {"max_distance": 3}, [5, 10, 15, 20]),
        (OffsetFusionGraph, THREE, {}, [5, 15, 20]),
        (OffsetFusionFuzzy, CHAIN, {}, [4, 6, 10]),
    ],
)
@pytest.mark.parametrize("profile", ["partition", "upstream"])
def test_goldens_of_both_profiles(fusion, given, options, expected, profile):
    fused = fusion.fuse(given, profile=profile, **options)
    assert [end for _, end in fused] == expected
    assert fused[0][0] == 0


@pytest.mark.parametrize(
    ("fusion", "given", "upstream", "safe"),
    [
        (OffsetFusionVoting, HOLES, [], [(0, 4), (4, 10)]),
        (OffsetFusionMerge, HOLES, [(0, 1), (1, 4), (4, 6), (6, 9), (9, 10)], None),
        (OffsetFusionIntersect, HOLES, [(0, 4), (4, 10)], None),
        (OffsetFusionGraph, HOLES, [(0, 4), (4, 10)], None),
        (OffsetFusionFuzzy, HOLES, [(0, 4), (4, 6), (6, 9)], [(0, 4), (4, 6), (6, 10)]),
        (OffsetFusionFuzzy, [[(0, 10)], [(0, 9)]], [(0, 9)], [(0, 10)]),
    ],
)
def test_where_the_profiles_differ(fusion, given, upstream, safe):
    assert fusion.fuse(given, profile="upstream") == upstream
    assert fusion.fuse(given) == (upstream if safe is None else safe)


def test_flatten():
    assert OffsetFusionFlatten.edges(THREE) == [0, 2, 5, 6, 10, 15, 20]
    assert OffsetFusionFlatten.fuse(THREE) == OffsetFusionMerge.fuse(THREE)


SETS = st.lists(st.lists(st.integers(1, 29), max_size=8), min_size=1, max_size=5)


@given(SETS, st.integers(1, 6), st.integers(0, 4))
def test_laws(cuts, threshold, distance):
    given_ = [partition(each, 30) for each in cuts]
    interior = [{start for start, _ in segmentation[1:]} for segmentation in given_]
    for fusion in ALL:
        fused = fusion.fuse(given_, length=30)
        assert fused == partition((start for start, _ in fused), 30)
        if fusion is not OffsetFusionFuzzy:
            assert fusion.fuse([given_[0]], length=30) == given_[0]
        if fusion is not OffsetFusionGraph:
            assert fusion.fuse(given_[::-1], length=30) == fused

    def found(fusion, **options):
        return {start for start, _ in fusion.fuse(given_, length=30, **options)[1:]}

    assert found(OffsetFusionMerge) == set().union(*interior)
    assert found(OffsetFusionIntersect) == set.intersection(*interior)
    assert found(OffsetFusionVoting, threshold=threshold + 1) <= found(OffsetFusionVoting, threshold=threshold)
    assert found(OffsetFusionVoting, threshold=1) == found(OffsetFusionMerge)
    kept = sorted(found(OffsetFusionFuzzy, max_distance=distance) | {0, 30})
    assert all(right - left > distance for left, right in pairwise(kept)) or kept == [0, 30]


@given(SETS)
def test_graph_is_the_heaviest_path(cuts):
    """Against every path there is."""
    given_ = [partition([cut % 9 or 1 for cut in each], 9) for each in cuts]
    weights = {}
    for segmentation in given_:
        for pair in segmentation:
            weights[pair] = weights.get(pair, 0) + 1
    nodes = sorted({edge for segmentation in given_ for pair in segmentation for edge in pair})

    def best(node):
        if node == 9:
            return 0
        following = nodes[nodes.index(node) + 1]
        steps = {end: weight for (start, end), weight in weights.items() if start == node} | {
            following: weights.get((node, following), 0)
        }
        return max(weight + best(end) for end, weight in steps.items())

    fused = OffsetFusionGraph.fuse(given_, length=9)
    assert sum(weights.get(pair, 0) for pair in fused) == best(0)


@pytest.mark.parametrize("fusion", ALL)
def test_bad_input(fusion):
    with pytest.raises(InvalidSegmentation, match="segmentations"):
        fusion.fuse([])
    with pytest.raises(InvalidSegmentation, match=r"segmentations\[0\]\[1\]"):
        fusion.fuse([[(0, 5), (3, 9)]])
    with pytest.raises(InvalidSegmentation, match="the trace at 5"):
        fusion.fuse([[(0, 9)]], length=5)
    with pytest.raises(InvalidSegmentation):
        fusion.fuse([[]], profile="upstream")
    with pytest.raises(InvalidParameter, match="profile"):
        fusion.fuse(THREE, profile="other")
    assert fusion.fuse([[], []], length=0) == []


def test_bad_options():
    with pytest.raises(InvalidParameter, match="threshold"):
        OffsetFusionVoting.fuse(THREE, threshold=0)
    with pytest.raises(InvalidParameter, match="max_distance"):
        OffsetFusionFuzzy.fuse(THREE, max_distance=-1)


LABELS = [["A", "B", "C"], ["a", "B", "C", "D"], ["A", "B", "C"]]
NEW = [(0, 5), (5, 6), (6, 10), (10, 15), (15, 20)]


def test_labels():
    assert LabelFusion.fuse(THREE, LABELS, NEW, "concat") == ["A+B+a", "B", "B+C", "B+C", "C+D"]
    assert LabelFusion.fuse(THREE, LABELS, NEW) == ["A", "B", "B", "C", "C"]
    assert LabelFusion.fuse([[(0, 3)]], [["UNK"]], [(0, 3), (3, 5)]) == ["UNK", "UNK"]
    assert LabelFusion.fuse([[(0, 3)]], [["chunk"]], [(0, 3)]) == ["chunk"]
    assert LabelFusion.fuse([[(0, 3)]], [["chunk"]], [(0, 3)], profile="upstream") == ["UNK"]
    with pytest.raises(InvalidParameter, match="label_fusion_type"):
        LabelFusion.fuse(THREE, LABELS, NEW, "vote")
    with pytest.raises(InvalidSegmentation, match=r"labels\[1\]"):
        LabelFusion.fuse(THREE, [LABELS[0], ["a"], LABELS[2]], NEW)
