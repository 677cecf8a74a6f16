"""``python -m tokenspec_reference.engines TRACE.txt --model NAME``: segment a text file."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from tokenspec_reference.errors import TokenSpecError

ENGINES = {
    "forced-decoder": "RTLLMForcedDecoderBased",
    "surprisal": "RTLLMSurprisal",
    "entropy": "RTLLMEntropy",
    "top-k-shift": "RTLLMTopKShift",
    "flatness-break": "RTLLMFlatnessBreak",
    "rule-regex": "RTRuleRegex",
    "new-line": "RTNewLine",
    "new-line-verbose": "RTNewLineVerbose",
    "plain": "RTPlainSegmenter",
    "semantic-shift": "RTEmbeddingBasedSemanticShift",
    "entailment": "RTEntailmentBasedSegmentation",
    "zero-shot": "RTZeroShotSeqClassification",
    "zero-shot-rf": "RTZeroShotSeqClassificationRF",
    "zero-shot-ta": "RTZeroShotSeqClassificationTA",
    "topics": "RTBERTopicSegmentation",
    "rewards": "RTPRMBase",
    "argument": "RTLLMArgument",
    "reasoning-flow": "RTLLMReasoningFlow",
    "thought-anchor": "RTLLMThoughtAnchor",
    "unit-groups": "RTLLMSegUnitBased",
    "offsets": "RTLLMOffsetBased",
}
FUSIONS = {
    "voting": "OffsetFusionVoting",
    "merge": "OffsetFusionMerge",
    "intersect": "OffsetFusionIntersect",
    "fuzzy": "OffsetFusionFuzzy",
    "graph": "OffsetFusionGraph",
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("trace_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--model", "model_name", help="Hub name or local directory of a causal language model.")
@click.option(
    "--engine",
    "engines",
    multiple=True,
    type=click.Choice(list(ENGINES)),
    default=("forced-decoder",),
    show_default=True,
    help="Repeat for several engines.",
)
@click.option("--fusion", type=click.Choice(list(FUSIONS)), help="Required for several engines.")
@click.option(
    "--unit",
    type=click.Choice(["clause", "sent"]),
    default="clause",
    show_default=True,
    help="Base unit of the rule engines.",
)
@click.option("--quantile", type=float, help="Percentile of the scores that makes the threshold.")
@click.option("--alpha", type=float, help="Weight of the gap.")
@click.option("--beta", type=float, help="Weight of the punctuation prior.")
@click.option("--sep-tok", help="The separator that competes.")
@click.option("--score-mode", type=click.Choice(["normalized", "upstream_literal"]))
@click.option("--cache-policy", help="none, window:M or legacy_head:M.")
@click.option("--system-prompt", help="The system turn of the prompt.")
@click.option(
    "--system-role", type=click.Choice(["system", "merge"]), help="merge: for templates without a system role."
)
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default where it fits.")
@click.option("--dtype", default="auto", show_default=True, help="auto, float32, bfloat16, ...")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the JSON here instead of to standard output.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw trace, boundaries and scores (PNG, SVG or PDF; needs matplotlib).",
)
@click.option("--text", is_flag=True, help="Print the segments as text instead of JSON.")
@click.option("--no-progress", is_flag=True, help="No progress bar.")
def main(
    trace_file: Path,
    model_name: str | None,
    engines: tuple[str, ...],
    fusion: str | None,
    unit: str,
    device: str | None,
    dtype: str,
    output: Path | None,
    picture: Path | None,
    text: bool,
    no_progress: bool,
    **options: Any,
) -> None:
    """Segment the reasoning trace in TRACE_FILE (UTF-8) and give its offsets in code points."""
    try:
        trace = trace_file.read_bytes().decode("utf-8")
        result = _segment(trace, model_name, engines, fusion, unit, device, dtype, not no_progress, options)
        if picture is not None:
            from tokenspec_reference.engines.picture import draw

            draw(trace, result, picture)
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{trace_file} is not UTF-8 ({error.reason} at byte {error.start})") from error
    except TokenSpecError as error:
        raise click.ClickException(str(error)) from error
    if text:
        rendered = "".join(f"[{start}, {end}) {trace[start:end]!r}\n" for start, end in result.offsets)
    else:
        rendered = json.dumps(_as_json(trace_file, engines, result), ensure_ascii=False, indent=2) + "\n"
    if output is None:
        sys.stdout.write(rendered)
    else:
        _write(output, rendered)


def _segment(
    trace: str,
    model_name: str | None,
    engines: tuple[str, ...],
    fusion: str | None,
    unit: str,
    device: str | None,
    dtype: str,
    progress: bool,
    options: dict[str, Any],
) -> Any:
    import tokenspec_reference.engines as package
    from tokenspec_reference.engines.loading import load_model

    chosen = {name: value for name, value in options.items() if value is not None}
    segmenter = package.RTSeg(
        [getattr(package, ENGINES[engine]) for engine in engines],
        aligner=getattr(package, FUSIONS[fusion]) if fusion else None,
        seg_base_unit="sent" if unit == "sent" else "clause",
    )
    if model_name is not None:
        model, tokenizer = load_model(model_name, device=device, dtype=dtype)
        chosen |= {"model": model, "tokenizer": tokenizer}
    return segmenter.segment(trace, progress=progress, **chosen)


def _as_json(trace_file: Path, engines: tuple[str, ...], result: Any) -> dict[str, Any]:
    curve = result.curve
    return {
        "trace": trace_file.name,
        "engines": list(engines),
        "offsets": [list(pair) for pair in result.offsets],
        "labels": result.labels,
        "threshold": curve.threshold if curve else None,
        "margin": result.margin,
        "close": list(result.close),
        "forwards": result.forwards,
    }


def _write(path: Path, text: str) -> None:
    """The old file or the new one, never half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    Path(temporary).replace(path)


if __name__ == "__main__":
    main(prog_name="python -m tokenspec_reference.engines")
