"""Python code: setup.py, noxfile.py, and scripts that install; parsed, followed, never executed or imported."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import replace

from compat.facts.pins import PinFile, Unread
from compat.probe.pins.code import calls as code_calls
from compat.probe.pins.code import scan as code_scan
from compat.probe.pins.code.expressions import Expressions
from compat.probe.pins.code.finds import Finds
from compat.probe.pins.code.statements import Statements
from compat.probe.pins.code.values import Budget, SpentError
from compat.probe.pins.commands.found import collected
from compat.probe.pins.source import Source

LIMIT = 500_000
"""Characters: what people write by hand has a tenth of it; Python's parser takes seconds for more."""

_LONE_RETURN = re.compile(r"\r(?!\n)")
"""A line end to Python, and to nothing else here that counts lines."""


def read(source: Source) -> PinFile:
    """Return the requirements that a file's code states."""
    kind = {"setup.py": "setup.py", "noxfile.py": "noxfile"}.get(source.path.name.lower(), "code")
    if len(source.text) > LIMIT:
        return PinFile(path=str(source.path), kind=kind, problem="more code than is read (500 kB)")
    if code_scan.too_deep(source.text):
        return PinFile(path=str(source.path), kind=kind, problem="nested too deeply")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes and comparisons in code that is not ours
            tree = ast.parse(_LONE_RETURN.sub(" ", source.text))
        return _followed(tree, source, kind)
    except (RecursionError, MemoryError):
        return PinFile(path=str(source.path), kind=kind, problem="nested too deeply")
    except (SyntaxError, ValueError) as error:
        return _scanned(error, source, kind)


def _followed(tree: ast.Module, source: Source, kind: str) -> PinFile:
    budget = Budget()
    finds = Finds(source, budget)
    calls = code_calls.Calls(finds)
    walk = Statements(Expressions(source, budget), calls)
    walk.expressions.call = walk.function
    try:
        walk.run(tree.body)
        code_calls.sessions(walk, calls)
        code_calls.others(walk)
    except SpentError:
        finds.add(Unread(line=1, column=1, text="", why="more code than can be followed"))
    return replace(collected(source, kind, finds.rows, finds.scopes), requires_python=calls.requires_python)


def _scanned(error: SyntaxError | ValueError, source: Source, kind: str) -> PinFile:
    """A file that Python refuses still shows its lists to whoever reads it."""
    line = getattr(error, "lineno", None) or 1
    column = max(getattr(error, "offset", None) or 1, 1)
    said = getattr(error, "msg", None) or str(error)
    note = Unread(
        line=line, column=column, text="", why=f"Python cannot parse this file: {' '.join(said.split())[:120]}"
    )
    return collected(source, kind, (*code_scan.lists(source), note))
