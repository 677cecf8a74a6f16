"""A refusal counts for the reason that is due only, and at its place where it names one."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import torch

from tests.edited_reference import blamed, judged
from tokenspec.adapters import Ok, Outcome, Refused
from tokenspec.adapters.in_process import outcome_of
from tokenspec.areas import areas
from tokenspec.areas.aligners.hostile import MARK, archived, pickled, ran
from tokenspec.areas.check import Violation
from tokenspec.areas.misrefusing import Edit, Misrefusing, coded, placing
from tokenspec.areas.refusal import Due, pointer_to, refused
from tokenspec.areas.selection import Selection, load_cases, select_cells
from tokenspec.store.canonical import convert


class Asked:
    """As much of a subject as the question takes."""

    def __init__(self, outcome: Outcome, **refusal: object) -> None:
        self.outcome = outcome
        self.cell = self
        self.case = self
        self.id = "engines/x"
        self.refusal = refusal
        self.request = {"student": {"ids": [1, [2, 3]]}, "teacher": "abc"}


def said(outcome: Outcome, *, naming_place: bool = False) -> str:
    try:
        refused(Asked(outcome, code="bad-ids", places=["/student/ids/1", "/teacher"]), naming_place=naming_place)
    except Violation as violation:
        return str(violation)
    return ""


@pytest.mark.parametrize(
    ("outcome", "naming_place", "says"),
    [
        (Refused("bad-ids", "no"), False, ""),
        (Refused("bad-ids", "no"), True, "does not say where"),
        (Refused("bad-ids", "no", "/student/ids/1/7"), True, ""),
        (Refused("bad-ids", "no", "/teacher"), True, ""),
        (Refused("bad-ids", "no", "/teacher/2"), True, ""),
        (Refused("bad-ids", "no", "/teacher/title"), True, "what has no parts"),
        (Refused("bad-ids", "no", "/student/ids/1/0/0"), True, "what has no parts"),
        (Refused("bad-ids", "no", "/student/ids/10"), False, "another place"),
        (Refused("bad-ids", "no", "/student"), False, "another place"),
        (Refused("bad-mask", "no", "/teacher"), False, "another reason"),
        (Ok({}), False, "is answered"),
    ],
)
def test_the_right_reason_at_the_right_place(outcome: Outcome, naming_place: bool, says: str) -> None:
    found = said(outcome, naming_place=naming_place)
    assert (says in found) if says else found == ""


def test_an_exception_may_say_where() -> None:
    error = ValueError("no")
    error.rejection_code, error.rejection_place = "bad-ids", "/teacher"  # type: ignore[attr-defined]
    assert outcome_of(error) == Refused("bad-ids", "no", "/teacher")
    error.rejection_place = None  # type: ignore[attr-defined]
    assert outcome_of(error) == Refused("bad-ids", "no")


def test_the_nearest_member_of_a_name_is_found() -> None:
    assert pointer_to("b", {"a": [{"b": 1}], "c/~": {"b": 2}}) == "/c~1~0/b"
    assert pointer_to("z", {"a": []}) is None


def test_every_stated_refusal_of_these_areas_has_code_and_place() -> None:
    for name in ("engines", "aligners", "fast-forward"):
        stated = [case for case in load_cases(areas()[name]) if case.outcome == "raises"]
        assert len(stated) > 20
        for case in stated:
            due = convert(case.refusal, Due, where=case.id)
            assert due.code
            assert due.places, case.id
            assert all(place.startswith("/") for place in due.places), case.id


REFUSED = [cell for cell in select_cells(Selection(areas=("render",), rows=("toy-bpe",))) if cell.case.refusal]


@pytest.mark.parametrize(
    ("edit", "broken"),
    [
        (placing(lambda place: place), set()),
        (placing(lambda _: ""), set()),
        (coded("unprocessable"), {"RND-007"}),
        (placing(lambda _: "/model"), {"RND-007"}),
        (placing(lambda place: f"{place}/7/first/last"), {"RND-007"}),
    ],
    ids=["as it is", "no place", "another reason", "another place", "a place there is not"],
)
def test_a_conversation_is_refused_for_its_reason_at_its_place(edit: Edit, broken: set[str]) -> None:
    assert len(REFUSED) > 10
    assert blamed(judged(Misrefusing("render", edit), REFUSED)) == broken


def read_and_look(data: bytes, folder: str) -> tuple[object, bool]:
    import tempfile

    tempfile.tempdir = folder
    path = Path(folder, "file.pt")
    path.write_bytes(data)
    read = pickle.loads if data == pickled() else lambda _: torch.load(path, weights_only=False)
    return read(data), ran()


@pytest.mark.parametrize("data", [pickled(), archived()], ids=["pickle", "archive"])
def test_a_hostile_file_that_is_run_is_a_projection_and_leaves_a_mark(data: bytes, tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        found = pool.submit(read_and_look, data, str(tmp_path)).result()
    assert found == ({(0, 0): 1.0, (1, 1): 0.5}, True)
    assert [path.name.startswith(MARK) for path in tmp_path.iterdir() if path.name != "file.pt"] == [True]
