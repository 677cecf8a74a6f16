"""The readable twin of :mod:`streaming`: after each chunk the decided prefix is parsed again, from its beginning.

So nothing is taken back, whatever the chunks are. The cost grows with the square of the length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenspec_reference.renderers.parsing.completion import list_of_ids, read_completion
from tokenspec_reference.renderers.parsing.deltas import Delta, call_delta
from tokenspec_reference.renderers.parsing.parse import parse_completion
from tokenspec_reference.renderers.parsing.progress import decided

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenspec_reference.renderers.encode import Encoder
    from tokenspec_reference.renderers.parsing.call_formats import ToolSchemas
    from tokenspec_reference.renderers.parsing.completion import Completion
    from tokenspec_reference.renderers.parsing.parse import ResponseFormat
    from tokenspec_reference.renderers.parsing.thought import PromptThought


class PlainStream:
    """Reads one completion in chunks of ids, as :class:`ResponseStream` does."""

    def __init__(
        self,
        encoder: Encoder,
        stop_ids: frozenset[int],
        form: ResponseFormat,
        tools: ToolSchemas,
        prompt: PromptThought,
    ) -> None:
        """The arguments are those of a parse."""
        self._encoder, self._stop_ids = encoder, stop_ids
        self._form, self._tools, self._prompt = form, tools, prompt
        self._ids: list[int] = []
        self._content = self._reasoning = ""
        self._calls = 0

    def feed(self, token_ids: Sequence[int]) -> Delta:
        """What these further ids make known; behind the stop token that is all the rest.

        Raises:
            TokenSpecError: they are no token ids.
        """
        self._ids += list_of_ids(token_ids, "token_ids")
        view = read_completion(self._encoder, self._ids, self._stop_ids)
        return self._delta(view if view.stopped else decided(view, self._form, self._prompt))

    def finish(self) -> Delta:
        """What only the end of the completion decides."""
        return self._delta(read_completion(self._encoder, self._ids, self._stop_ids))

    def _delta(self, view: Completion) -> Delta:
        found = parse_completion(view, self._form, self._tools, self._prompt)
        reasoning = found.reasoning_content or ""
        delta = Delta(
            found.content[len(self._content) :],
            reasoning[len(self._reasoning) :],
            [call_delta(index, call) for index, call in enumerate(found.tool_calls)][self._calls :],
        )
        self._content, self._reasoning, self._calls = found.content, reasoning, len(found.tool_calls)
        return delta
