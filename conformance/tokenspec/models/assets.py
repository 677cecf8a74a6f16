"""What an implementation is told of a row."""

from __future__ import annotations

from typing import Any

from tokenspec.models.rows import Row


def assets_of(row: Row) -> dict[str, Any]:
    """A row as plain JSON, so that it crosses a pipe."""
    wire = row.spec.wire
    return {
        "directory": str(row.directory),
        "family": row.family,
        "status": row.status,
        "chat_template": row.chat_template,
        "wire": {
            "assistant_open": list(wire.assistant_open),
            "assistant_close": list(wire.assistant_close),
            "stop": list(wire.stop),
            "placeholder": list(wire.placeholder),
            "straddle": wire.straddle,
        },
    }
