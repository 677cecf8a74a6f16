"""Children that outlive a test, so that each bomb does not start one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.guard.answering import by_reference, by_transformers, loading
from tokenspec.data import fixtures_dir
from tokenspec.guard.answering import Answering

SOUND = fixtures_dir() / "toy" / "toy-bpe"


@pytest.fixture(scope="module")
def reference() -> Iterator[Answering]:
    child = Answering(by_reference)
    yield child
    child.close()


@pytest.fixture(scope="module")
def transformers() -> Iterator[Answering]:
    child = Answering(by_transformers)
    yield child
    child.close()


@pytest.fixture(scope="module")
def loader() -> Iterator[Answering]:
    child = Answering(loading, str(SOUND))
    yield child
    child.close()
