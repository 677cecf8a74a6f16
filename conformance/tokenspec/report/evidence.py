"""What a failing cell is shown with: the tokens expected and got, or the fields, cut to a bounded window.

Only cells with something to look at carry evidence, so a report of a whole run stays small.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from tokenspec.model import decode_mask
from tokenspec.report.lines import cut_lines, lines_of

if TYPE_CHECKING:
    from tokenspec.areas.bridge import BridgeExpect, BridgeOutput
    from tokenspec.areas.render import RenderExpect, RenderOutput
    from tokenspec.checks import Subject

WINDOW = 300
"""Tokens kept before and after the first difference."""

LONGEST_INPUT = 20_000
"""Characters kept of a case's input."""

Label = tuple[str, int | None]


class Tokens(msgspec.Struct, frozen=True, omit_defaults=True):
    r"""A run of tokens, cut to a window.

    Attributes:
        ids: the token ids of the window.
        pieces: what each id spells; bytes that are no whole character are written ``\xe2\x82``.
        owners: runs of ``[kind, message index or null, tokens]`` that tile the window. Kinds: ``scaffold``,
            ``content``, ``sampled``, ``prompt`` (generation prompt), ``prior`` (the part a bridge was given),
            ``unattributed`` (nobody said).
        start: the index of the first token of the window.
        total: how many tokens there are in all.
    """

    ids: list[int]
    pieces: list[str]
    owners: list[tuple[str, int | None, int]]
    start: int = 0
    total: int = 0

    def labels(self) -> list[Label]:
        """Kind and message of each token of the window."""
        return [(kind, message) for kind, message, count in self.owners for _ in range(count)]


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What one cell is shown with. ``input`` is the case's input as JSON text; the lines are fields, one a line."""

    input: str = ""
    expected: Tokens | None = None
    got: Tokens | None = None
    expected_lines: list[str] = []
    got_lines: list[str] = []


def evidence_of(subject: Subject) -> Evidence:
    """What to show of a cell: tokens for the areas that make token lists, fields for every area."""
    from tokenspec.areas.bridge import BridgeExpect
    from tokenspec.areas.render import RenderExpect

    expected: tuple[list[int], list[Label]] | None = None
    got: tuple[list[int], list[Label]] | None = None
    if isinstance(subject.expect, RenderExpect):
        expected = subject.expect.token_ids, labels_expected(subject.expect)
        got = None if subject.output is None else labelled(subject.output)
    elif isinstance(subject.expect, BridgeExpect):
        expected = bridge_expected(subject.expect)
        got = None if subject.output is None else labelled(subject.output, prior=prior_length(subject.expect))
    wanted, given = windows(subject, expected, got) if expected is not None else (None, None)
    show_fields = wanted is None and subject.output is not None
    want_lines = lines_of(msgspec.to_builtins(subject.expect)) if show_fields and subject.expect is not None else []
    got_lines = lines_of(msgspec.to_builtins(subject.output)) if show_fields else []
    want_lines, got_lines = cut_lines(want_lines, got_lines)
    return Evidence(
        input=input_text(subject.input), expected=wanted, got=given, expected_lines=want_lines, got_lines=got_lines
    )


def input_text(value: object) -> str:
    """The input as indented JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    if len(text) <= LONGEST_INPUT:
        return text
    return f"{text[:LONGEST_INPUT]}\n... {len(text) - LONGEST_INPUT} more characters"


def labels_expected(expect: RenderExpect) -> list[Label]:
    """Per token of the oracle its kind and message: the masks where they are given, else the spans."""
    spans: list[Label] = [(kind, message) for kind, message, count, _ in expect.spans for _ in range(count)]
    spans += [("unattributed", None)] * (len(expect.token_ids) - len(spans))
    spans = spans[: len(expect.token_ids)]
    if expect.sampled is None or expect.is_content is None:
        return spans
    masks = zip(spans, decode_mask(expect.sampled), decode_mask(expect.is_content), strict=True)
    return [(kind_by(kind, sampled=sampled, body=body), message) for (kind, message), sampled, body in masks]


def kind_by(outside: str, *, sampled: bool, body: bool) -> str:
    """The kind two masks give a token; ``outside`` is what scaffold is called here."""
    if sampled:
        return "sampled"
    if body:
        return "content"
    return outside if outside in {"prompt", "prior", "unattributed"} else "scaffold"


def labelled(output: RenderOutput | BridgeOutput, *, prior: int = 0) -> tuple[list[int], list[Label]] | None:
    """The ids of an output with the owners it claims; ``unattributed`` where it gives no masks of the right length."""
    ids = output.token_ids
    if ids is None:
        return None
    sampled, body = output.mask("sampled_mask"), output.mask("is_content")
    indices = output.message_indices
    if indices is None or len(indices) != len(ids):
        indices = [-1] * len(ids)
    known = sampled is not None and body is not None and len(sampled) == len(body) == len(ids)
    labels: list[Label] = []
    for position in range(len(ids)):
        outside = "prior" if position < prior else "scaffold" if known else "unattributed"
        in_sampled = bool(sampled and known and sampled[position])
        in_body = bool(body and known and body[position])
        message = indices[position] if indices[position] >= 0 else None
        labels.append((kind_by(outside, sampled=in_sampled, body=in_body), message))
    return list(ids), labels


def prior_length(expect: BridgeExpect) -> int:
    """How many tokens a bridge was given."""
    return len(expect.prompt_ids) + len(expect.completion_ids)


def bridge_expected(expect: BridgeExpect) -> tuple[list[int], list[Label]] | None:
    """One right answer of a bridge: the prior part, the first closer, the suffix. None where none is demanded."""
    if expect.must == "refuse" or not expect.suffix_ids:
        return None
    closer = expect.closers[0] if expect.closers else []
    ids = [*expect.prompt_ids, *expect.completion_ids, *closer, *expect.suffix_ids]
    labels: list[Label] = [("prior", None)] * prior_length(expect)
    labels += [("scaffold", None)] * len(closer)
    labels += [(kind, message) for kind, message, count, _ in expect.spans for _ in range(count)]
    labels += [("scaffold", None)] * (len(ids) - len(labels))
    return ids, labels[: len(ids)]


def windows(
    subject: Subject, expected: tuple[list[int], list[Label]], got: tuple[list[int], list[Label]] | None
) -> tuple[Tokens, Tokens | None]:
    """Both sides, cut to the same window around the first difference."""
    tokenizer = subject.rows[subject.cell.row].tokenizer
    at = 0 if got is None else first_difference(expected, got)
    start, end = max(0, at - WINDOW), at + WINDOW
    return tokens(tokenizer, *expected, start, end), None if got is None else tokens(tokenizer, *got, start, end)


def tokens(
    tokenizer: Any, ids: Sequence[int], labels: Sequence[Label], start: int = 0, end: int | None = None
) -> Tokens:
    """A window of labelled ids with what they spell."""
    shown = list(ids[start:end])
    owners = [(kind, message, len(list(run))) for (kind, message), run in groupby(labels[start:end])]
    return Tokens(shown, pieces(tokenizer, shown), owners, start, len(ids))


def first_difference(expected: tuple[list[int], list[Label]], got: tuple[list[int], list[Label]]) -> int:
    """The index of the first token that differs in id or in owner; the shorter length when one side goes on."""
    pairs = zip(zip(*expected, strict=True), zip(*got, strict=True), strict=False)
    for index, ((want_id, want), (got_id, have)) in enumerate(pairs):
        if want_id != got_id or not same_owner(want, have):
            return index
    return min(len(expected[0]), len(got[0]))


def same_owner(want: Label, have: Label) -> bool:
    """Whether two owners agree: a generation prompt is scaffold, and what nobody claims contradicts nothing."""
    if "unattributed" in {want[0], have[0]}:
        return True
    body = want[0] in {"content", "sampled"}
    if body or have[0] in {"content", "sampled"}:
        return want[0] == have[0] and (have[1] is None or want[1] == have[1])
    return True


def pieces(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """What each id spells; bytes that are no whole character are escaped, an id outside the vocabulary says so."""
    return [spelled.decode("utf-8", "backslashreplace") for spelled in bytes_of(tokenizer, ids)]


def owner_texts(tokenizer: Any, shown: Tokens) -> list[str]:
    """What each run of one owner spells: characters whose bytes lie in several tokens are whole here."""
    spelled = iter(bytes_of(tokenizer, shown.ids))
    runs = [b"".join(next(spelled) for _ in range(count)) for _, _, count in shown.owners]
    return [run.decode("utf-8", "backslashreplace") for run in runs]


def bytes_of(tokenizer: Any, ids: Sequence[int]) -> list[bytes]:
    """The bytes each id stands for."""
    from tokenspec.oracle.token_bytes import has_byte_fallback, piece_bytes

    added, fallback, size = tokenizer.get_added_vocab(), has_byte_fallback(tokenizer), len(tokenizer)

    def spelled(id_: int) -> bytes:
        name = tokenizer.convert_ids_to_tokens(id_) if 0 <= id_ < size else None
        if name is None:
            return f"[no token {id_}]".encode()
        return piece_bytes(name, added=name in added, byte_fallback=fallback)

    known = {id_: spelled(id_) for id_ in set(ids)}
    return [known[id_] for id_ in ids]
