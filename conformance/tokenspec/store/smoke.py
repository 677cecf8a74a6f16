"""``smoke.toml``: the cases that show whether an adapter is right, before anything is said of an implementation."""

from __future__ import annotations

import tomllib

from tokenspec.data import fixtures_dir


def smoke_cases() -> dict[str, list[str]]:
    """Ids of cases by area, in the order of the file: what is simplest comes first."""
    listed = tomllib.loads((fixtures_dir() / "smoke.toml").read_text(encoding="utf-8"))
    return {area: [f"{area}/{slug}" for slug in cases] for area, cases in listed.items()}
