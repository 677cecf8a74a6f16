"""One text, two tokenizers: scripts, code, numbers, white space, normal forms."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from tokenspec.areas.aligners.cases.build import BOUNDARY, COMPAT, case, row
from tokenspec.store.records import Case

PLAIN = {
    "english": "The quick brown fox doesn't jump over the lazy dog's 1,024 fences; it walks around them, slowly.",
    "code": "def total(values: list[int]) -> int:\n    return sum(v ** 2 for v in values if v % 3 == 0)  # odd\n",
    "json": '{"name": "Ada", "tags": ["x-ray", "y2k"], "nested": {"pi": 3.14159, "ok": true, "none": null}}',
    "mathematics": "∀ε > 0 ∃δ: |x − a| < δ ⇒ |f(x) − f(a)| < ε, and ∑∏∂∇∞√∫≈≠≤≥ stay whole; \\frac{\\alpha^2}{\\beta}.",
    "digits": "31415926535897932384626433832795028841971 2718281828459045 1.4142e-17",
    "chinese": "机器学习模型的分词器各不相同，但是它们读的是同一段文字：天地玄黄，宇宙洪荒。",
    "japanese": "吾輩は猫である。名前はまだ無い。カタカナとひらがな、漢字が混ざっています。",
    "korean": "두 토크나이저는 같은 문장을 다르게 나눕니다. 경계가 만나는 곳에서만 비교합니다.",
    "russian": "Два токенизатора режут одно предложение по-разному; сравнивать можно только общие границы.",
    "arabic": "يقسم المحللان الجملة نفسها بطريقتين مختلفتين، ولا تتفق الحدود إلا أحياناً.",
    "hindi": "दो टोकनाइज़र एक ही वाक्य को अलग-अलग काटते हैं; हिंदी में मात्राएँ भी कटती हैं।",
    "spanish": "El niño comió piñón y bebió agua fría en Málaga; ¿cuándo volverá a España, señor Núñez?",
    "emoji": "Smile 😊😊, family 👨‍👩‍👧‍👦, flag 🇩🇪🇯🇵, thumbs 👍🏽, heart ❤️ and 🤷🏻‍♀️ done.",
    "mixed-scripts": "GPU性能はCPUの10倍です — вот так, 이것은 test_case_№5 مرحبا नमस्ते 😊.",
    "whitespace": "a  b   c\t\td\n\n\ne \n f        g\u00a0h\u3000i",
    "crlf": "first line\r\nsecond line\r\n\r\nlast line\r\n",
    "indentation": "if x:\n        if y:\n                return {\n                    'z': 1,\n                }\n",
    "url": "https://example.org/a/b_c?d=e%20f&g=h#i-j and user.name+tag@sub.example.co.uk",
    "long-token": "a" * 150 + " " + "ab" * 60 + " " + "=" * 80,
    "rare-characters": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ꙮ ⸻ 𓀀 \u200b\ufeff end",
    "leading-spaces": "   three spaces before and two behind  ",
    "one-character": "é",
    "newline-only": "\n",
}
NORMAL_FORMS = {
    "decomposed-latin": unicodedata.normalize("NFD", "Café naïve façade Åse Ünïcödé résumé"),
    "decomposed-vietnamese": unicodedata.normalize("NFD", "Tiếng Việt có nhiều dấu thanh điệu chồng lên nhau."),
    "decomposed-hangul": unicodedata.normalize("NFD", "한국어 자모 결합"),
    "reordered-marks": "s\u0307\u0323 and s\u0323\u0307 end",
    "singletons": "K\u212a A\u212b \u2126 end",
    "final-mark": "the end is a mark e\u0301",
    "mark-first": "\u0301a begins with a mark",
    "composed-and-decomposed": "é e\u0301 ñ n\u0303 é",
}
STRETCHES = {
    "two": "An été<|im_end|>à deux<|im_start|> trois.",
    "first": "<|im_start|>Été<|im_end|>x",
    "spaces": " a<|im_end|> <|im_end|>b",
    "roles": "a<|im_end|>b c<|endoftext|> d<|im_start|>e",
    "decomposed": "a<|im_end|>o\u0308x o\u0308",
}
COMPATIBLE = (
    *("english", "code", "mathematics", "digits", "chinese", "japanese", "russian"),
    *("hindi", "spanish", "emoji", "whitespace", "indentation", "leading-spaces"),
)


def cases() -> Iterator[Case]:
    """Each text in ``boundary``; some of them, as they are and in a padded batch, in ``nw-compat``."""
    for slug, text in PLAIN.items():
        flags = "ALIGN_BASIC" if text.isascii() else "ALIGN_BASIC ALIGN_SPLIT_BYTES"
        flags += " ALIGN_PREFIX_SPACE" if text.startswith(" ") else ""
        requires = (*BOUNDARY, "ALN-006", "ALN-014", "ALN-021")
        yield case(
            f"text-{slug}", flags, requires, f"Plain text: {slug.replace('-', ' ')}.", task="align", batch=[row(text)]
        )
    for slug, text in NORMAL_FORMS.items():
        yield case(
            f"form-{slug}",
            "ALIGN_NORMAL_FORM",
            (*BOUNDARY, "ALN-015"),
            f"One side may normalise and the other not: {slug.replace('-', ' ')}.",
            task="align",
            batch=[row(text)],
        )
    for slug, text in STRETCHES.items():
        yield case(
            f"stretch-{slug}",
            "ALIGN_PREFIX_SPACE ALIGN_SPECIAL ALIGN_NORMAL_FORM",
            (*BOUNDARY, "ALN-013", "ALN-014", "ALN-015"),
            "Special tokens cut the text into stretches; one side may begin each with a space of its own.",
            pairs=["toy-nfd+toy-bpe"],
            task="align",
            batch=[row(text)],
        )
    for slug in COMPATIBLE:
        yield case(
            f"compat-text-{slug}",
            "COMPAT_DYNAMIC_PROGRAMME COMPAT_CANONICAL",
            COMPAT,
            f"The pinned programme on real pieces: {slug.replace('-', ' ')}.",
            task="align",
            profile="nw-compat",
            batch=[row(PLAIN[slug])],
        )
    yield case(
        "compat-text-limit",
        "COMPAT_DYNAMIC_PROGRAMME COMPAT_CANONICAL",
        (*COMPAT, "ALN-033"),
        "The pinned programme on real pieces, with no combination of tokens.",
        pairs=["toy-bpe+toy-ranks"],
        task="align",
        profile="nw-compat",
        options={"max_comb_len": 1},
        batch=[row(PLAIN["long-token"])],
    )
    yield case(
        "compat-batch",
        "COMPAT_DYNAMIC_PROGRAMME COMPAT_PADDING",
        (*COMPAT, "ALN-006"),
        "Rows of different length: the padding of each takes part in its programme.",
        task="align",
        profile="nw-compat",
        batch=[row(PLAIN["english"]), row("Short."), row(PLAIN["spanish"][:40])],
    )
    yield case(
        "compat-empty",
        "COMPAT_DYNAMIC_PROGRAMME",
        COMPAT,
        "No text has no chunks.",
        task="align",
        profile="nw-compat",
        batch=[row("")],
    )
    yield case(
        "compat-decomposed",
        "COMPAT_DYNAMIC_PROGRAMME ALIGN_NORMAL_FORM",
        COMPAT,
        "The pinned programme knows nothing of normal forms.",
        task="align",
        profile="nw-compat",
        batch=[row(NORMAL_FORMS["decomposed-latin"])],
    )


CASES = tuple(cases())
