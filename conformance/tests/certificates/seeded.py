"""A template without a fault, and templates with one seeded fault each: what proves that a fact can change.

The faultless one keeps all roles, prints every body as it is, appends only, and ends every turn with a stop token.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tokenspec.data import fixtures_dir
from tokenspec.models import Row
from tokenspec.models.spec import RowSpec, Wire, decode

FAULTLESS = """\
{%- macro body(content) -%}
  {%- if content is string -%}{{- content -}}
  {%- else -%}{%- for part in content or [] -%}{{- part.text -}}{%- endfor -%}{%- endif -%}
{%- endmacro -%}
{%- if tools -%}
  {{- '<|im_start|>tools\\n' -}}{%- for tool in tools -%}{{- tool | tojson ~ '\\n' -}}{%- endfor -%}{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
  {{- '<|im_start|>' ~ message.role ~ (' ' ~ message.tool_call_id if message.tool_call_id else '') ~ '\\n' -}}
  {%- if message.role == 'assistant' -%}
    {%- if message.reasoning_content -%}{{- '<think>' ~ message.reasoning_content ~ '</think>' -}}{%- endif -%}
    {{- body(message.content) -}}
    {%- for call in message.tool_calls or [] -%}
      {%- set arguments = call.function.arguments -%}
      {{- '<call>' ~ call.id ~ ' ' ~ call.function.name ~ ' ' -}}
      {{- (arguments if arguments is string else arguments | tojson) ~ '</call>' -}}
    {%- endfor -%}
    {{- '<|im_end|>' -}}
  {%- else -%}
    {{- body(message.content) ~ '<|im_end|>' -}}
  {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
"""
BODY = "{{- body(message.content) ~ '<|im_end|>' -}}"
ANSWER = "{{- body(message.content) -}}"
ARGUMENTS = "{{- (arguments if arguments is string else arguments | tojson) ~ '</call>' -}}"
OPENER = "{{- '<|im_start|>' ~ message.role ~ (' ' ~ message.tool_call_id if message.tool_call_id else '') ~ '\\n' -}}"
TOOLS = "{%- if tools -%}"
PROMPT = "{{- '<|im_start|>assistant\\n' -}}{%- endif -%}\n"
THOUGHT = "{%- if message.reasoning_content -%}"
LOOP = "{%- for message in messages -%}\n"
WIRE = Wire(
    assistant_open=("<|im_start|>assistant\n",), assistant_close=("<|im_end|>",), stop=("<|im_end|>",), placeholder=()
)


@dataclass(frozen=True)
class Seed:
    """One fault: a piece of the faultless template replaced, and exactly the facts that must change by it."""

    old: str
    new: str
    flips: frozenset[str]

    @property
    def template(self) -> str:
        """The template with the fault."""
        assert FAULTLESS.count(self.old) == 1, self.old
        return FAULTLESS.replace(self.old, self.new)


def seed(old: str, new: str, *flips: str) -> Seed:
    """A fault."""
    return Seed(old, new, frozenset(flips))


def refuse(condition: str) -> str:
    """Raise inside the loop over messages where this holds."""
    return LOOP + f"{{%- if {condition} -%}}{{{{- raise_exception('no') -}}}}{{%- endif -%}}\n"


def row_of(folder: Path, template: str, wire: Wire = WIRE) -> Row:
    """A toy row with this template."""
    toy = fixtures_dir() / "toy" / "toy-bpe"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(toy / name, folder / name)
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    spec = decode(fixtures_dir() / "models" / "toy-bpe.toml", RowSpec)
    return Row(msgspec.structs.replace(spec, id="seeded", wire=wire, options={}), folder)
