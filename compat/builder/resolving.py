"""The hashed pins to install: the shipped ones, or a resolution of the pair with what is wanted besides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from compat.builder import disk
from compat.builder.uv import Uv, is_hopeless
from compat.errors import CannotAct
from compat.matrix.load import Matrix
from compat.matrix.model import Lock
from compat.plan import export
from compat.plan.model import Candidate

_PIN = re.compile(r"^([a-z0-9._-]+)==([^\s\\;]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an environment is to hold besides the pair."""

    files: tuple[Path, ...] = ()
    """The user's own requirement files."""
    names: tuple[str, ...] = ("pip",)
    """Further distributions: pip, which people expect in an environment, and ``ipykernel`` for a kernel."""
    carried: tuple[str, ...] = ()
    """Requirements for what the replaced environment held, by name."""
    present: tuple[str, ...] = ()
    """The versions it held them in, as pins: kept where the pair allows it."""


class Tools(Protocol):
    """What a resolution needs of a job."""

    @property
    def uv(self) -> Uv:
        """The uv to ask."""

    @property
    def matrix(self) -> Matrix:
        """Where shipped pins are."""

    @property
    def say(self) -> Callable[[str], None]:
        """Who hears of it."""


def pins(candidate: Candidate, building: Path, python: str, wanted: Wanted, tools: Tools) -> Path:
    """Write the pins into ``building`` for an interpreter and return the file. Raises CannotAct."""
    output = building / "requirements.lock"
    shipped = tools.matrix.lock(candidate.lock) if candidate.lock else None
    if shipped is not None and not wanted.files and not wanted.carried and covers(shipped, wanted.names):
        disk.write(output, export.requirements(shipped))
        return output
    tools.say("resolving requirements together")
    _resolved(candidate, building, python, wanted, shipped, tools)
    for moved in _moved(output.read_text("utf-8"), wanted):
        tools.say(moved)
    return output


def _resolved(
    candidate: Candidate, building: Path, python: str, wanted: Wanted, shipped: Lock | None, tools: Tools
) -> None:
    """Resolve under the narrowest constraints that leave a solution. Raises CannotAct."""
    kept, asked, constraints = wanted, building / "pair.in", building / "constraints.txt"
    for number, (text, otherwise) in enumerate(_constraints(candidate, shipped, wanted)):
        if number == 1 and wanted.carried:
            kept = replace(wanted, carried=tuple(_still_to_be_had(wanted, python, building, tools)))
        disk.write(asked, "\n".join((*candidate.requirements, *kept.names, *kept.carried)) + "\n")
        disk.write(constraints, text)
        try:
            output = building / "requirements.lock"
            tools.uv.compile((asked, *wanted.files), python=python, output=output, constraints=constraints)
        except CannotAct as error:
            if not otherwise or is_hopeless(error):
                raise
            tools.say(otherwise)
        else:
            return


def _still_to_be_had(wanted: Wanted, python: str, building: Path, tools: Tools) -> Iterator[str]:
    """What an index knows in the very version that was there: another of that name may be a stranger's."""
    present = {pin.partition("==")[0]: pin for pin in wanted.present}
    for name in wanted.carried:
        if tools.uv.knows(present.get(name, name), python=python, folder=building):
            yield name
        else:
            tools.say(f"{present.get(name, name)} is on no index that was asked and does not come along")


def _moved(text: str, wanted: Wanted) -> Iterator[str]:
    """What comes along in another version than it had."""
    pinned = dict(_PIN.findall(text))
    for pin in wanted.present:
        name, _, version = pin.partition("==")
        if name in wanted.carried and pinned.get(name, version) != version:
            yield f"{name} {version} becomes {pinned[name]}"


def _constraints(candidate: Candidate, shipped: Lock | None, wanted: Wanted) -> Iterator[tuple[str, str]]:
    """From the narrowest to none, each with what is said where it leaves no solution."""
    pair = export.constraints(shipped) if shipped is not None else ""
    held: set[str] = {canonicalize_name(Requirement(text).name) for text in candidate.requirements}
    held |= {package.name for package in shipped.packages} if shipped is not None else set()
    present = "".join(f"{pin}\n" for pin in wanted.present if pin.partition("==")[0] not in held)
    if present:
        yield pair + present, "the versions that were there do not all go with this pair: letting them move"
    if pair:
        yield pair, "the shipped pins do not go with these requirements: resolving around the pair"
    yield "", ""


def covers(lock: Lock, names: tuple[str, ...]) -> bool:
    """Tell whether a lock already pins every one of some distributions."""
    return set(names) <= {package.name for package in lock.packages}
