"""The uv commands a lock needs, and the shell line that reproduces a resolution anywhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from locking.records import LockingError, Resolution, Target
from locking.wheels import PLATFORMS

_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*\])?==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
# A resolution may take minutes on a slow index, an installation of 300 MB more.
TIMEOUT_SECONDS = 1800


def compile_arguments(target: Target, day: str) -> list[str]:
    """`uv pip compile` of requirements on standard input, for a machine that need not be this one.

    The day is midnight UTC, spelled out: a bare date would mean the end of that day in the local time zone.
    """
    return [
        *("pip", "compile", "-", "--no-config"),
        *("--python-platform", PLATFORMS[target.platform].uv, "--python-version", target.python),
        *("--only-binary", ":all:", "--exclude-newer", f"{day}T00:00:00Z"),
        *("--generate-hashes", "--no-header", "--no-annotate"),
    ]


def resolve(uv: str, target: Target, requirements: Sequence[str], day: str, minimum_macos: str | None) -> Resolution:
    """Pins for a target. Raises LockingError with uv's own words where there is no solution."""
    arguments = compile_arguments(target, day)
    settings = {"MACOSX_DEPLOYMENT_TARGET": minimum_macos} if minimum_macos else {}
    text = run([uv, *arguments], stdin="".join(f"{one}\n" for one in requirements), settings=settings)
    return Resolution(command=shell_line(requirements, arguments, settings), uv=version(uv), pins=read_pins(text))


def shell_line(requirements: Sequence[str], arguments: Sequence[str], settings: dict[str, str]) -> str:
    """The same resolution as one line to paste."""
    before = "".join(f"{key}={value} " for key, value in settings.items())
    wishes = " ".join(shlex.quote(one) for one in requirements)
    return f"printf '%s\\n' {wishes} | {before}uv {shlex.join(arguments)}"


def read_pins(text: str) -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Name, version and accepted hashes of each pin of a hashed requirements file."""
    pins: list[tuple[str, str, set[str]]] = []
    for line in text.splitlines():
        if found := _PIN.match(line):
            pins.append((found[1], found[2], set()))
        if pins:
            pins[-1][2].update(_HASH.findall(line))
    return tuple((name, pin, frozenset(hashes)) for name, pin, hashes in pins)


def create(uv: str, folder: Path, python: str) -> Path:
    """A fresh environment; returns its interpreter."""
    run([uv, "venv", "--quiet", "--no-config", "--clear", "--python", python, str(folder)])
    return folder / "bin" / "python"


def sync(uv: str, interpreter: Path, hashed: Path) -> None:
    """Make the environment hold exactly the hash-checked file's packages."""
    arguments = ["--no-config", "--only-binary", ":all:", "--require-hashes", "--python", str(interpreter)]
    run([uv, "pip", "sync", "--quiet", *arguments, str(hashed)], cwd=hashed.parent)


def forget(uv: str, distribution: str) -> None:
    """Drop a distribution's wheels from uv's cache: a hundred TensorFlows would fill it with 100 GB."""
    run([uv, "cache", "clean", "--quiet", distribution])


def pip_check(uv: str, interpreter: Path) -> str:
    """Say compatible, or the first complaint."""
    ended = _run([uv, "pip", "check", "--no-config", "--python", str(interpreter)])
    if ended.returncode == 0:
        return "compatible"
    lines = [line.strip() for line in ended.stderr.splitlines() if line.startswith("The package")]
    return lines[0] if lines else ended.stderr.strip()[-200:]


def version(uv: str) -> str:
    """Uv's own version, for example "0.13.9"."""
    return run([uv, "--version"]).split()[1]


def run(
    command: Sequence[str], *, stdin: str = "", settings: dict[str, str] | None = None, cwd: Path | None = None
) -> str:
    """Standard output of a command that must succeed. Raises LockingError with the end of its stderr."""
    ended = _run(command, stdin=stdin, settings=settings, cwd=cwd)
    if ended.returncode:
        raise LockingError(f"{shlex.join(command[:3])} ended with {ended.returncode}: {ended.stderr.strip()[-1500:]}")
    return ended.stdout


def _run(
    command: Sequence[str], *, stdin: str = "", settings: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    # No downloads of interpreters: the ones named are there, and a resolution needs none.
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never", **(settings or {})}
    return subprocess.run(
        list(command),
        input=stdin,
        text=True,
        capture_output=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
        cwd=cwd,
        env=environment,
    )
