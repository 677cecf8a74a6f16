"""A segmented trace as a page: the curve that decides, its threshold, every token in its segment. No script, no net.

The browser's fonts draw the text, so every script and every emoji shows; the page follows the reader's light or dark.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tokenspec_reference.engines.segmentation import ScoreCurve, Segmentation

STEP, HEIGHT, MARGIN = 4, 180, 14  # of the curve, in pixels: a token, the whole, above and below
STYLE = """
:root { color-scheme: light dark; --ink: #1c1917; --paper: #fdfcfa; --soft: #78716c; --line: #e7e2da; --even: #eef4fb;
  --odd: #fbf3e4; --cut: #b42318; --now: #1d4ed8; --before: #a8a29e; --hot: #f59e0b }
@media (prefers-color-scheme: dark) { :root { --ink: #eceae6; --paper: #171513; --soft: #a8a29e; --line: #37322c;
  --even: #1b2531; --odd: #2a2318; --cut: #f97066; --now: #7aa5ff; --before: #6b645c; --hot: #b45309 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 1.25rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 16px/1.7 system-ui, sans-serif }
h1 { font-size: 1.2rem; margin: 0 }
.facts, figcaption, .at { color: var(--soft); font-size: .85rem }
.facts { margin: .1rem 0 1rem }
figure { margin: 0 0 1.5rem }
.curve { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem }
svg { display: block }
.now { fill: none; stroke: var(--now); stroke-width: 1.4 }
.before { fill: none; stroke: var(--before); stroke-width: 1; stroke-dasharray: 2 2 }
.threshold { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 6 4 }
.cut { stroke: var(--cut); stroke-width: 1.2 }
svg text { font: 10px system-ui, sans-serif; fill: var(--soft) }
.key::before { content: ""; display: inline-block; width: 1.4em; margin-right: .35em; vertical-align: .25em;
  border-top: 2px solid var(--c) }
.key { margin-right: 1em; white-space: nowrap }
ol { list-style: none; margin: 0; padding: 0 }
li { display: grid; grid-template-columns: 4.5rem 1fr; gap: .75rem; padding: .35rem .6rem; background: var(--even);
  border-left: 3px solid var(--cut) }
li:nth-child(even) { background: var(--odd) }
li:first-child { border-left-color: transparent }
li:target { outline: 2px solid var(--now) }
.at { font-variant-numeric: tabular-nums; line-height: 1.35; padding-top: .25rem }
.at b { color: var(--ink); display: block }
.text { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 0; unicode-bidi: plaintext }
.t { background: linear-gradient(var(--bar), var(--bar)) no-repeat 0 100% / 100% calc(var(--s, 0) * 100%);
  --bar: color-mix(in srgb, var(--hot) 40%, transparent); box-shadow: 1px 0 0 var(--line) }
.t:hover { outline: 1px solid var(--now) }
.feed { color: var(--soft) }
@media (max-width: 34rem) { li { grid-template-columns: 1fr; gap: 0 } .at b { display: inline; margin-right: .5em } }
"""


def page(trace: str, result: Segmentation, *, title: str = "Segments") -> str:
    """The page as text."""
    facts = [f"{len(result.offsets)} segments", f"{len(trace)} characters"]
    if result.curve is not None:
        facts += [f"{len(result.curve.positions)} scores", f"threshold {result.curve.threshold:.3f}"]
    if result.margin is not None:
        facts.append(f"margin {result.margin:.2g}")
    body = [f"<h1>{html.escape(title)}</h1>", f'<p class="facts">{" · ".join(facts)}</p>']
    if result.curve is not None and result.curve.positions:
        body.append(_figure(result.curve, result.offsets))
    body += ["<ol>", *_segments(trace, result), "</ol>"]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def deciding(curve: ScoreCurve) -> Sequence[float | None]:
    """The scores of pass 2 where there were two passes, None where none was taken; else the only ones."""
    return curve.decided or curve.scores


def _figure(curve: ScoreCurve, offsets: Sequence[tuple[int, int]]) -> str:
    now = deciding(curve)
    finite = [score for score in (*now, *curve.scores) if score is not None and math.isfinite(score)]
    low, high = min([*finite, curve.threshold]), max([*finite, curve.threshold])
    width = STEP * len(curve.positions) + 2 * MARGIN

    def y(score: float) -> float:
        share = (min(max(score, low), high) - low) / ((high - low) or 1.0)
        return round(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), 1)

    def x(index: int) -> int:
        return MARGIN + STEP * index

    def path(scores: Sequence[float | None]) -> str:
        parts, drawing = [], False
        for index, score in enumerate(scores):
            known = score is not None and not math.isnan(score)
            if known and score is not None:
                parts.append(f"{'L' if drawing else 'M'}{x(index)} {y(score)}")
            drawing = known
        return " ".join(parts)

    index_of = {position: index for index, position in reversed(list(enumerate(curve.positions)))}
    cuts, free = [], 0
    for number, (start, _) in enumerate(offsets, 1):
        at = index_of.get(start) if start else None
        if at is None:
            continue
        shown = f'<text x="{x(at) + 2}" y="{HEIGHT - 3}">{number}</text>' if x(at) >= free else ""
        free = x(at) + 8 * len(str(number)) if shown else free
        cuts.append(
            f'<a href="#s{number}"><line class="cut" x1="{x(at)}" x2="{x(at)}" y1="{MARGIN}" y2="{HEIGHT - MARGIN}">'
            f"<title>segment {number}</title></line>{shown}</a>"
        )
    line = y(curve.threshold)
    passes = f'<path class="before" d="{path(curve.scores)}"/>' if curve.decided else ""
    keys = [("--now", "score that decides" + (" (pass 2)" if curve.decided else "")), ("--ink", "threshold")]
    keys += [("--cut", "cut")] + ([("--before", "score of pass 1")] if curve.decided else [])
    legend = "".join(f'<span class="key" style="--c: var({color})">{name}</span>' for color, name in keys)
    return (
        f'<figure><div class="curve" tabindex="0"><svg width="{width}" height="{HEIGHT}" role="img" '
        f'aria-label="scores of {len(curve.positions)} tokens">{"".join(cuts)}{passes}'
        f'<path class="now" d="{path(now)}"/><line class="threshold" x1="0" x2="{width}" y1="{line}" y2="{line}"/>'
        f'<text x="2" y="10">{high:.2f}</text><text x="2" y="{HEIGHT - 3}">{low:.2f}</text></svg></div>'
        f"<figcaption>{legend}</figcaption></figure>"
    )


def _segments(trace: str, result: Segmentation) -> Iterator[str]:
    curve = result.curve
    positions = curve.positions if curve else ()
    scores = deciding(curve) if curve else ()
    score_at = dict(zip(reversed(positions), reversed(scores), strict=True))
    edges = sorted({*positions, *(edge for pair in result.offsets for edge in pair), 0, len(trace)})
    pieces = list(pairwise(edges))
    finite = [score for score in scores if score is not None and math.isfinite(score)]
    low, high = min(finite, default=0.0), max(finite, default=1.0)
    at = 0
    for number, ((start, end), label) in enumerate(zip(result.offsets, result.labels, strict=True), 1):
        spans = []
        while at < len(pieces) and pieces[at][1] <= end:
            left, right = pieces[at]
            score = score_at.get(left)
            spans.append(_token(trace[left:right], left, score, ((score or low) - low) / ((high - low) or 1.0)))
            at += 1
        name = "" if label == "UNK" else f" {html.escape(label)}"
        where = f'<span class="at"><b>{number}{name}</b>{start}–{end}</span>'
        yield f'<li id="s{number}">{where}<span class="text">{"".join(spans)}</span></li>'


def _token(text: str, start: int, score: float | None, share: float) -> str:
    shown = html.escape(text).replace("\n", '<span class="feed">↵</span>\n')
    said = f"character {start}" + ("" if score is None else f", score {score:.3f}")
    level = max(0.0, min(1.0, share)) if math.isfinite(share) else 1.0
    bar = "" if score is None else f' style="--s:{level:.2f}"'
    return f'<span class="t" title="{said}"{bar}>{shown}</span>'
