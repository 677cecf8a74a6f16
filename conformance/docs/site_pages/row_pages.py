"""A page for each model row: what its template does and loses, how its turns are written, its sources."""

from __future__ import annotations

from collections.abc import Iterable

from tokenspec.certificate import committed
from tokenspec.certificate.dropped import dropped, refused
from tokenspec.certificate.facts import Break, Certificate, Facts, Property
from tokenspec.certificate.screen import lost_lines, statements
from tokenspec.data import fixtures_dir
from tokenspec.models import RowSpec, carriers, specs
from tokenspec.models.spec import DirectorySource, RegistrySource, Source
from tokenspec.store.golden_files import decode_goldens

from . import score_pages
from .requirement_pages import cell, table

STATUSES = {
    "real": "The model's own files.",
    "stand-in": "The model's template and special tokens over another vocabulary: text and masks are facts of the "
    "model, ids are not.",
    "toy": "Ours, small, offline.",
    "unproven": "Without evidence from outside that it is the model; it gates nothing.",
}
CLIENTS = {"pip-wheel": "pip download", "pip-sdist": "pip download", "npm": "npm pack"}


def pages() -> dict[str, str]:
    """One page each, and the table of all."""
    made = {f"rows/{spec.id}.md": page(spec) for spec in specs().values()}
    return {**made, "rows/index.md": index()}


def index() -> str:
    """All rows by status."""
    said = (
        "One chat template and one tokenizer each, pinned by sha256. Nothing of a model is in this repository; "
        "`tokenspec models pull` brings the files. [Add a model](../add-a-model.md) says how another becomes a row."
    )
    parts = ["# Model rows", said]
    for status, means in STATUSES.items():
        found = [spec for spec in specs().values() if spec.status == status]
        if found:
            rows = (f"| [{spec.id}]({spec.id}.md) | {cell(spec.family)} | {cell(spec.summary)} |" for spec in found)
            parts += [f"## {status}", means, table(("row", "family", "what"), rows)]
    hidden = "\n".join(specs())
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{hidden}\n```"]) + "\n"


def page(spec: RowSpec) -> str:
    """One row."""
    certificate = committed(spec.id)
    first = f"tokenspec explain {spec.id}" if spec.status == "toy" else f"tokenspec models pull {spec.id}"
    parts = [
        f"# {spec.id}",
        f"{cell(spec.summary)}. *{spec.status.capitalize()}*: {STATUSES[spec.status]}",
        f"```sh\n{first}\ntokenspec run --impl reference --row {spec.id}\n```",
        "## Wire",
        table(("what", "of this row"), (f"| {name} | {text} |" for name, text in wire(spec))),
    ]
    if certificate is not None:
        parts += losses(certificate.facts)
        parts += measured(certificate)
    parts += sources(spec)
    parts += exemptions(spec)
    parts += [*goldens(spec.id), *score_pages.of_row(spec.id)]
    return "\n\n".join(parts) + "\n"


def wire(spec: RowSpec) -> Iterable[tuple[str, str]]:
    """How turns are written, and what a request may ask for."""
    texts = {
        "an assistant turn opens with": spec.wire.assistant_open,
        "and closes with": spec.wire.assistant_close,
        "stop tokens": spec.wire.stop,
        "stands for a medium": spec.wire.placeholder,
    }
    yield "family", cell(spec.family)
    yield "features", ", ".join(f"`{name}`" for name in spec.features) or "none"
    yield "template options", ", ".join(f"`{name}={value}`" for name, value in spec.options.items()) or "none"
    yield from ((name, quoted(found)) for name, found in texts.items() if found)
    if spec.cases:
        yield "takes only the cases", ", ".join(f"`{beginning}`…" for beginning in spec.cases)


def quoted(texts: Iterable[str]) -> str:
    """Texts as code."""
    return " ".join(f"`` {text!r} ``".replace("|", "\\|") for text in texts) or "none"


def losses(facts: Facts) -> list[str]:
    """What vanishes without a word, what is lost by the ending, and what is refused."""
    silent = (f"{text}, without a word" for text in dropped(facts).values())
    refusals = (f"refused: {line}" for line in refused(facts))
    lines = [f"* {cell(line)}" for line in (*silent, *lost_lines(facts), *refusals)]
    return ["## Losses", "\n".join(lines) or "Nothing that was asked for is lost or refused."]


def measured(certificate: Certificate) -> list[str]:
    """The certificate: history by scenario, then a line a fact."""
    facts = certificate.facts
    stays = (f"| `{name}` | {held(facts.prefix[name])} | {held(facts.coherence[name])} |" for name in facts.prefix)
    said = (f"| {cell(name.strip())} | {cell(text.plain)} |" for name, text in statements(facts) if name != "lost")
    made = ", ".join(f"{name} {version}" for name, version in certificate.oracle.items() if name != "name")
    reviews = [f"* {review.date}: {cell(review.reason)}" for review in certificate.reviewed]
    return [
        "## Certificate",
        "Measured facts; the [chapter](../spec/12-certificates.md) defines each.",
        table(("scenario", "history stays", "a turn continues its prompt"), stays),
        table(("fact", "of this template"), said),
        f"Measured by {made}.",
        *(["Reviews:", "\n".join(reviews)] if reviews else []),
    ]


def held(found: Property) -> str:
    """That it holds, or where it breaks."""
    if isinstance(found, Break):
        return cell(f"message {found.owner}, character {found.at}: {found.was!r} becomes {found.becomes!r}")
    return cell(found)


def sources(spec: RowSpec) -> list[str]:
    """Where template and tokenizer come from, what they hash to, and why they are believed."""
    lines = []
    for what, pinned in (("tokenizer", spec.tokenizer), ("template", spec.template)):
        if pinned.source or spec.hub is not None:
            lines.append(f"* {what}: sha256 `{pinned.sha256}`")
            lines += [f"  * {described(source)}" for source in pinned.source]
    if spec.hub is not None:
        lines.append(f"* the hub: `{spec.hub.repo}` at `{spec.hub.revision}`{', gated' if spec.hub.gated else ''}")
    facts = [f"* licence: {cell(spec.licence)}", f"* evidence: {cell(spec.evidence)}"]
    return ["## Sources", "\n".join([*lines, *facts])]


def described(source: Source) -> str:
    """One source of a file."""
    if isinstance(source, RegistrySource):
        carrier = carriers()[source.carrier]
        return f"`{source.member}` of `{carrier.requirement}` ({CLIENTS[carrier.client]}, {source.bytes:,} bytes)"
    if isinstance(source, DirectorySource):
        return f"`fixtures/{source.path}`"
    return f"`{source.path}` below `TOKENSPEC_MODELS_DIR` ({source.bytes:,} bytes)"


def exemptions(spec: RowSpec) -> list[str]:
    """Requirements the row does not meet, each with the reason."""
    if not spec.exemption:
        return []
    rows = (
        f"| [{one.requirement}](../requirements/{one.requirement}.md) | {cell(', '.join(one.cases) or 'all cases')} "
        f"| {cell(one.reason)} |"
        for one in spec.exemption
    )
    return ["## Exemptions", table(("requirement", "cases", "why"), rows)]


def goldens(row: str) -> list[str]:
    """How many expectations there are, by area."""
    files = [
        path
        for folder in (fixtures_dir() / "golden" / row, fixtures_dir() / "golden/stand-in" / row)
        for path in sorted(folder.glob("*.json"))
    ]
    if not files:
        return []
    counts = (f"| {path.stem} | {len(decode_goldens(path.read_bytes(), path).cases)} |" for path in files)
    return ["## Goldens", table(("area", "goldens"), counts)]
