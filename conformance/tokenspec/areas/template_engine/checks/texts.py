"""TEXT and REFUSALS of template engines. A micro-case is judged once per requirement it isolates.

So a failure says which rule of the dialect is broken, not only that a prompt differs.
"""

from __future__ import annotations

from itertools import takewhile

from tokenspec.adapters import Ok, Refused
from tokenspec.areas.check import NotGiven, Question, Subject, Violation, check, cites
from tokenspec.areas.refusal import is_below_a_value, within

AREA = "template-engine"
TEXT, REFUSALS = "TEXT", "REFUSALS"

TOPICS = {
    "trim-blocks": ("TPL-010", "A block takes the newline behind it."),
    "lstrip-blocks": ("TPL-011", "A block takes the blanks before it."),
    "strip-signs": ("TPL-012", "Minus strips all white space, plus none."),
    "final-newline": ("TPL-013", "The last newline of a template is dropped."),
    "line-ends": ("TPL-014", "Line ends of a template are newlines, those of values stay."),
    "string-constants": ("TPL-015", "String constants are Python's."),
    "text-outside-tags": ("TPL-016", "Everything outside tags is text."),
    "unknown-names": ("TPL-017", "Unknown names do no harm where they are not reached."),
    "no-escaping": ("TPL-020", "Nothing is escaped."),
    "print-constants": ("TPL-021", "True, False and None print as Python's."),
    "print-numbers": ("TPL-022", "Numbers print as Python's."),
    "print-containers": ("TPL-023", "Containers print as Python's."),
    "undefined": ("TPL-024", "What is missing is nothing."),
    "attributes": ("TPL-030", "A dot finds methods first, brackets keys first."),
    "slices": ("TPL-031", "Indices and slices are Python's."),
    "arithmetic": ("TPL-032", "Arithmetic is Python's."),
    "joining": ("TPL-033", "A tilde converts, a plus does not."),
    "comparison": ("TPL-034", "Comparison is Python's."),
    "logic": ("TPL-035", "Logic gives operands."),
    "membership": ("TPL-036", "In asks for text, elements and keys."),
    "tests-of-kind": ("TPL-040", "Tests of kind hold for exactly the values of the table."),
    "tests-of-value": ("TPL-041", "Tests of value are the operators."),
    "loop-variables": ("TPL-050", "Loops know where they are."),
    "loops": ("TPL-051", "Loops walk what Python walks."),
    "break-continue": ("TPL-052", "Loops can be left and their turns cut short."),
    "scope": ("TPL-053", "What a loop sets ends with its turn."),
    "text-blocks": ("TPL-054", "Blocks of text are kept, named and filtered."),
    "macros": ("TPL-055", "Macros take arguments, see the top and give text."),
    "generation-tag": ("TPL-056", "The generation tag is transparent."),
    "tojson": ("TPL-060", "JSON escapes no markup, keeps order and characters."),
    "tojson-options": ("TPL-061", "JSON takes Python's options."),
    "strip": ("TPL-062", "White space is Python's set."),
    "case": ("TPL-063", "Case is Unicode's."),
    "string-methods": ("TPL-064", "Methods of text are Python's."),
    "list-filters": ("TPL-065", "Filters of lists are Jinja's."),
    "select-map": ("TPL-066", "Choosing and mapping apply filters and tests."),
    "default": ("TPL-067", "Default fills in for what is missing."),
    "number-filters": ("TPL-068", "Filters of numbers are Jinja's."),
    "formats": ("TPL-069", "Formats are Python's."),
    "text-filters": ("TPL-070", "Text filters are Jinja's."),
    "date": ("TPL-075", "The date is the request's."),
    "functions": ("TPL-076", "Range, dict, namespace, cycler and joiner are there."),
    "values-not-run": ("TPL-085", "Values are never run."),
    "within-bounds": ("TPL-088", "What stays within the bounds of the request is rendered."),
    "large-numbers": ("TPL-087", "A large number that makes nothing large is just a number."),
}
"""What answers are judged for: check name, requirement, one line."""

REFUSED = {
    "unknown-names": ("TPL-017", "What nobody defined is refused."),
    "undefined": ("TPL-025", "What is missing cannot be used."),
    "arithmetic": ("TPL-032", "Dividing by zero is refused."),
    "joining": ("TPL-033", "Adding text to something else is refused."),
    "comparison": ("TPL-034", "Ordering what has no order is refused."),
    "membership": ("TPL-036", "Asking what is in none is refused."),
    "loops": ("TPL-051", "Walking none or a number is refused."),
    "macros": ("TPL-055", "An argument without a place is refused."),
    "tojson-options": ("TPL-061", "An option JSON lacks is refused."),
    "string-methods": ("TPL-064", "A method text lacks, or arguments it does not take, are refused."),
    "list-filters": ("TPL-065", "What has no length, order or pairs is refused."),
    "select-map": ("TPL-066", "What was chosen has no length until it is a list."),
    "default": ("TPL-067", "Default does not rescue an attribute of what is missing."),
    "formats": ("TPL-069", "A value its format does not take is refused."),
    "inputs-change": ("TPL-080", "Changing a list or a mapping is refused."),
    "interpreter": ("TPL-081", "The way to the interpreter is closed."),
    "range": ("TPL-082", "A huge range is refused."),
    "recursion": ("TPL-083", "Endless recursion is refused."),
    "loading": ("TPL-084", "Loading another template is refused."),
    "sizes": ("TPL-086", "What no memory holds is refused."),
    "bounds": ("TPL-088", "What goes beyond the bounds of the request is refused."),
}
"""What refusals are judged for."""


NUMERALS = frozenset("0123456789.e+-")


def compare_text(subject: Subject) -> None:
    """Raise Violation with the first difference."""
    expected, got = subject.expect.text, subject.output.text
    if got == expected:
        return
    pairs = zip(expected, got, strict=False)
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    raise Violation(
        "the text differs from the oracle's",
        where=f"character {at} of {len(expected)}",
        expected=around(expected, at),
        got=around(got, at),
        hint=hint_of(expected, got, at),
    )


def around(text: str, at: int) -> str:
    """A stretch of a text as Python writes it, so that invisible characters show."""
    return ascii(text[max(0, at - 20) : at + 40]) if text else "nothing"


def hint_of(expected: str, got: str, at: int) -> str:
    """The usual cause of a difference, where one is told by sight."""
    if any(escape in got and escape not in expected for escape in ("&lt;", "&amp;", "&#39;", "&#34;", "\\u003c")):
        return "something escapes markup"
    if "\r" in got and "\r" not in expected:
        return "line ends of the template are not read as newlines"
    if "".join(got.split()) == "".join(expected.split()):
        return "only white space differs: trim_blocks, lstrip_blocks or the set that strip removes"
    if got.lower() == expected.lower():
        return "only case differs: True, False and None, or the case mapping"
    if set(expected[at - 1 : at + 1] + got[at : at + 1]) <= NUMERALS and at:
        return "a number is spelled otherwise: 1.0, exponents, or more digits than a float has"
    return ""


def compare_refusal(subject: Subject) -> None:
    """Raise Violation unless the implementation refused."""
    if isinstance(subject.outcome, Ok):
        raise Violation(
            "renders a template the oracle refuses",
            expected=f"a refusal (the oracle raises {subject.cell.golden.error if subject.cell.golden else '?'})",
            got=around(subject.output.text, 0),
        )


@check("template-engine.text", area=AREA, level=TEXT, requires=("TPL-001",), kind="golden")
def text_is_byte_identical(subject: Subject) -> None:
    """The text equals the oracle's, byte for byte."""
    compare_text(subject)


@check("template-engine.refuses", area=AREA, level=REFUSALS, requires=("TPL-002",), kind="rejects")
def refuses_what_the_oracle_refuses(subject: Subject) -> None:
    """Where the oracle raises, so does the engine."""
    compare_refusal(subject)


@check("template-engine.pure", area=AREA, level=TEXT, requires=("TPL-005",), kind="metamorphic")
def rendering_leaves_no_trace(subject: Subject) -> None:
    """Inputs come back as they were, and a second call gives the same text."""
    if subject.mutated:
        raise Violation("the request was changed by the call", hint="the sandbox lets a template change its inputs")
    if not subject.cell.borrowed and subject.output_of(subject.request) != subject.output:
        raise Violation("the second call on one input differs from the first", hint="a clock, a cache, a counter")


@check("template-engine.untouched", area=AREA, level=REFUSALS, requires=("TPL-005",), kind="rejects")
def refusing_leaves_no_trace(subject: Subject) -> None:
    """A refused template has changed nothing either."""
    if subject.mutated:
        raise Violation("the request was changed by the call", hint="the sandbox lets a template change its inputs")


def words_of(question: Question) -> str:
    """The words of ``raise_exception`` in the case; empty where the oracle refuses for another reason."""
    golden = question.cell.golden
    kind, _, words = ((golden and golden.error) or "").partition(": ")
    return words if kind == "TemplateError" else ""


@check(
    "template-engine.words",
    area=AREA,
    level=REFUSALS,
    requires=("TPL-004",),
    kind="rejects",
    applies=lambda question: bool(words_of(question)),
)
def the_templates_words_arrive(subject: Subject) -> None:
    """The message of ``raise_exception`` reaches the caller."""
    words = words_of(subject)
    if not isinstance(subject.outcome, Refused) or words not in subject.outcome.message:
        raise Violation("the template's own message is lost", expected=repr(words), got=str(subject.outcome))


@check("template-engine.code", area=AREA, level=REFUSALS, requires=("TPL-003",), kind="rejects")
def refusals_have_a_code(subject: Subject) -> None:
    """The refusal says of which kind it is."""
    if not isinstance(subject.outcome, Refused):
        raise NotGiven("answers, so there is no code (see TPL-002)")
    golden = subject.cell.golden
    expected = code_of(((golden and golden.error) or "").partition(":")[0])
    if subject.outcome.code != expected:
        raise Violation("refused with another code", expected=expected, got=str(subject.outcome))


@check("template-engine.place", area=AREA, level=REFUSALS, requires=("TPL-006",), kind="rejects")
def refusals_say_where(subject: Subject) -> None:
    """The place, where one is given, is the template, or what it could not do with."""
    got = subject.outcome
    if not isinstance(got, Refused):
        raise NotGiven("answers, so there is no place (see TPL-002)")
    if not got.place:
        raise NotGiven("names no place")
    at_fault = ["/template"] if got.code == "invalid-template" else ["/template", "/inputs", "/limits"]
    if not any(within(got.place, place) for place in at_fault):
        raise Violation("another place is blamed", expected=" or ".join(at_fault), got=str(got))
    if is_below_a_value(got.place, subject.request):
        raise Violation("the place leads into what has no parts", expected="a place in the request", got=got.place)


def code_of(error: str) -> str:
    """The code of TPL-003 for the class the oracle raised."""
    codes = {
        "TemplateError": "template-raises",
        "UndefinedError": "undefined",
        "SecurityError": "security",
        "TemplateSyntaxError": "invalid-template",
        "TemplateAssertionError": "invalid-template",
        "SyntaxError": "invalid-template",
        "IndentationError": "invalid-template",
        "RecursionError": "template-limit",
        "MemoryError": "template-limit",
        "OverflowError": "template-limit",
    }
    return codes.get(error, "value")


def register(name: str, requirement: str, doc: str, *, refused: bool) -> None:
    """One check for the cases that isolate one requirement."""

    def judge(subject: Subject) -> None:
        compare_refusal(subject) if refused else compare_text(subject)

    judge.__doc__ = doc
    level, kind = (REFUSALS, "rejects") if refused else (TEXT, "golden")
    check(name, area=AREA, level=level, requires=(requirement,), kind=kind, applies=cites(requirement))(judge)


for topic, (cited, line) in TOPICS.items():
    register(f"template-engine.{topic}", cited, line, refused=False)
for topic, (cited, line) in REFUSED.items():
    register(f"template-engine.{topic}.refused", cited, line, refused=True)
