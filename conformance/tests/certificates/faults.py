"""The seeded faults, and exactly the facts each must change."""

from __future__ import annotations

from tests.certificates.seeded import (
    ANSWER,
    ARGUMENTS,
    BODY,
    LOOP,
    OPENER,
    PROMPT,
    THOUGHT,
    TOOLS,
    Seed,
    refuse,
    seed,
)

ALL = (
    "plain",
    "tool_loop",
    "reasoning_in_loop",
    "reasoning_then_user",
    "loop_then_user",
    "parallel_tools",
    "system_mid",
)
THINKING = ("reasoning_in_loop", "reasoning_then_user", "loop_then_user")
CALLING = ("tool_loop", "reasoning_in_loop", "loop_then_user", "parallel_tools")
LATER = "loop.index0 < messages | length - 1"


def prefix(*names: str) -> list[str]:
    """Prefix facts of these scenarios."""
    return [f"prefix.{name}" for name in names]


def coherence(*names: str) -> list[str]:
    """Coherence facts of these scenarios."""
    return [f"coherence.{name}" for name in names]


def both(*names: str) -> list[str]:
    """What a refusal of these scenarios changes."""
    return [*prefix(*names), *coherence(*names)]


def losses(*names: str) -> list[str]:
    """What vanishes before a question, up to an answer, up to calls, up to their results, behind a loop."""
    return [f"losses.{name}" for name in names]


EVERYWHERE = losses("question", "answer", "calls", "results", "loop")
AFTER_CALLS = losses("calls", "results", "loop")


def of(role: str, text: str) -> str:
    """Other text for messages of one role, bodies of the others as they were."""
    return f"{{%- if message.role == '{role}' -%}}{text}{{%- else -%}}{BODY}{{%- endif -%}}"


def listed(role: str, then: str) -> str:
    """Content that is a list, of one role, is treated another way."""
    is_listed = f"message.role == '{role}' and message.content is not string"
    return f"{{%- if {is_listed} -%}}{then}{{%- else -%}}{BODY}{{%- endif -%}}"


STRIPPED = "{{- body(message.content) | trim ~ '<|im_end|>' -}}"
WHOLE = "{{- message.content | string ~ '<|im_end|>' -}}"
OPENED = "{{- '<|im_start|>assistant\\n' ~ ('<think>' if enable_thinking else '') -}}{%- endif -%}\n"
DEFAULT = "{%- if messages[0].role != 'system' -%}{{- '<|im_start|>system\\nBe good.<|im_end|>' -}}{%- endif -%}"
WITH_PROMPT = "{%- if add_generation_prompt -%}"
BY_ID = (
    "{%- set ns = namespace(all=[], run=[]) -%}{%- for m in messages -%}"
    "{%- if m.role == 'tool' -%}{%- set ns.run = ns.run + [m] -%}"
    "{%- else -%}{%- set ns.all = ns.all + ns.run | sort(attribute='tool_call_id') + [m] -%}{%- set ns.run = [] -%}"
    "{%- endif -%}{%- endfor -%}"
    "{%- for message in ns.all + ns.run | sort(attribute='tool_call_id') -%}\n"
)

STABILITY: dict[str, Seed] = {
    "the last answer is closed in another way": seed(
        "{{- '<|im_end|>' -}}",
        "{{- '<|im_end|>' if loop.last else '<|over|>' -}}",
        *prefix(*ALL),
        "prefix_stable",
        "stop.before_user",
        "stop.before_tool",
        "stop.trained",
    ),
    "reasoning goes once a message follows": seed(
        THOUGHT,
        "{%- if message.reasoning_content and loop.last -%}",
        *prefix(*THINKING),
        "prefix_stable",
        "reasoning.in_loop",
        "reasoning.history",
        *losses("question", "results", "loop"),
    ),
    "reasoning is never printed": seed(
        THOUGHT, "{%- if false -%}", "reasoning.final", "reasoning.in_loop", "reasoning.history", *EVERYWHERE
    ),
    "an empty thought before the last answer": seed(
        ANSWER,
        "{{- '<think></think>' if loop.last and not message.reasoning_content -}}" + ANSWER,
        *prefix("plain", "tool_loop", "parallel_tools", "system_mid"),
        "prefix_stable",
    ),
    "results share one turn": seed(
        BODY,
        of(
            "tool",
            "{{- body(message.content) -}}{%- if loop.last or loop.nextitem.role != 'tool' -%}<|im_end|>{%- endif -%}",
        ),
        *prefix("parallel_tools"),
    ),
    "system messages go to the front": seed(
        LOOP,
        "{%- for message in messages | selectattr('role', 'equalto', 'system') | list + messages | rejectattr('role', 'equalto', 'system') | list -%}\n",
        *prefix("system_mid"),
    ),
    "the prompt opens a thought that history has not": seed(
        PROMPT,
        "{{- '<|im_start|>assistant\\n<think>' -}}{%- endif -%}\n",
        *coherence("plain", "tool_loop", "loop_then_user", "parallel_tools", "system_mid"),
        "prompt.text",
        "prompt.after_tool",
        "prompt.trailing_space",
    ),
    "the prompt closes the thought": seed(
        PROMPT,
        "{{- '<|im_start|>assistant\\n</think>\\n' -}}{%- endif -%}\n",
        *coherence(*ALL),
        "prompt.text",
        "prompt.after_tool",
    ),
    "a keyword opens a thought": seed(
        PROMPT, OPENED, "template.reads", "variants.enable_thinking=true", "variants.enable_thinking=false"
    ),
}
PROMPTS: dict[str, Seed] = {
    "the date is printed": seed(
        TOOLS,
        "{{- strftime_now('%d %b %Y') -}}" + TOOLS,
        "date.depends",
        "date.was",
        "date.becomes",
        "system.preamble",
    ),
    "the generation prompt is forgotten": seed(
        PROMPT, "{%- endif -%}\n", "prompt.text", "prompt.after_tool", "prompt.no_op", "prompt.trailing_space"
    ),
    "no generation prompt after results": seed(
        WITH_PROMPT, "{%- if add_generation_prompt and messages[-1].role != 'tool' -%}", "prompt.after_tool"
    ),
    "the generation prompt changes the start": seed(
        TOOLS,
        "{{- 'asked: ' if add_generation_prompt -}}" + TOOLS,
        "prompt.appends",
        "prompt.text",
        "prompt.after_tool",
        "prompt.trailing_space",
        *coherence(*ALL),
    ),
    "a default system prompt": seed(TOOLS, DEFAULT + TOOLS, "system.default", "system.preamble"),
    "generated text is marked": seed(
        "{{- '<|im_end|>' -}}",
        "{%- generation -%}{{- '<|im_end|>' -}}{%- endgeneration -%}",
        "template.generation_tags",
    ),
}
BODIES: dict[str, Seed] = {
    "system messages are dropped": seed(
        LOOP,
        "{%- for message in messages if message.role != 'system' -%}\n",
        "roles.system",
        "roles.system later",
        "content.system",
        "parts.system",
        *EVERYWHERE,
    ),
    "a system message goes with the last answer": seed(
        LOOP,
        "{%- for message in messages if message.role != 'system' or messages[-1].role != 'assistant' -%}\n",
        *prefix("system_mid"),
        *coherence("system_mid"),
        *losses("answer", "calls"),
    ),
    "a later system message is refused": seed(
        LOOP, refuse("message.role == 'system' and not loop.first"), "roles.system later", *prefix("system_mid")
    ),
    "user bodies are dropped": seed(
        BODY,
        of("user", "{{- '<|im_end|>' -}}"),
        "roles.user",
        "roles.user twice",
        "content.user",
        "parts.user",
        "system.preamble",
        *EVERYWHERE,
    ),
    "assistant bodies are dropped": seed(
        ANSWER,
        "",
        "roles.assistant",
        "roles.assistant first",
        "content.assistant",
        "parts.assistant",
        "reasoning.inline_history",
        *EVERYWHERE,
    ),
    "results are dropped": seed(
        BODY,
        of("tool", "{{- '<|im_end|>' -}}"),
        "roles.tool",
        "roles.tool without call",
        "content.tool",
        "parts.tool",
        *losses("results", "loop"),
    ),
    "developer messages are dropped": seed(
        LOOP, "{%- for message in messages if message.role != 'developer' -%}\n", "roles.developer"
    ),
    "unknown roles are system messages": seed(
        OPENER,
        OPENER.replace("message.role ~", "('system' if message.role == 'critic' else message.role) ~"),
        "roles.unknown",
    ),
    "two users in a row are refused": seed(
        LOOP,
        refuse("message.role == 'user' and loop.previtem is defined and loop.previtem.role == 'user'"),
        "roles.user twice",
    ),
    "an assistant may not begin": seed(
        LOOP, refuse("message.role == 'assistant' and loop.first"), "roles.assistant first"
    ),
    "results without a call are refused": seed(
        LOOP,
        refuse("message.role == 'tool' and loop.previtem.role not in ('assistant', 'tool')"),
        "roles.tool without call",
    ),
    **{
        f"{role} content is stripped": seed(BODY, of(role, STRIPPED), f"content.{role}")
        for role in ("system", "user", "tool")
    },
    "assistant content is stripped": seed(ANSWER, "{{- body(message.content) | trim -}}", "content.assistant"),
    "tool content is JSON": seed(
        BODY, of("tool", "{{- body(message.content) | tojson ~ '<|im_end|>' -}}"), "content.tool"
    ),
    **{
        f"{role} parts are printed whole": seed(BODY, listed(role, WHOLE), f"parts.{role}")
        for role in ("system", "user", "tool")
    },
    "assistant parts are printed whole": seed(
        ANSWER, "{{- message.content if message.content is string else message.content | string -}}", "parts.assistant"
    ),
    "user parts are dropped": seed(BODY, listed("user", "{{- '<|im_end|>' -}}"), "parts.user"),
    "inline thoughts are cut from history": seed(
        ANSWER,
        "{{- body(message.content).split('</think>')[-1] if not loop.last else body(message.content) -}}",
        "reasoning.inline_history",
    ),
}
CALLS: dict[str, Seed] = {
    "arguments are a dict only": seed(
        ARGUMENTS,
        "{{- '{' -}}{%- for key, value in arguments.items() -%}{{- ', ' * (not loop.first) ~ key | tojson ~ ': ' ~ value | tojson -}}{%- endfor -%}{{- '}</call>' -}}",
        "calls.arguments",
        "calls.as_string",
    ),
    "arguments are a string only": seed(
        ARGUMENTS,
        "{{- arguments + '</call>' -}}",
        "calls.arguments",
        "calls.as_dict",
    ),
    "a string is quoted again": seed(
        ARGUMENTS, "{{- arguments | tojson ~ '</call>' -}}", "calls.arguments", "calls.as_string"
    ),
    "values are Python's": seed(
        ARGUMENTS,
        "{{- (arguments if arguments is string else arguments | string) ~ '</call>' -}}",
        "calls.arguments",
        "calls.booleans",
    ),
    "keys are sorted": seed(ARGUMENTS, ARGUMENTS.replace("| tojson)", "| tojson(sort_keys=true))"), "calls.key_order"),
    "non-ASCII is escaped": seed(
        ARGUMENTS, ARGUMENTS.replace("| tojson)", "| tojson(ensure_ascii=true))"), "calls.non_ascii"
    ),
    "calls beside content are dropped": seed(
        "in message.tool_calls or []",
        "in message.tool_calls if not message.content",
        "calls.beside_content",
        *AFTER_CALLS,
    ),
    "content beside calls is dropped": seed(
        ANSWER, "{{- body(message.content) if not message.tool_calls -}}", *AFTER_CALLS
    ),
    "all calls but the first are dropped": seed(
        "in message.tool_calls or []", "in (message.tool_calls or [])[:1]", *AFTER_CALLS
    ),
    "content none is printed": seed(
        ANSWER, "{{- body(message.content) if message.content is defined else 'None' -}}", "calls.content_none"
    ),
    "tools are not shown": seed(TOOLS, "{%- if false -%}", "tools.shown"),
    "an empty list of tools is shown": seed(
        TOOLS, "{%- if tools is not none and tools is defined -%}", "tools.empty_list"
    ),
    "results carry no id": seed(
        "(' ' ~ message.tool_call_id if message.tool_call_id else '')", "''", "tools.told_apart"
    ),
    "results are put in the order of calls": seed(LOOP, BY_ID, "tools.results", "tools.told_apart"),
    "parallel calls are refused": seed(
        LOOP,
        refuse("(message.tool_calls or []) | length > 1"),
        "tools.results",
        "tools.told_apart",
        *both("parallel_tools"),
    ),
}
TURNS: dict[str, Seed] = {
    "the closer is no stop token": seed(
        "{{- '<|im_end|>' -}}",
        "{{- '<|fin|>' -}}",
        "stop.final",
        "stop.before_user",
        "stop.before_tool",
        "stop.trained",
    ),
}
FAULTS: dict[str, Seed] = {**STABILITY, **PROMPTS, **BODIES, **CALLS, **TURNS}
