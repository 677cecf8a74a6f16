"""The hand-written families: one module a wire format, found by name."""

from __future__ import annotations

from importlib import import_module

from tokenspec_reference.errors import UnknownFamily
from tokenspec_reference.renderers.family import Family, Revisions
from tokenspec_reference.renderers.own_revisions import own_revision

FAMILIES = {
    "qwen2.5": "qwen2_5",
    "qwen3": "qwen3",
    "qwen3-vl": "qwen3_vl",
    "qwen3.5": "qwen3_5",
    "qwen3.6": "qwen3_5",
    "qwen3.8": "qwen3_5",
    "glm-4.5": "glm4_5",
    "glm-4.7": "glm4_7",
    "glm-5": "glm4_7",
    "glm-5.1": "glm4_7",
    "glm-5.3": "glm5_3",
    "kimi-k2": "kimi_k2",
    "kimi-k2.5": "kimi_k2_5",
    "minimax-m2": "minimax_m2",
    "nemotron-3": "nemotron_3",
    "nemotron-3-super": "nemotron_3",
    "nemotron-3-ultra": "nemotron_3",
    "nemotron-3.5": "nemotron_3",
    "laguna-xs.2": "laguna_xs_2",
    "laguna-m.1": "laguna_xs_2",
    "laguna-s-2.1": "laguna_s_2_1",
    "laguna-xs-2.1": "laguna_s_2_1",
    "hy3": "hy3",
    "gpt-oss": "gpt_oss",
    "gemma-4": "gemma_4",
    "llama-3": "llama3",
    "deepseek-r1": "deepseek_v3",
    "deepseek-v3": "deepseek_v3",
    "deepseek-v3.1": "deepseek_v3_1",
    "deepseek-v3.2": "deepseek_v3_2",
    "deepseek-v4": "deepseek_v4",
}
"""Family name to the module of ``renderers.families`` that describes it."""


def family_names() -> list[str]:
    """All names :func:`create_renderer` accepts."""
    return [*FAMILIES, "template"]


def check_family(name: str) -> None:
    """Refuse a name that :func:`create_renderer` does not know.

    Raises:
        UnknownFamily: lists the known names and suggests the nearest.
    """
    if name not in family_names():
        raise UnknownFamily(name, family_names())


def load_family(name: str, chat_template: str | None = None) -> Family:
    """The declared wire format of a hand-written family, in the revision that the row's template has.

    Raises:
        UnknownFamily: no such family.
    """
    check_family(name)
    declared = declared_by(name)
    if not isinstance(declared, Revisions):
        return declared
    return declared.family(own_revision(name, declared) if chat_template is None else declared.name_in(chat_template))


def declared_by(name: str) -> Family | Revisions:
    """What the module of a family declares."""
    declared: Family | Revisions = import_module(f"tokenspec_reference.renderers.families.{FAMILIES[name]}").FAMILY
    return declared
