"""The tools that are compared: how each is had, how it is asked, and which of its exit codes are an answer.

`pip check` runs in the environment it checks, `uv pip check` and `tfcompat doctor` look at it from outside. rigsolve,
mlenvdoctor and env-doctor have no option that names another environment (the --help of 1.0.0, 0.1.6 and 0.3.5): each is
installed into a copy of the environment, as its user would have to, and what that installation changed is recorded.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benching.judging import changed
from benching.planted import Planted
from benching.workshop import MAC, Place, Workshop, base_of, copied, site_packages

Words = list[object]
NOT_POINTED = "cannot be pointed at it"
NO_SMOKE = "another machine's: nothing to run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One command that judges an environment."""

    name: str
    answers: frozenset[int]
    """Its documented exit codes for "looked, and this is the verdict"."""
    package: str | None = None
    """What is installed into the copy of the environment; None for a tool that needs none."""
    arguments: tuple[str, ...] = ()
    ask: Callable[[Place, Workshop, Path], Words | str] | None = None
    """The command for a place, or why there is none; the last argument is tfcompat's program."""


def pip_check(place: Place, _shop: Workshop, _tfcompat: Path) -> Words | str:
    return NOT_POINTED if place.python is None else [place.python, "-m", "pip", "check"]


def uv_check(place: Place, shop: Workshop, _tfcompat: Path) -> Words | str:
    if place.python is None:
        return NOT_POINTED
    foreign = ["--python-platform", MAC, "--python-version", place.version] if place.target else []
    return [shop.uv, "pip", "check", "--python", place.python, *foreign]


def doctor(place: Place, _shop: Workshop, tfcompat: Path) -> Words | str:
    if place.facts is not None:
        return [tfcompat, "doctor", "--no-smoke", "--facts", place.facts]
    if place.target is not None:
        mac = ["--platform", "macos-arm64", "--python-version", place.version]
        return [tfcompat, "doctor", "--no-smoke", "--target", place.target, *mac]
    return [tfcompat, "doctor", "--no-smoke", "--python", place.python]


def doctor_with_smoke(place: Place, _shop: Workshop, tfcompat: Path) -> Words | str:
    if place.facts is not None or place.target is not None:
        return NO_SMOKE
    return [tfcompat, "doctor", "--python", place.python]


TOOLS = (
    Tool(name="tfcompat doctor --no-smoke", answers=frozenset({0, 1}), ask=doctor),
    Tool(name="tfcompat doctor", answers=frozenset({0, 1}), ask=doctor_with_smoke),
    Tool(name="pip check", answers=frozenset({0, 1}), ask=pip_check),
    Tool(name="uv pip check", answers=frozenset({0, 1}), ask=uv_check),
    Tool(name="rigsolve check", answers=frozenset({0, 1, 2}), package="rigsolve", arguments=("check",)),
    Tool(name="mlenvdoctor diagnose", answers=frozenset({0, 1, 2}), package="mlenvdoctor", arguments=("diagnose",)),
    Tool(name="env-doctor check --ci", answers=frozenset({0, 1, 2}), package="env-doctor", arguments=("check", "--ci")),
)
OURS, OURS_WITH_SMOKE = TOOLS[0], TOOLS[1]


def command(tool: Tool, planted: Planted, place: Place, shop: Workshop, tfcompat: Path) -> Words | str:
    """Return what is run, or why nothing is; makes the copy of the environment where the tool needs one."""
    if tool.ask is not None:
        return tool.ask(place, shop, tfcompat)
    if place.python is None or tool.package is None:
        return NOT_POINTED
    return [copy_with(tool.package, planted, place.python, shop) / "bin" / tool.package, *tool.arguments]


def copy_with(package: str, planted: Planted, python: Path, shop: Workshop) -> Path:
    """A copy of an environment with the peer in it, made once."""

    def make(place: Path) -> list[str]:
        copied(site_packages(python.parent.parent), place, base_of(python), shop)
        before = frozen(place, shop)
        shop.install(place / "bin" / "python", package)
        return changed(before, frozen(place, shop))

    recipe = [planted.requirements, planted.forced, str(base_of(python)), package]
    return shop.once(copy_name(package, planted), recipe, make)


def copy_name(package: str, planted: Planted) -> str:
    return f"{planted.id}-with-{package}"


def frozen(environment: Path, shop: Workshop) -> list[str]:
    return shop.do("pip", "freeze", "--quiet", "--python", environment / "bin" / "python").splitlines()


def version(tool: Tool, healthy: Planted, tfcompat: Path, shop: Workshop) -> str:
    """Return the version that was measured."""
    if tool.ask in (doctor, doctor_with_smoke):
        return subprocess.run([tfcompat, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if tool.ask is uv_check:
        return shop.do("--version").split(" (")[0].strip()
    package = tool.package or "pip"
    folder = shop.folder / (copy_name(tool.package, healthy) if tool.package else healthy.id)
    return next(line.replace("==", " ") for line in frozen(folder, shop) if line.startswith(f"{package}=="))
