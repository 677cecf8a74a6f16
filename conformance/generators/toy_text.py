r"""Training text of the toy vocabularies: a few paragraphs of our own, weighted so that seams merge.

The weights matter more than the prose. `SEAMS` holds the byte strings that chat templates put next to a body
(`\n`, `>\n`, `": `): with merges for them, a body that starts with a newline shares a token with the scaffold
before it, which is the hazard every mask rule is about.
"""

from __future__ import annotations

PROSE = """The weather in Paris is mild today, and the wind comes from the west. A user asks the assistant for
the temperature; the assistant calls a tool, reads the result, and answers in one short sentence.
When the tool returns nothing, the assistant says so. It does not guess, it does not repeat the question, and
it does not invent a city. The answer should be true, the answer should be short, and it should be kind.
Think first, then write. If the thought is long, keep the answer short. If it is short, keep it anyway.
There are twenty-four hours in a day, seven days in a week and fifty-two weeks in a year.
Three small boats left the harbour at nine; two of them came back before the rain, and the third one waited.
To add two numbers, write one under the other, add the last digits, carry the one, and go on to the left.
She said that they would return with more of the same, for there was nothing else to do about it."""

CODE = """def add(left, right):
    \"\"\"Return the sum of two numbers.\"\"\"
    return left + right


for index in range(10):
    if index % 2 == 0:
        print(index, add(index, 1))
    else:
        continue
"""

JSON = """{"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius"}}
{"type": "function", "function": {"name": "add", "description": "Add two numbers.", "parameters": {"type":
 "object", "properties": {"left": {"type": "number"}, "right": {"type": "number"}}, "required": ["left"]}}}
{"ok": true, "value": 21, "items": [1, 2, 3], "none": null, "text": "a \\"quoted\\" word"}"""

FOREIGN = "Grüße aus Köln, übermäßig schön. Où est le café ? ¿Dónde está el niño? Привет, мир. 東京の天気は晴れ。"

SEAMS = "user\nassistant\nsystem\ntool\n>\n>\n\n\n\n\n\n\n\n\n}\n}}\n{\n]\n)\n.\n.\n\n:\n  \n \n\r\n\t\n"

WEIGHTED: tuple[tuple[str, int], ...] = ((PROSE, 4), (CODE, 3), (JSON, 4), (FOREIGN, 3), (SEAMS, 12))
