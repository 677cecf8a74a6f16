"""A tree that a server replaces while it runs: upstream's ``reloadPrefixDict``, without its global state."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tokenspec_reference.processors.tree_file import load_tree

if TYPE_CHECKING:
    import os

    from tokenspec_reference.processors.tree_rules import Mode
    from tokenspec_reference.processors.tree_table import CompiledTree


class ReloadableTree:
    """The tree of a file. What is built from ``tree`` keeps it: rows that run are not moved to another tree.

    Attributes:
        path: the file that was read last without error.
        tree: its tree, compiled; give it to ``TreeLogitsProcessor`` when a request begins.
    """

    def __init__(self, path: str | os.PathLike[str], *, mode: Mode = "strict", vocab_size: int | None = None) -> None:
        """Read the file. Raises ``ConfigError`` as ``load_tree`` does."""
        self.mode, self.vocab_size = mode, vocab_size
        self.path = Path(path)
        self.tree: CompiledTree = load_tree(path, mode=mode, vocab_size=vocab_size)

    def reload_prefix_dict(self, path: str | os.PathLike[str] | None = None) -> CompiledTree:
        """Read the file again, or another one, for requests to come.

        Raises ``ConfigError`` for a file that cannot be used; the tree before stays (PRC-039).
        """
        wanted = self.path if path is None else Path(path)
        tree = load_tree(wanted, mode=self.mode, vocab_size=self.vocab_size)
        self.path, self.tree = wanted, tree
        return tree
