"""Notations that put calls between tags: the rows that write them, a call around its inside, values inside a call."""

from __future__ import annotations

HERMES = ["qwen2.5", "qwen3", "qwen3-instruct-2507", "qwen3-vl", "toy-bpe"]
HERMES_FEW = ["qwen3", "toy-bpe"]
QWEN_XML = ["qwen3.5", "qwen3.6", "nemotron-3"]
GLM = ["glm-4.5", "laguna-xs.2"]
GLM_DENSE = ["glm-4.7", "glm-5.1", "laguna-s-2.1"]
MINIMAX = ["minimax-m2"]


def hermes(inside: str) -> str:
    return f"<tool_call>\n{inside}\n</tool_call>"


def xml(inside: str) -> str:
    return f"<tool_call>\n{inside}\n</tool_call>"


def minimax(inside: str) -> str:
    return f"<minimax:tool_call>\n{inside}\n</minimax:tool_call>"


def xml_values(values: dict[str, str]) -> str:
    written = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
    return f"<function=read>\n{written}</function>"


def glm_values(values: dict[str, str], newline: str) -> str:
    pairs = [f"<arg_key>{key}</arg_key>{newline}<arg_value>{value}</arg_value>" for key, value in values.items()]
    return f"<tool_call>read{newline}{newline.join(pairs)}{newline}</tool_call>"


def minimax_values(values: dict[str, str]) -> str:
    written = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in values.items())
    return minimax(f'<invoke name="read">\n{written}</invoke>')
