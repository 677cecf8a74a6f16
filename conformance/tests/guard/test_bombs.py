"""Templates and tokenizers that never end, or take all memory, end with an error that says so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.guard.answering import keeping
from tests.guard.conftest import SOUND
from tests.guard.template_bombs import BOMBS
from tests.guard.tokenizer_bombs import EDITS, RAW, tokenizer_bombs
from tokenspec.cli.check_template import checking
from tokenspec.errors import TokenspecError
from tokenspec.guard.answering import KEPT, Answering
from tokenspec.guard.bounds import LONGEST_TEMPLATE, OutOfBounds

TOKENIZERS = dict(tokenizer_bombs((SOUND / "tokenizer.json").read_bytes()))
NEVER_RUN = {"folded-power", "folded-text", "folded-filter", "folded-difference", "folded-repeated", "folded-test"}
"""Bombs in a branch that is not taken: who folds no constants renders the template."""

HARMLESS = {"pattern-repeated", "top-level-version"}
"""Edits that a library reads as a tokenizer like any other."""


def answer_of(child: Answering, question: str | bytes) -> str:
    """The answer, or the words of the error."""
    try:
        return str(child.ask(question))
    except OutOfBounds as error:
        return str(error)


@pytest.mark.parametrize("name", BOMBS)
def test_the_reference_bounds_a_template_itself(reference: Answering, name: str) -> None:
    answer = reference.ask(BOMBS[name])
    assert answer == "3" if name in NEVER_RUN else answer.startswith("template-limit: "), answer


@pytest.mark.parametrize("name", BOMBS)
def test_transformers_is_ended_where_a_template_runs_away(transformers: Answering, name: str) -> None:
    said = answer_of(transformers, BOMBS[name])
    assert re.match(r"\d+$|refused: |template(, line \d)?: template-limit: it (takes|wants|nests)", said)


@pytest.mark.parametrize(
    ("bomb", "line", "how"),
    [
        ("\n\n" + BOMBS["loops-nested"], 4, "takes more than 0.25 s"),
        ("\n" + BOMBS["text-times"], 3, "wants more than 256 MiB"),
        ("\n\n\n" + BOMBS["macro-recursive"], 5, "nests without end"),
        ("\n\n" + BOMBS["folded-power"], 4, "takes more than 0.25 s"),
    ],
)
def test_the_error_names_the_line(transformers: Answering, bomb: str, line: int, how: str) -> None:
    with pytest.raises(OutOfBounds, match=how) as raised:
        transformers.ask(bomb)
    assert raised.value.line == line


def test_another_question_goes_to_another_child(transformers: Answering) -> None:
    with pytest.raises(OutOfBounds):
        transformers.ask(BOMBS["loops-nested"])
    assert transformers.ask("") == "3"


@pytest.mark.parametrize("name", [*EDITS, *RAW])
def test_a_broken_tokenizer_is_refused_by_name(loader: Answering, name: str) -> None:
    said = answer_of(loader, TOKENIZERS[name])
    assert (said == "") == (name in HARMLESS)


@pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is read from /proc")
def test_what_strangers_leave_in_memory_does_not_add_up() -> None:
    child = Answering(keeping)
    first = child.ask(KEPT // 2)
    assert child.ask(KEPT) == first
    assert child.ask(0) != first
    child.close()


def test_a_template_that_is_mostly_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long.jinja").write_text("x" * (LONGEST_TEMPLATE + 1))
    child = Answering(checking, SOUND, ())
    with pytest.raises(TokenspecError, match="template-limit: it has 262,145 characters, more than 262,144"):
        child.ask(tmp_path / "long.jinja")
    child.close()
