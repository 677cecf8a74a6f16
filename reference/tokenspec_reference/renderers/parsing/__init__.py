"""From sampled ids back to content, reasoning and tool calls.

Reading order: ``parsed`` (the result), ``completion`` (ids as text that knows its control tokens), ``thought``,
``json_values``, ``call_formats`` (one function per notation), ``bare_calls``, ``gemma_calls``, ``harmony``, ``parse``
(the shared order of things), ``progress`` (what of an unfinished completion is decided), ``plain_stream`` and
``streaming`` (the same in chunks: to read, and to run).
"""

from .parsed import ParsedResponse, ParsedToolCall

__all__ = ["ParsedResponse", "ParsedToolCall"]
