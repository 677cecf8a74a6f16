"""Errors of the suite itself, one per exit code. Each message ends with what to do next."""

from __future__ import annotations

import copyreg
import difflib
import errno
from collections.abc import Iterable
from typing import Any

LISTED = 60
"""How many names a message lists at most."""

EXTRAS = {
    "reference": {"torch", "transformers", "numpy", "ijson"},
    "pytest": {"pytest", "hypothesis", "syrupy"},
    "hub": {"huggingface_hub", "tomli_w"},
    "images": {"PIL"},
    "client": {"httpx2"},
    "plot": {"matplotlib"},
    "datasets": {"datasets", "pyarrow"},
    "ray": {"ray"},
}
"""What each extra brings, by the names it is imported by."""


def extra_of(module: str) -> str | None:
    """The extra of this package that brings a module; None where no extra does."""
    return next((extra for extra, modules in EXTRAS.items() if module in modules), None)


def installing(package: str) -> str:
    """The command that installs a package: the extra that brings it, or its own name."""
    extra = extra_of(package)
    return f"pip install {package}" if extra is None else f"pip install 'tokenspec[{extra}]'"


class TokenspecError(Exception):
    """Base of the suite's own errors; ``exit_code`` is what the command line returns."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        """As it stands, whatever it was made of: one that a worker process cannot send back breaks all of them."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class UsageError(TokenspecError):
    """The command line names something that does not exist."""

    exit_code = 2


class UnknownName(UsageError):
    """Nothing is called so: the names that are spelled like it are suggested, or all are listed."""

    def __init__(self, what: str, name: str, known: Iterable[str], *, cure: str = "") -> None:
        """``what`` kind of thing ``name`` was to be, among the ``known``; ``cure`` is what else helps."""
        names = list(known)
        spelled = {known_name.lower(): known_name for known_name in names}
        close = [spelled[found] for found in difflib.get_close_matches(name.lower(), spelled, n=3)]
        listed = f"Known: {', '.join(names) or 'none'}." if len(names) <= LISTED else ""
        meant = f"Did you mean {' or '.join(close)}?" if close else listed
        super().__init__(" ".join(part for part in (f"no {what} {name!r}.", meant, cure) if part))


class AdapterError(TokenspecError):
    """An implementation cannot be loaded, or breaks the adapter protocol."""

    exit_code = 3


class Stopped(KeyboardInterrupt):
    """SIGTERM: the command ends as on an interruption from the keyboard, with a code of its own."""

    exit_code = 143


INTERRUPTED = 130
"""The exit code of an interruption from the keyboard."""


CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "Free some room, or write to another disk"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "Name a place that you may read and write"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "Raise the limit of open files (ulimit -n), or use fewer workers"),
}
"""What helps where the system refuses, by the number of its error."""


LOST = (
    "a worker process was ended by the system, as it does when memory runs out, or crashed. "
    "Each worker loads models of its own (about 1 GB). Free memory, or run fewer:"
)


class WorkersLost(TokenspecError):
    """Worker processes ended without a word, so nothing is known of what they judged."""

    exit_code = 3


class SystemRefuses(TokenspecError):
    """The system refuses to read or write a file. The message names the file, the reason and the cure."""

    exit_code = 3

    def __init__(self, error: OSError) -> None:
        """Say what an error of the system says, without its number."""
        where = f"{error.filename}: " if error.filename is not None else ""
        cure = CURES.get(error.errno or 0, "Look at the file and its disk, or name another place")
        super().__init__(f"{where}{error.strerror or error}. {cure}")


class FixtureError(TokenspecError):
    """A fixture file is malformed. ``path`` names the file."""

    exit_code = 4

    def __init__(self, path: object, message: str) -> None:
        """Keep the path apart from the message: lint prints them in columns."""
        super().__init__(f"{path}: {message}")
        self.path = str(path)
        self.detail = message
