"""``continue_final_message``: leave the last message open, exactly as ``apply_chat_template`` does it.

transformers appends a literal tag to the field, renders, and cuts the text at the tag's last occurrence. Where the
tag's trailing space did not survive, the template has trimmed the field, and the text is right-stripped after the cut.
Content that holds the tag itself is therefore ambiguous; the behaviour is copied, not improved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tokenspec_reference.errors import InvalidMessages, TemplateRejects
from tokenspec_reference.renderers.chat import REASONING_NAMES, Chat, Normalisation, Turn

if TYPE_CHECKING:
    from tokenspec_reference.renderers.segments import Span

MARK = "CONTINUE_FINAL_MESSAGE_TAG"
TAG = MARK + " "
OPTION = "continue_final_message"


@dataclass(frozen=True)
class ContinuedMessage:
    """The text that the rendered conversation has to end with."""

    final_text: str

    def cut(self, text: str, spans: list[Span]) -> tuple[str, list[Span]]:
        """Cut text and spans where the open message ends.

        Raises:
            TemplateRejects: the message, or the tag, is not in the text.
        """
        if self.final_text.strip() not in text or MARK not in text:
            raise TemplateRejects(
                "the final message does not appear in the rendered text, so it cannot be continued",
                field=OPTION,
            )
        end = text.rindex(MARK)
        if text[end : end + len(TAG)] != TAG:
            end = len(text[:end].rstrip())
        kept = [replace(span, end=min(span.end, end)) for span in spans if span.start < end]
        return text[:end], kept


def continue_final_message(
    chat: Chat, wanted: bool | str, chat_template: str | None, normalisation: Normalisation
) -> tuple[Chat, ContinuedMessage]:
    """Append the tag to the field to continue: ``content`` unless ``wanted`` names another (``hf4`` hears none).

    Raises:
        InvalidMessages: together with a generation prompt, or when the final message has no such text.
    """
    if chat.add_generation_prompt:
        raise InvalidMessages(
            "cannot be combined with add_generation_prompt: one continues a message, the other starts one",
            field=OPTION,
        )
    name = wanted if isinstance(wanted, str) and normalisation == "hf5" else "content"
    last = chat.turns[-1]
    value = last.message.get(name)
    names = [n for n in REASONING_NAMES if last.message.get(n) == value] if name in REASONING_NAMES else [name]
    if normalisation == "hf5" and chat_template is not None and not any(n in chat_template for n in names):
        raise InvalidMessages(f"the chat template does not read {name!r}", field=OPTION)
    field = f"messages[{last.index}].{name}"
    if isinstance(value, str):
        final_text, message = value, {**last.message, **dict.fromkeys(names, value + TAG)}
    elif isinstance(value, (list, tuple)):
        final_text, parts = _tag_last_text(list(value), field)
        message = {**last.message, name: parts}
    else:
        raise InvalidMessages(
            f"the final message has no text to continue in {name!r}, got {type(value).__name__}", field=field
        )
    tagged = Turn(last.index, message)
    return replace(chat, turns=(*chat.turns[:-1], tagged)), ContinuedMessage(final_text)


def _tag_last_text(parts: list[Any], field: str) -> tuple[str, list[Any]]:
    for position in range(len(parts) - 1, -1, -1):
        part = parts[position]
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            parts[position] = {**part, "text": part["text"] + TAG}
            return part["text"], parts
    raise InvalidMessages("the final message has no text part to continue", field=field)
