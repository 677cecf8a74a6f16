"""What no edit touches: nothing an implementation answers depends on it, or only what people read."""

from __future__ import annotations

import ast
from collections.abc import Collection

from tokenspec.power.trees import called, is_string

ALIASES = {
    "Callable",
    "Mapping",
    "Sequence",
    "Iterator",
    "Iterable",
    "Literal",
    "Union",
    "dict",
    "list",
    "tuple",
    "set",
}
FOR_PEOPLE = {"warn", "warning", "debug", "info", "exception", "report", "cast", "TypeVar", "NewType"}
SHOWN = {"__repr__", "__str__", "_repr_html_"}


def is_untouched(node: ast.AST, parent: ast.AST, field: str, refusals: Collection[str]) -> bool:
    """Whether neither this node nor anything in it is edited.

    Args:
        node: the node.
        parent: what it hangs on.
        field: by which field.
        refusals: names of what makes errors; the sentences they are given are for people, their codes are not.
    """
    if field in {"annotation", "returns", "decorator_list", "bases", "type_comment", "type_params"}:
        return True
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)):
        return True
    if isinstance(node, ast.Expr) and (isinstance(node.value, ast.Constant) or called(node.value) in FOR_PEOPLE):
        return True  # a docstring, the body of a protocol, or what people are told on the way
    if isinstance(node, ast.keyword) and called(parent) == "zip":
        return True  # ``strict`` says what the lengths are anyway
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in SHOWN:
        return True
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and _names_types(node):
        return True
    if called(node) in FOR_PEOPLE or (isinstance(parent, ast.Assert) and field == "msg"):
        return True
    return is_prose(node) and (isinstance(parent, ast.Raise) or called(parent) in refusals or _makes_an_error(parent))


def _makes_an_error(node: ast.AST) -> bool:
    """``super().__init__(...)``: where it is given a sentence, the class is an error."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "super().__init__"


def is_prose(node: ast.AST) -> bool:
    """Sentences, also put together or chosen; codes and paths have no blank."""
    if isinstance(node, ast.BinOp):
        return is_prose(node.left) or is_prose(node.right)
    if isinstance(node, ast.IfExp):
        return is_prose(node.body) or is_prose(node.orelse)
    parts = ast.walk(node) if is_string(node) else ()
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value for part in parts)


def _names_types(node: ast.Assign | ast.AnnAssign) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if any(isinstance(target, ast.Name) and target.id in {"__all__", "__version__"} for target in targets):
        return True
    value = node.value
    return (
        isinstance(value, ast.Subscript)
        and isinstance(value.value, ast.Name)
        and value.value.id in ALIASES
        and all(isinstance(target, ast.Name) and target.id.lstrip("_")[:1].isupper() for target in targets)
    )
