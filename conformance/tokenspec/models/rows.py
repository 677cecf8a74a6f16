"""Rows as the suite uses them: the specification of each, and the loaded tokenizer folder."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from tokenspec.data import fixtures_dir
from tokenspec.models.assemble import assemble, finished
from tokenspec.models.cache import sha256
from tokenspec.models.errors import AssetsMissing, ModelError, UnknownRow
from tokenspec.models.loading import load_tokenizer
from tokenspec.models.progress import Notes
from tokenspec.models.publisher import TEMPLATE, TOKENIZER
from tokenspec.models.row_vocabulary import RowVocabulary
from tokenspec.models.sources import Sources
from tokenspec.models.spec import Carrier, DirectorySource, RowSpec, Status, decode
from tokenspec.models.template import template_pin, template_text

if TYPE_CHECKING:
    from pathlib import Path


class Candidate(NamedTuple):
    """A row that is not committed, and where its goldens lie: a file an area, or nowhere yet."""

    spec: RowSpec
    goldens: Path | None


_candidate: ContextVar[Candidate | None] = ContextVar("candidate", default=None)


def specs() -> Mapping[str, RowSpec]:
    """Every row by id, in the order of what is known of them; within :func:`candidate` that one, too."""
    one = _candidate.get()
    return committed_specs() if one is None else {**committed_specs(), one.spec.id: one.spec}


def goldens_of_candidate(row_id: str) -> Path | None:
    """The folder of a candidate's goldens; None for every other row."""
    one = _candidate.get()
    return one.goldens if one is not None and one.spec.id == row_id else None


def is_strangers(row_id: str) -> bool:
    """Whether the origin of a row's files is unproven: they run within bounds."""
    one, spec = _candidate.get(), specs().get(row_id)
    return spec is not None and ((one is not None and one.spec.id == row_id) or spec.status == "unproven")


@contextmanager
def candidate(spec: RowSpec, goldens: Path | None = None) -> Iterator[None]:
    """Within the block a row that is not committed counts among the rows; afterwards nobody has heard of it."""
    before = _candidate.set(Candidate(spec, goldens))
    try:
        yield
    finally:
        _candidate.reset(before)
        load.cache_clear()


@cache
def committed_specs() -> dict[str, RowSpec]:
    """Every row file, read once."""
    rows = [decode(path, RowSpec) for path in sorted((fixtures_dir() / "models").glob("*.toml"))]
    return {row.id: row for row in sorted(rows, key=lambda row: (get_args(Status).index(row.status), row.id))}


@cache
def carriers() -> dict[str, Carrier]:
    """Every carrier file, by id."""
    paths = sorted((fixtures_dir() / "models" / "carriers").glob("*.toml"))
    return {carrier.id: carrier for carrier in (decode(path, Carrier) for path in paths)}


def spec_of(row_id: str) -> RowSpec:
    """One row's specification, or :class:`UnknownRow` with the names that are close."""
    try:
        return specs()[row_id]
    except KeyError:
        close = difflib.get_close_matches(row_id, specs(), n=3, cutoff=0.4) or sorted(specs())
        raise UnknownRow(f"unknown row {row_id!r}; did you mean: {', '.join(close)}?") from None


@dataclass(frozen=True)
class Row:
    """One row with its files at hand. ``directory`` is an ordinary Hugging Face tokenizer folder."""

    spec: RowSpec
    directory: Path

    @property
    def id(self) -> str:
        """The row's name."""
        return self.spec.id

    @property
    def family(self) -> str:
        """The renderer family."""
        return self.spec.family

    @property
    def status(self) -> str:
        """``real``, ``stand-in`` or ``toy``."""
        return self.spec.status

    @property
    def features(self) -> tuple[str, ...]:
        """What the template can express."""
        return self.spec.features

    @property
    def options(self) -> dict[str, str | bool | int | None]:
        """Default template keywords (a copy)."""
        return dict(self.spec.options)

    @property
    def pins(self) -> dict[str, str]:
        """The pins that goldens name: sha256 of the tokenizer and of the template."""
        return self.spec.pins

    @cached_property
    def chat_template(self) -> str:
        """The template's text; empty for a row that is a vocabulary only, or has an encoder in its place."""
        return "" if self.spec.oracle == "encoder" else self.written_by

    @cached_property
    def written_by(self) -> str:
        """The source of what writes its conversations: the chat template's, or the encoder's in its place."""
        if not self.spec.has_template:
            return ""
        return template_text((self.directory / self.spec.template_file).read_bytes())

    @cached_property
    def vocabulary(self) -> RowVocabulary:
        """What judges read: the folder's tokenizer by ``tokenizers`` alone, loaded on first use."""
        return RowVocabulary(self.directory)

    @cached_property
    def tokenizer(self) -> Any:
        """What oracles ask: the ``transformers`` fast tokenizer of the folder; imported and loaded on first use."""
        return load_tokenizer(self.directory)


@lru_cache(maxsize=4)
def load(row_id: str) -> Row:
    """A row whose files are on this machine (cache, ``TOKENSPEC_MODELS_DIR``, hub cache); never uses the network.

    The last few rows are kept, because a tokenizer is slow to load and large to hold.

    Raises:
        UnknownRow: no such row.
        AssetsMissing: its files are not here; the message says what to run.
        BuildError: its files do not give what the row states.
    """
    row = spec_of(row_id)
    if row.status == "toy":
        return Row(row, _toy_folder(row))
    return Row(row, assemble(row, Sources(carriers(), specs().values(), Notes(), network=False)).directory)


def available(row_id: str) -> str | None:
    """None when :func:`load` would succeed, else the reason (one line, starts with ``unsupported``)."""
    row = spec_of(row_id)
    try:
        if row.status == "toy":
            _toy_folder(row)
        elif finished(row, thorough=False) is None:
            load(row_id)
    except ModelError as error:
        return str(error)
    return None


def _toy_folder(row: RowSpec) -> Path:
    """The folder of a toy row, after checking its pins."""
    source = row.tokenizer.source[0]
    path = source.path if isinstance(source, DirectorySource) else row.id
    directory = fixtures_dir() / path
    pins = [("tokenizer", TOKENIZER, sha256, row.tokenizer.sha256)]
    if row.has_template:
        pins.append(("template", TEMPLATE, lambda data: template_pin(template_text(data)), row.template.sha256))
    for what, name, pin_of, pinned in pins:
        try:
            found = pin_of((directory / name).read_bytes())
        except (FileNotFoundError, NotADirectoryError) as error:
            raise AssetsMissing(row.id, f"{path} lacks {name}") from error
        if found != pinned:
            raise AssetsMissing(row.id, f"{what}.sha256 of {path} is {found}, the row file pins {pinned}")
    return directory
