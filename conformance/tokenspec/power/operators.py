"""The kinds of edits: each says what may stand in the place of a node."""

from __future__ import annotations

import ast
import builtins
import copy
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tokenspec.power.trees import called, is_string

COMPARED: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
COMPUTED: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
RENAMED = {
    "any": "all",
    "all": "any",
    "min": "max",
    "max": "min",
    "startswith": "endswith",
    "endswith": "startswith",
    "find": "rfind",
    "rfind": "find",
    "partition": "rpartition",
    "rpartition": "partition",
    "strip": "rstrip",
    "lstrip": "strip",
    "rstrip": "strip",
    "match": "search",
    "fullmatch": "match",
    "search": "match",
    "bisect_left": "bisect_right",
    "bisect_right": "bisect_left",
    "isdecimal": "isalpha",
    "isspace": "isalnum",
}
NOTHING_DONE = {"strip", "lstrip", "rstrip", "lower", "upper", "casefold", "removeprefix", "removesuffix", "replace"}
ORDERED = {"sorted", "reversed"}
OPTIONAL_LAST = {"get", "pop", "next", "getattr", "split", "rsplit", "strip", "lstrip", "rstrip", "range", "enumerate"}
OPTIONAL_LAST |= {"sum", "round", "startswith", "endswith", "find", "rfind", "encode", "decode"}
SYMMETRIC = {"min", "max", "isdisjoint", "gcd"}
UNSWAPPED = SYMMETRIC | {"isinstance", "issubclass", "hasattr", "getattr", "setattr", "map", "filter", "cast", "super"}
EMPTY = {
    "list": "[]",
    "tuple": "()",
    "dict": "{}",
    "str": "''",
    "bytes": "b''",
    "set": "set()",
    "frozenset": "frozenset()",
    "Sequence": "()",
    "Mapping": "{}",
}


@dataclass(frozen=True)
class Signature:
    """What all functions of one name have in common.

    Attributes:
        least: how many positional arguments each needs at least.
        kinds: the annotation of each positional argument; where they differ, none.
        optional: the keywords each can do without.
    """

    least: int
    kinds: tuple[str, ...]
    optional: frozenset[str]

    def met(self, other: Signature) -> Signature:
        """What both have in common."""
        same = tuple(one if one == two else "" for one, two in zip(self.kinds, other.kinds, strict=False))
        return Signature(max(self.least, other.least), same, self.optional & other.optional)


@dataclass(frozen=True)
class Surroundings:
    """What an operator knows besides the node.

    Attributes:
        parent: the node it hangs on.
        field: by which field.
        function: the innermost function around it.
        known: what is known of the package's functions and classes, by their last name.
    """

    parent: ast.AST
    field: str
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    known: Mapping[str, Signature]


Operator = Callable[[Any, Surroundings], Iterator[ast.AST]]


def _with(node: Any, **changes: Any) -> Any:
    changed = copy.copy(node)
    for name, value in changes.items():
        setattr(changed, name, value)
    return changed


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _without(items: list[Any], index: int) -> list[Any]:
    return items[:index] + items[index + 1 :]


def comparison(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """Another comparison: its boundary, and its opposite."""
    del here
    if isinstance(node, ast.Compare):
        for index, found in enumerate(node.ops):
            for other in COMPARED[type(found)]:
                yield _with(node, ops=[*node.ops[:index], other(), *node.ops[index + 1 :]])


def number(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """The next number, up and down."""
    del here
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield ast.Constant(node.value * 2 or 0.5)
        yield ast.Constant(-node.value or -0.5)


def truth(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """The other truth value."""
    del here
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)


def text(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """A text without its first character, with a blank more, and none."""
    if isinstance(here.parent, ast.Subscript) and here.field == "slice":
        return  # a field that is not there is no wrong answer, only a crash
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and node.value:
        blank: Any = " " if isinstance(node.value, str) else b" "
        yield ast.Constant(node.value[1:])
        if len(node.value) > 1:
            yield ast.Constant(node.value[:0])
        if not isinstance(here.parent, ast.FormattedValue):
            yield ast.Constant(node.value + blank)


def member(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """A collection without one of its members."""
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and len(node.elts) > 1:
        if isinstance(getattr(node, "ctx", None), ast.Store):
            return  # names that are bound
        if isinstance(node, ast.Tuple) and _is_record(node, here.parent):
            return
        for index in range(len(node.elts)):
            yield _with(node, elts=_without(node.elts, index))
    if isinstance(node, ast.Dict) and len(node.keys) > 1:
        for index in range(len(node.keys)):
            yield _with(node, keys=_without(node.keys, index), values=_without(node.values, index))


def _is_record(node: ast.Tuple, parent: ast.AST) -> bool:
    """Whether a tuple is more likely a record than a collection: not of plain values, or all beside it are as long."""
    if not all(isinstance(item, (ast.Constant, ast.Name)) for item in node.elts):
        return True
    beside = parent.values if isinstance(parent, ast.Dict) else getattr(parent, "elts", [])
    lengths = [len(item.elts) for item in beside if isinstance(item, ast.Tuple)]
    return len(lengths) > 1 and len(set(lengths)) == 1


def connective(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """The other of ``and`` and ``or``, and each operand left out."""
    del here
    if isinstance(node, ast.BoolOp):
        if _binds(node):
            return
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for index in range(len(node.values)):
            rest = _without(node.values, index)
            yield rest[0] if len(rest) == 1 else _with(node, values=rest)


def negation(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """``not`` left out; a condition turned round."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.expr) and _is_condition(node, here) and not isinstance(node, (ast.Compare, ast.Constant)):
        yield ast.UnaryOp(ast.Not(), node)


def decided(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """A condition that always or never holds: a branch is dropped."""
    if isinstance(node, ast.Constant) or not _is_condition(node, here) or _binds(node):
        return
    if not isinstance(here.parent, ast.While):
        yield ast.Constant(value=True)
    yield ast.Constant(value=False)


def _binds(node: ast.AST) -> bool:
    """Whether it gives a name a value: what follows needs it."""
    return any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))


def _is_condition(node: ast.AST, here: Surroundings) -> bool:
    if isinstance(here.parent, (ast.If, ast.While, ast.IfExp)):
        return here.field == "test"
    return isinstance(here.parent, ast.comprehension) and node in here.parent.ifs


def arithmetic(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """Another operator; what joins anything else than numbers loses one side."""
    del here
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Mod) and is_string(node.left):
            return
        if isinstance(node.op, (ast.Add, ast.Mult)) and not _is_number(node):
            yield node.left
            yield node.right
        elif type(node.op) in COMPUTED:
            yield _with(node, op=COMPUTED[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
        yield node.operand


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        if any(isinstance(side, (ast.List, ast.Tuple)) for side in (node.left, node.right)):
            return False
        if not isinstance(node.op, (ast.Add, ast.Mult)):
            return not (isinstance(node.op, ast.Mod) and is_string(node.left))
        return _is_number(node.left) or _is_number(node.right)
    return called(node) == "len" or (isinstance(node, ast.Constant) and type(node.value) in {int, float})


def arguments(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """Two arguments of one kind swapped; one that can be left out is."""
    if not isinstance(node, ast.Call):
        return
    name, given = called(node), node.args
    own = not (isinstance(node.func, ast.Name) and hasattr(builtins, name))
    known = here.known.get(name) if own else None  # a method may be called as one of Python's own functions is
    plain = not any(isinstance(item, ast.Starred) for item in given)
    if plain and name not in UNSWAPPED:
        kinds = known.kinds if known is not None else tuple(map(_kind, given))
        for index, (one, other) in enumerate(itertools.pairwise(given)):
            if ast.dump(one) != ast.dump(other) and len(set(kinds[index : index + 2])) == 1:
                yield _with(node, args=[*given[:index], other, one, *given[index + 2 :]])
    if known is None and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "self":
        return  # something callable that is kept: nothing is known of it
    least = known.least if known is not None else 1 if name in OPTIONAL_LAST else len(given)
    if plain and len(given) > least:
        yield _with(node, args=given[:-1])
    for index, keyword in enumerate(node.keywords):
        if keyword.arg == "device" or name == "zip":
            continue  # the one device where there is no accelerator; lengths that are the same anyway
        if keyword.arg is None or known is None or keyword.arg in known.optional:
            yield _with(node, keywords=_without(node.keywords, index))


def _kind(node: ast.expr) -> str:
    """What can be seen of the type of an argument."""
    return type(node.value).__name__ if isinstance(node, ast.Constant) else type(node).__name__


def other_function(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """The function's counterpart: ``any`` for ``all``; or what it is called on, unchanged."""
    del here
    name = called(node)
    if name in RENAMED and (isinstance(node.func, ast.Attribute) or hasattr(builtins, name)):
        function = node.func
        renamed = (
            _with(function, attr=RENAMED[name])
            if isinstance(function, ast.Attribute)
            else ast.Name(RENAMED[name], ast.Load())
        )
        yield _with(node, func=renamed)
    if name in NOTHING_DONE and isinstance(node.func, ast.Attribute):
        yield node.func.value
    if name in ORDERED and isinstance(node.func, ast.Name) and node.args:
        yield ast.Call(ast.Name("list", ast.Load()), node.args[:1], [])


def bounds(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """A slice without one of its ends, or with one that is off by one; a loop that leaves out the first."""
    if isinstance(node, ast.Slice):
        for end in ("lower", "upper"):
            bound = getattr(node, end)
            if bound is None:
                continue
            yield _with(node, **{end: None})
            if not isinstance(bound, (ast.Constant, ast.UnaryOp)):
                yield _with(node, **{end: ast.BinOp(bound, ast.Add(), ast.Constant(1))})
    if isinstance(here.parent, ast.For) and here.field == "iter":
        first = ast.Slice(ast.Constant(1), None, None)
        yield ast.Subscript(ast.Call(ast.Name("list", ast.Load()), [node], []), first, ast.Load())


def answer(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """A function that returns nothing in particular."""
    if not (isinstance(node, ast.Return) and node.value is not None and here.function is not None):
        return
    declared = here.function.returns
    written = ast.unparse(declared) if declared is not None else ""
    outer = written.partition("[")[0]
    if written == "bool":
        values = ["True", "False"]
    elif written.endswith("| None"):
        values = ["None"]
    elif outer == "tuple" and "..." not in written:
        values = []
    else:
        values = [EMPTY[outer]] if outer in EMPTY else []
    for value in values:
        if ast.unparse(node.value) != value:
            yield ast.Return(_parsed(value))


LEFT_OUT = (ast.Raise, ast.Expr, ast.Assert, ast.Delete, ast.AugAssign)


def deleted(node: Any, here: Surroundings) -> Iterator[ast.AST]:
    """A statement left out, where what follows still knows all its names."""
    if isinstance(node, (ast.Continue, ast.Break)):
        yield ast.Break() if isinstance(node, ast.Continue) else ast.Continue()
        yield ast.Pass()
    elif isinstance(node, ast.Expr) and isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        yield ast.Expr(ast.YieldFrom(ast.Tuple([], ast.Load())))
    elif isinstance(node, ast.Delete) and all(isinstance(target, ast.Name) for target in node.targets):
        return  # a name that nobody looks at again
    elif isinstance(node, LEFT_OUT) or (isinstance(node, ast.Return) and isinstance(here.parent, ast.If)):
        yield ast.Pass()
    elif isinstance(node, ast.Assign) and here.function is not None:
        kept = all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
        if (here.function.name != "__init__") if kept else _is_bound_before(node, here.function):
            yield ast.Pass()
    elif isinstance(node, ast.ExceptHandler) and not (len(node.body) == 1 and isinstance(node.body[0], ast.Raise)):
        yield _with(node, body=[ast.Raise()])


def _is_bound_before(node: ast.Assign, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    given = function.args
    bound = {item.arg for item in [*given.posonlyargs, *given.args, *given.kwonlyargs]}
    for other in function.body:
        if other.lineno >= node.lineno:
            break
        if isinstance(other, (ast.Assign, ast.AnnAssign)) and getattr(other, "value", None) is not None:
            targets = other.targets if isinstance(other, ast.Assign) else [other.target]
            bound |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names <= bound


OPERATORS: Mapping[str, Operator] = {
    "comparison": comparison,
    "number": number,
    "truth": truth,
    "text": text,
    "member": member,
    "connective": connective,
    "negation": negation,
    "decided": decided,
    "arithmetic": arithmetic,
    "arguments": arguments,
    "other function": other_function,
    "bounds": bounds,
    "answer": answer,
    "deleted": deleted,
}
