"""Template engines: a chat template and its variables become text. No tokenizer is involved.

The area's own cases isolate one construct each. It also borrows the renderers' corpus on every row: the row's real
template with the variables transformers would hand to it, judged by the text of the renderers' goldens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.areas.area import NO_ROW, Area, Loan
from tokenspec.areas.template_engine.records import TemplateExpect, TemplateInput, TemplateOutput, TemplateRequest
from tokenspec.store.records import Case, Golden

if TYPE_CHECKING:
    from tokenspec.models import Row, RowSpec

ENVIRONMENT: dict[str, Any] = {
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": False,
    "autoescape": False,
    "extensions": ["loopcontrols", "generation"],
}


"""How chat templates are read. The chapter fixes it; requests repeat it for engines that take options."""


def rows(case: Case, specs: Sequence[RowSpec]) -> Iterable[str]:
    """The area's own cases need no model."""
    del case, specs
    return [NO_ROW]


def request(case: Case, row: str) -> dict[str, Any]:
    """Template, variables, environment and the frozen clock; a row brings its template and special tokens."""
    from tokenspec.oracle.clock import FROZEN

    template, inputs = of_row(case, row) if row != NO_ROW else (case.input["template"], case.input.get("inputs", {}))
    asked = {"template": template, "inputs": inputs, "environment": ENVIRONMENT, "now": FROZEN.isoformat()}
    return {**asked, "limits": case.input["limits"]} if "limits" in case.input else asked


def of_row(case: Case, row: str) -> tuple[str, dict[str, Any]]:
    """A row's template, or the one that comes with a conversation, and the variables it sees."""
    from tokenspec.areas.template_engine.oracle.inputs import special_tokens, template_variables
    from tokenspec.models import load

    loaded = load(row)
    options = {**loaded.options, **case.input.get("options", {})}
    template = options.pop("chat_template", loaded.chat_template)
    return template, template_variables(case.input, options, special_tokens(loaded.directory))


def borrowed(case: Case) -> Case | None:
    """A conversation of the renderers as a case for engines, where it reaches the template."""
    from tokenspec.areas.template_engine.oracle.inputs import reaches_the_template

    if not reaches_the_template(case.input):
        return None
    return msgspec.structs.replace(case, id=f"{AREA.name}/{case.slug}", area=AREA.name, requires=["TPL-001"])


def has_template(row: RowSpec) -> bool:
    """Whether the row's text comes from a template; an encoder in its place is for no engine to read."""
    return row.oracle != "encoder"


def lent(golden: Golden) -> Golden:
    """The text of a renderer's golden: the template's, which engines are asked for, whoever answers otherwise."""
    if golden.expect is None:
        return msgspec.structs.replace(golden, answers={})
    text = "".join(span[3] for span in golden.expect["spans"])
    return msgspec.structs.replace(golden, expect={"text": text}, answers={})


def oracle(case: Case, row: str, rows_by_id: Mapping[str, Row]) -> Golden:
    """What the sandbox of transformers makes of it."""
    from tokenspec.areas.template_engine.oracle.golden import template_golden

    del row, rows_by_id
    return template_golden(case)


AREA = Area(
    name="template-engine",
    title="Template engines: chat templates to text",
    order=80,
    prefix="TPL",
    operation="render_template",
    levels=("TEXT", "REFUSALS"),
    input_type=TemplateInput,
    output_type=TemplateOutput,
    expect_type=TemplateExpect,
    rows=rows,
    request=request,
    request_type=TemplateRequest,
    oracle=oracle,
    loan=Loan(area="render", case=borrowed, golden=lent, takes=has_template),
)
