"""The forced decoder over many traces at once: the same decisions, every forward shared by all traces.

Each trace has a row of one cache. A forward appends as many slots to every row; what a row does not need, or took back
after a wrong guess, stays in the cache and is masked. Positions are given, so a slot's place means nothing. What all
prompts begin with, such as a system prompt, is read once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from tokenspec_reference.engines.causal_model import CausalModel
from tokenspec_reference.engines.forced_decode import (
    Decision,
    DecodeSettings,
    ForcedDecode,
    Frontier,
    calibrate_trace,
    chunk_of,
    decide,
    gaps_of,
    predicted,
)
from tokenspec_reference.engines.offsets import TokenizedTrace
from tokenspec_reference.engines.output_head import OutputHead
from tokenspec_reference.engines.pace import Pace
from tokenspec_reference.engines.reading import check_positions, evaluating, input_device
from tokenspec_reference.engines.rows import ChunkRows
from tokenspec_reference.engines.separators import Separators
from tokenspec_reference.engines.sessions import SessionSource


def batches(source: object, settings: DecodeSettings) -> bool:
    """Whether traces may share forwards: a dense mask, full attention, explicit positions, a head that is known."""
    return isinstance(source, CausalModel) and settings.cache_policy.kind == "none" and source.shares_forwards


class BatchSession:
    """Contexts side by side, one at first. ``lengths`` counts what each has read and not taken back."""

    def __init__(self, source: CausalModel, head: OutputHead) -> None:
        import torch

        from tokenspec_reference.engines.growing_cache import growing_cache

        self.source, self.head = source, head
        self.cache = growing_cache()
        self.device = input_device(source.model)
        self.modules = list(source.model.modules())
        self.alive = torch.zeros(1, 0, dtype=torch.long, device=self.device)
        self.lengths = [0]

    def read(self, chunks: Sequence[Sequence[int]], keep: Sequence[int]) -> ChunkRows:
        """Append ``chunks[b]`` to row ``b``; the rows of its last ``keep[b]`` tokens, one ``b`` behind the other."""
        import torch

        size = max(map(len, chunks))
        ids = torch.tensor([[*chunk, *[0] * (size - len(chunk))] for chunk in chunks], device=self.device)
        for length, chunk in zip(self.lengths, chunks, strict=True):
            check_positions(length + len(chunk), self.source.position_limit)
        columns = torch.arange(size, device=self.device)[None]
        real = torch.tensor([len(chunk) for chunk in chunks], device=self.device)[:, None]
        last = torch.tensor(
            [max(0, length + len(chunk) - 1) for length, chunk in zip(self.lengths, chunks, strict=True)]
        )
        positions = torch.minimum(
            torch.tensor(self.lengths, device=self.device)[:, None] + columns, last.to(self.device)[:, None]
        )
        self.alive = torch.cat([self.alive, (columns < real).long()], dim=1)
        with torch.inference_mode(), evaluating(self.source.model, self.modules):
            hidden = self.source.base(
                **self.source.embed(ids),
                attention_mask=self.alive,
                position_ids=positions,
                past_key_values=self.cache,
                use_cache=True,
            ).last_hidden_state.to(self.head.weight.device)
        self.lengths = [length + len(chunk) for length, chunk in zip(self.lengths, chunks, strict=True)]
        kept = [hidden[row, len(chunk) - keep[row] : len(chunk)] for row, chunk in enumerate(chunks)]
        return ChunkRows(self.head, torch.cat(kept))

    def repeat(self, count: int) -> None:
        """Go on with ``count`` rows that have read what the only one has."""
        if self.lengths[0]:
            self.cache.batch_repeat_interleave(count)
        self.alive = self.alive.expand(count, -1)
        self.lengths *= count

    def take_back(self, counts: Sequence[int]) -> None:
        """Forget the last ``counts[b]`` tokens of row ``b``."""
        import torch

        from_the_end = self.alive.flip(1).cumsum(1).flip(1)
        self.alive = self.alive * (from_the_end > torch.tensor(counts, device=self.device)[:, None])
        self.lengths = [length - count for length, count in zip(self.lengths, counts, strict=True)]

    def select(self, rows: Sequence[int]) -> None:
        """Go on with these rows only, and without slots that none of them needs."""
        import torch

        indices = torch.tensor(rows, device=self.device)
        self.cache.batch_select_indices(indices)
        self.alive = self.alive[indices]
        self.lengths = [self.lengths[row] for row in rows]
        needed = self.alive.any(dim=0).nonzero()[:, 0]
        if len(needed) < self.alive.shape[1]:
            self.alive = self.alive[:, needed]
            for layer in self.cache.layers:
                layer.keys, layer.values = layer.keys[..., needed, :], layer.values[..., needed, :]


class TraceState:
    """One trace on its way: its decisions, the latest gaps, and where it stands."""

    def __init__(self, number: int, decision: Decision, gaps: list[float], first: int, forwards: int) -> None:
        self.number, self.decision, self.gaps = number, decision, gaps
        self.state = Frontier(first, pending=True)
        self.forwards = forwards

    @property
    def done(self) -> bool:
        """Whether everything is decided."""
        return self.state.index >= len(self.decision.trace) - 1


def decode_batch(
    source: SessionSource,
    prompts: Sequence[Sequence[int]],
    traces: Sequence[TokenizedTrace],
    separators: Sequence[Separators],
    settings: DecodeSettings,
    pace: Pace,
) -> list[ForcedDecode]:
    """What :func:`decode_fast` gives for each trace of at least one token, up to the rounding of larger products.

    All traces have the same separator.
    """
    if not isinstance(source, CausalModel) or source.head is None:
        raise TypeError("ask `batches` first")
    session = BatchSession(source, source.head)
    shared = _shared([prompt[:-1] for prompt in prompts]) if len(prompts) > 1 else 0
    if shared:
        session.read([prompts[0][:shared]], [0])
    session.repeat(len(traces))
    contexts = [[*prompt[shared:], *trace.token_ids[:-1]] for prompt, trace in zip(prompts, traces, strict=True)]
    found: dict[int, ForcedDecode] = {}
    rows: list[TraceState] = []
    lengths = [len(trace) for trace in traces]
    every = gaps_of(
        session.read(contexts, lengths), separators[0], [id_ for trace in traces for id_ in trace.token_ids]
    )
    taken_back = []
    for number, gaps in enumerate(_apart(every, lengths)):
        trace = traces[number]
        decision = Decision(trace, separators[number], calibrate_trace(gaps, trace, settings, source.epsilon))
        first = decision.first(gaps, 0, None)
        taken_back.append(0 if first is None else len(trace) - 1 - first)
        if first is not None:
            decision.insertions.append(first)
        rows.append(TraceState(number, decision, gaps, len(trace) if first is None else first, 2 if shared else 1))
    session.take_back(taken_back)
    while True:
        going = [place for place, row in enumerate(rows) if not row.done]
        if len(going) < len(rows):
            found |= {row.number: row.decision.result(row.forwards) for row in rows if row.done}
            rows = [rows[place] for place in going]
            if not rows:
                return [found[number] for number in range(len(traces))]
            session.select(going)
        _step(session, rows, pace)


def _shared(prompts: Sequence[Sequence[int]]) -> int:
    """How many tokens all of them begin with."""
    return sum(1 for _ in takewhile(lambda tokens: len(set(tokens)) == 1, zip(*prompts, strict=False)))


def _apart(values: Sequence[float], lengths: Sequence[int]) -> Iterator[list[float]]:
    """What belongs to each of several, one behind the other."""
    rest = iter(values)
    return (list(islice(rest, length)) for length in lengths)


def _step(session: BatchSession, rows: Sequence[TraceState], pace: Pace) -> None:
    """One forward for all rows."""
    chunks = [chunk_of(row.decision, row.state, row.gaps, pace.size()) for row in rows]
    tokens = [chunk for chunk, _ in chunks]
    lengths = [len(chunk) for chunk in tokens]
    next_ids = [
        token
        for row, (chunk, deciding) in zip(rows, chunks, strict=True)
        for token in predicted(row.decision, deciding, len(chunk))
    ]
    every = gaps_of(session.read(tokens, lengths), rows[0].decision.separators, next_ids)
    moved, taken_back = 0, []
    for place, found in enumerate(_apart(every, lengths)):
        row, before = rows[place], rows[place].state.index
        row.state, kept = decide(row.decision, chunks[place][1], found, row.gaps, row.state)
        taken_back.append(lengths[place] - kept)
        row.forwards += 1
        moved += row.state.index - before
    session.take_back(taken_back)
    pace.went(moved // len(rows), max(lengths))
