"""One self-contained HTML page: data, style and script inside, nothing fetched, nothing run that is not ours.

Texts of cases and implementations are untrusted: the template escapes, the data is JSON without ``<``, the script
builds elements from text only, and a content security policy allows exactly our script and style by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from tokenspec.report.jsonl import Report
from tokenspec.report.labels import labels
from tokenspec.report.page_data import as_script, page_data
from tokenspec.store.writing import write_atomically

NON_CHARACTERS = "".join(chr(plane * 0x10000 + low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
NOT_HTML = re.compile(f"[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufdd0-\\ufdef{NON_CHARACTERS}]")
SCRIPTS = (
    "state.js",
    "filter.js",
    "elements.js",
    "matrix.js",
    "lists.js",
    "tokens.js",
    "case.js",
    "conversation.js",
    "main.js",
)


def write_page(path: Path, report: Report) -> None:
    """Write a run as a page, atomically."""
    write_atomically(path, run_page(report))


def run_page(report: Report) -> str:
    """A run as a page; the same report gives the same bytes."""
    names = ", ".join(labels(report.header["implementations"]).values())
    return page(f"tokenspec: {names}", page_data(report), facts(report.header))


def facts(head: dict[str, Any]) -> list[tuple[str, str]]:
    """What judged: label and value, in reading order."""
    fixtures = head["fixtures"]
    listed = [("suite", f"tokenspec {head['suite'].get('tokenspec', '?')}")]
    listed.append(("fixtures", f"{fixtures['version']} ({fixtures['sha256'][:12]})"))
    listed.append(("expected", f"transformers {head['oracle']}"))
    listed += [(name, version) for name, version in head["suite"].items() if name != "tokenspec"]
    return [*listed, ("python", head["python"])]


def page(title: str, data: dict[str, Any], shown_facts: list[tuple[str, str]]) -> str:
    """Fill the template: title and facts are escaped by it, data, style and script are put in as they are."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    script = "\n".join(source(name) for name in SCRIPTS)
    style = source("page.css")
    return environment.from_string(source("page.html")).render(
        title=legal(title),
        facts=[(legal(label), legal(value)) for label, value in shown_facts],
        data=Markup(as_script(data)),  # noqa: S704 - as_script leaves no character that could end the element
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(style),  # noqa: S704 - our own file
        script_hash=content_hash(script),
        style_hash=content_hash(style),
    )


def legal(text: str) -> str:
    """The text without what HTML cannot hold: control characters, surrogates and non-characters become U+FFFD."""
    return NOT_HTML.sub("\ufffd", text)


def source(name: str) -> str:
    """One of the page's own files."""
    return (files(__package__) / "page_files" / name).read_text(encoding="utf-8")


def content_hash(text: str) -> str:
    """The form a content security policy names an inline script or style in."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
