"""Every name of the source has its place here, and what is public there is called in the same way."""

import inspect
import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

from tokenspec_reference import aligners

CHAPTER = Path(__file__).parents[3] / "spec" / "50-aligners.md"
ROWS = re.findall(r"(?m)^\| (`.*?) \| (.*) \|$", CHAPTER.read_text(encoding="utf-8").partition("ALN-030")[0])
SAME = ROWS[0][0]
SOURCE = {
    *("VISUAL_BYTE_MAP", "_MULTI_TOKEN_ARTIFACT_FIXES", "_UNICODE_FIXES", "_SPECIAL_TOKEN_MAP", "AlignmentPair"),
    *("AlignmentBatch", "TokenAligner", "_drop_padding", "_pairs_to_batch", "_align_single", "_shift_pairs"),
    *("_remap_pairs_to_original", "_align_with_anchors", "_align_dp", "_alignment_mask", "_build_pair_strings"),
    *("_post_process_alignment", "_combine_consecutive_misaligned", "_flatten_chunk", "canonical_token"),
    *("_canonicalize_sequence", "_merge_encoding_artifacts", "_get_byte_value", "_merge_consecutive_bytes"),
    *("_try_merge_byte_buffer", "_strings_equal_flexible"),
}


def named(text):
    return re.findall(r"`([\w.]+)`", text)


def test_the_table_has_every_name_of_the_source():
    assert set(named(" ".join(source for source, _ in ROWS))) == SOURCE


@pytest.mark.parametrize("name", [*named(SAME), *(name for _, here in ROWS for name in named(here) if name != "spell")])
def test_what_it_names_is_there(name):
    module, _, rest = name.partition(".")
    if module in vars(aligners):
        assert reduce(getattr, name.split("."), aligners)
    else:
        assert getattr(import_module(f"{aligners.__name__}.{module}"), rest)


def test_public_signatures_are_those_of_the_source():
    assert list(inspect.signature(aligners.canonical_token).parameters) == ["token", "enabled"]
    made = list(inspect.signature(aligners.TokenAligner).parameters)[:4]
    assert made == ["student_tokenizer", "teacher_tokenizer", "projection_matrix_path", "max_comb_len"]
    called = ["student_ids", "teacher_ids", "student_attention_mask", "teacher_attention_mask"]
    assert list(inspect.signature(aligners.TokenAligner.align).parameters)[1:] == called
    pair = "s_tokens t_tokens s_start s_end t_start t_end is_correct"
    batch = (
        "pair_valid pair_is_correct student_exact_partition_mask teacher_exact_partition_mask student_chunk_id "
        "teacher_chunk_id num_chunks"
    )
    for record, fields in ((aligners.AlignmentPair, pair), (aligners.AlignmentBatch, batch)):
        assert list(inspect.signature(record).parameters) == fields.split()
