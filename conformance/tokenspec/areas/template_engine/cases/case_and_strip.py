"""White space at the ends of text, and upper and lower case: where character tables differ."""

from __future__ import annotations

from tokenspec.areas.template_engine.cases.build import case

SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NO_SPACES = "\u200b\u2060\ufeff\u180e\x00"

CASES = [
    case(
        "trim-filter",
        "062",
        "TEMPLATE_STRIP",
        "The filter trim strips blanks, tabs and line ends at both ends.",
        "[{{ x|trim }}]",
        x=" \n\t a  b \r\n ",
    ),
    case(
        "trim-of-other-values",
        "062",
        "TEMPLATE_STRIP",
        "The filter trim makes text of numbers, constants and lists first: content that is no text gets through.",
        "{{ 5|trim }}{{ 1.5|trim }}[{{ x|trim|length }}]",
        x=[1, "a"],
    ),
    case(
        "trim-of-constants",
        "062 021",
        "TEMPLATE_STRIP",
        "The filter trim writes constants as printing does.",
        "{{ true|trim }}{{ none|trim }}",
    ),
    case(
        "strip-unicode-space",
        "062",
        "TEMPLATE_STRIP",
        "White space is Python's set: the separators 0x1c to 0x1f, next line, no-break and ideographic space "
        "are in it.",
        "[{{ x|trim }}][{{ x.strip() }}][{{ x.lstrip() }}]",
        x=SPACES + "a" + SPACES,
        issue="smg#1658",
    ),
    case(
        "strip-not-zero-width",
        "062",
        "TEMPLATE_STRIP",
        "Zero-width space, word joiner, byte order mark and null are no white space.",
        "{{ x|trim|length }}{{ x.strip()|length }}",
        x=NO_SPACES + "a" + NO_SPACES,
    ),
    case(
        "strip-methods",
        "062",
        "TEMPLATE_STRIP",
        "The methods strip, lstrip and rstrip take their side.",
        "[{{ x.strip() }}][{{ x.lstrip() }}][{{ x.rstrip() }}]",
        x="  a \n",
    ),
    case(
        "strip-characters",
        "062",
        "TEMPLATE_STRIP",
        "An argument of the methods is a set of characters, not a word.",
        "[{{ x.strip('\\n') }}][{{ x.lstrip('\\n ') }}][{{ 'abcba'.strip('ab') }}"
        "][{{ 'think</think>'.rstrip('</think>') }}]",
        x="\n\n a \n",
    ),
    case(
        "trim-characters",
        "062",
        "TEMPLATE_STRIP",
        "The filter trim takes a set of characters.",
        "[{{ 'xxaxx'|trim('x') }}][{{ 'abcba'|trim('ab') }}]",
    ),
    case(
        "strip-none-argument",
        "062",
        "TEMPLATE_STRIP",
        "None as argument means white space.",
        "[{{ ' a '.strip(none) }}]",
    ),
    case(
        "upper-lower-unicode",
        "063",
        "TEMPLATE_CASE",
        "Upper and lower case use the full tables: sharp s becomes two letters, a dotted capital I an i and a dot.",
        "{{ x|upper }}|{{ x|lower }}|{{ x.upper() }}|{{ x.lower() }}",
        x="stra\u00dfe \u0130I\u0131i \ufb01 \u01c6 \u00c9\u00e9",
    ),
    case(
        "upper-of-missing",
        "063 024",
        "TEMPLATE_CASE TEMPLATE_UNDEFINED",
        "Upper and lower take what is missing for empty text.",
        "[{{ missing|upper }}{{ message.role|lower }}]",
        message={},
    ),
    case(
        "lower-final-sigma",
        "063",
        "TEMPLATE_CASE",
        "A sigma that ends a word becomes a final sigma.",
        "{{ x|lower }}|{{ x.lower() }}",
        x="\u039f\u0394\u039f\u03a3 \u03a3",
    ),
    case(
        "capitalize",
        "063",
        "TEMPLATE_CASE",
        "Capitalize raises the first character and lowers all others.",
        "{{ 'hELLO wORLD'|capitalize }}|{{ ' ab'|capitalize }}|{{ ''|capitalize }}",
    ),
    case(
        "capitalize-method",
        "063",
        "TEMPLATE_CASE",
        "The method capitalize is there.",
        "{{ 'aB'.capitalize() }}",
    ),
    case(
        "capitalize-digraph",
        "063",
        "TEMPLATE_CASE",
        "The first character of a digraph becomes its title form.",
        "{{ 'ǆa'|capitalize }}",
    ),
    case(
        "title-filter",
        "063",
        "TEMPLATE_CASE",
        "The filter title begins words behind blanks, hyphens and opening brackets, not behind an apostrophe.",
        "{{ x|title }}",
        x="it's a-b (c) [d] {e} <f> g_h i.j 3k lASt",
    ),
    case(
        "title-method",
        "063",
        "TEMPLATE_CASE",
        "The method title begins a word behind everything that is no letter.",
        "{{ x.title() }}",
        x="it's a-b (c) [d] g_h i.j 3k lASt",
    ),
    case(
        "role-title",
        "063",
        "TEMPLATE_CASE",
        "Role headers made with title and capitalize.",
        "{% for m in messages %}{{ m.role|title }}: {{ m.role|capitalize }}: {{ m.role.upper() }} {% endfor %}",
        messages=[{"role": "user"}, {"role": "tool_response"}],
    ),
    case(
        "swapcase-casefold",
        "063",
        "TEMPLATE_CASE",
        "The methods swapcase and casefold are there.",
        "{{ 'aB\u00df'.swapcase() }}{{ 'A\u00df'.casefold() }}",
    ),
]
