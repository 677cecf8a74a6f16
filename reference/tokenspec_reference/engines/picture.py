"""A segmented trace as a drawing: the text in alternating colours above the curve that decides, with its threshold."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from tokenspec_reference.engines.page import deciding
from tokenspec_reference.engines.segmentation import Segmentation
from tokenspec_reference.errors import UnsupportedByReference

COLUMNS = 96  # characters per line of text
SHADES = ("#dbeafe", "#fef3c7")
ACCENT = "#b91c1c"
PLAIN_FONT = "DejaVu Sans Mono"
LAST_RESORT = "lastresort"
"""Fonts of this name have a box for every character there is."""


def text_lines(trace: str, columns: int = COLUMNS) -> list[tuple[int, str]]:
    """The trace in lines of at most ``columns`` characters: (offset of the first character, text)."""
    lines: list[tuple[int, str]] = []
    start = 0
    for paragraph in trace.split("\n"):
        cuts = range(0, max(1, len(paragraph)), columns)
        lines += [(start + at, paragraph[at : at + columns]) for at in cuts]
        start += len(paragraph) + 1
    return lines


def draw(trace: str, result: Segmentation, path: Path, *, max_lines: int = 60) -> list[str]:
    """Write the picture to ``path`` (the suffix chooses the format).

    Args:
        trace: the text.
        result: its segmentation; without a score curve (rule engines) only the text is drawn.
        path: written through a temporary file of the same suffix.
        max_lines: longer traces are cut after so many lines, and the picture says so.

    Returns:
        The characters that no installed font has, each once; the drawing has a box in place of them.

    Raises:
        UnsupportedByReference: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnsupportedByReference(
            "a picture needs matplotlib: pip install 'tokenspec[plot]'", field="picture"
        ) from error
    lines = text_lines(trace)
    shown = lines[:max_lines]
    families, lacking = fonts_for({character for _, text in shown for character in text})
    shown = [(start, "".join("□" if sign in lacking else sign for sign in text)) for start, text in shown]
    text_height = 0.2 * len(shown) + 0.5
    curve_height = 2.6 if result.curve else 0.0
    figure = Figure(figsize=(11, text_height + curve_height), layout="constrained")
    if result.curve:
        text_axes, curve_axes = figure.subplots(2, 1, height_ratios=(text_height, curve_height))
        _draw_curve(curve_axes, trace, result)
    else:
        text_axes = figure.subplots()
    _draw_text(text_axes, result, shown, families, hidden=len(lines) - len(shown))
    temporary = path.with_name(f".{path.stem}.partial{path.suffix}")
    figure.savefig(temporary, dpi=150)
    temporary.replace(path)
    return sorted(lacking)


def fonts_for(characters: set[str]) -> tuple[list[str], set[str]]:
    """Installed families that have the characters between them, DejaVu first, and the characters that none has."""
    from matplotlib import font_manager, ft2font

    families, missing = [PLAIN_FONT], {sign for sign in characters if sign.isprintable()}
    plain = font_manager.findfont(PLAIN_FONT)
    missing -= set(map(chr, ft2font.FT2Font(plain).get_charmap()))
    for font in font_manager.fontManager.ttflist:
        if not missing:
            break
        if font.name.replace(" ", "").lower().startswith(LAST_RESORT):
            continue
        try:
            found = missing & set(map(chr, ft2font.FT2Font(font.fname).get_charmap()))
        except (OSError, RuntimeError):  # a font that cannot be read has nothing
            continue
        if found:
            families.append(font.name)
            missing -= found
    return families, missing


def _draw_text(
    axes: Any, result: Segmentation, lines: list[tuple[int, str]], families: list[str], *, hidden: int
) -> None:
    axes.set_xlim(0, COLUMNS)
    axes.set_ylim(len(lines) + (1 if hidden else 0), 0)
    axes.axis("off")
    axes.set_title(f"{len(result.offsets)} segments", loc="left", fontsize=10)
    for row, (offset, text) in enumerate(lines):
        for index, (start, end) in enumerate(result.offsets):
            left, right = max(start, offset), min(end, offset + len(text))
            if left < right:
                axes.barh(row + 0.5, right - left, left=left - offset, height=0.9, color=SHADES[index % 2], linewidth=0)
            if index and offset <= start < offset + max(1, len(text)):
                axes.plot([start - offset] * 2, [row + 0.05, row + 0.95], color=ACCENT, linewidth=1.6)
        for column, character in enumerate(text):
            axes.text(
                column + 0.5,
                row + 0.5,
                character,
                family=families,
                fontsize=11,
                ha="center",
                va="center",
                parse_math=False,
            )
    if hidden:
        axes.text(0, len(lines) + 0.5, f"... {hidden} more lines", fontsize=8, va="center", style="italic")


def _draw_curve(axes: Any, trace: str, result: Segmentation) -> None:
    curve = result.curve
    if curve is None:
        return
    scores = [math.nan if score is None else score for score in deciding(curve)]
    axes.plot(curve.positions, scores, color="#1d4ed8", linewidth=0.9, marker=".", markersize=3)
    axes.axhline(
        curve.threshold, color="black", linestyle="--", linewidth=0.8, label=f"threshold {curve.threshold:.3f}"
    )
    for index, (start, _) in enumerate(result.offsets[1:]):
        axes.axvline(start, color=ACCENT, linewidth=0.8, alpha=0.7, label="boundary" if index == 0 else None)
    axes.set_xlim(0, max(1, len(trace)))
    axes.set_xlabel("character of the trace")
    axes.set_ylabel("score (pass 2)" if curve.decided else "score")
    axes.legend(loc="upper right", fontsize=8)
