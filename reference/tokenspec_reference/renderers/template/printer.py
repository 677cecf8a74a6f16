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
from .words import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        state = RenderState(self.limits)
        pieces: list[Piece] = []
        texts: list[str] = []
        size = 0
        try:
            context = self.template.new_context(self._variables(chat, state, add_generation_prompt))
            for piece in self.template.root_render_func(context):
                size += len(piece)
                self.limits.check_size(size)
                texts.append(piece)
                pieces.append(Piece(runs_of(piece), state.message, state.part_loops[-1]))
            text = "".join(texts)
        except TokenSpecError:
            raise
        except RecursionError as error:
            raise TemplateLimitExceeded("the template recurses without end", field="chat_template") from error
        except Exception as error:  # whatever a template can raise, it refuses the conversation with it
            raise TemplateRejects(f"the chat template refuses it: {words_of(error)}") from error
        return Printed(text, pieces, state.table)

    def _variables(self, chat: Chat, state: RenderState, add_generation_prompt: bool) -> dict[str, Any]:
        track = state.table.track
        return {
            "strftime_now": clock(chat.now),
            "documents": None,
            **self.special_tokens,
            **{name: track(value, OUTSIDE, (name,)) for name, value in chat.options.items()},
            "messages": state.table.measure([track(dict(turn.message), turn.index, ()) for turn in chat.turns]),
            "tools": track(chat.tools, OUTSIDE, ("tools",)),
            "add_generation_prompt": add_generation_prompt,
            STATE: state,
        }
