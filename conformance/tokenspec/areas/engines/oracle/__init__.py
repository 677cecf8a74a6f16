"""The oracle of segments: every step of the chapter again, one number at a time, without caches, chunks or tensors.

It shares no code with the reference: plain Python for scores, decisions, signals, fusion and agreement; a Qwen2
forward pass in numpy float64 for tiny models; the tokenizer of the row from ``transformers``.
"""
