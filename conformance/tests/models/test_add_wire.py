"""What is inferred of the rows there are is what people stated: openers exactly, the rest as far as renders show."""

from __future__ import annotations

import pytest

from tokenspec.addition.files import Published, markers, problems, read_published
from tokenspec.addition.wire import infer_features, infer_wire
from tokenspec.certificate import committed
from tokenspec.models import available, load, specs
from tokenspec.models.rows import Row

TEMPLATES = [row.id for row in specs().values() if row.has_template and row.oracle != "encoder"]
TOYS = [row for row in TEMPLATES if specs()[row].status == "toy"]
FEATURES_STATED_OTHERWISE = {
    **dict.fromkeys(("nemotron-3", "nemotron-3-super", "nemotron-3-ultra", "nemotron-3.5"), "parts"),
    **dict.fromkeys(("deepseek-r1", "deepseek-v3.1"), "thinking"),
}
"""Stated beside what is inferred: parts that are printed whole, thoughts that are cut; cases with them apply."""
LONGER_OPENERS = {"hy3": "<think:opensource></think:opensource>"}
"""What a generation prompt adds by default to the opener that every turn has."""
PLAIN = frozenset(
    {
        "<|media_start|>",
        "<|media_begin|>",
        "<|media_content|>",
        "<|media_pad|>",
        "<|media_end|>",
        "<|kimi_k25_video_placeholder|>",
    }
)
"""Markers that Kimi's templates write for media and its text-only vocabulary does not have."""


def read(row: str) -> tuple[Row, Published]:
    reason = available(row)
    if reason is not None:
        pytest.skip(reason)
    found = load(row)
    return found, read_published(found.directory, row, row)


def judge(row: str) -> None:
    found, published = read(row)
    stated, inferred = found.spec.wire, infer_wire(found, published)
    assert set(inferred.assistant_open) == {opener + LONGER_OPENERS.get(row, "") for opener in stated.assistant_open}
    assert inferred.assistant_close
    assert set(inferred.assistant_close) <= set(stated.assistant_close)
    assert inferred.stop
    assert set(inferred.stop) <= set(stated.stop)
    certificate = committed(row)
    assert certificate is not None
    beside = {FEATURES_STATED_OTHERWISE[row]} if row in FEATURES_STATED_OTHERWISE else set()
    assert set(infer_features(certificate.facts)) == set(found.features) - beside
    assert list(problems(published, PLAIN)) == []


@pytest.mark.parametrize("row", TOYS)
def test_a_toy_is_read_as_stated(row: str) -> None:
    judge(row)


@pytest.mark.real
@pytest.mark.parametrize("row", [row for row in TEMPLATES if row not in TOYS])
def test_a_row_is_read_as_stated(row: str) -> None:
    judge(row)


def test_generation_config_names_further_stop_tokens(tmp_path) -> None:
    import json
    import shutil

    found = load("toy-ranks")
    for path in found.directory.iterdir():
        shutil.copy(path, tmp_path / path.name)
    special = found.spec.special
    ids = [special["<|end|>"], special["<|handover|>"]]
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": ids}))
    wire = infer_wire(found, read_published(tmp_path, "folder", "toy-ranks"))
    assert wire.stop == ("<|end|>", "<|handover|>")
    assert wire.assistant_close == ("<|end|>", "<|handover|>")


def test_a_marker_that_is_filled_in_is_not_missed() -> None:
    template = "<|im_end|>{{ '<|role{}|>'.format(':x') }}{{ '<|im_start|>' }}"
    assert markers(template) == {"<|im_end|>", "<|im_start|>", "<|role{}|>"}
