"""Broken provenance: the generic renderer of any template, with one of its mechanisms taken out.

Openers and closers are derived from the template here, not stated by the row, so that the mechanisms are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

from tokenspec.areas.mutant import Mutant
from tokenspec.areas.render.mutants.texts import Request, Result
from tokenspec_reference.adapter import ReferenceAdapter
from tokenspec_reference.renderers.template import ownership, renderer, spans, tracking
from tokenspec_reference.renderers.template.ownership import Stretch
from tokenspec_reference.renderers.template.provenance import Origin, Tracked
from tokenspec_reference.renderers.template.sampled import GenerationPrompt, shared_prefix
from tokenspec_reference.renderers.template.values import ValueTable

Break = Callable[[], AbstractContextManager[Any]]


class Provenance(ReferenceAdapter):
    """The generic renderer on every row, with something replaced while it renders."""

    def __init__(self, within: Break | None = None) -> None:
        """Without ``within`` this is the unmutated twin."""
        super().__init__()
        self.within = within

    def load(self, model: str, assets: Mapping[str, Any]) -> None:
        """Forget the row's family and what it states of its turns."""
        wire = {**assets["wire"], "assistant_open": [], "assistant_close": []}
        super().load(model, {**assets, "family": "template", "wire": wire})

    def render(self, request: Request) -> Result:
        """Render without the mechanism."""
        if self.within is None:
            return super().render(request)
        with self.within():
            return super().render(request)


@contextmanager
def no_joints() -> Iterator[None]:
    """The opener of a turn is all it shares with the generation prompt, also half a word or half a tag."""

    def shared_with(prompt: GenerationPrompt, turn: str, body_start: int | None = None) -> int:
        return shared_prefix(turn[:body_start], prompt.text)

    with patch.object(GenerationPrompt, "shared_with", shared_with):
        yield


@contextmanager
def first_closer() -> Iterator[None]:
    """The emission ends at the first closer of the turn, the one a caller typed included."""

    def sampled_end(text: str, after: int, end: int, turn_closers: Sequence[str], closers: Sequence[str]) -> int | None:
        start = max(text.rfind("\n", 0, after), 0)
        found = [at + len(closer) for closer in (*turn_closers, *closers) if (at := text.find(closer, start, end)) >= 0]
        return min(found, default=None)

    with patch.object(spans, "sampled_end", sampled_end):
        yield


@contextmanager
def loop_owner() -> Iterator[None]:
    """Every character belongs to the message the loop is at, whoever typed it."""

    def owner(origin: Origin, loop: int) -> int:
        return loop if loop >= 0 else -1 if not origin.path else loop

    with patch.object(ownership, "_owner", owner):
        yield


@contextmanager
def bodies_by_field_name() -> Iterator[None]:
    """A body is whatever came from a message, its role and name too."""

    def is_body(stretch: Stretch, table: ValueTable) -> bool:
        origin = table.origins[stretch.origin]
        return origin.message >= 0 and origin.message == stretch.owner and bool(origin.path)

    with patch.object(spans, "is_body", is_body):
        yield


@contextmanager
def parts_whole() -> Iterator[None]:
    """Of a content part everything counts as body: it is no text that was typed, but what stands for a picture too."""

    def is_placeholder(*_: Any) -> bool:
        return False

    with patch.object(spans.Attributor, "_is_placeholder", is_placeholder):
        yield


@contextmanager
def joined_without_provenance() -> Iterator[None]:
    """``a ~ b`` prints plain text."""
    joined = tracking.TrackingSandbox.join_text

    def join_text(sandbox: Any, context: Any, values: Sequence[Any]) -> str:
        return str.__str__(joined(sandbox, context, values))

    with patch.object(tracking.TrackingSandbox, "join_text", join_text):
        yield


@contextmanager
def strip_without_provenance() -> Iterator[None]:
    """Stripped strings forget what they were."""
    with patch.object(Tracked, "_part", lambda text, start, stop: Tracked.of(*plain(str(text)[start:stop]))):
        yield


def plain(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """A text as the template's own."""
    return str.__str__(text), ((len(text), 0),)


@contextmanager
def everything_adopted() -> Iterator[None]:
    """What stands before the first message belongs to it, a default system turn too."""
    assign = ownership.assign_owners

    def assign_owners(*args: Any, **kwargs: Any) -> list[Stretch]:
        found = assign(*args, **kwargs)
        first = next((at for at, stretch in enumerate(found) if stretch.owner >= 0), 0)
        return [stretch._replace(owner=0) if at < first else stretch for at, stretch in enumerate(found)]

    with patch.object(renderer, "assign_owners", assign_owners):
        yield


class WithoutMasks(ReferenceAdapter):
    """The reference, whose masks of a template that comes with the conversation mark nothing."""

    def render(self, request: Request) -> Result:
        """Render, and forget what is body."""
        result = super().render(request)
        if "chat_template" in request["options"]:
            result["is_content"] = [False] * len(result["token_ids"])
        return result


def mutant(id_: str, breaks: str, note: str, within: Break) -> Mutant:
    """One mechanism less."""
    return Mutant(f"render-provenance-{id_}", "render", tuple(breaks.split()), note, lambda: Provenance(within))


MUTANTS: tuple[Mutant, ...] = (
    mutant("no-joints", "RND-029", "an opener is cut anywhere, not at a joint of the prompt", no_joints),
    mutant("first-closer", "RND-029", "a turn ends at its first closer, typed or not", first_closer),
    mutant(
        "loop-owner", "RND-021 RND-022", "the loop decides whose a character is, not where it came from", loop_owner
    ),
    mutant("any-field-is-body", "RND-022", "roles and names of a message are body", bodies_by_field_name),
    mutant("no-placeholders", "RND-022", "what stands for a picture is no body", parts_whole),
    mutant("plain-concat", "RND-022", "joining strings loses their origin", joined_without_provenance),
    mutant("plain-strip", "RND-022", "stripping a string loses its origin", strip_without_provenance),
    Mutant(
        "render-provenance-own-only",
        "render",
        ("RND-005",),
        "a template that comes with the conversation has no body",
        WithoutMasks,
    ),
    mutant("adopts-injected", "RND-021", "a default system turn belongs to the first message", everything_adopted),
)
