"""The page of a segmented trace, and what a drawing can show."""

from html.parser import HTMLParser

import pytest

from tokenspec_reference.engines import RTLLMForcedDecoderBased, RTNewLine
from tokenspec_reference.engines.page import deciding, page

from .conftest import LONG_TRACE, TRACE, scripted

GAPS = [-7.5, -3, -6, -2.5, -1, -8, -4, -0.5, -6.5, -3.5, -5, 1, -2, -7, -0.25, -9]
SIGNS = "再检查一遍。👩\u200d🚀 שלום <b>&amp;</b>\n\n𓀀 z"


class Texts(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.segments, self.inside, self.fed = [], 0, False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        classes = dict(attributes).get("class", "")
        if classes == "text":
            self.segments.append("")
            self.inside = 1
        elif self.inside and tag == "span":
            self.inside += 1
            self.fed = classes == "feed"

    def handle_endtag(self, tag):
        self.inside -= bool(self.inside) and tag == "span"
        self.fed = False

    def handle_data(self, data):
        if self.inside and not self.fed:
            self.segments[-1] += data


@pytest.mark.parametrize("trace", [TRACE, LONG_TRACE, SIGNS, "", "\n"])
def test_the_page_has_every_character_once(trace):
    result = RTNewLine().segment(trace)
    assert Texts(page(trace, result)).segments == [trace[start:end] for start, end in result.offsets]


def test_the_curve_is_the_one_that_decides():
    feedback = scripted(TRACE, GAPS, per_separator=-3.0)
    result = RTLLMForcedDecoderBased().segment(TRACE, quantile=50, **feedback)
    scores = deciding(result.curve)
    assert len(scores) == len(result.curve.scores)
    above = {
        start
        for start, score in zip(result.curve.positions, scores, strict=True)
        if (score or -9) > result.curve.threshold
    }
    assert above - {0} == {start for start, _ in result.offsets[1:]}
    assert scores != result.curve.scores
    text = page(TRACE, result, title="<it>")
    assert "&lt;it&gt;" in text
    assert text.count('class="cut"') == len(result.offsets) - 1
    assert Texts(text).segments == [TRACE[start:end] for start, end in result.offsets]


def test_a_drawing_says_what_no_font_has(tmp_path):
    picture = pytest.importorskip("tokenspec_reference.engines.picture")
    pytest.importorskip("matplotlib")
    lacking = picture.draw(
        "ab \U0001f9ff\u0378".replace("\u0378", "\U00012345"), RTNewLine().segment("ab xy"), tmp_path / "a.png"
    )
    families, missing = picture.fonts_for({"a", "\U00012345"})
    assert families[0] == picture.PLAIN_FONT
    assert set(missing) <= {"\U00012345"}
    assert missing <= set(lacking)
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_a_font_of_last_resort_has_no_character(monkeypatch):
    from matplotlib import font_manager, ft2font

    from tokenspec_reference.engines import picture

    plain = font_manager.fontManager.ttflist[0]
    last = type(plain)(fname=plain.fname, name="Last Resort High-Efficiency")
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [last])

    class Everything:
        def __init__(self, _name):
            pass

        def get_charmap(self):
            return {ord("日"): 1}

    names = iter([ft2font.FT2Font, Everything])
    monkeypatch.setattr(ft2font, "FT2Font", lambda name: next(names)(name))  # noqa: PLW0108 - each call has its own
    families, missing = picture.fonts_for({"日", "本"})
    assert missing == {"日", "本"}
    assert "Last Resort High-Efficiency" not in families
