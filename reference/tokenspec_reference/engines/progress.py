"""The progress bar. Nothing is drawn unless asked, and nothing into a pipe."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tokenspec_reference.engines.segmentation import Progress


@contextlib.contextmanager
def progress_bar(title: str, *, shown: bool) -> Iterator[Progress]:
    """A callback ``(done, total)`` that moves a bar on standard error."""
    from rich.console import Console

    console = Console(stderr=True)  # FORCE_COLOR asks for colours, not for a moving bar in a file
    if not shown or not console.file.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn(title), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
