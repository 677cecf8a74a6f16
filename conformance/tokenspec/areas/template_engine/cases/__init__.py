"""The template-engine corpus as code: micro-templates that isolate one construct each.

The renderers' corpus on the rows' own templates says *that* an engine differs; a case here says *why*.
"""
