r"""Tool schemas of gpt-oss as TypeScript declarations, with the white space its template really prints.

The template's macros leave stray indentation in three places (a property type, a default inside ``oneOf``, the line
break after ``|``); these are part of the text a model was served with, so they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tokenspec_reference.renderers.segments import Segment, quoted, scaffold
from tokenspec_reference.renderers.template_values import is_defined, is_iterable, item, items, member, text_of, tojson

if TYPE_CHECKING:
    from collections.abc import Iterator

SIMPLE = {"number": "number", "integer": "number", "boolean": "boolean"}
ITEM_TYPES = {"string": "string[]", "number": "number[]", "integer": "number[]", "boolean": "boolean[]"}
LONGEST_ITEM_TYPE = 50

BROWSER = """## browser

// Tool for browsing.
// The `cursor` appears in brackets before each browsing display: `[{cursor}]`.
// Cite information from the tool using the following format:
// `【{cursor}†L{line_start}(-L{line_end})?】`, for example: `【6†L9-L11】` or `【8†L3】`.
// Do not quote more than 10 words directly from the tool output.
// sources=web (default: web)
namespace browser {

// Searches for information related to `query` and displays `topn` results.
type search = (_: {
query: string,
topn?: number, // default: 10
source?: string,
}) => any;

// Opens the link `id` from the page indicated by `cursor` starting at line number `loc`, showing `num_lines` lines.
// Valid link ids are displayed with the formatting: `【{id}†.*】`.
// If `cursor` is not provided, the most recent page is implied.
// If `id` is a string, it is treated as a fully qualified URL associated with `source`.
// If `loc` is not provided, the viewport will be positioned at the beginning of the document or centered on the most \
relevant passage, if available.
// Use this function without `id` to scroll to a new location of an opened page.
type open = (_: {
id?: number | string, // default: -1
cursor?: number, // default: -1
loc?: number, // default: -1
num_lines?: number, // default: -1
view_source?: boolean, // default: false
source?: string,
}) => any;

// Finds exact matches of `pattern` in the current page, or the page given by `cursor`.
type find = (_: {
pattern: string,
cursor?: number, // default: -1
}) => any;

} // namespace browser

"""
PYTHON = (
    "## python\n\n"
    "Use this tool to execute Python code in your chain of thought. The code will not be shown to the user. This tool "
    "should be used for internal reasoning, but not for code that is intended to be visible to the user (e.g. when "
    "creating plots, tables, or files).\n\n"
    "When you send a message containing Python code to python, it will be executed in a stateful Jupyter notebook "
    "environment. python will respond with the output of the execution or time out after 120.0 seconds. The drive at "
    "'/mnt/data' can be used to save and persist user files. Internet access for this session is UNKNOWN. Depends on "
    "the cluster.\n\n"
)


def builtin_tools(*, browser: bool, python: bool) -> str:
    """The tools the model was trained with; nothing of them depends on the caller."""
    return (BROWSER if browser else "") + (PYTHON if python else "")


def tool_namespace(tools: list[Any]) -> Iterator[Segment]:
    """``namespace functions { ... }`` with one type per tool."""
    yield scaffold("## functions\n\nnamespace functions {\n\n")
    for wrapped in tools:
        tool = member(wrapped, "function")
        yield from (scaffold("// "), quoted(text_of(member(tool, "description"))), scaffold("\ntype "))
        yield from (quoted(text_of(member(tool, "name"))), scaffold(" = "))
        parameters = member(tool, "parameters")
        properties = member(parameters, "properties") if parameters else None
        if properties:
            required = member(parameters, "required") or []
            yield scaffold("(_: {\n")
            for name, schema in items(properties):
                yield quoted(_parameter(name, schema, required))
            yield scaffold("}) => any;\n\n")
        else:
            yield scaffold("() => any;\n\n")
    yield scaffold("} // namespace functions")


def _parameter(name: str, schema: Any, required: Any) -> str:
    description, default = member(schema, "description"), member(schema, "default")
    comment = f"// {text_of(description)}\n" if description else ""
    shown = ""
    if is_defined(default):
        if member(schema, "enum"):
            shown = ", // default: " + text_of(default)
        elif member(schema, "oneOf"):
            shown = "// default: " + text_of(default)
        else:
            shown = ", // default: " + tojson(default)
    return f"{comment}{name}{'' if name in required else '?'}: {typescript(schema)}{shown},\n"


def typescript(schema: Any) -> str:
    """The TypeScript type of a JSON schema."""
    kind = member(schema, "type")
    if kind == "array":
        return _array(schema)
    if is_defined(kind) and is_iterable(kind) and not isinstance(kind, (str, Mapping)) and is_defined(item(kind, 0)):
        return " | ".join(map(str, kind)) if len(kind) > 1 else str(item(kind, 0))
    if member(schema, "oneOf"):
        variants = list(member(schema, "oneOf"))
        return "".join(_variant(variant, last=k == len(variants) - 1) for k, variant in enumerate(variants))
    if kind == "string":
        enum = member(schema, "enum")
        if enum:
            return '"' + '" | "'.join(map(str, enum)) + '"'
        return "string | null" if member(schema, "nullable") else "string"
    if kind == "object":
        return _object(schema)
    return SIMPLE.get(kind, "any") if isinstance(kind, str) else "any"


def _array(schema: Any) -> str:
    element = member(schema, "items")
    kind = member(element, "type") if element else None
    if not element:
        written = "any[]"
    elif isinstance(kind, str) and kind in ITEM_TYPES:
        written = ITEM_TYPES[kind]
    else:
        inner = typescript(element)
        written = "any[]" if inner == "object | object" or len(inner) > LONGEST_ITEM_TYPE else inner + "[]"
    return written + (" | null" if member(schema, "nullable") else "")


def _variant(variant: Any, *, last: bool) -> str:
    description, default = member(variant, "description"), member(variant, "default")
    comment = "// " + text_of(description) if description else ""
    shown = " " * 20 + "// default: " + tojson(default) if is_defined(default) else ""
    return typescript(variant) + comment + shown + ("" if last else " | \n")


def _object(schema: Any) -> str:
    properties, required = member(schema, "properties"), member(schema, "required") or []
    if not properties:
        return "object"
    return (
        "{\n"
        + ", ".join(
            f"{name}{'' if name in required else '?'}: \n" + " " * 16 + typescript(element)
            for name, element in items(properties)
        )
        + "}"
    )
