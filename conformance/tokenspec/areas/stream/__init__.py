"""Streams: a completion in chunks, told as it comes."""
