"""Preparation: a conversation to training ids and masks, with findings on what would go wrong in training."""

from tokenspec_reference.preparation.codes import CODES, Code, Level
from tokenspec_reference.preparation.conversation import Conversation
from tokenspec_reference.preparation.finding import Finding, failed
from tokenspec_reference.preparation.packing import Pack, first_fit
from tokenspec_reference.preparation.prepared import MessageSpan, Prepared
from tokenspec_reference.preparation.preparer import Preparer
from tokenspec_reference.preparation.shapes import UnknownShape, conversation_of

__all__ = [
    "CODES",
    "Code",
    "Conversation",
    "Finding",
    "Level",
    "MessageSpan",
    "Pack",
    "Prepared",
    "Preparer",
    "UnknownShape",
    "conversation_of",
    "failed",
    "first_fit",
]
