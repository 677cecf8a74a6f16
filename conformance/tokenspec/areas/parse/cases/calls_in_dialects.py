"""Calls in the two notations that are languages of their own: broken, cut or odd."""

from __future__ import annotations

from tokenspec.areas.bridge.cases.build import EOS
from tokenspec.areas.parse.cases.build import CUT, JSON_ERROR, MALFORMED, NAMELESS, ROME, UNREADABLE, odd

GEMMA = ["gemma-4"]
HARMONY = ["gpt-oss"]


def gemma(inside: str) -> str:
    return f"<|tool_call>{inside}<tool_call|>"


def analysis(thought: str) -> str:
    return f"<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant"


def harmony(recipient: str, arguments: str) -> str:
    return f"<|channel|>commentary to={recipient} <|constrain|>json<|message|>{arguments}"


GEMMA_CALLS = (
    odd(
        "gemma-values",
        "Values of every kind come back, nested and empty ones too.",
        GEMMA,
        gemma('call:read{city:<|"|>a,b:}]<|"|>,days:7,free:[1,<|"|>b<|"|>,[],{k:null,<|"|>q:<|"|>:true}],place:{}}'),
        {
            "name": "read",
            "arguments": {"city": "a,b:}]", "days": 7, "free": [1, "b", [], {"k": None, "q:": True}], "place": {}},
        },
        requires=("RND-061",),
    ),
    odd(
        "gemma-no-head",
        "A call without its head is broken.",
        GEMMA,
        gemma('{city:<|"|>Rome<|"|>}'),
        UNREADABLE,
        tried=None,
    ),
    odd(
        "gemma-words-ahead",
        "A call that does not begin with its head is broken.",
        GEMMA,
        gemma('Hm. call:get_weather{city:<|"|>Rome<|"|>}'),
        UNREADABLE,
        tried=None,
    ),
    odd(
        "gemma-no-name",
        "A call without a name is an attempt of its own status.",
        GEMMA,
        gemma('call:{city:<|"|>Rome<|"|>}'),
        NAMELESS,
    ),
    odd(
        "gemma-brace-missing",
        "A mapping that does not end is broken.",
        GEMMA,
        gemma('call:get_weather{city:<|"|>Rome<|"|>'),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "gemma-quote-missing",
        "Text whose quote does not end is broken.",
        GEMMA,
        gemma('call:get_weather{city:<|"|>Rome}'),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "gemma-key-quote-missing",
        "A key whose quote does not end is broken.",
        GEMMA,
        gemma('call:get_weather{<|"|>city:1}'),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "gemma-no-colon",
        "A key without a value is broken.",
        GEMMA,
        gemma("call:get_weather{city}"),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "gemma-no-value",
        "A colon without a value is broken.",
        GEMMA,
        gemma("call:get_weather{city:}"),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "gemma-comma-missing",
        "Values without a comma between them are broken.",
        GEMMA,
        gemma('call:get_weather{city:<|"|>Rome<|"|>days:1}'),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "gemma-list-comma-missing",
        "Elements without a comma between them are broken.",
        GEMMA,
        gemma('call:read{free:[<|"|>a<|"|><|"|>b<|"|>]}'),
        UNREADABLE,
        tried="read",
    ),
    odd(
        "gemma-text-behind",
        "Text behind the mapping is broken.",
        GEMMA,
        gemma('call:get_weather{city:<|"|>Rome<|"|>} now'),
        UNREADABLE,
        tried="get_weather",
    ),
    odd(
        "gemma-broken-then-good",
        "A broken call does not hide the good one behind it.",
        GEMMA,
        gemma("call:get_weather{") + gemma('call:get_weather{city:<|"|>Rome<|"|>}'),
        UNREADABLE,
        ROME,
        tried="get_weather",
    ),
    odd(
        "gemma-unclosed",
        "A call whose close is missing is an attempt.",
        GEMMA,
        '<|tool_call>call:get_weather{city:<|"|>Ro',
        CUT,
        stop=None,
        tried="get_weather",
    ),
)

HARMONY_CALLS = (
    odd(
        "harmony-two-thoughts",
        "Two messages of analysis are one reasoning, a newline between them.",
        HARMONY,
        analysis("First.") + analysis("Then.") + "<|channel|>final<|message|>Lisbon.",
        content="Lisbon.",
        reasoning="First.\nThen.",
        requires=("RND-060", "RND-066"),
        flags=("REASONING",),
    ),
    odd(
        "harmony-no-header-ahead",
        "The first message has no header, so it is content; what follows it is told as it comes.",
        HARMONY,
        "<|message|>Lisbon, they say.<|end|><|start|>assistant<|channel|>analysis<|message|>"
        "The question was about the mildest winter.",
        content="Lisbon, they say.",
        reasoning="The question was about the mildest winter.",
        requires=("RND-060", "RND-066"),
        flags=("REASONING",),
    ),
    odd(
        "harmony-call",
        "A message to a function is a call, wherever its recipient stands.",
        HARMONY,
        analysis("First.") + harmony("functions.get_weather", '{"city": "Rome"}'),
        ROME,
        stop=EOS,
        reasoning="First.",
        requires=("RND-060", "RND-061"),
    ),
    odd(
        "harmony-broken-json",
        "Arguments that are no JSON are an attempt of its own status.",
        HARMONY,
        harmony("functions.get_weather", '{"city": }'),
        JSON_ERROR,
        stop=EOS,
        tried="get_weather",
    ),
    odd(
        "harmony-number-as-arguments",
        "Arguments that are a number are broken.",
        HARMONY,
        harmony("functions.get_weather", "7"),
        MALFORMED,
        stop=EOS,
        tried="get_weather",
    ),
    odd(
        "harmony-cut-call",
        "A call that was cut is an attempt.",
        HARMONY,
        harmony("functions.get_weather", '{"city": "R'),
        CUT,
        stop=None,
        tried="get_weather",
    ),
    odd(
        "harmony-cut-header",
        "A call whose header was cut is an attempt; a header is no content.",
        HARMONY,
        "<|channel|>commentary to=functions.get_wea",
        CUT,
        stop=None,
        requires=("RND-060", "RND-063"),
        tried=None,
    ),
    odd(
        "harmony-commentary",
        "Commentary to nobody is content.",
        HARMONY,
        "<|channel|>commentary<|message|>Looking.",
        content="Looking.",
        requires=("RND-060", "RND-061"),
    ),
    odd(
        "harmony-no-header",
        "Text without a header is content.",
        HARMONY,
        "Lisbon.",
        content="Lisbon.",
        requires=("RND-060",),
    ),
    odd(
        "harmony-text-between-messages",
        "Words between two messages are content.",
        HARMONY,
        "<|channel|>analysis<|message|>Hm.<|end|>stray words<|start|>assistant<|channel|>final<|message|>Hi.",
        stop=EOS,
        content="stray wordsHi.",
        reasoning="Hm.",
        requires=("RND-060", "RND-082"),
    ),
    odd(
        "harmony-text-ahead",
        "Words in front of the first message are content.",
        HARMONY,
        "Sure.<|start|>assistant<|channel|>final<|message|>Hi.",
        stop=EOS,
        content="Sure.Hi.",
        requires=("RND-060", "RND-082"),
    ),
    odd(
        "harmony-text-behind",
        "Words behind the last message are content.",
        HARMONY,
        "<|channel|>final<|message|>Hi.<|end|>And more.",
        stop=EOS,
        content="Hi.And more.",
        requires=("RND-060", "RND-082"),
    ),
    odd(
        "harmony-channel-without-message",
        "Words behind a channel that no message marker follows are text of that channel.",
        HARMONY,
        "<|channel|>final Hello",
        stop=EOS,
        content=" Hello",
        requires=("RND-060", "RND-082"),
    ),
    odd(
        "harmony-builtin-tool",
        "A message to a recipient outside `functions` is a call of that tool.",
        HARMONY,
        harmony("browser.search", '{"query": "Rome"}'),
        {"name": "browser.search", "status": ["ok", "unknown_tool"]},
        stop=EOS,
        requires=("RND-063", "RND-082"),
        tried="browser.search",
    ),
    odd(
        "harmony-python-code",
        "Code to the Python tool is an attempt whose arguments are no JSON.",
        HARMONY,
        "<|channel|>analysis to=python code<|message|>print(1)",
        JSON_ERROR,
        stop=EOS,
        requires=("RND-063", "RND-082"),
        tried="python",
    ),
    odd(
        "harmony-preamble-and-call",
        "Commentary before a call is content.",
        HARMONY,
        "<|channel|>commentary<|message|>Looking.<|end|><|start|>assistant"
        + harmony("functions.get_weather", '{"city": "Rome"}'),
        ROME,
        stop=EOS,
        content="Looking.",
        requires=("RND-060", "RND-061"),
    ),
)

CASES = (*GEMMA_CALLS, *HARMONY_CALLS)
