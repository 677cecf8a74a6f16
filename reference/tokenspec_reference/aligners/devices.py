"""Where tensors are: one name a device, and one device a loss."""

from __future__ import annotations

import torch

from tokenspec_reference.aligners.errors import AlignmentInputError


def exact_device(device: torch.device | str) -> torch.device:
    """The device with its index: ``cuda`` is another one after ``torch.cuda.set_device``, so it keys no cache."""
    found = torch.device(device)
    return torch.device("cuda", torch.cuda.current_device()) if found.type == "cuda" and found.index is None else found


def require_device_of(student_logits: torch.Tensor, **others: torch.Tensor) -> None:
    """Refuse tensors that are elsewhere; ids and masks are small and moved instead.

    Raises:
        AlignmentInputError: names the tensor, with both devices.
    """
    for field, tensor in others.items():
        if tensor.device != student_logits.device:
            raise AlignmentInputError(
                f"is on {tensor.device}, the student's logits on {student_logits.device}; move one of them", field=field
            )
