"""A pytest plugin that shuffles: files, then the tests of each file. One seed gives one order, in every xdist worker.

It is ours because it does nothing else: no seeding of ``random`` and numpy, which would hide what depends on them.
"""

from __future__ import annotations

import os
import random

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle by the seed in ``SHAKEN_SEED``."""
    drawn = random.Random(os.environ["SHAKEN_SEED"])
    files: dict[object, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    groups = list(files.values())
    drawn.shuffle(groups)
    for group in groups:
        drawn.shuffle(group)
    items[:] = [item for group in groups for item in group]
