"""One golden of the template-engine area: what the environment of ``transformers`` renders, or how it refuses."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import datetime
from typing import Any

from tokenspec.areas.area import NO_ROW
from tokenspec.areas.template_engine.oracle.bounds import within
from tokenspec.areas.template_engine.records import TemplateInput
from tokenspec.errors import FixtureError
from tokenspec.oracle.clock import FROZEN, frozen
from tokenspec.oracle.transformers import versions
from tokenspec.store.canonical import convert, input_sha256
from tokenspec.store.records import Case, Golden


def template_golden(case: Case) -> Golden:
    """Ask the oracle. A refusal is recorded by its class, and by its message where the template wrote it."""
    header: dict[str, Any] = {
        "case": case.id,
        "row": NO_ROW,
        "input_sha256": input_sha256(case.input),
        "pins": {},
        "oracle": {name: version for name, version in versions().items() if name != "tokenizers"},
    }
    given = convert(case.input, TemplateInput, where=f"{case.id}: input")
    try:
        if given.limits:
            render("", {}, FROZEN)  # what is imported at the first time is not the template's doing
        with within(given.limits, case.id) if given.limits else nullcontext():
            text = render(given.template, given.inputs, FROZEN)
    except FixtureError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a template raises is its refusal
        kind = type(error).__name__
        return Golden(**header, outcome="raises", error=f"{kind}: {error}" if kind == "TemplateError" else kind)
    return Golden(**header, outcome="ok", expect={"text": text})


def render(template: str, inputs: Mapping[str, Any], moment: datetime) -> str:
    """``template`` in the environment transformers compiles chat templates in, at a moment."""
    from transformers.utils import chat_template_utils

    compiled = chat_template_utils._compile_jinja_template(template)  # noqa: SLF001 - the oracle is this very function
    with frozen(moment):
        text: str = compiled.render(copy.deepcopy(dict(inputs)))
    return text
