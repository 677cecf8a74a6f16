"""The Python reference: a page for each public package, from its docstrings."""

from __future__ import annotations

import importlib

from tokenspec.areas import areas
from tokenspec.areas.area import Area


def records_of(area: Area) -> str:
    """The module of an area's own records: that of its results, which may be the protocol's, or of its inputs."""
    module = area.output_type.__module__
    return module if module.startswith("tokenspec.areas.") else area.input_type.__module__


PACKAGES = {
    "tokenspec_reference.renderers": "Renderers: messages to token ids and masks, and back.",
    "tokenspec_reference.preparation": "Conversations to training ids and masks, with what would go wrong.",
    "tokenspec_reference.processors": "Logits processors over token trees, thinking budgets and bans.",
    "tokenspec_reference.fast_forward": "Forcing tokens from a grammar within the canonical tokenisation.",
    "tokenspec_reference.aligners": "Aligning the ids of two tokenizers.",
    "tokenspec_reference.aligners.loss_utils": "What distillation losses need of an alignment.",
    "tokenspec_reference.engines": "Cutting reasoning traces.",
    "tokenspec.models": "Model rows: templates and tokenizers by their sha256.",
}
MODULES = {
    "tokenspec.adapters": "The adapter protocol in Python.",
    "tokenspec.areas": "What an area is.",
    "tokenspec.areas.check": "What a check is, and how to write one.",
    "tokenspec.verdict": "Verdicts and exit codes.",
    "tokenspec.known_failures": "Lists of known failures.",
    "tokenspec.store.records": "Cases and goldens.",
    "tokenspec.errors": "Errors of the suite.",
    **{records_of(area): f"What cases and results say. {area.title}." for area in areas().values()},
}


def pages() -> dict[str, str]:
    """A page each, and the list of them."""
    made = {f"reference/{name}.md": page(name) for name in (*PACKAGES, *MODULES)}
    reference = "\n".join(f"* [`{name}`]({name}.md): {text}" for name, text in PACKAGES.items())
    suite = "\n".join(f"* [`{name}`]({name}.md): {text}" for name, text in MODULES.items())
    names = "\n".join(f"{name.removeprefix('tokenspec_reference.')} <{name}>" for name in (*PACKAGES, *MODULES))
    made["reference/index.md"] = (
        "# Reference\n\n[The command line](command-line.md).\n\n## The reference implementation and the rows\n\n"
        f"{reference}\n\n## The suite\n\n{suite}\n\n"
        f"```{{toctree}}\n:hidden:\n\ncommand-line\n{names}\n```\n"
    )
    return made


def page(name: str) -> str:
    """One module; a package shows what it exports."""
    exported = getattr(importlib.import_module(name), "__all__", None)
    options = [":members:"]
    if exported:
        options = [f":members: {', '.join(exported)}", ":imported-members:"]
    body = "\n".join([f".. automodule:: {name}", *(f"   {option}" for option in options)])
    return f"# {name}\n\n```{{eval-rst}}\n{body}\n```\n"
