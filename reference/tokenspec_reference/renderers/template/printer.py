"""Run a compiled template over tracked values and collect what it prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import TemplateRejects, TokenSpecError
from tokenspec_reference.renderers.segments import OUTSIDE

from .limits import Limits, TemplateLimitExceeded
from .ownership import Piece
from .provenance import runs_of
from .sandbox import clock
from .state import STATE, RenderState
from .words import line_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from jinja2 import Template

    from tokenspec_reference.renderers.chat import Chat

    from .values import ValueTable


@dataclass(frozen=True)
class Printed:
    """A text, the pieces it was printed in, and the table their origins refer to."""

    text: str
    pieces: list[Piece]
    table: ValueTable


@dataclass(frozen=True)
class Printer:
    """A template with what it sees besides the conversation."""

    template: Template
    special_tokens: Mapping[str, Any]
    limits: Limits

    def __call__(self, chat: Chat, *, add_generation_prompt: bool) -> Printed:
        """Print a conversation.

        Raises:
            TemplateRejects: the template raised.
            TemplateLimitExceeded: the template ran away.
        """
        state = RenderState(self.limits, self.limits.for_messages(len(chat.turns)))
        track = state.table.track
        values = {
            **{name: track(value, OUTSIDE, (name,)) for name, value in chat.options.items()},
            "messages": [track(dict(turn.message), turn.index, ()) for turn in chat.turns],
            "tools": track(chat.tools, OUTSIDE, ("tools",)),
        }
        pieces: list[Piece] = []
        texts: list[str] = []
        for piece in self._pieces(chat.now, state, values, add_generation_prompt):
            texts.append(piece)
            pieces.append(Piece(runs_of(piece), state.message, state.loops[-1].is_over_parts))
        return Printed("".join(texts), pieces, state.table)

    def text(self, chat: Chat, *, add_generation_prompt: bool) -> str:
        """The text of :meth:`__call__`, of values that nobody tracks, in less than half the time.

        Raises:
            TemplateRejects: the template raised.
            TemplateLimitExceeded: the template ran away.
        """
        state = RenderState(self.limits, self.limits.for_messages(len(chat.turns)))
        values = {**chat.options, "messages": [dict(turn.message) for turn in chat.turns], "tools": chat.tools}
        return "".join(map(str.__str__, self._pieces(chat.now, state, values, add_generation_prompt)))

    def _pieces(
        self, now: datetime, state: RenderState, values: dict[str, Any], add_generation_prompt: bool
    ) -> Iterator[str]:
        state.table.measure(values["messages"])
        variables = {
            "strftime_now": clock(now),
            "documents": None,
            **self.special_tokens,
            **values,
            "add_generation_prompt": add_generation_prompt,
            STATE: state,
        }
        try:
            yield from self.limits.printed(self.template.root_render_func(self.template.new_context(variables)))
        except TemplateLimitExceeded as error:
            raise error.at_line(line_of(error)) from None
        except TokenSpecError:
            raise
        except RecursionError as error:
            raise TemplateLimitExceeded("the template recurses without end", field="chat_template") from error
        except Exception as error:  # whatever a template can raise, it refuses the conversation with it
            raise TemplateRejects(f"the chat template refuses it: {words_of(error)}") from error
