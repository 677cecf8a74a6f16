"""The two examples the idea was published with, in every state that matters, and the schemas around them."""

from __future__ import annotations

from collections.abc import Iterator

from tokenspec.areas.fast_forward.cases.build import case, closed, either, schema
from tokenspec.store.records import Case

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
ORDER = closed((), {"orderId": TEXT, "orderName": TEXT})
PERSON = closed(("name_of_the_person", "age"), {"name_of_the_person": TEXT, "age": WHOLE})
FLAG = "PUBLISHED_EXAMPLE"


def cases() -> Iterator[Case]:
    """Cases ``seed-*``."""
    yield case("seed-order-start", "Only the opening brace is forced before optional properties.", FLAG, schema(ORDER))
    yield case(
        "seed-order-quoted",
        "The word order is forced, but orderId may be one token.",
        FLAG,
        schema(ORDER),
        ['{"'],
        sweep=True,
    )
    yield case(
        "seed-order-quoted-flexible",
        "White space elsewhere does not change what is forced inside a name.",
        FLAG,
        schema(ORDER, flexible=True),
        ['{"'],
    )
    yield case("seed-order-brace-alone", "A quote or the closing brace: nothing is forced.", FLAG, schema(ORDER), ["{"])
    yield case(
        "seed-order-non-canonical-prefix",
        "Brace and quote sampled one by one are not canonical context.",
        FLAG + " CONTEXT_TOKEN",
        schema(ORDER),
        ["{", '"'],
        sweep=True,
    )
    yield case("seed-order-second", "Only one property is left after orderId.", FLAG, schema(ORDER), ['{"orderId":"7"'])
    yield case(
        "seed-order-id-chosen",
        "Inside a name that is decided, its rest is forced.",
        FLAG,
        schema(ORDER),
        ['{"order', "N"],
    )
    yield case("seed-order-literals", "The same choice without JSON.", FLAG, either("orderId", "orderName"), sweep=True)
    for flexible in (False, True):
        kind = "flexible" if flexible else "compact"
        grammar = schema(PERSON, flexible=flexible)
        yield case(
            f"seed-name-start-{kind}",
            "What a required first property forces from the start.",
            FLAG,
            grammar,
            sweep=True,
        )
        yield case(
            f"seed-name-quoted-{kind}",
            "The closing quote may join the colon: it is held back.",
            FLAG,
            grammar,
            ['{"'],
            sweep=True,
        )
        yield case(
            f"seed-name-brace-alone-{kind}",
            "A lone brace was sampled, so the quote after it joins the name.",
            FLAG + " CONTEXT_TOKEN",
            grammar,
            ["{"],
        )
        yield case(
            f"seed-name-inside-{kind}",
            "The middle of a name continues it.",
            FLAG,
            grammar,
            ['{"', "name_of"],
            sweep=not flexible,
        )
        yield case(
            f"seed-name-value-{kind}",
            "Inside a string anything may follow.",
            FLAG,
            grammar,
            ['{"name_of_the_person":"Jo'],
        )
        yield case(
            f"seed-name-after-value-{kind}",
            "After the closing quote comma and next name are forced.",
            FLAG,
            grammar,
            ['{"name_of_the_person":"John"'],
            sweep=True,
        )
        yield case(
            f"seed-name-number-{kind}",
            "A number may go on or end.",
            FLAG,
            grammar,
            ['{"name_of_the_person":"John","age":4'],
        )
        yield case(
            f"seed-name-finished-{kind}",
            "A finished text forces nothing, not even its end.",
            FLAG + " NOTHING_FORCED",
            grammar,
            ['{"name_of_the_person":"John","age":42}'],
        )
    yield case(
        "seed-greeting",
        "A forced text whose end is open to suffixes.",
        FLAG,
        {"regex": " How are you(r|!| )?"},
        sweep=True,
    )
    yield case("seed-steps", "Forced pieces between choices.", FLAG, {"regex": "foo[12]23|bar"}, ["f"])
    yield case(
        "seed-steps-second",
        "After the choice the rest is forced to the end.",
        FLAG,
        {"regex": "foo[12]23|bar"},
        ["foo", "1"],
    )
    yield case(
        "seed-hello-world",
        "A literal is forced whole, and nothing can follow it.",
        FLAG,
        {"literal": "hello world"},
        sweep=True,
    )


CASES = tuple(cases())
