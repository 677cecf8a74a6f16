"""Errors of the suite come back whole from a worker process."""

from __future__ import annotations

import pickle

import pytest

from tokenspec.errors import FixtureError, TokenspecError, UnknownName


@pytest.mark.parametrize(
    "error",
    [
        TokenspecError("it is so; do this"),
        UnknownName("row", "qwen", ["qwen3"]),
        FixtureError("golden/qwen3/render.json", "was made from another input"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_the_way_between_processes(error: TokenspecError) -> None:
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is type(error)
    assert (str(found), vars(found)) == (str(error), vars(error))
