"""A report that flatters is worse than none: every way to flatter, mislead, lose or leak is noticed by a named test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.edits import NOTICED, Edit, Weakening, each_of
from tests.page_edits import PageEdit
from tokenspec.verdict import Verdict

sys.path.insert(0, str(Path(__file__).parent))
import test_browser
import test_causes
import test_exhibit
import test_jsonl
import test_labels
import test_matrix
import test_page
import test_shapes
import test_side_by_side
import test_terminal
import test_verbs
from sample_runs import finding
from test_browser import opened  # noqa: F401 - a fixture

pytestmark = pytest.mark.tools

UNSUPPORTED, FAIL, XFAIL, XPASS = Verdict.UNSUPPORTED, Verdict.FAIL, Verdict.XFAIL, Verdict.XPASS
REFUSED = (*NOTICED, SyntaxError)  # a document that parsers of HTML or XML do not take
Test = Callable[..., Any]


def weak(module: str, function: str, find: str, put: str, test: Test, **given: Any) -> Weakening:
    """An edit of a module of the report (or ``cli.render``, ``verdict``), the test that must notice, its arguments."""
    where = f"tokenspec.{module}" if module.startswith(("cli.", "verdict")) else f"tokenspec.report.{module}"
    return Weakening(Edit(where, function, find, put), test, given, REFUSED)


def page(file: str, find: str, put: str, test: Test, **given: Any) -> Weakening:
    """An edit of a file of the page; in a browser a view that never comes counts as noticed."""
    return Weakening(PageEdit(file, find, put), test, given, (*REFUSED, *in_a_browser()))


def in_a_browser() -> tuple[type[BaseException], ...]:
    """What the browser's driver raises where it waits in vain."""
    try:
        from playwright.sync_api import Error
    except ImportError:
        return ()
    return (Error,)


def refused(change: dict[str, Any], says: str, find: str, put: str) -> Weakening:
    """Reports that do not belong together are put together."""
    test = test_shapes.test_runs_that_do_not_belong_together_are_refused
    return weak("combine", "combine", find, put, test, change=change, says=says)


LET_IN = {
    "autoescape-off": weak("page", "page", "jinja2.Environment(autoescape=True, undefined=_, trim_blocks=__)", "jinja2.Environment(autoescape=False, undefined=_, trim_blocks=__)", test_page.test_no_text_can_break_the_page, title="<img>", value="", label=""),
    "data-is-not-escaped": weak("page_data", "as_script", "'<>&\\u2028\\u2029'", "''", test_page.test_a_nasty_case_stays_data),
    "policy-allows-everything": page("page.html", "script-src '{{ script_hash }}'", "script-src 'unsafe-inline'", test_page.test_the_policy_allows_only_our_script_and_style),
    "policy-is-not-enforced": page("page.html", "Content-Security-Policy", "Content-Policy", test_browser.test_the_policy_stops_a_script_that_got_in),
    "texts-become-markup": page("elements.js", "made.append(...shownOf(children));", "for (const c of shownOf(children)) { if (c.nodeType) made.append(c); else made.innerHTML += c; }", test_browser.test_nothing_of_a_case_runs),
    "something-is-fetched": page("page.html", "</head>", '<link rel="stylesheet" href="https://example.org/x.css"></head>', test_page.test_nothing_is_fetched_and_no_text_becomes_markup),
}  # fmt: skip


def speaks(function: str, find: str, put: str, verdict: Verdict, *findings: Any) -> Weakening:
    """Another finding than this one speaks for a level."""
    return weak("verdict", function, find, put, test_shapes.test_one_finding_speaks_for_a_level, findings=list(findings), speaks=verdict)  # fmt: skip


def badge(find: str, put: str, message: str, colour: str, *verdicts: Verdict) -> Weakening:
    """A badge has another colour."""
    return weak("markdown", "badge", find, put, test_shapes.test_badges_are_green_only_when_all_judged_pass, verdicts=list(verdicts), message=message, colour=colour)  # fmt: skip


t = test_shapes
FLATTERS = {
    "unsupported-counts-as-pass": weak("tally", "Tally.passed", "self.counts[Verdict.PASS]", "self.counts[Verdict.PASS] + self.counts[Verdict.UNSUPPORTED]", t.test_unsupported_is_counted_apart),
    "unsupported-is-judged": weak("tally", "Tally.judged", "verdict not in UNCOUNTED", "True", t.test_unsupported_is_counted_apart),
    "disputed-is-judged": weak("tally", "Tally.judged", "UNCOUNTED", "SILENT", t.test_unsupported_is_counted_apart),
    "disputed-passes": weak("standing", "standing", "Verdict.DISAGREE in said", "False", t.test_markdown_shows_all_of_it),
    "unsupported-hides-a-failure": speaks("gravest", "decided or findings", "findings", Verdict.PASS, finding(UNSUPPORTED), finding(Verdict.PASS)),
    "a-should-hides-a-must": speaks("gravest", "WORST.index(counted_as(finding))", "WORST.index(finding.verdict)", FAIL, finding(Verdict.ERROR, severity="SHOULD"), finding(FAIL)),
    "a-should-counts": speaks("counted_as", "finding.severity == 'MUST' or _", "True", Verdict.PASS, finding(FAIL, severity="SHOULD")),
    "xpass-of-a-should-is-lost": speaks("counted_as", "SILENT | {Verdict.XPASS}", "SILENT", XPASS, finding(XPASS, severity="SHOULD")),
    "unsupported-is-exercise": weak("tally", "never_exercised", "finding.verdict not in UNCOUNTED", "True", t.test_what_was_only_unsupported_was_not_exercised),
    "badge-green-of-nothing": badge("'lightgrey' if not judged else _", "_", "nothing judged", "lightgrey", UNSUPPORTED),
    "badge-green-of-known-failures": badge("'yellow'", "'brightgreen'", "1/2", "yellow", Verdict.PASS, XFAIL),
    "junit-unsupported-passes": weak("junit", "case", "UNCOUNTED | {Verdict.XFAIL}", "{Verdict.XFAIL}", t.test_junit_skips_what_is_only_unsupported),
    "junit-xpass-passes": weak("junit", "case", "worst.verdict in BAD", "worst.verdict in BAD and worst.verdict is not Verdict.XPASS", t.test_junit_is_read_by_its_consumers),
    "junit-error-is-failure": weak("junit", "case", "BAD[worst.verdict]", "'failure'", t.test_junit_is_read_by_its_consumers),
    "junit-holds-anything": weak("junit", "legal", "NOT_XML.sub(_, text)", "text", t.test_junit_holds_any_text_and_only_known_elements, text="\x00", row=""),
    "matrix-judges-unsupported": page("matrix.js", "UNCOUNTED.has(verdict) ? sum : sum + count", "sum + count", test_browser.test_the_matrix_counts_like_the_terminal),
    "page-counts-a-should": page("state.js", "return must || SILENT", "return true || SILENT", test_browser.test_requirements_failures_and_known_failures_have_views),
    "page-hides-what-was-not-exercised": page("matrix.js", "if (!exercised &&", "if (false &&", test_browser.test_requirements_failures_and_known_failures_have_views),
}  # fmt: skip
FOREIGN = test_jsonl.test_foreign_files_are_refused_with_what_to_do
LOSES = {
    "footer-is-not-asked-for": weak("jsonl", "read_report", "footer = _line(path, lines, -1, 'footer')", "footer = {'cells': len(lines) - 2}", FOREIGN, content='{"header": {"format": 3}}\n', says="no footer"),
    "cells-are-not-counted": weak("jsonl", "read_report", "footer.get('cells') != len(results)", "False", FOREIGN, content='{"header": {"format": 3}}\n{"footer": {"cells": 3}}\n', says="holds 0 cells of 3"),
    "cells-are-not-hashed": weak("jsonl", "read_report", "footer.get('sha256') != digest.hexdigest()", "False", test_jsonl.test_a_changed_verdict_is_noticed),
    "results-of-nobody-are-taken": weak("jsonl", "check_header", "name not in known", "False", test_jsonl.test_results_of_nobody_are_refused, impl="other", area="render", says="column 'other'"),
    "any-header-is-taken": weak("jsonl", "read_report", "check_header(path, head, results)", "None", test_jsonl.test_a_header_without_its_words_is_refused, key="rows", value=None),
    "details-are-kept-whole": weak("page_data", "Details.number", "_ if self.spent < MOST_DETAILS else __", "_", test_page.test_long_details_are_cut_and_say_so),
    "control-characters-reach-the-page": weak("page", "legal", "NOT_HTML.sub(_, text)", "text", test_page.test_no_text_can_break_the_page, title="\x00", value="", label=""),
    "half-a-report-is-left": weak("jsonl", "save_report", "with open_atomically(path) as stream: ...", "with path.open('w') as stream: ...", test_jsonl.test_an_interrupted_run_leaves_the_old_report),
    "everything-in-memory": weak("jsonl", "save_report", "for result in results: ...", "for result in list(results): ...", test_jsonl.test_results_are_written_as_they_come),
    "u2028-ends-a-line": weak("jsonl", "read_report", "_bytes_of(path).split(b'\\n')", "[line.encode() for line in path.read_text().splitlines()]", test_jsonl.test_what_is_written_is_read_back, saved=[], names=["a\u2028b"], file="run.jsonl"),
    "tokens-are-dropped-silently": weak("page_data", "page_data", "_ if number in kept else -1", "_", test_page.test_a_page_that_is_too_large_drops_tokens_and_says_so),
    "first-come-first-kept": weak("page_data", "worth_keeping", "sorted(ranked)", "sorted(ranked, key=lambda item: item[1])", test_page.test_a_page_that_is_too_large_drops_tokens_and_says_so),
}  # fmt: skip
MISLEADS = {
    "other-fixtures-combine": refused({"fixtures": {"version": "2026.1", "sha256": "cd" * 32}}, "other fixtures", "('fixtures', 'sha256')", "('fixtures', 'name')"),
    "other-suites-combine": refused({"suite": {"tokenspec": "2.0"}}, "other suite", "('suite', 'tokenspec')", "('suite', 'name')"),
    "other-oracles-combine": refused({"oracle": "4.9"}, "other oracles", "first.header['oracle'] != report.header['oracle']", "False"),
    "columns-overwrite": refused({"implementations": {"a": {}}}, "both have the column a", "impl in owner", "False"),
    "not-run-is-no-regression": weak("compare", "Change.kind", "self.before == Verdict.PASS", "self.before == Verdict.PASS and self.after != NOT_RUN", t.test_every_change_has_a_kind, before="pass", after="not run"),
    "unsupported-is-no-regression": weak("compare", "Change.kind", "self.before == Verdict.PASS", "self.before == Verdict.PASS and self.after in BROKEN", t.test_every_change_has_a_kind, before="pass", after="unsupported"),
    "every-column-is-compared": weak("compare", "verdicts", "result.impl in impls", "True", t.test_compare_finds_what_changed_and_nothing_else),
    "markdown-is-not-escaped": weak("markup", "plain", "character in SPECIAL", "False", t.test_no_name_breaks_a_markdown_table, name="|"),
    "window-at-the-start": weak("exhibit", "windows", "(max(0, at - WINDOW), at + WINDOW)", "(0, 2 * WINDOW)", test_exhibit.test_long_renderings_are_cut_to_a_window_around_the_difference),
    "owners-do-not-differ": weak("exhibit", "first_difference", "_ or not same_owner(want, have)", "_", test_side_by_side.test_the_first_difference_is_an_id_an_owner_or_an_end),
    "owners-are-not-marked": weak("side_by_side", "tokens_side_by_side", "'=' if same else 'o'", "'='", test_side_by_side.test_owners_that_disagree_are_marked),
    "absent-masks-are-scaffold": Weakening(Edit("tokenspec.areas.exhibit", "labelled", "'scaffold' if known else 'unattributed'", "'scaffold'"), test_exhibit.test_masks_that_are_not_given_are_unattributed),
    "lines-at-the-start": weak("lines", "cut_lines", "max(0, at - MOST_LINES // 2)", "0", test_side_by_side.test_long_values_are_cut_around_the_difference),
    "difference-is-not-scrolled-to": page("tokens.js", "if (box) box.scrollTop =", "if (false) box.scrollTop =", test_browser.test_the_first_difference_is_scrolled_to),
    "no-means-yes": page("filter.js", "!== not;", "!== false;", test_browser.test_the_filter_leaves_what_matches, query="-row:toy", rows=["alpha"]),
    "theme-button-does-nothing": page("main.js", "document.documentElement.dataset.theme = current()", "document.documentElement.dataset.them = current()", test_browser.test_light_and_dark_follow_the_system_and_the_button, scheme="dark"),
    "state-is-not-in-the-address": page("state.js", "if (step) location.hash = hash;", "if (step) history.replaceState(null, '', hash);", test_browser.test_the_address_holds_the_state_and_back_works),
}  # fmt: skip
OPTIONS = test_verbs.test_options_tools_and_the_generation_prompt_reach_the_implementation
RENDERS = {
    "control-characters-are-printed": weak("conversation", "escaped", "_ if character.isprintable() or __ else ___", "_", test_verbs.test_control_characters_do_not_reach_the_terminal),
    "wrapping-loses-text": weak("conversation", "wrapped", "line[start : start + width]", "line[start : start + width - 1]", test_verbs.test_the_printed_text_is_the_rendered_text),
    "everything-is-sampled": weak("conversation", "shares", "kinds.count('sampled')", "len(kinds)", test_verbs.test_a_conversation_in_the_terminal),
    "generation-prompt-is-forgotten": weak("cli.render", "render", "if generation_prompt: ...", "pass", OPTIONS),
    "options-are-forgotten": weak("cli.render", "render", "options_of(options)", "{}", OPTIONS),
    "tools-are-forgotten": weak("cli.render", "render", "given['tools'] = _", "pass", OPTIONS),
}  # fmt: skip
MOST_FIRST = test_causes.test_the_most_frequent_cause_of_a_column_comes_first
SMALLEST = test_causes.test_the_smallest_case_has_the_fewest_characters_then_the_shortest_detail
AT_MOST = test_terminal.test_a_column_has_at_most_twenty_causes_and_a_word_about_the_rest
LAST = test_terminal.test_the_matrix_comes_last_with_what_it_adds_up_to
WHOLE = test_matrix.test_no_figure_of_the_matrix_is_cut_at_any_width
UNREADABLE = {
    "every-detail-is-a-cause": weak("causes", "name_of", "f'{_} {finding.cause}'", "f'{_} {finding.detail}'", test_causes.test_failures_of_one_cause_are_one_entry_whatever_their_details),
    "every-check-is-a-failure-of-an-error": weak("causes", "name_of", "{Verdict.ERROR, Verdict.REJECTED, Verdict.DISAGREE}", "{Verdict.DISAGREE}", test_causes.test_what_gave_no_answer_is_one_failure_and_not_one_of_every_check, found=finding(Verdict.ERROR, "KeyError"), said="KeyError"),
    "least-frequent-first": weak("causes", "causes_of", "-len(cause.cells)", "len(cause.cells)", MOST_FIRST),
    "causes-as-they-came": weak("causes", "causes_of", "(order[cause.impl], -len(cause.cells))", "order[cause.impl]", MOST_FIRST),
    "columns-are-mixed": weak("causes", "causes_of", "(order[cause.impl], -len(cause.cells))", "-len(cause.cells)", MOST_FIRST),
    "columns-share-causes": weak("causes", "causes_of", "(result.impl, said)", "('', said)", MOST_FIRST),
    "the-first-case-for-the-smallest": weak("causes", "Cause.smallest", "sizes.get(pair[0].case, 0)", "0", SMALLEST),
    "the-longest-detail": weak("causes", "Cause.smallest", "len(pair[1].detail)", "-len(pair[1].detail)", SMALLEST),
    "passes-are-causes": weak("causes", "causes_of", "finding.verdict in of", "True", test_causes.test_causes_are_of_what_is_broken_unless_asked_otherwise),
    "every-cause-is-printed": weak("terminal", "print_failures", "causes[:most]", "causes", AT_MOST, causes=21, rest="  ... and 1 more cause; tokenspec run --show-all"),
    "the-rest-is-not-spoken-of": weak("terminal", "print_failures", "len(causes) > most", "False", AT_MOST, causes=21, rest="  ... and 1 more cause; tokenspec run --show-all"),
    "columns-share-the-twenty": weak("terminal", "print_failures", "by_column.setdefault(cause.impl, []).append(cause)", "by_column.setdefault('mine', []).append(cause)", AT_MOST, causes=20, rest=None),
    "brief-is-long": weak("terminal", "print_failures", "impl in brief", "False", test_terminal.test_a_column_beside_the_gate_has_the_command_alone),
    "the-matrix-comes-first": weak("cli.run", "print_run", "print_times(console, results)", "(print_matrix(console, results, named, {}), print_times(console, results))", LAST, show_all=False),
    "figures-are-cut": weak("matrix", "beside_each_other", "not sides or width > left", "not sides", WHOLE, width=100),
    "row-names-take-no-room": weak("matrix", "print_matrix", "console.width - AROUND - _", "console.width - AROUND", WHOLE, width=80),
    "names-are-markup": weak("matrix", "_head", "Text('\\n'.join(lines))", "Text.from_markup('\\n'.join(lines))", test_matrix.test_names_are_no_markup, label="[bold]x[/]"),
    "a-name-of-two": weak("labels", "labels", "often[label] == 1", "True", test_labels.test_a_label_is_what_a_column_says_it_is_where_no_other_says_so, given={"a:B": "same", "c:D": "same"}, called=["a:B", "c:D"]),
    "a-registered-name-is-lost": weak("labels", "labels", "':' in impl", "True", test_labels.test_a_label_is_what_a_column_says_it_is_where_no_other_says_so, given={"reference": "other"}, called=["reference"]),
}  # fmt: skip
WEAKENINGS = {**LET_IN, **FLATTERS, **LOSES, **MISLEADS, **RENDERS, **UNREADABLE}


@each_of(WEAKENINGS)
def test_a_report_that_misleads_is_noticed(weakening: Weakening, request: pytest.FixtureRequest) -> None:
    weakening.must_be_noticed(request)
    if "opened" in weakening.fixtures:
        request.getfixturevalue("opened").complaints.clear()


@each_of(WEAKENINGS)
def test_an_edit_that_changes_nothing_is_not_noticed(weakening: Weakening, request: pytest.FixtureRequest) -> None:
    weakening.must_pass_without(request)
