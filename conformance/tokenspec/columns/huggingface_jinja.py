"""``@huggingface/jinja`` as a column of the template-engine area: the node example behind the pipe protocol."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import Any

from tokenspec.adapters import Failed, NotSupported, Ok, Rejected, Unsupported
from tokenspec.adapters.stdio import Process
from tokenspec.columns.node_packages import INSTALL, modules_folder, package_version, program

PACKAGE = "@huggingface/jinja"
PATIENCE = 8.0
"""Seconds one answer may take: less than the suite gives a call, so that the pipe ends the program in order."""


class HuggingfaceJinjaColumn:
    """The column ``huggingface-jinja``. Rows are not announced to the program: it gets templates, not tokenizers."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self.process: Process | None = None

    def info(self) -> dict[str, str]:
        """Who this is."""
        return {
            "name": "huggingface-jinja",
            "version": package_version(PACKAGE) or "not installed",
            "language": "javascript",
            "homepage": "https://github.com/huggingface/huggingface.js",
            "issues": "https://github.com/huggingface/huggingface.js/issues",
        }

    def prepare(self, operation: str) -> None:
        """Start node before the clock of the first call."""
        del operation
        self.started()

    def started(self) -> Process:
        """The running program.

        Raises:
            Unsupported: node or the package is not there.
        """
        if self.process is None:
            self.process = Process("huggingface-jinja", command())
        return self.process

    def render_template(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the program."""
        if "limits" in request:
            raise Unsupported("takes no bounds")
        outcome = self.started().call("render_template", "template-engine", request, PATIENCE)
        match outcome:
            case Ok(output):
                return dict(output)
            case NotSupported(reason):
                raise Unsupported(reason)
            case Failed(message):
                raise RuntimeError(message)
            case refused:
                raise Rejected(refused.code, refused.message)

    def close(self) -> None:
        """Stop node."""
        if self.process is not None:
            self.process.close()
            self.process = None


def command() -> str:
    """How the program is started here.

    Raises:
        Unsupported: node or the package is not there.
    """
    node = shutil.which("node")
    if node is None:
        raise Unsupported("node is not installed")
    modules = modules_folder(PACKAGE)
    if modules is None:
        raise Unsupported(f"npm packages missing; run: {INSTALL}")
    path = os.pathsep.join(filter(None, (str(modules), os.environ.get("NODE_PATH", ""))))
    return shlex.join(["env", f"NODE_PATH={path}", node, str(program())])
