"""The pictures of cases: real files, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import io

import pytest

from tokenspec.areas.media.pictures import data_uri, png, with_pictures, without_data


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 3), (224, 168), (1000, 700)])
@pytest.mark.parametrize("shade", [0, 1])
def test_pictures_are_files_of_their_size_and_shade(width: int, height: int, shade: int) -> None:
    from PIL import Image

    with Image.open(io.BytesIO(png(width, height, shade))) as image:
        assert image.size == (width, height)
        assert image.convert("L").getextrema() == (255 * shade, 255 * shade)


@pytest.mark.parametrize("held", [1, 3, 6, 8])
def test_pictures_say_how_the_camera_was_held(held: int) -> None:
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(png(16, 8, 0, held))) as image:
        assert image.getexif() == {0x0112: held}
        assert ImageOps.exif_transpose(image).size == ((8, 16) if held > 4 else (16, 8))


def test_no_library_decides_the_bytes() -> None:
    digest = hashlib.sha256(png(224, 168, 0)).hexdigest()
    assert digest == "97ae43103782431eab3a6b7529b4c34b076541155f0f7ce2a5adbbe7a5f32406"


def test_a_template_sees_that_there_is_a_medium_and_nothing_of_it() -> None:
    part = {"type": "image_url", "picture": [8, 8, 1]}
    video = {"type": "video", "pictures": [[8, 8, 0], [8, 8, 1]], "fps": 2}
    messages = [{"role": "user", "content": [part, video, {"type": "text", "text": "hi"}]}]
    (asked,) = with_pictures(messages)
    assert asked["content"][0] == {"type": "image_url", "image_url": {"url": data_uri(8, 8, 1)}}
    assert asked["content"][1] == {"type": "video", "video": [data_uri(8, 8, 0), data_uri(8, 8, 1)], "fps": 2}
    (seen,) = without_data(messages)
    assert [part["type"] for part in seen["content"]] == ["image_url", "video", "text"]
    assert "base64" not in str(seen)
