"""What a tree file must satisfy before it constrains anything.

``strict`` (default) refuses every file whose constraint differs from what its author can have meant;
``lenient`` keeps what the upstream loader keeps and reports it as warnings; ``upstream`` is for reproducing
the pinned upstream behaviour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tokenspec_reference.processors.defects import Rule
from tokenspec_reference.processors.errors import ConfigError, Problem
from tokenspec_reference.processors.tree_json import INT32, pointer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tokenspec_reference.processors.tree_json import RawTree

Mode = Literal["strict", "lenient", "upstream"]
MODES = ("strict", "lenient", "upstream")


@dataclass(frozen=True)
class PrefixToCandidateTokens:
    """A validated tree: prefix string -> candidate ids, ascending and distinct.

    ``prefixes`` are opaque strings built as ``start``, ``start + sep + t0``, ``start + sep + t0 + sep + t1``,
    ... ``vocab_size`` is ``None`` until the tree is bound. ``warnings`` lists what ``lenient`` and
    ``upstream`` let pass.
    """

    start: int
    end: int
    separator: str
    prefixes: Mapping[str, tuple[int, ...]]
    mode: Mode = "strict"
    vocab_size: int | None = None
    warnings: tuple[Problem, ...] = ()

    @property
    def root(self) -> str:
        """The status before the first generated token."""
        return str(self.start)

    def child(self, status: str, token: int) -> str:
        """The status that follows ``token``."""
        return f"{status}{self.separator}{token}"

    def candidates(self, status: str) -> tuple[int, ...]:
        """What may follow ``status``; the end token alone if the prefix is unknown or its list is empty."""
        return self.prefixes.get(status) or (self.end,)


def validate(raw: RawTree, mode: Mode, vocab_size: int | None) -> PrefixToCandidateTokens:
    """Apply the rules of ``mode``. Raises ``ConfigError`` with every defect found; linear in the size of the
    file.
    """
    fatal: list[Problem] = []
    warnings: list[Problem] = []
    for problem in _document_problems(raw, vocab_size):
        always = (
            problem.rule == Rule.END_TOKEN_RANGE and mode != "upstream"
        )  # without it nothing is left to fall back on
        (fatal if mode == "strict" or always else warnings).append(problem)
    prefixes: dict[str, tuple[int, ...]] = {}
    for key, listed in raw.entries.items():
        kept = [token for token in listed if _in_vocabulary(token, None if mode == "upstream" else vocab_size)]
        if mode == "upstream" or len(kept) != len(listed):
            dropped = list(_candidate_problems(key, listed, vocab_size))
            (fatal if mode == "strict" else warnings).extend(dropped)
        prefixes[key] = tuple(sorted(set(kept)))
    store = PrefixToCandidateTokens(raw.start, raw.end, raw.separator, prefixes, mode, vocab_size)
    if not fatal and mode != "upstream":
        (fatal if mode == "strict" else warnings).extend(_unreachable(store))
    if fatal:
        raise ConfigError(fatal)
    return PrefixToCandidateTokens(raw.start, raw.end, raw.separator, prefixes, mode, vocab_size, tuple(warnings))


def reachable(store: PrefixToCandidateTokens) -> set[str]:
    """Prefixes that some allowed rollout passes through, the root included."""
    found = {store.root}
    frontier = [store.root]
    while frontier:
        status = frontier.pop()
        for token in store.candidates(status):
            child = store.child(status, token)
            if token != store.end and child in store.prefixes and child not in found:
                found.add(child)
                frontier.append(child)
    return found


def _document_problems(raw: RawTree, vocab_size: int | None) -> Iterator[Problem]:
    yield from raw.repeated
    yield from raw.unknown
    limit = "the vocabulary" if vocab_size is None else f"[0, {vocab_size})"
    if not _in_vocabulary(raw.start, vocab_size):
        yield Problem("/start_token_id", Rule.START_TOKEN_RANGE, f"{raw.start} is outside {limit}")
    if not _in_vocabulary(raw.end, vocab_size):
        yield Problem("/end_token_id", Rule.END_TOKEN_RANGE, f"{raw.end} is outside {limit}")
    if raw.separator == "":
        yield Problem("/sep", Rule.SEP_EMPTY, 'with no separator "1" + "23" and "12" + "3" are one prefix; use "_"')
    elif any(character.isdigit() or character == "-" for character in raw.separator):
        yield Problem("/sep", Rule.SEP_AMBIGUOUS, 'a separator with a digit or "-" makes prefixes ambiguous; use "_"')
    if not raw.has_prefix_dict:
        yield Problem("", Rule.PREFIX_DICT_MISSING, 'there is no "prefix_dict"; every rollout would end at once')
    elif str(raw.start) not in raw.entries:
        yield Problem(
            "/prefix_dict",
            Rule.ROOT_KEY_MISSING,
            f'there is no key "{raw.start}" with the candidates of the first step; every path ends at once',
        )


def _in_vocabulary(token: int, vocab_size: int | None) -> bool:
    return 0 <= token < (INT32.stop if vocab_size is None else vocab_size)


def _candidate_problems(key: str, listed: list[int], vocab_size: int | None) -> Iterator[Problem]:
    for place, token in enumerate(listed):
        if not _in_vocabulary(token, vocab_size):
            limit = "the 32-bit token ids" if vocab_size is None else f"[0, {vocab_size})"
            rule = Rule.CANDIDATE_NEGATIVE if token < 0 else Rule.CANDIDATE_RANGE
            yield Problem(pointer("prefix_dict", key, place), rule, f"candidate {token} is outside {limit}")


def _unreachable(store: PrefixToCandidateTokens) -> Iterator[Problem]:
    """A key no rollout can reach is an error of its author: say which."""
    found = reachable(store)
    for key in store.prefixes:
        if key not in found:
            yield Problem(pointer("prefix_dict", key), *_why_unreachable(store, key))


def _why_unreachable(store: PrefixToCandidateTokens, key: str) -> tuple[Rule, str]:
    parts = key.split(store.separator) if store.separator else [key]
    if any(not _canonical(part) for part in parts):
        return (
            Rule.KEY_MALFORMED,
            "a prefix is decimal token ids without sign or leading zeros, joined by the separator",
        )
    if int(parts[0]) != store.start:
        return Rule.KEY_START, f"a prefix begins with the start token {store.start}, this one with {parts[0]}"
    if str(store.end) in parts[1:]:
        return Rule.KEY_AFTER_END, f"nothing follows the end token {store.end}, so no prefix contains it"
    parent = store.separator.join(parts[:-1])
    if parent not in store.prefixes:
        return Rule.KEY_ORPHAN, f"its parent {parent!r} has no entry"
    if int(parts[-1]) not in store.prefixes[parent]:
        return Rule.KEY_ORPHAN, f"its last token {parts[-1]} is not a candidate of {parent!r}"
    return Rule.KEY_ORPHAN, f"its parent {parent!r} cannot be reached"


def _canonical(part: str) -> bool:
    return part.isascii() and part.isdigit() and (part == "0" or part[0] != "0")
