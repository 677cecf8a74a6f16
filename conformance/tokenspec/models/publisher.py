"""Files as the publisher ships them: a folder of the user, the hub's local cache, or the hub itself.

A publisher's ``tokenizer.json`` is brought into canonical form and must then have the pinned sha256; the template must
have its own. A difference is drift: it is reported and the next source is asked.
"""

from __future__ import annotations

import json
import os
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from tokenspec.models.cache import sha256
from tokenspec.models.errors import BuildError, FetchError
from tokenspec.models.template import template_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenspec.models.spec import Hub

TOKENIZER, TEMPLATE, CONFIG = "tokenizer.json", "chat_template.jinja", "tokenizer_config.json"
GENERATION = "generation_config.json"
PROBE_SECONDS = 3.0


def models_dir() -> Path | None:
    """``TOKENSPEC_MODELS_DIR``: a folder of ordinary tokenizer folders named by row id."""
    value = os.environ.get("TOKENSPEC_MODELS_DIR")
    return Path(value) if value else None


def hub_cache() -> Path:
    """Where the hub client keeps its files (its own environment variables apply)."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")


def local_folders(row_id: str, hub: Hub | None) -> Iterator[tuple[str, Path]]:
    """Folders on this machine that may hold the row: (what to call it, folder), best first.

    Every snapshot in the hub's cache is tried, the pinned revision first: the sha256 pins decide.
    """
    if (user := models_dir()) and (user / row_id).is_dir():
        yield f"TOKENSPEC_MODELS_DIR/{row_id}", user / row_id
    if hub is None:
        return
    snapshots = hub_cache() / f"models--{hub.repo.replace('/', '--')}" / "snapshots"
    if snapshots.is_dir():
        for snapshot in sorted(snapshots.iterdir(), key=lambda path: (path.name != hub.revision, path.name)):
            yield f"hub cache {hub.repo}@{snapshot.name[:12]}", snapshot


def folder_tokenizer(folder: Path) -> bytes | None:
    """The bytes of its ``tokenizer.json``, if it has one."""
    return _read(folder / TOKENIZER)


def folder_template(folder: Path) -> str | None:
    """Its chat template: ``chat_template.jinja``, else the one inside ``tokenizer_config.json``."""
    if (data := _read(folder / TEMPLATE)) is not None:
        return template_text(data)
    if (config := _read(folder / CONFIG)) is None:
        return None
    try:
        value = json.loads(config).get("chat_template")
        if isinstance(value, list):
            value = next((item["template"] for item in value if item.get("name") == "default"), None)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BuildError(f"{folder / CONFIG}: not a JSON object: {error}") from error
    return template_text(value.encode()) if isinstance(value, str) else None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def hub_reachable() -> str | None:
    """One short probe of the hub: None when it answers, else the reason it is not asked.

    The probe runs beside the caller, because a name server that does not answer knows no time-out.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "TRUE", "YES", "ON"}:
        return "HF_HUB_OFFLINE is set"
    try:
        from huggingface_hub import constants
    except ImportError:
        return "huggingface_hub is not installed"
    answers: list[str | None] = []
    probe = threading.Thread(target=lambda: answers.append(_probe(str(constants.ENDPOINT))), daemon=True)
    probe.start()
    probe.join(PROBE_SECONDS)
    return answers[0] if answers else f"the hub did not answer within {PROBE_SECONDS:.0f} s"


def _probe(endpoint: str) -> str | None:
    request = urllib.request.Request(endpoint, method="HEAD")  # noqa: S310 - the hub client's own endpoint
    try:
        with urllib.request.urlopen(request, timeout=PROBE_SECONDS):  # noqa: S310
            return None
    except urllib.error.HTTPError as error:
        return None if error.code < 500 else f"the hub answers {error.code}"
    except (OSError, ValueError) as error:
        return f"the hub is not reachable ({getattr(error, 'reason', error)})"


def fetch_hub(hub: Hub) -> Path:
    """Bring the tokenizer files of the pinned revision into the hub's own cache and return the snapshot folder."""
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(
                hub.repo,
                revision=hub.revision,
                allow_patterns=[TOKENIZER, TEMPLATE, CONFIG, GENERATION],
                etag_timeout=10,
            )
        )
    except (OSError, ValueError) as error:
        raise FetchError(f"{hub.repo}@{hub.revision[:12]}: {str(error).splitlines()[0][:160]}") from error


def describe_drift(what: str, data: bytes, pinned: str) -> str:
    """One line for a publisher's file that is not the pinned one."""
    return f"{what} differs from the pin ({sha256(data)[:12]} instead of {pinned[:12]})"
