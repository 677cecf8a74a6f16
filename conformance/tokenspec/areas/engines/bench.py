"""Engines: the fast exact forced decoder against its sequential twin, forwards counted, boundaries compared."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tokenspec.benchmark import Bench, Figure, measure
from tokenspec.models import AssetsMissing, load

TOKENS = 1000
WORDS = [
    "first",
    "then",
    "we",
    "add",
    "the",
    "sum",
    "of",
    "two",
    "numbers",
    "and",
    "check",
    "that",
    "it",
    "holds",
    "so",
    "five",
    "minus",
    "three",
    "is",
    "what",
    "remains",
    "but",
    "wait",
    "maybe",
    "this",
    "term",
    "was",
    "counted",
    "twice",
    "let",
    "us",
    "reconsider",
    "because",
    "each",
    "side",
    "must",
    "agree",
    "therefore",
    "the",
    "answer",
    "follows",
]
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "tiny, toy vocabulary": ("toy-bpe", {"hidden": 64, "intermediate": 256}),
    "tiny, 152k vocabulary": ("qwen3", {"hidden": 64, "intermediate": 256}),
}
POLICIES = ("window:256", "legacy_head:256")
TARGET = 1 / 15
CALM: dict[str, Any] = {"hidden": 256, "intermediate": 1024, "layers": 4, "scale": 2.0**-4, "positions": 2**15}
"""Its gaps are moved little by a separator, as those of a trained one; of wilder ones many guesses are wrong."""
WILD: dict[str, Any] = {**CALM, "scale": 2.0**-3}
WIDE: dict[str, Any] = {**CALM, "hidden": 512, "intermediate": 2048, "layers": 6, "heads": 8, "scale": 2.0**-3.5}
"""As wild, and wide enough that a token costs arithmetic and not the calls that make it, as those people use."""
LENGTHS = {1000: 3, 4000: 3, 8000: 1}
"""Tokens of a trace, and how many rounds it is worth."""
PLAIN_FORWARDS = (
    ("calm", CALM, LENGTHS, (1000, 4000)),
    ("wilder", WILD, LENGTHS, ()),
    ("wide", WIDE, {1000: 3, 4000: 1}, (1000, 4000)),
)
"""Each with the lengths at which both passes are bound by plain forwards."""
AT_MOST, OF_THE_LEAST = 3.0, 2.0
BLOCK = 512
TRACES, SHORT = 32, 25


def trace_of(tokenizer: Any, tokens: int) -> str:
    """Seeded sentences of exactly ``tokens`` tokens, or one or two fewer."""
    rng = random.Random(1)
    text = ""
    while True:
        longer = (
            text
            + " ".join(rng.choice(WORDS) for _ in range(rng.randint(4, 12)))
            + rng.choice([". ", ", ", ".\n", "? "])
        )
        ids = tokenizer.encode(longer, add_special_tokens=False)
        if len(ids) >= tokens:
            return str(tokenizer.decode(ids[:tokens]))
        text = longer


class Contest:
    """Both algorithms on one model; the last results are kept for comparison."""

    def __init__(self, model: Any, row: Any, trace: str, **options: Any) -> None:
        """Prepare the call."""
        self.results: dict[str, Any] = {}
        self.trace = trace
        self.options = {"model": model, "tokenizer": row.tokenizer, "chat_template": row.chat_template, **options}

    def run(self, algorithm: Any) -> None:
        """One segmentation."""
        from tokenspec_reference.engines import RTLLMForcedDecoderBased

        engine = RTLLMForcedDecoderBased()
        self.results[algorithm] = engine.segment(self.trace, algorithm=algorithm, **self.options)

    def figure(self, what: str, times: dict[str, float], limit: float | None = TARGET) -> Figure:
        """The ratio, and whether the boundaries are the same ones."""
        fast, twin = self.results["fast"], self.results["sequential"]
        same = "same boundaries" if fast.offsets == twin.offsets else "DIFFERENT BOUNDARIES"
        return Figure(
            what=what,
            ours=times["fast"],
            peer=times["sequential"],
            peer_name="sequential twin",
            limit=limit,
            note=f"{fast.forwards} forwards instead of {twin.forwards}; {len(fast.offsets)} segments, {same}, "
            f"margin {twin.margin:.1e}",
        )


def run() -> Iterator[Figure]:
    """Two vocabularies, then the cache policies, then a 0.5B shape where there is a GPU."""
    import torch

    from tokenspec_reference.engines.tiny_model import TinyModel

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for name, (row_id, shape) in MODELS.items():
            try:
                row = load(row_id)
            except AssetsMissing:
                continue
            size = max(row.tokenizer.get_vocab().values()) + 1
            model = TinyModel(size, seed=1, **shape).build()
            trace = trace_of(row.tokenizer, TOKENS)
            for policy in ("none", *(POLICIES if row_id.startswith("toy") else ())):
                contest = Contest(model, row, trace, cache_policy=policy, quantile=92.5)
                yield timed(contest, f"{TOKENS} tokens, {name}, cache {policy}", TARGET if policy == "none" else None)
        yield from against_plain_forwards()
        yield from of_many()
    finally:
        torch.set_num_threads(threads)
    if torch.cuda.is_available():
        yield on_gpu()


def timed(contest: Contest, what: str, limit: float | None) -> Figure:
    """Three interleaved rounds of both; the bound is for the default policy."""
    times = measure(
        {name: lambda name=name: contest.run(name) for name in ("fast", "sequential")},  # type: ignore[misc]
        rounds=3,
        warmup=0,
    )
    return contest.figure(what, times, limit)


def against_plain_forwards() -> Iterator[Figure]:
    """Both passes, prompt and tokenizer included, in forwards of the same context that do nothing else; and beside the
    least that any decoder can read: the context once, and everything behind the first cut once more.
    """
    from tokenspec_reference.engines.tiny_model import TinyModel

    row = load("toy-bpe")
    size = max(row.tokenizer.get_vocab().values()) + 1
    for kind, shape, lengths, bounded in PLAIN_FORWARDS:
        model = TinyModel(size, seed=1, **shape).build()
        for tokens, rounds in lengths.items():
            race = Race(model, row, trace_of(row.tokenizer, tokens))
            runs = {"fast": race.fast, "plain": race.plain, "least": race.least}
            times = measure(runs, rounds=rounds, warmup=0)
            result = race.contest.results["fast"]
            what = f"both passes over {tokens} tokens of a {kind} model"
            yield Figure(
                what=f"{what}, in plain forwards",
                ours=times["fast"],
                peer=times["plain"],
                peer_name="one forward of prompt and trace",
                limit=AT_MOST if tokens in bounded else None,
                note=f"{result.forwards} forwards, {len(result.offsets)} segments, pass 2 departs from what pass 1 "
                f"foretold at {departures(result.curve)} tokens",
            )
            yield Figure(
                what=f"{what}, against the answer known",
                ours=times["fast"],
                peer=times["least"],
                peer_name="the context, and all behind the first cut with its separators",
                limit=OF_THE_LEAST,
                note=f"that is {times['least'] / times['plain']:.1f} plain forwards; {race.read} tokens read, at least "
                f"{race.needed}: {race.read / race.needed:.2f}",
            )


class Race:
    """Both passes over a trace, a plain forward of the same context, and the least of both with the answer known."""

    def __init__(self, model: Any, row: Any, trace: str) -> None:
        """Decode once: the answer is read off."""
        from tokenspec_reference.engines.causal_model import CausalModel
        from tokenspec_reference.engines.prompt import DEFAULT_SYSTEM_PROMPT, prompt_ids
        from tokenspec_reference.engines.separators import resolve_separators

        self.separator = resolve_separators(row.tokenizer, "<|seg|>", texts=()).inserted
        self.source = CausalModel(model, separator_id=self.separator)
        self.contest = Contest(self, row, trace)
        self.before = prompt_ids(row.tokenizer, DEFAULT_SYSTEM_PROMPT, trace, chat_template=row.chat_template)
        self.ids = row.tokenizer.encode(trace, add_special_tokens=False)
        self.read = 0
        self.fast()
        self.cuts = [start for start, _ in self.contest.results["fast"].token_spans[1:]]
        self.least()

    def __getattr__(self, name: str) -> Any:
        """A source of sessions, but for what is counted."""
        return getattr(self.source, name)

    def open_rows(self, *arguments: Any) -> Any:
        """A session whose tokens are counted."""
        session = self.source.open_rows(*arguments)
        read = session.read

        def counted(token_ids: Any, keep: int) -> Any:
            self.read += len(token_ids)
            return read(token_ids, keep)

        session.read = counted  # type: ignore[method-assign]
        return session

    def fast(self) -> None:
        """Both passes."""
        self.read = 0
        self.contest.run("fast")

    def plain(self) -> None:
        """One forward of the prompt and the trace."""
        import torch

        with torch.inference_mode():
            self.source.model(input_ids=torch.tensor([[*self.before, *self.ids]]))

    def least(self) -> None:
        """Pass 1, and once more what is behind the first cut."""
        from tokenspec_reference.engines.sessions import CachePolicy

        session = self.source.open_rows(CachePolicy(), len(self.before))
        session.read([*self.before, *self.ids[:-1]], len(self.ids))
        edges = [*self.cuts, len(self.ids) - 1]
        behind = [token for start, end in pairwise(edges) for token in (self.separator, *self.ids[start:end])]
        session.rewind(len(self.ids) - 1 - edges[0])
        for start in range(0, len(behind), BLOCK):
            session.read(behind[start : start + BLOCK], 1)
        self.needed = len(self.before) + len(self.ids) - 1 + len(behind)


def departures(curve: Any) -> int:
    """At how many tokens one pass is above the threshold and the other is not: each takes a forward to find out."""
    both = zip(curve.scores, curve.decided, strict=True)
    return sum((one > curve.threshold) != (other > curve.threshold) for one, other in both if other is not None)


def of_many() -> Iterator[Figure]:
    """Short traces together and one by one, these with all that is remembered and without."""
    from tokenspec_reference.engines import RTLLMForcedDecoderBased
    from tokenspec_reference.engines.remembered import forget
    from tokenspec_reference.engines.tiny_model import TinyModel

    try:
        row = load("qwen3")
    except AssetsMissing:
        return
    model = TinyModel(max(row.tokenizer.get_vocab().values()) + 1, seed=1, hidden=64, intermediate=256).build()
    words = trace_of(row.tokenizer, 2 * TRACES * SHORT).split()
    traces = [" ".join(words[start : start + SHORT]) for start in range(0, TRACES * SHORT, SHORT)]
    options = {"model": model, "tokenizer": row.tokenizer, "chat_template": row.chat_template}
    engine = RTLLMForcedDecoderBased()
    found: dict[str, list[Any]] = {}

    def alone(*, anew: bool) -> None:
        found["alone"] = []
        for trace in traces:
            if anew:
                forget()
            found["alone"].append(engine.segment(trace, **options).offsets)

    def together() -> None:
        found["together"] = [each.offsets for each in engine.segment_many(traces, **options)]

    together()  # what is remembered is remembered from here on
    times = measure({"together": together, "alone": lambda: alone(anew=False)}, rounds=9)
    times |= measure({"anew": lambda: alone(anew=True)}, rounds=1, warmup=0)
    same = "same boundaries" if found["alone"] == found["together"] else "DIFFERENT BOUNDARIES"
    for peer, name, limit in (
        ("anew", "one by one, each prepared anew", 1 / 3),
        ("alone", "one by one, prepared once", 1 / 3),
    ):
        yield Figure(
            what=f"{TRACES} traces of {SHORT} words together, 152k vocabulary",
            ours=times["together"],
            peer=times[peer],
            peer_name=name,
            limit=limit,
            note=same,
        )


def on_gpu() -> Figure:
    """The shape of Qwen2.5-0.5B with random weights, float32, TF32 off; tokens per second in the note."""
    import dataclasses
    import time

    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    row = load("toy-bpe")
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    config = Qwen2Config(
        vocab_size=151_936,
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        max_position_embeddings=32_768,
        tie_word_embeddings=True,
    )
    with torch.device("cuda"):
        model = Qwen2ForCausalLM(config).float().eval()
    contest = Contest(model, row, trace_of(row.tokenizer, TOKENS))
    contest.run("fast")
    times: dict[str, float] = {}
    for algorithm in ("fast", "sequential"):
        torch.cuda.synchronize()
        start = time.perf_counter()
        contest.run(algorithm)
        torch.cuda.synchronize()
        times[algorithm] = time.perf_counter() - start
    figure = contest.figure(f"{TOKENS} tokens, 0.5B shape on {torch.cuda.get_device_name()}", times)
    rates = ", ".join(f"{name} {TOKENS / seconds:.0f} tokens/s" for name, seconds in times.items())
    return dataclasses.replace(figure, note=f"{rates}; {figure.note}")


BENCH = Bench(name="engines", title="Engines: forced decoder, fast path against sequential twin", run=run)
