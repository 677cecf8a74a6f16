"""A chat template of the user's own over a tokenizer's folder: its certificate, and what other engines make of it."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tokenspec.adapters import NotSupported, Ok
from tokenspec.adapters.in_process import InProcess
from tokenspec.adapters.resolve import resolve
from tokenspec.addition.add import EMPTY, folder_row
from tokenspec.addition.files import AdditionRefused, Published, problems, read_published
from tokenspec.addition.row import Stated, row_spec
from tokenspec.addition.wire import end_tokens, infer_wire
from tokenspec.areas.template_engine.area import ENVIRONMENT
from tokenspec.areas.template_engine.oracle.inputs import special_tokens, template_variables
from tokenspec.certificate import Certificate, certify
from tokenspec.certificate.calls import spelling_of
from tokenspec.certificate.hazards import Found, find
from tokenspec.certificate.probe import Message, Probe, Refused, difference, text_row
from tokenspec.certificate.scenarios import USER, scenarios, tools_of
from tokenspec.guard.strangers import strangers
from tokenspec.models import Row, publisher
from tokenspec.models.spec import Wire
from tokenspec.oracle.clock import FROZEN

ENGINES = ("minijinja", "huggingface-jinja", "jinja2")
PATIENCE = 5.0


@dataclass(frozen=True)
class Engine:
    """What one engine makes of the scenarios of the certificate, with and without a generation prompt.

    Attributes:
        name: of its column.
        version: of it.
        absent: why it was not asked; empty where it was.
        asked: how many conversations it was asked for.
        differing: those it answers otherwise than transformers, each with what is expected and what came.
    """

    name: str
    version: str
    absent: str
    asked: int
    differing: list[tuple[str, str, str]]


@dataclass(frozen=True)
class Checked:
    """All that is known of a template: certificate, what breaks training, what is odd about the files, engines."""

    certificate: Certificate
    found: Found
    notes: list[str]
    engines: list[Engine]


def check_template(template: Path, tokenizer: Path, engines: Sequence[str] = ENGINES) -> Checked:
    """Measure a template.

    Args:
        template: the file with its source.
        tokenizer: a folder with ``tokenizer.json`` and ``tokenizer_config.json``; a template in it does not count.
        engines: names of columns.

    Raises:
        AdditionRefused: a file is missing or broken, or the template refuses one user message.
    """
    with template_row(template, tokenizer) as (row, notes):
        certificate = certify(row)
        return Checked(certificate, find(row, certificate.facts), notes, [asked(name, row) for name in engines])


@contextmanager
def template_row(template: Path, tokenizer: Path) -> Iterator[tuple[Row, list[str]]]:
    """Within the block there is a row of the two, and what is odd about its files."""
    name = re.sub(r"[^a-z0-9.-]+", "-", template.stem.lower()).strip("-.") or "template"
    with tempfile.TemporaryDirectory(prefix="tokenspec-template-") as place:
        stage = Path(place) / "files"
        stage.mkdir()
        for file in (publisher.TOKENIZER, publisher.CONFIG, publisher.GENERATION):
            if (tokenizer / file).is_file():
                shutil.copyfile(tokenizer / file, stage / file)
        shutil.copyfile(template, stage / publisher.TEMPLATE)
        published = read_published(stage, str(tokenizer), name)
        stated = Stated(name, "template", f"{template} over {tokenizer}", "not stated", "not stated", None, {})
        row = folder_row(row_spec(published, stated, EMPTY, ()), published, Path(place) / "model")
        if isinstance(text := Probe(text_row(row)).text([USER]), Refused):
            raise AdditionRefused(name, [f"the template refuses one user message: {text.kind}"])
        spec = msgspec.structs.replace(row.spec, wire=infer_wire(row, published))
        yield Row(spec, row.directory), [*problems(published, frozenset()), *not_ending(row, spec.wire, published)]


def not_ending(row: Row, wire: Wire, published: Published) -> Iterator[str]:
    """What assistant turns end with, where the files do not say that generation ends with it."""
    ends = end_tokens(row, published)
    if wire.stop and wire.stop[0] not in ends:
        yield f"assistant turns end with {wire.stop[0]!r}; the files end generation with {' '.join(ends) or 'nothing'}"


def asked(name: str, row: Row) -> Engine:
    """What one engine says to every scenario."""
    column = resolve(name)
    probe = Probe(text_row(row))
    differing, count = [], 0
    try:
        for what, messages, prompt in conversations(probe):
            asking = request(row, messages, prompt=prompt)
            with strangers("template") if isinstance(column, InProcess) else nullcontext():
                outcome = column.call("render_template", what, asking, PATIENCE)
            if isinstance(outcome, NotSupported):
                return Engine(name, "", outcome.reason, 0, [])
            count += 1
            expected = probe.text(messages, tools=tools_of(messages), prompt=prompt)
            text = outcome.output["text"] if isinstance(outcome, Ok) else None
            if isinstance(expected, Refused):
                if text is not None:
                    differing.append((what, str(expected), text))
            elif text is None:
                differing.append((what, expected, f"refused: {getattr(outcome, 'message', outcome)}"))
            elif text != expected:
                differing.append((what, *difference(expected, text)))
        return Engine(name, column.info.get("version", ""), "", count, differing)
    finally:
        column.close()


def conversations(probe: Probe) -> Iterator[tuple[str, list[Message], bool]]:
    """The scenarios of the certificate, each to its end, and to its last question with a generation prompt."""
    for name, messages in scenarios(spelling_of(probe)).items():
        yield name, messages, False
        last = max(at for at, message in enumerate(messages) if message["role"] != "assistant")
        yield f"{name}, prompted", messages[: last + 1], True


def request(row: Row, messages: list[Message], *, prompt: bool) -> dict[str, Any]:
    """What an engine is asked, as the area ``template-engine`` asks it."""
    given = {"messages": messages, "tools": tools_of(messages)}
    options = {**row.options, "add_generation_prompt": prompt}
    inputs = template_variables(given, options, special_tokens(row.directory))
    return {"template": row.chat_template, "inputs": inputs, "environment": ENVIRONMENT, "now": FROZEN.isoformat()}
