"""The same for the files of the report's page, which are no Python: compared word by word and sign by sign.

Spacing, line breaks, comments and the kind of quotes never matter.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from pygments.lexers import get_lexer_for_filename  # rich, which prints our tables, brings it along
from pygments.token import Comment

from tests.trees import EditError
from tokenspec.report import page

FOLDER = Path(str(page.__file__)).parent


@dataclass(frozen=True)
class PageEdit:
    """One edit of one file of the page.

    Attributes:
        file: its name.
        find: what is found there, exactly once.
        put: what takes its place.
    """

    file: str
    find: str
    put: str

    def changing_nothing(self) -> PageEdit:
        """The control: the same place, written anew as it was."""
        return replace(self, put=self.find)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Pages are made of the edited file until the block ends.

        Raises:
            EditError: what is looked for is not there exactly once.
        """
        with TemporaryDirectory() as name:
            shutil.copytree(FOLDER / "page_files", Path(name) / "page_files")
            file = Path(name) / "page_files" / self.file
            file.write_text(self.edited(file.read_text(encoding="utf-8")), encoding="utf-8")
            with mock.patch.object(page, "files", return_value=Path(name)):
                yield

    def edited(self, source: str) -> str:
        """The file's text with the edit."""
        there, wanted = words(self.file, source), [word for word, _, _ in words(self.file, self.find)]
        size = len(wanted)
        starts = [at for at in range(len(there)) if [word for word, _, _ in there[at : at + size]] == wanted]
        if len(starts) != 1:
            raise EditError(f"{self.file}: {len(starts)} places are {self.find!r}; one is wanted")
        begin, end = there[starts[0]][1], there[starts[0] + size - 1][2]
        return source[:begin] + self.put + source[end:]


def words(file: str, text: str) -> list[tuple[str, int, int]]:
    """Words and signs with where they begin and end; comments are none, and all quotes are one sign."""
    found = []
    for begin, kind, piece in get_lexer_for_filename(file).get_tokens_unprocessed(text):
        if kind not in Comment or kind in Comment.Preproc:
            for word in re.finditer(r"\w+|[^\w\s]", piece):
                sign = "'" if word[0] in {'"', "`"} else word[0]
                found.append((sign, begin + word.start(), begin + word.end()))
    return found
