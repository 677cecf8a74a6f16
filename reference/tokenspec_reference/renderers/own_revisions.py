"""The revision that the name of a family means by itself, for those who have no template to tell it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenspec_reference.renderers.family import Revisions

OWN_REVISIONS = {
    "qwen3.5": "3.5",
    "qwen3.6": "3.6",
    "qwen3.8": "3.8",
    "glm-4.7": "4.7",
    "glm-5": "4.7",
    "glm-5.1": "5.1",
    "nemotron-3": "nano",
    "nemotron-3-super": "super",
    "nemotron-3-ultra": "ultra",
    "nemotron-3.5": "3.5",
    "laguna-xs.2": "xs.2",
    "laguna-m.1": "m.1",
    "laguna-s-2.1": "s-2.1",
    "laguna-xs-2.1": "xs-2.1",
    "deepseek-r1": "r1",
}
"""Family name to the revision it means; other names mean the usual one of their module."""


def own_revision(name: str, declared: Revisions) -> str:
    """The revision of a name."""
    return OWN_REVISIONS.get(name) or declared.name_in("")
