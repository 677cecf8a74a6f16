"""Engines: segmentation of reasoning traces (``spec/20-engines.md``).

Read in this order: ``offsets``, ``scoring``, ``separators``, ``prompt``, ``sessions``, ``forced_decode`` (the
algorithm, twice), ``forced_decoder`` (the engine), ``token_signals``, ``rule_engines``, ``questions``,
``unit_engines``, ``writer_engines``, ``fusion``, ``orchestrator``, ``metrics``.
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
    UnusableReply,
)
from tokenspec_reference.engines.forced_decoder import RTLLMForcedDecoderBased
from tokenspec_reference.engines.fusion import (
    OffsetFusion,
    OffsetFusionFlatten,
    OffsetFusionFuzzy,
    OffsetFusionGraph,
    OffsetFusionIntersect,
    OffsetFusionMerge,
    OffsetFusionVoting,
)
from tokenspec_reference.engines.label_fusion import LabelFusion
from tokenspec_reference.engines.orchestrator import RTSeg
from tokenspec_reference.engines.prompt_texts import load_example_trace, load_prompt
from tokenspec_reference.engines.recorded_model import RecordedModel
from tokenspec_reference.engines.rule_engines import RTNewLine, RTNewLineVerbose, RTPlainSegmenter, RTRuleRegex
from tokenspec_reference.engines.scripted_model import ScriptedModel, ScriptedTokenizer
from tokenspec_reference.engines.seg_base import SegBase
from tokenspec_reference.engines.segmentation import Segmentation
from tokenspec_reference.engines.token_signal_engines import (
    RTLLMEntropy,
    RTLLMFlatnessBreak,
    RTLLMSurprisal,
    RTLLMTopKShift,
)
from tokenspec_reference.engines.unit_engines import (
    RTBERTopicSegmentation,
    RTEmbeddingBasedSemanticShift,
    RTEntailmentBasedSegmentation,
    RTPRMBase,
    RTZeroShotSeqClassification,
    RTZeroShotSeqClassificationRF,
    RTZeroShotSeqClassificationTA,
)
from tokenspec_reference.engines.writer_engines import (
    RTLLMArgument,
    RTLLMOffsetBased,
    RTLLMReasoningFlow,
    RTLLMSegUnitBased,
    RTLLMThoughtAnchor,
)

__all__ = [
    "InvalidParameter",
    "InvalidSegmentation",
    "LabelFusion",
    "MissingFusion",
    "NoChatTemplate",
    "NonFiniteLogits",
    "OffsetFusion",
    "OffsetFusionFlatten",
    "OffsetFusionFuzzy",
    "OffsetFusionGraph",
    "OffsetFusionIntersect",
    "OffsetFusionMerge",
    "OffsetFusionVoting",
    "RTBERTopicSegmentation",
    "RTEmbeddingBasedSemanticShift",
    "RTEntailmentBasedSegmentation",
    "RTLLMArgument",
    "RTLLMEntropy",
    "RTLLMFlatnessBreak",
    "RTLLMForcedDecoderBased",
    "RTLLMOffsetBased",
    "RTLLMReasoningFlow",
    "RTLLMSegUnitBased",
    "RTLLMSurprisal",
    "RTLLMThoughtAnchor",
    "RTLLMTopKShift",
    "RTNewLine",
    "RTNewLineVerbose",
    "RTPRMBase",
    "RTPlainSegmenter",
    "RTRuleRegex",
    "RTSeg",
    "RTZeroShotSeqClassification",
    "RTZeroShotSeqClassificationRF",
    "RTZeroShotSeqClassificationTA",
    "RecordedModel",
    "ScriptedModel",
    "ScriptedTokenizer",
    "SegBase",
    "Segmentation",
    "SeparatorNotSingleToken",
    "SystemRoleRefused",
    "TraceTooLong",
    "UnusableReply",
    "load_example_trace",
    "load_prompt",
    "metrics",
]
