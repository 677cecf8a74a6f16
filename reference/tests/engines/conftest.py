"""Shared models of the engine tests: scripted tables, tiny formula models, toy tokenizers. No weights, no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenspec_reference.engines import ScriptedModel, ScriptedTokenizer

TOY = Path(__file__).parents[3] / "fixtures" / "toy"
PIECES = ("<P>", "<|seg|>", "Step", " Step", "A", " b", " c", ".", " D", " e", ",", "\n")
TRACE = "A b c. D e, b c.\nA b. D e"
LONG_TRACE = (
    "First we add two and three. That gives five, so the sum is five.\n\nNow we check: five minus three is two. "
    "Good! The answer is five; done 😀é.\n"
)


def scripted(trace, gaps, per_separator=0.0, default=-30.0):
    """The facts page's stub: true token 0, separator ``gap_p + n * delta``, everything else -30."""
    tokenizer = ScriptedTokenizer(PIECES)
    rows = [
        {"<|seg|>": float(gap), PIECES[token]: 0.0} for token, gap in zip(tokenizer.encode(trace), gaps, strict=True)
    ]
    model = ScriptedModel(PIECES, tuple(rows) or ({},), per_separator={"<|seg|>": per_separator}, default_logit=default)
    return {"model": model, "tokenizer": tokenizer}


def require_same_but_close(one, other, *, share, feedback=True):
    """Two segmentations of one trace differ only where one of them says that it is close, which is rare.

    With ``feedback`` a cut changes what is read after it, so only the first difference is judged. An insertion before
    token 0 shows in no cut.
    """
    decisions = len(one.curve.positions)
    assert max(len(one.close), len(other.close)) <= share * decisions, (one.close, other.close, decisions)
    close = {*one.close, *other.close}
    different = sorted({start for start, _ in one.offsets} ^ {start for start, _ in other.offsets})
    if feedback:
        different = [] if 0 in close else different[:1]
    assert close.issuperset(different), (one, other)


@pytest.fixture(scope="session")
def toy_tokenizer():
    """``toy_tokenizer("toy-bpe")``, loaded once."""
    from transformers import AutoTokenizer

    loaded = {}

    def get(name):
        if name not in loaded:
            loaded[name] = AutoTokenizer.from_pretrained(TOY / name)
        return loaded[name]

    return get


@pytest.fixture(scope="session")
def tiny(toy_tokenizer):
    """``tiny("toy-bpe", padding=0, **fields)``: model and tokenizer as keyword arguments, built once."""
    from tokenspec_reference.engines.tiny_model import TinyModel

    built = {}

    def get(name="toy-bpe", padding=0, **fields):
        key = (name, padding, *sorted(fields.items()))
        if key not in built:
            size = max(toy_tokenizer(name).get_vocab().values()) + 1 + padding
            built[key] = TinyModel(size, **fields).build()
        return {"model": built[key], "tokenizer": toy_tokenizer(name)}

    return get
