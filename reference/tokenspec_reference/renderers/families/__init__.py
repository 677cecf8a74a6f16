"""The hand-written families: one module a wire format, found by name."""

from __future__ import annotations

from importlib import import_module

from tokenspec_reference.errors import UnknownFamily
from tokenspec_reference.renderers.family import Family, Revisions

FAMILIES = {
    "qwen2.5": ("qwen2_5", None),
    "qwen3": ("qwen3", None),
    "qwen3-vl": ("qwen3_vl", None),
    "qwen3.5": ("qwen3_5", "3.5"),
    "qwen3.6": ("qwen3_5", "3.6"),
    "qwen3.8": ("qwen3_5", "3.8"),
    "glm-4.5": ("glm4_5", None),
    "glm-4.7": ("glm4_7", "4.7"),
    "glm-5": ("glm4_7", "4.7"),
    "glm-5.1": ("glm4_7", "5.1"),
    "glm-5.3": ("glm5_3", None),
    "kimi-k2": ("kimi_k2", None),
    "kimi-k2.5": ("kimi_k2_5", None),
    "minimax-m2": ("minimax_m2", None),
    "nemotron-3": ("nemotron_3", "nano"),
    "nemotron-3-super": ("nemotron_3", "super"),
    "nemotron-3-ultra": ("nemotron_3", "ultra"),
    "nemotron-3.5": ("nemotron_3", "3.5"),
    "laguna-xs.2": ("laguna_xs_2", "xs.2"),
    "laguna-m.1": ("laguna_xs_2", "m.1"),
    "laguna-s-2.1": ("laguna_s_2_1", "s-2.1"),
    "laguna-xs-2.1": ("laguna_s_2_1", "xs-2.1"),
    "hy3": ("hy3", None),
    "gpt-oss": ("gpt_oss", None),
    "gemma-4": ("gemma_4", None),
    "llama-3": ("llama3", None),
    "deepseek-r1": ("deepseek_v3", "r1"),
    "deepseek-v3": ("deepseek_v3", None),
    "deepseek-v3.1": ("deepseek_v3_1", None),
    "deepseek-v3.2": ("deepseek_v3_2", None),
    "deepseek-v4": ("deepseek_v4", None),
}
"""Family name to the module of ``renderers.families`` that describes it, and the revision it means by itself."""


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
    _, own_revision = FAMILIES[name]
    declared = _declared(name)
    if isinstance(declared, Revisions):
        without_template = own_revision if chat_template is None else None
        declared = declared.family(without_template or declared.name_in(chat_template or ""))
    return declared


def candidates(chat_template: str) -> list[str]:
    """Families a template may belong to: of those with revisions the one it has."""
    found = []
    for name, (_, own_revision) in FAMILIES.items():
        declared = _declared(name)
        if not isinstance(declared, Revisions) or own_revision in (None, declared.name_in(chat_template)):
            found.append(name)
    return found


def _declared(name: str) -> Family | Revisions:
    declared: Family | Revisions = import_module(f"tokenspec_reference.renderers.families.{FAMILIES[name][0]}").FAMILY
    return declared
