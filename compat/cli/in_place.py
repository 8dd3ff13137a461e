"""``fix --in-place`` and ``--rollback``: which environment is meant, what comes along, and the way back."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from compat.cli import output, session
from compat.errors import UsageError
from compat.facts.capture import Facts
from compat.facts.known import known
from compat.plan.carry import Carried, carry
from compat.probe.interpreters import BESIDE as BESIDE_HERE

BESIDE = "tfcompat fix --create-venv builds a new one beside it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An environment that is to be replaced by one that works."""

    folder: Path
    facts: Facts
    python: str
    """Its Python's minor, which the new one keeps."""
    carried: Carried


def find(directory: Path | None) -> Place:
    """Look at the named environment, or the one at hand. Raises UsageError for what cannot be replaced, CannotLook."""
    from compat.builder.transaction import put_back

    for folder in [directory] if directory is not None else map(Path, BESIDE_HERE):
        put_back(folder.absolute())
    facts = session.look(session.Subject(venv=directory), gpus=True)
    interpreter, environment = known(facts.interpreter), known(facts.environment)
    prefix, version = (known(interpreter.prefix), known(interpreter.version)) if interpreter else (None, None)
    if interpreter is None or environment is None or prefix is None or version is None:
        raise UsageError("there is no environment that answers here", hint=BESIDE)
    folder = directory.absolute() if directory is not None else Path(prefix)
    check(folder)
    return Place(folder=folder, facts=facts, python=".".join(version.split(".")[:2]), carried=carry(environment))


def check(folder: Path) -> None:
    """Refuse what an exchange of folders would not mend, or would break. Raises UsageError."""
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link", hint=f"name the folder itself: {os.path.realpath(folder)}")
    if not (folder / "pyvenv.cfg").is_file():
        raise UsageError(f"{folder} is no virtual environment and is not replaced", hint=BESIDE)
    if os.path.realpath(sys.prefix) == os.path.realpath(folder):
        raise UsageError(
            f"tfcompat itself runs in {folder}",
            hint="run it from an environment of its own: uvx tfcompat fix --in-place DIR",
        )


def roll_back(directory: Path | None) -> None:
    """Put back what ``--in-place`` replaced. Raises UsageError where nothing is kept, CannotAct."""
    from compat.builder.apply import roll_back as put_back

    folder = directory.absolute() if directory is not None else _at_hand()
    other = put_back(folder)
    done = f"{folder} is the environment from before"
    kept = f"the other one is kept in {other}" if other else "there was no other one in its place"
    output.emit(f"{done}; {kept}\n", done=done)


def _at_hand() -> Path:
    """The environment at hand, by its folder alone: it may be too broken to answer."""
    from compat.probe.environment import find_interpreter

    return Path(find_interpreter()).parent.parent
