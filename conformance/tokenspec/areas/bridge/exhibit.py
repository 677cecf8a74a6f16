"""The tokens of a bridge, expected and got."""

from __future__ import annotations

from tokenspec.areas.bridge.records import BridgeExpect, BridgeOutput
from tokenspec.areas.exhibit import Labelled, labelled
from tokenspec.verdict import Label


def exhibit(expect: BridgeExpect, output: BridgeOutput | None) -> tuple[Labelled | None, Labelled | None]:
    """One right answer, and what was given."""
    given = None if output is None else labelled(output, prior=prior_length(expect))
    return bridge_expected(expect), given


def prior_length(expect: BridgeExpect) -> int:
    """How many tokens a bridge was given."""
    return len(expect.prompt_ids) + len(expect.completion_ids)


def bridge_expected(expect: BridgeExpect) -> Labelled | None:
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
