"""What no memory holds: sizes that a template names are looked at before anything is built."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.template_engine.cases.build import case
from tokenspec.store.records import Case

HUGE = 2**62
"""More bytes than any machine addresses."""

REFUSED = (
    ("text-times-number", "Text is repeated.", f"{{{{ 'ab' * {HUGE} }}}}"),
    ("number-times-text", "Text is repeated, the number first.", f"{{{{ {HUGE} * 'ab' }}}}"),
    ("list-times-number", "A list is repeated.", f"{{{{ [1, 2] * {HUGE} }}}}"),
    ("number-times-list", "A list is repeated, the number first.", f"{{{{ ({HUGE} * [[1]])|length }}}}"),
    ("power-times-text", "Text is repeated as often as a power says.", "{{ 'ab' * 2 ** 62 }}"),
    ("looped", "A loop over text that is repeated.", f"{{% for x in 'ab' * {HUGE} %}}{{{{ x }}}}{{% endfor %}}"),
    ("compared", "A list that is repeated and compared.", f"{{{{ [0] * {HUGE} == [0] }}}}"),
    ("center-method", "Text is centred by its method.", f"{{{{ 'a'.center({HUGE}) }}}}"),
    ("ljust", "Text is filled up on the right.", f"{{{{ 'a'.ljust({HUGE}, '.') }}}}"),
    ("rjust-of-input", "Text is filled up on the left, as far as an input says.", "{{ 'a'.rjust(width) }}"),
    ("zfill", "A numeral is filled up with zeros.", f"{{{{ '1'.zfill({HUGE}) }}}}"),
    ("expandtabs", "A tab is as wide as no line is.", f"{{{{ '\\t'.expandtabs({HUGE}) }}}}"),
    ("center", "Text is centred by the filter.", f"{{{{ 'a'|center({HUGE}) }}}}"),
    ("center-keyword", "Text is centred by the filter, the width named.", f"{{{{ 'a'|center(width={HUGE}) }}}}"),
    ("center-mapped", "Texts are centred one by one.", f"{{{{ ['a', 'b']|map('center', {HUGE})|list }}}}"),
    ("indent", "Lines are indented.", f"{{{{ 'a\\nb'|indent({HUGE}) }}}}"),
    ("indent-keyword", "Lines are indented, the width named.", f"{{{{ 'a\\nb'|indent(width={HUGE}, first=true) }}}}"),
    ("batch", "A row is filled up.", f"{{{{ [1]|batch({HUGE}, 0)|list|length }}}}"),
    ("tojson-indent", "JSON is indented.", f"{{{{ {{'a': 1}}|tojson(indent={HUGE}) }}}}"),
    ("percent-width", "A number is written with a width.", f"{{{{ '%{HUGE}d' % 1 }}}}"),
    ("percent-star-width", "A number is written with a width that is an argument.", f"{{{{ '%*d' % ({HUGE}, 1) }}}}"),
    ("percent-width-of-key", "A named value is written with a width.", f"{{{{ '%(a){HUGE}s' % {{'a': 'x'}} }}}}"),
    ("format-filter-width", "The filter format writes text with a width.", f"{{{{ '%{HUGE}s'|format('a') }}}}"),
    ("format-width", "The method format writes a number with a width.", f"{{{{ '{{:{HUGE}}}'.format(1) }}}}"),
    ("format-aligned-width", "The method format aligns text.", f"{{{{ '{{:>{HUGE}}}'.format('a') }}}}"),
    ("format-nested-width", "The width is an argument of its own.", f"{{{{ '{{:{{w}}}}'.format('a', w={HUGE}) }}}}"),
    ("format-map-width", "A mapping is formatted with a width.", f"{{{{ '{{a:{HUGE}}}'.format_map({{'a': 1}}) }}}}"),
)  # fmt: skip

FIT = (
    ("wordwrap", "A line may be wider than any text.", f"{{{{ 'a b'|wordwrap({HUGE}) }}}}"),
    ("truncate", "Text is shorter than what it is cut to.", f"{{{{ 'a b'|truncate({HUGE}) }}}}"),
    ("round", "A number has fewer digits than it is rounded to.", f"{{{{ 1.5|round({HUGE}) }}}}"),
    ("slice-of-text", "A slice ends where the text ends.", f"{{{{ 'abc'[:{HUGE}] }}}}"),
    ("nothing-repeated", "Nothing, repeated, is nothing.", f"{{{{ '' * {HUGE} }}}}{{{{ [] * {HUGE} }}}}"),
    ("repeated-never", "What is repeated less than once is nothing.", f"{{{{ 'ab' * -{HUGE} }}}}{{{{ [1] * 0 }}}}|"),
    ("replace-nothing", "What is not there is replaced by nothing.", "{{ 'abc'|replace('x', 'b' * 60000)|length }}"),
    ("a-million", "A million characters are no size to refuse.", "{{ ('ab' * 500000)|length }}"),
    ("big-product", "A product of large numbers is a number.", f"{{{{ {HUGE} * {HUGE} * {HUGE} }}}}"),
    ("narrow-center", "Text that is wider than it is centred to.", "{{ 'abc'|center(2) }}{{ 'abc'.center(-9) }}"),
)


def refused(slug: str, why: str, template: str) -> Case:
    """A template that cannot be rendered on any machine."""
    inputs: dict[str, Any] = {"width": HUGE} if "width)" in template else {}
    return case(f"limit-{slug}", "003 086", "TEMPLATE_SANDBOX", why, template, **inputs)


CASES = [
    *(refused(*given) for given in REFUSED),
    *(case(f"limit-fits-{slug}", "087", "TEMPLATE_SANDBOX", why, template) for slug, why, template in FIT),
]
