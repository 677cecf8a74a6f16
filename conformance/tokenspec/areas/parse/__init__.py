"""Parsing: sampled ids become content, reasoning and tool calls."""
