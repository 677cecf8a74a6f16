"""Broken engines: reading the template, printing, looking up, operators, tests, names, and what must be refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from jinja2 import ChainableUndefined, Environment, FunctionLoader, StrictUndefined, Undefined, nodes
from jinja2.ext import Extension, LoopControlExtension
from jinja2.runtime import LoopContext
from jinja2.sandbox import SandboxedEnvironment

from tokenspec.areas.template_engine.mutants.edits import (
    Edited,
    EditedSandbox,
    LogicAsTruth,
    LoopsForgive,
    NoneForMissingArguments,
    NoneWithoutElse,
    OperatorAsTest,
    TrimmedSetBlocks,
    leaking,
    lookup,
    mutant,
    operator,
    printing,
    replacing,
    rewriting,
    setting,
)
from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.template.engine import render_template
from tokenspec_reference.renderers.template.sandbox import GenerationTag, raise_exception

Json = dict[str, Any]


class Counting(Edited):
    """Answers differently every second time."""

    seen: int = 0

    def rendered(self, request: Json) -> str:
        self.seen += 1
        return super().rendered(request) + " " * (self.seen % 2)


class BlamesTheClock(Edited):
    """Says of every refusal that it is for the time of the request."""

    def refused(self, error: Exception) -> TokenSpecError:
        refusal = super().refused(error)
        refusal.rejection_place = "/now"
        return refusal


class Sorting(Edited):
    """Sorts the messages it was given, in place."""

    def rendered(self, request: Json) -> str:
        text = super().rendered(request)
        request["inputs"]["rendered"] = True
        return text


class Printed(Undefined):
    """What is missing prints its kind."""

    def __str__(self) -> str:
        return "undefined"


class Open(Environment):
    """Jinja without any sandbox."""

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, LoopControlExtension])
        self.globals["raise_exception"] = raise_exception


class Mutable(SandboxedEnvironment):
    """The sandbox that lets templates change lists."""

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, LoopControlExtension])
        self.globals["raise_exception"] = raise_exception


class SilentGeneration(Extension):
    """The generation tag prints nothing."""

    tags = {"generation"}  # noqa: RUF012 - an instance variable for Jinja's types

    def parse(self, parser: Any) -> list[nodes.Node]:
        next(parser.stream)
        parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return []


class NoBreak(LoopControlExtension):
    """Break and continue do nothing."""

    def parse(self, parser: Any) -> Any:
        next(parser.stream)
        return []


def without_generation(environment: Any) -> None:
    environment.extensions.pop(GenerationTag.identifier)


def silent_generation(environment: Any) -> None:
    without_generation(environment)
    environment.add_extension(SilentGeneration)


def deaf_loops(environment: Any) -> None:
    environment.extensions.pop(LoopControlExtension.identifier)
    environment.add_extension(NoBreak)


def wordless(_message: Any) -> None:
    raise_exception("the template refuses")


def keys_first(value: Any, name: Any, right: Any) -> Any:
    return value[name] if isinstance(value, dict) and isinstance(name, str) and name in value else right()


def no_negative_index(value: Any, name: Any, right: Any) -> Any:
    return Undefined() if isinstance(name, int) and name < 0 else right()


def no_negative_step(value: Any, name: Any, right: Any) -> Any:
    return value if isinstance(name, slice) and (name.step or 1) < 0 else right()


def strict_index(value: Any, name: Any, right: Any) -> Any:
    return value[name] if isinstance(value, list) and isinstance(name, int) else right()


def truncated(left: Any, right: Any) -> Any:
    whole = isinstance(left, int) and isinstance(right, int)
    return int(left / right) if whole else left / right


def script_numbers(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value == int(value) else value


def lax_plus(left: Any, right: Any) -> Any:
    texts = isinstance(left, str) or isinstance(right, str)
    return f"{left}{right}" if texts and type(left) is not type(right) else left + right


def same_kind_equal(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def sorted_inside(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sorted_inside(value[key]) for key in sorted(value)}
    return [sorted_inside(item) for item in value] if isinstance(value, list) else value


def today(given: Json) -> Json:
    return {"strftime_now": datetime.now(tz=UTC).strftime, **given}


def closed_range(start: int, *stop_step: int) -> range:
    return range(start, stop_step[0] + 1, *stop_step[1:]) if stop_step else range(start + 1)


def run_again(text: str) -> str:
    return EditedSandbox().from_string(text).render()


def forgiving(**table: Any) -> Any:
    """Filters or tests that know every name."""

    class Forgiving(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            return lambda value, *_, **__: value

        def get(self, name: str, default: Any = None) -> Any:
            return self[name]

        def __contains__(self, name: object) -> bool:
            return True

    return lambda environment: setattr(environment, "filters", Forgiving(environment.filters))


MUTANTS = (
    mutant("cut-text", "001", "drops the last character", lambda: Edited(text=lambda text: text[:-1])),
    mutant("never-refuses", "002", "prints the error", lambda: Edited(refusal=lambda error: {"text": str(error)})),
    mutant("wordless", "004", "loses the message", lambda: Edited(edit=replacing("globals", raise_exception=wordless))),
    mutant("blames-the-clock", "006", "every refusal is the fault of the time", BlamesTheClock),
    mutant("counts-calls", "005", "depends on the number of calls", Counting),
    mutant("marks-inputs", "005", "leaves a key in the inputs", Sorting),
    mutant("no-trim-blocks", "010", "trim_blocks off", lambda: Edited(edit=setting(trim_blocks=False))),
    mutant("no-lstrip-blocks", "011", "lstrip_blocks off", lambda: Edited(edit=setting(lstrip_blocks=False))),
    mutant("no-minus", "012", "minus signs ignored", lambda: Edited(source=lambda text: text.replace("{%-", "{%"))),
    mutant("no-plus", "012", "plus signs ignored", lambda: Edited(source=lambda text: text.replace("+%}", "%}"))),
    mutant("keeps-final-newline", "013", "keeps it", lambda: Edited(edit=setting(keep_trailing_newline=True))),
    mutant(
        "keeps-crlf",
        "014",
        "carriage returns of the template are printed",
        lambda: Edited(
            source=lambda text: text.replace("\r\n", "\ue000\n"), text=lambda text: text.replace("\ue000\n", "\r\n")
        ),
    ),
    mutant("crlf-of-values", "014", "normalises values", lambda: Edited(text=lambda text: text.replace("\r\n", "\n"))),
    mutant("no-escapes", "015", "backslashes are text", lambda: Edited(source=lambda text: text.replace("\\", "\\\\"))),
    mutant("line-statements", "016", "lines with # are tags", lambda: Edited(edit=setting(line_statement_prefix="#"))),
    mutant("unknown-filters-pass", "017", "unknown filters do nothing", lambda: Edited(edit=forgiving())),
    mutant(
        "do-tag",
        "017",
        "a tag too many",
        lambda: Edited(edit=lambda environment: environment.add_extension("jinja2.ext.do")),
    ),
    mutant("autoescape", "020", "escapes markup", lambda: Edited(edit=setting(autoescape=True))),
    mutant(
        "json-constants",
        "021",
        "true, false and null",
        lambda: Edited(edit=printing(lambda value: json.dumps(value) if value is None or value is True else value)),
    ),
    mutant("whole-floats", "022", "1.0 prints as 1", lambda: Edited(edit=printing(script_numbers))),
    mutant(
        "long-floats",
        "022",
        "no exponents",
        lambda: Edited(edit=printing(lambda value: f"{value:f}" if isinstance(value, float) else value)),
    ),
    mutant(
        "json-containers",
        "023",
        "lists print as JSON",
        lambda: Edited(edit=printing(lambda value: json.dumps(value) if isinstance(value, (list, dict)) else value)),
    ),
    mutant("prints-undefined", "024", "the word undefined", lambda: Edited(edit=setting(undefined=Printed))),
    mutant(
        "strict-undefined", "024", "refuses what is missing", lambda: Edited(edit=setting(undefined=StrictUndefined))
    ),
    mutant(
        "chains-undefined", "025", "attributes of nothing", lambda: Edited(edit=setting(undefined=ChainableUndefined))
    ),
    mutant("keys-first", "030", "a dot finds keys first", lambda: Edited(sandbox=lookup(keys_first))),
    mutant("no-negative-index", "031", "negative is missing", lambda: Edited(sandbox=lookup(no_negative_index))),
    mutant("no-negative-step", "031", "reversing does nothing", lambda: Edited(sandbox=lookup(no_negative_step))),
    mutant("strict-index", "031", "refuses beyond the end", lambda: Edited(sandbox=lookup(strict_index))),
    mutant("integer-division", "032", "/ cuts", lambda: Edited(sandbox=operator("/", truncated))),
    mutant("remainder-sign", "032", "% of the dividend", lambda: Edited(sandbox=operator("%", math.fmod))),
    mutant("divides-by-zero", "032", "zero", lambda: Edited(sandbox=operator("/", lambda a, b: a / b if b else 0.0))),
    mutant("plus-converts", "033", "text plus anything", lambda: Edited(sandbox=operator("+", lax_plus))),
    mutant(
        "strict-equality",
        "034",
        "1 is not 1.0",
        lambda: Edited(edit=rewriting(OperatorAsTest("eq"), edited=same_kind_equal)),
    ),
    mutant(
        "lax-order",
        "034",
        "orders anything by its text",
        lambda: Edited(edit=rewriting(OperatorAsTest("lt"), edited=lambda left, right: str(left) < str(right))),
    ),
    mutant("boolean-logic", "035", "and and or give booleans", lambda: Edited(edit=rewriting(LogicAsTruth()))),
    mutant("none-without-else", "035", "none prints", lambda: Edited(edit=rewriting(NoneWithoutElse()))),
    mutant(
        "in-asks-values",
        "036",
        "in looks at the values of a mapping",
        lambda: Edited(
            edit=rewriting(
                OperatorAsTest("in"),
                edited=lambda item, box: item in (box.values() if isinstance(box, dict) else box),
            )
        ),
    ),
    mutant(
        "in-none",
        "036",
        "nothing is in none",
        lambda: Edited(edit=rewriting(OperatorAsTest("in"), edited=lambda item, box: item in (box or ()))),
    ),
    mutant(
        "none-iterable",
        "040",
        "none is iterable",
        lambda: Edited(edit=replacing("tests", iterable=lambda value: value is None or hasattr(value, "__iter__"))),
    ),
    mutant(
        "boolean-no-number",
        "040",
        "true is no number",
        lambda: Edited(edit=replacing("tests", number=lambda value: type(value) in (int, float))),
    ),
    mutant(
        "even-odd", "041", "odd below zero", lambda: Edited(edit=replacing("tests", odd=lambda value: value % 2 > 1))
    ),
    mutant("no-previtem", "050", "loop.previtem", lambda: Edited(patches=((LoopContext, "previtem", Undefined()),))),
    mutant(
        "revindex",
        "050",
        "counts from zero",
        lambda: Edited(patches=((LoopContext, "revindex", LoopContext.revindex0),)),
    ),
    mutant("loops-forgive", "051", "none has no elements", lambda: Edited(edit=rewriting(LoopsForgive()))),
    mutant("sorts-keys", "051 060", "mappings are sorted", lambda: Edited(inputs=sorted_inside)),
    mutant("no-break", "052", "break and continue do nothing", lambda: Edited(edit=deaf_loops)),
    mutant("leaking-names", "053", "names leak out of loops", lambda: Edited(edit=leaking)),
    mutant("trims-set-blocks", "054", "white space at the ends", lambda: Edited(edit=rewriting(TrimmedSetBlocks()))),
    mutant("none-arguments", "055", "not given is none", lambda: Edited(edit=rewriting(NoneForMissingArguments()))),
    mutant("no-generation-tag", "056", "unknown tag", lambda: Edited(edit=without_generation)),
    mutant("silent-generation", "056", "prints nothing", lambda: Edited(edit=silent_generation)),
    mutant("wall-clock", "075", "today", lambda: Edited(inputs=today)),
    mutant("closed-range", "076", "includes its end", lambda: Edited(edit=replacing("globals", range=closed_range))),
    mutant("mutable", "080 005", "lists can be changed", lambda: Edited(sandbox=Mutable)),
    mutant("no-sandbox", "081", "the way to the interpreter", lambda: Edited(sandbox=Open)),
    mutant("endless-range", "082", "any range", lambda: Edited(edit=replacing("globals", range=range))),
    mutant(
        "recursion-prints",
        "083",
        "endless recursion prints nothing",
        lambda: Edited(refusal=lambda error: {"text": ""} if isinstance(error, RecursionError) else raising(error)),
    ),
    mutant(
        "loads",
        "084",
        "any name is an empty template",
        lambda: Edited(edit=setting(loader=FunctionLoader(lambda _: ""))),
    ),
    mutant("runs-values", "085", "renders twice", lambda: Edited(text=run_again)),
    mutant(
        "sizes-print-nothing",
        "086",
        "what is too large prints nothing",
        lambda: Edited(refusal=lambda error: {"text": ""} if isinstance(error, MemoryError) else raising(error)),
    ),
    mutant("numbers-are-sizes", "087", "a line is no wider than text", lambda: Edited(edit=bounded("wordwrap"))),
    mutant("no-bounds", "088", "the bounds of a request are not looked at", lambda: Bounded(2**40)),
    mutant("narrow-bounds", "088", "a hundredth of what is allowed", lambda: Bounded(1000)),
)


@dataclass
class Bounded:
    """The reference with the same bounds for every request."""

    bound: int

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {"name": "mutant", "version": "0", "language": "python"}

    def render_template(self, request: Json) -> Json:
        """Render within the own bounds."""
        limits = {"limits": {"characters": self.bound, "steps": self.bound}} if "limits" in request else {}
        return render_template({**request, **limits})


def bounded(name: str) -> Callable[[Environment], None]:
    """A filter that refuses large numbers."""

    def edit(environment: Environment) -> None:
        known = environment.filters[name]

        @wraps(known)
        def filtered(*values: Any) -> Any:
            if any(isinstance(value, int) and value > 2**31 for value in values):
                raise ValueError("too large")
            return known(*values)

        environment.filters = {**environment.filters, name: filtered}

    return edit


def raising(error: Exception) -> Json:
    """Refuse after all."""
    raise Edited().refused(error) from error
