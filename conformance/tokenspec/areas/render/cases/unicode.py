"""Unicode: bodies whose bytes, characters and tokens do not line up."""

from __future__ import annotations

from tokenspec.areas.render.cases.build import BODIES, GENERATE, SAMPLED, SEAM, assistant, render, system, user

FAMILY = "👩‍👩‍👧‍👦"

CASES = (
    render(
        "unicode-cjk",
        "Characters of three bytes split over tokens; offsets count characters.",
        [
            system("簡潔に答えてください。"),
            user("東京の天気は？"),
            assistant("晴れです。한국은 비가 옵니다."),
        ],
        "UNICODE",
        requires=(*SAMPLED, "RND-022"),
    ),
    render(
        "unicode-emoji",
        "Joined emoji, flags and skin tones are several code points and many bytes.",
        [user(f"{FAMILY} 🇩🇪 👍🏽"), assistant("🏳️‍🌈✍🏿"), user("🫠")],
        "UNICODE",
        requires=(*SAMPLED, "RND-022"),
    ),
    render(
        "unicode-normal-forms",
        "Composed and decomposed letters, a ligature and the Angstrom sign are different text.",
        [user("é e\u0301 ﬁ \u212b \u00c5 A\u030a"), assistant("n\u0303 ñ \u2126 Ω")],
        "NORMALIZATION",
        requires=("RND-001", "RND-010", "RND-011"),
    ),
    render(
        "unicode-leading-combining-mark",
        "A body that starts with a combining mark composes with the scaffold or stands alone.",
        [user("\u0301acute first"), assistant("\u0308umlaut first")],
        "NORMALIZATION",
        "SEAM_MERGE",
        requires=SEAM,
    ),
    render(
        "unicode-hangul-jamo",
        "Conjoining jamo compose into one syllable under NFC.",
        [user("\u1112\u1161\u11ab \ud55c"), assistant("\u1100\u1161")],
        "NORMALIZATION",
        requires=("RND-001", "RND-010", "RND-011"),
    ),
    render(
        "unicode-bidi",
        "Right-to-left letters and invisible direction marks stay in their logical order.",
        [user("שלום \u202eabc\u202c עולם"), assistant("\u2067مرحبا\u2069 \u200f!")],
        "UNICODE",
        requires=BODIES,
    ),
    render(
        "unicode-control-characters",
        "NUL, BEL, backspace, escape and DEL pass through.",
        [user("a\x00b\x07c\x08d\x1be\x7ff"), assistant("\x00")],
        "CONTROL_CHARACTERS",
        requires=(*BODIES, "RND-023"),
    ),
    render(
        "unicode-byte-order-mark",
        "A byte-order mark at the start of a body is a character of the body.",
        [user("\ufeffHello"), assistant("\ufeff")],
        "CONTROL_CHARACTERS",
        requires=BODIES,
    ),
    render(
        "unicode-astral",
        "Characters beyond the first plane, up to the last one, take four bytes each.",
        [user("𝕬𐍈 \U0001f9ff \U0010ffff"), assistant("\U00020000\U000e0041")],
        "UNICODE",
        requires=(*SAMPLED, "RND-022"),
    ),
    render(
        "unicode-noncharacters",
        "Noncharacters and private-use characters are legal text.",
        [user("\ufffe\uffff \ue000\uf8ff"), assistant("\ufdd0\ufffd")],
        "UNICODE",
        requires=BODIES,
    ),
    render(
        "unicode-casing",
        "Letters whose case maps change their length: dotted and dotless i, sharp s, final sigma.",
        [user("İıß ΣΑΣ ŉ ǰ"), assistant("ẞ ﬀ ΐ")],
        "UNICODE",
        requires=BODIES,
    ),
    render(
        "unicode-stacked-marks",
        "Many combining marks on one letter do not overflow a span.",
        [user("Z" + "\u0310\u0321\u0334" * 8 + "a"), assistant("ok")],
        "UNICODE",
        "NORMALIZATION",
        requires=("RND-001", "RND-010"),
    ),
    render(
        "unicode-split-character-seams",
        "Bodies of one multi-byte character: the first and the last token hold parts of it.",
        [user("👩"), assistant("猫"), user("ü"), assistant("𝄞"), user("…")],
        "UNICODE",
        "MASK_BOUNDARY",
        requires=("RND-001", "RND-010", "RND-022", "RND-023", "RND-028"),
        options=GENERATE,
    ),
    render(
        "unicode-newline-before-cjk",
        "Newlines followed by letters of three bytes combine both hazards at one seam.",
        [user("\n\n東京"), assistant("\n\n大阪\n"), user("\n名古屋\n\n")],
        "UNICODE",
        "SEAM_MERGE",
        requires=(*SEAM, "RND-023"),
    ),
)
