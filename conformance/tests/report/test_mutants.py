"""A report that flatters is worse than none: every way to flatter, lose or leak is caught by a named test."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tokenspec.report import page
from tokenspec.verdict import Verdict

sys.path.insert(0, str(Path(__file__).parent))
import test_browser
import test_evidence
import test_jsonl
import test_page
import test_shapes
import test_side_by_side
import test_verbs
from sample_runs import finding
from test_browser import opened  # noqa: F401 - a fixture

for verb in ("render", "report", "run"):
    import_module(f"tokenspec.cli.{verb}")  # verbs import late: one that came after a mutant would keep it
TESTS = [test_browser, test_evidence, test_jsonl, test_page, test_shapes, test_side_by_side, test_verbs]


@dataclass(frozen=True)
class Mutant:
    """One edit of one file, the test that must notice it, and that test's arguments (names in ``fixtures`` are looked up)."""

    file: str
    old: str
    new: str
    killer: Any
    arguments: dict[str, Any] = field(default_factory=dict)
    fixtures: tuple[str, ...] = ()

    @property
    def in_browser(self) -> bool:
        """Whether it takes a browser to see it."""
        return "opened" in self.fixtures


def example(test: Any) -> Any:
    """A property test as a test of one example: searching and shrinking under every mutant would take minutes."""
    return test.hypothesis.inner_test


def speaks(*findings: Any, verdict: Verdict) -> dict[str, Any]:
    return {"findings": list(findings), "speaks": verdict}


def badge_of(*verdicts: Verdict, message: str, colour: str) -> dict[str, Any]:
    return {"verdicts": list(verdicts), "message": message, "colour": colour}


def refused(change: dict[str, Any], says: str) -> dict[str, Any]:
    return {"change": change, "says": says}


t = test_shapes
UNSUPPORTED, FAIL, XFAIL, XPASS = Verdict.UNSUPPORTED, Verdict.FAIL, Verdict.XFAIL, Verdict.XPASS
MUTANTS = {
    # what the page lets in
    "autoescape-off": Mutant("page", "autoescape=True", "autoescape=False", example(test_page.test_no_text_can_break_the_page), {"title": "<img>", "value": "", "label": ""}),
    "data-is-not-escaped": Mutant("page_data", '"<>&\\u2028\\u2029"', '""', test_page.test_a_nasty_case_stays_data),
    "policy-allows-everything": Mutant("page.html", "script-src '{{ script_hash }}'", "script-src 'unsafe-inline'", test_page.test_the_policy_allows_only_our_script_and_style),
    "policy-is-not-enforced": Mutant("page.html", "Content-Security-Policy", "Content-Policy", test_browser.test_the_policy_stops_a_script_that_got_in, {}, ("opened",)),
    "texts-become-markup": Mutant("elements.js", "made.append(...shownOf(children));", "for (const c of shownOf(children)) { if (c.nodeType) made.append(c); else made.innerHTML += c; }", test_browser.test_nothing_of_a_case_runs, {}, ("opened",)),
    "something-is-fetched": Mutant("page.html", "</head>", '<link rel="stylesheet" href="https://example.org/x.css"></head>', test_page.test_nothing_is_fetched_and_no_text_becomes_markup),
    # what flatters
    "unsupported-counts-as-pass": Mutant("tally", "self.counts[Verdict.PASS]", "self.counts[Verdict.PASS] + self.counts[Verdict.UNSUPPORTED]", t.test_unsupported_is_counted_apart),
    "unsupported-is-judged": Mutant("tally", "sum(self.counts.values()) - self.counts[Verdict.UNSUPPORTED]", "sum(self.counts.values())", t.test_unsupported_is_counted_apart),
    "unsupported-hides-a-failure": Mutant("tally", "decided or findings", "findings", t.test_one_finding_speaks_for_a_level, speaks(finding(UNSUPPORTED), finding(Verdict.PASS), verdict=Verdict.PASS)),
    "a-should-hides-a-must": Mutant("tally", "WORST.index(counted_as(finding)))", "WORST.index(finding.verdict))", t.test_one_finding_speaks_for_a_level, speaks(finding(Verdict.ERROR, severity="SHOULD"), finding(FAIL), verdict=FAIL)),
    "a-should-counts": Mutant("tally", 'finding.severity == "MUST" or', "True or", t.test_one_finding_speaks_for_a_level, speaks(finding(FAIL, severity="SHOULD"), verdict=Verdict.PASS)),
    "xpass-of-a-should-is-lost": Mutant("tally", "{Verdict.UNSUPPORTED, Verdict.XPASS}", "{Verdict.UNSUPPORTED}", t.test_one_finding_speaks_for_a_level, speaks(finding(XPASS, severity="SHOULD"), verdict=XPASS)),
    "unsupported-is-exercise": Mutant("tally", "if finding.verdict is not Verdict.UNSUPPORTED:\n                judged", "if True:\n                judged", t.test_what_was_only_unsupported_was_not_exercised),
    "badge-green-of-nothing": Mutant("markdown", '"lightgrey" if not judged else', "", t.test_badges_are_green_only_when_all_judged_pass, badge_of(UNSUPPORTED, message="nothing judged", colour="lightgrey")),
    "badge-green-of-known-failures": Mutant("markdown", '"yellow"', '"brightgreen"', t.test_badges_are_green_only_when_all_judged_pass, badge_of(Verdict.PASS, XFAIL, message="1/2", colour="yellow")),
    "junit-unsupported-passes": Mutant("junit", "{Verdict.UNSUPPORTED, Verdict.XFAIL}", "{Verdict.XFAIL}", t.test_junit_skips_what_is_only_unsupported),
    "junit-xpass-passes": Mutant("junit", ', Verdict.XPASS: "failure"', "", t.test_junit_is_read_by_its_consumers),
    "junit-error-is-failure": Mutant("junit", 'Verdict.ERROR: "error"', 'Verdict.ERROR: "failure"', t.test_junit_is_read_by_its_consumers),
    "junit-holds-anything": Mutant("junit", "return NOT_XML.sub(", "return text or NOT_XML.sub(", example(t.test_junit_holds_any_text_and_only_known_elements), {"text": "\x00", "row": ""}),
    "matrix-judges-unsupported": Mutant("matrix.js", " - one.counts[UNSUPPORTED];", ";", test_browser.test_the_matrix_counts_like_the_terminal, {}, ("opened",)),
    "page-counts-a-should": Mutant("state.js", "return must || verdict", "return true || verdict", test_browser.test_requirements_failures_and_known_failures_have_views, {}, ("opened",)),
    "page-hides-what-was-not-exercised": Mutant("matrix.js", "if (!exercised &&", "if (false &&", test_browser.test_requirements_failures_and_known_failures_have_views, {}, ("opened",)),
    # what is lost
    "footer-is-not-asked-for": Mutant("jsonl", 'footer = _line(path, lines, -1, "footer")', 'footer = {"cells": len(lines) - 2}', test_jsonl.test_foreign_files_are_refused_with_what_to_do, {"content": '{"header": {"format": 2}}\n', "says": "no footer"}, ("tmp_path",)),
    "cells-are-not-counted": Mutant("jsonl", 'if footer.get("cells") != len(results):', "if False:", test_jsonl.test_foreign_files_are_refused_with_what_to_do, {"content": '{"header": {"format": 2}}\n{"footer": {"cells": 3}}\n', "says": "holds 0 cells of 3"}, ("tmp_path",)),
    "cells-are-not-hashed": Mutant("jsonl", 'if footer.get("sha256") != digest.hexdigest():', "if False:", test_jsonl.test_a_changed_verdict_is_noticed, {}, ("tmp_path",)),
    "results-of-nobody-are-taken": Mutant("jsonl", "if name not in known:", "if False:", test_jsonl.test_results_of_nobody_are_refused, {"impl": "other", "area": "render", "says": "column 'other'"}, ("tmp_path",)),
    "any-header-is-taken": Mutant("jsonl", "    check_header(path, head, results)\n", "", test_jsonl.test_a_header_without_its_words_is_refused, {"key": "rows", "value": None}, ("tmp_path",)),
    "details-are-kept-whole": Mutant("page_data", "if self.spent < MOST_DETAILS else SHORT_DETAIL", "if True else SHORT_DETAIL", test_page.test_long_details_are_cut_and_say_so, {}, ("monkeypatch",)),
    "control-characters-reach-the-page": Mutant("page", 'return NOT_HTML.sub("\\ufffd", text)', "return text", example(test_page.test_no_text_can_break_the_page), {"title": "\x00", "value": "", "label": ""}),
    "half-a-report-is-left": Mutant("jsonl", "with open_atomically(path) as stream:", 'with path.open("w") as stream:', test_jsonl.test_an_interrupted_run_leaves_the_old_report, {}, ("tmp_path",)),
    "everything-in-memory": Mutant("jsonl", "for result in results:", "for result in list(results):", test_jsonl.test_results_are_written_as_they_come, {}, ("tmp_path",)),
    "u2028-ends-a-line": Mutant("jsonl", 'path.read_bytes().split(b"\\n")', "[line.encode() for line in path.read_text().splitlines()]", example(test_jsonl.test_what_is_written_is_read_back), {"saved": [], "names": ["a\u2028b"]}, ("tmp_path",)),
    "tokens-are-dropped-silently": Mutant("page_data", "row.append(len(evidence) if number in kept else -1)", "row.append(len(evidence))", test_page.test_a_page_that_is_too_large_drops_tokens_and_says_so, {}, ("monkeypatch",)),
    "first-come-first-kept": Mutant("page_data", "in sorted(ranked):", "in sorted(ranked, key=lambda item: item[1]):", test_page.test_a_page_that_is_too_large_drops_tokens_and_says_so, {}, ("monkeypatch",)),
    # what misleads
    "other-fixtures-combine": Mutant("combine", '("fixtures", "sha256")', '("fixtures", "name")', t.test_runs_that_do_not_belong_together_are_refused, refused({"fixtures": {"version": "2026.1", "sha256": "cd" * 32}}, "other fixtures")),
    "other-suites-combine": Mutant("combine", '("suite", "tokenspec")', '("suite", "name")', t.test_runs_that_do_not_belong_together_are_refused, refused({"suite": {"tokenspec": "2.0"}}, "other suite")),
    "other-oracles-combine": Mutant("combine", 'if first.header["oracle"] != report.header["oracle"]:', "if False:", t.test_runs_that_do_not_belong_together_are_refused, refused({"oracle": "4.9"}, "other oracles")),
    "columns-overwrite": Mutant("combine", "if impl in owner:", "if False:", t.test_runs_that_do_not_belong_together_are_refused, refused({"implementations": {"a": {}}}, "both have the column a")),
    "not-run-is-no-regression": Mutant("compare", "if self.before == Verdict.PASS:", "if self.before == Verdict.PASS and self.after != NOT_RUN:", t.test_every_change_has_a_kind, {"before": "pass", "after": "not run"}),
    "unsupported-is-no-regression": Mutant("compare", "if self.before == Verdict.PASS:", "if self.before == Verdict.PASS and self.after in BROKEN:", t.test_every_change_has_a_kind, {"before": "pass", "after": "unsupported"}),
    "every-column-is-compared": Mutant("compare", "if result.impl in impls", "if True", t.test_compare_finds_what_changed_and_nothing_else),
    "markdown-is-not-escaped": Mutant("markdown", "if character in SPECIAL else", "if False else", example(t.test_no_name_breaks_a_markdown_table), {"name": "|"}),
    "window-at-the-start": Mutant("evidence", "max(0, at - WINDOW), at + WINDOW", "0, 2 * WINDOW", test_evidence.test_long_renderings_are_cut_to_a_window_around_the_difference),
    "owners-do-not-differ": Mutant("evidence", "if want_id != got_id or not same_owner(want, have):", "if want_id != got_id:", test_side_by_side.test_the_first_difference_is_an_id_an_owner_or_an_end),
    "owners-are-not-marked": Mutant("side_by_side", '"=" if same else "o"', '"="', test_side_by_side.test_owners_that_disagree_are_marked),
    "absent-masks-are-scaffold": Mutant("evidence", 'else "scaffold" if known else "unattributed"', 'else "scaffold"', test_evidence.test_masks_that_are_not_given_are_unattributed),
    "lines-at-the-start": Mutant("lines", "start = max(0, at - MOST_LINES // 2)", "start = 0", test_side_by_side.test_long_values_are_cut_around_the_difference),
    "difference-is-not-scrolled-to": Mutant("tokens.js", "if (box) box.scrollTop =", "if (false) box.scrollTop =", test_browser.test_the_first_difference_is_scrolled_to, {}, ("opened",)),
    "no-means-yes": Mutant("filter.js", "!== not;", "!== false;", test_browser.test_the_filter_leaves_what_matches, {"query": "-row:toy", "rows": ["alpha"]}, ("opened",)),
    "theme-button-does-nothing": Mutant("main.js", "document.documentElement.dataset.theme = current()", "document.documentElement.dataset.them = current()", test_browser.test_light_and_dark_follow_the_system_and_the_button, {"scheme": "dark"}, ("opened",)),
    "state-is-not-in-the-address": Mutant("state.js", "if (step) location.hash = hash;", "if (step) history.replaceState(null, '', hash);", test_browser.test_the_address_holds_the_state_and_back_works, {}, ("opened",)),
    # tokenspec render
    "control-characters-are-printed": Mutant("conversation", 'character if character.isprintable() or character == "\\n" else ascii(character)[1:-1]', "character", test_verbs.test_control_characters_do_not_reach_the_terminal, {}, ("tmp_path",)),
    "wrapping-loses-text": Mutant("conversation", "line[start : start + width]", "line[start : start + width - 1]", test_verbs.test_the_printed_text_is_the_rendered_text, {}, ("tmp_path",)),
    "everything-is-sampled": Mutant("conversation", 'kinds.count("sampled")', "len(kinds)", test_verbs.test_a_conversation_in_the_terminal, {}, ("tmp_path",)),
    "generation-prompt-is-forgotten": Mutant("cli.render", "if generation_prompt:", "if False:", test_verbs.test_options_tools_and_the_generation_prompt_reach_the_implementation, {}, ("tmp_path",)),
    "options-are-forgotten": Mutant("cli.render", 'given["options"] = options_of(options)', 'given["options"] = {}', test_verbs.test_options_tools_and_the_generation_prompt_reach_the_implementation, {}, ("tmp_path",)),
    "tools-are-forgotten": Mutant("cli.render", 'given["tools"] = tools_of(tools_file, read_json(tools_file))', "pass", test_verbs.test_options_tools_and_the_generation_prompt_reach_the_implementation, {}, ("tmp_path",)),
}  # fmt: skip


def mutate(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the edited file in the place of the real one, everywhere it is used."""
    if "." in mutant.file and not mutant.file.startswith("cli."):
        text = page.source(mutant.file)
        assert mutant.old in text, "the edited line is gone"
        real = page.source
        edited = text.replace(mutant.old, mutant.new)
        for module in (page, test_page):
            monkeypatch.setattr(module, "source", lambda name: edited if name == mutant.file else real(name))
        return
    name = f"tokenspec.{mutant.file}" if mutant.file.startswith("cli.") else f"tokenspec.report.{mutant.file}"
    module = import_module(name)
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    assert mutant.old in text, "the edited line is gone"
    fresh = ModuleType(name)
    fresh.__dict__.update({"__file__": module.__file__, "__package__": module.__package__})
    monkeypatch.setitem(sys.modules, name, fresh)
    exec(compile(text.replace(mutant.old, mutant.new), str(module.__file__), "exec"), fresh.__dict__)
    replace(module, fresh, monkeypatch)


def replace(module: ModuleType, fresh: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions and constants are exchanged wherever they were imported; classes stay, their methods are exchanged."""
    users = [*TESTS, *(one for name, one in list(sys.modules.items()) if name.startswith("tokenspec."))]
    for key, new in list(vars(fresh).items()):
        old = vars(module).get(key)
        if key.startswith("__") or old is new or old is None:
            continue
        if isinstance(old, type):
            setattr(fresh, key, old)
            for name, method in vars(new).items():
                if callable(method) or isinstance(method, property):
                    swap(old, name, method, monkeypatch)
            continue
        for user in users:
            if vars(user).get(key) is old:
                monkeypatch.setattr(user, key, new)
    for user in users:
        for alias in [key for key, value in vars(user).items() if value is module]:
            monkeypatch.setattr(user, alias, fresh)


def swap(owner: type, name: str, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One method of an ordinary class; structs of msgspec hold no logic that a mutant edits."""
    if not name.startswith("__") and not hasattr(owner, "__struct_fields__"):
        monkeypatch.setattr(owner, name, method)


def run_killer(mutant: Mutant, request: pytest.FixtureRequest) -> None:
    found = {name: request.getfixturevalue(name) for name in mutant.fixtures}
    mutant.killer(**mutant.arguments, **found)


@pytest.mark.parametrize("name", [name for name, mutant in MUTANTS.items() if not mutant.in_browser])
def test_a_report_that_misleads_is_caught(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(MUTANTS[name], monkeypatch)
    with pytest.raises((Exception, pytest.fail.Exception)):
        run_killer(MUTANTS[name], request)


@pytest.mark.browser
@pytest.mark.parametrize("name", [name for name, mutant in MUTANTS.items() if mutant.in_browser])
def test_a_page_that_misleads_is_caught(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_use = request.getfixturevalue("opened")
    mutate(MUTANTS[name], monkeypatch)
    with pytest.raises((Exception, pytest.fail.Exception)):
        run_killer(MUTANTS[name], request)
    in_use.complaints.clear()


@pytest.mark.parametrize("name", [name for name, mutant in MUTANTS.items() if not mutant.in_browser])
def test_an_edit_that_changes_nothing_is_not_caught(
    name: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way mutants are put in place is not what fails: the unedited file in the same place passes."""
    mutant = MUTANTS[name]
    mutate(Mutant(mutant.file, mutant.old, mutant.old, mutant.killer), monkeypatch)
    run_killer(mutant, request)
