"""Long mixed texts on every pair of real rows: the batched profile equals the two-pointer walk over pieces."""

import random
import unicodedata

import pytest
import torch

from tokenspec.areas.aligners.area import PAIRS
from tokenspec.areas.aligners.cases.texts import PLAIN
from tokenspec.models import available, load, specs
from tokenspec_reference.aligners import TokenAligner, boundary_align

pytestmark = pytest.mark.real
REAL = [pair for pair in PAIRS if all(specs()[row].status == "real" for row in pair)]


def corpus(names, count):
    """Pieces of the area's own texts, in NFC so that every tokenizer spells the same bytes."""
    rng = random.Random(count)
    return unicodedata.normalize("NFC", "".join(rng.choice([PLAIN[name] for name in names]) for _ in range(count)))


CORPORA = {
    "everything": corpus(list(PLAIN), 60),
    "code": corpus(["code", "json", "indentation", "crlf", "whitespace", "url"], 60),
    "east-asian": corpus(["chinese", "japanese", "korean"], 60),
    "other-scripts": corpus(["hindi", "arabic", "russian", "mixed-scripts"], 40),
    "symbols": corpus(["emoji", "rare-characters", "mathematics", "digits"], 40),
}


@pytest.mark.parametrize(("student", "teacher"), REAL)
def test_equals_the_walk_over_pieces(student, teacher):
    missing = available(student) or available(teacher)
    if missing:
        pytest.skip(missing)
    aligner = TokenAligner(load(student).tokenizer, load(teacher).tokenizer)
    for name, text in CORPORA.items():
        ids = [load(row).tokenizer.encode(text, add_special_tokens=False) for row in (student, teacher)]
        pieces = []
        for table, side in zip(aligner.tables, ids, strict=True):
            spelled = [table.pieces[token] for token in side]
            pieces.append([spelled[0][1:], *spelled[1:]] if table.prefix_space != "none" else spelled)
        pairs = boundary_align(*pieces)
        found = aligner.align(*(torch.tensor([side]) for side in ids))
        for span, side, chunk_id in (
            ("student", ids[0], found.student_chunk_id),
            ("teacher", ids[1], found.teacher_chunk_id),
        ):
            wanted = [-1] * len(side)
            for number, pair in enumerate(pairs):
                start, end = getattr(pair, span)
                wanted[start:end] = [number] * (end - start)
            assert chunk_id[0].tolist() == wanted, name
