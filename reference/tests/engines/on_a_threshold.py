"""``python on_a_threshold.py TOKENIZER TRACE``: traces whose scores stand on the threshold, segmented on this processor.

Under a window three copies of a text score alike to seven digits; a quantile among them puts the threshold between two
such scores, or on one. Prints JSON: per thread count and engine offsets, close positions and the number of decisions.
"""

import json
import sys

import torch
from transformers import AutoTokenizer

from tokenspec_reference import engines
from tokenspec_reference.engines.tiny_model import TinyModel

CASES = [
    (name, quantile)
    for name in ("RTLLMSurprisal", "RTLLMEntropy", "RTLLMFlatnessBreak", "RTLLMTopKShift")
    for quantile in (40, 50)
]


def main():
    tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
    trace = sys.argv[2] * 3
    tokens = len(tokenizer.encode(trace, add_special_tokens=False))
    model = TinyModel(max(tokenizer.get_vocab().values()) + 1, seed=2).build()
    on_a_score = [("RTLLMForcedDecoderBased", 100 * (tokens - back) / (tokens - 1)) for back in (10, 11, 12)]
    found = {}
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for name, quantile in [*CASES, *on_a_score]:
            options = {"model": model, "tokenizer": tokenizer, "cache_policy": "window:12", "quantile": quantile}
            options |= {} if "Forced" in name else {"window": 4}
            result = getattr(engines, name)().segment(trace, **options)
            found[f"{name} {quantile} {threads}"] = {
                "starts": [start for start, _ in result.offsets],
                "close": result.close,
                "decisions": len(result.curve.positions),
            }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
