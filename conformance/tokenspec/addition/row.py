"""The row file of an addition: pins, sources, wire facts, control tokens, evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.addition.files import pins
from tokenspec.guard.strangers import strangers
from tokenspec.models import publisher
from tokenspec.models.cache import sha256
from tokenspec.models.fingerprint import ids_digest, vector_texts
from tokenspec.models.spec import Fingerprint, FolderFileSource, RowSpec, Template, Tokenizer, Wire

if TYPE_CHECKING:
    from tokenspec.addition.files import Published
    from tokenspec.models.spec import Hub

LARGEST = 2**53


@dataclass(frozen=True)
class Stated:
    """What only a person can say of a row; empty wire tuples are inferred.

    ``accepted`` names findings that are right for this model (:mod:`tokenspec.certificate.hazards`);
    ``areas`` are those it is judged in, empty for all; ``fingerprint`` is llama.cpp's, as published elsewhere.
    """

    id: str
    family: str
    summary: str
    licence: str
    evidence: str
    hub: Hub | None
    options: dict[str, str | bool | int | None]
    accepted: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    opener: tuple[str, ...] = ()
    closer: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    placeholder: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    fingerprint: str | None = None

    @property
    def proven(self) -> bool:
        """Whether something outside the files says that they are the model's."""
        return self.hub is not None or self.fingerprint is not None

    @property
    def cases(self) -> tuple[str, ...]:
        """The beginnings of the case ids that the row confines itself to."""
        return tuple(f"{area}/" for area in self.areas)


def row_spec(published: Published, stated: Stated, wire: Wire, features: tuple[str, ...]) -> RowSpec:
    """The row as it will be written."""
    pinned = pins(published)
    folder_files = stated.hub is None
    tokenizer = _source(published, stated.id, publisher.TOKENIZER, "hf") if folder_files else ()
    template = _source(published, stated.id, published.template_file, "text") if folder_files else ()
    return RowSpec(
        id=stated.id,
        family=stated.family,
        status="real" if stated.proven else "unproven",
        summary=stated.summary,
        features=features,
        oracle="transformers",
        licence=stated.licence,
        evidence=stated.evidence,
        wire=wire,
        tokenizer=Tokenizer(sha256=pinned["tokenizer"], source=tokenizer, config=_config(published)),
        special=dict(sorted(published.added.items(), key=lambda entry: entry[1])),
        template=Template(sha256=pinned["template"], source=template),
        options=stated.options,
        fingerprint=Fingerprint(vectors=_vectors(published), chkhsh=stated.fingerprint),
        hub=stated.hub,
    )


def stated_wire(stated: Stated, inferred: Wire) -> Wire:
    """What a person stated wins over what was inferred."""
    return Wire(
        assistant_open=stated.opener or inferred.assistant_open,
        assistant_close=stated.closer or inferred.assistant_close,
        stop=stated.stop or inferred.stop,
        placeholder=stated.placeholder,
    )


def _source(published: Published, row: str, name: str, file_format: Any) -> tuple[FolderFileSource, ...]:
    data = published.raw[name]
    return (FolderFileSource(path=f"{row}/{name}", sha256=sha256(data), bytes=len(data), format=file_format),)


def _config(published: Published) -> dict[str, str | bool | int | None]:
    length = published.config.get("model_max_length")
    known = isinstance(length, int) and length < LARGEST
    return {**published.named, **({"model_max_length": length} if known else {})}


def _vectors(published: Published) -> str:
    from tokenizers import Tokenizer as Loaded

    with strangers("tokenizer", len(published.tokenizer)):
        loaded = Loaded.from_str(published.tokenizer.decode())
        return ids_digest(loaded.encode(text, add_special_tokens=False).ids for text in vector_texts()[1])


def row_toml(spec: RowSpec) -> str:
    """The row file's text; what is empty or a default is left out."""
    import tomli_w

    text: str = tomli_w.dumps(_without_empty(msgspec.to_builtins(spec)))
    return text


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in (None, [], {}, ()) or key in REQUIRED}
    if isinstance(value, list | tuple):
        return [_without_empty(item) for item in value]
    return value


REQUIRED = {"features", "source", "assistant_open", "assistant_close", "stop", "special"}
"""Fields without a default: written also when empty."""
