"""The page in a real browser, opened from disk: what people click, and what must never run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from tokenspec.datasets.looking import Shown
from tokenspec.datasets.outcome import Example, Outcome
from tokenspec.datasets.page import audit_page
from tokenspec.report.jsonl import Report
from tokenspec.report.page import page, write_page
from tokenspec.report.tried import Answer, Tried, tried_data
from tokenspec.verdict import Verdict
from tokenspec_reference.preparation import CODES

sys.path.insert(0, str(Path(__file__).parent))
from sample_runs import NASTY, NASTY_EVIDENCE, cell, every_verdict, finding, header, tokens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
Open = Any


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a report from disk and fails on a console message, an error, a dialog or a request."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def open_report(
        shown: Report | str, at: str = "", *, width: int = 1300, scheme: str = "light", script: bool = True
    ) -> Page:
        path = tmp_path / "a report.html"
        if isinstance(shown, Report):
            write_page(path, shown)
        else:
            path.write_text(shown, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        allowed = path.as_uri()
        page.on("request", lambda r: None if r.url.split("#")[0] == allowed else complaints.append(f"request: {r.url}"))
        page.goto(f"{allowed}#{at}")
        return page

    open_report.complaints = complaints
    yield open_report
    for context in contexts:
        context.close()
    assert complaints == []


def texts(page: Page, selector: str) -> list[str]:
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def test_the_matrix_counts_like_the_terminal(opened: Open) -> None:
    page = opened(every_verdict())
    assert page.title() == "tokenspec: mine, other"
    assert texts(page, "#implementations .said") == [
        "not conformant, judged on all 11 cells (sources disagree on 1), 1 with a warning",
        "conformant on all 9 cells, nothing of IDS",
    ]
    rows = texts(page, ".matrix tbody tr:not(.section)")
    # alpha: pass, error, unsupported, xpass, sources disagree, nasty fail and a warning; toy: fail, rejected, xfail
    assert [row.split() for row in rows] == [
        ["alpha", "7", "2/5", "≠1", "5", "–"],
        ["toy", "4", "0/3", "x1", "4", "–"],
    ]
    assert "transformers" in page.locator("#facts").inner_text()
    assert "2026.1 (abababababab)" in page.locator("#facts").inner_text()


def test_from_a_cell_to_its_cases_to_the_tokens(opened: Open) -> None:
    page = opened(every_verdict())
    page.get_by_role("button", name="alpha, mine, IDS").click()
    listed = texts(page, "#cases .case b")
    assert len(listed) == 7
    assert texts(page, "#cases .case .badge")[:2] == ["error", "fail"]
    page.locator("#cases .case", has_text="render/nasty").click()
    assert page.locator("#case-title").inner_text().endswith("render/nasty")
    assert page.locator("dialog .pane h3").all_inner_texts() == ["expected 4 tokens", "got 4 tokens"]
    assert page.locator("dialog .pane").nth(1).locator(".k-sampled").count() == 1
    assert page.locator("dialog .text .first").all_inner_texts() == ["hello", "</script>"]
    assert page.locator("dialog .text .first").first.is_visible()
    assert page.locator("dialog .again code").inner_text() == (
        "tokenspec run --impl mine --case render/nasty --row alpha"
    )
    page.locator("dialog .requirement summary").first.click()
    assert page.locator("dialog .requirement .norm").first.inner_text().startswith("<script>")
    page.get_by_role("button", name="table", exact=True).click()
    assert page.locator("dialog .tokens tr.differs").count() == 2
    assert texts(page, "dialog .tokens tr.differs td:nth-child(2)") == ["≠", "owner"]


def test_nothing_of_a_case_runs(opened: Open) -> None:
    page = opened(every_verdict(), "case=render/nasty&on=alpha&by=mine")
    assert page.locator("dialog .finding pre").first.inner_text().startswith("<script>document.title")
    page.locator("dialog summary", has_text="Input").click()
    assert "onerror" in page.locator("dialog details[open] pre").inner_text()
    for view in ("matrix", "requirements", "failures", "known"):
        page.evaluate("view => { location.hash = 'view=' + view + '&q=nasty'; }", view)
        page.wait_for_timeout(50)
    assert page.evaluate("window.ran") is None
    assert page.title().startswith("tokenspec")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


def test_the_policy_stops_a_script_that_got_in(opened: Open) -> None:
    """Even with escaping broken nothing runs: the browser refuses what the policy does not name."""
    page = opened(every_verdict())
    ran = page.evaluate(
        "() => new Promise((done) => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.addEventListener('securitypolicyviolation', () => done(window.ran ?? 'refused'));"
        " document.body.append(s); setTimeout(() => done(window.ran ?? 'silent'), 500); })"
    )
    assert ran == "refused"
    (complaint,) = opened.complaints
    assert "Content Security Policy" in complaint
    opened.complaints.clear()


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("", ["alpha", "toy"]),
        ("row:toy", ["toy"]),
        ("-row:toy", ["alpha"]),
        ("case:nasty", ["alpha"]),
        ("req:RND-090", ["alpha"]),
        ("verdict:xfail", ["toy"]),
        ('text:"said rejected"', ["toy"]),
        ("impl:other said", []),
        ("no such thing", []),
    ],
)
def test_the_filter_leaves_what_matches(opened: Open, query: str, rows: list[str]) -> None:
    page = opened(every_verdict())
    page.locator("#filter").fill(query)
    page.wait_for_timeout(250)
    assert texts(page, ".matrix tbody tr:not(.section) th") == rows
    if query:
        assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('q')") == query
    if not rows:
        page.get_by_role("button", name="clear the filter").click()
        assert len(texts(page, ".matrix tbody tr:not(.section) th")) == 2


def test_verdict_buttons_choose_rows_and_cases(opened: Open) -> None:
    page = opened(every_verdict())
    page.locator('.chip[data-verdict="xfail"]').click()
    assert texts(page, ".matrix tbody tr:not(.section) th") == ["toy"]
    page.get_by_role("button", name="toy, mine, IDS").click()
    assert texts(page, "#cases .case .badge") == ["xfail"]
    page.locator('.chip[data-verdict="xfail"]').click()
    assert len(texts(page, "#cases .case")) == 4


def test_requirements_failures_and_known_failures_have_views(opened: Open) -> None:
    report = every_verdict()
    report.header["known_failures"] = [
        {"impl": "mine", "file": "known.toml", "entries": 2, "in_force": 1, "complaints": ["known.toml:3: passes"]}
    ]
    page = opened(report)
    page.get_by_role("button", name="Requirements").click()
    table = texts(page, ".requirements tbody tr")
    assert [row.split()[-1] for row in table] == ["9", "exercised", "exercised"]
    assert page.get_by_role("button", name="RND-090, mine").inner_text() == "1"
    assert page.locator(".missing").count() == 2
    page.locator("#missing summary").click()
    assert texts(page, "#missing li") == ["other: RND-010, RND-090"]
    page.get_by_role("button", name="RND-010, mine").click()
    assert len(texts(page, "#cases .case")) == 10
    page.get_by_role("button", name="Failures", exact=True).click()
    assert {"fail", "error", "rejected", "xpass", "warning"} == set(texts(page, ".kinds .badge"))
    page.locator(".kinds .case", has_text="render.wish").click()
    assert texts(page, "#cases .case b") == ["render/wish"]
    page.get_by_role("button", name="Known failures").click()
    assert texts(page, ".complaints li") == ["known.toml:3: passes"]
    assert texts(page, ".cases .badge") == ["xpass", "xfail"]


def test_a_column_is_called_by_its_label_in_every_view(opened: Open) -> None:
    given = "wrong:Wrong"
    head = header(given)
    head["implementations"][given]["name"] = "said"
    head["known_failures"] = [{"impl": given, "file": "known.toml", "entries": 1, "in_force": 1, "complaints": []}]
    page = opened(Report(head, [cell(finding(Verdict.FAIL), impl=given)]), f"impl={given}&row=alpha")
    page.locator("#missing summary").click()
    assert page.locator("#cases .bar .dim").inner_text() == "alpha · said"
    for view in ("Rows", "Requirements", "Failures", "Known failures"):
        page.get_by_role("button", name=view, exact=True).click()
        shown = page.locator("body").inner_text()
        assert "said" in shown
        assert given not in shown
        assert page.locator(f'[aria-label*="{given}"]').count() == 0


def test_the_address_holds_the_state_and_back_works(opened: Open) -> None:
    page = opened(every_verdict())
    page.get_by_role("button", name="alpha, mine, IDS").click()
    page.locator("#cases .case").first.click()
    address = page.url
    page.get_by_role("button", name="close", exact=True).last.click()
    assert not page.locator("dialog").is_visible()
    page.go_back()
    assert page.locator("dialog").is_visible()
    assert page.url == address
    page.reload()
    assert page.locator("#case-title").inner_text().startswith("error")


def test_everything_works_from_the_keyboard(opened: Open) -> None:
    page = opened(every_verdict())
    page.keyboard.press("/")
    page.keyboard.type("row:alpha")
    page.wait_for_timeout(250)
    cell_button = page.get_by_role("button", name="alpha, mine, IDS")
    cell_button.focus()
    page.keyboard.press("Enter")
    page.locator("#cases .case").first.focus()
    page.keyboard.press("Enter")
    first = page.locator("#case-title").inner_text()
    page.keyboard.press("j")
    assert page.locator("#case-title").inner_text() != first
    page.keyboard.press("k")
    assert page.locator("#case-title").inner_text() == first
    page.keyboard.press("Escape")
    assert not page.locator("dialog").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#cases").count() == 0
    for one in page.locator("button:visible, input:visible").all():
        assert (one.get_attribute("aria-label") or one.inner_text() or one.get_attribute("placeholder") or "").strip()


def test_the_command_is_copied(opened: Open) -> None:
    page = opened(every_verdict(), "case=render/one&on=alpha&by=mine")
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    page.locator(".copy").click()
    assert page.evaluate("window.copied") == "tokenspec run --impl mine --case render/one --row alpha"
    assert page.locator(".copy").inner_text() == "copied"


def test_reviewed_causes_are_shown_where_something_fails(opened: Open) -> None:
    report = every_verdict()
    cause = {"id": "nasty-text", "why": "It escapes <b>nothing</b>.", "rows": ["*"], "checks": ["render.ids"]}
    cause |= {"cases": ["render/nasty"], "link": "mine#7"}
    report.header["reasons"]["mine"] = {"version": "1.2", "deviation": [cause]}
    page = opened(report, "view=failures")
    assert "5 cells with a failure no reviewed cause" in page.locator(".note.warn").inner_text()
    page.locator(".case", has_text="It escapes <b>nothing</b>.").click()
    assert texts(page, "#cases .case b") == ["render/nasty"]
    page.locator("#cases .case").click()
    assert texts(page, "dialog .why") == ["Why: It escapes <b>nothing</b>. mine#7"]


def test_a_run_against_another_oracle_is_repeated_against_it(opened: Open) -> None:
    page = opened(
        Report({**every_verdict().header, "oracle": "4.9"}, every_verdict().results), "case=render/one&on=alpha&by=mine"
    )
    assert page.locator(".again code").inner_text().endswith("--row alpha --oracle 4.9")


def brightness(page: Page, selector: str, what: str) -> float:
    """Relative brightness of a colour, 0 to 255."""
    code = "([s, w]) => getComputedStyle(document.querySelector(s))[w].match(/[\\d.]+/g).slice(0, 3).map(Number)"
    return sum(page.evaluate(code, [selector, what])) / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_follow_the_system_and_the_button(opened: Open, scheme: str) -> None:
    page = opened(every_verdict(), scheme=scheme)
    dark = brightness(page, "body", "backgroundColor") < 128
    assert dark == (scheme == "dark")
    assert (brightness(page, "body", "color") > 128) == dark
    page.locator("#theme").click()
    assert (brightness(page, "body", "backgroundColor") < 128) != dark


@pytest.mark.parametrize("width", [360, 390, 768, 1300])
def test_no_width_scrolls_sideways(opened: Open, width: int, tmp_path: Path) -> None:
    page = opened(every_verdict(), "area=render&row=alpha&impl=mine&level=IDS", width=width)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.screenshot(path=tmp_path / f"list-{width}.png")
    page.locator("#cases .case", has_text="render/nasty").click()
    assert (
        page.evaluate("document.querySelector('dialog').scrollWidth - document.querySelector('dialog').clientWidth")
        <= 0
    )
    page.screenshot(path=tmp_path / f"case-{width}.png")
    assert (tmp_path / f"case-{width}.png").stat().st_size > 5000


@pytest.mark.parametrize("width", [390, 1280])
def test_no_width_of_an_audit_scrolls_sideways(opened: Open, width: int, tmp_path: Path) -> None:
    found = Outcome(rows=9, kept=9, tokens=90, trained=30, lengths=[10] * 9, shares=[0.3] * 9)
    for row, code in enumerate(CODES):
        found.rows_with[code], found.by_row[code] = 1, [row % 9]
    example = Example(3, "data.jsonl:4", "header-merges", 0, 1, 2, "message 0 begins inside the token")
    shown = Shown(example, tokens(*(f"word{number} " for number in range(400))))
    made_of = dict.fromkeys(("template_sha256", "tokenizer_sha256", "code"), "a" * 64)
    page = opened(audit_page("data", {**made_of, "recipe": {"encoder": "tokenizers"}}, found, [shown]), width=width)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.locator("#findings button").count() == len(CODES)
    page.locator("#findings button", has_text="header-merges").click()
    assert page.locator("#tokens .here").inner_text().startswith("word1")
    page.screenshot(path=tmp_path / f"audit-{width}.png", full_page=True)


def test_the_first_difference_is_scrolled_to(opened: Open) -> None:
    long = [f"word{number} " for number in range(250)]
    exhibit = type(NASTY_EVIDENCE)(
        input="{}", expected=tokens(*long), got=tokens(*long[:200], kind="content"), got_lines=[]
    )
    report = Report(header("mine"), [cell(finding(Verdict.FAIL), exhibit=exhibit)])
    page = opened(report, "case=render/one&on=alpha&by=mine", width=900)
    for text in page.locator("dialog .text").all():
        box, mark = text.bounding_box(), text.locator(".first").bounding_box()
        assert box is not None
        assert mark is not None
        assert box["y"] <= mark["y"] <= box["y"] + box["height"]
    assert page.locator("dialog .absent").inner_text() == "∅"


def test_it_prints_and_says_so_without_javascript(opened: Open, tmp_path: Path) -> None:
    page = opened(every_verdict(), scheme="dark")
    page.emulate_media(media="print")
    assert brightness(page, "body", "color") < 128, "paper is white, whatever the theme"
    assert not page.locator("#tools").is_visible()
    assert page.locator(".matrix").is_visible()
    assert page.pdf()[:4] == b"%PDF"
    silent = opened(every_verdict(), script=False)
    assert "switched off" in silent.locator("noscript").inner_text()


def test_conversations_are_shown_side_by_side_and_what_is_pasted_is_read(opened: Open) -> None:
    given = {"messages": [{"role": "user", "content": NASTY}, {"role": "developer", "content": "gone"}]}
    shown = tokens("<s>", NASTY, "bye")
    answers = [Answer(shown, NASTY), Answer(replace(shown, ids=[*shown.ids[:2], 77]), NASTY)]
    refused = Tried("two", {"messages": [{"role": "user", "content": "1"}]}, [answers[0], Answer(None, said="no")])
    both = [("mine", {"version": "1"}), ("other", {})]
    data = tried_data("toy", NASTY, both, [Tried("one", given, answers), refused], ["tokenspec", "try"], ["one"])
    for width in (1280, 390):
        page_ = opened(page("tokenspec: toy", data, [("row", "toy")]), width=width)
        assert texts(page_, ".shares tbody tr")[0].split() == ["0", "user", "3", "3", "0"]
        assert page_.locator(".k-content").count() >= 3
        assert page_.locator("#result .text .first").count() == 2
        assert page_.locator("#result tr.differs.first").count() == 1
        assert texts(page_, ".complaints li") == ["the content of message 1 (developer)"] * 2
        assert page_.locator(".template").inner_text() == NASTY
        assert texts(page_, "#said code") == ["tokenspec try one"]
        assert page_.evaluate("document.documentElement.scrollWidth") == width
        page_.locator(".tab").nth(1).click()
        assert "Nothing to compare" in page_.locator("#result").inner_text()
        page_.fill("#paste", '[{"role": "user", "content": "1"}]')
        assert page_.locator(".tab[aria-current=page]").inner_text() == "two"
        for pasted, said in {
            "[1": "No JSON",
            "[1]": "messages[0] has no role",
            '{"messages": [], "mesages": []}': "Unknown field mesages",
            '[{"role": "user", "content": 1}]': "This conversation is not in the page",
        }.items():
            page_.fill("#paste", pasted)
            assert said in page_.locator("#said").inner_text()
            assert not page_.locator("#result").is_visible()
        assert texts(page_, "#said code") == ['tokenspec try - <<\'END\'\n[{"role": "user", "content": 1}]\nEND']
        assert page_.evaluate("window.ran") is None
