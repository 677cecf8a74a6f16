"""Make a renderer for a family, or for any chat template."""

from __future__ import annotations

import difflib
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers.chat import FROZEN_CLOCK, Normalisation
from tokenspec_reference.renderers.continuation import OPTION
from tokenspec_reference.renderers.encode import Encoder
from tokenspec_reference.renderers.families import load_family
from tokenspec_reference.renderers.renderer import Renderer
from tokenspec_reference.renderers.resolution import Resolution
from tokenspec_reference.renderers.resolve import candidates, resolve, resolve_without_template

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from tokenspec_reference.renderers.attribute import Encoding, IdProfile, Straddle
    from tokenspec_reference.renderers.protocol import ChatRenderer
    from tokenspec_reference.renderers.template import Wire


class UnreadOption(UserWarning):
    """A template option that the template does not read."""


def create_renderer(
    tokenizer: Any,
    *,
    family: str | None = None,
    chat_template: str | None = None,
    encoding: Encoding = "hf",
    id_profile: IdProfile = "canonical",
    straddle: Straddle | None = None,
    normalisation: Normalisation = "hf5",
    now: datetime = FROZEN_CLOCK,
    wire: Wire | None = None,
    media_settings: Mapping[str, Mapping[str, float]] | None = None,
    **template_kwargs: Any,
) -> ChatRenderer:
    """Make a renderer.

    Args:
        tokenizer: any object with ``encode(text, add_special_tokens=False)``.
        family: a family name, or ``template`` for the generic renderer of any chat template. None finds the family
            the template belongs to, by the tokenizer's name where its publisher ships no template, else takes
            ``template``; ``resolution`` of the renderer says which and why.
        chat_template: the row's template text, by default the tokenizer's. Hand-written families read only from it
            which revision they have to follow.
        encoding: ``hf`` (as transformers) or ``isolated`` (callers cannot write control tokens).
        id_profile: ``canonical`` (one encode of the text) or ``sampled-boundary`` (what a sampler saw).
        straddle: rule for tokens that cover scaffold and body; None takes the family's own.
        normalisation: how messages are prepared, as transformers 5 (``hf5``) or 4.57 (``hf4``) does it.
        now: what ``strftime_now`` gives; the wall clock is never read.
        wire: openers and closers of assistant turns for the ``template`` family, which else derives them; given
            without a family it means ``template``. Another family has its own: with one it is refused.
        media_settings: numbers of the family's picture and video processor that differ from the published ones, e.g.
            ``{"image": {"max_pixels": 1_003_520}}``. Refused where the family expands no media.
        **template_kwargs: as in ``apply_chat_template``; one that the template does not read changes nothing, and an
            ``UnreadOption`` warning names the nearest that it reads.

    Raises:
        UnknownFamily: no such family; the message suggests the nearest name.
        TokenSpecError: unknown option value, an option that does not apply, nothing to render with, or a tokenizer that
            lacks the token that ends the turns of the family that was asked for; ``field`` names it.
    """
    for field, value, allowed in (
        ("encoding", encoding, ("hf", "isolated")),
        ("id_profile", id_profile, ("canonical", "sampled-boundary")),
        ("straddle", straddle, (None, "first-char", "overlap")),
        ("normalisation", normalisation, ("hf5", "hf4")),
    ):
        if value not in allowed:
            raise TokenSpecError(f"expected one of {allowed}, got {value!r}", field=field)
    template = chat_template if chat_template is not None else getattr(tokenizer, "chat_template", None)
    if template is not None and not isinstance(template, str):
        raise TokenSpecError(
            f"expected one template's text, got {type(template).__name__}; pass one of several as chat_template=",
            field="chat_template",
        )
    if wire is not None and family not in (None, "template"):
        raise TokenSpecError(f"the family {family!r} has its own; leave wire out, or family", field="wire")
    _warn_of_unread(template_kwargs, template)

    def hand_written(name: str) -> Renderer:
        declared = load_family(name, template)
        encoder = Encoder(tokenizer, control_text=template)
        if encoder.added:
            encoder.id_of(declared.stop_tokens[0])
        return Renderer(
            family=declared,
            encoder=encoder,
            options=template_kwargs,
            encoding=encoding,
            id_profile=id_profile,
            straddle=straddle or declared.straddle,
            normalisation=normalisation,
            now=now,
            chat_template=template,
        )

    def chosen(renderer: Renderer, resolution: Resolution) -> Renderer:
        """Apply the media settings last: a wrong one is the caller's mistake, and says nothing of the family."""
        declared = renderer.family
        if declared.media is not None:
            declared = replace(declared, media=declared.media.with_settings(media_settings or {}))
        elif media_settings:
            raise UnsupportedByReference(f"the family {resolution.family!r} expands no media", field="media_settings")
        return replace(renderer, family=declared, resolution=resolution)

    if family not in (None, "template"):
        stated = Resolution(family, "argument", f"family={family!r} was asked for")
        return chosen(hand_written(family), stated)
    name = str(getattr(tokenizer, "name_or_path", ""))
    if template is None and family is None and (found := resolve_without_template(name)) is not None:
        return chosen(hand_written(found.family), found)
    if template is None:
        raise TokenSpecError("no family and no chat template to render with", field="chat_template")
    from tokenspec_reference.renderers.template import TemplateRenderer

    generic = TemplateRenderer(
        tokenizer,
        template,
        encoding=encoding,
        id_profile=id_profile,
        straddle=straddle or "first-char",
        normalisation=normalisation,
        now=now,
        wire=wire,
        **template_kwargs,
    )
    if family is None and wire is None:
        found = resolve(template, name, candidates(template), hand_written, generic)
        if found.family != "template":
            try:
                renderer = hand_written(found.family)
            except UnsupportedByReference:
                raise
            except TokenSpecError as error:  # the vocabulary lacks what the family ends its turns with
                found = Resolution("template", "none", f"{found.why}, but {error}")
            else:
                return chosen(renderer, found)
    else:
        given = 'family="template"' if family else "wire="
        found = Resolution("template", "argument", f"{given} was asked for")
    if media_settings:
        raise UnsupportedByReference("what this template's processor writes is not described", field="media_settings")
    generic.resolution = found
    return generic


def _warn_of_unread(options: Mapping[str, Any], template: str | None) -> None:
    """Warn of options that the template does not read, and name the nearest ones that it does."""
    if template is None or not options:
        return
    from tokenspec_reference.renderers.template.limits import InvalidTemplate
    from tokenspec_reference.renderers.template.reads import reads

    try:
        known = reads(template)
    except InvalidTemplate:
        return  # a hand-written family does not need it to be Jinja
    for name in sorted(set(options) - known - {OPTION}):
        near = difflib.get_close_matches(name, sorted(known), n=1)
        cure = f"; did you mean {near[0]!r}?" if near else ""
        warnings.warn(f"the template does not read {name!r}{cure}", UnreadOption, stacklevel=3)
