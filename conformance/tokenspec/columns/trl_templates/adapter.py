"""TRL's SFT with ``assistant_only_loss``: the template that it trains with instead of the row's, and the mask of it.

It knows templates by their text. A row whose own template has ``{% generation %}`` is trained with that one, as the
column ``transformers`` shows.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from transformers import AutoTokenizer
from trl.chat_template_utils import get_training_chat_template, has_generation_markers

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.oracle.clock import frozen


class Adapter:
    """The rows whose template it knows."""

    capabilities = {"render": {"profile": {"template": "own", "after_stop": "sampled"}}}  # noqa: RUF012

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read a row; one is kept."""
        del model
        self.tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
        if not assets["chat_template"]:
            raise Unsupported("the row has no chat template")
        self.trained = self.training_template(assets["chat_template"])

    def training_template(self, template: str) -> str:
        """What its trainer renders with where the tokenizer has a template."""
        if has_generation_markers(template):
            raise Unsupported("trains with the template as it is: it is marked already")
        self.tokenizer.chat_template = template
        try:
            return str(get_training_chat_template(self.tokenizer))
        except ValueError as error:
            raise Unsupported(f"does not know the template: {error}") from error

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ids and text, and the tokens that its loss counts."""
        options = dict(request["options"])
        if "continue_final_message" in options:
            raise Unsupported("trains whole turns")
        given = options.pop("chat_template", None)
        template = self.trained if given is None else self.training_template(given)
        arguments = {"tools": request["tools"], "chat_template": template, **options}
        try:
            with frozen(datetime.fromisoformat(request["now"])):
                text = self.tokenizer.apply_chat_template(request["messages"], tokenize=False, **arguments)
                encoded = self.tokenizer.apply_chat_template(
                    request["messages"], return_dict=True, return_assistant_tokens_mask=True, **arguments
                )
        except Exception as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        mask = [bool(one) for one in encoded["assistant_masks"]]
        return {"text": text, "token_ids": list(encoded["input_ids"]), "sampled_mask": mask}
