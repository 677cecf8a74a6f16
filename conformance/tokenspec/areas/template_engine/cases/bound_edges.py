"""On which side of a bound a template falls: little room on both, and nothing behind that counts a second time."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.template_engine.cases.bounds import BUILT, CHARACTERS, STEPS, THOUSAND, bounded
from tokenspec.areas.template_engine.cases.build import case

FAR, FULL = 400_000, 100_000
SIDES = {
    "text-times": (FAR // 2, FULL // 2),
    "times-text": (FAR // 2, FULL // 2),
    "bytes-times": (FAR // 2, FULL // 2),
    "number-power": (FAR * 3, 781),
    "center-method": (FAR, FULL),
    "ljust": (FAR, FULL),
    "rjust": (FAR, FULL),
    "zfill": (FAR, FULL),
    "expandtabs": (400, 100),
    "expandtabs-default": (30_000, 5000),
    "expandtabs-of-bytes": (400, 100),
    "expandtabs-wide": (FAR, FULL),
    "center": (FAR, FULL),
    "indent": (201, 45),
    "indent-text": (201, 45),
    "indent-wide": (150_000, 45_000),
    "batch": (25_000, 1562),
    "slice": (10_000, 1562),
    "sum": (160, 46),
    "sum-of-tuples": (160, 46),
    "round-up": (180_000, 1562),
    "round-away": (210_000, 1562),
    "tojson-indent": (150_000, 45_000),
    "percent-width": (150_000, 30_000),
    "percent-fields": (400, 99),
    "percent-named": (400, 100),
    "format-width": (FAR, 60_000),
    "format-of-safe": (150_000, 45_000),
    "format-nested-width": (FAR, 60_000),
    "format-fields": (400, 100),
    "format-named": (400, 100),
    "format-fields-of-safe": (200, 60),
    "format-map": (400, 100),
    "replace": (400, 100),
    "replace-method": (400, 100),
    "replace-of-bytes": (400, 100),
    "replace-nothing": (400, 99),
    "translate": (400, 100),
    "join": (400, 99),
    "join-with": (400, 100),
    "join-method": (400, 99),
    "join-method-of-list": (400, 99),
    "join-method-of-tuple": (400, 99),
    "join-method-of-bytes": (400, 100),
    "wordwrap": (400, 50),
    "urlize": (180, 11),
    "printed-lists": (20, 3),
    "joined-lists": (20, 4),
    "lists-to-text": (20, 4),
    "lists-in-percent": (20, 4),
    "lists-in-format": (20, 4),
    "set-aside": (400, 100),
    "macro": (400, 100),
    "doubled-text": (18, 16),
    "doubled-by-tilde": (18, 16),
    "squared": (19, 9),
}
"""Of templates above: a size that is just beyond, and one that just fits."""

UNSEEN = (
    ("list-times", "{{ 'T' if ([0] * SIZE) is defined }}", 101_000, 10_000),
    ("times-list", "{{ 'T' if (SIZE * [0]) is defined }}", 101_000, 10_000),
    ("tuple-times", "{{ 'T' if ((0,) * SIZE) is defined }}", 101_000, 10_000),
    ("batch", "{% for row in [1]|batch(SIZE, 0) %}.{% endfor %}", 60_000, 1562),
    ("batch-named", "{% for row in [1]|batch(linecount=SIZE, fill_with=0) %}.{% endfor %}", 60_000, 1562),
    ("slice", "{{ 'T' if [1]|slice(SIZE)|list is defined }}", 60_000, 1562),
    ("slice-named", "{{ 'T' if [1]|slice(slices=SIZE)|list is defined }}", 60_000, 1562),
    ("sum", "{{ 'T' if ([[0] * SIZE] * SIZE)|sum(start=[]) is defined }}", 320, 46),
    ("sum-of-tuples", "{{ 'T' if ([(0,) * SIZE] * SIZE)|sum(start=()) is defined }}", 320, 46),
    ("percent-width", "{{ (('%' ~ SIZE ~ 'd') % 1)|length }}", 900_000, 9000),
    ("percent-width-behind", "{{ (('%d%' ~ SIZE ~ 'd') % (1, 2))|length }}", 900_000, 9000),
    ("percent-zeros", "{{ (('%' ~ '0' * 25 ~ SIZE ~ 'd') % 1)|length }}", 900_000, 9000),
    ("percent-of-safe", "{{ (('%' ~ SIZE ~ 'd')|safe % 1)|length }}", 900_000, 9000),
    ("percent-precision", "{{ (('%.' ~ SIZE ~ 'd') % 1)|length }}", 900_000, 9000),
    ("percent-star", "{{ ('%*d' % (SIZE, 1))|length }}", 900_000, 9000),
    ("percent-star-precision", "{{ ('%.*d' % (SIZE, 1))|length }}", 900_000, 9000),
    ("format-filter", "{{ (('%' ~ SIZE ~ 'd')|format(1))|length }}", 900_000, 9000),
    ("format-width", "{{ ('{:' ~ SIZE ~ '}').format(1)|length }}", 900_000, 9000),
    ("format-precision", "{{ ('{:.' ~ SIZE ~ 'f}').format(1.5)|length }}", 900_000, 9000),
    ("format-zeros", "{{ ('{:' ~ '0' * 25 ~ SIZE ~ '}').format(1)|length }}", 900_000, 9000),
    ("format-of-safe", "{{ (('{:' ~ SIZE ~ '}')|safe).format(1)|length }}", 900_000, 9000),
    ("format-nested-width", "{{ '{:{w}}'.format('a', w=SIZE)|length }}", 900_000, 9000),
    ("format-map-width", "{{ ('{a:' ~ SIZE ~ '}').format_map({'a': 1})|length }}", 900_000, 9000),
    ("tojson-indent", "{{ ({'a': [1]}|tojson(indent=SIZE))|length }}", 900_000, 10_000),
    ("added-text", "{% set t = 'a' * SIZE %}{{ (t + t)|length }}", 380_000, 12_000),
    ("added-list", "{% set l = [text] * SIZE %}{{ 'T' if (l + l) is defined }}", 51_000, 6000),
)
"""Name, template, a size beyond the bound, and one within it; what is built is asked no more than a number."""

COUNTED: tuple[tuple[str, str, dict[str, int], dict[str, Any]], ...] = (
    (
        "given-numbers",
        "{% set all = rows * 230 %}{{ all == rows }}{{ all is eq rows }}",
        CHARACTERS,
        {"rows": [list(range(20))] * 20},
    ),
    (
        "given-mappings",
        "{% set all = rows * 690 %}{{ all == rows }}{{ all is ne rows }}",
        CHARACTERS,
        {"rows": [{"a": 1, "b": "cd", "e": [None, True]}] * 10},
    ),
    (
        "own-numbers",
        "{% set all = [rows * 30] * 3000 %}{{ all == rows }}{{ all|first|length }}",
        CHARACTERS,
        {"rows": [1]},
    ),
    (
        "own-mappings",
        "{% set all = [{'a': 1, 'b': [rows[0], 'c']}, ('de', rows[0])] * 6000 %}{{ all == rows }}",
        CHARACTERS,
        {"rows": [1]},
    ),
    ("product", "{{ 2 ** 781 * 2 ** 779 > 1 }}", CHARACTERS, {}),
    (
        "small-steps",
        (
            "{% for _ in range(60) %}{{ text[1:]|length + rows|length }}{{ rows == rows }}{{ (rows + rows)|length }}"
            "{{ 'b' in text }}{{ rows|first }}{{ rows[1:]|length }}{% endfor %}"
        ),
        STEPS,
        {"text": THOUSAND, "rows": list(range(3))},
    ),
)
"""Name, template, bound and inputs of what is counted as it is, and no more."""

WHY = "What is counted as it is stays within a bound, and no more would."
CASES = (
    *(
        bounded(f"{name}-edge", template.replace("SIZE", str(size)), CHARACTERS, fits=fits)
        for name, template, *_ in BUILT
        if name in SIDES
        for size, fits in zip(SIDES[name], (False, True), strict=True)
    ),
    *(
        bounded(f"{name}-unseen", template.replace("SIZE", str(size)), CHARACTERS, fits=fits)
        for name, template, beyond, within in UNSEEN
        for size, fits in ((beyond, False), (within, True))
    ),
    *(
        case(f"bounded-fits-{name}", "088", "TEMPLATE_SANDBOX", WHY, template, limits=limits, **inputs)
        for name, template, limits, inputs in COUNTED
    ),
)
