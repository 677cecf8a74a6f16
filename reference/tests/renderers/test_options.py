"""An option that does not apply is refused or warned of, never dropped; both renderers answer one protocol."""

import inspect
import warnings

import numpy as np
import pytest
import torch
from toys import byte_level

from tokenspec_reference.errors import InvalidMessages, TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers import build_training_sample, create_renderer, generate
from tokenspec_reference.renderers.create import UnreadOption
from tokenspec_reference.renderers.generate import MalformedCompletion
from tokenspec_reference.renderers.protocol import ChatRenderer
from tokenspec_reference.renderers.renderer import Renderer
from tokenspec_reference.renderers.template import TemplateRenderer, Wire

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% if enable_thinking is false %}<think></think>{% endif %}{% endif %}"
)
CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}]


def generic(**options):
    return create_renderer(byte_level(), chat_template=TEMPLATE, family="template", **options)


def family(**options):
    return create_renderer(byte_level(), family="qwen3", **options)


@pytest.mark.parametrize("kind", [Renderer, TemplateRenderer])
def test_both_renderers_have_every_method_of_the_protocol_with_its_parameters(kind):
    for name, wanted in inspect.getmembers(ChatRenderer, inspect.isfunction):
        if name.startswith("_"):
            continue
        mine, due = (inspect.signature(method).parameters for method in (getattr(kind, name), wanted))
        assert {n: p.default for n, p in due.items()}.items() <= {n: p.default for n, p in mine.items()}.items(), name


@pytest.mark.parametrize("make", [generic, family])
def test_both_renderers_have_every_property_of_the_protocol(make):
    renderer = make()
    for name, _ in inspect.getmembers(ChatRenderer, lambda member: isinstance(member, property)):
        assert hasattr(renderer, name), name
    assert renderer.stop_ids >= set(renderer.get_stop_token_ids())


@pytest.mark.parametrize(
    ("options", "field", "error"),
    [
        ({"family": "qwen3", "wire": Wire()}, "wire", TokenSpecError),
        ({"family": "qwen3", "media_settings": {"image": {"max_pixels": 1}}}, "media_settings", UnsupportedByReference),
        ({"chat_template": TEMPLATE, "media_settings": {"image": {}}}, "media_settings", UnsupportedByReference),
        ({"chat_template": {"default": TEMPLATE}}, "chat_template", TokenSpecError),
    ],
)
def test_an_option_that_does_not_apply_is_refused(options, field, error):
    with pytest.raises(error) as caught:
        create_renderer(byte_level(), **options)
    assert caught.value.field == field


def test_a_misspelt_option_is_warned_of_with_the_nearest():
    with pytest.warns(UnreadOption, match=r"'enable_thinkin'; did you mean 'enable_thinking'\?"):
        generic(enable_thinkin=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        generic(enable_thinking=False, continue_final_message=True)


@pytest.mark.parametrize("make", [generic, family])
@pytest.mark.parametrize("array", [np.array, torch.tensor, tuple])
def test_ids_of_array_types_are_ids(make, array):
    renderer = make()
    prompt = renderer.render_ids(CHAT[:1], add_generation_prompt=True)
    completion = [*byte_level().encode("yo", add_special_tokens=False), renderer.get_stop_token_ids()[0]]
    new = [{"role": "user", "content": "more"}]
    bridged = renderer.bridge_to_next_turn(array(prompt), array(completion), new)
    assert bridged == renderer.bridge_to_next_turn(prompt, completion, new)
    assert all(type(token) is int for token in bridged.token_ids)
    assert renderer.parse_response(array(completion)) == renderer.parse_response(completion)
    with pytest.raises(TokenSpecError, match="whole numbers"):
        renderer.bridge_to_next_turn(torch.tensor([prompt]), completion, new)


@pytest.mark.parametrize("flag", [np.bool_(True), np.int64(1), torch.tensor(1), torch.tensor(True)])
def test_a_loss_mask_takes_flags_of_arrays(flag):
    sample = build_training_sample(generic(), CHAT, message_loss_mask=[flag, flag])
    assert sample == build_training_sample(generic(), CHAT)


@pytest.mark.parametrize("roles", ["tool", {"tol"}, ["user", 3]])
def test_roles_that_are_none_are_refused(roles):
    with pytest.raises(TokenSpecError) as caught:
        build_training_sample(generic(), CHAT, content_sft_roles=roles)
    assert caught.value.field == "content_sft_roles"


def test_a_function_without_hints_is_a_refusal_of_the_package():
    def tool(x):
        return x

    with pytest.raises(InvalidMessages, match="type hints"):
        family().render(CHAT, tools=[tool])


@pytest.mark.parametrize("answer", [None, {"token_ids": [1]}])
def test_what_is_no_completion_is_named(answer):
    with pytest.raises(MalformedCompletion, match="return a Completion"):
        generate(lambda _: answer, family(), CHAT[:1])


def test_one_completion_is_asked_for():
    with pytest.raises(TokenSpecError, match="n is 1, not 2"):
        generate(lambda _: None, family(), CHAT[:1], sampling_params={"n": 2})


def test_a_template_whose_family_needs_markers_that_the_vocabulary_lacks_is_rendered_as_a_template(monkeypatch):
    from tokenspec_reference.renderers import create
    from tokenspec_reference.renderers.resolution import Resolution

    monkeypatch.setattr(create, "resolve", lambda *_: Resolution("hy3", "hash", "known"))
    renderer = create_renderer(byte_level(), chat_template=TEMPLATE)
    assert isinstance(renderer, TemplateRenderer)
    assert renderer.resolution.family == "template"
    assert renderer.resolution.why.startswith("known, but")
