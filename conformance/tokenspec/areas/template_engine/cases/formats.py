"""``%`` and the method ``format``: fields that few templates write, and what they refuse."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.template_engine.cases.build import case
from tokenspec.store.records import Case

VALUES: dict[str, Any] = {"m": {"a": "<", "b": 1}, "x": "<b> & 'c'", "t": "x < y"}


def shown(slug: str, why: str, template: str) -> Case:
    """A format that is printed."""
    return case(slug, "069", "TEMPLATE_FORMAT", why, template, **VALUES)


def refused(slug: str, why: str, template: str) -> Case:
    """A format that Python refuses."""
    return case(slug, "003 069", "TEMPLATE_FORMAT", why, template)


CASES = [
    shown(
        "percent-conversions",
        "All conversions of the percent sign.",
        "{{ '%c%c' % ('a', 98) }}{{ '%i %u %o %x %X %e %E %g %G %f %F %a' % (1, 2, 8, 255, 255, 1.5, 1.5, 1.5, 1.5, "
        "1.5, "
        "1.5, 'é') }}{{ '%ld %hd %Ld' % (1, 2, 3) }}",
    ),
    shown(
        "percent-flags",
        "Signs, blanks, prefixes, widths and precisions of the percent sign.",
        "{{ '%+d % d %#x %-5d| %05.1f %.3s %5.2s|%.0f|%.f' % (1, 1, 255, 3, 2.25, x, x, 2.5, 3.5) }}",
    ),
    shown(
        "percent-of-one",
        "A value that is no tuple is the only one, and a list or a mapping may be left over.",
        "{{ '%s' % m }}{{ '%s' % [1] }}{{ '%s' % ((1, 2),) }}{{ 'a' % [] }}{{ 'a' % m }}{{ '%%' % () }}",
    ),
    shown(
        "percent-signs-with-widths",
        "A percent sign with a width is one still, and a star takes its value.",
        "{{ '%5%|%-5%|%*%|%d' % (3, 4) }}{{ '%(a)5%%(a)s' % m }}",
    ),
    shown(
        "percent-keys-with-brackets",
        "Keys in brackets may hold some, and be empty.",
        "{{ '%(a(b))s|%()s|%(c)s' % {'a(b)': 1, '': 2, 'c': x} }}",
    ),
    shown(
        "format-numbers",
        "Numbers with signs, groups, bases and percentages.",
        "{{ '{:,} {:_} {:+} {:%} {:e} {:b} {:#x} {:05} {:.2f} {:=5}'.format(12345, 12345, 1, 0.5, 1.5, 5, 255, 3, "
        "2.345, -4) "
        "}}",
    ),
    shown(
        "format-nested",
        "Widths that are fields of their own, in turn and named.",
        "{{ '{:>{}}|{:{}}|'.format(x, 12, 'b', 3) }}{{ '{0:{w}}|{1:*^{w}}'.format(x, 'b', w=11) }}",
    ),
    shown(
        "format-map-of-nothing",
        "A format without fields takes anything.",
        "{{ 'x'.format_map(5) }}{{ '{a}{b}'.format_map(m) }}",
    ),
    refused("format-map-of-two", "format_map takes one value.", "{{ '{a}'.format_map({'a': 1}, 2) }}"),
    refused("format-map-of-names", "format_map takes no named values.", "{{ '{a}'.format_map(a=1) }}"),
    refused("format-in-turn-of-attributes", "Fields in turn have no attributes.", "{{ '{.a}'.format({'a': 1}) }}"),
    refused("format-in-turn-of-elements", "Fields in turn have no elements.", "{{ '{[a]}'.format({'a': 1}) }}"),
    refused("format-of-too-few", "A field without a value.", "{{ '{}{}'.format(1) }}"),
    refused("format-of-both", "Fields in turn beside numbered ones.", "{{ '{}{0}'.format(1) }}"),
    refused("format-unknown-conversion", "A conversion that is none.", "{{ '{0!x}'.format(1) }}"),
    refused("percent-of-too-many", "A value without a field.", "{{ 'a' % 1 }}"),
    refused("percent-unknown-conversion", "A conversion that is none.", "{{ '%q' % 1 }}"),
    refused("percent-names-of-none", "Named fields want a mapping.", "{{ '%(x)s' % 5 }}"),
    refused(
        "percent-unreadable-width", "A width of more digits than Python reads.", "{{ '%99999999999999999999d' % 1 }}"
    ),
    refused(
        "format-unreadable-width",
        "A width of more digits than Python reads.",
        "{{ '{:99999999999999999999}'.format(1) }}",
    ),
]
