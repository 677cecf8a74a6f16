"""The files of a model that shall become a row, and everything that is wrong with them before anything is rendered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec.guard.bounds import OutOfBounds, refuse_long
from tokenspec.guard.strangers import strangers
from tokenspec.models import publisher
from tokenspec.models.build import canonical
from tokenspec.models.cache import sha256
from tokenspec.models.errors import BuildError, FetchError, ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tokenspec.models.spec import Hub

MARKER = re.compile(r"<[|｜][^<>|｜\s]{1,40}[|｜]>")
NAMED = ("bos_token", "eos_token", "pad_token", "unk_token")


class AdditionRefused(ModelError):
    """A model that cannot become a row; ``reasons`` holds each reason with its cure."""

    def __init__(self, row: str, reasons: list[str]) -> None:
        """One line a reason."""
        self.reasons = reasons
        super().__init__("; ".join(reasons), row=row)


@dataclass(frozen=True)
class Published:
    """What was read: canonical tokenizer, template, configuration, and the raw files by name with their bytes."""

    origin: str
    tokenizer: bytes
    template: str
    config: dict[str, Any]
    generation: dict[str, Any]
    raw: dict[str, bytes]

    @property
    def template_file(self) -> str:
        """The file that the template was read from."""
        return publisher.TEMPLATE if publisher.TEMPLATE in self.raw else publisher.CONFIG

    @property
    def added(self) -> dict[str, int]:
        """Added tokens and the ids ``tokenizer.json`` states for them."""
        return {token["content"]: token["id"] for token in json.loads(self.tokenizer)["added_tokens"]}

    @property
    def named(self) -> dict[str, str]:
        """The named special tokens of ``tokenizer_config.json``, however it spells them."""
        found = {}
        for name in NAMED:
            value = self.config.get(name)
            text = value.get("content") if isinstance(value, dict) else value
            if isinstance(text, str):
                found[name] = text
        return found


def hub_folder(hub: Hub) -> Path:
    """The folder of exactly this revision: out of the hub client's cache, else from the hub. Raises FetchError."""
    for _, folder in publisher.local_folders("", hub):
        if folder.name == hub.revision and (folder / publisher.TOKENIZER).is_file():
            return folder
    if reason := publisher.hub_reachable():
        raise FetchError(
            f"{hub.repo}@{hub.revision[:12]} is not in the hub's cache, and {reason}; "
            "give a folder: tokenspec models add --from-dir DIR"
        )
    return publisher.fetch_hub(hub)


def read_published(folder: Path, origin: str, row: str) -> Published:
    """Read a tokenizer folder. Raises AdditionRefused when it lacks a file, or one cannot be read."""
    wanted = (publisher.TOKENIZER, publisher.TEMPLATE, publisher.CONFIG, publisher.GENERATION)
    raw = {name: (folder / name).read_bytes() for name in wanted if (folder / name).is_file()}
    reasons = []
    tokenizer, template = b"", None
    if publisher.TOKENIZER not in raw:
        reasons.append(f"there is no {publisher.TOKENIZER} in {origin}; save it with tokenizer.save_pretrained(...)")
    else:
        try:
            with strangers("tokenizer", len(raw[publisher.TOKENIZER])):
                tokenizer = canonical(raw[publisher.TOKENIZER])
            _loads(tokenizer)
        except (BuildError, OutOfBounds) as error:
            reasons.append(f"{publisher.TOKENIZER} is broken: {error}")
    try:
        template = publisher.folder_template(folder)
    except BuildError as error:
        reasons.append(str(error))
    if not template:
        reasons.append(
            f"there is no chat template: neither {publisher.TEMPLATE} nor chat_template in {publisher.CONFIG}"
        )
    else:
        reasons += [f"the chat template does not parse: {error}" for error in _syntax(template)]
    if reasons:
        raise AdditionRefused(row, reasons)
    return Published(
        origin, tokenizer, template or "", _object(raw, publisher.CONFIG), _object(raw, publisher.GENERATION), raw
    )


def _object(raw: dict[str, bytes], name: str) -> dict[str, Any]:
    try:
        found = json.loads(raw.get(name, b"{}"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _loads(tokenizer: bytes) -> Any:
    from tokenizers import Tokenizer

    try:
        with strangers("tokenizer", len(tokenizer)):
            return Tokenizer.from_str(tokenizer.decode())
    except OutOfBounds as error:
        raise BuildError(str(error)) from error
    except Exception as error:  # the library raises plain Exception
        raise BuildError(f"tokenizers does not load it: {str(error).splitlines()[0][:160]}") from error


def _syntax(template: str) -> list[str]:
    from jinja2 import TemplateSyntaxError
    from transformers.utils import chat_template_utils

    try:
        refuse_long(template)
        with strangers("template"):
            chat_template_utils._compile_jinja_template(template)  # noqa: SLF001 - the oracle's own environment
    except TemplateSyntaxError as error:
        return [f"line {error.lineno}: {error.message}"]
    except (OutOfBounds, ValueError, SyntaxError) as error:  # of numbers and nesting that Python does not read
        return [str(error)]
    return []


def problems(published: Published, plain: frozenset[str]) -> list[str]:
    """What is wrong with files that can be read; ``plain`` are markers the caller knows to be ordinary text."""
    with strangers("tokenizer", len(published.tokenizer)):
        return list(_problems(published, plain))


def _problems(published: Published, plain: frozenset[str]) -> Iterator[str]:
    tokenizer, added = _loads(published.tokenizer), published.added

    def ids(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False).ids)

    for text, stated in added.items():
        if ids(text) != [stated]:
            yield (
                f"added token {text!r} is stated as id {stated} and encodes to {ids(text)}: tokenizers renumbers added "
                "tokens that are not contiguous above the vocabulary; enter it into model.vocab at its id"
            )
    decoder = published.config.get("added_tokens_decoder")
    for key, entry in decoder.items() if isinstance(decoder, dict) else ():
        content = entry.get("content") if isinstance(entry, dict) else None
        if isinstance(content, str) and [str(id_) for id_ in ids(content)] != [key]:
            yield (
                f"{publisher.CONFIG} says {content!r} is id {key}, {publisher.TOKENIZER} encodes it to {ids(content)}; "
                "one of the two is of another model"
            )
    for name, text in published.named.items():
        if len(ids(text)) != 1:
            yield f"{name} {text!r} is missing in {publisher.TOKENIZER}: it encodes to {ids(text)}, not to one token"
    yield from no_tokens(published, {marker for marker in markers(published.template) if "{}" not in marker} - plain)


def ill_formed(published: Published, plain: frozenset[str], texts: Iterable[str]) -> Iterator[str]:
    """Markers that are filled in by ``format`` (``<|assistant{}|>``), as they stand in ``texts``, and are no token."""
    forms = [
        re.compile("[^<>|｜]{0,40}".join(map(re.escape, marker.split("{}"))))
        for marker in markers(published.template)
        if "{}" in marker
    ]
    yield from no_tokens(published, {found for form in forms for text in texts for found in form.findall(text)} - plain)


def no_tokens(published: Published, written: set[str]) -> Iterator[str]:
    """Markers that the template writes and that are several ids."""
    tokenizer = _loads(published.tokenizer)
    for marker in sorted(written):
        count = len(tokenizer.encode(marker, add_special_tokens=False).ids)
        if count != 1:
            yield (
                f"the template writes {marker!r} and the tokenizer has no such token (it becomes {count} "
                f"ids); add the token, or state that it is ordinary text: tokenspec models add --plain '{marker}'"
            )


def markers(template: str) -> set[str]:
    """Control-token shaped texts in the string literals and the plain text of a template.

    One that is filled in by ``format`` (``<|assistant{}|>``) has its braces still.
    """
    from transformers.utils import chat_template_utils

    environment: Any = chat_template_utils._compile_jinja_template(template).environment  # noqa: SLF001
    pieces = [word for _, kind, word in environment.lex(template) if kind in {"data", "string"}]
    return {marker for piece in pieces for marker in MARKER.findall(piece)}


def pins(published: Published) -> dict[str, str]:
    """The two hashes a row is known by."""
    return {"tokenizer": sha256(published.tokenizer), "template": sha256(published.template.encode())}
