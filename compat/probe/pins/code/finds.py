"""Values of Python code as pins: lists of requirements, and the words of an install command."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from packaging.utils import canonicalize_name

from compat.facts.pins import Pin, Unread
from compat.probe.pins.code.values import Budget, Leaf, Side, Table, Text, Unknown, Value, leaves, within
from compat.probe.pins.commands.found import Found, Scopes
from compat.probe.pins.conda import constraints as constraints_conda
from compat.probe.pins.pip.requirements import Walk, include
from compat.probe.pins.requirement import Where, parse
from compat.probe.pins.source import Source

_INCLUDES = {"-r": False, "--requirement": False, "-c": True, "--constraint": True}
_VALUED = frozenset(
    {"-i", "--index-url", "--extra-index-url", "-f", "--find-links", "-t", "--target", "--prefix", "--root", "-p"}
)
"""Options of pip whose value is the next word."""
_CONDA_VALUED = frozenset({"-c", "--channel", "-n", "--name", "-p", "--prefix", "--file"})


@dataclass(slots=True)
class Finds:
    """What has been found so far, and which groups go together."""

    source: Source
    budget: Budget
    rows: dict[Found, None] = field(default_factory=dict)
    groups: dict[str, dict[str, None]] = field(default_factory=dict)
    """For each group those inside it: the branches of its conditions."""
    walk: Walk = field(default_factory=Walk)

    @property
    def scopes(self) -> Scopes:
        """A group with each of its branches."""
        return tuple((group, inner) for group, inside in self.groups.items() if group for inner in inside)

    def add(self, *found: Found | None) -> None:
        """Keep what was found."""
        self.rows.update(dict.fromkeys(one for one in found if one is not None))

    def required(self, value: Value | None, group: str, side: Side, *, quiet: bool = False) -> None:
        """Take a list of requirements."""
        for leaf, inner in leaves(value, self.budget, side):
            if isinstance(leaf, Text):
                for line, at in _lines(leaf):
                    self.add(parse(line, at, self.source, self._where(group, inner)))
            elif not quiet:
                self.add(self._unread(leaf))

    def extras(self, value: Value | None, side: Side) -> None:
        """Take a dict of lists of requirements; an older spelling puts a marker behind the name: ``name:marker``."""
        if isinstance(value, Table):
            for name, listed in value.entries.items():
                extra, _, marker = name.partition(":")
                group = f"extra {extra}" if extra else ""
                self.required(listed, group, within(side, Side(marker.strip())))
        elif isinstance(value, Unknown):
            self.add(self._unread(value))

    def installed(self, value: Value, group: str, side: Side) -> None:
        """Take the words behind ``pip install``."""
        option = ""
        for leaf, inner in leaves(value, self.budget, side):
            if isinstance(leaf, Unknown):
                option = ""
            elif option in _INCLUDES:
                self.add(include(leaf.text, leaf.at, self.source, self.walk, constraint=_INCLUDES[option]))
                option = ""
            elif option in _VALUED:
                option = ""
            elif leaf.text.startswith("-"):
                option = self._option(leaf)
            else:
                where = self._where(group, inner)
                self.add(self._quiet(parse(leaf.text, leaf.at, self.source, where)))
                option = ""

    def conda(self, value: Value, group: str, side: Side) -> None:
        """Take the words behind ``conda install``."""
        option = ""
        for leaf, inner in leaves(value, self.budget, side):
            if isinstance(leaf, Text) and option not in _CONDA_VALUED and not leaf.text.startswith("-"):
                self.add(self._of_conda(leaf, self._where(group, inner)))
            option = leaf.text if isinstance(leaf, Text) and leaf.text.startswith("-") else ""

    def _option(self, leaf: Text) -> str:
        name, _, rest = leaf.text.replace("=", " ", 1).partition(" ")
        if rest.strip() and name in _INCLUDES:
            at = leaf.at + leaf.text.find(rest.strip())
            self.add(include(rest.strip(), at, self.source, self.walk, constraint=_INCLUDES[name]))
        return "" if rest.strip() else name

    def _where(self, group: str, side: Side) -> Where:
        inner = ", ".join(part for part in (group, side.branch) if part)
        if inner != group:
            self.groups.setdefault(group, {})[inner] = None
        return Where(group=inner, marker=side.marker)

    def _of_conda(self, leaf: Text, where: Where) -> Found | None:
        spec = constraints_conda.spec(leaf.text.strip())
        if spec is None or "{" in leaf.text:
            return None
        line, column = self.source.place(leaf.at + spec.name_at)
        return Pin(
            name=canonicalize_name(spec.name),
            specifier=spec.written,
            marker=where.marker,
            line=line,
            column=column,
            admits=None if spec.admits == (spec.written,) else spec.admits,
            group=where.group,
            origin="conda",
            channel=spec.channel,
        )

    def _quiet(self, found: Pin | Unread | None) -> Pin | Unread | None:
        """A path that is installed (``.``, ``-e .``) is the project itself."""
        return None if isinstance(found, Unread) and found.text.startswith((".", "/")) else found

    def _unread(self, leaf: Leaf) -> Unread:
        line, column = self.source.place(leaf.at)
        end = self.source.text.find("\n", leaf.at, leaf.at + 80)
        text = self.source.text[leaf.at : end if end >= 0 else leaf.at + 80].strip()
        return Unread(line=line, column=column, text=text, why=leaf.why if isinstance(leaf, Unknown) else "")


def _lines(leaf: Text) -> Iterator[tuple[str, int]]:
    """A string of several lines is as many requirements to setuptools."""
    at = leaf.at
    for line in leaf.text.split("\n"):
        bare = line.partition(" #")[0]
        if not bare.lstrip().startswith("#"):
            yield bare, at
        at += len(line) + 1
