"""Conversations that exercise what chat templates branch on. Values are plain JSON."""

from __future__ import annotations

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather of a <b>city</b> & more",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Stadt, 都市"},
                "unit": {"type": "string", "enum": ["C", "F"], "default": None},
                "deep": {"type": "boolean", "default": True},
            },
            "required": ["city"],
        },
    },
}
ADD = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Adds",
        "parameters": {"type": "object", "properties": {"b": {"type": "number"}, "a": {"type": "number"}}},
    },
}


def call(name, arguments, identifier="call00001"):
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def user(content="Ask about Quokkas."):
    return {"role": "user", "content": content}


def assistant(content="Answer with Walrus.", **extra):
    return {"role": "assistant", "content": content, **extra}


def system(content="Behave like Zebras."):
    return {"role": "system", "content": content}


def tool(content="Result Ferret 21.", **extra):
    return {"role": "tool", "content": content, "name": "get_weather", "tool_call_id": "call00001", **extra}


ARGUMENTS = {"city": "Jaipur", "deep": True, "n": 3, "x": 1.5, "none": None, "list": ["Kiwi", {"k": "Vole"}]}

SCENARIOS = {
    "user": ([user()], None),
    "system": ([system(), user()], None),
    "pair": ([user(), assistant()], None),
    "rounds": (
        [
            system(),
            user("First Magpie"),
            assistant("Reply Heron"),
            user("Second Osprey"),
            assistant("Reply Puffin"),
            user("Third Dunlin"),
        ],
        None,
    ),
    "reasoning": ([user(), assistant("Done Gecko", reasoning_content="Think Newt")], None),
    "reasoning-history": (
        [
            user("One Skink"),
            assistant("Two Agama", reasoning_content="Three Tuatara"),
            user("Four Monitor"),
            assistant("Five Iguana", reasoning_content="Six Basilisk"),
        ],
        None,
    ),
    "inline-think": (
        [
            user("Plain Cricket"),
            assistant("<think>\nInner Locust\n</think>\n\nOuter Mantis"),
            user("Again Katydid"),
            assistant("<think>Inner Beetle</think>Outer Weevil"),
        ],
        None,
    ),
    "close-think-only": ([user("Plain Moth"), assistant("Inner Wasp</think>Outer Bee"), user("Next Ant")], None),
    "tools": ([user("Need Tapir")], [WEATHER, ADD]),
    "tools-system": ([system("Rules Okapi"), user("Need Gnu")], [WEATHER]),
    "call": ([user("Need Bongo"), assistant("", tool_calls=[call("get_weather", ARGUMENTS)])], [WEATHER]),
    "call-content": (
        [user("Need Eland"), assistant("Calling Kudu", tool_calls=[call("get_weather", {"city": "Oslo"})])],
        [WEATHER],
    ),
    "call-string": (
        [user("Need Oryx"), assistant("", tool_calls=[call("get_weather", '{"city": "Lima \\"q\\""}')])],
        [WEATHER],
    ),
    "call-result": (
        [
            user("Need Saiga"),
            assistant("", tool_calls=[call("get_weather", {"city": "Bern"})]),
            tool("Result Takin"),
        ],
        [WEATHER],
    ),
    "loop": (
        [
            system("Rules Serow"),
            user("Need Chamois"),
            assistant("", reasoning_content="Plan Ibex", tool_calls=[call("get_weather", {"city": "Rome"})]),
            tool("Result Markhor"),
            assistant("Final Argali", reasoning_content="Sum Urial"),
            user("Thanks Mouflon"),
        ],
        [WEATHER],
    ),
    "parallel": (
        [
            user("Need Coati"),
            assistant(
                "",
                tool_calls=[
                    call("get_weather", {"city": "Kyoto"}),
                    call("add", {"b": 1, "a": 2}, "call00002"),
                ],
            ),
            tool("Result Kinkajou"),
            tool("Result Olingo", tool_call_id="call00002", name="add"),
            assistant("Both Cacomistle"),
        ],
        [WEATHER, ADD],
    ),
    "parts": (
        [
            user([{"type": "text", "text": "Part Stoat"}, {"type": "text", "text": "Part Ermine"}]),
            assistant([{"type": "text", "text": "Reply Sable"}]),
        ],
        None,
    ),
    "image": ([user([{"type": "image"}, {"type": "text", "text": "Look Fisher"}])], None),
    "whitespace": ([system("  Pad Lemur "), user("\n\nLead Indri\n"), assistant("  Sifaka\n\n")], None),
    "odd-text": (
        [
            user('O\'Neil "quotes" <tags> & {{ braces }} %s {0} é ß ﬁ İ \u2028 \x85 東京'),
            assistant("it's \\ fine"),
        ],
        None,
    ),
    "none-content": ([user("Need Pika"), assistant(None, tool_calls=[call("add", {"b": 1, "a": 2})])], [ADD]),
    "developer": ([{"role": "developer", "content": "Obey Marmot"}, user("Ask Souslik")], None),
    "system-middle": ([user("Ask Vicuna"), assistant("Say Guanaco"), system("Change Alpaca"), user("Go Llama")], None),
    "mapping-result": (
        [
            user("Need Civet"),
            assistant("", tool_calls=[call("get_weather", {"city": "Cork"})]),
            tool({"sky": "Genet", "ok": True, "t": 21}),
        ],
        [WEATHER],
    ),
}
