"""Files that hold code: run, it leaves a mark and yields a valid projection, so that running differs from refusing."""

from __future__ import annotations

import io
import os
import pickle
import tempfile
import zipfile
from pathlib import Path
from typing import Any

MARK = "tokenspec-projection-file-ran-"
CODE = f"""[open(f'{{tempfile.gettempdir()}}/{MARK}{{number}}', 'w').close()
 for tempfile, os in [(__import__('tempfile'), __import__('os'))] for number in (os.getpid(), os.getppid())
] and {{(0, 0): 1.0, (1, 1): 0.5}}"""


class Payload:
    """Unpickles to the value of an expression."""

    def __reduce__(self) -> tuple[Any, ...]:
        """What a hostile file looks like."""
        return eval, (CODE,)


def pickled() -> bytes:
    """The payload as a plain pickle. Never unpickled here."""
    return pickle.dumps(Payload(), protocol=2)


def archived() -> bytes:
    """The payload in the archive that PyTorch saves to, always the same bytes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in (("data.pkl", pickled()), ("byteorder", b"little"), ("version", b"3\n")):
            archive.writestr(zipfile.ZipInfo(f"projection/{name}"), content)
    return stream.getvalue()


def ran() -> bool:
    """Whether the code was run by this process or one that it started; the mark is taken away."""
    mark = Path(tempfile.gettempdir(), f"{MARK}{os.getpid()}")
    there = mark.exists()
    mark.unlink(missing_ok=True)
    return there
