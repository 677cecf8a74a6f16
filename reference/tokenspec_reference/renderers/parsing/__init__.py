"""From sampled ids back to content, reasoning and tool calls.

Reading order: ``parsed`` (the result), ``completion`` (ids as text that knows its control tokens), ``thought``,
``call_formats`` (one function per notation), ``gemma_calls``, ``harmony``, ``parse`` (the shared order of things),
``streaming`` (the same in chunks).
"""

from .parsed import ParsedResponse, ParsedToolCall

__all__ = ["ParsedResponse", "ParsedToolCall"]
