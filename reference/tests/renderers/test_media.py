"""Pictures and videos: what a part may say, how many placeholders it has, and that nothing is expanded twice."""

import base64
import hashlib
import random
import sys
from contextlib import suppress

import pytest
from pictures import encoded, seeing
from toys import byte_level

from tokenspec_reference.errors import InvalidMessages, TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers import (
    MultiModalData,
    PlaceholderRange,
    build_training_sample,
    create,
    create_renderer,
)
from tokenspec_reference.renderers.media.gemma import GEMMA_4_MEDIA
from tokenspec_reference.renderers.media.kimi import KIMI_K2_5_MEDIA
from tokenspec_reference.renderers.media.medium import Medium, media_of
from tokenspec_reference.renderers.media.qwen import QWEN3_VL_MEDIA
from tokenspec_reference.renderers.media.resizing import (
    MediaRefused,
    gemma_picture,
    gemma_video,
    qwen_picture,
    qwen_video,
)
from tokenspec_reference.renderers.resolution import Resolution

SMALL = {"type": "image", "width": 64, "height": 64}
CLIP = {"type": "video", "width": 64, "height": 64, "total_num_frames": 8, "fps": 4}


def renderer(**options):
    return create_renderer(seeing(), family="qwen3-vl", **options)


def ask(*parts):
    return [{"role": "user", "content": [*parts, {"type": "text", "text": "hi"}]}]


def one(part):
    (medium,) = media_of(ask(part))
    return medium


def ids(text):
    return seeing().encode(text, add_special_tokens=False)


def test_unasked_nothing_is_expanded():
    found = renderer().render(ask(SMALL))
    assert found.text.count("<|image_pad|>") == 1
    assert found.multi_modal_data is None
    assert found.mm_token_type_ids == []


def test_ranges_hold_the_placeholders_and_the_masks_know_them():
    found = renderer().render([*ask(SMALL, CLIP), {"role": "assistant", "content": "ok"}], process_multimodal=True)
    pad, frame = seeing().convert_tokens_to_ids(["<|image_pad|>", "<|video_pad|>"])
    data = found.multi_modal_data
    (image,), (video,) = data.mm_placeholders["image"], data.mm_placeholders["video"]
    assert found.token_ids[image.offset : image.offset + image.length] == [pad] * 64
    assert found.token_ids[video.offset] == found.token_ids[video.offset + video.length - 1] == frame
    kinds = {pad: 1, frame: 2}
    assert found.mm_token_type_ids == [kinds.get(token, 0) for token in found.token_ids]
    for token, body, sampled, owner in zip(
        found.token_ids, found.is_content, found.sampled_mask, found.message_indices, strict=True
    ):
        if token in kinds:
            assert (body, sampled, owner) == (True, False, 0)
    wrap = seeing().convert_tokens_to_ids(["<|vision_start|>", "<|vision_end|>"])
    assert not any(body for token, body in zip(found.token_ids, found.is_content, strict=True) if token in wrap)
    assert data.mm_items["video"][0]["grid_thw"] == [2, 4, 4]


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_every_form_of_a_picture_has_the_same_size_and_hash(form, tmp_path):
    data = encoded(40, 30, form)
    path = tmp_path / "picture"
    path.write_bytes(data)
    uri = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    expected = Medium("image", 40, 30, hashlib.sha256(data).hexdigest())
    parts = [
        {"type": "image", "image": data},
        {"type": "image", "image": bytearray(data)},
        {"type": "image", "image": uri},
        {"type": "image", "url": uri},
        {"type": "image_url", "image_url": {"url": uri}},
        {"type": "image_url", "image_url": uri},
        {"image": uri},
        {"type": "image", "path": str(path)},
        {"type": "image", "image": f"file://{path}"},
    ]
    assert [one(part) for part in parts] == [expected] * len(parts)


def test_an_opened_picture_is_measured_as_it_is():
    from PIL import Image

    first, again, other = (Image.new("RGB", (40, 30), shade) for shade in ("black", "black", "white"))
    assert (one({"type": "image", "image": first}).width, one({"type": "image", "image": first}).height) == (40, 30)
    assert one({"type": "image", "image": first}) == one({"type": "image", "image": again})
    assert one({"type": "image", "image": first}) != one({"type": "image", "image": other})


def test_a_picture_held_sideways_is_turned_upright():
    from PIL import Image

    turned = Image.Exif()
    turned[0x0112] = 6
    assert one({"type": "image", "image": encoded(40, 30, "JPEG", exif=turned)}).width == 30


def test_a_declared_size_opens_nothing(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    part = {"type": "image", "image": "https://example.org/cat.png", "width": 64, "height": 64}
    assert one(part) == Medium("image", 64, 64)
    assert one({**part, "hash": "mine"}).digest == "mine"
    assert one({**part, "image": b"no picture"}).digest == hashlib.sha256(b"no picture").hexdigest()
    with pytest.raises(UnsupportedByReference, match=r"content\[0\]: .*tokenspec\[images\]"):
        one({"type": "image", "image": b"bytes"})


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"type": "image", "image": "https://example.org/cat.png"}, "declare 'width' and 'height'"),
        ({"type": "image"}, "declare 'width' and 'height'"),
        ({"type": "image", "image": b"no picture"}, "no picture that Pillow opens"),
        ({"type": "image", "image": "/no/such/file.png"}, "cannot be read"),
        ({"type": "image", "image": "data:image/png;base64,!"}, "no base64"),
        ({"type": "image", "image": 7}, "int is no picture"),
        ({"type": "image", "width": 64}, "declare 'width' and 'height'"),
        ({"type": "image", "width": 64, "height": 0}, r"height: expected a whole number above 0, got 0"),
        ({"type": "image", "width": True, "height": 64}, "width: expected a whole number above 0, got True"),
        ({**SMALL, "hash": 7}, "hash: expected text, got int"),
        ({"type": "video", "video": "clip.mp4"}, "declare 'width': nothing is fetched and no video is opened"),
        ({"type": "video", "width": 64, "height": 64}, "declare 'total_num_frames'"),
        ({**CLIP, "fps": 0}, "fps: expected frames per second, got 0"),
        ({**CLIP, "frames_indices": []}, "frames_indices: expected a list of frame numbers"),
        ({"type": "video", "video": [encoded(8, 8), encoded(9, 8)]}, "different sizes"),
    ],
)
def test_what_a_part_lacks_is_named(part, said):
    with pytest.raises(InvalidMessages, match=said):
        media_of(ask(part))


def test_a_list_of_pictures_is_a_video():
    frame = encoded(64, 32)
    digest = hashlib.sha256(hashlib.sha256(frame).hexdigest().encode() * 4).hexdigest()
    assert one({"type": "video", "video": [frame] * 4, "fps": 2}) == Medium("video", 64, 32, digest, 4, 2)


@pytest.mark.parametrize("parts", [(), (SMALL,)])
def test_text_that_spells_a_placeholder_is_refused_or_stays_text(parts):
    typed = ask(*parts, {"type": "text", "text": "a <|image_pad|> of mine"})
    with pytest.raises(InvalidMessages, match=r"messages\[0\]: the text spells the placeholder '<\|image_pad\|>'"):
        renderer().render(typed, process_multimodal=True)
    found = renderer(encoding="isolated").render(typed, process_multimodal=True)
    assert found.mm_token_type_ids.count(1) == 64 * len(parts)
    assert len(found.multi_modal_data.mm_placeholders.get("image", [])) == len(parts)


def test_media_that_a_template_leaves_out_are_refused():
    with pytest.raises(InvalidMessages, match="the template leaves media of kind image out"):
        renderer().render([{"role": "system", "content": [SMALL]}, *ask()], process_multimodal=True)


def test_a_family_without_media_renders_text_and_refuses_pictures():
    text = create_renderer(byte_level(), family="qwen2.5")
    assert text.render([{"role": "user", "content": "hi"}], process_multimodal=True).multi_modal_data is None
    template = create_renderer(seeing(), family="template", chat_template="{{ messages[0].content[0].type }}")
    for any_renderer in (text, template):
        with pytest.raises(UnsupportedByReference, match=r"messages\[0\]: what this template's processor writes"):
            any_renderer.render(ask(SMALL), process_multimodal=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"image": {"max_pixel": 1}},
            "media_settings.image.max_pixel: the processor has no such setting. Known: patch",
        ),
        ({"sound": {}}, "media_settings.sound: the processor has no such setting. Known: image, video"),
        ({"image": {"max_pixels": 0}}, "media_settings.image.max_pixels: expected a number above 0"),
    ],
)
def test_settings_that_a_processor_does_not_have_are_named(given, said):
    with pytest.raises(TokenSpecError, match=said):
        renderer(media_settings=given)


def test_a_wrong_setting_is_named_where_the_family_was_found(monkeypatch):
    def found(_template, _name, _families, make, _generic):
        with suppress(TokenSpecError):
            make("qwen3-vl")
            return Resolution("qwen3-vl", "hash", "it is that template")
        return Resolution("template", "none", "no renderer of a family could be made")

    monkeypatch.setattr(create, "resolve", found)
    with pytest.raises(TokenSpecError, match=r"media_settings\.image\.max_pixels: expected a number above 0"):
        create_renderer(seeing(), chat_template="{{ messages }}", media_settings={"image": {"max_pixels": 0}})


def test_settings_change_the_number_of_placeholders():
    found = renderer(media_settings={"image": {"min_pixels": 3136}}).render(
        ask({"type": "image", "width": 224, "height": 168}), process_multimodal=True
    )
    assert found.mm_token_type_ids.count(1) == 35


@pytest.mark.parametrize("options", [{}, {"add_vision_id": True}])
def test_a_bridge_equals_the_render(options):
    r = renderer(**options)
    history, following = ask(SMALL, CLIP), ask(SMALL)
    prompt = r.render(history, add_generation_prompt=True, process_multimodal=True)
    completion = ids("ok<|im_end|>")
    found = r.bridge_to_next_turn(
        prompt.token_ids,
        completion,
        following,
        previous_multi_modal_data=prompt.multi_modal_data,
        process_multimodal=True,
    )
    whole = r.render(
        [*history, {"role": "assistant", "content": "ok"}, *following],
        add_generation_prompt=True,
        process_multimodal=True,
    )
    assert found.token_ids == whole.token_ids
    assert found.multi_modal_data == whole.multi_modal_data
    assert found.mm_token_type_ids == whole.mm_token_type_ids
    assert found.message_indices[: len(prompt.token_ids) + len(completion)] == [-1] * (
        len(prompt.token_ids) + len(completion)
    )
    assert (
        r.bridge_to_next_turn(prompt.token_ids, completion, following, process_multimodal=True) is None
    )  # nobody names the earlier media


def test_an_unexpanded_bridge_goes_on_counting():
    r = renderer(add_vision_id=True)
    history, following = ask(SMALL, SMALL), ask(SMALL)
    prompt = r.render(history, add_generation_prompt=True)
    found = r.bridge_to_next_turn(prompt.token_ids, ids("ok<|im_end|>"), following)
    whole = r.render([*history, {"role": "assistant", "content": "ok"}, *following], add_generation_prompt=True)
    assert found.token_ids == whole.token_ids
    expanded = r.render(history, add_generation_prompt=True, process_multimodal=True)
    assert r.bridge_to_next_turn(expanded.token_ids, ids("ok<|im_end|>"), following) is None


def test_a_range_that_is_none_of_the_prompt_is_named():
    r = renderer()
    prompt = r.render(ask(SMALL), add_generation_prompt=True, process_multimodal=True)
    wrong = MultiModalData({"image": [{}]}, {"image": [PlaceholderRange(0, 64)]}, {"image": [None]})
    with pytest.raises(InvalidMessages, match=r"mm_placeholders\['image'\]\[0\]"):
        r.bridge_to_next_turn(
            prompt.token_ids,
            ids("ok<|im_end|>"),
            ask(),
            previous_multi_modal_data=wrong,
            process_multimodal=True,
        )


def test_a_bad_medium_of_a_bridge_is_named_among_the_new_messages():
    r = renderer()
    prompt = r.render(ask(SMALL), add_generation_prompt=True, process_multimodal=True)
    bad = ask({"type": "image", "width": -1, "height": 4})
    with pytest.raises(InvalidMessages) as caught:
        r.bridge_to_next_turn(
            prompt.token_ids,
            ids("ok<|im_end|>"),
            bad,
            previous_multi_modal_data=prompt.multi_modal_data,
            process_multimodal=True,
        )
    assert caught.value.field.startswith("new_messages[0].content[")


def test_a_training_sample_carries_the_media():
    conversation = [*ask(SMALL), {"role": "assistant", "content": "ok"}]
    sample = build_training_sample(renderer(), conversation, process_multimodal=True, ensure_final_stop=True)
    assert len(sample.token_ids) == len(sample.loss_mask) == len(sample.mm_token_type_ids)
    assert sample.mm_token_type_ids.count(1) == 64
    assert not any(on for on, kind in zip(sample.loss_mask, sample.mm_token_type_ids, strict=True) if kind)
    assert build_training_sample(renderer(), conversation).mm_token_type_ids == []


def test_qwens_pictures_are_resized_as_transformers_does_it():
    published = pytest.importorskip("transformers.models.qwen2_vl.image_processing_pil_qwen2_vl")
    rng = random.Random(11)
    for _ in range(3000):
        width, height = (round(10 ** rng.uniform(0, 4)) for _ in range(2))
        numbers = {**QWEN3_VL_MEDIA.settings["image"], "max_pixels": rng.choice([200_000, 16_777_216])}
        try:
            rows, columns = qwen_picture(Medium("image", width, height), numbers)
        except MediaRefused:
            with pytest.raises(ValueError, match="absolute aspect ratio"):
                published.smart_resize(height, width, 32, 65_536, numbers["max_pixels"])
        else:
            expected = published.smart_resize(height, width, 32, 65_536, numbers["max_pixels"])
            assert (rows * 16, columns * 16) == expected


def test_qwens_frames_are_resized_as_transformers_does_it():
    published = pytest.importorskip("transformers.models.qwen3_vl.video_processing_qwen3_vl")
    rng = random.Random(12)
    for _ in range(1500):
        width, height = (round(10 ** rng.uniform(0, 3.5)) for _ in range(2))
        frames, most = rng.randint(1, 40), rng.choice([300_000, 25_165_824])
        numbers = {**QWEN3_VL_MEDIA.settings["video"], "max_pixels": most}
        medium = Medium("video", width, height, frames=frames, frame_indices=tuple(range(frames)))
        given = (frames, height, width, 2, 32, 4_096, most)
        try:
            (rows, columns), seconds = qwen_video(medium, numbers)
        except MediaRefused:
            with pytest.raises(ValueError, match="must be"):
                published.smart_resize(*given)
        else:
            assert (rows * 16, columns * 16) == published.smart_resize(*given)
            assert len(seconds) == -(-frames // 2)


def test_gemmas_pictures_are_resized_as_transformers_does_it():
    published = pytest.importorskip("transformers.models.gemma4.image_processing_pil_gemma4")
    numbers = GEMMA_4_MEDIA.settings["image"]
    rng = random.Random(13)
    for _ in range(3000):
        width, height = (round(10 ** rng.uniform(0, 4.3)) for _ in range(2))
        given = (height, width, 16, 280 * 9, 3)
        try:
            rows, columns = gemma_picture(Medium("image", width, height), numbers)
        except MediaRefused:
            with pytest.raises(ValueError, match="esiz"):
                published.get_aspect_ratio_preserving_size(*given)
        else:
            assert (rows * 48, columns * 48) == published.get_aspect_ratio_preserving_size(*given)


@pytest.mark.parametrize("wanted", [1, 7, 32])
def test_gemmas_frames_are_taken_as_transformers_does_it(wanted):
    published = pytest.importorskip("transformers.video_utils")
    numbers = {**GEMMA_4_MEDIA.settings["video"], "num_frames": wanted}
    for frames in (1, 6, 7, 31, 32, 33, 100, 2500):
        video = Medium("video", 96, 64, frames=frames, frame_rate=8)
        metadata = published.VideoMetadata(total_num_frames=frames, fps=8)
        try:
            _, seconds = gemma_video(video, numbers)
        except MediaRefused:
            with pytest.raises(ValueError, match="exceeds"):
                published.default_sample_indices_fn(metadata, num_frames=wanted)
        else:
            taken = published.default_sample_indices_fn(metadata, num_frames=wanted)
            assert seconds == [frame / 8 for frame in taken]


def test_a_frame_of_gemma_has_its_time_and_its_run():
    video = Medium("video", 96, 64, frames=130, frame_rate=2, frame_indices=(0, 3, 127))
    found = GEMMA_4_MEDIA.expansion(video)
    text = "".join(segment.text for segment in found.segments)
    run = "<|image>" + "<|video|>" * 60 + "<image|>"
    assert text == f"00:00 {run} 00:01 {run} 01:03 {run}"
    assert found.item == {"placeholders": 180, "seconds": [0.0, 1.5, 63.5]}


@pytest.mark.parametrize(
    ("width", "height", "grid", "placeholders"),
    [
        (224, 168, [1, 12, 16], 48),
        (640, 480, [1, 36, 46], 414),
        (1, 1, [1, 2, 2], 1),
        (6000, 4000, [1, 106, 158], 4187),
        (20000, 10, [1, 2, 512], 256),
        (29, 27, [1, 2, 4], 2),
        (1793, 1792, [1, 128, 130], 4160),
    ],
)
def test_kimis_pictures_are_resized_as_transformers_does_it(width, height, grid, placeholders):
    """The module of its processor needs torchvision: the grids are those of the one function, compiled by itself."""
    item = KIMI_K2_5_MEDIA.expansion(Medium("image", width, height)).item
    assert item == {"placeholders": placeholders, "grid_thw": grid}
