"""What the child of a test does: it renders bombs, by the reference and by transformers, and loads tokenizers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tokenspec.guard import strangers as bounded_work
from tokenspec.guard.bounds import Bounds, OutOfBounds
from tokenspec.guard.strangers import strangers

QUESTION = [{"role": "user", "content": "Hi."}]
WHOLE = "{% for m in messages %}{{ m.content }}{% endfor %}\n"
SOON = Bounds(0.25, 256 * 2**20)


def by_transformers() -> Callable[[str], str]:
    """Render as ``apply_chat_template`` does, within bounds that do not keep a test waiting."""
    from transformers.utils.chat_template_utils import render_jinja_template

    bounded_work.bounds_for = lambda kind, size: SOON

    def answer(bomb: str) -> str:
        try:
            with strangers("template"):
                return str(len(render_jinja_template([QUESTION], chat_template=WHOLE + bomb)[0][0]))
        except OutOfBounds:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a library says of a template
            return f"refused: {error}"

    return answer


def by_reference() -> Callable[[str], str]:
    """Render by the reference, which has bounds of its own; those of the process are wide."""
    from tokenspec_reference.errors import TokenSpecError
    from tokenspec_reference.renderers.template import reads
    from tokenspec_reference.renderers.template.engine import render_text
    from tokenspec_reference.renderers.template.limits import ENOUGH, Limits

    bounded_work.bounds_for = lambda kind, size: Bounds(20.0, 768 * 2**20)
    now, limits = datetime(2025, 1, 1, tzinfo=UTC), Limits(steps=ENOUGH)

    def answer(bomb: str) -> str:
        with strangers("template"):
            try:
                reads(WHOLE + bomb)
                return str(len(render_text(WHOLE + bomb, {"messages": QUESTION}, now=now, limits=limits)))
            except TokenSpecError as error:
                return f"{error.rejection_code}: {error}"

    return answer


def loading(folder: str) -> Callable[[bytes], str]:
    """Load the sound folder with another ``tokenizer.json``, and look at it as a candidate row is looked at."""
    from tokenspec.addition.template import template_row
    from tokenspec.models.errors import ModelError

    def answer(tokenizer: bytes) -> str:
        with tempfile.TemporaryDirectory() as place:
            for file in Path(folder).iterdir():
                (Path(place) / file.name).write_bytes(file.read_bytes())
            (Path(place) / "tokenizer.json").write_bytes(tokenizer)
            try:
                with template_row(Path(place) / "chat_template.jinja", Path(place)):
                    return ""
            except ModelError as error:
                return str(error)

    return answer


def keeping() -> Callable[[int], int]:
    """Keep as many bytes as asked for, for ever; the process that answers."""
    kept = []

    def answer(size: int) -> int:
        kept.append(bytearray(size))
        return os.getpid()

    return answer
