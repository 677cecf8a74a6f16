"""Which hand-written family a chat template belongs to: known by its hash, or found by writing the same text.

A family is a better renderer than its template read generically: it knows what the model samples, stops, parses and
bridges. It is only right for the template it was written for. So a template nobody has met before is compared on
witness conversations; a character of difference, or a refusal of one side only, leaves it to the generic renderer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tokenspec_reference.errors import InvalidMessages, TemplateRejects, TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers.families import FAMILIES, declared_by
from tokenspec_reference.renderers.family import Revisions
from tokenspec_reference.renderers.own_revisions import OWN_REVISIONS
from tokenspec_reference.renderers.resolution import Resolution
from tokenspec_reference.renderers.stability import WITNESSES as STABILITY_WITNESSES

if TYPE_CHECKING:
    from tokenspec_reference.renderers.renderer import Renderer
    from tokenspec_reference.renderers.template import TemplateRenderer

KNOWN_TEMPLATES = {
    "56a1447ad31926fdc21fb07e56e5642bd9c850c4f52d8c8af7bbe5f079a84f5f": "deepseek-r1",
    "563b1ce7d61d50a9b4c7439a912a1116f095b712df5b5e4d3e1116049874eb64": "deepseek-v3",
    "3b8267e54b67df6500f231ffa969955cc9d26b3444a291ced4eb96ca7d3ca1ea": "deepseek-v3",
    "45690185067ea25c073bff2d3e425a45ee2564d2bbf6cdf7d885e139d460b8e0": "deepseek-v3.1",
    "603a42db292c25278e9b23d94c7abbe77453f13e26a053c43c5c2f900b4136f7": "gemma-4",
    "44f815868bf02fa458dd2f741a338046f4bf45f398eb6d067766726b9d96cce3": "glm-4.5",
    "d63ad536c3c81880043e22ec7fd08db42b4d8fb7c89c7138bc562bfa25281375": "glm-4.7",
    "03b1bbff20331e54647c68167e8ac7f0b5b7ceb40ead372f44826624a9ad79cd": "glm-5.1",
    "a0006a72544a3f080e5d4e54bf21f55ecef2185295342bb9f730cd6695083485": "glm-5.3",
    "a4c9919cbbd4acdd51ccffe22da049264b1b73e59055fa58811a99efbd7c8146": "gpt-oss",
    "84437b9746423f042920c15289ac84d4eba7a50a11ebc05e8b414c460f814873": "hy3",
    "aab20feb9bc6881f941ea649356130ffbc4943b3c2577c0991e1fba90de5a0fc": "kimi-k2",
    "7c91e4b3578b518bfb388d2e3dc645daf0fbf843656e887db75d12891e0030ff": "kimi-k2.5",
    "c64086c5feaef448e1b94da54bf018333e29e506be3772c1cb41f60cb13e4888": "laguna-m.1",
    "444819b8ad4612870827ac05b9147fe9e3344d3850cae8c2790898fc514099ff": "laguna-s-2.1",
    "dadad29ff28c38064a91d928e758992e5f69d8e5002ee301c1c707d940ac0802": "laguna-xs.2",
    "d82792f95932f1c9cef5c4bd992f171225e3bf8c7b609b4557c9e1ec96be819f": "llama-3",
    "93c0e9aa3629bbd77e68dbc0f5621f6e6b23aa8d74b932595cdb8d64684526d7": "llama-3",
    "55beae30a60db5cef958f81f8f503df667a495675e560df6c364a9fb0ccba654": "minimax-m2",
    "43a92aacc2e169bb37055e4d8b0df31edfdc8657d8c387fcf98254cb246e626a": "nemotron-3",
    "3b74d76d8b903752e764cae114ae8ae2f24cd260466cf672570c745219573d28": "nemotron-3-super",
    "82753bef5cedc4932c1ed509b5c9a12be680fd86d1adb65bc3f7398d11c8eebc": "nemotron-3-ultra",
    "58933db77d3099b4f78c55a38347a72e1ea05b97d6bd8f38775303dc0194e0a9": "nemotron-3.5",
    "55b2f4a26ac9ee719330a61a0c39d9e538b0e9322212f048326318cff4f8674a": "qwen2.5",
    "a55ee1b1660128b7098723e0abcd92caa0788061051c62d51cbe87d9cf1974d8": "qwen3",
    "64f85b198065d0fba2a81f37e10ed68161ce2c19a754c7100e67e0ca2ee9c326": "qwen3",
    "9d879ef91075acbfb2df7e441fd79d60bacfca989cf6d511d2af45c681e94f10": "qwen3-vl",
    "a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715": "qwen3.5",
    "e84f32a23fdda27689f868aa4a1a5621f41133e51a48d7f3efcbea2839574259": "qwen3.6",
    "c3cf9e34abf4f9e36c2d72165aa9c132d3e2a725b6c2586aaa3a8af9d7a81041": "qwen3.8",
}
"""sha256 of a template's text, without a newline at its end, to the family whose every case equals it."""

WITHOUT_TEMPLATE = ("deepseek-v3.2", "deepseek-v4")
"""Families whose publishers ship an encoder and no template: the tokenizer's name is all there is to tell them by."""

Message = dict[str, Any]
Made = Callable[[str], "Renderer"]

_SYSTEM: Message = {"role": "system", "content": " Be brief. "}
_ASK: Message = {"role": "user", "content": " Is it\nwarm? "}
_THINKING: Message = {"role": "assistant", "content": " Yes. ", "reasoning_content": "Look.\n"}
_CALLS: Message = {
    "role": "assistant",
    "content": "Both.",
    "tool_calls": [
        {"id": f"call0000{k}", "type": "function", "function": {"name": name, "arguments": {"city": "Köln", "n": k}}}
        for k, name in enumerate(("warm", "dry"))
    ],
}
_RESULTS: list[Message] = [{"role": "tool", "tool_call_id": f"call0000{k}", "content": f'{{"x": {k}}}'} for k in (0, 1)]
_PARTS: Message = {"role": "user", "content": [{"type": "image", "image": "x"}, {"type": "text", "text": "And this?"}]}
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Is it {name}?",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "Where."}, "n": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
    for name in ("warm", "dry")
]
WITNESSES: tuple[list[Message], ...] = (
    [_ASK],
    [_SYSTEM, _ASK],
    [_SYSTEM, _ASK, _THINKING, {**_ASK, "content": "Sure?"}, _THINKING],
    [_SYSTEM, _ASK, _CALLS, *_RESULTS, _THINKING, {**_ASK, "content": "Sure?"}],
    [_ASK, {**_CALLS, "content": ""}, *_RESULTS],
    [_PARTS],
    [_ASK, {"role": "assistant", "content": "<think>\nA.\n</think>\n\nB."}, {**_ASK, "content": "C"}],
    *STABILITY_WITNESSES.values(),
)
"""Conversations in whose text families differ; each is tried with and without tools, prompt and thinking."""
KEPT_RESOLUTIONS = 64
_RESOLVED: dict[tuple[str, str, str], Resolution] = {}


def resolve_without_template(name: str) -> Resolution | None:
    """The family of a tokenizer without a template, by its name; None where the name names none of them.

    A model whose name goes on with ``-Exp`` is another one, which has a template.
    """
    for family in WITHOUT_TEMPLATE:
        if re.search(re.escape(family) + r"(?![.\d]|-exp)", name.lower()):
            return Resolution(family, "name", f"{name!r} names {family}, whose publisher ships no chat template")
    return None


def candidates(template: str) -> list[str]:
    """Families a template may belong to: of those with revisions the one it has."""
    found = []
    for name in FAMILIES:
        own, declared = OWN_REVISIONS.get(name), declared_by(name)
        if own is None or not isinstance(declared, Revisions) or own == declared.name_in(template):
            found.append(name)
    return found


def resolve(template: str, name: str, families: list[str], make: Made, generic: TemplateRenderer) -> Resolution:
    """The family of a template; asked again for the same template and name, the same answer at once.

    Args:
        template: its text.
        name: what the tokenizer is called; families named in it are tried first.
        families: the names there are.
        make: a family's renderer for this tokenizer and template; raises where the tokenizer lacks its stop token.
        generic: the renderer of the template itself, what every family is compared with.
    """
    digest = hashlib.sha256(template.removesuffix("\n").encode()).hexdigest()
    if (known := KNOWN_TEMPLATES.get(digest)) is not None:
        return Resolution(known, "hash", f"the template is {digest[:12]}, which {known} was written for")
    key = (digest, name, str(sorted((getattr(generic.tokenizer, "special_tokens_map", None) or {}).items())))
    if key not in _RESOLVED:
        while len(_RESOLVED) >= KEPT_RESOLUTIONS:
            del _RESOLVED[next(iter(_RESOLVED))]
        _RESOLVED[key] = _found(name, families, make, generic, digest)
    return _RESOLVED[key]


def _found(name: str, families: list[str], make: Made, generic: TemplateRenderer, digest: str) -> Resolution:
    called = [family for family in families if family.replace(".", "") in name.lower().replace(".", "")]
    for family in (*sorted(called, key=len, reverse=True), *(other for other in families if other not in called)):
        if writes_the_same(family, make, generic):
            by: Literal["name", "witnesses"] = "name" if family in called else "witnesses"
            named = f"{name!r} names {family}, and it" if by == "name" else family
            return Resolution(family, by, f"{named} writes what the template writes on every witness conversation")
    return Resolution("template", "none", f"no family writes what the template ({digest[:12]}) writes")


def writes_the_same(family: str, make: Made, generic: TemplateRenderer) -> bool:
    """Whether family and template write one text, or both refuse, on every witness, and one of them is stopped."""
    try:
        renderer = make(family)
        stops = renderer.family.stop_tokens
        is_stopped = any(stop in generic.chat_template for stop in stops)  # else the template may put it together
        accepted = False
        for asked in _questions():
            expected = _generic(generic, asked)
            if _written(renderer, asked) != expected:
                return False
            accepted = accepted or expected is not None
            is_stopped = is_stopped or any(stop in (expected or "") for stop in stops)
    except (TokenSpecError, UnsupportedByReference):
        return False
    return accepted and is_stopped


def _questions() -> Iterator[tuple[list[Message], Any, bool, dict[str, Any]]]:
    for messages in WITNESSES:
        for tools in (None, _TOOLS):
            for prompt, options in ((False, {}), (True, {}), (True, {"enable_thinking": False})):
                yield messages, tools, prompt, options


def _written(renderer: Renderer, asked: tuple[list[Message], Any, bool, dict[str, Any]]) -> str | None:
    messages, tools, prompt, options = asked
    with_options = replace(renderer, options={**renderer.options, **options})
    try:
        return with_options.render_parts(messages, tools=tools, add_generation_prompt=prompt)[0]
    except (TemplateRejects, InvalidMessages):
        return None


def _generic(renderer: TemplateRenderer, asked: tuple[list[Message], Any, bool, dict[str, Any]]) -> str | None:
    messages, tools, prompt, options = asked
    try:
        return renderer.provenance(messages, tools=tools, add_generation_prompt=prompt, **options).text
    except (TemplateRejects, InvalidMessages):
        return None
