"""Calls in Python code that state requirements: setuptools' ``setup``, nox's sessions, pip started as a process."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from compat.facts.pins import StatedPython
from compat.probe.pins.code.conditions import dotted
from compat.probe.pins.code.finds import Finds
from compat.probe.pins.code.statements import Statements
from compat.probe.pins.code.values import Either, Many, Table, Text, Value, leaves
from compat.probe.pins.commands.found import Around
from compat.probe.pins.commands.shell import scripted
from compat.probe.pins.commands.shell_words import Script

_LISTS = (("install_requires", ""), ("setup_requires", "build"), ("tests_require", "group tests"))
_STARTERS = frozenset(
    {"subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen"}
)
_SHELLS = frozenset({"os.system", "os.popen", "subprocess.getoutput"})
_PIP = frozenset({"pip", "pip3"})
_COMBINATIONS = 50
"""Of a session's parameters."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Calls:
    """What is done with each call."""

    finds: Finds
    requires_python: str | None = None

    def __call__(self, walk: Statements, node: ast.Call) -> None:
        """Take what a call states."""
        name = dotted(node.func, walk.expressions.aliases)
        owner, _, method = name.rpartition(".")
        if name.rpartition(".")[2] == "setup" and owner in {
            "",
            "setuptools",
            "distutils.core",
            "skbuild",
            "numpy.distutils.core",
        }:
            self._setup(walk, node)
        elif owner == "session" and method in _SESSION:
            self._session(walk, node, method)
        elif name in _STARTERS or name in {"pip.main", "pip._internal.main"}:
            self._started(walk, node, pip=name.startswith("pip"))
        elif name in _SHELLS and node.args:
            self._shell(walk, walk.expressions.value(node.args[0]))

    def _setup(self, walk: Statements, node: ast.Call) -> None:
        given: dict[str, Value] = {}
        for word in node.keywords:
            value = walk.expressions.value(word.value)
            if word.arg is not None:
                given[word.arg] = value
            elif isinstance(value, Table):
                given.update(value.entries)
        for name, group in _LISTS:
            if name in given:
                self.finds.required(given[name], group, walk.side)
        self.finds.extras(given.get("extras_require"), walk.side)
        python = given.get("python_requires")
        if isinstance(python, Text) and _is_set(python.text):
            self.requires_python = python.text.strip()

    def _session(self, walk: Statements, node: ast.Call, method: str) -> None:
        words = _words(walk, node.args)
        if method == "install":
            self.finds.installed(words, walk.group, walk.side)
        elif method == "conda_install":
            self.finds.conda(words, walk.group, walk.side)
        else:
            self._command(walk, words)

    def _started(self, walk: Statements, node: ast.Call, *, pip: bool) -> None:
        command = next((word.value for word in node.keywords if word.arg == "args"), None)
        first = node.args[0] if node.args else command
        value = walk.expressions.value(first) if first is not None else Many()
        if isinstance(value, (Text, Either)):
            self._shell(walk, value)
        else:
            self._command(walk, value, pip=pip)

    def _command(self, walk: Statements, words: Value, *, pip: bool = False) -> None:
        """``[sys.executable, "-m", "pip", "install", …]``: the words behind ``install``."""
        listed = list(words.items) if isinstance(words, Many) else []
        said = [word.text if isinstance(word, Text) else "" for word in listed[:_HEAD]]
        if "install" in said and (pip or _PIP & set(said[: said.index("install")])):
            self.finds.installed(Many(tuple(listed[said.index("install") + 1 :])), walk.group, walk.side)

    def _shell(self, walk: Statements, value: Value) -> None:
        for leaf, side in leaves(value, self.finds.budget, walk.side):
            if isinstance(leaf, Text) and "install" in leaf.text:
                script = Script(leaf.text, self.finds.source, leaf.at)
                around = Around(marker=side.marker, group=walk.group or side.branch, editable=False, quiet=True)
                self.finds.add(*scripted(script, around)[0])


_SESSION = frozenset({"install", "conda_install", "run", "run_always", "run_install"})
_HEAD = 8
"""Words before ``install``."""


def sessions(walk: Statements, calls: Calls) -> None:
    """Follow nox's sessions, each as a group of its own, with every combination of its parameters."""
    for name, node in list(walk.functions.items()):
        marks = [_decorator(mark, walk) for mark in node.decorator_list]
        about = next((call for kind, call in marks if kind == "session"), None)
        if not any(kind == "session" for kind, _ in marks):
            continue
        walk.entered.add(name)
        group = f"session {_called(about, name)}"
        calls.finds.add(*_pythons(walk, about, group))
        first = node.args.args[0].arg if node.args.args else ""
        walk.expressions.aliases[first] = "session"
        for values in _parameters(walk, [call for kind, call in marks if kind == "parametrize" and call]):
            walk.group = group + _shown(values)
            if values:
                calls.finds.groups.setdefault(group, {})[walk.group] = None
            walk.inside(node, **values)
        walk.expressions.aliases.pop(first, None)
    walk.group = ""


def others(walk: Statements) -> None:
    """Follow the functions that no call led into: ``main``, a command's ``run``."""
    for name, node in list(walk.functions.items()):
        if name not in walk.entered:
            walk.entered.add(name)
            walk.inside(node)


def _words(walk: Statements, arguments: list[ast.expr]) -> Many:
    plain = (one.value if isinstance(one, ast.Starred) else one for one in arguments)
    words: list[Value] = []
    for value in map(walk.expressions.value, plain):
        words.extend(value.items if isinstance(value, Many) else [value])
    return Many(tuple(words))


def _decorator(node: ast.expr, walk: Statements) -> tuple[str, ast.Call | None]:
    call = node if isinstance(node, ast.Call) else None
    name = dotted(call.func if call else node, walk.expressions.aliases)
    return (name.rpartition(".")[2] if name.startswith(("nox.", "nox_", "session")) else ""), call


def _called(about: ast.Call | None, function: str) -> str:
    named = next((word.value for word in about.keywords if word.arg == "name"), None) if about else None
    return named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else function


def _pythons(walk: Statements, about: ast.Call | None, group: str) -> list[StatedPython]:
    """The versions in ``@nox.session(python=[…])``."""
    given = [word.value for word in about.keywords if word.arg in {"python", "py"}] if about else []
    given = given or (about.args[:1] if about else [])
    found = []
    for node in given:
        for leaf, _ in leaves(walk.expressions.value(node), walk.expressions.budget):
            version = leaf.text.removeprefix("python") if isinstance(leaf, Text) else ""
            if version.replace(".", "").isdigit():
                line, column = walk.expressions.source.place(leaf.at)
                what = f"the python of nox's {group}"
                found.append(StatedPython(version=version, line=line, column=column, what=what, group=group))
    return found


def _parameters(walk: Statements, marks: list[ast.Call]) -> list[dict[str, Value]]:
    """Every combination of ``@nox.parametrize("a, b", [(1, 2), …])``."""
    made: list[dict[str, Value]] = [{}]
    for mark in marks:
        names = walk.expressions.literal(mark.args[0]) if len(mark.args) > 1 else None
        rows = walk.expressions.value(mark.args[1]) if len(mark.args) > 1 else None
        if not isinstance(names, str) or not isinstance(rows, Many):
            continue
        keys = [name.strip() for name in names.split(",")]
        made = [{**one, **_row(keys, row)} for one in made for row in rows.items][:_COMBINATIONS]
    return made or [{}]


def _shown(values: dict[str, Value]) -> str:
    """As nox shows a combination: each is a session of its own."""
    said = (f"{name}='{value.text}'" if isinstance(value, Text) else f"{name}=?" for name, value in values.items())
    return f"({', '.join(said)})" if values else ""


def _row(keys: list[str], row: Value) -> dict[str, Value]:
    values = row.items if isinstance(row, Many) and len(keys) > 1 else (row,)
    return dict(zip(keys, values, strict=False))


def _is_set(text: str) -> bool:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return False
    return True
