"""Where the templates come from: pinned archives of package registries, from which they are picked by one rule.

Nothing of them is kept in the tree but hashes. A template is a file named like one, a string in a JSON file, or one
that a program spells out (:mod:`wild.spelled`), when it is Jinja that walks over ``messages``.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
import tempfile
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tokenspec.data import cache_dir
from tokenspec.models.clients import fetch_archive
from tokenspec.models.spec import Carrier
from wild.spelled import in_braces, in_python

LIST = Path(__file__).with_name("templates.json")
FILES = (".jinja", ".jinja2", ".j2")
BRACES = (".js", ".ts", ".cpp")
RULE = 2
"""Counts the changes of what is picked: an archive is looked into anew after one."""
LONGEST = 200_000
"""Characters of a template."""
LARGEST = 30_000_000
"""Bytes of a file that is looked into."""


class Packed(msgspec.Struct, forbid_unknown_fields=True):
    """A carrier and what is expected of each of its templates.

    Attributes:
        carrier: the pinned archive.
        quick: whether it is part of the quick run.
        templates: verdict by sha256; a template that several carriers hold stands with the first.
    """

    carrier: Carrier
    quick: bool
    templates: dict[str, str]


def read_list() -> list[Packed]:
    """The pinned carriers, in their order."""
    return msgspec.json.decode(LIST.read_bytes(), type=list[Packed])


def templates_of(carrier: Carrier) -> dict[str, str]:
    """All templates of a carrier by their sha256, from the cache or from its registry.

    Raises:
        FetchError, IntegrityError: why it cannot be had.
    """
    kept = cache_dir() / "wild" / f"{carrier.sha256}-{RULE}.json"
    if not kept.is_file():
        with tempfile.TemporaryDirectory(prefix="tokenspec-wild-") as folder:
            archive = fetch_archive(carrier, Path(folder), lambda _: None)
            found = {sha256(text): text for text in picked(archive)}
        kept.parent.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_text(json.dumps(found), encoding="utf-8")
        part.replace(kept)
    texts: dict[str, str] = json.loads(kept.read_text(encoding="utf-8"))
    return texts


def assign(listed: Sequence[Packed], texts: Mapping[str, Collection[str]]) -> None:
    """Give the carriers that were looked into all that was picked there, without a verdict; the first one has it."""
    taken = {key for one in listed if one.carrier.id not in texts for key in one.templates}
    for one in listed:
        if one.carrier.id in texts:
            one.templates = dict.fromkeys(sorted(set(texts[one.carrier.id]) - taken), "")
            taken |= set(one.templates)


def listed_otherwise(listed: Sequence[Packed], texts: Mapping[str, Collection[str]]) -> list[str]:
    """What was picked and is not on the list, or the other way round: no template is left off by hand."""
    known = {key for one in listed for key in one.templates}
    looked = [(one, set(texts[one.carrier.id])) for one in listed if one.carrier.id in texts]
    return [
        f"{what} {key[:16]} of {one.carrier.id}"
        for one, there in looked
        for what, keys in (("UNLISTED", there - known), ("NOT PICKED", one.templates.keys() - there))
        for key in sorted(keys)
    ]


def sha256(text: str) -> str:
    """Of the text's UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def picked(archive: Path) -> Iterator[str]:
    """The templates in an archive."""
    for name, data in _members(archive):
        if name.endswith(FILES):
            yield from filter(is_template, [data.decode("utf-8", "replace")])
        elif b"messages" in data and b"{%" in data:
            yield from filter(is_template, _strings(name, data))


def is_template(text: str) -> bool:
    """Whether this is Jinja that walks over ``messages``."""
    return "messages" in text and "{%" in text and len(text) < LONGEST


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    wanted = (*FILES, *BRACES, ".json", ".py")
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as bundle:
            for info in bundle.infolist():
                if info.filename.endswith(wanted) and info.file_size < LARGEST:
                    yield info.filename, bundle.read(info)
        return
    with tarfile.open(archive) as bundle:
        for member in bundle:
            stream = bundle.extractfile(member) if member.isfile() and member.size < LARGEST else None
            if stream is not None and member.name.endswith(wanted):
                yield member.name, stream.read()


def _strings(name: str, data: bytes) -> Iterator[str]:
    try:
        if name.endswith(BRACES):
            yield from in_braces(data.decode("utf-8", "replace"))
        else:
            yield from _in_json(json.loads(data)) if name.endswith(".json") else in_python(data)
    except (ValueError, SyntaxError):
        return  # a file for other eyes


def _in_json(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _in_json(item)
