"""Projection files: two forms, sizes, exact map, and everything that must not be read."""

import pickle

import pytest
import torch

from tokenspec_reference.aligners import ProjectionFileError
from tokenspec_reference.aligners.loss_utils import (
    build_exact_token_map,
    get_sparse_projection_matrix,
    get_topk_projection,
    parse_projection_file,
    project_student_to_teacher_vocab,
    select_teacher_topk_indices,
    slice_sparse_projection_cols,
    slice_sparse_projection_rows,
)


@pytest.fixture
def save(tmp_path):
    def write(data, name="projection.pt"):
        path = tmp_path / name
        torch.save(data, path)
        return path

    return write


def dense(indices, weights):
    return {"indices": torch.tensor(indices), "likelihoods": torch.tensor(weights)}


def test_dense_form_keeps_the_sentinel(save):
    indices, values, students, teachers = parse_projection_file(
        save(dense([[1, -1], [4, 0]], [[1.0, 0.0], [0.5, 0.25]]))
    )
    assert indices.tolist() == [[0, 0, 1, 1], [1, -1, 4, 0]]
    assert values.tolist() == [1.0, 0.0, 0.5, 0.25]
    assert (students, teachers) == (2, 5)


def test_sparse_form(save):
    indices, values, students, teachers = parse_projection_file(save({(3, 1): 2, (0, 5): 0.5}))
    assert indices.tolist() == [[3, 0], [1, 5]]
    assert values.dtype == torch.float32
    assert (students, teachers) == (4, 6)


def test_matrix_drops_negative_adds_equal_and_is_large_enough(save):
    path = save(dense([[1, 1], [2, -1]], [[0.5, 0.25], [1.0, 9.0]]))
    matrix = get_sparse_projection_matrix(path, student_vocab_size=4, teacher_vocab_size=2)
    assert matrix.to_dense().tolist() == [[0, 0.75, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]


def test_matrix_is_shared_until_the_file_changes(save):
    sizes = {"student_vocab_size": 1, "teacher_vocab_size": 1}
    path = save({(0, 0): 1})
    first = get_sparse_projection_matrix(path, **sizes)
    assert get_sparse_projection_matrix(path, **sizes) is first
    save({(0, 0): 1, (1, 1): 2})
    assert get_sparse_projection_matrix(path, **sizes).shape == (2, 2)


def test_slices_equal_dense_slices(save):
    generator = torch.Generator().manual_seed(3)
    full = torch.rand(6, 7, generator=generator) * (torch.rand(6, 7, generator=generator) < 0.5)
    matrix = full.to_sparse_coo().coalesce()
    columns = torch.tensor([0, 3, 6])
    assert torch.equal(slice_sparse_projection_cols(matrix, columns).to_dense(), full[:, columns])
    assert torch.equal(slice_sparse_projection_rows(matrix, 2, 5).to_dense(), full[2:5])
    assert slice_sparse_projection_cols(matrix, columns[:0]).shape == (6, 0)
    probabilities = torch.rand(2, 3, 6, generator=generator)
    assert torch.allclose(project_student_to_teacher_vocab(probabilities, matrix), probabilities @ full)


def test_top_columns_are_ascending():
    logits = torch.tensor([[[0.0, 5.0, 1.0, 4.0], [9.0, 0.0, 0.0, 0.0]]])
    assert select_teacher_topk_indices(logits, 2).tolist() == [0, 1]
    assert select_teacher_topk_indices(logits, 99).tolist() == [0, 1, 2, 3]


STRICT = dense(
    [[2, -1], [2, -1], [1, 0], [0, -1], [9, -1]], [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.9, 0.0], [1.0, 0.0]]
)
RELAXED = dense([[2, 0], [2, 0], [0, 2], [1, 0]], [[0.7, 0.1], [0.8, 0.1], [0.1, 0.8], [0.5, 0.5]])


def test_exact_map_strict(save):
    found = build_exact_token_map(save(STRICT), xtoken_loss=False, teacher_vocab_size=4)
    assert (found["common_student"].tolist(), found["common_teacher"].tolist()) == ([0], [2])
    assert found["uncommon_student"].tolist() == [1, 2, 3, 4]
    assert found["uncommon_teacher"].tolist() == [0, 1, 3]


def test_exact_map_relaxed(save):
    found = build_exact_token_map(save(RELAXED), xtoken_loss=True, teacher_vocab_size=4)
    assert (found["common_student"].tolist(), found["common_teacher"].tolist()) == ([1], [2])


@pytest.mark.parametrize(
    "data",
    [
        [1, 2],
        {"indices": torch.zeros(2, 2)},
        dense([[1]], [[1.0, 2.0]]),
        dense([1, 2], [1.0, 2.0]),
        dense([[1.5]], [[1.0]]),
        dense([[-2]], [[1.0]]),
        dense([[0]], [[float("nan")]]),
        {"indices": [[0]], "likelihoods": [[1.0]]},
        {(0, 1, 2): 1.0},
        {(-1, 0): 1.0},
        {(0, 0): "heavy"},
    ],
)
def test_wrong_content_is_refused(save, data):
    with pytest.raises(ProjectionFileError):
        parse_projection_file(save(data))


class Payload:
    def __reduce__(self):
        return print, ("this must never run",)


def test_code_is_never_run(save, tmp_path, capsys):
    with pytest.raises(ProjectionFileError, match="code"):
        parse_projection_file(save({"indices": Payload(), "likelihoods": torch.zeros(1, 1)}))
    raw = tmp_path / "raw.pkl"
    raw.write_bytes(pickle.dumps(Payload(), protocol=2))
    with pytest.raises(ProjectionFileError):
        parse_projection_file(raw)
    assert capsys.readouterr().out == ""


def test_missing_file_is_a_file_not_found_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        parse_projection_file(tmp_path / "none.pt")
    with pytest.raises(ProjectionFileError):
        get_topk_projection(tmp_path / "none.pt")


def test_dense_consumers_refuse_the_sparse_form(save):
    with pytest.raises(ProjectionFileError, match="dense"):
        get_topk_projection(save({(0, 0): 1}))
    with pytest.raises(ProjectionFileError, match="2 columns"):
        build_exact_token_map(save(dense([[0]], [[1.0]])), xtoken_loss=False, teacher_vocab_size=1)
