"""Broken decisions: where separators go, what stays in the context, how chunks are rolled back."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tokenspec.areas.engines.mutants.patched import TINY, mutant


def _deciding(*, candidates: bool = True, after: bool = True, first: bool = True) -> Any:
    """The insertion rule without one of its conditions."""

    def replacements() -> Mapping[str, Any]:
        from tokenspec_reference.engines.forced_decode import Decision

        rule = Decision.inserts

        def broken(self: Any, index: int, gap: float, previous: int | None) -> bool:
            if index == 0 and not first:
                return False
            if not candidates:
                ids = list(self.trace.token_ids)
                ids[index] = -1
                seen = replace(self.trace, token_ids=tuple(ids))
                self.trace, whole = seen, self.trace
                try:
                    return rule(self, index, gap, previous)
                finally:
                    self.trace = whole
            return rule(self, index, gap, previous if after else None)

        return {"forced_decode.Decision.inserts": broken}

    return replacements


def _forgets_the_previous_character() -> Mapping[str, Any]:
    from tokenspec_reference.engines.forced_decode import Decision

    rule = Decision.inserts

    def broken(self: Any, index: int, gap: float, previous: int | None) -> bool:
        if self.insertions and self.insertions[-1] == index - 1:
            self.calibration, whole = replace(self.calibration, beta=0.0), self.calibration
            try:
                return rule(self, index, gap, previous)
            finally:
                self.calibration = whole
        return rule(self, index, gap, previous)

    return {"forced_decode.Decision.inserts": broken}


def _pass_one_decides() -> Mapping[str, Any]:
    from tokenspec_reference.engines import forced_decode

    def broken(source: Any, prompt: Any, trace: Any, separators: Any, settings: Any, **_: Any) -> Any:
        session, gaps = forced_decode.read_gaps(source, prompt, trace, separators, settings.cache_policy)
        calibration = forced_decode.calibrate_trace(gaps, trace, settings, source.epsilon)
        decision = forced_decode.Decision(trace, separators, calibration)
        start = 0
        while (hit := decision.first(gaps[start:], start, trace.token_ids[start - 1] if start else None)) is not None:
            decision.insertions.append(hit)
            start = hit + 1
        return decision.result(session.forwards)

    return {"forced_decoder.decode_fast": broken}


def _rewinds(session: str) -> Any:
    """Rolling back takes one token too few."""

    def replacements() -> Mapping[str, Any]:
        from importlib import import_module

        module, name = session.split(".")
        original = getattr(import_module(f"tokenspec_reference.engines.{module}"), name).rewind

        def broken(self: Any, count: int) -> None:
            original(self, max(0, count - 1))

        return {f"{session}.rewind": broken}

    return replacements


def _policies(change: Any) -> Any:
    """Another reading of the cache policy."""

    def replacements() -> Mapping[str, Any]:
        from tokenspec_reference.engines.sessions import CachePolicy

        parse = CachePolicy.parse

        def broken(text: str, *, max_kv_tokens: int | None = None) -> Any:
            return change(parse, text, max_kv_tokens)

        return {"sessions.CachePolicy.parse": broken}

    return replacements


def _resized(kind: str, step: int) -> Any:
    def change(parse: Any, text: str, limit: int | None) -> Any:
        policy = parse(text, max_kv_tokens=limit)
        return replace(policy, size=max(1, policy.size + step)) if policy.kind == kind else policy

    return _policies(change)


def _as_kind(old: str, new: str, size: int | None = None) -> Any:
    def change(parse: Any, text: str, limit: int | None) -> Any:
        policy = parse(text, max_kv_tokens=limit)
        return replace(policy, kind=new, size=size or policy.size) if policy.kind == old else policy

    return _policies(change)


def _limit_is_a_window(parse: Any, text: str, limit: int | None) -> Any:
    return parse(text) if limit is None else parse(f"window:{limit}")


def _limit_is_ignored(parse: Any, text: str, limit: int | None) -> Any:
    del limit
    return parse(text)


def _no_prompt_part(**changes: Any) -> Any:
    """A prompt without one of its parts."""

    def replacements() -> Mapping[str, Any]:
        from tokenspec_reference.engines.prompt import prompt_ids

        def broken(tokenizer: Any, system_prompt: str, trace: str, **options: Any) -> list[int]:
            return prompt_ids(tokenizer, changes.get("system", system_prompt), changes.get("trace", trace), **options)

        return {"options.prompt_ids": broken}

    return replacements


def _only_half_of_the_prompt() -> Mapping[str, Any]:
    from tokenspec_reference.engines.prompt import prompt_ids

    def broken(*arguments: Any, **options: Any) -> list[int]:
        ids = prompt_ids(*arguments, **options)
        return ids[: max(1, len(ids) - 3)]

    return {"options.prompt_ids": broken}


def _first_piece_is_a_candidate() -> Mapping[str, Any]:
    from tokenspec_reference.engines.separators import resolve_separators

    def broken(tokenizer: Any, sep_tok: str, *, texts: Sequence[str]) -> Any:
        found = resolve_separators(tokenizer, sep_tok, texts=texts)
        pieces = [tokenizer.encode(word, add_special_tokens=False)[0] for word in ("Step", " Step")]
        known = [piece for piece in pieces if piece < len(tokenizer.get_vocab())]
        return replace(found, candidates=tuple(dict.fromkeys([*known, *found.candidates])))

    return {"forced_decoder.resolve_separators": broken}


def _row_of(value: float) -> Any:
    def replacements() -> Mapping[str, Any]:
        def broken(matrix: Any, recipe: str, *, stream: int) -> Any:
            del recipe, stream
            return matrix[0].detach().clone().fill_(value)

        return {"causal_model.separator_row": broken}

    return replacements


def _row_by_name() -> Mapping[str, Any]:
    from tokenspec_reference.engines.forced_decoder import RTLLMForcedDecoderBased

    segment = RTLLMForcedDecoderBased.segment

    def broken(self: Any, trace: str, *, sep_tok: str = "<|seg|>", separator_row: str = "mean", **options: Any) -> Any:
        recipe = separator_row if sep_tok == "<|seg|>" else f"hash:{len(sep_tok)}"
        return segment(self, trace, sep_tok=sep_tok, separator_row=recipe, **options)

    setattr(broken, "__signature__", inspect.signature(segment))  # noqa: B010 - RTSeg routes options by signature
    return {"forced_decoder.RTLLMForcedDecoderBased.segment": broken}


MUTANTS = (
    mutant(
        "before-a-candidate", "ENG-031", "inserts before a trace token that is a separator", _deciding(candidates=False)
    ),
    mutant("after-a-separator", "ENG-031", "inserts right after a separator of the trace", _deciding(after=False)),
    mutant("never-before-token-zero", "ENG-032", "no invisible first insertion", _deciding(first=False)),
    mutant("pass-one-decides", "ENG-032", "inserted separators change nothing", _pass_one_decides),
    mutant("prior-forgotten", "ENG-022 ENG-032", "no prior after an insertion", _forgets_the_previous_character),
    mutant(
        "rollback-short-table",
        "ENG-053",
        "one token too few is rolled back",
        _rewinds("scripted_model.ScriptedSession"),
    ),
    mutant(
        "rollback-short-cache",
        "ENG-053",
        "one cache entry too few is rolled back",
        _rewinds("chunk_session.ChunkSession"),
        rows=TINY,
    ),
    mutant(
        "none-is-a-window",
        "ENG-040",
        "the default context is limited to 48 entries",
        _as_kind("none", "window", 48),
        rows=TINY,
    ),
    mutant("window-one-more", "ENG-041", "one entry too many stays", _resized("window", 1), rows=TINY),
    mutant("window-one-less", "ENG-041", "one entry too few stays", _resized("window", -1), rows=TINY),
    mutant("window-is-legacy", "ENG-041", "the window crops the head", _as_kind("window", "legacy_head"), rows=TINY),
    mutant("legacy-is-window", "ENG-042", "the crop keeps the tail", _as_kind("legacy_head", "window"), rows=TINY),
    mutant("legacy-one-more", "ENG-042", "crop off by one", _resized("legacy_head", 1), rows=TINY),
    mutant("limit-is-a-window", "ENG-043", "max_kv_tokens means a window", _policies(_limit_is_a_window), rows=TINY),
    mutant("limit-is-ignored", "ENG-043", "max_kv_tokens does nothing", _policies(_limit_is_ignored), rows=TINY),
    mutant("no-system-turn", "ENG-010", "the system prompt is left out", _no_prompt_part(system=""), rows=TINY),
    mutant("no-trace-in-prompt", "ENG-010", "the user turn is empty", _no_prompt_part(trace=""), rows=TINY),
    mutant(
        "prompt-cut-short",
        "ENG-010",
        "the end of the generation prompt is missing",
        _only_half_of_the_prompt,
        rows=TINY,
    ),
    mutant("no-step", "ENG-011", "Step is no candidate", {"separators.STEP_WORDS": ()}),
    mutant("first-piece-of-step", "ENG-011", "the first piece of Step is a candidate", _first_piece_is_a_candidate),
    mutant("row-of-zeros", "ENG-012", "the new separator has a row of zeros", _row_of(0.0), rows=TINY),
    mutant("row-by-name", "ENG-013", "the new row depends on the separator's name", _row_by_name, rows=TINY),
)
