"""The renderer that ``create_renderer(tokenizer)`` finds by itself, and what it says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest
from toys import byte_level

from tokenspec.models import available, load, specs
from tokenspec_reference.errors import TemplateRejects
from tokenspec_reference.renderers import create_renderer
from tokenspec_reference.renderers import resolve as module
from tokenspec_reference.renderers.families import FAMILIES, declared_by
from tokenspec_reference.renderers.family import Revisions
from tokenspec_reference.renderers.own_revisions import OWN_REVISIONS, own_revision
from tokenspec_reference.renderers.resolve import KNOWN_TEMPLATES, candidates, resolve, writes_the_same
from tokenspec_reference.renderers.template import Wire

CHAT = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Iterator[None]:
    module._RESOLVED.clear()
    yield
    module._RESOLVED.clear()


def made(family: str) -> Any:
    return create_renderer(byte_level(), family=family)


@dataclass
class Foreign:
    """A template that writes what a family writes, but for one edit."""

    family: str
    edit: Any = None
    chat_template: str = "<|im_end|>"
    tokenizer: Any = None

    def provenance(self, messages: Any, *, tools: Any, add_generation_prompt: bool, **options: Any) -> Any:
        own = create_renderer(byte_level(), family=self.family, **options)
        text = own.render_parts(messages, tools=tools, add_generation_prompt=add_generation_prompt)[0]
        return SimpleNamespace(text=text if self.edit is None else self.edit(text, messages))


def refusing_results(text: str, messages: Any) -> str:
    if any(message["role"] == "tool" for message in messages):
        raise TemplateRejects("no results")
    return text


def found(template: Any, name: str = "") -> Any:
    return resolve("unknown " + template.family, name, list(FAMILIES), made, template)


@pytest.mark.parametrize("family", ["qwen2.5", "qwen3", "qwen3-vl"])
def test_a_template_nobody_met_is_the_family_that_writes_the_same(family: str) -> None:
    assert (found(Foreign(family)).family, found(Foreign(family)).by) == (family, "witnesses")


def test_a_name_is_tried_first_and_believed_only_where_the_texts_are_equal() -> None:
    assert found(Foreign("qwen3"), "org/Qwen3-8B").by == "name"
    module._RESOLVED.clear()
    assert found(Foreign("qwen2.5"), "org/Qwen3-8B").family == "qwen2.5"


@pytest.mark.parametrize(
    "edit",
    [lambda text, _: text + " ", lambda text, _: text.replace("Köln", "K\\u00f6ln"), refusing_results],
    ids=["blank", "escapes", "refuses"],
)
def test_one_difference_leaves_it_to_the_generic_renderer(edit: Any) -> None:
    assert not writes_the_same("qwen3", made, Foreign("qwen3", edit))
    assert found(Foreign("qwen3", edit)).family == "template"


def test_a_stop_token_that_the_template_puts_together_is_seen_in_its_text() -> None:
    assert writes_the_same("qwen3", made, Foreign("qwen3", chat_template="<|im_{{ 'end' }}|>"))


def test_a_family_whose_stop_token_is_nowhere_is_not_tried() -> None:
    def stopping_elsewhere(name: str) -> Any:
        own = made(name)
        return replace(own, family=replace(own.family, stop_tokens=("<|nowhere|>",)))

    assert writes_the_same("qwen3", made, Foreign("qwen3"))
    assert not writes_the_same("qwen3", stopping_elsewhere, Foreign("qwen3"))


def test_every_renderer_says_how_it_was_found() -> None:
    tokenizer = byte_level()
    generic = create_renderer(tokenizer, chat_template=CHAT)
    assert (generic.resolution.family, generic.resolution.by) == ("template", "none")
    assert create_renderer(tokenizer, family="qwen3").resolution.by == "argument"
    assert create_renderer(tokenizer, family="template", chat_template=CHAT).resolution.by == "argument"
    assert create_renderer(tokenizer, wire=Wire(), chat_template=CHAT).resolution.why == "wire= was asked for"


def test_every_known_template_is_a_rows_and_every_row_is_known() -> None:
    templates = [spec for spec in specs().values() if spec.template is not None and spec.oracle != "encoder"]
    pinned = {spec.template.sha256: spec.family for spec in templates}
    written_by_hand = {digest: family for digest, family in pinned.items() if family != "template"}
    assert written_by_hand == KNOWN_TEMPLATES


@pytest.mark.real
@pytest.mark.parametrize(
    "row", sorted(id_ for id_, spec in specs().items() if spec.family != "template" and spec.oracle != "encoder")
)
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_the_door_finds_the_family_of_every_row(row: str, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if (missing := available(row)) is not None:
        pytest.skip(missing)
    loaded = load(row)
    monkeypatch.setattr(loaded.tokenizer, "name_or_path", "", raising=False)
    if not known:
        monkeypatch.setattr(module, "KNOWN_TEMPLATES", {})
    renderer = create_renderer(loaded.tokenizer, chat_template=loaded.chat_template)
    assert renderer.resolution.by == ("hash" if known else "witnesses")
    assert renderer.resolution.family == loaded.spec.family


@pytest.mark.real
@pytest.mark.parametrize("row", sorted(id_ for id_, spec in specs().items() if spec.oracle == "encoder"))
def test_the_door_finds_the_family_of_a_row_without_a_template_by_its_name(row: str) -> None:
    if (missing := available(row)) is not None:
        pytest.skip(missing)
    renderer = create_renderer(load(row).tokenizer)
    assert (renderer.resolution.family, renderer.resolution.by) == (specs()[row].family, "name")


@pytest.mark.parametrize("family", [name for name in FAMILIES if isinstance(declared_by(name), Revisions)])
def test_a_name_without_a_template_means_a_revision_and_is_no_candidate_for_another(family: str) -> None:
    declared = declared_by(family)
    assert isinstance(declared, Revisions)
    known = dict(declared.markers)
    meant = own_revision(family, declared)
    assert meant in known
    assert meant == OWN_REVISIONS.get(family, declared.name_in(""))
    for marker in known.values():
        expected = family not in OWN_REVISIONS or declared.name_in(marker) == meant
        assert (family in candidates(marker)) == expected


def test_revisions_that_names_mean_differ() -> None:
    def prompt(family: str) -> str:
        asked = [{"role": "user", "content": "Hi."}]
        return str(made(family).render_parts(asked, add_generation_prompt=True)[0])

    assert prompt("qwen3.5") != prompt("qwen3.8")
