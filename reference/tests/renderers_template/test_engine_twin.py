"""The engine that tracks provenance against its plain twin: every filter, test, method and operator on every kind of value."""

import random
from datetime import datetime
from itertools import product

import pytest
from jinja2 import TemplateSyntaxError

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.template.engine import refusal_code, render_text
from tokenspec_reference.renderers.template.sandbox import ChatSandbox

NOW = datetime(2024, 7, 26, 12)  # noqa: DTZ001 - templates format local time
VALUES = {
    "text": "it's a Text",
    "padded": " \x1cAb c\n\n",
    "empty": "",
    "markup": "<b>&'\"",
    "wide": "é😀ß\u0130",
    "joined": "a,b,,c",
    "five": 5,
    "large": 10**20,
    "small": 1e-7,
    "negative": -2.5,
    "yes": True,
    "none": None,
    "numbers": [3, 1, 2],
    "words": ["b", "A", "c"],
    "nothing": [],
    "mapping": {"z": 1, "a": "x"},
    "people": [{"n": 1, "r": "u"}, {"n": 2}],
}
NAMES = [*VALUES, "missing"]
ARGUMENTS = ["", "1", "-1", "0", "'a'", "','", "'n'", "none", "true", "[1]", "2, true", "'a', 'b'", "attribute='n'"]
OPERATORS = ["+", "-", "/", "//", "%", "~", "==", "!=", "<", ">=", "in", "not in", "and", "or"]
UNREPEATABLE = {"random", "pprint"}
PER_KIND = 320


def expressions():
    """A fixed sample of each kind of expression."""
    sandbox = ChatSandbox()
    filters = sorted(set(sandbox.filters) - UNREPEATABLE)
    tests = sorted(name for name in sandbox.tests if name.isidentifier())
    methods = [name for name in dir(str) if not name.startswith("_") and name not in {"translate", "maketrans"}]
    texts = [name for name, value in VALUES.items() if isinstance(value, str)]
    kinds = {
        "filter": ["({} | {}({}))".format(*parts) for parts in product(NAMES, filters, ARGUMENTS)],
        "listed": ["({} | {}({})) | list".format(*parts) for parts in product(NAMES, filters, ARGUMENTS)],
        "method": ["{}.{}({})".format(*parts) for parts in product(texts, methods, ARGUMENTS)],
        "test": ["{} is {}({})".format(*parts) for parts in product(NAMES, tests, ARGUMENTS[1:])],
        "operator": ["{} {} {}".format(*parts) for parts in product(NAMES, OPERATORS, NAMES)],
        "element": ["{}[{}]".format(*parts) for parts in product(NAMES, [*NAMES, "1:", ":-1", "::-1", "'a'"])],
    }
    for kind, found in kinds.items():
        yield from ((kind, one) for one in random.Random(kind).sample(found, min(PER_KIND, len(found))))


def outcome(render):
    """Text, or the kind of the refusal."""
    try:
        return render()
    except TokenSpecError as error:
        return error.rejection_code
    except TemplateSyntaxError:
        return "invalid-template"
    except Exception as error:  # noqa: BLE001 - whatever a template raises
        return refusal_code(error)


@pytest.mark.parametrize("kind", ["filter", "listed", "method", "test", "operator", "element"])
def test_the_engine_and_its_twin_agree(kind):
    chosen = [one for found, one in expressions() if found == kind]
    differing = []
    for one in chosen:
        template = "{{ " + one + " }}"
        plain = outcome(lambda: ChatSandbox().from_string(template).render(VALUES))  # noqa: B023 - called at once
        tracked = outcome(lambda: render_text(template, VALUES, now=NOW))  # noqa: B023 - called at once
        if plain != tracked and " at 0x" not in plain:
            differing.append((one, plain, tracked))
    assert len(chosen) > 300
    assert differing == []


def test_most_of_the_sample_is_answered():
    templates = ["{{ " + one + " }}" for kind, one in expressions() if kind == "operator"]
    answered = [outcome(lambda: render_text(one, VALUES, now=NOW)) for one in templates]  # noqa: B023 - called at once
    assert sum(text not in {"value", "undefined", "security"} for text in answered) > len(templates) / 2
