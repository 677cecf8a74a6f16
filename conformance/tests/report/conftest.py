"""A headless Chromium: the machine's own, driven by playwright; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tokenspec.bench.report import QUIET_FLAGS, chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file, closed behind them: an idle one costs other tests a third of a core."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine (apt install chromium), and TOKENSPEC_CHROMIUM names none")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(QUIET_FLAGS))
        yield started
        started.close()
