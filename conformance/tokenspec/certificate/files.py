"""Certificate files: where they lie, what changed, and the review that accepts a change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from tokenspec.data import fixtures_dir
from tokenspec.store.canonical import canonical_json, read_fixture
from tokenspec.store.writing import write_atomically

from .facts import Certificate, Review, flat


@dataclass(frozen=True)
class Change:
    """One fact that is not what the committed certificate says; None where there is no such fact."""

    fact: str
    was: Any
    now: Any


def path_of(row_id: str) -> Path:
    """``fixtures/certificates/<row>.json``."""
    return fixtures_dir() / "certificates" / f"{row_id}.json"


def committed(row_id: str) -> Certificate | None:
    """The certificate in the fixtures, or None."""
    path = path_of(row_id)
    return read_fixture(path, Certificate) if path.exists() else None


def changes(old: Certificate, new: Certificate) -> list[Change]:
    """What differs, facts and pins, in the order of the certificate; facts of tokens where both have them."""
    both = {**_heads(old), **flat(old.facts)}, {**_heads(new), **flat(new.facts)}
    names = list(dict.fromkeys([*both[0], *both[1]]))
    skip = "tokens." if old.facts.tokens is None or new.facts.tokens is None else "-"
    return [
        Change(name, both[0].get(name), both[1].get(name))
        for name in names
        if both[0].get(name) != both[1].get(name) and not name.startswith(skip)
    ]


def _heads(certificate: Certificate) -> dict[str, Any]:
    return {
        "pins.tokenizer": certificate.pins.get("tokenizer"),
        "pins.template": certificate.pins.get("template"),
        "options": certificate.options,
    }


def write(certificate: Certificate) -> Path:
    """Write a certificate where it belongs."""
    path = path_of(certificate.row)
    write_atomically(path, canonical_json(certificate))
    return path


def today() -> str:
    """The date of a review."""
    return datetime.now(UTC).date().isoformat()


def with_reviews(certificate: Certificate, reviews: list[Review]) -> Certificate:
    """The certificate with these reviews."""
    return msgspec.structs.replace(certificate, reviewed=reviews)


def accepted(old: Certificate, new: Certificate, reason: str) -> Certificate:
    """The new certificate with the old reviews and one for what changed."""
    review = Review(date=today(), reason=reason, facts=[change.fact for change in changes(old, new)])
    return with_reviews(new, [*old.reviewed, review])


def same_oracle(certificate: Certificate, installed: dict[str, str]) -> bool:
    """Whether the installed oracle is of the versions that made a certificate, in what text depends on."""
    return all(certificate.oracle.get(name) == installed.get(name) for name in ("transformers", "jinja2"))
