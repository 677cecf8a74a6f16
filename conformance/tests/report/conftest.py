"""A headless Chromium: the machine's own, driven by playwright; nothing is downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The path of an installed Chromium; ``TOKENSPEC_CHROMIUM`` names another."""
    found = os.environ.get("TOKENSPEC_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    return found if found and Path(found).exists() else None


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; each test opens a context of its own."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    path = chromium()
    if path is None:
        pytest.skip("no Chromium on this machine (apt install chromium), and TOKENSPEC_CHROMIUM names none")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield started
        started.close()
