"""What a family says of media: its placeholders, the settings of its processor, and what stands for one medium."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers.media.medium import Kind, Medium
from tokenspec_reference.renderers.media.resizing import Settings
from tokenspec_reference.renderers.segments import Segment


class Expansion(NamedTuple):
    """What is written in the place of one placeholder, and what a trainer needs to know of the medium beside it."""

    segments: tuple[Segment, ...]
    item: dict[str, Any]


Rule = Callable[[Medium, Settings, Segment], Expansion]
"""The expansion of one medium, from the numbers of the processor and the family's placeholder."""


@dataclass(frozen=True)
class MediaFormat:
    """The media of one family.

    Attributes:
        pads: per kind the placeholder token.
        settings: per kind the numbers of the published processor.
        rules: per kind how one medium is written; a kind without a rule is not expanded here.
    """

    pads: Mapping[Kind, str]
    settings: Mapping[Kind, Settings]
    rules: Mapping[Kind, Rule]

    def with_settings(self, given: Mapping[str, Mapping[str, float]]) -> MediaFormat:
        """The same with some numbers replaced.

        Raises:
            TokenSpecError: a kind or a number that the processor does not have.
        """
        self._refuse_other(given)
        own = self.settings.items()
        return replace(self, settings={kind: {**numbers, **given.get(kind, {})} for kind, numbers in own})

    def _refuse_other(self, given: Mapping[str, Mapping[str, float]]) -> None:
        """Refuse what is no number of the processor."""
        kinds = {str(kind): numbers for kind, numbers in self.settings.items()}
        for kind, numbers in given.items():
            _refuse_unknown(kind, kinds, f"media_settings.{kind}")
            for name, value in numbers.items():
                field = f"media_settings.{kind}.{name}"
                _refuse_unknown(name, kinds[kind], field)
                if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                    raise TokenSpecError(f"expected a number above 0, got {value!r}", field=field)

    def expansion(self, medium: Medium) -> Expansion:
        """What stands for a medium.

        Raises:
            MediaRefused: the processor refuses it.
            UnsupportedByReference: the family expands no media of this kind here.
        """
        rule = self.rules.get(medium.kind)
        if rule is None:
            raise UnsupportedByReference(f"this family's {medium.kind}s are not expanded here", field="messages")
        return rule(medium, self.settings[medium.kind], pad(self.pads[medium.kind]))


def pad(token: str) -> Segment:
    """A placeholder: it stands for what the caller gave, so it is body, but no caller typed it."""
    return Segment(token, is_body=True, is_supplied=False)


def repeated(placeholder: Segment, count: int) -> Segment:
    """A run of one placeholder."""
    return placeholder._replace(text=placeholder.text * count)


def _refuse_unknown(name: str, known: Mapping[str, Any], field: str) -> None:
    if name not in known:
        raise TokenSpecError(f"the processor has no such setting. Known: {', '.join(known)}", field=field)
