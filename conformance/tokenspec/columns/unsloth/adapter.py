"""unsloth's ``train_on_responses_only``, with the two markers that it finds in the template by itself.

Text and ids are transformers'. The package wants a GPU, so the one module is loaded directly. Placeholders: torch,
which is asked whether ids are a tensor, and datasets, whose classes functions beside this one test for.
"""

from __future__ import annotations

import importlib.util
import sys
from contextlib import redirect_stdout
from datetime import datetime
from importlib.metadata import distribution
from typing import Any

from transformers import AutoTokenizer

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.single_modules import placeholder
from tokenspec.oracle.clock import frozen

MODULE = "unsloth_zoo/dataset_utils.py"


def responses_only() -> Any:
    """The function, out of its file."""
    placeholder("torch", Tensor=type("Tensor", (), {}), int64=None)
    placeholder("datasets", Dataset=object, IterableDataset=object)
    spec = importlib.util.spec_from_file_location("dataset_utils", str(distribution("unsloth-zoo").locate_file(MODULE)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.train_on_responses_only


class Adapter:
    """Every row whose markers it finds."""

    def __init__(self) -> None:
        """Read the module once."""
        self.responses_only = responses_only()

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read a row, and let it find the markers; one is kept."""
        del model
        if not assets["chat_template"]:
            raise Unsupported("the row has no chat template")
        self.tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
        self.template = assets["chat_template"]
        self.labels = self.function(self.template)

    def function(self, template: str) -> Any:
        """What it maps over a data set of this template."""
        self.tokenizer.chat_template = template
        try:
            with redirect_stdout(sys.stderr):
                return self.responses_only(None, tokenizer=self.tokenizer, return_function=True)
        except Exception as error:
            raise Unsupported(f"finds no markers: {error}") from error

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The ids of the text, and those whose labels stay."""
        options = dict(request["options"])
        if options.get("continue_final_message") or options.get("add_generation_prompt"):
            raise Unsupported("labels samples, which are whole turns")
        given = options.pop("chat_template", None)
        function = self.labels if given is None else self.function(given)
        arguments = {"tools": request["tools"], "chat_template": given or self.template, **options}
        try:
            with frozen(datetime.fromisoformat(request["now"])):
                ids = self.tokenizer.apply_chat_template(request["messages"], return_dict=False, **arguments)
        except Exception as error:
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        (labels,) = function({"input_ids": [ids]})["labels"]
        return {"token_ids": ids, "sampled_mask": [label != -100 for label in labels]}
