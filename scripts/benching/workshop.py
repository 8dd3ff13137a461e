"""Where the environments of a bench are made, each of them once: a run that was interrupted goes on where it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benching.planted import Planted

MAC = "aarch64-apple-darwin"
"""uv's name of the platform."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a planted environment stands."""

    python: Path | None
    """Its interpreter; for a Mac's environment that of a Linux environment with the same files."""
    target: Path | None = None
    """The folder that was installed for another platform."""
    version: str = ""
    facts: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What environments are made with: a folder, uv, the default interpreter, the variables of the children."""

    root: Path
    folder: Path
    uv: Path
    python: str
    env: Mapping[str, str]

    def do(self, *words: object) -> str:
        """Run uv; return what it printed. Raises CalledProcessError."""
        argv = [str(word) for word in (self.uv, *words)]
        return subprocess.run(argv, env=dict(self.env), check=True, stdout=subprocess.PIPE, text=True).stdout

    def install(self, python: Path, *words: object) -> None:
        """Install for an interpreter, bytecode compiled as pip would."""
        self.do("pip", "install", "--quiet", "--compile-bytecode", "--python", python, *words)

    def once(self, name: str, recipe: object, make: Callable[[Path], object]) -> Path:
        """Make a folder unless the same recipe made it before; an interrupted one is made again."""
        place, note = self.folder / name, self.folder / "made" / f"{name}.json"
        wanted = json.loads(json.dumps(recipe))
        if note.is_file() and json.loads(note.read_text("utf-8"))["recipe"] == wanted and place.is_dir():
            return place
        note.unlink(missing_ok=True)
        if place.exists():
            shutil.rmtree(place)
        answer = make(place)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({"recipe": wanted, "answer": answer}), "utf-8")
        return place

    def answer(self, name: str) -> object:
        """Return what ``make`` returned when the folder was made."""
        return json.loads((self.folder / "made" / f"{name}.json").read_text("utf-8"))["answer"]


def place_of(planted: Planted, shop: Workshop) -> Place | None:
    """Make the environment, once; None where this machine has no Python for it."""
    if planted.facts is not None:
        return Place(python=None, facts=shop.root / planted.facts)
    python = interpreter(planted.python) if planted.python else shop.python
    if python is None:
        return None
    version = planted.python or version_of(python, shop)
    if planted.mac:
        return mac_place(planted, python, version, shop)
    recipe = [planted.requirements, planted.forced, str(python)]
    made = shop.once(planted.id, recipe, lambda place: local_environment(place, planted, python, shop))
    return Place(python=made / "bin" / "python", version=version)


def local_environment(place: Path, planted: Planted, python: str, shop: Workshop) -> None:
    shop.do("venv", "--quiet", "--python", python, place)
    shop.install(place / "bin" / "python", *planted.requirements)
    if planted.forced:
        shop.install(place / "bin" / "python", "--no-deps", *planted.forced)


def mac_place(planted: Planted, python: str, version: str, shop: Workshop) -> Place:
    """A folder for macOS, and the same files in a Linux environment with pip for who can only look at one."""
    foreign = ("--python-platform", MAC, "--python-version", version, "--only-binary", ":all:")

    def target(place: Path) -> None:
        shop.do("pip", "install", "--quiet", "--target", place, *foreign, *planted.requirements)

    def beside(place: Path) -> None:
        copied(folder, place, python, shop)
        shop.install(place / "bin" / "python", "--no-deps", "pip")

    recipe = [planted.requirements, version]
    folder = shop.once(planted.id, recipe, target)
    held = shop.once(f"{planted.id}-as-environment", [*recipe, str(python)], beside)
    return Place(python=held / "bin" / "python", target=folder, version=version)


def copied(packages: Path, place: Path, python: str | Path, shop: Workshop) -> None:
    """A new environment of hard links to the files of a site-packages folder: they stay as they are."""
    shop.do("venv", "--quiet", "--python", python, place)
    shutil.copytree(packages, site_packages(place), copy_function=os.link, symlinks=True, dirs_exist_ok=True)


def site_packages(environment: Path) -> Path:
    return next((environment / "lib").glob("python3.*")) / "site-packages"


def base_of(python: Path) -> Path:
    """The interpreter that an environment was made of."""
    return python.resolve()


def version_of(python: str, shop: Workshop) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run(
        [python, "-c", code], env=dict(shop.env), check=True, capture_output=True, text=True
    ).stdout.strip()


def interpreter(version: str) -> str | None:
    """A Python of this version on this machine; needs the project's own packages."""
    from compat.facts.known import known
    from compat.probe.interpreters import find_all

    for found in find_all(os.environ, Path.cwd()):
        if found.problem is None and f"{known(found.version) or ''}.".startswith(f"{version}."):
            return found.path
    return sys.executable if version == f"{sys.version_info[0]}.{sys.version_info[1]}" else None
