"""A list that forgives is worse than none: every way to forgive is noticed by the table of scenarios."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.edits import Edit, Weakening, each_of
from tokenspec import known_failures

sys.path.insert(0, str(Path(__file__).parent))
from listed_runs import SCENARIOS, run_scenario, run_writing


def battery() -> None:
    for scenario in SCENARIOS:
        run_scenario(known_failures, scenario)
    run_writing(known_failures)


def weak(module: str, function: str, find: str, put: str) -> Weakening:
    return Weakening(Edit(f"tokenspec.known_failures.{module}", function, find, put), battery)


OF = "Ledger.complaints_of"
WEAKENINGS = {
    # entries that no longer hold
    "stale-entry-ignored": weak("judging", OF, "not can_run(entry)", "False"),
    "unselected-entry-is-stale": weak("judging", OF, "not can_run(entry)", "True"),
    "xpass-ignored": weak("judging", OF, "self.met(entry, Sighting.PASSES)", "[]"),
    "xpass-stays-pass": weak("judging", "_meet", "(Verdict.XPASS, _)", "(Verdict.PASS, _)"),
    "wrong-class-accepted": weak("judging", "_meet", "_ == entry.failure.class_", "_ in WRONG"),
    "wrong-class-not-told": weak("judging", OF, "self.met(entry, Sighting.WRONG_CLASS)", "[]"),
    "unsupported-counts-as-listed": weak("judging", "_meet", "_ if missing else Sighting.UNSUPPORTED", "_ if missing else Sighting.AS_LISTED"),
    "unsupported-is-forgotten": weak("judging", OF, "(Sighting.UNSUPPORTED, Sighting.NOT_JUDGED)", "(Sighting.NOT_JUDGED,)"),
    "never-judged-is-forgotten": weak("judging", OF, "(Sighting.UNSUPPORTED, Sighting.NOT_JUDGED)", "(Sighting.UNSUPPORTED,)"),
    "missing-files-are-stale": weak("judging", "_not_at_hand", "'assets missing' in finding.detail or _ or __", "_ or __"),
    "one-passing-check-is-enough": weak("judging", "_meet", "not broken", "len(broken) < len(decided)"),
    # patterns and versions that match more or less than they say
    "character-classes": weak("entries", "pattern", "re.compile(_, re.DOTALL)", "re.compile(__import__('fnmatch').translate(text))"),
    "patterns-are-regular-expressions": weak("entries", "pattern", "map(re.escape, _)", "map(str, _)"),
    "prefixes-match": weak("judging", "_groups", "entry.name_pattern.fullmatch", "entry.name_pattern.match"),
    "cases-match-anywhere": weak("entries", "Entry.covers", "self.case_pattern.fullmatch", "self.case_pattern.search"),
    "row-ignored": weak("entries", "Entry.covers", "_ and self.row_pattern.fullmatch(row)", "_"),
    "versions-ignored": weak("entries", "_holds", "SpecifierSet(wanted).contains(_, prereleases=True)", "True"),
    "pre-releases-left-out": weak("entries", "_holds", "SpecifierSet(wanted).contains(_, prereleases=True)", "SpecifierSet(wanted).contains(_, prereleases=False)"),
    "absent-transformers-holds": weak("entries", "_holds", "return False", "return True"),
    # a list written anew that forgives what the old one did not
    "reasons-are-not-asked-for": weak("writing", "rewrite", "unexplained and _", "False"),
    "reasons-are-not-inherited": weak("writing", "rewrite", "_speaks_of(entry, failure, result)", "not _speaks_of(entry, failure, result)"),
    "stale-entries-are-kept": weak("writing", "rewrite", "entry.number not in dropped", "True"),
    "unselected-entries-are-dropped": weak("writing", "rewrite", "ledger.complaints_of(entry)", "True"),
    "unsorted": weak("writing", "rewrite", "sorted(_, key=_order)", "sorted(_, key=lambda failure: failure.reason)"),
}  # fmt: skip


@each_of(WEAKENINGS)
def test_every_way_to_forgive_is_noticed(weakening: Weakening, request: pytest.FixtureRequest) -> None:
    weakening.must_be_noticed(request)


@each_of(WEAKENINGS)
def test_an_edit_that_changes_nothing_is_not_noticed(weakening: Weakening, request: pytest.FixtureRequest) -> None:
    weakening.must_pass_without(request)
