"""What strangers wrote runs here within bounds: a chat template is a program, a tokenizer.json holds patterns.

No list of dangerous operations is long enough, so the bounds are those of the operating system: memory, and processor
time. Who passes the bound of time is ended, in whatever library the process is at work; so a command works in a child
process (``door``), which leaves word of what it is about to do (``state``).

Read in this order: ``bounds``, ``state``, ``strangers``, ``template_lines``, ``door``, ``answering``.
"""
