"""What loops and cuts write, on every notation: a close that is missing, and values that are no JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tokenspec.areas.parse.cases.build import ROME, UNREADABLE, odd
from tokenspec.areas.parse.cases.calls_in_dialects import GEMMA
from tokenspec.areas.parse.cases.calls_in_dsml import parameter
from tokenspec.areas.parse.cases.calls_in_lists import HY3
from tokenspec.areas.parse.cases.calls_in_tokens import (
    DEEPSEEK_FIRST,
    KIMI,
    LLAMA,
    MISTRAL,
    answering,
    fenced,
    unoffered,
)
from tokenspec.areas.parse.cases.tags import GLM, HERMES_FEW, MINIMAX, QWEN_XML
from tokenspec.store.records import Case

BROKEN = {"status": ["invalid_json", "unclosed_block", "malformed_structure", "missing_name"]}


@dataclass(frozen=True)
class Notation:
    """One block of calls: its markers, and how a call of ``get_weather`` with a city is written in it.

    ``city`` is the argument as JSON text; notations of bare text get what stands in its quotes.
    """

    name: str
    rows: list[str]
    begin: str
    end: str
    call: Callable[[str], str]
    case: Callable[..., Case] = odd


def _bare(city: str) -> str:
    return city.strip('"')


NOTATIONS = (
    Notation(
        "hermes",
        HERMES_FEW,
        "<tool_call>\n",
        "\n</tool_call>",
        lambda city: f'{{"name": "get_weather", "arguments": {{"city": {city}}}}}',
    ),
    Notation(
        "xml",
        QWEN_XML,
        "<tool_call>\n",
        "\n</tool_call>",
        lambda city: f"<function=get_weather>\n<parameter=city>\n{_bare(city)}\n</parameter>\n</function>",
    ),
    Notation(
        "glm",
        GLM[:1],
        "<tool_call>",
        "</tool_call>",
        lambda city: f"get_weather\n<arg_key>city</arg_key>\n<arg_value>{_bare(city)}</arg_value>\n",
    ),
    Notation(
        "minimax",
        MINIMAX,
        "<minimax:tool_call>\n",
        "\n</minimax:tool_call>",
        lambda city: f'<invoke name="get_weather">\n<parameter name="city">{_bare(city)}</parameter>\n</invoke>',
    ),
    Notation(
        "kimi",
        KIMI,
        "<|tool_calls_section_begin|><|tool_call_begin|>",
        "<|tool_call_end|>",
        lambda city: f'functions.get_weather:0<|tool_call_argument_begin|>{{"city": {city}}}',
        answering,
    ),
    Notation(
        "deepseek",
        DEEPSEEK_FIRST,
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>",
        "<｜tool▁call▁end｜>",
        lambda city: fenced("get_weather", f'{{"city": {city}}}'),
        unoffered,
    ),
    Notation(
        "dsml",
        ["deepseek-v4"],
        "<｜DSML｜tool_calls>\n",
        "\n</｜DSML｜tool_calls>",
        lambda city: (
            '<｜DSML｜invoke name="get_weather">\n'
            f"{parameter('city', _bare(city), is_text=city.startswith(chr(34)))}\n</｜DSML｜invoke>"
        ),
    ),
    Notation(
        "hy3",
        HY3,
        "<tool_calls:opensource>\n<tool_call:opensource>",
        "</tool_call:opensource>",
        lambda city: (
            "get_weather<tool_sep:opensource>\n<arg_key:opensource>city</arg_key:opensource>\n"
            f"<arg_value:opensource>{_bare(city)}</arg_value:opensource>\n"
        ),
        answering,
    ),
    Notation(
        "gemma",
        GEMMA,
        "<|tool_call>",
        "<tool_call|>",
        lambda city: f"call:get_weather{{city:{city.replace(chr(34), '<|' + chr(34) + '|>')}}}",
    ),
)
NUMBER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather at a height.",
        "parameters": {"type": "object", "properties": {"city": {"type": "number"}}},
    },
}


NO_NUMBERS = {"not-a-number": "NaN", "infinity": "-Infinity", "overflow": "1e999", "digits": "9" * 4301}


def _neighbours(notation: Notation) -> Iterator[Case]:
    whole, begin, end = notation.call('"Rome"'), notation.begin, notation.end
    again = begin[begin.rindex("<") :]
    yield notation.case(
        f"{notation.name}-missing-close",
        "A call whose close is missing ends where the next one begins, and costs itself alone.",
        notation.rows,
        begin + notation.call('"Oslo"') + "\n" * ("\n" in again) + again + whole + end,
        BROKEN,
        ROME,
        content=None,
    )
    yield notation.case(
        f"{notation.name}-cut-then-whole",
        "A call that was cut inside its value, and then a whole one.",
        notation.rows,
        begin + whole[: whole.index("Rome") + 2] + "\n" * ("\n" in again) + again + whole + end,
        BROKEN,
        ROME,
        content=None,
    )
    yield notation.case(
        f"{notation.name}-behind-a-bracket",
        "Text ends with the character that markers begin with; a stream that waits for the marker tells it once.",
        notation.rows,
        f"1 <{begin}{whole}{end}",
        ROME,
        content="1 <",
    )
    for slug, value in (
        ("not-a-number", "NaN"),
        ("infinity", "-Infinity"),
        ("overflow", "1e999"),
        ("digits", "9" * 4301),
    ):
        yield notation.case(
            f"{notation.name}-{slug}",
            "What is no JSON number is no whole call.",
            notation.rows,
            begin + notation.call(value) + end,
            BROKEN,
            content=None,
            tools=None if notation.case is unoffered else [NUMBER],
        )
    yield notation.case(
        f"{notation.name}-depth",
        "A sampler that loops opens brackets for ever: that is an attempt.",
        notation.rows,
        begin + notation.call("[" * 1000) + end,
        BROKEN,
        content=None,
        tools=None if notation.case is unoffered else [NUMBER],
    )


CITY_AND_DAYS = {"city": "x", "days": 1}
GEMMA_WRITTEN = tuple(
    odd(
        f"gemma-{slug}",
        why,
        GEMMA,
        f"<|tool_call>call:read{{{written}}}<tool_call|>",
        {"name": "read", "arguments": arguments},
        requires=("RND-061",),
    )
    for slug, why, written, arguments in (
        (
            "blanks-between",
            "Blanks between arguments are no part of their names.",
            'city:<|"|>x<|"|>, days:1',
            CITY_AND_DAYS,
        ),
        ("blank-ahead", "A blank ahead of a text is no part of it.", 'city: <|"|>x<|"|>', {"city": "x"}),
        (
            "lines-between",
            "Arguments may stand on lines of their own.",
            '\n  city: <|"|>x<|"|>,\n  days: 1\n',
            CITY_AND_DAYS,
        ),
        ("json-strings", "Names and texts may have the quotes of JSON.", '"city": "x", "days": 1', CITY_AND_DAYS),
        ("json-escapes", "Escapes in a JSON string are read.", 'city:"a\\n\\"b"', {"city": 'a\n"b'}),
        (
            "blanks-inside",
            "Blanks may stand in lists and objects.",
            "free:[ 1 , true ], place:{ a : null }",
            {"free": [1, True], "place": {"a": None}},
        ),
    )
)

LLAMA_ROME = '{"name": "get_weather", "parameters": {"city": "Rome"}}'
LLAMA_BROKEN = '{"name": "get_weather", "parameters": {"city": }}'
TAG = "<|python_tag|>"
LLAMA_WRITTEN = tuple(
    odd(f"llama-{slug}", why, LLAMA, written, *calls, content=content, requires=("RND-061", "RND-063"))
    for slug, why, written, calls, content in (
        ("two-calls", "Two calls with a semicolon between them.", f"{LLAMA_ROME}; {LLAMA_ROME}", (ROME, ROME), ""),
        ("two-lines", "Two calls on two lines.", f"{LLAMA_ROME}\n{LLAMA_ROME}", (ROME, ROME), ""),
        ("two-tagged", "Two calls, each behind the tag.", f"{TAG}{LLAMA_ROME}{TAG}{LLAMA_ROME}", (ROME, ROME), ""),
        ("words-behind", "Words behind a call are content.", f"{LLAMA_ROME}\nDone.", (ROME,), "\nDone."),
        (
            "broken-then-whole",
            "A broken call beside a whole one costs itself alone.",
            f"{LLAMA_BROKEN}; {LLAMA_ROME}",
            (UNREADABLE, ROME),
            None,
        ),
        ("depth", "A sampler loops.", LLAMA_ROME.replace('"Rome"', "[" * 1000), (BROKEN,), None),
        ("not-a-number", "NaN is no JSON.", LLAMA_ROME.replace('"Rome"', "NaN"), (BROKEN,), None),
    )
)

MISTRAL_WRITTEN = (
    odd(
        "mistral-closed-list-without-stop",
        "A list of calls that is closed is whole, also where a server took the stop token away.",
        MISTRAL,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}, "id": "callrome1"}]',
        ROME,
        stop=None,
        requires=("RND-061",),
    ),
    odd(
        "mistral-words-behind",
        "Words behind the list of calls are content.",
        MISTRAL,
        '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}, "id": "callrome1"}] Done.',
        ROME,
        content=" Done.",
        requires=("RND-061", "RND-082"),
    ),
)

CASES = (
    *(case for notation in NOTATIONS for case in _neighbours(notation)),
    *GEMMA_WRITTEN,
    *LLAMA_WRITTEN,
    *MISTRAL_WRITTEN,
)
