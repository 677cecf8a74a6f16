"""Load and compile: the three ways a tree comes in, and where a server looks for it.

A file that cannot be used raises; a constraint is never switched off because its file was bad.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any

from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import config_error
from tokenspec_reference.processors.tree_json import read_mapping, read_stream, read_text
from tokenspec_reference.processors.tree_numbering import number_tree
from tokenspec_reference.processors.tree_rules import MODES, Mode, PrefixToCandidateTokens, validate

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from tokenspec_reference.processors.tree_table import CompiledTree

LONG_FILE = 2 * 2**20  # bytes; below it loading takes well under a second
ENVIRONMENT_VARIABLE = "TREE_DECODE_CONFIG"
ARGUMENT = "--tree_decode_config"


def read_tree(
    config: Mapping[str, Any] | str | bytes, *, mode: Mode = "strict", vocab_size: int | None = None
) -> PrefixToCandidateTokens:
    """Validate a configuration, a mapping or JSON text. Raises ``ConfigError`` with JSON pointers."""
    _check_arguments(mode, vocab_size)
    raw = read_text(config) if isinstance(config, (str, bytes)) else read_mapping(config)
    return validate(raw, mode, vocab_size)


def compile_tree(
    config: Mapping[str, Any] | str | bytes | PrefixToCandidateTokens,
    *,
    mode: Mode = "strict",
    vocab_size: int | None = None,
) -> CompiledTree:
    """Validate and compile. ``vocab_size`` is the width of the logits; without it ids are checked when bound.

    Raises ``ConfigError``. Example: ``compile_tree({"start_token_id": 225, "prefix_dict": {"225": [7],
    "225_7": [2]}})``.
    """
    store = (
        config if isinstance(config, PrefixToCandidateTokens) else read_tree(config, mode=mode, vocab_size=vocab_size)
    )
    return number_tree(store)


def load_tree(
    path: str | os.PathLike[str],
    *,
    mode: Mode = "strict",
    vocab_size: int | None = None,
    progress: bool | None = None,
) -> CompiledTree:
    """Stream a JSON file, validate it and compile it.

    ``progress``: show a bar on standard error; by default for files over 2 MiB when that is a terminal.
    Raises ``ConfigError`` for a missing, unreadable or wrong file.
    """
    _check_arguments(mode, vocab_size)
    try:
        size = Path(path).stat().st_size
        wanted = size > LONG_FILE and sys.stderr.isatty() if progress is None else progress
        with _open(Path(path), show=wanted) as stream:
            raw = read_stream(stream)
    except OSError as error:
        raise config_error("", Rule.FILE, f"cannot read {os.fspath(path)!r}: {error.strerror or error}") from error
    return number_tree(validate(raw, mode, vocab_size))


def tree_config_path(
    checkpoint_path: str | os.PathLike[str],
    file_name: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
) -> Path | None:
    """``<checkpoint_path>/<file_name>``, or ``None`` when no tree is configured.

    ``file_name`` is the value of ``--tree_decode_config``; when it is ``None`` the environment variable
    ``TREE_DECODE_CONFIG`` decides; an empty name switches tree decoding off. Raises ``ConfigError`` for a
    name that would leave the checkpoint directory.
    """
    name = (
        (os.environ if environ is None else environ).get(ENVIRONMENT_VARIABLE, "") if file_name is None else file_name
    )
    if not name:
        return None
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        raise config_error(
            "", Rule.FILE_NAME, f"{name!r} must be a file below the checkpoint directory, not a path out of it"
        )
    return Path(checkpoint_path) / name


def add_tree_decode_argument(parser: argparse.ArgumentParser) -> None:
    """Give a server's parser the option ``--tree_decode_config FILE`` (default: the environment variable)."""
    parser.add_argument(
        ARGUMENT,
        metavar="FILE",
        default=None,
        help=f"tree decoding configuration below the checkpoint directory (default: ${ENVIRONMENT_VARIABLE})",
    )


@contextmanager
def _open(path: Path, *, show: bool) -> Iterator[IO[bytes]]:
    if not show:
        with path.open("rb") as stream:
            yield stream
        return
    import rich.console
    import rich.progress

    console = rich.console.Console(stderr=True)
    with rich.progress.open(path, "rb", description=f"loading {path.name}", console=console, transient=True) as stream:
        yield stream


def _check_arguments(mode: str, vocab_size: int | None) -> None:
    if mode not in MODES:
        raise config_error("", Rule.MODE, f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    if vocab_size is not None and vocab_size < 1:
        raise config_error("", Rule.VOCAB_SIZE, f"vocab_size must be positive, not {vocab_size}")
