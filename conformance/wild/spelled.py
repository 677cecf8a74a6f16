"""Strings that a source file spells out: Python by its syntax tree, JavaScript and C++ by their literals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_LITERAL = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"(?P<fence>[^()\\\s]{0,16})\((?P<raw>.*?)\)(?P=fence)"'
    r'|"(?P<double>(?:[^"\\\n]|\\.)*)"|\'(?P<single>(?:[^\'\\\n]|\\.)*)\'|`(?P<back>(?:[^`\\]|\\.)*)`',
    re.DOTALL,
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|(\r?\n)|(.))", re.DOTALL)
_FILLED = re.compile(r"(?<!\\)\$\{")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def in_python(source: bytes) -> Iterator[str]:
    """Literals, and sums of them.

    Raises:
        SyntaxError, ValueError: it is no Python.
    """
    for node in ast.walk(ast.parse(source)):
        text = _sum(node)
        if text is not None:
            yield text


def _sum(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _sum(node.left), _sum(node.right)
        return None if left is None or right is None else left + right
    return None


def in_braces(source: str) -> Iterator[str]:
    """Literals of a language with braces; those with nothing but white space or ``+`` between them are one.

    A string that is filled in when the program runs is left out.
    """
    parts: list[str] = []
    end = 0
    for match in _LITERAL.finditer(source):
        if match[0].startswith(("//", "/*")):
            continue
        if _COMMENT.sub("", source[end : match.start()]).strip() not in {"", "+"} and parts:
            yield "".join(parts)
            parts = []
        end = match.end()
        if match["back"] is None or not _FILLED.search(match["back"]):
            parts.append(match["raw"] if match["raw"] is not None else _unescaped(match[0][1:-1]))
    if parts:
        yield "".join(parts)


def _unescaped(literal: str) -> str:
    """What a literal says; two halves of a surrogate pair become one character."""
    return _ESCAPE.sub(_escaped, literal).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16))
    return "" if match[4] else _CONTROLS.get(match[5], match[5])
