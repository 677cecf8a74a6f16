"""Broken offsets and labels, state between calls, inputs that are not refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from tokenspec.areas.engines.mutants.patched import TINY, Patched, Request, Result, mutant
from tokenspec.areas.misrefusing import coded, misrefusing, placing
from tokenspec.areas.mutant import Mutant


def _drop_tail(_: Request, result: Result) -> None:
    del result["offsets"][-1:], result["labels"][-1:]


def _lead_with_nothing(_: Request, result: Result) -> None:
    result["offsets"].insert(0, [0, 0])
    result["labels"].insert(0, "UNK")


def _gap(_: Request, result: Result) -> None:
    if len(result["offsets"]) > 1:
        result["offsets"][1][0] += 1


def _in_bytes(request: Request, result: Result) -> None:
    trace = request["trace"]
    result["offsets"] = [[len(trace[:edge].encode()) for edge in pair] for pair in result["offsets"]]


def _one_label_short(_: Request, result: Result) -> None:
    del result["labels"][-1:]


def _numbered(request: Request, result: Result) -> None:
    if not request["given"]:
        result["labels"] = [str(index) for index in range(len(result["labels"]))]


def _shifted_cuts(_: Request, result: Result) -> None:
    for left, right in pairwise(result["offsets"]):
        if right[1] - right[0] > 1:
            left[1] += 1
            right[0] += 1


def _empty_is_one(request: Request, result: Result) -> None:
    if not request["trace"]:
        result["offsets"], result["labels"] = [[0, 0]], ["UNK"]


def _summed_pieces() -> Mapping[str, Any]:
    from tokenspec_reference.engines.offsets import tokenize_trace

    def broken(tokenizer: Any, trace: str) -> Any:
        found = tokenize_trace(tokenizer, trace)
        starts: list[int] = []
        cursor = 0
        for token in found.token_ids:
            starts.append(min(cursor, len(trace)))
            cursor += len(tokenizer.decode([token]))
        return replace(found, starts=tuple(starts), cuttable=tuple(True for _ in starts))

    return {"forced_decoder.tokenize_trace": broken}


def _everything_is_cuttable() -> Mapping[str, Any]:
    from tokenspec_reference.engines.offsets import tokenize_trace

    def broken(tokenizer: Any, trace: str) -> Any:
        found = tokenize_trace(tokenizer, trace)
        return replace(found, cuttable=tuple(True for _ in found.starts))

    return {"forced_decoder.tokenize_trace": broken}


class Sticky(Patched):
    """Parameters of a call become defaults of the next one with the same engines."""

    def __init__(self) -> None:
        """Nothing remembered yet."""
        super().__init__({}, None, None)
        self.remembered: dict[tuple[str, ...], dict[str, Any]] = {}

    def segment(self, request: Request) -> Result:
        """Under everything that was ever asked."""
        defaults = self.remembered.setdefault(tuple(request["engines"]), {})
        defaults.update(request["parameters"])
        return super().segment({**request, "parameters": dict(defaults)})


class Mutating(Patched):
    """The request comes back changed."""

    def __init__(self) -> None:
        """No other edit."""
        super().__init__({}, None, None)

    def segment(self, request: Request) -> Result:
        """Answer, then write into the request."""
        result = super().segment(request)
        request["parameters"]["used"] = True
        return result


def _clip_quantile(request: Request) -> None:
    quantile = request["parameters"].get("quantile")
    if isinstance(quantile, int | float):
        request["parameters"]["quantile"] = min(100.0, max(0.0, quantile))


def _drop_unknown(request: Request) -> None:
    request["parameters"].pop("quantil", None)


def _first_engine_only(request: Request) -> None:
    if request["fusion"] is None and request["engines"]:
        request["engines"], request["given"] = request["engines"][:1], []


def _default_separator(request: Request) -> None:
    if not request["parameters"].get("sep_tok", "x"):
        del request["parameters"]["sep_tok"]


def _merge_silently(request: Request) -> None:
    if request["model"] is not None and request["model"].get("refuses_system"):
        request["parameters"]["system_role"] = "merge"


def _no_template_is_fine(request: Request) -> None:
    if request["model"] is not None and request["model"].get("prompt", "<P>") is None:
        request["model"]["prompt"] = "<P>"


def _unchecked(*_: Any) -> None:
    """No limit."""


def _any_separator() -> Mapping[str, Any]:
    from tokenspec_reference.engines.separators import resolve_separators

    def broken(tokenizer: Any, sep_tok: str, *, texts: Sequence[str]) -> Any:
        known = tokenizer.get_vocab().get(sep_tok)
        if known is not None and tokenizer.encode(sep_tok, add_special_tokens=False) != [known]:
            sep_tok = "<|seg|>"
        return resolve_separators(tokenizer, sep_tok, texts=texts)

    return {"forced_decoder.resolve_separators": broken}


def _nothing_is_close(_: Request, result: Result) -> None:
    result["close"] = []


def _every_cut_is_close(_: Request, result: Result) -> None:
    result["close"] = [start for start, _ in result["offsets"]]


def _close_ends(_: Request, result: Result) -> None:
    """Where the segment before ends, counted from its start: a length instead of a position."""
    starts = {start: end - start for start, end in result["offsets"]}
    result["close"] = sorted(starts.get(position, position) for position in result["close"])


def _forwards_of_nothing(_: Request, result: Result) -> None:
    result["forwards"] = max(1, result["forwards"])


def _forwards_of_one_pass(_: Request, result: Result) -> None:
    result["forwards"] //= 2


def _wide_reach(_: Request, result: Result) -> None:
    if result["reach"] is not None:
        result["reach"] *= 1.001


MUTANTS: tuple[Mutant, ...] = (
    mutant("tail-lost", "ENG-001", "the last segment is missing", after=_drop_tail),
    mutant("empty-segment", "ENG-001", "an empty segment at the start", after=_lead_with_nothing),
    mutant("hole", "ENG-001", "a character between two segments belongs to none", after=_gap),
    mutant("byte-offsets", "ENG-001 ENG-002", "offsets count UTF-8 bytes", after=_in_bytes),
    mutant("cut-inside-token", "ENG-002", "cuts one character late", after=_shifted_cuts),
    mutant("summed-pieces", "ENG-002 ENG-001", "the cursor adds up decoded lengths", _summed_pieces, rows=TINY),
    mutant("cut-inside-character", "ENG-002", "every token may begin a segment", _everything_is_cuttable, rows=TINY),
    mutant("label-short", "ENG-003", "one label is missing", after=_one_label_short),
    mutant("labels-numbered", "ENG-003", "segments are numbered instead of unlabelled", after=_numbered),
    Mutant("engines-sticky-options", "engines", ("ENG-004",), "options of a call stay", Sticky, ("-",)),
    Mutant("engines-writes-request", "engines", ("ENG-004",), "the request is changed", Mutating, ("-",)),
    mutant("empty-is-a-segment", "ENG-050", "the empty trace is one empty segment", after=_empty_is_one),
    mutant("clipped-quantile", "ENG-060", "a quantile out of range is clipped", before=_clip_quantile),
    mutant("swallowed-option", "ENG-060", "unknown options are ignored", before=_drop_unknown),
    mutant(
        "unlimited-positions",
        "ENG-062",
        "no check of the model's positions",
        {"forced_decoder.check_positions": _unchecked, "scripted_model.check_positions": _unchecked},
    ),
    mutant(
        "positions-of-pass-one-only",
        "ENG-062",
        "insertions are not counted",
        {"scripted_model.check_positions": _unchecked},
    ),
    misrefusing(
        "engines",
        "segment",
        "any-reason",
        "ENG-060 ENG-061 ENG-062 ENG-063 ENG-064 ENG-065",
        "one code for all refusals",
        coded("invalid-input"),
    ),
    misrefusing(
        "engines", "segment", "first-place", "ENG-060", "blames one option", placing(lambda _: "/parameters/x")
    ),
    mutant("template-made-up", "ENG-063", "a missing template is replaced by a guess", before=_no_template_is_fine),
    mutant("system-merged-silently", "ENG-063", "a refused system turn is merged unasked", before=_merge_silently),
    mutant(
        "separator-of-pieces",
        "ENG-064",
        "a separator of several tokens falls back to the default",
        _any_separator,
        rows=TINY,
    ),
    mutant("separator-defaulted", "ENG-064", "an empty separator means the default one", before=_default_separator),
    mutant("forwards-of-nothing", "ENG-057", "a forward where no model is", after=_forwards_of_nothing),
    mutant("forwards-of-one-pass", "ENG-057", "one pass is counted", after=_forwards_of_one_pass),
    mutant("reach-wide", "ENG-055", "the reach is rounded up", after=_wide_reach),
    mutant("close-nothing", "ENG-055", "no decision is called close", after=_nothing_is_close, rows=TINY),
    mutant("close-no-error", "ENG-055", "scores have no error", {"near_ties.UNITS": 0}, rows=TINY),
    mutant("close-lengths", "ENG-055", "lengths of segments, not positions", after=_close_ends, rows=TINY),
    mutant("close-everything", "ENG-056", "every cut is called close", after=_every_cut_is_close),
    mutant("close-wide", "ENG-056", "errors a hundred thousand times as large", {"near_ties.UNITS": 8e5}, rows=TINY),
    mutant("first-engine-only", "ENG-065", "without a fusion the first engine wins", before=_first_engine_only),
)
