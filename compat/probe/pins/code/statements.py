"""Statements of Python code, followed without running them: what names stand for, and what is installed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from compat.probe.pins.code import conditions
from compat.probe.pins.code.expressions import Expressions, Scope, added
from compat.probe.pins.code.values import Many, Side, Table, Unknown, Value, joined, sides, within

Calls = Callable[["Statements", ast.Call], None]
Body = list[ast.stmt]

_DEPTH = 40
_ROUNDS = 50
"""Rounds of a loop over a list that stands in the file."""


@dataclass(slots=True)
class Statements:
    """A walk through statements in their order."""

    expressions: Expressions
    called: Calls
    """What to do with a call: most mean nothing here."""
    side: Side = field(default_factory=Side)
    """The conditions around."""
    group: str = ""
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)
    """Functions that a call has led into."""
    depth: int = 0

    def run(self, body: Body) -> Value | None:
        """Follow statements; return what they return. Raises SpentError."""
        if self.depth >= _DEPTH:
            return None
        self.depth += 1
        try:
            for number, statement in enumerate(body):
                self.expressions.budget.spend()
                found = self._one(statement, body, number + 1)
                if found is not None:
                    return found
            return None
        finally:
            self.depth -= 1

    def function(self, name: str) -> Value | None:
        """Return what a function of the file returns; what it is called with is not looked at."""
        node = self.functions.get(name)
        if node is None or name in self._open():
            return None
        self.entered.add(name)
        return self.inside(node)

    def inside(self, node: ast.FunctionDef | ast.AsyncFunctionDef, **names: Value) -> Value | None:
        """Follow a function's body with its arguments unknown, but for those named."""
        given = {argument.arg: names.get(argument.arg) for argument in (*node.args.args, *node.args.kwonlyargs)}
        at = self.expressions.offset(node)
        with self._layer() as layer:
            layer.names.update({name: value or Unknown(at) for name, value in given.items()})
            layer.names[_CALLED + node.name] = Unknown(at)
            return self.run(node.body)

    def _open(self) -> set[str]:
        scope: Scope | None = self.expressions.scope
        found: set[str] = set()
        while scope is not None:
            found.update(name.removeprefix(_CALLED) for name in scope.names if name.startswith(_CALLED))
            scope = scope.parent
        return found

    @contextmanager
    def _layer(self, side: Side | None = None) -> Iterator[Scope]:
        outer, before = self.expressions.scope, self.side
        self.expressions.scope = Scope(outer)
        self.side = within(before, side) if side else before
        try:
            yield self.expressions.scope
        finally:
            self.expressions.scope, self.side = outer, before

    def _if(self, statement: ast.If, body: Body, after: int) -> Value | None:
        """Follow both branches; where one of them returns, what stands behind belongs to the other."""
        test = self.expressions.test(statement.test)
        self._calls(statement.test)
        if test is conditions.ALWAYS:
            return self.run(statement.body)
        other = statement.orelse[0].lineno if statement.orelse else statement.lineno
        where = sides(test, statement.lineno, other)
        with self._layer(where[0]) as first:
            yes = self.run(statement.body)
        with self._layer(where[1]) as second:
            no = self.run(statement.orelse)
        if yes is None and no is None:
            self._join(first, second, where)
            return None
        if yes is None or no is None:
            with self._layer(where[1] if no is None else where[0]) as left:
                left.names.update((second if no is None else first).names)
                rest = self.run(body[after:]) or Many()
            yes, no = yes or rest, no or rest
        return joined(yes, no, where, self.expressions.budget)

    def _join(self, first: Scope, second: Scope, where: tuple[Side, Side]) -> None:
        scope = self.expressions.scope
        for name in dict.fromkeys((*first.names, *second.names)):
            value = joined(first.get(name), second.get(name), where, self.expressions.budget)
            if value is not None:
                scope.names[name] = value

    def _one(self, statement: ast.stmt, body: Body, after: int) -> Value | None:
        if isinstance(statement, ast.If):
            return self._if(statement, body, after)
        handler = _HANDLERS.get(type(statement))
        return handler(self, statement) if handler else None

    def _calls(self, node: ast.AST | None) -> None:
        """Look at every call in an expression."""
        for inner in ast.walk(node) if node is not None else ():
            self.expressions.budget.spend()
            if isinstance(inner, ast.Call):
                self.called(self, inner)

    def assign(self, target: ast.expr, value: Value) -> None:
        """Let a name, or an entry of a dict that has a name, stand for a value."""
        names = self.expressions.scope.names
        if isinstance(target, ast.Name):
            names[target.id] = value
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            table = self.expressions.scope.get(target.value.id)
            key = self.expressions.literal(target.slice)
            if isinstance(table, Table) and isinstance(key, str):
                self.expressions.budget.spend(len(table.entries))
                names[target.value.id] = Table({**table.entries, key: value})
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, Many):
            for one, item in zip(target.elts, value.items, strict=False):
                self.assign(one, item)

    def change(self, owner: ast.expr, method: str, argument: ast.expr) -> None:
        """Follow ``owner.append(argument)`` and its like."""
        before = self.expressions.value(owner)
        value = self.expressions.value(argument)
        if method == "update":
            if isinstance(before, Table) and isinstance(value, Table):
                self.assign(owner, Table({**before.entries, **value.entries}))
        elif not isinstance(before, Table):
            more = value if method in {"extend", "+="} else Many((value,))
            self.assign(owner, added(before, more, self.expressions))


_CALLED = "()"
"""Before the name of a function that is being followed: no name of Python's begins so."""


def _assign(walk: Statements, node: ast.Assign) -> None:
    walk._calls(node.value)  # noqa: SLF001
    value = walk.expressions.value(node.value)
    for target in node.targets:
        walk.assign(target, value)


def _annotated(walk: Statements, node: ast.AnnAssign) -> None:
    if node.value is not None:
        walk.assign(node.target, walk.expressions.value(node.value))


def _augmented(walk: Statements, node: ast.AugAssign) -> None:
    if isinstance(node.op, ast.Add):
        walk.change(node.target, "+=", node.value)


def _expression(walk: Statements, node: ast.Expr) -> None:
    call = node.value
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
        method = call.func.attr
        if method in {"append", "extend", "update", "add"}:
            walk.change(call.func.value, method, call.args[0])
        elif method == "insert" and len(call.args) > 1:
            walk.change(call.func.value, "append", call.args[1])
    walk._calls(call)  # noqa: SLF001


def _return(walk: Statements, node: ast.Return) -> Value | None:
    walk._calls(node.value)  # noqa: SLF001
    return walk.expressions.value(node.value) if node.value is not None else Many()


def _block(walk: Statements, node: ast.With | ast.AsyncWith | ast.While) -> Value | None:
    return walk.run(node.body)


def _try(walk: Statements, node: ast.Try) -> Value | None:
    found = walk.run([*node.body, *node.orelse])
    for handler in node.handlers:
        with walk._layer(Side(branch=f"branch at line {handler.lineno}")):  # noqa: SLF001
            walk.run(handler.body)
    after = walk.run(node.finalbody)
    return found if found is not None else after


def _loop(walk: Statements, node: ast.For | ast.AsyncFor) -> Value | None:
    value = walk.expressions.value(node.iter)
    items = value.items[:_ROUNDS] if isinstance(value, Many) else ()
    for item in items:
        walk.assign(node.target, item)
        walk.run(node.body)
    if not items:
        walk.assign(node.target, Unknown(walk.expressions.offset(node.iter)))
        walk.run(node.body)
    return None


def _function(walk: Statements, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    walk.functions[node.name] = node


def _class(walk: Statements, node: ast.ClassDef) -> None:
    for inner in node.body:
        if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            walk.functions[f"{node.name}.{inner.name}"] = inner


def _import(walk: Statements, node: ast.Import) -> None:
    for name in node.names:
        if name.asname:
            walk.expressions.aliases[name.asname] = name.name


def _from(walk: Statements, node: ast.ImportFrom) -> None:
    for name in node.names:
        walk.expressions.aliases[name.asname or name.name] = f"{node.module}.{name.name}"


_HANDLERS: dict[type[ast.stmt], Callable[..., Value | None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.With: _block,
    ast.AsyncWith: _block,
    ast.While: _block,
    ast.Try: _try,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _from,
}
