"""Every example of the README and of the spec runs (rule T8): doctest blocks, executed top to bottom per file."""

from __future__ import annotations

from doctest import ELLIPSIS
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser

from tokenspec.data import checkout_root, spec_dir

README = (checkout_root() or Path()) / "README.md"
FILES = [*sorted(spec_dir().glob("*.md")), *([README] if README.exists() else [])]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_examples_run(path: Path) -> None:
    sybil = Sybil(parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS), SkipParser()], path=str(path.parent))
    document = sybil.parse(path)
    for example in document.examples():
        example.evaluate()
