"""Calls as a model may write them and no template does: other blanks, JSON in another notation, markers in values."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.bridge.cases.build import EOS, Piece, parse, plain, text
from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, ROME, UNREADABLE, odd
from tokenspec.areas.parse.cases.calls_in_dialects import GEMMA, HARMONY, analysis, gemma, harmony
from tokenspec.areas.parse.cases.calls_in_dsml import invoke, parameter
from tokenspec.areas.parse.cases.calls_in_lists import HY3
from tokenspec.areas.parse.cases.calls_in_tokens import (
    DEEPSEEK_FIRST,
    KIMI,
    LLAMA,
    MISTRAL,
    NAMED,
    answering,
    deepseek,
    kimi,
    kimi_call,
)
from tokenspec.areas.parse.cases.tags import (
    GLM,
    GLM_DENSE,
    HERMES_FEW,
    MINIMAX,
    glm_values,
    hermes,
    minimax,
    minimax_values,
    xml,
    xml_values,
)
from tokenspec.areas.render.cases.build import function
from tokenspec.store.records import Case

CALL = '{"name": "get_weather", "arguments": {"city": "Rome"}}'
QWEN_XML = ["qwen3.5", "nemotron-3"]
CALLS = ("RND-061",)
TEXTS = ("RND-060", "RND-061", "RND-066")
PICK = function(
    "pick",
    {
        "type": "object",
        "properties": {
            "note": {"type": ["null", "string"]},
            "kind": {"enum": [1, "a"]},
            "deep": {"oneOf": [{"type": "integer"}, {"anyOf": [{"type": "null"}, {"type": "string"}]}]},
            "odd": True,
            "flag": {"type": "boolean"},
            "ratio": {"type": "number"},
            "word": {"type": "integer"},
        },
    },
    "Pick.",
)
BARE = {
    "note": "null",
    "kind": "1",
    "deep": "2",
    "odd": "3",
    "flag": " True ",
    "ratio": "1e3",
    "word": "many",
    "x": "None",
}
PICKED = {**BARE, "odd": 3, "flag": True, "ratio": 1000.0, "x": None}

TYPED = tuple(
    odd(
        f"{notation}-typed-unions",
        "Text stays text where one type of a union is a string, however deep; words of Python are read, blanks aside.",
        rows,
        written,
        {"name": "pick", "arguments": PICKED},
        requires=CALLS,
        flags=("NUMBERS",),
        tools=[PICK],
    )
    for notation, rows, written in (
        ("xml", QWEN_XML, xml(xml_values(BARE).replace("=read", "=pick"))),
        ("glm", GLM[:1], glm_values(BARE, "\n").replace(">read", ">pick")),
        ("minimax", MINIMAX, minimax_values(BARE).replace('"read"', '"pick"')),
    )
)

AS_JSON = tuple(
    odd(
        f"{notation}-json-call",
        "A call that fell back to JSON is a call.",
        rows,
        written,
        ROME,
        requires=("RND-084",),
    )
    for notation, rows, written in (
        ("xml", QWEN_XML, hermes(CALL)),
        ("glm", [GLM[0], GLM_DENSE[0]], f"<tool_call>{CALL}</tool_call>"),
        ("minimax", MINIMAX, minimax(CALL)),
    )
)

IN_TAGS = (
    odd(
        "hermes-blanks",
        "Blanks around and in the JSON of a call change nothing.",
        HERMES_FEW,
        f'<tool_call>  {{ "arguments" : {{ "city" : "Rome" }} ,\n "name" : "get_weather" }} </tool_call>\n\n'
        f"<tool_call>{CALL}</tool_call>",
        ROME,
        ROME,
        requires=TEXTS,
    ),
    odd(
        "hermes-broken-json-blanks",
        "The name of a call whose JSON breaks later was written whole.",
        HERMES_FEW,
        hermes(' { "name" : "get_weather" , "arguments": {"city": }'),
        JSON_ERROR,
        tried="get_weather",
    ),
    odd(
        "hermes-newlines-behind-text",
        "Of the newlines between text and call one is the template's.",
        HERMES_FEW,
        f"Looking.\n\n\n{hermes(CALL)}\n \n{hermes(CALL)}\n",
        ROME,
        ROME,
        content="Looking.\n\n",
        requires=TEXTS,
    ),
    odd(
        "xml-blanks",
        "A function on one line, with a marker in its value, and with words behind it.",
        QWEN_XML,
        "<tool_call><function=get_weather><parameter=city>Rome</parameter></function> </tool_call>\n"
        + xml("<function=get_weather>\n<parameter=city>\n</function>\n\n</parameter>\n</function>\n"),
        ROME,
        {"name": "get_weather", "arguments": {"city": "</function>\n"}},
        requires=CALLS,
    ),
    odd(
        "glm-dotted-name",
        "A name of other characters than letters, without arguments.",
        [GLM[0], GLM_DENSE[0]],
        "<tool_call>\nweb.get-weather/v1:now\n</tool_call>",
        {"name": "web.get-weather/v1:now", "arguments": {}},
        requires=CALLS,
        tools=None,
    ),
    odd(
        "minimax-close-in-value",
        "The close tags of an invocation and of a parameter in a value close nothing.",
        MINIMAX,
        minimax(
            '<invoke name="get_weather">\n<parameter name="city">a </invoke> </parameter> b</parameter>\n</invoke>\n\n'
            ' <invoke name="read"></invoke>'
        ),
        {"name": "get_weather", "arguments": {"city": "a </invoke> </parameter> b"}},
        {"name": "read", "arguments": {}},
        requires=CALLS,
    ),
    odd(
        "hy3-text-and-call",
        "Text before the section of calls is content, without the newline that the template writes.",
        HY3,
        "Looking.\n<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n"
        "</tool_call:opensource>\n</tool_calls:opensource>",
        {"name": "get_weather", "arguments": {}},
        content=None,
        requires=CALLS,
    ),
    odd(
        "dsml-blanks",
        "Invocations with other blanks between them, one without parameters.",
        ["deepseek-v4"],
        "<｜DSML｜tool_calls>"
        + invoke("get_weather", parameter("city", "a\n</｜DSML｜invoke> b"))
        + "\n\n "
        + invoke("read")
        + "</｜DSML｜tool_calls>",
        {"name": "get_weather", "arguments": {"city": "a\n</｜DSML｜invoke> b"}},
        {"name": "read", "arguments": {}},
        requires=CALLS,
        tools=None,
    ),
)

IN_TOKENS = (
    answering(
        "kimi-bare-name",
        "An id without its prefix, and one with blanks around it, name their tools.",
        KIMI,
        kimi(kimi_call("get_weather:0", '{"city": "Rome"}'), kimi_call(" functions.a.b:12 ", "{}")),
        {**ROME, "id": "get_weather:0"},
        {"name": "a.b", "arguments": {}, "id": "functions.a.b:12", "status": ["ok", "unknown_tool"]},
        requires=("RND-061", "RND-080"),
        flags=("CALL_IDS",),
    ),
    answering(
        "kimi-broken-ids",
        "The id of a broken call comes back, too.",
        KIMI,
        kimi(kimi_call("call00001", '{"city": "Rome"}'), "functions.get_weather:1"),
        {"status": ["missing_name"], "id": "call00001"},
        {**MALFORMED, "id": "functions.get_weather:1"},
        requires=("RND-063", "RND-080"),
        flags=("CALL_IDS",),
    ),
    odd(
        "deepseek-fence-blanks",
        "A fence right behind the JSON, and blanks behind the fence.",
        DEEPSEEK_FIRST,
        deepseek('function<｜tool▁sep｜>get_weather\n```json\n{"city": "``` Rome"}```\n '),
        {"name": "get_weather", "arguments": {"city": "``` Rome"}},
        requires=CALLS,
        tools=None,
    ),
    odd(
        "mistral-blanks",
        "Blanks around the list and its calls change nothing; what is no mapping is no call.",
        MISTRAL,
        f'[TOOL_CALLS] [ {CALL} , 7 , {{"name": "read", "arguments": {{}}, "id": "callread2"}} ] ',
        ROME,
        UNREADABLE,
        {"name": "read", "arguments": {}},
        tried=None,
    ),
    odd(
        "llama-blanks",
        "Blanks around the JSON of a call change nothing.",
        LLAMA,
        '\n {"name": "get_weather", "parameters": {"city": "Rome"}} \n',
        ROME,
        requires=CALLS,
    ),
    odd(
        "llama-broken-json-blanks",
        "Blanks around a call whose JSON breaks change nothing: it is an attempt, and its name was written whole.",
        LLAMA,
        '\n {"name": "get_weather", "parameters": {"city": }} \n',
        JSON_ERROR,
        tried="get_weather",
    ),
    odd(
        "llama-cut-behind-blanks",
        "A call behind blanks that was cut is an attempt, too.",
        LLAMA,
        '\n {"name": "get_weather", "parameters": {"city": "Ro',
        CUT,
        stop=None,
        tried="get_weather",
    ),
    odd(
        "llama-no-name-key",
        "JSON without a name is content.",
        LLAMA,
        '{"parameters": {"city": "Rome"}}',
        content='{"parameters": {"city": "Rome"}}',
        requires=("RND-060", "RND-061"),
    ),
    odd(
        "named-text-and-calls",
        "Text before calls that nothing closes is content, and each runs to the next.",
        NAMED,
        'Looking.<|call|>get_weather {"city": "Rome"}<|call|>get_weather {"city": "a b"}',
        ROME,
        {"name": "get_weather", "arguments": {"city": "a b"}},
        stop=EOS,
        content="Looking.",
        requires=("RND-060", "RND-061"),
    ),
    odd(
        "gemma-odd-values",
        "Blanks, numbers, words and empty texts, in mappings and in lists.",
        GEMMA,
        gemma(
            ' call:read{city:<|"|><|"|>,days:-1.5e2,unit:C,free:[true,false,word,-3,{}],<|"|>a b<|"|>:<|"|>{[,<|"|>} '
        ),
        {
            "name": "read",
            "arguments": {
                "city": "",
                "days": -150.0,
                "unit": "C",
                "free": [True, False, "word", -3, {}],
                "a b": "{[,",
            },
        },
        requires=CALLS,
    ),
    odd(
        "gemma-blanks-around-name",
        "Blanks around the name of a call are not of it.",
        GEMMA,
        gemma('call: get_weather {city:<|"|>Rome<|"|>}'),
        ROME,
        requires=CALLS,
    ),
    odd(
        "gemma-no-arguments",
        "A call without arguments, and one of a tool nobody offered.",
        GEMMA,
        gemma("call:read{}") + gemma("call:book{free:[]}"),
        {"name": "read", "arguments": {}},
        {"name": "book", "status": ["ok", "unknown_tool"]},
    ),
)


def speaking(slug: str, why: str, written: str, *calls: dict[str, Any], stop: Piece | None = EOS, **how: Any) -> Case:
    """A completion of gpt-oss."""
    return odd(slug, why, HARMONY, written, *calls, stop=stop, **how)


HARMONIES = (
    speaking(
        "harmony-recipient-ahead",
        "The recipient of a call may stand in front of its channel, and its format may be missing.",
        analysis("First.") + ' to=functions.get_weather<|channel|>commentary<|message|>{"city": "Rome"}',
        ROME,
        reasoning="First.",
        requires=("RND-060", "RND-061"),
    ),
    speaking(
        "harmony-calls",
        "Two calls, text between them, and one of a tool that nobody offered.",
        harmony("functions.get_weather", '{"city": "Rome"}')
        + "<|end|><|start|>assistant<|channel|>commentary<|message|>Then.<|end|><|start|>assistant"
        + harmony("functions.book", "{}"),
        ROME,
        {"name": "book", "status": ["ok", "unknown_tool"]},
        content="Then.",
        requires=("RND-060", "RND-063"),
        tried="book",
    ),
    speaking(
        "harmony-two-channels",
        "Of two channels in a header without a message the first counts, and no word is lost.",
        "<|channel|>final Yes<|channel|>analysis No",
        content=None,
        requires=("RND-060", "RND-082"),
    ),
    speaking(
        "harmony-thought-without-message",
        "Words behind the channel of thoughts that no message marker follows are a thought.",
        "<|channel|>analysis South-west.",
        reasoning=" South-west.",
        requires=("RND-060", "RND-082"),
    ),
    speaking(
        "harmony-word-of-headers-without-message",
        "A word that headers may hold is one of the answer, where no message marker follows.",
        "<|channel|>final json is a format",
        content=" json is a format",
        requires=("RND-060", "RND-082"),
    ),
    speaking(
        "harmony-words-in-header",
        "Words in a header that are none of its own are content.",
        "<|channel|>final surely<|message|>Hi.",
        content=" surelyHi.",
        requires=("RND-060", "RND-082"),
    ),
    speaking(
        "harmony-cut-recipient",
        "A call that was cut before its recipient is an attempt without a name.",
        "<|channel|>commentary to",
        CUT,
        stop=None,
        requires=("RND-060", "RND-063"),
        tried=None,
    ),
    speaking(
        "harmony-cut-role",
        "A message that was cut behind its role is no content.",
        "<|channel|>final<|message|>Hi.<|end|><|start|>assistant",
        stop=None,
        content="Hi.",
        requires=("RND-060", "RND-066"),
    ),
    speaking(
        "harmony-role-and-words",
        "Words behind a role that no channel follows are content.",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant Hello",
        content=" Hello",
        reasoning="Hm.",
        requires=("RND-060", "RND-082"),
    ),
    speaking(
        "harmony-blank-in-header",
        "A blank between the words of a header is no content.",
        "<|channel|>analysis <|message|>Hm.<|end|><|start|>assistant<|channel|> final <|message|>Hi.",
        content="Hi.",
        reasoning="Hm.",
        requires=("RND-060", "RND-066"),
    ),
    speaking(
        "harmony-cut-behind-no-recipient",
        "A message to nobody in particular that was cut is an attempt without a name, and no content.",
        '<|channel|>commentary to=<|message|>{"city": "Ro',
        CUT,
        stop=None,
        requires=("RND-060", "RND-063"),
        tried=None,
    ),
    speaking(
        "harmony-ended-behind-no-recipient",
        "Such a message that ended is no call, and its words are content.",
        '<|channel|>commentary to=<|message|>{"city": "Rome"}<|end|><|start|>assistant<|channel|>final<|message|>Hi.',
        content=' to={"city": "Rome"}Hi.',
        requires=("RND-060", "RND-082"),
    ),
    parse(
        "harmony-markers-in-answer",
        "Ordinary tokens that spell the markers of messages are words of an answer, at its end, too.",
        [text("<|channel|>final<|message|>"), plain("Write <|end|>, then <|start|>assistant"), EOS],
        "CONTROL_TOKEN_INJECTION",
        requires=("RND-060", "RND-067"),
        says={"content": "Write <|end|>, then <|start|>assistant"},
        rows=HARMONY,
    ),
    speaking(
        "harmony-open-thought",
        "A thought that nothing ends is incomplete.",
        "<|channel|>analysis<|message|>Hm.",
        stop=None,
        reasoning="Hm.",
        requires=("RND-060", "RND-064"),
    ),
)

CASES = (*TYPED, *AS_JSON, *IN_TAGS, *IN_TOKENS, *HARMONIES)
