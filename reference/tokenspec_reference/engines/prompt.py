"""The context before the first trace token: system prompt, the whole trace as the user, and the generation prompt."""

from __future__ import annotations

from typing import Literal

from tokenspec_reference.engines.errors import NoChatTemplate, SystemRoleRefused
from tokenspec_reference.engines.offsets import Tokenizer

SystemRole = Literal["system", "merge"]

DEFAULT_SYSTEM_PROMPT = (
    "Repeat the reasoning trace of the user word for word. Before every new reasoning step, write Step on its own."
)


def conversation(system_prompt: str, trace: str, *, system_role: SystemRole) -> list[dict[str, str]]:
    """The messages; ``merge`` puts the system prompt in front of the trace, for templates without a system role."""
    if system_role == "merge":
        return [{"role": "user", "content": f"{system_prompt}\n\n{trace}"}]
    return [{"role": "system", "content": system_prompt}, {"role": "user", "content": trace}]


def prompt_ids(
    tokenizer: Tokenizer,
    system_prompt: str,
    trace: str,
    *,
    system_role: SystemRole = "system",
    chat_template: str | None = None,
) -> list[int]:
    """Render and encode the prompt: ``enable_thinking=False``, generation prompt added, no further special tokens.

    Raises:
        NoChatTemplate: neither the tokenizer nor the caller has a template.
        SystemRoleRefused: the template raises on the conversation.
    """
    from jinja2.exceptions import TemplateError

    if chat_template is None and not getattr(tokenizer, "chat_template", None):
        raise NoChatTemplate(
            "the tokenizer has none; pass chat_template= or use an instruction-tuned model", field="tokenizer"
        )
    try:
        text = tokenizer.apply_chat_template(
            conversation(system_prompt, trace, system_role=system_role),
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
            chat_template=chat_template,
        )
    except TemplateError as error:
        raise SystemRoleRefused(
            f"the chat template refuses the conversation ({error}); pass system_role='merge' to put the system prompt "
            "into the user turn",
            field="system_role",
        ) from error
    return [int(token) for token in tokenizer.encode(str(text), add_special_tokens=False)]
