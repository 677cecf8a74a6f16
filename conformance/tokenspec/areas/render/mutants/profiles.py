"""Broken renderers, asked in other ways: sampled-boundary ids, isolated encoding, the other normalisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from typing import Any
from unittest.mock import patch

from tokenspec.areas.mutant import Mutant
from tokenspec.areas.render.mutants.texts import Edited, Request, Result, encode_piecewise
from tokenspec_reference.renderers import attribute, chat
from tokenspec_reference.renderers.encode import Encoder

Break = Callable[[], AbstractContextManager[Any]]


class Asked(Edited):
    """Breaks only the answers to one request key, or the code behind them."""

    def __init__(self, key: str, value: str, *, after: Any = None, within: Break | None = None) -> None:
        """``after`` edits the result, ``within`` replaces a part of the reference while it answers."""
        super().__init__(None, None)
        self.key, self.value, self.edit, self.within = key, value, after, within

    def render(self, request: Request) -> Result:
        """The reference's answer, broken where this mutant is asked."""
        if request.get(self.key) != self.value:
            return super().render(request)
        if self.within is not None:
            with self.within():
                return super().render(request)
        result = super().render(request)
        self.edit(request, result, self.models[request["model"]].tokenizer)
        return result


class ClaimsAnything(Edited):
    """Answers as always and says it did what it was asked."""

    def render(self, request: Request) -> Result:
        """Canonical ids under ``hf``, labelled as asked."""
        plain = {**request, "id_profile": "canonical", "encoding": "hf"}
        asked = {"id_profile": request.get("id_profile", "canonical"), "encoding": request.get("encoding", "hf")}
        return {**super().render(plain), **asked}


def line_by_line(request: Request, result: Result, tokenizer: Any) -> None:
    """Cut at every newline too."""
    encode_piecewise(request, result, tokenizer)


def cut_one_token_early(_: Request, result: Result, tokenizer: Any) -> None:
    """The whole first sampled run shares its first token with the opener: encoded from one token further left."""
    start = next((at for at, bit in enumerate(result["sampled_mask"] or []) if bit), 0)
    if start > 1:
        text = tokenizer.decode(result["token_ids"][start - 1 : start + 1])
        joined = tokenizer.encode(text, add_special_tokens=False)
        result["token_ids"][start - 1 : start + 1] = joined


@contextmanager
def unplaced_pieces() -> Iterator[None]:
    """Forget where a piece begins: its tokens get the owners and masks of the first piece."""
    encode = Encoder.encode_piece

    def encode_piece(encoder: Encoder, text: str, start: int) -> Any:
        ids, spans = encode(encoder, text, start)
        return ids, spans and [(low - start, high - start) for low, high in spans]

    with patch.object(Encoder, "encode_piece", encode_piece):
        yield


def spell_out_a_space(_: Request, result: Result, tokenizer: Any) -> None:
    """Defuse control text by changing it."""
    result["text"] = result["text"].replace("<|", "< |").replace("</", "< /")
    result["token_ids"] = tokenizer.encode(result["text"], add_special_tokens=False)


def masks_of_canonical_ids(_: Request, result: Result, tokenizer: Any) -> None:
    """The masks stand as many tokens too early as there are more of them than canonical ones."""
    more = len(result["token_ids"]) - len(tokenizer.encode(result["text"], add_special_tokens=False))
    for name in ("sampled_mask", "is_content"):
        result[name] = [*result[name][more:], *([False] * more)]


@contextmanager
def special_tokens_only() -> Iterator[None]:
    """Isolate special tokens, and leave think and call tags what they spell."""

    def control_ids(encoder: Encoder) -> frozenset[int]:
        return frozenset(i for i, token in encoder._added_entries.items() if token.special)

    with patch.object(Encoder, "control_ids", property(control_ids)):
        yield


@contextmanager
def single_strings_only() -> Iterator[None]:
    """Look for control text inside each string, not across their joints: two parts may spell one together."""

    def literal_matches(encoder: Encoder, text: str, spans: Any) -> Iterator[tuple[int, int]]:
        for match in encoder._control_pattern.finditer(text):
            if not any(s.is_supplied and s.start <= match.start() and match.end() <= s.end for s in spans):
                yield match.span()

    with patch.object(Encoder, "_literal_matches", literal_matches):
        yield


@contextmanager
def bodies_only() -> Iterator[None]:
    """Trust everything that is no body: names, schemas, roles."""

    def literal_matches(encoder: Encoder, text: str, spans: Any) -> Iterator[tuple[int, int]]:
        for match in encoder._control_pattern.finditer(text):
            body = (s for s in spans if s.is_supplied and s.owner >= 0 and (s.is_content or s.is_sampled))
            if not any(s.start < match.end() and match.start() < s.end for s in body):
                yield match.span()

    with patch.object(Encoder, "_literal_matches", literal_matches):
        yield


@contextmanager
def all_text() -> Iterator[None]:
    """Encode the template's own control tokens as plain text too."""
    with patch.object(Encoder, "_literal_matches", lambda *_: iter(())):
        yield


@contextmanager
def no_closing_seam() -> Iterator[None]:
    """Cut where sampled text begins, and forget that it ends."""
    chunks = attribute._chunks

    def merged(text: str, spans: Any, id_profile: Any) -> Iterator[Any]:
        cut = [span.start for before, span in pairwise(spans) if span.is_sampled and not before.is_sampled]
        if id_profile == "canonical" or not cut:
            yield from chunks(text, spans, id_profile)
            return
        for start, end in zip([0, *cut[1:]], [*cut[1:], len(text)], strict=True):
            yield start, end, [span for span in spans if start <= span.start < end]

    with patch.object(attribute, "_chunks", merged):
        yield


@contextmanager
def nulls_in_words() -> Iterator[None]:
    """Write null keys as JSON does: neither left out, as hf5 does it, nor handed over, as hf4 does."""

    def normalise(message: Mapping[str, Any], _: str) -> dict[str, Any]:
        return {key: "null" if value is None else value for key, value in message.items()}

    with patch.object(chat, "normalise", normalise):
        yield


def asked(id_: str, breaks: str, note: str, key: str, value: str, **how: Any) -> Mutant:
    """A mutant of one request key."""
    return Mutant(f"render-{id_}", "render", tuple(breaks.split()), note, lambda: Asked(key, value, **how))


BOUNDARY = ("id_profile", "sampled-boundary")
ISOLATED = ("encoding", "isolated")
EARLIER = ("normalisation", "hf4")

MUTANTS: tuple[Mutant, ...] = (
    Mutant("render-claims-profiles", "render", ("RND-014", "RND-015"), "canonical ids under hf, labelled as asked", lambda: ClaimsAnything(None, None)),
    asked("boundary-every-line", "RND-014", "sampled-boundary ids cut at every newline too", *BOUNDARY, after=line_by_line),
    asked("boundary-merges", "RND-014", "the first sampled token merges with the opener", *BOUNDARY, after=cut_one_token_early),
    asked("boundary-second-turn", "RND-014", "only later turns have a seam", *BOUNDARY, within=no_closing_seam),
    asked("boundary-unplaced", "RND-014", "the masks of later pieces are those of the first", *BOUNDARY, within=unplaced_pieces),
    asked("isolated-special-only", "RND-015", "think and call tags in bodies stay control tokens", *ISOLATED, within=special_tokens_only),
    asked("isolated-single-strings", "RND-015", "two parts together spell a control token", *ISOLATED, within=single_strings_only),
    asked("isolated-bodies-only", "RND-015", "tool names and schemas become control tokens", *ISOLATED, within=bodies_only),
    asked("isolated-everything", "RND-015 RND-016", "the scaffold's control tokens are plain text too", *ISOLATED, within=all_text),
    asked("isolated-moves-masks", "RND-017", "masks are those of fewer tokens", *ISOLATED, after=masks_of_canonical_ids),
    asked("isolated-rewrites", "RND-016", "control text is defused by a blank", *ISOLATED, after=spell_out_a_space),
    asked("normalisation-third", "RND-004", "asked for hf4 null keys become words", *EARLIER, within=nulls_in_words),
)  # fmt: skip
