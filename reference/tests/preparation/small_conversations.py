"""Messages of small conversations, and the codes of what is found in one."""

TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}


def user(text):
    return {"role": "user", "content": text}


def answer(text, **more):
    return {"role": "assistant", "content": text, **more}


def call(arguments=None, name="find", call_id="call00001"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments or {"x": 1}}}


def result(text="21", call_id="call00001"):
    return {"role": "tool", "content": text, "tool_call_id": call_id}


def codes(prepared):
    return [finding.code for finding in prepared.findings]
