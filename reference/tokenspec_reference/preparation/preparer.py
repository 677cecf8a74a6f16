"""``Preparer``: one conversation at a time, deterministic, without reading or writing anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference
from tokenspec_reference.preparation.broken_calls import broken_calls
from tokenspec_reference.preparation.call_order import unanswered
from tokenspec_reference.preparation.codes import CODES
from tokenspec_reference.preparation.control_tokens import TypedControlTokens
from tokenspec_reference.preparation.conversation import Conversation
from tokenspec_reference.preparation.finding import Finding, failed
from tokenspec_reference.preparation.history import rewritten
from tokenspec_reference.preparation.length import Overlong, cut
from tokenspec_reference.preparation.losses import losses
from tokenspec_reference.preparation.masks import merged_headers, untrained
from tokenspec_reference.preparation.message_keys import unread_keys
from tokenspec_reference.preparation.not_read import media
from tokenspec_reference.preparation.prepared import Prepared, clipped
from tokenspec_reference.preparation.rendering import Rendering, render
from tokenspec_reference.preparation.roles import unknown_roles
from tokenspec_reference.renderers.encode import Encoder


class Preparer:
    """Prepare conversations with one renderer. Equal conversations give equal results."""

    def __init__(
        self,
        renderer: Any,
        *,
        encoder: Encoder | None = None,
        max_length: int | None = None,
        overlong: Overlong = "turns",
        expand_media: bool = False,
    ) -> None:
        """Keep what depends on template and tokenizer only.

        Args:
            renderer: of :func:`tokenspec_reference.renderers.create_renderer`.
            encoder: encodes in the place of the renderer's own; it has to give the same ids.
            max_length: bound in tokens; None for no bound.
            overlong: where a conversation above it is cut.
            expand_media: write as many placeholders for a picture or video as the model's processor does; files that
                a conversation names are opened. Without, media are an error of the conversation.

        Raises:
            TokenSpecError: the bound is not positive.
        """
        if max_length is not None and max_length < 1:
            raise TokenSpecError(f"expected at least 1, got {max_length}", field="max_length")
        self.renderer = renderer
        self.encoder: Encoder = encoder or renderer.encoder
        self.max_length = max_length
        self.overlong: Overlong = overlong
        self.expand_media = expand_media
        self._control = TypedControlTokens.of(renderer.encoder)

    def __call__(self, conversation: Conversation) -> Prepared:
        """Ids, masks and findings of a conversation; a refusal is a finding, never an exception.

        What has a finding of level ``error`` has no ids.
        """
        try:
            made = self._made(conversation)
        except BaseException as error:  # noqa: BLE001 - one row must not end the other million
            made = Prepared(findings=[failed(error)])
        template = getattr(self.renderer, "chat_template", "")
        before = [
            *conversation.findings,
            *unread_keys(template, conversation.messages),
            *media(conversation.messages, expanded=self.expand_media),
            *unknown_roles(template, conversation.messages),
        ]
        findings = [*before, *made.findings]
        if any(CODES[finding.code].level == "error" for finding in findings):
            return Prepared(findings=findings, total=made.total)
        return replace(made, findings=findings)

    def _made(self, conversation: Conversation) -> Prepared:
        try:
            found = render(self.renderer, self.encoder, conversation, media=self.expand_media)
        except UnsupportedByReference as error:
            return Prepared(findings=[Finding("media-not-expanded" if self.expand_media else "refused", str(error))])
        except TokenSpecError as error:
            code = "template-limit" if error.rejection_code == "template-limit" else "refused"
            return Prepared(findings=[Finding(code, str(error))])
        if not found.text.strip():
            return Prepared(findings=[Finding("all-text-vanished", "the template writes nothing of it")])
        if not found.owned:
            return Prepared(findings=[Finding("failed", "the tokenizer cannot place its tokens, so there is no mask")])
        findings = list(self._findings(found))
        total = kept = len(found.token_ids)
        if self.max_length is not None and total > self.max_length:
            kept, finding = cut(found, self.max_length, self.overlong)
            kept = next((start for start, end in found.media if start < kept < end), kept)
            findings.append(finding)
        trained = clipped(found.trained, kept)
        if not trained:
            return Prepared(findings=findings, total=total)
        return Prepared(
            token_ids=found.token_ids[:kept],
            trained=trained,
            content=clipped(found.content, kept),
            spans=[span._replace(end=min(span.end, kept)) for span in found.message_spans if span.start < kept],
            findings=findings,
            total=total,
        )

    def _findings(self, found: Rendering) -> Iterator[Finding]:
        yield from losses(found)
        yield from self._control.findings(found)
        yield from merged_headers(found)
        yield from unanswered(found.conversation.messages)
        yield from broken_calls(self.renderer, found)
        yield from rewritten(self.renderer, found, media=self.expand_media)
        yield from untrained(found)
