"""Template engines: a chat template and its variables become text. No tokenizer is involved."""
