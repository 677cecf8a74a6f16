"""Logits constraints as values: a processor maps an explicit state to the set of ids each row may sample
next.

Read in this order: ``allow_set``, ``masking``, ``contain``, ``think_policy``, ``think``, ``tree_strings``,
``tree_table``, ``chain``, ``drafts``. The normative text is ``spec/30-processors.md``.
"""

from tokenspec_reference.processors.after import After
from tokenspec_reference.processors.allow_set import AllowSet
from tokenspec_reference.processors.bitmask import apply_bitmask, pack, unpack
from tokenspec_reference.processors.chain import Chain
from tokenspec_reference.processors.contain import ContainTable, StringContainDFA
from tokenspec_reference.processors.drafts import DraftSets, Rewindable, draft_sets
from tokenspec_reference.processors.errors import (
    ConfigError,
    ConstraintViolation,
    DeadRow,
    EmptyAllowedSet,
    Problem,
    RollbackOutOfRange,
    ShapeMismatch,
    SourceRowOutOfRange,
    TokenOutOfRange,
    UnsupportedDtype,
    VocabMismatch,
)
from tokenspec_reference.processors.masking import apply_allowed, mask_naive
from tokenspec_reference.processors.multi_seq import MultiSeqLogitsProcessor
from tokenspec_reference.processors.processor import Checked, Processor
from tokenspec_reference.processors.recommendation import RecommendationLogitsProcessor
from tokenspec_reference.processors.think import ThinkModeLogitsProcessor
from tokenspec_reference.processors.think_policy import ThinkConfig, ThinkRow
from tokenspec_reference.processors.tree import (
    PromptNotAtRoot,
    TreeLogitsProcessor,
    TreeStringProcessor,
    require_root,
)
from tokenspec_reference.processors.tree_file import (
    add_tree_decode_argument,
    compile_tree,
    load_tree,
    read_tree,
    tree_config_path,
)
from tokenspec_reference.processors.tree_reload import ReloadableTree
from tokenspec_reference.processors.tree_rules import PrefixToCandidateTokens
from tokenspec_reference.processors.tree_strings import TreeDFA, UpstreamTreeDFA
from tokenspec_reference.processors.tree_table import CompiledTree
from tokenspec_reference.processors.unconstrained import Unconstrained

__all__ = [
    "After",
    "AllowSet",
    "Chain",
    "Checked",
    "CompiledTree",
    "ConfigError",
    "ConstraintViolation",
    "ContainTable",
    "DeadRow",
    "DraftSets",
    "EmptyAllowedSet",
    "MultiSeqLogitsProcessor",
    "PrefixToCandidateTokens",
    "Problem",
    "Processor",
    "PromptNotAtRoot",
    "RecommendationLogitsProcessor",
    "ReloadableTree",
    "Rewindable",
    "RollbackOutOfRange",
    "ShapeMismatch",
    "SourceRowOutOfRange",
    "StringContainDFA",
    "ThinkConfig",
    "ThinkModeLogitsProcessor",
    "ThinkRow",
    "TokenOutOfRange",
    "TreeDFA",
    "TreeLogitsProcessor",
    "TreeStringProcessor",
    "Unconstrained",
    "UnsupportedDtype",
    "UpstreamTreeDFA",
    "VocabMismatch",
    "add_tree_decode_argument",
    "apply_allowed",
    "apply_bitmask",
    "compile_tree",
    "draft_sets",
    "load_tree",
    "mask_naive",
    "pack",
    "read_tree",
    "require_root",
    "tree_config_path",
    "unpack",
]
