"""What can go wrong with model files, each with one line that says what to do next."""

from __future__ import annotations

from tokenspec.errors import TokenspecError


class ModelError(TokenspecError):
    """Base of every error of this package. ``row`` is the row it concerns, if any."""

    def __init__(self, message: str, *, row: str | None = None) -> None:
        """Store the row beside the text so that reports can group by it."""
        super().__init__(f"{row}: {message}" if row else message)
        self.row = row


class RowSpecError(ModelError):
    """A row or carrier file is not what the schema says; the message names the field."""

    exit_code = 4


class UnknownRow(ModelError):
    """No row of that name; the message lists the known ones."""

    exit_code = 2


class IntegrityError(ModelError):
    """Bytes whose sha256 is not the pinned one. They are never used and never kept."""


class FetchError(ModelError):
    """A client (pip, npm, hub) was absent, failed, or gave something else than asked for."""


class BuildError(ModelError):
    """Verified inputs that do not give the tokenizer the row promises (ids, fingerprint or sha256 differ)."""


class AssetsMissing(ModelError):
    """The files of a row are neither cached nor obtainable here. Printed as ``unsupported``, never as a pass."""

    def __init__(self, row: str, details: str = "") -> None:
        """Compose the one-line reason and the command that cures it."""
        why = f" ({details})" if details else ""
        super().__init__(f"unsupported: assets missing{why}; run: tokenspec models pull {row}", row=row)
        self.details = details

    @property
    def unsupported_reason(self) -> str:
        """The reason printed in the matrix."""
        return "assets missing"
