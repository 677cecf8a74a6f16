"""Every seeded fault is found, and nothing else is flagged."""

import pytest
from seeded_faults import MAX_LENGTH, data, scores, table

from tokenspec.datasets.recipe import of_row
from tokenspec.datasets.shard import prepare
from tokenspec.datasets.source import cut, find, read


def judged(path, recipe):
    source = find(str(path), "train")
    seen = {}
    for shard in cut(source, 100):
        for given in read(source, shard):
            row = prepare(given, recipe)
            yield from ((given.row, code) for code in row.codes)
            if row.digest and seen.setdefault(row.digest, given.row) != given.row:
                yield given.row, "duplicate"


@pytest.mark.parametrize("row", ["toy-bpe", pytest.param("qwen3", marks=pytest.mark.real)])
def test_every_seeded_fault_is_found_and_nothing_else(row, tmp_path):
    made = data(240, share=0.2)
    path = tmp_path / "data.jsonl"
    path.write_bytes(b"".join(one.line + b"\n" for one in made))
    scored = scores(made, judged(path, of_row(row, max_length=MAX_LENGTH)))
    print(table(scored))
    assert {code: (score.precision, score.recall) for code, score in scored.items()} == dict.fromkeys(
        scored, (1.0, 1.0)
    )
    assert len(scored) == 12
