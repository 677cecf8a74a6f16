"""Tool schemas of every form: arrays, objects, unions, enumerations, defaults, references, responses, odd names.

A case lists several tools, so that what a row writes around them is not repeated for each. Schemas that some template
refuses have a case of their own.
"""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.cases.build import GENERATE, TEXT, Message, Tool, function, render, user
from tokenspec.store.records import Case

Schema = dict[str, Any]
ASK: list[Message] = [user("What can you do?")]
STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


def taking(name: str, properties: Schema, required: list[str] | None = None, **more: Any) -> Tool:
    """A tool of these parameters; `required` is left out where it is None."""
    parameters: Schema = {"type": "object", "properties": properties, **more}
    if required is not None:
        parameters["required"] = required
    return function(name, parameters, f"Does {name}.")


def outer(name: str, more: Schema, **beside: Any) -> Tool:
    """A tool with other keys in its definition, and beside it."""
    return {"type": "function", **beside, "function": {"name": name, "description": f"Does {name}.", **more}}


def array(items: Any, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def record(properties: Schema, required: list[str] | None = None, **more: Any) -> Schema:
    found: Schema = {"type": "object", "properties": properties, **more}
    return found if required is None else {**found, "required": required}


def forms(slug: str, why: str, *tools: Tool, flags: tuple[str, ...] = ("TOOL_SCHEMA",), prompt: bool = False) -> Case:
    """One case of several tools; they may be refused."""
    return render(
        f"schema-forms-{slug}",
        why,
        ASK,
        *flags,
        requires=(*TEXT, "RND-002"),
        tools=list(tools),
        options=GENERATE if prompt else None,
    )


LONG = {f"option_number_{number}": {"type": "string"} for number in range(4)}

ARRAYS = (
    taking("strings", {"a": array(STRING)}, ["a"]),
    taking("numbers", {"a": array(NUMBER), "b": array(INTEGER), "c": array(BOOLEAN)}, ["b"]),
    taking("records", {"a": array(record({"x": STRING, "y": INTEGER}, ["y", "x"]))}, ["a"]),
    taking("empty_records", {"a": array({"type": "object"}), "b": array(record({}))}),
    taking("matrix", {"a": array(array(NUMBER)), "b": array(array(array(STRING)))}, []),
    taking("long_records", {"a": array(record(LONG, ["option_number_2"]))}),
    taking("nullable", {"a": array(STRING, nullable=True), "b": {"type": "array", "nullable": True}}),
    taking("anything", {"a": {"type": "array"}, "b": array({}), "c": array(None), "d": array(None, nullable=True)}),
    taking(
        "half_said", {"a": array({"type": "object", "properties": []}), "b": array({"type": "string", "title": None})}
    ),
    taking("described", {"a": array({"type": "string", "description": "One."}, description="Many.", minItems=1)}),
    taking("enumerated", {"a": array({"type": "string", "enum": ["x", "y"]}), "b": array({"enum": [1, 2]})}),
    taking("mixed", {"a": array({"type": ["string", "integer"]}), "b": array({"anyOf": [STRING, NUMBER]})}),
    taking("pair_of_objects", {"a": array({"type": ["object", "object"]}), "b": array({"type": ["null"]})}),
)
OBJECTS = (
    taking("flat", {"a": record({"x": STRING, "y": NUMBER}, ["x"])}, ["a"]),
    taking("deep", {"a": record({"b": record({"c": record({"d": BOOLEAN}, ["d"])}, [])}, ["b"])}),
    taking("empty", {"a": {"type": "object"}, "b": record({}), "c": record({}, [])}),
    taking(
        "open", {"a": {"type": "object", "additionalProperties": STRING}, "b": record({}, additionalProperties=False)}
    ),
    taking("keyed", {"a": {"type": "object", "description": "A map.", "minProperties": 1, "required": ["x", "y"]}}),
    taking("both", {"a": record({"x": STRING}, ["x"], description="One.", nullable=True)}, ["a"], title="Both"),
)
UNIONS = (
    taking("nullable_string", {"a": {"type": ["string", "null"]}, "b": {"type": "string", "nullable": True}}, ["a"]),
    taking("nullable_others", {"a": {"type": "integer", "nullable": True}, "b": {"type": "object", "nullable": True}}),
    taking("single", {"a": {"type": ["integer"]}, "b": {"type": ["object", "object"]}, "c": {"type": []}}),
    taking(
        "any_of", {"a": {"anyOf": [STRING, {"type": "null"}]}, "b": {"anyOf": [record({"x": STRING}), array(NUMBER)]}}
    ),
    taking("one_of", {"a": {"oneOf": [STRING, INTEGER]}, "b": {"oneOf": [NUMBER]}}),
    taking(
        "one_of_described",
        {
            "a": {
                "oneOf": [
                    {"type": "string", "description": "A name.", "default": "none"},
                    {"type": "integer", "default": 3},
                    {"type": "boolean", "description": "On."},
                ],
                "default": "none",
            }
        },
    ),
    taking(
        "one_of_objects", {"a": {"oneOf": [record({"x": STRING}), record({"y": NUMBER})]}, "b": {"oneOf": [record({})]}}
    ),
    taking("all_of", {"a": {"allOf": [STRING, {"minLength": 1}]}, "b": {"not": {"type": "null"}}}),
)
ENUMS = (
    taking("words", {"a": {"type": "string", "enum": ["x", "y z", "ü"]}}, ["a"]),
    taking("described_words", {"a": {"type": "string", "description": "Which.", "enum": ["x", "y"], "default": "y"}}),
    taking(
        "one_word", {"a": {"type": "string", "enum": ["x"]}, "b": {"const": "x"}, "c": {"type": "string", "enum": []}}
    ),
    taking("integers", {"a": {"type": "integer", "enum": [3, 1, 2]}, "b": {"enum": [1, "1", None]}}),
    taking("nullable_words", {"a": {"type": "string", "enum": ["x"], "nullable": True}}),
    taking("untyped_words", {"a": {"enum": ["x", "y"], "default": "x"}}),
)
DEFAULTS = (
    taking("texts", {"a": {"type": "string", "default": ""}, "b": {"type": "string", "default": 'a "b" \\ <c>'}}),
    taking("numerals", {"a": {"type": "number", "default": -0.5}, "b": {"type": "integer", "default": 0}}),
    taking("big_numerals", {"a": {"type": "number", "default": 1e22}, "b": {"type": "integer", "default": 2**70}}),
    taking("truths", {"a": {"type": "boolean", "default": False}, "b": {"type": "boolean", "default": True}}),
    taking("nothing", {"a": {"type": "string", "default": None}, "b": {"default": None}}),
    taking("lists", {"a": array(STRING, default=["x", "ü"]), "b": array(NUMBER, default=[])}),
    taking("maps", {"a": {"type": "object", "default": {"z": 1, "a": [None, True]}}}),
)
REFERENCES = (
    taking(
        "to_defs", {"a": {"$ref": "#/$defs/Size"}}, ["a"], **{"$defs": {"Size": {"type": "string", "enum": ["s", "l"]}}}
    ),
    taking("to_definitions", {"a": array({"$ref": "#/definitions/x~1y"})}, definitions={"x/y": {"type": "integer"}}),
    taking("to_itself", {"next": {"$ref": "#"}, "value": INTEGER}, ["value"], **{"$schema": "urn:example:schema"}),
    taking(
        "beside_others",
        {"a": {"$ref": "#/$defs/N", "description": "Near."}},
        None,
        **{"$defs": {"N": record({"n": NUMBER})}},
    ),
)
KEYWORDS = (
    taking("lengths", {"a": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": '^[a-z]+"$'}}),
    taking("ranges", {"a": {"type": "number", "minimum": -1.5, "exclusiveMaximum": 1e3, "multipleOf": 0.25}}),
    taking("formats", {"a": {"type": "string", "format": "date-time", "examples": ["2026-01-01T00:00:00Z"]}}),
    taking("comments", {"a": {"type": "string", "title": "A", "deprecated": True, "readOnly": False, "$comment": "c"}}),
    taking("counts", {"a": array(STRING, minItems=1, maxItems=3, uniqueItems=True)}, [], additionalProperties=False),
    taking("shouted", {"a": {"type": "STRING"}, "b": {"type": "Object", "properties": {"x": {"type": "INTEGER"}}}}),
)
NAMES = (
    taking("keywords", {"type": STRING, "properties": STRING, "required": STRING, "description": STRING}, ["type"]),
    taking("in_object", {"a": {"type": "object", "x": STRING, "nullable": False, "y": INTEGER}}),
    taking("dashed", {"a-b": STRING, "c d": STRING, "größe": STRING, "": STRING}, ["c d"]),
    taking("unordered", {"z": STRING, "A": STRING, "a": STRING, "_": STRING}, ["unknown", "z"]),
    taking("untyped", {"a": {}, "b": {"description": "Any."}, "c": {"nullable": True}}),
)
OUTER = (
    outer(
        "answering", {"parameters": record({"a": STRING}), "response": {"type": "object", "description": "The answer."}}
    ),
    outer("bare_answer", {"parameters": record({}, []), "response": {"type": "object"}}),
    outer("strict", {"strict": True, "parameters": record({"a": STRING}, ["a"], additionalProperties=False)}),
    outer("later", {"defer_loading": True, "parameters": record({"a": STRING}, ["a"])}),
    outer("now", {"defer_loading": False, "parameters": {"properties": {"a": STRING}}}),
    outer(
        "cached",
        {"parameters": record({"a": {"type": "string", "description": ""}})},
        cache_control={"type": "ephemeral"},
    ),
)

CASES = (
    forms("arrays", "Lists of every kind of element, nested, nullable and of nothing.", *ARRAYS),
    forms("objects", "Objects, deep, empty and open.", *OBJECTS, prompt=True),
    forms("unions", "Lists of types, alternatives, nullable types.", *UNIONS),
    forms("enums", "Enumerations of words and numbers, with and without a default.", *ENUMS, prompt=True),
    forms("defaults", "Defaults of every type.", *DEFAULTS, flags=("TOOL_SCHEMA", "NUMBERS")),
    forms("references", "References within a schema.", *REFERENCES),
    forms("keywords", "Keywords that only some templates print, and types in other letters.", *KEYWORDS),
    forms("names", "Parameters that are called like keywords, and names that need no quotes to be odd.", *NAMES),
    forms("outer", "What stands beside the parameters: response, strictness, deferred loading.", *OUTER),
    forms(
        "number-default-of-enum",
        "An enumeration of numbers with a default, which one template joins with text and so refuses.",
        taking("level", {"a": {"type": "integer", "enum": [1, 2], "default": 1}}),
    ),
    forms(
        "response-of-text",
        "A response that is no object leaves one template's brace open.",
        outer("say", {"parameters": record({"a": STRING}), "response": {"type": "string", "description": "What."}}),
    ),
    forms("boolean-schema", "A schema that is only true.", taking("any", {"a": True, "b": STRING}, ["b"])),
)
