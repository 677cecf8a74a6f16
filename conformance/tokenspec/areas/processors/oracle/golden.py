"""The golden of a script: its answers by the stateless oracle, or the refusal that the specification states."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.area import NO_ROW
from tokenspec.areas.processors.oracle.scripts import expected_answers
from tokenspec.store.canonical import input_sha256
from tokenspec.store.records import Case, Golden

RULE = "each step from the whole script before it"


def script_golden(case: Case) -> Golden:
    """What is to be answered, or how it is to be refused."""
    if case.refusal is not None:
        code, expect = case.refusal["code"], {"refusal": case.refusal}
        return _golden(case, {"stated": case.source or ""}, code, expect)
    return _golden(case, {"rule": RULE}, None, {"steps": expected_answers(case.input)})


def _golden(case: Case, oracle: dict[str, str], error: str | None, expect: dict[str, Any]) -> Golden:
    return Golden(
        case=case.id,
        row=NO_ROW,
        input_sha256=input_sha256(case.input),
        pins={},
        oracle=oracle,
        outcome="ok" if error is None else "raises",
        error=error,
        expect=expect,
    )
