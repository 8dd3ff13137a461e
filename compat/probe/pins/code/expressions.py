"""Expressions of Python code as values, read and never evaluated by Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from compat.probe.pins.code import conditions
from compat.probe.pins.code import strings as code_strings
from compat.probe.pins.code.values import (
    Budget,
    Either,
    Fact,
    Many,
    Side,
    SpentError,
    Table,
    Test,
    Text,
    Unknown,
    Value,
    joined,
    sides,
    within,
)
from compat.probe.pins.source import Source

_QUOTE = re.compile(r"[A-Za-z]{0,2}(?:\"\"\"|'''|\"|')")
_DEPTH = 60
_OPTIONS = 20
"""Strings one string can stand for."""
_LONG_LINE = 20_000
"""In a longer line that is not ASCII, a column is told in bytes."""
_LISTS = frozenset({"list", "tuple", "set", "sorted", "frozenset"})


@dataclass(slots=True)
class Scope:
    """Names and what they stand for; a branch of a condition is a layer on what was known before it."""

    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)

    def get(self, name: str) -> Value | None:
        """Return what a name stands for."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


@dataclass(slots=True)
class Expressions:
    """What expressions stand for, with the names known so far."""

    source: Source
    budget: Budget = field(default_factory=Budget)
    scope: Scope = field(default_factory=Scope)
    aliases: dict[str, str] = field(default_factory=dict)
    """Imported names and what they are (``system`` is ``platform.system``)."""
    call: Callable[[str], Value | None] = lambda _: None
    """What a function of the file returns."""
    lines: dict[int, bytes | None] = field(default_factory=dict)

    def value(self, node: ast.expr, depth: int = 0) -> Value:
        """Return what an expression stands for. Raises SpentError."""
        self.budget.spend()
        if depth > _DEPTH:
            raise SpentError
        reader = _READERS.get(type(node))
        found = reader(self, node, depth + 1) if reader else None
        return found if found is not None else Unknown(self.offset(node))

    def offset(self, node: ast.expr | ast.stmt) -> int:
        """Return where a node begins; ast counts columns in bytes of UTF-8."""
        start = self.source.start_of(node.lineno)
        if node.lineno not in self.lines:
            end = self.source.text.find("\n", start)
            line = self.source.text[start : end if end >= 0 else None]
            self.lines[node.lineno] = None if line.isascii() or len(line) > _LONG_LINE else line.encode()
        raw = self.lines[node.lineno]
        return start + (node.col_offset if raw is None else len(raw[: node.col_offset].decode(errors="replace")))

    def test(self, node: ast.expr, depth: int = 0) -> Test | None:
        """Return a condition as a marker, None where it is about something else."""
        found = self.value(node, depth)
        return found if isinstance(found, Test) else None

    def literal(self, node: ast.expr, depth: int = 0) -> object:
        """Return the string, or the tuple of strings and numbers, that an expression is."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)) and depth < _DEPTH:
            self.budget.spend(len(node.elts))
            return tuple(self.literal(item, depth + 1) for item in node.elts)
        found = self.value(node, depth)
        return found.text if isinstance(found, Text) else None

    def texts(self, value: Value) -> Iterator[tuple[Side, Text]]:
        """Yield the strings a value may be."""
        if isinstance(value, Text):
            yield Side(), value
        elif isinstance(value, Either):
            for side, option in value.options:
                for inner, text in self.texts(option):
                    self.budget.spend()
                    yield within(side, inner), text

    def combined(self, parts: list[Value], at: int) -> Value:
        """Return the string that parts make together; an unknown one is ``{x}`` in it."""
        made: list[tuple[Side, str]] = [(Side(), "")]
        for part in parts:
            options = list(self.texts(part)) or [(Side(), Text("{x}", at))]
            made = [(within(side, more), text + one.text) for side, text in made for more, one in options]
            self.budget.spend(len(made))
            if len(made) > _OPTIONS or len(made[0][1]) > code_strings.LIMIT:
                return Unknown(at)
        if len(made) == 1:
            return Text(made[0][1], at)
        return Either(tuple((side, Text(text, at)) for side, text in made))

    def content(self, node: ast.expr) -> int:
        """Return where a string's characters begin, behind its quote."""
        at = self.offset(node)
        quote = _QUOTE.match(self.source.text, at)
        return quote.end() if quote else at


def _constant(reading: Expressions, node: ast.Constant, _: int) -> Value | None:
    return Text(node.value, reading.content(node)) if isinstance(node.value, str) else None


def _formatted(reading: Expressions, node: ast.JoinedStr, depth: int) -> Value:
    parts: list[Value] = []
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            parts.append(reading.value(piece.value, depth))
        elif isinstance(piece, ast.Constant):
            parts.append(Text(str(piece.value), 0))
    return reading.combined(parts, reading.content(node))


def _list(reading: Expressions, node: ast.List | ast.Tuple | ast.Set, depth: int) -> Value:
    return Many(
        tuple(reading.value(item.value if isinstance(item, ast.Starred) else item, depth) for item in node.elts)
    )


def _dict(reading: Expressions, node: ast.Dict, depth: int) -> Value:
    entries: dict[str, Value] = {}
    for key, item in zip(node.keys, node.values, strict=True):
        value = reading.value(item, depth)
        if key is None:
            entries.update(value.entries if isinstance(value, Table) else {})
        elif isinstance(named := reading.value(key, depth), Text):
            entries[named.text] = value
    return Table(entries)


def _binary(reading: Expressions, node: ast.BinOp, depth: int) -> Value | None:
    left, right = reading.value(node.left, depth), reading.value(node.right, depth)
    if isinstance(node.op, ast.Mod) and isinstance(left, Text):
        return code_strings.percent(left, right.text if isinstance(right, Text) else None, reading.budget)
    if isinstance(node.op, ast.BitOr) and isinstance(left, Table) and isinstance(right, Table):
        return Table({**left.entries, **right.entries})
    return added(left, right, reading) if isinstance(node.op, ast.Add) else None


def added(left: Value, right: Value, reading: Expressions) -> Value:
    """Return ``left + right``: a string where one begins it, else a list."""
    if isinstance(left, Text) or (isinstance(right, Text) and not isinstance(left, (Many, Table))):
        return reading.combined([left, right], left.at if isinstance(left, Text) else getattr(right, "at", 0))
    items = (
        *(left.items if isinstance(left, Many) else (left,)),
        *(right.items if isinstance(right, Many) else (right,)),
    )
    reading.budget.spend(len(items))
    return Many(items)


def _choice(reading: Expressions, node: ast.IfExp, depth: int) -> Value | None:
    where = sides(reading.test(node.test, depth), node.body.lineno, node.orelse.lineno)
    return joined(reading.value(node.body, depth), reading.value(node.orelse, depth), where, reading.budget)


def _name(reading: Expressions, node: ast.Name, _: int) -> Value | None:
    return reading.scope.get(node.id) or conditions.fact(node, reading.aliases)


def _attribute(reading: Expressions, node: ast.Attribute, _: int) -> Value | None:
    return conditions.fact(node, reading.aliases)


def _subscript(reading: Expressions, node: ast.Subscript, depth: int) -> Value | None:
    owner = reading.value(node.value, depth)
    if isinstance(owner, Fact):
        return owner if owner.name == "version_info" and isinstance(node.slice, ast.Slice) else None
    key = reading.literal(node.slice, depth)
    if isinstance(owner, Table) and isinstance(key, str):
        return owner.entries.get(key)
    if isinstance(owner, Many) and isinstance(key, int) and -len(owner.items) <= key < len(owner.items):
        return owner.items[key]
    return None


def _boolean(reading: Expressions, node: ast.BoolOp, depth: int) -> Value | None:
    tests = [reading.test(part, depth) for part in node.values]
    return conditions.all_of(tests) if isinstance(node.op, ast.And) else conditions.any_of(tests)


def _unary(reading: Expressions, node: ast.UnaryOp, depth: int) -> Value | None:
    return conditions.opposite(reading.test(node.operand, depth)) if isinstance(node.op, ast.Not) else None


def _compare(reading: Expressions, node: ast.Compare, depth: int) -> Value | None:
    if len(node.ops) != 1:
        return None
    operator, right = node.ops[0], node.comparators[0]
    if isinstance(node.left, ast.Name) and node.left.id == "__name__":
        return conditions.ALWAYS
    asked = reading.value(node.left, depth)
    if isinstance(asked, Fact):
        return conditions.compared(asked, operator, reading.literal(right, depth))
    inside = reading.value(right, depth)
    if isinstance(asked, Text) and isinstance(inside, Fact) and isinstance(operator, (ast.In, ast.NotIn)):
        return conditions.contained(asked.text, inside, negated=isinstance(operator, ast.NotIn))
    return None


def _call(reading: Expressions, node: ast.Call, depth: int) -> Value | None:
    asked = conditions.fact(node, reading.aliases)
    if asked is not None:
        return asked
    if isinstance(node.func, ast.Attribute):
        return _method(reading, node.func, node, depth)
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in _LISTS and len(node.args) == 1:
        found = reading.value(node.args[0], depth)
        return found if isinstance(found, (Many, Either)) else None
    if name == "dict":
        return Table({word.arg: reading.value(word.value, depth) for word in node.keywords if word.arg})
    return reading.call(name) if name else None


def _method(reading: Expressions, func: ast.Attribute, node: ast.Call, depth: int) -> Value | None:
    owner = reading.value(func.value, depth)
    if isinstance(owner, Fact):
        if func.attr in {"lower", "casefold"}:
            return Fact(owner.name, lower=True)
        word = reading.literal(node.args[0], depth) if func.attr == "startswith" and node.args else None
        return conditions.starting(owner, word) if isinstance(word, str) else None
    if func.attr == "copy":
        return owner
    if func.attr in {"get", "pop"} and isinstance(owner, Table) and node.args:
        return owner.entries.get(str(reading.literal(node.args[0], depth)))
    if not isinstance(owner, Text):
        return None
    known = {word.arg: reading.literal(word.value, depth) for word in node.keywords}
    by = reading.literal(node.args[0], depth) if node.args else None
    return code_strings.called(owner, func.attr, by, known, reading.budget)


_READERS: dict[type[ast.expr], Callable[..., Value | None]] = {
    ast.Constant: _constant,
    ast.JoinedStr: _formatted,
    ast.List: _list,
    ast.Tuple: _list,
    ast.Set: _list,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.IfExp: _choice,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BoolOp: _boolean,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.Call: _call,
}
