"""A benchmark's questions from the published Python form. The file is parsed, never run.

Understood are module-level assignments of constants: text, numbers, lists and dicts of them, their
concatenation by `+`, `+=` or side by side, f-strings without formats, names of earlier constants,
and `.strip()`. Anything else is ignored unless `QUERIES` depends on it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from factmark.errors import InputError

_LIST = "QUERIES"
_MAX_TEXT = 1_000_000  # characters; constants that add themselves up must end somewhere

Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]


class _NotConstantError(Exception):
    """An expression that is no constant of the kind above; `line` is where it stands."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.line = getattr(node, "lineno", 1)


def python_records(
    text: str, path: str, _: list[str]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The line and the fields of each question in a Python file with a list `QUERIES` of dicts.

    Raises:
        InputError: no valid Python, no such list, or a part of it is no constant.
    """
    try:
        module = ast.parse(text)
        node, value = _queries(module, path)
    except SyntaxError as error:
        raise InputError(
            f"{path}, line {error.lineno or 1}: no valid Python ({error.msg}); is the file cut off?"
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"{path} is no Python file that can be parsed: {error}.") from error
    if not isinstance(value, list):
        raise InputError(f"{path}, line {node.lineno}: {_LIST} must be a list of dicts.")
    apart = isinstance(node, ast.List | ast.Tuple) and len(node.elts) == len(value)
    for at, record in enumerate(value):
        line = node.elts[at].lineno if apart else node.lineno  # type: ignore[attr-defined]  # a list
        if not isinstance(record, dict):
            what = f"{record!r:.40}"
            raise InputError(
                f"{path}, line {line}: an entry of {_LIST} must be a dict, not {what}."
            )
        yield f"line {line}", record


def _queries(module: ast.Module, path: str) -> tuple[ast.expr, Value]:
    """The expression that `QUERIES` is set to at last, and its value."""
    known: dict[str, Value] = {}
    failed: dict[str, _NotConstantError] = {}
    found: ast.expr | None = None
    for statement in module.body:
        assigned = _assignment(statement)
        if assigned is None:
            continue
        name, node = assigned
        known_before = known.pop(name, None)
        try:
            value = _value(node, known)
            known[name] = (
                _sum(node, known_before, value) if isinstance(statement, ast.AugAssign) else value
            )
            failed.pop(name, None)
        except _NotConstantError as error:
            failed[name] = error
        if name == _LIST:
            found = node
    if found is None:
        raise InputError(f"{path} sets no list {_LIST} at its top level.")
    if _LIST in failed:
        reason = failed[_LIST]
        raise InputError(f"{path}, line {reason.line}: {reason}. The file is read, never run.")
    return found, known[_LIST]


def _assignment(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """The name and the expression of an assignment to one name."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) or (
        isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add)
    ):
        target = statement.target
    else:
        return None
    if not isinstance(target, ast.Name) or statement.value is None:
        return None
    return target.id, statement.value


def _value(node: ast.expr, known: Mapping[str, Value]) -> Value:
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_value(element, known) for element in elements]
        case ast.Dict(keys=keys, values=values):
            return {
                _key(key, node, known): _value(value, known)
                for key, value in zip(keys, values, strict=True)
            }
        case ast.JoinedStr(values=parts):
            return _checked(node, "".join(_part(part, known) for part in parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum(node, _value(left, known), _value(right, known))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Name(id=name):
            raise _NotConstantError(node, f"the name {name} is no text or number set above")
        case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[], keywords=[]):
            text = _value(inner, known)
            if isinstance(text, str):
                return text.strip()
    raise _NotConstantError(node, f"`{ast.unparse(node):.60}` is no constant")


def _key(key: ast.expr | None, node: ast.expr, known: Mapping[str, Value]) -> str:
    value = None if key is None else _value(key, known)
    if not isinstance(value, str):
        raise _NotConstantError(key or node, "a key of a dict must be text")
    return value


def _part(part: ast.expr, known: Mapping[str, Value]) -> str:
    """A piece of an f-string."""
    if isinstance(part, ast.FormattedValue):
        if part.conversion != -1 or part.format_spec is not None:
            raise _NotConstantError(part, "a format in an f-string is not read")
        part = part.value
    value = _value(part, known)
    if isinstance(value, str | int | float):
        return str(value)
    raise _NotConstantError(part, "an f-string may hold text and numbers only")


def _sum(node: ast.expr, left: Value, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str):
        return _checked(node, left + right)
    if isinstance(left, list) and isinstance(right, list):
        if len(left) + len(right) > _MAX_TEXT:
            raise _NotConstantError(node, "the list is too long")
        return left + right
    raise _NotConstantError(node, "only texts and lists can be added")


def _checked(node: ast.expr, text: str) -> str:
    if len(text) > _MAX_TEXT:
        raise _NotConstantError(node, "the text is too long")
    return text
