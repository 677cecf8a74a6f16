"""The column on node answers and refuses. That its packages may be missing is the mechanism's: tests/columns."""

import pytest

from tokenspec.adapters import NotSupported, Ok, Refused
from tokenspec.adapters.environment import is_made
from tokenspec.adapters.foreign import foreign_columns
from tokenspec.adapters.resolve import resolve
from tokenspec.areas.selection import Selection, select_cells
from tokenspec.areas.template_engine.area import request

NAME = "huggingface-jinja"


@pytest.mark.node
def test_it_answers_and_refuses():
    if not is_made(foreign_columns()[NAME]):
        pytest.skip(f"npm packages missing; run: tokenspec columns make {NAME}")
    column = resolve(NAME)
    cells = {cell.case.slug: cell for cell in select_cells(Selection(areas=("template-engine",), rows=("-",)))}

    def ask(slug):
        return column.call("render_template", slug, request(cells[slug].case, "-"), 10)

    assert ask("plain-text") == Ok({"text": "<|user|>Ada<|end|>"})
    assert ask("strftime-now") == Ok({"text": "2024-07-26 26 Jul 2024 July 26, 2024"})
    assert ask("unclosed-block").code == "invalid-template"
    assert isinstance(ask("raise-exception"), Refused)
    assert "\ufffd" in ask("slice-text").output["text"]
    limited = {**request(cells["plain-text"].case, "-"), "limits": {"steps": 1}}
    assert column.call("render_template", "c", limited, 10) == NotSupported("takes no bounds")
    assert column.info["version"] == foreign_columns()[NAME].version
    column.close()
