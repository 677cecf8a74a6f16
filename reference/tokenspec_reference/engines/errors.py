"""Typed refusals of the engines. The code of each is the rejection code of ``spec/20-engines.md``."""

from __future__ import annotations

from tokenspec_reference.errors import TokenSpecError


class InvalidParameter(TokenSpecError):
    """A parameter is out of its range, of the wrong type, or unknown to every engine of the call."""

    rejection_code = "invalid-parameter"


class NoChatTemplate(TokenSpecError):
    """The tokenizer has no chat template, so the prompt of ENG-009 cannot be written."""

    rejection_code = "no-chat-template"


class SystemRoleRefused(TokenSpecError):
    """The chat template raises on the conversation; almost always because it knows no system role."""

    rejection_code = "system-role-refused"


class SeparatorNotSingleToken(TokenSpecError):
    """The separator does not encode to exactly one token, so it cannot be inserted as one."""

    rejection_code = "separator-not-single-token"


class TraceTooLong(TokenSpecError):
    """Prompt, trace and inserted separators do not fit into the positions of the model."""

    rejection_code = "trace-too-long"


class NonFiniteLogits(TokenSpecError):
    """The model gave NaN or an infinite logit where the algorithm needs a number."""

    rejection_code = "non-finite-logits"


class MissingFusion(TokenSpecError):
    """Several engines were given and nothing says how their segmentations become one."""

    rejection_code = "missing-fusion"


class InvalidSegmentation(TokenSpecError):
    """Offsets that are no segmentation of the trace they are said to segment."""

    rejection_code = "invalid-segmentation"


class UnusableReply(TokenSpecError):
    """A model was asked as often as it may be, and no reply could be read."""

    rejection_code = "unusable-reply"
