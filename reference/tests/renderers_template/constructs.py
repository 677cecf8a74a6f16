"""Small templates of our own, one Jinja construct each. Every real template is made of these."""

from __future__ import annotations


def each(expression):
    """Print an expression of ``m`` for every message."""
    return "{% for m in messages %}[{{ m.role }}]" + expression + "\n{% endfor %}"


TEXT = "{% set t = m.content if m.content is string else '' %}"


def text(expression):
    """Print an expression of ``t``, the message's text, for every message."""
    return each(TEXT + expression)


CONSTRUCTS = {
    # printing
    "print": each("{{ m.content }}"),
    "print-adjacent": each("<{{ m.content }}>{{ m.content }}"),
    "print-item": each("{{ m['content'] }}"),
    "print-get": each("{{ m.get('content', 'none') }}"),
    "print-message": each("{{ m }}"),
    "print-list": "{{ messages }}",
    "print-tuple": each("{{ (m.role, m.content) }}"),
    "print-undefined": each("<{{ m.nothing }}>"),
    "print-computed": each("{{ loop.index }} {{ loop.first }} {{ messages | length }} {{ none }} {{ 1.5 }}"),
    # joining
    "plus": text("{{ '<' + t + '>' + t }}"),
    "plus-order": text("{{ t + m.role + t }}"),
    "tilde": each("{{ '<' ~ m.content ~ loop.index ~ none ~ '>' }}"),
    "times": text("{{ t * 2 }}{{ 2 * t }}{{ '-' * 3 }}{{ t * 0 }}"),
    "percent": text("{{ '<%s|%10s|%.3s|%-4s|%%>' % (t, t, t, t) }}"),
    "percent-one": text("{{ '<%s>' % t }}"),
    "percent-named": text("{{ '%(a)s-%(b)r' % {'a': t, 'b': t} }}"),
    "percent-numbers": each("{{ '%05d %x %.2f %s' % (loop.index, 255, 1.5, true) }}"),
    "format": text("{{ '<{}|{:>12}|{!r}>'.format(t, t, t) }}"),
    "format-named": text("{{ '{a} {m[role]} {m.nothing}'.format(a=t, m=m) }}"),
    "format-map": text("{{ '{a}'.format_map({'a': t}) }}"),
    "format-nested": text("{{ '{:{}}'.format(t, 12) }}"),
    "format-filter": text("{{ '<%s %s>' | format(t, m.role) }}"),
    "format-filter-named": text("{{ '<%(t)s>' | format(t=t) }}"),
    "join-filter": text("{{ [t, m.role, 1, none] | join(', ') }}{{ [] | join }}"),
    "join-attribute": "{{ messages | join('|', attribute='role') }}",
    "join-method": text("{{ ', '.join([t, m.role]) }}{{ t.join(['a', 'b', 'c']) }}"),
    # taking parts
    "strip": text("<{{ t.strip() }}|{{ t.lstrip() }}|{{ t.rstrip() }}|{{ t | trim }}|{{ t.strip('. \\n') }}>"),
    "trim-chars": text("<{{ t | trim('.\\n ') }}>"),
    "index": text(
        "{% if t %}{{ t[0] }}{{ t[-1] }}{% endif %}{{ t[:3] }}|{{ t[2:] }}|{{ t[-3:] }}|{{ t[::2] }}|{{ t[::-1] }}"
    ),
    "split": text("{{ t.split(' ') }}{{ t.split() }}{{ t.split('.')[0] }}{{ t.split(None, 1) }}"),
    "rsplit": text("{{ t.rsplit(' ', 1) }}{{ t.rsplit() }}{{ t.rsplit(None, 1) }}"),
    "splitlines": text("{{ t.splitlines() }}{{ t.splitlines(true) }}"),
    "partition": text("{{ t.partition(' ') }}{{ t.rpartition('.') }}"),
    "removeprefix": text("{{ t.removeprefix('Ask') }}{{ t.removesuffix('.') }}"),
    "think": text(
        "{% if '</think>' in t %}R<{{ t.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') }}>"
        "{% set t = t.split('</think>')[-1].lstrip('\\n') %}{% endif %}C<{{ t }}>"
    ),
    "characters": text("{% for c in t %}{{ c }}.{% endfor %}{{ t | list | join('_') }}"),
    "first-last": text("{{ t | first }}{{ t | last }}{{ t | reverse }}{{ t | length }}"),
    "batch": text(
        "{% for row in t | batch(4, '-') %}{{ row | join }}/{% endfor %}{% for s in t | slice(2) %}{{ s | join }}{% endfor %}"
    ),
    # changing characters
    "case": text(
        "{{ t | upper }}{{ t.lower() }}{{ t | capitalize }}{{ t.title() }}{{ t | title }}{{ t.swapcase() }}{{ t.casefold() }}"
    ),
    "case-mixed": text("{{ (t ~ '-ß-' ~ m.role) | upper }}{{ (m.role ~ t).title() }}"),
    "replace": text(
        "{{ t | replace(' ', '<E>') }}{{ t.replace(' ', '_', 1) }}{{ t | replace('zzz', 'y') }}{{ 'a-b' | replace('-', t) }}"
    ),
    "replace-empty": text("{{ t.replace('', '.') }}{{ t.replace('', '.', 2) }}"),
    "replace-needle": text("{{ 'say %s twice' | replace('%s', t) }}{{ (t ~ '|' ~ t) | replace(t, 'x') }}"),
    "pad": text("{{ t.center(40, '*') }}{{ t | center(40) }}{{ t.ljust(30) }}{{ t.rjust(30, '.') }}{{ t.zfill(30) }}"),
    "indent": text("{{ t | indent }}{{ t | indent(2, true, true) }}{{ t | indent('> ', first=true) }}"),
    "tabs": text("{{ t.expandtabs(4) }}"),
    "escape": text("{{ t | e }}{{ (t | safe) + '<b>' }}{{ '<b>' + (t | safe) }}{{ t | escape ~ '<' }}"),
    "safe": text(
        "{% set s = ('<i>' ~ t) | safe %}{{ s }}{{ ('<%s>' | safe) % t }}{{ ('<{}>' | safe).format(t) }}"
        "{{ (', ' | safe).join([t, '<']) }}{{ s.replace('>', '<') }}{{ s.strip() + '&' }}{{ s[1:] + '&' }}{{ s.striptags() }}"
        "{% for c in s %}{{ c + '&' if loop.first }}{% endfor %}{{ s.upper() + '<' }}{{ s * 2 + '<' }}{{ '<%s>' | safe | format(t) }}"
    ),
    "autoescape": text(
        "{% autoescape true %}{{ t }}{{ '<' ~ t }}{{ t | upper }}{{ [t, '<'] | join }}{% endautoescape %}"
    ),
    "computed-filters": text(
        "{{ t | wordwrap(8) }}{{ t | truncate(9) }}{{ t | urlencode }}{{ t | striptags }}{{ t | forceescape }}{{ t | wordcount }}"
    ),
    "string-filter": each("{{ m.content | string }}{{ (m.content | string) + '!' }}"),
    # JSON and repr
    "tojson": each("{{ m | tojson }}"),
    "tojson-indent": each("{{ m | tojson(indent=2) }}"),
    "tojson-separators": each("{{ m | tojson(separators=(',', ':')) }}"),
    "tojson-sorted": each("{{ m | tojson(sort_keys=true) }}"),
    "tojson-ascii": each("{{ m | tojson(ensure_ascii=true) }}"),
    "tojson-all": "{{ messages | tojson }}{{ tools | tojson }}",
    "tojson-made": each("{{ {'r': m.role, 'c': m.content, 'n': 1, 't': true, 'l': [m.role, none]} | tojson }}"),
    "tools": "{% for tool in tools or [] %}{{ tool | tojson }}\n{% endfor %}" + each("{{ m.content }}"),
    "tool-names": "{% for tool in tools or [] %}{{ tool.function.name ~ ': ' ~ tool['function']['description'] }}\n{% endfor %}x",
    "arguments": each(
        "{% for c in m.tool_calls or [] %}<{{ c.function.name }}>"
        "{% if c.function.arguments is mapping %}{% for k, v in c.function.arguments.items() %}"
        "{{ k }}={{ v | tojson if v is mapping or v is sequence and v is not string else v }};{% endfor %}"
        "{% else %}{{ c.function.arguments }}{% endif %}{% endfor %}"
    ),
    "arguments-sorted": each(
        "{% for c in m.tool_calls or [] %}{% if c.function.arguments is mapping %}"
        "{% for k, v in c.function.arguments | dictsort %}{{ k }}{{ v | string }}{% endfor %}"
        "{% for k, v in c.function.arguments | items %}{{ k }}{{ v }}{% endfor %}{% endif %}{% endfor %}"
    ),
    # collecting
    "set-block": each("{% set b %}<{{ m.content }}>{% endset %}{{ b }}{{ b | trim }}"),
    "set-block-loop": "{% set b %}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% endset %}{{ b }}",
    "filter-block": each("{% filter upper %}<b>{{ m.content }}{% endfilter %}"),
    "namespace": "{% set ns = namespace(text='') %}{% for m in messages %}{% set ns.text = ns.text ~ m.role ~ m.content %}{% endfor %}{{ ns.text }}",
    "macro": "{% macro show(x, y='?') %}<{{ x }}{{ y }}>{% endmacro %}"
    + each("{{ show(m.content) }}{{ show(m.role, y=m.content) }}"),
    "macro-loop": "{% macro all(ms) %}{% for m in ms %}<{{ m.role }}>{{ m.content }}</>{% endfor %}{% endmacro %}{{ all(messages) }}",
    "call-block": "{% macro wrap() %}<{{ caller() }}>{% endmacro %}"
    + each("{% call wrap() %}{{ m.content }}{% endcall %}"),
    "generation": each("{% generation %}{{ m.content }}{% endgeneration %}"),
    "dict-update": each("{% set n = dict(m, content=m.content ~ '!') %}{{ n.content }}{{ n.role }}"),
    "lists": "{% set l = messages[:1] + messages[1:] %}{% for m in l %}{{ m.content }}{% endfor %}",
    # choosing
    "conditions": each(
        "{{ 1 if m.content is string }}{{ 2 if m.content is mapping }}{{ 3 if m.content is iterable }}{{ 4 if m.content is none }}"
        "{{ 5 if m.content is defined }}{{ 6 if m.content }}{{ 7 if m.tool_calls is sequence }}{{ 8 if ' ' in m.content | string }}"
        "{{ 9 if m.role == 'user' }}{{ 0 if m.role in ['tool', 'system'] }}{{ 'n' if m.content is number }}{{ 'b' if m.content is boolean }}"
    ),
    "default": each("{{ m.content | default('none', true) }}{{ m.nothing | default('d') }}{{ m.name or m.role }}"),
    "select": "{% for m in messages | selectattr('role', 'equalto', 'user') %}{{ m.content }}{% endfor %}{{ messages | map(attribute='role') | list }}",
    "reject": "{% for m in messages | rejectattr('role', 'in', ['system']) | list %}{{ loop.index0 }}{{ m.content }}{% endfor %}",
    "map-filter": "{{ messages | map(attribute='role') | map('upper') | join(' ') }}{{ messages | map(attribute='role') | unique | sort | join }}",
    "group": "{% for r, ms in messages | groupby('role') %}{{ r }}{{ ms | length }}{% endfor %}",
    "break": "{% for m in messages %}{% if loop.index > 2 %}{% break %}{% endif %}{% if m.role == 'system' %}{% continue %}{% endif %}{{ m.content }}{% endfor %}!",
    "neighbours": each(
        "{{ loop.previtem.role if loop.previtem }}>{{ m.role }}>{{ loop.nextitem.role if loop.nextitem }}"
    ),
    "changed": each("{{ loop.changed(m.role) }}{{ loop.cycle('x', 'y') }}"),
    "recursive": "{% for m in messages recursive %}{{ m.role if m is mapping else m }}{% if m is mapping and m.tool_calls %}{{ loop(['a', 'b']) }}{% endif %}{% endfor %}",
    "loop-else": "{% for m in messages if m.role == 'nobody' %}{{ m.content }}{% else %}empty{% endfor %}",
    "index-loop": "{% for i in range(messages | length) %}{% set m = messages[i] %}<{{ m.role }}>{{ m.content }}</>{% endfor %}",
    "reversed": "{% for m in messages[::-1] %}<{{ m.role }}>{{ m.content }}{% endfor %}",
    "hoisted": "{% if messages[0].role == 'system' %}S<{{ messages[0].content }}>{% endif %}{% for m in messages %}<{{ m.content }}>{% endfor %}",
    "raise": "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no ' ~ m.role) }}{% endif %}{{ m.content }}{% endfor %}",
    "type-errors": "{% for m in messages %}{{ m.content + '!' }}{{ m.content[0].text }}{% endfor %}",
    "attribute-of-undefined": "{% for m in messages %}{{ m.function.name }}{% endfor %}",
    "clock": "{{ strftime_now('%d %b %Y') }}" + each("{{ m.content }}"),
    "bytes": text("{{ t.encode('utf-8') }}{{ t.encode().decode() }}"),
    "methods": text(
        "{{ t.startswith('  ') }}{{ t.endswith('.') }}{{ t.find(' ') }}{{ t.count('.') }}{{ t.isupper() }}{{ t.index(t) }}"
        "{{ 'x'.upper() }}{{ 'a,b'.split(',') }}{{ t.isidentifier() }}"
    ),
    "numbers": each(
        "{% for c in m.tool_calls or [] %}{% if c.function.arguments is mapping %}{% set a = c.function.arguments %}"
        "{{ a.n }}{{ a.x }}{{ a.n + 1 if a.n is defined }}{{ '%d' % a.n if a.n is defined }}{{ a.x | round if a.x is defined }}{{ a.n | string }}{{ a.deep }}{{ a.none }}"
        "{% endif %}{% endfor %}"
    ),
    "private-names": each("{{ _tokenspec_state }}{{ m.content._tokenspec_runs }}{{ m.content['_tokenspec_runs'] }}"),
    "forbidden": each("{{ m.content.__class__ }}"),
    "append": "{% set l = [] %}{% for m in messages %}{{ l.append(m) }}{% endfor %}",
}
