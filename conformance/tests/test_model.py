"""Fixture files: typed, canonical, refused when malformed, written atomically."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenspec.errors import FixtureError
from tokenspec.store.canonical import canonical_json, input_sha256, read_fixture, read_json
from tokenspec.store.masks import decode_mask, encode_mask
from tokenspec.store.records import Case, Golden
from tokenspec.store.writing import write_atomically

CASE = {"id": "render/x", "area": "render", "flags": [], "requires": [], "why": "w", "since": "0.1", "input": {}}


@given(st.lists(st.booleans()))
def test_masks_survive_run_length_encoding(mask: list[bool]) -> None:
    assert decode_mask(encode_mask(mask)) == mask


@pytest.mark.parametrize("text", ["F2T", "2F", "F2 T1", "X3", "F-1"])
def test_malformed_mask_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="F12T300F2"):
        decode_mask(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


@given(json_values)
def test_canonical_form_is_json_and_stable(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text
    assert text.endswith("\n")


def test_ids_are_wrapped_sixteen_a_line() -> None:
    assert canonical_json({"token_ids": list(range(33))}).count("\n") == 7


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "duplicate JSON key 'a'"),
        ('{"a": ', "Expecting value"),
        ("[NaN", "NaN is not JSON"),
        ("[1, ", "Expecting"),
        ("[" * 100_000, "nested too deeply"),
        ("", "Expecting value"),
    ],
)
def test_malformed_files_name_themselves(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(FixtureError, match=r"broken\.json") as caught:
        read_json(path)
    assert says in str(caught.value)
    assert caught.value.exit_code == 4


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(b'"\xe9"')
    with pytest.raises(FixtureError, match="utf-8"):
        read_json(path)


GOLDEN = {"case": "render/x", "row": "r", "input_sha256": "0", "pins": {}, "oracle": {}, "outcome": "raises"}


@pytest.mark.parametrize(("kind", "whole"), [(Case, CASE), (Golden, GOLDEN)])
def test_unknown_fields_are_named(tmp_path: Path, kind: type[msgspec.Struct], whole: dict) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(whole))
    read_fixture(path, kind)
    path.write_text(json.dumps({**whole, "surprise": 1}))
    with pytest.raises(FixtureError, match="surprise"):
        read_fixture(path, kind)


def test_wrong_types_name_the_field(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({**CASE, "flags": "BASIC"}))
    with pytest.raises(FixtureError, match=r"\$\.flags"):
        read_fixture(path, Case)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "golden.json"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["golden.json"]


def test_the_input_hash_ignores_key_order_only() -> None:
    assert input_sha256({"a": 1, "b": 2}) == input_sha256({"b": 2, "a": 1})
    assert input_sha256({"a": [1, 2]}) != input_sha256({"a": [2, 1]})
