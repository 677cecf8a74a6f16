"""``tokenspec-segment TRACE.txt --model NAME``: segment a text, or every line of a JSON lines file."""

from __future__ import annotations

import contextlib
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
@click.argument("trace_file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--jsonl", is_flag=True, help="One JSON object a line, in and out; so is a file whose name ends in .jsonl."
)
@click.option("--field", default="trace", show_default=True, help="Where the text of such a line is.")
@click.option("--resume", is_flag=True, help="Go on behind the lines that --output has already.")
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
    help="Write the JSON here instead of to standard output; lines are added as they come.",
)
@click.option(
    "--picture",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A page (.html) of tokens, boundaries and scores; or a drawing (PNG, SVG or PDF; needs matplotlib).",
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
    jsonl: bool,
    field: str,
    resume: bool,
    **options: Any,
) -> None:
    """Segment the reasoning trace in TRACE_FILE (UTF-8; - is standard input) and give its offsets in code points.

    With --jsonl every line is a trace: {"trace": "...", ...} becomes {..., "offsets": [...], "token_spans": [...]}.
    """
    lines = jsonl or trace_file.suffix == ".jsonl"
    if (resume and (not lines or output is None)) or (lines and (text or picture is not None)):
        raise click.UsageError("--resume needs lines and --output; --text and --picture need one trace")
    try:
        segmenter, chosen = _segmenter(model_name, engines, fusion, unit, device, dtype, options)
        if lines:
            _lines(trace_file, output, field, resume, segmenter, chosen, bar=not no_progress)
            return
        trace = _bytes(trace_file).decode("utf-8")
        result = segmenter.segment(trace, progress=not no_progress, **chosen)
        if picture is not None:
            _picture(trace, result, picture, trace_file.name)
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


def _segmenter(
    model_name: str | None,
    engines: tuple[str, ...],
    fusion: str | None,
    unit: str,
    device: str | None,
    dtype: str,
    options: dict[str, Any],
) -> tuple[Any, dict[str, Any]]:
    """The engines, and what each call is given: the model is loaded once."""
    import tokenspec_reference.engines as package
    from tokenspec_reference.engines.loading import load_model
    from tokenspec_reference.engines.local_models import kind_of

    chosen = {name: value for name, value in options.items() if value is not None}
    kinds = [getattr(package, ENGINES[engine]) for engine in engines]
    segmenter = package.RTSeg(
        kinds,
        aligner=getattr(package, FUSIONS[fusion]) if fusion else None,
        seg_base_unit="sent" if unit == "sent" else "clause",
        max_kv_tokens=None,
    )
    if model_name is not None:
        questions = {getattr(kind, "question", "reply") for kind in kinds}
        if len({kind_of(question) for question in questions}) > 1:
            raise click.UsageError("these engines read models of different kinds; run them one after the other")
        model, tokenizer = load_model(model_name, device=device, dtype=dtype, kind=kind_of(questions.pop()))
        chosen |= {"model": model, "tokenizer": tokenizer}
    return segmenter, chosen


def _picture(trace: str, result: Any, path: Path, title: str) -> None:
    """A page, or a drawing; what the drawing cannot show is said."""
    if path.suffix in (".html", ".htm"):
        from tokenspec_reference.engines.page import page

        _write(path, page(trace, result, title=title))
        return
    from tokenspec_reference.engines.picture import draw

    lacking = draw(trace, result, path)
    if lacking:
        signs = " ".join(f"{sign} (U+{ord(sign):04X})" for sign in lacking)
        click.echo(f"no installed font has {signs}; a page (--picture {path.stem}.html) shows them", err=True)


def _bytes(trace_file: Path) -> bytes:
    return sys.stdin.buffer.read() if str(trace_file) == "-" else trace_file.read_bytes()


def _lines(
    trace_file: Path,
    output: Path | None,
    field: str,
    resume: bool,
    segmenter: Any,
    chosen: dict[str, Any],
    *,
    bar: bool,
) -> None:
    """Every line of the input, in order; each is written before the next are read."""
    from tokenspec_reference.engines.progress import progress_bar
    from tokenspec_reference.engines.service import done_lines, segment_lines

    standard = str(trace_file) == "-"
    total = 0 if standard else sum(1 for _ in trace_file.open("rb"))
    skip = done_lines(output) if resume and output is not None else 0
    with contextlib.ExitStack() as stack:
        source = sys.stdin.buffer if standard else stack.enter_context(trace_file.open("rb"))
        target: Any = sys.stdout
        if output is not None:
            target = stack.enter_context(output.open("a" if resume else "w", encoding="utf-8", newline="\n"))
        tell = stack.enter_context(progress_bar("traces", shown=bar and not standard))
        segmented = segment_lines(source, lambda texts: segmenter.segment_many(texts, **chosen), field=field, skip=skip)
        for number, line in enumerate(segmented, skip + 1):
            target.write(line + "\n")
            target.flush()
            tell(number, total)


def _as_json(trace_file: Path, engines: tuple[str, ...], result: Any) -> dict[str, Any]:
    from tokenspec_reference.engines.service import as_json

    return {"trace": trace_file.name, "engines": list(engines), **as_json(result)}


def _write(path: Path, text: str) -> None:
    """The old file or the new one, never half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
    Path(temporary).replace(path)


if __name__ == "__main__":
    main(prog_name="python -m tokenspec_reference.engines")
