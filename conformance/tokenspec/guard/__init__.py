"""Templates and tokenizers of strangers run within bounds: a template is a program, a tokenizer.json holds patterns.

No list of dangerous operations is long enough, so the bounds are those of the operating system: memory, and processor
time. Work beyond the bound of time ends its process, whatever library is running; so a command works in a child process
(``supervisor``), and the child records what it is about to do (``state``).

Read in this order: ``bounds``, ``state``, ``strangers``, ``template_lines``, ``supervisor``, ``answering``.
"""
