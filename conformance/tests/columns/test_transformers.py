"""The column ``transformers`` spends its time on renders: its version is looked up once, which takes longer than one."""

from __future__ import annotations

import pytest

from tokenspec.adapters.in_process import InProcess
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.columns import installed_version, transformers
from tokenspec.runner import Run, run_all
from tokenspec.verdict import Verdict

CHOSEN = (
    Selection(cases=("render/role-user", "render/unicode-cjk"), rows=("toy-bpe", "toy-ranks")),
    Selection(cases=("template-engine/bounded-fits-text-times-edge",)),
    Selection(cases=("processors/after-tree",)),
)


def test_its_version_is_looked_up_once_whatever_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(package: str) -> str | None:
        asked.append(package)
        return installed_version(package)

    monkeypatch.setattr(transformers, "installed_version", counted)
    cells = [cell for chosen in CHOSEN for cell in select_cells(chosen)]
    column = InProcess("transformers", transformers.TransformersColumn())
    found = run_all(Run([column], cells, 60.0))
    rendered = [result for result in found if result.area == "render"]
    assert {result.area for result in found} == {"render", "template-engine", "processors"}
    assert len(rendered) == 4
    assert all(any(one.verdict is Verdict.PASS for one in result.findings) for result in rendered)
    assert asked == ["transformers"]
