"""A cache that is appended to in place: a chunk of thirty tokens does not copy the eight thousand before it."""

from __future__ import annotations

from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicLayer

SPARE = 64  # entries of room kept behind a layer's own; more where a quarter of its length is more


class GrowingLayer(DynamicLayer):  # type: ignore[misc]
    """A :class:`DynamicLayer` whose keys and values are the front of larger tensors.

    ``crop`` shortens the views and leaves the tensors, so what is read next overwrites what was taken back. After any
    other change of the keys and values, such as a selection of rows, they are copied once.
    """

    keys: torch.Tensor
    values: torch.Tensor

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Append ``[batch, heads, count, width]`` to both; all that is held is returned."""
        if not self.is_initialized:
            super().update(key_states, value_states, *args, **kwargs)
            self.room_of_keys, self.room_of_values = self.keys, self.values
            return self.keys, self.values
        self.keys, self.room_of_keys = appended(self.keys, self.room_of_keys, key_states)
        self.values, self.room_of_values = appended(self.values, self.room_of_values, value_states)
        return self.keys, self.values


def appended(held: torch.Tensor, room: torch.Tensor, new: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """``held`` with ``new`` behind it, and the tensor in which both lie: ``room``, if ``held`` is its front."""
    length = held.shape[-2]
    end = length + new.shape[-2]
    fits = held.data_ptr() == room.data_ptr() and held.shape[:2] == room.shape[:2] and end <= room.shape[-2]
    if not fits:
        room = new.new_empty((*new.shape[:2], end + max(SPARE, end // 4), new.shape[-1]))
        room[..., :length, :] = held
    room[..., length:end, :] = new
    return room[..., :end, :], room


def growing_cache() -> Cache:
    """One such layer for each of a model, whatever its configuration says: every layer keeps all entries."""
    return Cache(layer_class_to_replicate=GrowingLayer)
