"""A run as JUnit XML, which continuous-integration servers read: a suite per implementation and area, a test a cell.

Only elements and attributes that all of them know are used: ``skipped`` with its message for what is unsupported,
known to fail, or what sources disagree on, so that none is taken for a pass.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from tokenspec.report.causes import WARNED, cells_with_warnings
from tokenspec.report.jsonl import Report
from tokenspec.report.sample import sample_in
from tokenspec.report.slow import too_slow
from tokenspec.verdict import UNCOUNTED, CellResult, Finding, Verdict, by_level, gravest, judgement

BAD = {Verdict.FAIL: "failure", Verdict.REJECTED: "failure", Verdict.XPASS: "failure", Verdict.ERROR: "error"}
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """The whole document."""
    root = ET.Element("testsuites", name="tokenspec")
    suites: dict[tuple[str, str], list[CellResult]] = {}
    for result in report.results:
        suites.setdefault((result.impl, result.area), []).append(result)
    for (impl, area), results in suites.items():
        root.append(suite(report, impl, area, results))
    for total in ("tests", "failures", "errors"):
        root.set(total, str(sum(int(one.get(total, "0")) for one in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def warned_of(result: CellResult) -> list[Finding]:
    """What SHOULD be so and is not on a cell."""
    return [finding for finding in result.findings if finding.verdict in WARNED]


def suite(report: Report, impl: str, area: str, results: list[CellResult]) -> ET.Element:
    """One implementation in one area."""
    cases = [case(result) for result in results]
    made = ET.Element("testsuite", name=legal(f"{impl} {area}"), tests=str(len(cases)))
    for tag, total in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        made.set(total, str(sum(one.find(tag) is not None for one in cases)))
    made.set("time", f"{sum(result.seconds for result in results):.6f}")
    properties = ET.SubElement(made, "properties")
    info = report.header["implementations"].get(impl, {})
    known = {**{f"impl.{key}": value for key, value in info.items()}, **report.header["suite"]}
    known["fixtures"] = report.header["fixtures"]["version"]
    if warned := cells_with_warnings(results):
        known["warnings"] = str(warned)
    if (sample := sample_in(report.header)) is not None:
        known["sample"] = sample.said
    for name, value in known.items():
        ET.SubElement(properties, "property", name=legal(name), value=legal(str(value)))
    for name, said in too_slow(results).items():
        ET.SubElement(properties, "property", name="tokenspec.slow", value=legal(f"{name}: {said}"))
    made.extend(cases)
    return made


def case(result: CellResult) -> ET.Element:
    """One cell: its worst verdict that counts; every broken check is in the text, with the command that repeats it."""
    made = ET.Element(
        "testcase",
        classname=legal(f"{result.impl}.{result.area}.{result.row}"),
        name=legal(result.case.split("/", 1)[1]),
        time=f"{result.seconds:.6f}",
    )
    if not result.findings:
        ET.SubElement(made, "skipped", message="no check looks at this cell")
        return made
    levels = [judgement(findings) for findings in by_level(result.findings).values()]
    worst = gravest(levels)
    if worst.verdict in BAD:
        broken = [finding for finding in result.findings if finding.verdict in BAD]
        child = ET.SubElement(made, BAD[worst.verdict], message=legal(head(worst)), type=kind(worst))
        child.text = legal("\n\n".join(map(told, broken)) + f"\n\nagain: {result.again}\n")
    elif worst.verdict in UNCOUNTED | {Verdict.XFAIL}:
        ET.SubElement(made, "skipped", message=legal(f"{worst.verdict}: {worst.detail}"))
    if warned := warned_of(result):
        ET.SubElement(made, "system-out").text = legal("\n\n".join(map(told, warned)) + f"\n\nagain: {result.again}\n")
    return made


def kind(finding: Finding) -> str:
    """The type of a failure: its check, or ``slow`` for a call that no check could judge."""
    return "slow" if finding.slow else legal(finding.check)


def head(finding: Finding) -> str:
    """``RND-010 the ids differ from the oracle's``."""
    first = finding.detail.split("\n", 1)[0]
    return first if finding.slow else f"{'/'.join(finding.requires)} {first}"


def told(finding: Finding) -> str:
    """One broken check in full."""
    return f"{finding.verdict.upper()} {finding.check} ({', '.join(finding.requires)})\n{finding.detail}"


def legal(text: str) -> str:
    r"""The text without the characters XML cannot hold, which are written as ``\x00``."""
    return NOT_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
