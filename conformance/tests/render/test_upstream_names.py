"""Every renderer name of the installed upstream has a family and a row, or an entry that says why not."""

import re
from pathlib import Path

import pytest

from tokenspec.columns.renderers import NAMES
from tokenspec.models import specs
from tokenspec_reference.renderers.families import FAMILIES, family_names

CHAPTER = Path(__file__).parents[3] / "spec" / "11-renderer-families.md"


def listed():
    """Renderer name to families, rows and remark, as the chapter's last table has them."""
    table = CHAPTER.read_text(encoding="utf-8").split("## Names of the upstream")[1]
    rows = [[cell.strip() for cell in line.strip("| \n").split(" |")] for line in table.splitlines() if "| `" in line]
    names = [re.findall(r"`([^`]+)`", cell) for row in rows for cell in row[:3]]
    remarks = [row[3] if len(row) > 3 else "" for row in rows]
    return {
        name[0]: (families, row_ids, remark)
        for name, families, row_ids, remark in zip(names[::3], names[1::3], names[2::3], remarks, strict=True)
    }


def test_every_name_of_the_upstream_is_answered():
    base = pytest.importorskip("renderers.base")
    from renderers import configs

    asked = set(base.MODEL_RENDERER_MAP.values()) | set(configs._CONFIG_BY_NAME) - {"auto"}
    assert asked == set(listed())


@pytest.mark.parametrize("name", listed())
def test_an_answer_names_what_there_is_or_says_why_not(name):
    families, rows, remark = listed()[name]
    assert set(families) <= set(family_names())
    assert {specs()[row].family for row in rows} <= set(families)
    assert (families and rows) or remark


def test_the_column_asks_the_renderer_that_the_table_names():
    told = {family: name for name, (families, _, _) in listed().items() for family in families}
    others = {family: name for family, name in NAMES.items() if told.get(family) != name}
    assert others == {"glm-5": "glm-5"}, "glm-5 is another name of the family glm-4.7"
    assert set(NAMES) <= set(FAMILIES)
