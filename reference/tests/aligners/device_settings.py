"""One small loss for every device, and a count of what is executed."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tokenspec_reference.aligners import AlignmentBatch

READ_BACK = {"aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero"}
VIEWS = {"aten::slice", "aten::select"}


class Operations(TorchDispatchMode):
    """Names of what is executed."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func._schema.name)
        return func(*args, **(kwargs or {}))


def setting(tmp_path, tokens=12, chunks=4):
    generator = torch.Generator().manual_seed(5)
    path = tmp_path / "p.pt"
    indices = torch.tensor([[0, -1], [1, -1], [2, 3], [4, -1]])
    torch.save(
        {"indices": indices, "likelihoods": torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.7, 0.3], [1.0, 0.0]])}, path
    )
    chunk_id = (torch.arange(tokens) * chunks // tokens)[None]
    alignment = AlignmentBatch(
        pair_valid=torch.ones(1, chunks, dtype=torch.bool),
        pair_is_correct=torch.ones(1, chunks, dtype=torch.bool),
        student_exact_partition_mask=torch.zeros(0),
        teacher_exact_partition_mask=torch.zeros(0),
        student_chunk_id=chunk_id,
        teacher_chunk_id=chunk_id,
        num_chunks=torch.tensor([chunks]),
    )
    student, teacher = (torch.randn(1, tokens, width, generator=generator) for width in (4, 6))
    told = {"projection_matrix_path": path, "teacher_vocab_size": 6}
    return student.requires_grad_(), teacher, alignment, told
