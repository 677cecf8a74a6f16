import sys
from pathlib import Path

import pytest

from tokenspec_reference.renderers import create_renderer

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def renderer():
    """A renderer of the toy model."""
    row = pytest.importorskip("tokenspec.models").load("toy-bpe")
    return create_renderer(row.tokenizer, chat_template=row.chat_template)
