"""The syntax tree of a function, if it is certain to be that of its code."""

from __future__ import annotations
import __future__

import ast
import linecache
from copy import copy
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from inspect import CO_NESTED
from types import CodeType, FunctionType
from typing import Final

Definition = ast.Lambda | ast.FunctionDef

_LOADER: Final = SourceFileLoader("", "")
"""Makes code of syntax trees, without running it."""


class NotTranslatable(Exception):  # noqa: N818 - not an error: the function is called instead
    """A function, or a name in it, has no translation."""


def written(function: FunctionType) -> Definition:
    """The definition whose code is that of the function. Raises NotTranslatable.

    A file may have changed since it was imported, or never have been there. So a definition
    counts only when the interpreter makes the very same code of it.
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    for definition in _definitions("".join(lines)).get(code.co_firstlineno, ()):
        if _code(definition, code) == code:
            return definition
    raise NotTranslatable


@lru_cache(maxsize=1)
def _definitions(text: str) -> dict[int, list[Definition]]:
    """All functions of a file by their first lines, none of a file that cannot be read."""
    found: dict[int, list[Definition]] = {}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return found
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else ()
            first = min(part.lineno for part in (node, *decorators))
            found.setdefault(first, []).append(node)
    return found


def _code(definition: Definition, like: CodeType) -> CodeType | None:
    """The interpreter's code of a definition at a place like that of ``like``; None if unsure.

    Nothing of it is run: it is only compared.
    """
    whole = _bare(definition)
    is_nested = bool(like.co_flags & CO_NESTED)
    if is_nested:
        around = ast.parse(f"def around({', '.join(like.co_freevars)}): pass").body[0]
        assert isinstance(around, ast.FunctionDef), "that is what the text says"
        around.body = [whole]
        whole = around
    is_lazy = like.co_flags & __future__.annotations.compiler_flag
    module = ast.parse("from __future__ import annotations" if is_lazy else "")
    module.body.append(whole)
    try:
        made = _LOADER.source_to_code(ast.fix_missing_locations(module), "")
    except (SyntaxError, ValueError, RecursionError):
        return None
    inside = _functions_in(made)
    if is_nested:
        inside = [code for outer in inside for code in _functions_in(outer)]
    return inside[0] if len(inside) == 1 else None


def _bare(definition: Definition) -> ast.stmt:
    """The definition as a statement, without other functions in its defaults and decorators."""
    args = copy(definition.args)
    args.defaults = [ast.Constant(None) for _ in args.defaults]
    args.args = [ast.copy_location(ast.arg(arg.arg), arg) for arg in args.args]
    if isinstance(definition, ast.Lambda):
        return ast.Expr(ast.copy_location(ast.Lambda(args, definition.body), definition))
    bare = copy(definition)
    bare.args, bare.returns = args, None
    bare.decorator_list = [
        ast.copy_location(ast.Constant(None), decorator) for decorator in definition.decorator_list
    ]
    return bare


def _functions_in(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]
