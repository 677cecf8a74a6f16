"""Mask application, bit for bit, against the one-id-at-a-time twin and against xgrammar's kernel."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tokenspec_reference.processors import (
    AllowSet,
    DeadRow,
    EmptyAllowedSet,
    ShapeMismatch,
    SourceRowOutOfRange,
    UnsupportedDtype,
    VocabMismatch,
    apply_allowed,
    apply_bitmask,
    mask_naive,
    pack,
    unpack,
)
from tokenspec_reference.processors.allow_set import PAD

VOCAB = 40
INTEGER = {
    torch.float16: torch.int16,
    torch.bfloat16: torch.int16,
    torch.float32: torch.int32,
    torch.float64: torch.int64,
}
DTYPES = list(INTEGER)
LAYOUTS = ("contiguous", "sliced", "transposed")


def random_bits(dtype, rows, seed):
    """Every kind of number: -0.0, NaN with payload, denormals, infinities."""
    generator = torch.Generator().manual_seed(seed)
    size = torch.finfo(dtype).bits
    bits = torch.randint(-(2 ** (size - 1)), 2 ** (size - 1) - 1, (rows, VOCAB), generator=generator)
    return bits.to(INTEGER[dtype]).view(dtype)


def laid_out(logits, layout):
    rows, columns = logits.shape
    if layout == "contiguous":
        return logits.clone()
    if layout == "sliced":
        wide = torch.zeros(rows, 3 * columns, dtype=logits.dtype)
        target = wide[:, 1::3]
    else:
        target = torch.zeros(columns, rows, dtype=logits.dtype).t()
    target.copy_(logits)
    return target


def bits(logits):
    return logits.contiguous().view(INTEGER[logits.dtype])


def random_allow(seed, rows):
    generator = torch.Generator().manual_seed(seed)
    kinds = torch.randint(0, 3, (rows,), generator=generator).tolist()
    lists, bans = [], []
    for kind in kinds:
        some = torch.randperm(VOCAB, generator=generator)[: 1 + seed % 7].tolist()
        lists.append(None if kind else some)
        bans.append(sorted(some) if kind == 2 else [PAD] * len(some))
    banned = AllowSet.except_for(torch.tensor(bans), VOCAB)
    return AllowSet.of(lists, VOCAB).intersect(banned)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_equals_the_twin_bit_for_bit(dtype, layout):
    for seed in range(20):
        allow, logits = random_allow(seed, 5), random_bits(dtype, 5, seed)
        given_logits = laid_out(logits, layout)
        expected = mask_naive(logits, allow)
        assert apply_allowed(given_logits, allow, on_dead="zero") is given_logits
        dead = [row for row in range(5) if allow.ids(row) is not None and bool((expected[row] == float("-inf")).all())]
        alive = [row for row in range(5) if row not in dead]
        assert torch.equal(bits(given_logits)[alive], bits(expected)[alive])
        for row in dead:
            assert given_logits[row].isfinite().nonzero().flatten().tolist() == allow.ids(row)


@pytest.mark.parametrize("dtype", DTYPES)
def test_strided_neighbours_are_untouched(dtype):
    wide = random_bits(dtype, 3, 1).repeat(1, 2)
    before = bits(wide).clone()
    apply_allowed(wide[:, ::2], AllowSet.of([[0]] * 3, VOCAB), on_dead="zero")
    assert torch.equal(bits(wide)[:, 1::2], before[:, 1::2])


@given(st.integers(0, 10_000))
def test_two_applications_are_the_intersection(seed):
    one, other = random_allow(seed, 4), random_allow(seed + 1, 4)
    both = one.intersect(other)
    if bool((both.count() == 0).any()):
        return
    logits = torch.randn(4, VOCAB, generator=torch.Generator().manual_seed(seed))
    twice = apply_allowed(apply_allowed(logits.clone(), one), other)
    once = apply_allowed(logits.clone(), both)
    assert torch.equal(bits(twice), bits(once))
    assert torch.equal(bits(apply_allowed(once.clone(), both)), bits(once))


def test_all_is_neither_read_nor_written():
    logits = torch.full((2, VOCAB), float("-inf"))
    assert apply_allowed(logits, AllowSet.everything(2, VOCAB)) is logits
    apply_allowed(logits, AllowSet.of([range(VOCAB)] * 2, VOCAB))
    mixed = AllowSet.of([None, [3]], VOCAB)
    logits[1, 3] = float("nan")
    apply_allowed(logits, mixed)
    assert bool((logits[0] == float("-inf")).all())
    assert logits[1, 3].isnan()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bans", [False, True])
def test_dead_rows(dtype, bans):
    logits = torch.zeros(2, VOCAB, dtype=dtype)
    logits[1] = float("-inf")
    if bans:
        allow = AllowSet.except_for(torch.tensor([[4, 7]] * 2), VOCAB)
        logits[1, [4, 7]] = 0
    else:
        allow = AllowSet.of([[4], [4, 7]], VOCAB)
        logits[1, 9] = 0
    before = bits(logits).clone()
    with pytest.raises(DeadRow, match=r"logits\[1\]"):
        apply_allowed(logits, allow)
    assert torch.equal(bits(logits), before)
    apply_allowed(logits, allow, on_dead="zero")
    allowed = torch.zeros(VOCAB, dtype=torch.bool)
    allowed[allow.ids(1)] = True
    assert bool((bits(logits)[1][allowed] == 0).all())
    assert bool((logits[1][~allowed] == float("-inf")).all())


def test_nan_is_not_dead():
    logits = torch.full((1, VOCAB), float("-inf"))
    logits[0, 5] = float("nan")
    apply_allowed(logits, AllowSet.of([[5, 6]], VOCAB))
    assert logits[0, 5].isnan()


def test_nothing_is_written_when_it_raises():
    logits = torch.randn(2, VOCAB)
    before = logits.clone()
    empty = AllowSet.of([[1], []], VOCAB)
    with pytest.raises(EmptyAllowedSet, match=r"on row 1"):
        apply_allowed(logits, empty)
    with pytest.raises(VocabMismatch, match="39 columns"):
        apply_allowed(logits[:, :-1], AllowSet.of([[1], [2]], VOCAB))
    with pytest.raises(ShapeMismatch):
        apply_allowed(logits[:1], AllowSet.of([[1], [2]], VOCAB))
    with pytest.raises(UnsupportedDtype, match="int64"):
        apply_allowed(torch.zeros(1, VOCAB, dtype=torch.int64), AllowSet.of([[1]], VOCAB))
    with pytest.raises(TypeError):
        apply_allowed(torch.zeros(1, VOCAB, dtype=torch.float8_e4m3fn), AllowSet.of([[1]], VOCAB))
    assert torch.equal(logits, before)


def test_no_rows():
    assert apply_allowed(torch.empty(0, VOCAB), AllowSet.everything(0, VOCAB)).shape == (0, VOCAB)
    assert apply_allowed(torch.empty(0, VOCAB), AllowSet.of([], VOCAB)).shape == (0, VOCAB)


@given(st.integers(0, 10_000), st.sampled_from([1, 31, 32, 33, 40, 64, 65]))
def test_bitmask_round_trip(seed, vocab):
    generator = torch.Generator().manual_seed(seed)
    lists = [None, [0], torch.randperm(vocab, generator=generator)[: seed % (vocab + 1)].tolist()]
    allow = AllowSet.of(lists, vocab)
    packed = pack(allow)
    assert packed.dtype == torch.int32
    assert packed.shape == (3, -(-vocab // 32))
    assert unpack(packed, vocab).to_lists() == allow.to_lists()
    for row in range(3):
        found = {
            word * 32 + bit for word in range(packed.shape[1]) for bit in range(32) if packed[row, word] >> bit & 1
        }
        assert found == set(range(vocab) if allow.ids(row) is None else allow.ids(row))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_xgrammar_applies_our_bitmask_equally(dtype):
    xgrammar = pytest.importorskip("xgrammar")
    for seed in range(5):
        allow, logits = random_allow(seed, 4), random_bits(dtype, 4, seed)
        ours, theirs, words = logits.clone(), logits.clone(), logits.clone()
        apply_allowed(ours, allow, on_dead="zero")
        xgrammar.apply_token_bitmask_inplace(theirs, pack(allow, padding_bit=1))
        apply_bitmask(words, pack(allow))
        alive = (theirs != float("-inf")).any(dim=1)
        assert torch.equal(bits(ours)[alive], bits(theirs)[alive])
        assert torch.equal(bits(words), bits(theirs))


def test_columns_beyond_the_bitmask_are_untouched():
    logits = torch.zeros(1, VOCAB)
    apply_bitmask(logits, pack(AllowSet.of([[0]], 32)))
    assert logits[0].isinf().nonzero().flatten().tolist() == list(range(1, 32))
    fewer = torch.zeros(1, VOCAB)
    apply_bitmask(fewer, pack(AllowSet.of([[0]], VOCAB)), vocab_size=35)
    assert fewer[0].isinf().nonzero().flatten().tolist() == list(range(1, 35))


def test_padding_bit_changes_padding_only():
    allow = AllowSet.of([[0], None], 34)
    assert pack(allow).tolist() == [[1, 0], [-1, 3]]
    assert pack(allow, padding_bit=1).tolist() == [[1, -4], [-1, -1]]
    assert unpack(pack(allow, padding_bit=1), 34).to_lists() == [[0], None]
    assert unpack(torch.tensor([[-1]], dtype=torch.int32), 34).to_lists() == [[*range(32)]]  # ids without a word


def test_compact_rows():
    """Upstream's vector of the packed fall-back; a row that does not exist is an error here, a silent skip there."""
    logits = torch.zeros(4, 40)
    masks = torch.tensor([[1, 4], [2, 2]], dtype=torch.int32)
    apply_bitmask(logits, masks, vocab_size=35, rows=[1, 3])
    kept = [row.isfinite().nonzero().flatten().tolist() for row in logits]
    tail = list(range(35, 40))
    assert kept == [list(range(40)), [0, 34, *tail], list(range(40)), [1, 33, *tail]]
    for rows in ([-1, 1], [1, 4]):
        with pytest.raises(SourceRowOutOfRange, match="rows"):
            apply_bitmask(logits, masks, rows=rows)
    with pytest.raises(ShapeMismatch):
        apply_bitmask(logits, masks)


def test_upstream_vocabulary_mask():
    allow = AllowSet.of([[], [1], [2, 3, 4], [1, 3, 5]], 1024)
    assert allow.to_lists() == [[], [1], [2, 3, 4], [1, 3, 5]]
    assert allow.count().tolist() == [0, 1, 3, 3]
