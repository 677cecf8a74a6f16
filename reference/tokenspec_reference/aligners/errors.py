"""Typed refusals of the aligner. Each names the field, the row and position, and what to do about it."""

from __future__ import annotations

from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference


class AlignmentInputError(TokenSpecError):
    """Shapes, masks, options or ids that describe no batch."""

    rejection_code = "invalid-alignment-input"


class IdOutOfVocabulary(AlignmentInputError):
    """An unmasked id that the tokenizer of its side does not have."""

    rejection_code = "id-out-of-vocabulary"


class TextMismatch(TokenSpecError):
    """The two sides spell different texts. ``row`` and ``byte`` locate the first difference (``ALN-017``)."""

    rejection_code = "text-mismatch"

    def __init__(self, row: int, byte: int, student: bytes, teacher: bytes) -> None:
        """``student`` and ``teacher`` are the bytes around the difference, for the message."""
        super().__init__(
            f"the two sides differ at byte {byte} of row {row}: student {student!r}, teacher {teacher!r}; "
            'tokenise one text for both, or pass on_mismatch="truncate" to align the common prefix',
            field="teacher_ids",
        )
        self.row = row
        self.byte = byte


class UnsupportedTokenizer(UnsupportedByReference):
    """A tokenizer whose ids do not determine the bytes of the text (lower-casing, NFKC, no declared decoder)."""


class ProjectionFileError(TokenSpecError):
    """A projection file that is missing, holds code instead of data, or has a shape that is not a projection."""

    rejection_code = "invalid-projection-file"

    def __init__(self, message: str, *, field: str = "path") -> None:
        """``field``: the tensor that is at fault, if it is one; the whole file otherwise."""
        super().__init__(message, field=field)


class ProjectionFileMissing(ProjectionFileError, FileNotFoundError):
    """No such projection file."""
