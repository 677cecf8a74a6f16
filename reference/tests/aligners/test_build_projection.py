"""Projections from two vocabularies: entries by hand, files that read back, a loss that runs on them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_tokenizers import LARGE, SMALL, TOKENIZERS

from tokenspec_reference.aligners import AlignmentInputError, TokenAligner
from tokenspec_reference.aligners.loss_utils import (
    Projection,
    build_projection,
    cross_tokenizer_loss,
    get_topk_projection,
    parse_projection_file,
)
from tokenspec_reference.aligners.piece_table import PieceTable


def entries(projection):
    rows = zip(projection.indices.tolist(), projection.likelihoods.tolist(), strict=True)
    return {
        (student, teacher): pytest.approx(weight, abs=1e-6)
        for student, (ids, weights) in enumerate(rows)
        for teacher, weight in zip(ids, weights, strict=True)
        if teacher >= 0
    }


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5), st.sampled_from([0.25, 0.5, 1.0, 3.0])), max_size=20),
    st.integers(2, 6),
)
def test_rows_are_sums_that_are_cut_and_normalised(given_entries, k):
    summed = {}
    for student, teacher, weight in given_entries:
        summed.setdefault(student, {}).setdefault(teacher, 0.0)
        summed[student][teacher] += weight
    expected = {}
    for student, row in summed.items():
        kept = sorted(row.items(), key=lambda item: (-item[1], item[0]))[:k]
        expected |= {(student, teacher): weight / sum(w for _, w in kept) for teacher, weight in kept}
    assert entries(Projection.of_entries(given_entries, 5, 6).cut(k)) == expected


@pytest.mark.parametrize("student", TOKENIZERS)
@pytest.mark.parametrize("teacher", TOKENIZERS)
def test_exact_pairs_what_spells_the_same(student, teacher):
    tables = [PieceTable.from_tokenizer(TOKENIZERS[name]) for name in (student, teacher)]
    found = build_projection.exact(TOKENIZERS[student], TOKENIZERS[teacher])
    pairs = entries(found)
    for s, piece in enumerate(tables[0].pieces):
        same = [t for t, other in enumerate(tables[1].pieces) if piece and other == piece]
        assert [t for (own, t) in pairs if own == s and not tables[0].roles[s]] == same[:1]
    control = TOKENIZERS[student].convert_tokens_to_ids("<|im_start|>")
    assert (control, TOKENIZERS[teacher].convert_tokens_to_ids("<|im_start|>")) in pairs
    assert set(found.likelihoods[found.indices >= 0].tolist()) == {1.0}
    assert not any(own == TOKENIZERS[student].convert_tokens_to_ids("</s>") for own, _ in pairs)  # two tokens end


@pytest.mark.parametrize("teacher", TOKENIZERS)
def test_retokenised_spells_the_text_of_the_token(teacher):
    found = build_projection.retokenised(SMALL, TOKENIZERS[teacher], longest=8, both_ways=False)
    source, target = (PieceTable.from_tokenizer(tokenizer) for tokenizer in (SMALL, TOKENIZERS[teacher]))
    for s, piece in enumerate(source.pieces):
        ids = [t for t in found.indices[s].tolist() if t >= 0]
        try:
            text = piece.decode()
        except UnicodeDecodeError:
            text = ""
        if not text or source.roles[s]:
            assert ids == []
        elif len(set(ids)) == len(ids) and ids:
            assert b"".join(target.pieces[t] for t in ids) == piece
        if ids:
            assert found.likelihoods[s].sum() == pytest.approx(1.0)
    hi = SMALL.convert_tokens_to_ids("hi")
    assert found.indices[hi, 0] == TOKENIZERS[teacher].convert_tokens_to_ids("hi")


def test_both_ways_reaches_teacher_tokens_that_no_student_token_spells():
    one_way, both = (build_projection.retokenised(SMALL, LARGE, both_ways=both) for both in (False, True))
    longer = LARGE.convert_tokens_to_ids("Ġhi")
    assert longer not in one_way.indices
    row = both.indices[SMALL.convert_tokens_to_ids("Ġ")].tolist()
    weight = both.likelihoods[SMALL.convert_tokens_to_ids("Ġ"), row.index(longer)].item()
    # of all that a space gets, "Ġhi" begins with it; both ways a space is one, "iĠ" and "]Ġhi" have it in second place
    assert weight == pytest.approx((1 / 1.1) / (1 / 1.1 + 2 + 0.1 / 1.1 + 0.1 / 1.11))


def test_embedded_takes_the_nearest():
    teacher = torch.eye(4)
    student = torch.tensor([[1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.1, 2.0]])
    found = build_projection.embedded(student, teacher, k=2)
    assert found.indices.tolist() == [[0, 1], [3, 2]]
    cosines = torch.tensor([1.0, 0.5]) / 1.25**0.5
    assert torch.allclose(found.likelihoods[0], torch.softmax(10 * cosines, -1))


def test_a_projection_over_another_fills_its_gaps():
    over = Projection.of_entries([(0, 1, 1.0)], 3, 4).over(Projection.of_entries([(0, 2, 1.0), (1, 3, 5.0)], 3, 4))
    assert entries(over) == {(0, 1): 1.0, (1, 3): 1.0}
    with pytest.raises(AlignmentInputError, match="other"):
        over.over(Projection.of_entries([], 4, 4))


def test_the_file_reads_back_and_a_loss_runs_on_it(tmp_path):
    found = build_projection.exact(SMALL, LARGE).over(build_projection.retokenised(SMALL, LARGE)).cut(4)
    path = tmp_path / "made" / "projection.pt"
    found.save(path)
    assert [file.name for file in path.parent.iterdir()] == ["projection.pt"]
    indices, likelihoods = get_topk_projection(path)
    assert torch.equal(indices, found.indices)
    assert torch.equal(likelihoods, found.likelihoods)
    coordinates, weights, students, _ = parse_projection_file(path)
    assert students == len(found.indices)
    assert weights[coordinates[1] >= 0].sum() == pytest.approx(int((found.indices[:, 0] >= 0).sum()), rel=1e-5)
    text = "hi hé hi"
    ids = [torch.tensor([t.encode(text, add_special_tokens=False)]) for t in (SMALL, LARGE)]
    alignment = TokenAligner(SMALL, LARGE, path).align(*ids)
    generator = torch.Generator().manual_seed(0)
    student = torch.randn(*ids[0].shape, len(SMALL), generator=generator).requires_grad_()
    teacher = torch.randn(*ids[1].shape, len(LARGE), generator=generator)
    for mode in ("p-kl", "gold", "xtoken"):
        loss = cross_tokenizer_loss(
            student, teacher, alignment, mode=mode, projection_matrix_path=path, teacher_vocab_size=len(LARGE)
        ).loss
        assert loss.item() > 0


def test_bad_input_names_its_field():
    with pytest.raises(AlignmentInputError, match="k: must be at least 2"):
        Projection.of_entries([(0, 1, 1.0)], 3, 4).cut(1)
    with pytest.raises(AlignmentInputError, match="entries"):
        Projection.of_entries([(0, 4, 1.0)], 3, 4)
    with pytest.raises(AlignmentInputError, match="longest"):
        build_projection.retokenised(SMALL, LARGE, longest=0)
    with pytest.raises(AlignmentInputError, match="decay"):
        build_projection.retokenised(SMALL, LARGE, decay=0.0)
    with pytest.raises(AlignmentInputError, match="embeddings"):
        build_projection.embedded(torch.zeros(3, 4), torch.zeros(3, 5))
    with pytest.raises(AlignmentInputError, match="k: must be from 2 to 3"):
        build_projection.embedded(torch.zeros(3, 4), torch.zeros(3, 4), k=4)
