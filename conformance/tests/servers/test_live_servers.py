"""Servers of others as implementations: what they serve, what is judged, and what becomes of a run when one dies."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from tokenspec.adapters.addresses import TOKEN, Askable
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.errors import AdapterError
from tokenspec.report.jsonl import read_report
from tokenspec.report.standing import standing
from tokenspec.runner import Run
from tokenspec.verdict import Verdict, by_level, judgement

pytestmark = pytest.mark.servers
ROW = "toy-bpe"
SOUND = ("render/role-user", "render/role-user-generation", "render/role-system-five-turns", "render/schema-one-tool")
DIES_AFTER = 20
TOO_SLOW = {"stream/hermes-digits", "stream/hermes-depth"}
"""Cases with a value of thousands of characters: vLLM's stream parser takes over two minutes for one."""


def tokenspec(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tokenspec", *words], capture_output=True, text=True, check=False)


def run(server, *words: str) -> subprocess.CompletedProcess[str]:
    return tokenspec("run", "--impl", server.address, *words)


def judged(server, area: str, dialect: str = "auto") -> dict[str, list[Verdict]]:
    """The verdicts of one area by level."""
    column = resolve(server.address, Askable(dialect))
    cells = select_cells(Selection(areas=(area,), rows=(ROW,)))
    found: dict[str, list[Verdict]] = {}
    for result in Run([column], cells):
        if result.slow and result.case in TOO_SLOW:
            continue
        for level, findings in by_level(result.findings).items():
            found.setdefault(level, []).append(judgement(findings).verdict)
    column.close()
    return found


def share(verdicts: list[Verdict]) -> float:
    said = [verdict for verdict in verdicts if verdict not in {Verdict.UNSUPPORTED, Verdict.INCOMPARABLE}]
    return said.count(Verdict.PASS) / len(said)


def cases(names: tuple[str, ...]) -> list[str]:
    return [word for name in names for word in ("--case", name)]


@pytest.mark.parametrize(("fixture", "dialect"), [("llama", "llama-server"), ("vllm", "vllm")])
def test_conversations_are_judged(fixture: str, dialect: str, request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue(fixture)
    done = run(server, "--row", ROW, *cases(SOUND), "--dialect", dialect)
    assert (done.returncode, f"{dialect}: conformant on all 4 cells" in done.stdout) == (0, True), done.stdout
    verdicts = judged(server, "render")
    assert Verdict.ERROR not in verdicts["TEXT"]
    assert share(verdicts["TEXT"]) > 0.8
    assert set(verdicts["IDS"]) <= {Verdict.PASS, Verdict.UNSUPPORTED, Verdict.INCOMPARABLE, Verdict.FAIL}
    assert share(verdicts["IDS"]) == 1.0


@pytest.mark.parametrize(("area", "level"), [("parse", "CALLS"), ("stream", "DELTAS")])
def test_vllms_parsers_are_judged(area: str, level: str, vllm) -> None:
    verdicts = judged(vllm, area)
    assert not any(Verdict.ERROR in said for said in verdicts.values())
    assert share(verdicts[level]) > 0.5


@pytest.mark.parametrize("fixture", ["llama", "vllm"])
def test_another_row_is_not_judged(fixture: str, request: pytest.FixtureRequest) -> None:
    done = run(request.getfixturevalue(fixture), "--row", "toy-added", "--case", "render/role-user")
    assert done.returncode == 1
    assert "serves another chat template" in done.stdout
    assert "nothing judged" in done.stdout


def test_a_server_that_tells_no_ids_is_named(transformers_serve) -> None:
    done = run(transformers_serve, "--row", ROW, "--case", "render/role-user")
    assert done.returncode == 1
    assert "transformers serve says how many ids a prompt has" in " ".join(done.stdout.split())


def test_a_server_of_another_kind_than_said(llama) -> None:
    """Its answers are no answers of the dialect: nothing passes, and nothing is said to fail."""
    done = run(llama, "--row", ROW, "--case", "render/role-user", "--dialect", "vllm")
    assert done.returncode == 1
    assert "nothing judged" in done.stdout


def test_what_was_judged_is_kept_when_it_dies(mortal_llama, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AdapterError, match=f"answered 401: .* {TOKEN}"):
        resolve(mortal_llama.address)
    monkeypatch.setenv(TOKEN, mortal_llama.key)
    column = resolve(mortal_llama.address)
    judging = iter(Run([column], select_cells(Selection(areas=("render",), rows=(ROW,), cases=("render/role-",)))))
    before = list(itertools.islice(judging, DIES_AFTER))
    mortal_llama.process.kill()
    mortal_llama.process.wait()
    after = list(judging)
    assert all(finding.verdict is not Verdict.ERROR for result in before for finding in result.findings)
    assert any("--no-prefill-assistant" in finding.detail for result in before for finding in result.findings)
    findings = [finding for result in after for finding in result.findings]
    assert {finding.verdict for finding in findings} <= {Verdict.ERROR, Verdict.UNSUPPORTED}
    said = list(dict.fromkeys(finding.detail for finding in findings if finding.verdict is Verdict.ERROR))
    assert mortal_llama.address in said[0]
    assert said[-1].startswith(f"{mortal_llama.address} was silent 3 times in a row and is not asked again")
    stand = standing([*before[:1], *after])
    assert (stand.code, stand.said) == (3, "adapter errors")
    done = run(mortal_llama, "--row", ROW, "--case", "render/role-user")
    assert (done.returncode, "no answer from" in done.stderr) == (3, True)


def test_a_report_of_a_server(llama, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    run(llama, "--row", ROW, *cases(SOUND), "--report", str(report))
    header = read_report(report).header
    assert header["implementations"][llama.address]["name"] == "llama-server"
    assert header["implementations"][llama.address]["form of render"] == "arguments=string, clock=own"
