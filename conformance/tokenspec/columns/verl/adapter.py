"""verl: what its data set of conversations of several turns trains on, turn by turn through the model's template.

It renders every turn alone, and refuses a conversation whose turns together are not the whole; that is its default, and
can be turned off. pandas, omegaconf and modules of its own that load files, images and models are placeholders: the
conversation is handed over as the row of a table.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from transformers import AutoTokenizer

from tokenspec.adapters import Rejected, Unsupported
from tokenspec.columns.single_modules import folders, installed_at, placeholder

ENDLESS = 1 << 30
PLACES = ("utils", "utils.dataset", "utils.tokenizer", "models", "models.transformers")
UNUSED: dict[str, dict[str, Any]] = {
    "pandas": {},
    "omegaconf": {"DictConfig": dict, "ListConfig": list},
    "verl.models.transformers.qwen2_vl": {"get_rope_index": None},
    "verl.utils.dataset.dataset_utils": {"DatasetPadMode": SimpleNamespace(RIGHT="right", NO_PADDING="no_padding")},
    "verl.utils.dataset.vision_utils": {"process_image": None, "process_video": None},
    "verl.utils.fs": {"copy_local_path_from_hdfs": None},
    "verl.utils.py_functional": {"convert_nested_value_to_list_recursive": list},
}


class Adapter:
    """Every row that has a template."""

    capabilities = {"render": {"profile": {"after_stop": "sampled", "clock": "own"}}}  # noqa: RUF012 - read as it stands

    def load(self, model: str, assets: dict[str, Any]) -> None:
        """Read the tokenizer of a row; one row is kept."""
        del model
        if not assets["chat_template"]:
            raise Unsupported("the row has no chat template")
        folders(installed_at("verl") or Path(), "verl", *(f"verl.{place}" for place in PLACES))
        for name, attributes in UNUSED.items():
            placeholder(name, **attributes)
        vars(sys.modules["verl.utils"]).setdefault("hf_tokenizer", None)
        self.tokenizer = AutoTokenizer.from_pretrained(assets["directory"])
        self.tokenizer.chat_template = assets["chat_template"]

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """The ids of a sample, and what of them is trained."""
        from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
        from verl.utils.tokenizer.chat_template import extract_system_prompt_and_generation

        options = dict(request["options"])
        if options.pop("add_generation_prompt", False) or options.pop("continue_final_message", False):
            raise Unsupported("makes samples to train on, no prompts")
        table = SimpleNamespace(iloc=[SimpleNamespace(to_dict=lambda: {"messages": request["messages"]})])
        told = {"tokenizer": self.tokenizer, "processor": None, "dataframe": table, "enable_thinking": None}
        told |= {"messages_key": "messages", "image_key": "images", "video_key": "videos", "truncation": "error"}
        told |= {"pad_mode": "no_padding", "max_length": ENDLESS, "ignore_input_ids_mismatch": False}
        told |= {"enable_thinking_default": None, "apply_chat_template_kwargs": options}
        told["tools"] = None if request["tools"] is None else [request["tools"]]
        data = object.__new__(MultiTurnSFTDataset)
        vars(data).update(told)
        try:
            data.system_prompt, data.generation_prompt = extract_system_prompt_and_generation(self.tokenizer, **options)
            found = data[0]
        except AssertionError as error:
            raise Rejected("turns-are-not-the-whole", str(error).splitlines()[0]) from error
        except Exception as error:  # whatever templates and its own code raise
            raise Rejected("template-raises", f"{type(error).__name__}: {error}") from error
        return {"token_ids": found["input_ids"].tolist(), "sampled_mask": list(map(bool, found["loss_mask"].tolist()))}
