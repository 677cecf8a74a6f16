"""How servers are asked: a table of paths and field names for each, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tokenspec.adapters.capability import Profile


class Place(NamedTuple):
    """A path, and the key of its answer that holds what is asked for."""

    path: str
    key: str


@dataclass(frozen=True)
class Dialect:
    """One kind of server.

    Attributes:
        name: as ``--dialect`` takes it.
        sign: a path, and what stands in its answer (white space apart) where the server is of this kind.
        version: where it says its version; None: nowhere.
        served_template: where it says its chat template; None: its answers to plain conversations are compared.
        chat_to_ids: a conversation becomes ids.
        chat_to_text: a conversation becomes text.
        text_to_ids: a text becomes ids; the text stands under ``text_field`` and ``text_options`` beside it.
        ids_to_text: ids, under ``tokens`` with ``ids_options`` beside them, become text.
        given_template: the field for a template that comes with the conversation; empty: it takes none.
        options: options of ``apply_chat_template`` that are fields of the request; the others are keywords of the
            template, under ``chat_template_kwargs``.
        completed: ids of a completion become a message; None: its parsers read nothing but what it samples.
        parsers_said: what stands in its answer to a completion without a conversation, where it has parsers.
        refusals: what it says with a status from 500 on, where it refuses the input all the same.
        unsupported: what it says where it was started without something, and the reason that is printed.
        goes_on: what is printed of conversations that end in an assistant turn where it goes on with that turn unasked;
            empty: it never does.
        profile: the form of its requests and answers.
        silent: why it cannot be judged at all; empty: it can.
    """

    name: str
    homepage: str
    sign: Place
    version: Place | None = None
    served_template: Place | None = None
    chat_to_ids: Place | None = None
    chat_to_text: Place | None = None
    text_to_ids: Place | None = None
    text_field: str = "content"
    text_options: dict[str, Any] = field(default_factory=dict)
    ids_to_text: Place | None = None
    ids_options: dict[str, Any] = field(default_factory=dict)
    given_template: str = ""
    options: frozenset[str] = frozenset({"add_generation_prompt", "continue_final_message"})
    completed: Place | None = None
    parsers_said: str = ""
    refusals: tuple[str, ...] = ()
    unsupported: tuple[tuple[str, str], ...] = ()
    goes_on: str = ""
    profile: Profile = field(default_factory=Profile)
    silent: str = ""


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            name="vllm",
            homepage="https://github.com/vllm-project/vllm",
            sign=Place("/v1/models", '"owned_by":"vllm"'),
            version=Place("/version", "version"),
            given_template="chat_template",
            served_template=Place("/tokenizer_info", "chat_template"),
            chat_to_ids=Place("/tokenize", "tokens"),
            ids_to_text=Place("/detokenize", "prompt"),
            completed=Place("/v1/chat/completions/derender", "choices"),
            parsers_said="chat_request is required",
            unsupported=(
                ("--trust-request-chat-template", "was started without --trust-request-chat-template"),
                ("is not a multimodal model", "serves no multimodal model"),
            ),
            profile=Profile(arguments="string", reasoning="reasoning", clock="own"),
        ),
        Dialect(
            name="sglang",
            homepage="https://github.com/sgl-project/sglang",
            sign=Place("/v1/models", '"owned_by":"sglang"'),
            version=Place("/server_info", "version"),
            profile=Profile(arguments="string", clock="own"),
            chat_to_ids=Place("/tokenize", "tokens"),
            ids_options={"skip_special_tokens": False},
            ids_to_text=Place("/detokenize", "text"),
        ),
        Dialect(
            name="llama-server",
            homepage="https://github.com/ggml-org/llama.cpp",
            sign=Place("/v1/models", '"owned_by":"llamacpp"'),
            version=Place("/props", "build_info"),
            served_template=Place("/props", "chat_template"),
            text_options={"add_special": True, "parse_special": True},
            chat_to_text=Place("/apply-template", "prompt"),
            text_to_ids=Place("/tokenize", "tokens"),
            ids_to_text=Place("/detokenize", "content"),
            goes_on="goes on with a last assistant turn; it was started without --no-prefill-assistant",
            refusals=("Failed to parse messages", "Failed to parse tool"),
            profile=Profile(arguments="string", clock="own"),
        ),
        Dialect(
            name="transformers",
            homepage="https://github.com/huggingface/transformers",
            sign=Place("/openapi.json", '"/load_model"'),
            silent="transformers serve says how many ids a prompt has, not which, and takes no completion to parse",
        ),
    )
}
