"""What chat models are told, under the names RT-SEG gives its prompts; the words are this project's own.

``{PREVIOUS_SEGMENT}``, ``{TARGET_SEGMENT}`` and ``{NEXT_SEGMENT}`` of a user prompt are replaced by text.
"""

from __future__ import annotations

import re

from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.prompt import DEFAULT_SYSTEM_PROMPT

SCHEMES: dict[str, dict[str, str]] = {
    "argument": {
        "PREMISE": "a fact, rule or definition that is given",
        "INTERMEDIATE CLAIM": "a conclusion that later steps build on",
        "REBUTTAL/CORRECTION": "takes back or contradicts an earlier step",
        "FINAL CLAIM": "the answer the trace argues for",
        "META": "talk about the reasoning itself",
    },
    "reasoning_flow": {
        "Context": "what the problem says",
        "Planning": "what is to be done next",
        "Fact": "knowledge that is not derived here",
        "Reasoning": "a derivation or calculation",
        "Restatement": "says again what was said",
        "Assumption": "supposed for the sake of the argument",
        "Example": "one case, tried out",
        "Reflection": "doubts or judges earlier steps",
        "Conclusion": "the answer",
    },
    "thought_anchor": {
        "Problem Setup": "reads or restates the problem",
        "Plan Generation": "chooses an approach",
        "Fact Retrieval": "recalls knowledge without deriving it",
        "Active Computation": "calculates or transforms",
        "Uncertainty Management": "doubts, backtracks or turns to another approach",
        "Result Consolidation": "sums up intermediate results",
        "Self Checking": "verifies a step or a result",
        "Final Answer Emission": "states the answer",
    },
}
ROLES = ("verification", "pivot", "inference", "framing", "conclusion")
TOPICS = ("Context", "Planning", "Fact", "Restatement", "Example", "Reflection", "Conclusion")
_STEP = "A segment is one step of reasoning: it plans, recalls, derives, doubts, checks or concludes."
_TRIPLET = (
    "Before: {PREVIOUS_SEGMENT}\nTarget: {TARGET_SEGMENT}\nAfter: {NEXT_SEGMENT}\n"
    'Answer for the target alone, as JSON: {"label": "..."}'
)


def _labelling(scheme: str) -> str:
    meanings = "\n".join(f"- {label}: {meaning}" for label, meaning in SCHEMES[scheme].items())
    return f"Label one piece of a reasoning trace by what it does, with exactly one of:\n{meanings}"


PROMPTS: dict[str, str] = {
    "system_prompt_forceddecoder": DEFAULT_SYSTEM_PROMPT,
    "system_prompt_surprisal": "Repeat the reasoning trace of the user word for word.",
    "system_prompt_offset": f"{_STEP} Answer with the segments of the user's text as JSON, a list of pairs "
    "[start, end] of character positions, the first from 0, each from the end of the one before.",
    "prompt_offset": "Segment this text:\n",
    "system_prompt_sentbased": f"{_STEP} The user gives numbered pieces as JSON. Answer with the segments as JSON, a "
    "list of lists of numbers, in order, none left out.",
    "prompt_sentbased": "",
    "system_prompt_topic_label": "Name in one or two words what these pieces of a reasoning trace do.",
    **{f"system_prompt_{scheme}": _labelling(scheme) for scheme in SCHEMES},
    **{f"user_prompt_{scheme}": _TRIPLET for scheme in SCHEMES},
}
EXAMPLE_TRACES: dict[str, str] = {
    "trc1": "The question asks for the sum of the first five odd numbers. Let me list them: 1, 3, 5, 7, 9. "
    "Adding them one by one gives 1, 4, 9, 16, 25.\n\nWait, these are squares. In general, the first $n$ odd numbers "
    "should add up to $n^2$. For $n = 5$ that is 25, which agrees.\n\nSo the answer is 25.",
    "trc2": "We need the greatest common divisor of 84 and 36. First, try Euclid's algorithm: 84 = 2 * 36 + 12, and "
    "36 = 3 * 12 + 0. So the divisor would be 12.\n\nLet me check it another way. The prime factors are "
    "`84 = 2 * 2 * 3 * 7` and `36 = 2 * 2 * 3 * 3`; they share `2 * 2 * 3`, and that is 12 again.\n\nHowever, is there "
    "a larger one? A larger one would have to divide 12. There is none.\n\nTherefore the answer is 12.",
}


def load_prompt(prompt_id: str) -> str:
    """The prompt of that name.

    Raises:
        InvalidParameter: no such name; lists those there are.
    """
    return _known(PROMPTS, prompt_id, "prompt_id")


def load_example_trace(trace_id: str) -> str:
    """A short reasoning trace to try engines on: ``trc1`` or ``trc2``.

    Raises:
        InvalidParameter: no such name.
    """
    return _known(EXAMPLE_TRACES, trace_id, "trace_id")


def _known(texts: dict[str, str], name: str, field: str) -> str:
    if name not in texts:
        raise InvalidParameter(f"{name!r} is not one of {', '.join(texts)}", field=field)
    return texts[name]


def filled(prompt: str, *, previous: str, target: str, following: str) -> str:
    """A user prompt about one piece; braces of any other kind stay as they are."""
    values = {"PREVIOUS": previous, "TARGET": target, "NEXT": following}
    return re.sub(r"\{(PREVIOUS|TARGET|NEXT)_SEGMENT\}", lambda match: values[match[1]], prompt)
