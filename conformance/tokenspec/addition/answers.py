"""Does the oracle repeat itself? All cases of a candidate row, asked in processes with other hash seeds and dates.

Run as a program it is one such process: ``python -m tokenspec.addition.answers ROW.toml FOLDER`` prints, per case and
date, a hash of text and ids or the class of the refusal, as one JSON object.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tokenspec.guard.state import arm_worker, left_behind
from tokenspec.models.errors import BuildError

if TYPE_CHECKING:
    from tokenspec.models.rows import Row

SEEDS = ("1", "2")
DATES = ("2024-07-26", "2025-01-03")
Answers = dict[str, list[str]]


def answers(row: Row) -> Answers:
    """Per render case one answer a date."""
    from tokenspec.areas import areas
    from tokenspec.areas.render.records import RenderInput
    from tokenspec.areas.selection import load_cases, rows_of
    from tokenspec.oracle.clock import FROZEN, OTHER
    from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options
    from tokenspec.store.canonical import convert

    area = areas()["render"]
    found: Answers = {}
    for case in load_cases(area):
        if not rows_of(area, case, [row.spec]):
            continue
        given = convert(case.input, RenderInput, where=f"{case.id}: input")
        found[case.id] = []
        for moment in (FROZEN, OTHER):
            oracle, options = TransformersOracle(row, moment), effective_options(row, given.options)
            try:
                text = oracle.text(given.messages, given.tools, options)
                ids = oracle.token_ids(given.messages, given.tools, options)
            except OracleRefuses as refusal:
                found[case.id].append(f"refused: {refusal.kind}")
                continue
            found[case.id].append(hashlib.sha256(json.dumps([text, ids]).encode()).hexdigest())
    return found


def ask(row_file: Path, folder: Path, seed: str) -> Answers:
    """The answers of a fresh process with this hash seed."""
    command = [sys.executable, "-W", "ignore", "-m", __name__, str(row_file), str(folder)]
    environment = {**os.environ, "PYTHONHASHSEED": seed, "HF_HUB_OFFLINE": "1"}
    with subprocess.Popen(  # noqa: S603
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
    ) as asked:
        said, trouble = asked.communicate()
    if asked.returncode:
        last = (trouble.strip().splitlines() or ["it says nothing"])[-1]
        raise left_behind(asked.pid) or BuildError(f"transformers broke on this model in a process of its own: {last}")
    return {case: list(given) for case, given in json.loads(said).items()}


def instabilities(row_file: Path, folder: Path, *, date: bool) -> list[str]:
    """Why no golden may be made of this row: answers that differ between processes, or with an undeclared date."""
    one, other = (ask(row_file, folder, seed) for seed in SEEDS)
    reasons = []
    unrepeated = [case for case in one if one[case] != other[case]]
    if unrepeated:
        reasons.append(
            f"two processes with PYTHONHASHSEED {' and '.join(SEEDS)} give different text or ids in {len(unrepeated)} "
            f"of {len(one)} cases, first {unrepeated[0]}: the template prints what is no function of its input"
        )
    dated = [case for case in one if len(set(one[case])) > 1 and case not in unrepeated]
    if dated and not date:
        reasons.append(
            f"the text depends on today's date in {len(dated)} of {len(one)} cases, first {dated[0]} "
            f"({' and '.join(DATES)} differ); where that is right: tokenspec models add --accept date"
        )
    return reasons


def _main(row_file: str, folder: str) -> None:
    import tomllib

    import msgspec

    arm_worker()
    from tokenspec.models.rows import Row
    from tokenspec.models.spec import RowSpec

    spec = msgspec.convert(tomllib.loads(Path(row_file).read_text(encoding="utf-8")), RowSpec)
    json.dump(answers(Row(spec, Path(folder))), sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
