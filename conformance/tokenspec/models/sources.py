"""Where a row's bytes come from, in order: cache, the user's folders, the hub, the registries.

:class:`Sources` answers "the verified bytes of this member" and remembers, for one pull, what was tried: the hub is
probed once, an archive is fetched once and gives up every member any row of the pull wants.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokenspec.models import clients, publisher
from tokenspec.models.archive import read_members
from tokenspec.models.cache import check_sha256, keep_member, locked, read_member, staging
from tokenspec.models.errors import FetchError, IntegrityError, ModelError
from tokenspec.models.spec import FolderFileSource, RegistrySource, RowSpec, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tokenspec.models.progress import Progress
    from tokenspec.models.spec import Carrier, Hub


def members_of(row: RowSpec) -> Iterator[RegistrySource]:
    """Every archive member a row may use."""
    for source in (*row.tokenizer.source, *row.template.source, *row.fingerprint.vector_files):
        if isinstance(source, RegistrySource):
            yield source


class Sources:
    """The sources of one pull. ``network`` False keeps to this machine.

    ``rows`` are all known rows: an archive gives up what any of them needs, and rows may share a tokenizer.
    """

    def __init__(
        self, carriers: Mapping[str, Carrier], rows: Iterable[RowSpec], progress: Progress, *, network: bool
    ) -> None:
        """Nothing is fetched until it is asked for."""
        self.carriers = carriers
        self.rows = tuple(rows)
        self.progress = progress
        self.network = network
        self.downloaded = 0
        self._wanted = {source for row in self.rows for source in members_of(row)}
        self._failed: dict[str, ModelError] = {}
        self._hub: dict[str, Path | None] = {}

    def local(self, source: Source) -> bytes | None:
        """Verified bytes that need no network, or None. A damaged cache file is reported and removed."""
        if isinstance(source, FolderFileSource):
            return self._user_file(source)
        if not isinstance(source, RegistrySource):
            return None
        data, damage = read_member(source.sha256)
        if damage:
            self.progress.note(damage)
        return data

    def remote(self, source: RegistrySource) -> bytes:
        """Verified bytes of a member, fetching its archive if need be.

        Raises:
            FetchError, IntegrityError: why this source cannot give them; asked again, it answers the same at once.
        """
        if not self.network:
            raise FetchError("network is not used")
        carrier = self.carriers.get(source.carrier)
        if carrier is None:
            raise FetchError(f"carrier {source.carrier!r} has no file in fixtures/models/carriers")
        if carrier.id in self._failed:
            raise self._failed[carrier.id]
        try:
            with locked(f"carrier-{carrier.id}"):
                if (data := self.local(source)) is None:
                    self._empty(carrier, source)
                    data = self.local(source)
        except (FetchError, IntegrityError) as error:
            self._failed[carrier.id] = error
            raise
        if data is None:
            raise IntegrityError(f"{carrier.archive}:{source.member} could not be kept in the cache")
        return data

    def hub_folder(self, hub: Hub) -> Path | None:
        """The snapshot folder of the pinned revision, fetched if the hub can be reached; None otherwise."""
        if not self.network or self.hub_reason:
            return None
        if hub.repo not in self._hub:
            try:
                self._hub[hub.repo] = publisher.fetch_hub(hub)
            except FetchError as error:
                self.progress.note(f"hub: {error}")
                self._hub[hub.repo] = None
        return self._hub[hub.repo]

    @cached_property
    def hub_reason(self) -> str | None:
        """Why the hub is not asked (probed once)."""
        return publisher.hub_reachable()

    def _empty(self, carrier: Carrier, source: RegistrySource) -> None:
        """Fetch an archive and keep every wanted member of it; the archive itself is dropped."""
        wanted = {one.member: one for one in self._wanted if one.carrier == carrier.id}
        wanted[source.member] = source
        with staging() as folder:
            self.progress.start(carrier.archive, carrier.bytes)
            try:
                archive = clients.fetch_archive(
                    carrier, folder, lambda done: self.progress.grown(carrier.archive, done)
                )
                self.downloaded += carrier.bytes
                for member, data in read_members(archive, wanted.values()):
                    keep_member(member.sha256, data)
            finally:
                self.progress.finish(carrier.archive)

    def _user_file(self, source: FolderFileSource) -> bytes | None:
        folder = publisher.models_dir()
        try:
            data = (folder / source.path).read_bytes() if folder else None
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return check_sha256(data, source.sha256, f"TOKENSPEC_MODELS_DIR/{source.path}") if data else None
        except IntegrityError as error:
            self.progress.note(str(error))
            return None
