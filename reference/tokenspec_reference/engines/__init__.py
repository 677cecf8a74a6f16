"""Engines: segmentation of reasoning traces (``spec/20-engines.md``).

Read in this order: ``offsets``, ``scoring``, ``separators``, ``prompt``, ``sessions``, ``forced_decode`` (the
algorithm, twice), ``forced_decoder`` (the engine), ``token_signals``, ``rule_engines``, ``fusion``, ``orchestrator``,
``metrics``.
"""

from tokenspec_reference.engines import metrics
from tokenspec_reference.engines.errors import (
    InvalidParameter,
    InvalidSegmentation,
    MissingFusion,
    NoChatTemplate,
    NonFiniteLogits,
    SeparatorNotSingleToken,
    SystemRoleRefused,
    TraceTooLong,
)
from tokenspec_reference.engines.forced_decoder import RTLLMForcedDecoderBased
from tokenspec_reference.engines.fusion import (
    OffsetFusionFlatten,
    OffsetFusionFuzzy,
    OffsetFusionGraph,
    OffsetFusionIntersect,
    OffsetFusionMerge,
    OffsetFusionVoting,
)
from tokenspec_reference.engines.label_fusion import LabelFusion
from tokenspec_reference.engines.orchestrator import RTSeg
from tokenspec_reference.engines.rule_engines import RTNewLine, RTNewLineVerbose, RTPlainSegmenter, RTRuleRegex
from tokenspec_reference.engines.scripted_model import ScriptedModel, ScriptedTokenizer
from tokenspec_reference.engines.segmentation import Segmentation
from tokenspec_reference.engines.token_signal_engines import (
    RTLLMEntropy,
    RTLLMFlatnessBreak,
    RTLLMSurprisal,
    RTLLMTopKShift,
)

__all__ = [
    "InvalidParameter",
    "InvalidSegmentation",
    "LabelFusion",
    "MissingFusion",
    "NoChatTemplate",
    "NonFiniteLogits",
    "OffsetFusionFlatten",
    "OffsetFusionFuzzy",
    "OffsetFusionGraph",
    "OffsetFusionIntersect",
    "OffsetFusionMerge",
    "OffsetFusionVoting",
    "RTLLMEntropy",
    "RTLLMFlatnessBreak",
    "RTLLMForcedDecoderBased",
    "RTLLMSurprisal",
    "RTLLMTopKShift",
    "RTNewLine",
    "RTNewLineVerbose",
    "RTPlainSegmenter",
    "RTRuleRegex",
    "RTSeg",
    "ScriptedModel",
    "ScriptedTokenizer",
    "Segmentation",
    "SeparatorNotSingleToken",
    "SystemRoleRefused",
    "TraceTooLong",
    "metrics",
]
