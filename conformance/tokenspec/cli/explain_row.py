"""One row on one screen: what it is pinned to, then its certificate."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokenspec.certificate import committed
from tokenspec.certificate.screen import view
from tokenspec.models import RowSpec, available, spec_of

SHOWN = 6
"""Beginnings of case ids that are shown."""


def explain_row(console: Console, id_: str) -> None:
    """What a row is pinned to, and what its template does to conversations."""
    spec = spec_of(id_)
    console.print(Text(f"{spec.id} ({spec.status}, family {spec.family}): {spec.summary}", style="bold"))
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for key, value in _pins(spec):
        table.add_row(Text(key, style="bold"), Text(value))
    console.print(table)
    certificate = committed(id_)
    if certificate is not None:
        console.print(view(certificate))
    elif spec.has_template:
        console.print(Text(f'no certificate; run: tokenspec models certify {id_} --accept "reason"', style="red"))


def _pins(spec: RowSpec) -> list[tuple[str, str]]:
    reason = available(spec.id)
    options = " ".join(f"{key}={value}" for key, value in spec.options.items())
    features = f"{' '.join(spec.features)}; options {options or 'none'}; straddle {spec.wire.straddle}"
    found = [
        ("features", features),
        *([("cases", _confined(spec.cases))] if spec.cases else []),
        ("turn", f"{_quoted(spec.wire.assistant_open)} ... {_quoted(spec.wire.assistant_close)}"),
        ("stop", _quoted(spec.wire.stop)),
        ("pinned", f"template {spec.template.sha256[:12]}, tokenizer {spec.tokenizer.sha256[:12]}; {spec.licence}"),
        ("evidence", spec.evidence),
        ("files", "at hand" if reason is None else reason),
    ]
    return [pair for pair in found if spec.has_template or pair[0] not in {"turn", "stop"}]


def _confined(beginnings: tuple[str, ...]) -> str:
    """What the ids of its cases begin with, where that is short; else in which areas they are."""
    if len(beginnings) <= SHOWN:
        return f"only {' '.join(beginnings)}"
    areas = ", ".join(dict.fromkeys(beginning.partition("/")[0] for beginning in beginnings))
    return f"only some of {areas}; --json has what their ids begin with"


def _quoted(texts: tuple[str, ...]) -> str:
    return " ".join(map(repr, texts)) or "none"


def row_as_json(id_: str) -> str:
    """The row file and the certificate as one JSON object."""
    certificate = committed(id_)
    found: dict[str, Any] = {
        "row": msgspec.to_builtins(spec_of(id_)),
        "missing_files": available(id_),
        "certificate": msgspec.to_builtins(certificate) if certificate else None,
    }
    return json.dumps(found, ensure_ascii=False, indent=2)
