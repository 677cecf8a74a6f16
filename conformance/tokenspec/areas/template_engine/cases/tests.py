"""Tests: ``x is ...``."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import asked, case

VALUES = [None, True, 0, 1.5, "", "text", [], [1], {}, {"a": 1}]


def table(name: str, requirement: str, why: str) -> object:
    """One test over every kind of value, the missing one last."""
    return case(
        f"is-{name}",
        requirement,
        "TEMPLATE_TESTS",
        why,
        f"{{% for v in x %}}{{{{ 'T' if v is {name} else 'F' }}}}{{% endfor %}}"
        f"{{{{ 'T' if missing is {name} else 'F' }}}}",
        x=VALUES,
    )


CASES = [
    table("defined", "040", "Everything that was given is defined, none included."),
    table("undefined", "040", "Only what is missing is undefined."),
    table("none", "040", "None alone is none; what is missing is not."),
    table("string", "040", "Text alone is a string."),
    table("number", "040", "Numbers are numbers, and true and false as well."),
    table("integer", "040", "Integers are integers, true and false are not."),
    table("float", "040", "Floats alone are floats."),
    table("boolean", "040", "True and false alone are booleans."),
    table("mapping", "040", "Mappings alone are mappings."),
    table("sequence", "040", "Text, lists, mappings and what is missing are sequences."),
    case(
        "is-iterable",
        "040",
        "TEMPLATE_TESTS",
        "Text, lists, mappings and what is missing can be walked; none, numbers and booleans cannot.",
        "{% for v in x %}{{ 'T' if v is iterable else 'F' }}{% endfor %}{{ 'T' if missing is iterable else 'F' }}",
        x=VALUES,
        issue="minijinja#815",
    ),
    case(
        "is-iterable-guard",
        "040",
        "TEMPLATE_TESTS",
        "The guard templates put before tools: none is not iterable, so its length is never asked.",
        "{% if tools is iterable and tools|length > 0 %}tools{% else %}none{% endif %}",
        tools=None,
    ),
    case(
        "is-true-false",
        "040",
        "TEMPLATE_TESTS",
        "True is the constant, not any true value.",
        "{% for v in x %}{{ 'T' if v is true else 'F' }}{{ 'T' if v is false else 'F' }} {% endfor %}",
        x=[True, False, 1, 0, "true", None],
    ),
    case(
        "is-callable",
        "040",
        "TEMPLATE_TESTS",
        "Macros and functions are callable, values are not.",
        asked(
            "m is callable",
            "raise_exception is callable",
            "'a' is callable",
            "range is callable",
            before="{% macro m() %}{% endmacro %}",
        ),
    ),
    case(
        "is-not",
        "041",
        "TEMPLATE_TESTS",
        "Is not is the opposite, and binds before and.",
        asked("1 is not none", "missing is not defined", "'a' is not mapping and 'a' is string", "not 'a' is mapping"),
    ),
    case(
        "is-equalto",
        "041",
        "TEMPLATE_TESTS",
        "The tests eq, equalto, ne, lt, gt, le and ge compare.",
        asked(
            "1 is eq(1.0)", "'a' is equalto('a')", "1 is ne(2)", "1 is lt(2)", "2 is gt(1)", "2 is ge(2)", "1 is le(0)"
        ),
    ),
    case(
        "test-argument-bare",
        "041",
        "TEMPLATE_TESTS",
        "The argument of a test may stand without parentheses.",
        asked("1 is eq 1", "9 is divisibleby 3", "'a' is in ['a']"),
    ),
    case(
        "is-even-odd",
        "041",
        "TEMPLATE_TESTS",
        "Numbers are even and odd, also below zero; alternation guards use it.",
        asked("2 is even", "3 is odd", "0 is even", "-1 is odd", "-1 is even"),
    ),
    case(
        "is-divisibleby",
        "041",
        "TEMPLATE_TESTS",
        "Numbers are divisible.",
        asked("9 is divisibleby(3)", "9 is divisibleby(2)"),
    ),
    case(
        "is-in",
        "041",
        "TEMPLATE_TESTS",
        "The test in is the operator.",
        asked("1 is in([1, 2])", "'a' is in('abc')", "'z' is not in('abc')"),
    ),
    case(
        "is-sameas",
        "041",
        "TEMPLATE_TESTS",
        "Same as tells one constant from an equal value.",
        asked("none is sameas(none)", "x is sameas(true)", "1 is sameas(true)"),
        x=True,
    ),
    case(
        "is-upper-lower",
        "041",
        "TEMPLATE_TESTS",
        "Upper and lower look at letters only and want at least one.",
        asked("'AB1' is upper", "'aB' is lower", "'1' is upper", "'' is lower"),
    ),
    case(
        "unknown-test",
        "041 017",
        "TEMPLATE_TESTS",
        "A test nobody defined is refused.",
        "{{ 1 is frobnicated }}",
    ),
]
