"""Examples token by token: their rows are prepared once more, and a window of tokens is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from tokenspec.datasets.job import Job
from tokenspec.datasets.outcome import Example
from tokenspec.datasets.recipe import preparer_of, renderer_of
from tokenspec.datasets.shard import Row, prepare_within_bounds
from tokenspec.datasets.source import Shard, read
from tokenspec.report.conversation import STYLES, visible
from tokenspec.report.exhibit import tokens
from tokenspec.verdict import Label, Tokens

OUT_OF_BOUNDS = {"template-limit", "tokenizer-limit"}
"""Findings of rows that are not rendered once more."""

AROUND = 12
"""Tokens shown before and behind the place of a finding in the terminal."""


@dataclass(frozen=True)
class Shown:
    """An example with its tokens; None where the row has none."""

    example: Example
    tokens: Tokens | None


def look(job: Job, shards: Sequence[Shard], examples: Sequence[Example]) -> list[Shown]:
    """Make the tokens of examples again, in their order; each row is read once."""
    wanted = {example.row for example in examples}
    rows: dict[int, Row] = {}
    for shard in shards:
        if any(shard.first <= row < shard.first + shard.count for row in wanted):
            for given in read(job.source, shard, job.largest):
                if given.row in wanted:
                    rows[given.row] = prepare_within_bounds(given, job.recipe)
    made = {row: tokens_of(job, found) for row, found in rows.items()}
    return [Shown(example, made[example.row]) for example in examples]


def tokens_of(job: Job, row: Row) -> Tokens | None:
    """The tokens of a row with their owners, as far as it can be rendered: what was cut is shown, too."""
    from tokenspec_reference.preparation import conversation_of, failed
    from tokenspec_reference.preparation.rendering import render

    if row.given.trouble is not None or OUT_OF_BOUNDS & set(row.codes):
        return None
    preparer = preparer_of(job.recipe)
    try:
        conversation = conversation_of(row.given.record, dict(job.recipe.columns), dict(job.recipe.speakers))
        found = render(preparer.renderer, preparer.encoder, conversation)
    except BaseException as error:  # noqa: BLE001 - preparing said it already as a finding of this row
        failed(error)
        return None
    labels: list[Label] = []
    for run in found.owned:
        is_trained = run.is_sampled and conversation.may_train(run.owner)
        kind = "sampled" if is_trained else "content" if run.is_content else "scaffold"
        labels += [(kind, run.owner if run.owner >= 0 else None)] * (run.end - run.start)
    return tokens(renderer_of(job.recipe).tokenizer, found.token_ids, labels) if labels else None


def token_lines(shown: Shown, width: int) -> list[Text]:
    """The tokens around a finding's place: in order, parted by a stroke, the owner in front of each run."""
    if shown.tokens is None or not shown.tokens.ids:
        return []
    labels, middle = shown.tokens.labels(), shown.example.first_token or 0
    start, end = max(0, middle - AROUND), min(len(labels), middle + 2 * AROUND)
    lines: list[Text] = []
    line, owner = Text(), None
    for piece, label in zip(shown.tokens.pieces[start:end], labels[start:end], strict=True):
        spelled = visible(piece).replace("\n", "")
        if label != owner or line.cell_len + len(spelled) + 1 > width:
            lines.append(line)
            kind = label[0] if label[0] != "sampled" else "trained"
            margin = f"{kind} {'' if label[1] is None else label[1]}" if label != owner else ""
            line, owner = Text().append(f"    {margin:<12}", style="dim"), label
        line.append(spelled, style=STYLES.get(label[0], "")).append("|", style="dim")
    return [*lines[1:], line]
