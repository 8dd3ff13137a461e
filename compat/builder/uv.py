"""The only module that spells a uv command."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from compat import process
from compat.errors import CannotAct, UvMissing, one_line
from compat.matrix.versions import order
from compat.process import Completed

MINIMUM = "0.8.0"
"""``uv venv --relocatable``, ``--no-config`` and ``pip install --require-hashes`` behave as used here from 0.4;
0.8 is the oldest release the tests drive."""

RESOLVE_SECONDS = 600.0
INSTALL_SECONDS = 3600.0
"""A TensorFlow is 250–600 MB: an hour is a slow school network, more is a hang."""

_URL_SECRET = re.compile(r"(?P<scheme>[a-z+]+://)[^/@\s]+@")


@dataclass(slots=True)
class Uv:
    """A uv that is there and new enough; counts the seconds spent inside it."""

    binary: str
    version: str
    offline: bool = False
    on_line: Callable[[str], None] | None = None
    """Told each line uv says while it works."""
    seconds: float = field(default=0.0)

    def venv(self, path: Path, python: str) -> None:
        """Create an environment that may be moved. Raises CannotAct."""
        words = ["venv", "--relocatable", "--python", python, "--no-project", str(path)]
        self._do(words, RESOLVE_SECONDS, f"could not create an environment with Python {python}", path.parent)

    def compile(
        self, requirements: tuple[Path, ...], *, python: str, output: Path, constraints: Path | None = None
    ) -> None:
        """Resolve requirement files for an interpreter into hashed pins. Raises CannotAct."""
        words = ["pip", "compile", "--generate-hashes", "--no-header", "--python", python, "--output-file", str(output)]
        if constraints is not None:
            words += ["--constraints", str(constraints)]
        words += [str(path) for path in requirements]
        self._do(words, RESOLVE_SECONDS, "the requirements could not be resolved together", output.parent)

    def install(self, lock: Path, *, python: str) -> None:
        """Install exactly the pins of a hashed file, bytecode compiled. Raises CannotAct."""
        words = ["pip", "install", "--require-hashes", "--no-deps", "--compile-bytecode", "--strict"]
        words += ["--python", python, "--requirements", str(lock)]
        self._do(words, INSTALL_SECONDS, "the pins could not be installed", lock.parent)

    def check(self, *, python: str, folder: Path) -> str | None:
        """Return what uv says is wrong with the declared dependencies, None where they are compatible."""
        done = self._run(["pip", "check", "--python", python], RESOLVE_SECONDS, folder)
        return None if done.ok else one_line(_last_words(done))

    def _do(self, words: list[str], timeout: float, problem: str, folder: Path) -> None:
        done = self._run(words, timeout, folder)
        if not done.ok:
            why = "it took too long" if done.timed_out else _last_words(done)
            raise CannotAct(f"{problem}: {mask(why)}", hint=_hint(why, offline=self.offline))

    def _run(self, words: list[str], timeout: float, folder: Path) -> Completed:
        argv = [self.binary, *words, "--color", "never", "--no-progress"] + (["--offline"] if self.offline else [])
        done = process.stream(argv, on_line=self._tell, env=_environment(), cwd=folder, timeout=timeout)
        self.seconds += done.seconds
        return done

    def _tell(self, line: str) -> None:
        if self.on_line is not None and line.strip():
            self.on_line(mask(one_line(line, 200)))


def find(*, offline: bool = False, on_line: Callable[[str], None] | None = None) -> Uv:
    """Return the uv that came with tfcompat, else the one on PATH. Raises UvMissing."""
    binary = _packaged() or shutil.which("uv", path=_safe_path())
    if binary is None:
        raise UvMissing("uv was not found")
    done = process.run([binary, "--version"], timeout=20.0, env=process.environment())
    version = done.stdout.split()[1] if done.ok and len(done.stdout.split()) > 1 else ""
    if not version:
        raise UvMissing(f"uv at {binary} does not answer: {one_line(done.stderr or done.stdout, 200)}")
    if order(version) < order(MINIMUM):
        raise UvMissing(f"uv {version} is too old, {MINIMUM} or newer is needed")
    return Uv(binary=binary, version=version, offline=offline, on_line=on_line)


def _packaged() -> str | None:
    try:
        from uv import find_uv_bin

        return str(find_uv_bin())
    except (ImportError, FileNotFoundError):
        return None


def _safe_path() -> str:
    """PATH without entries that lead into the current folder: nothing of a project is ever executed."""
    here = os.path.realpath(Path.cwd())
    entries = (entry for entry in os.environ.get("PATH", "").split(os.pathsep) if entry)
    return os.pathsep.join(e for e in entries if Path(e).is_absolute() and not os.path.realpath(e).startswith(here))


def _environment() -> dict[str, str]:
    """What uv gets: proxies, certificates, the user's own index settings; never a project's uv.toml."""
    given = process.environment(process.NETWORK)
    user = _user_config()
    if user is not None:
        return given | {"UV_CONFIG_FILE": str(user)}
    return given | {"UV_NO_CONFIG": "1"}


def _user_config() -> Path | None:
    base = os.environ.get("XDG_CONFIG_HOME")
    path = (Path(base) if base else Path.home() / ".config") / "uv" / "uv.toml"
    return path if path.is_file() else None


def _last_words(done: Completed) -> str:
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith(("Using ", "Resolved ", "Prepared ", "warning:"))]
    return " ".join(telling[-6:]) or f"uv ended with code {done.returncode}"


_HINTS = (
    (("No space left", "os error 28"), "free some disk space and run it again; nothing was kept"),
    (
        ("dns error", "error sending request", "Connection", "timed out", "tcp connect"),
        "check the network and run it again",
    ),
    (
        ("hash mismatch", "Hash mismatch"),
        "the index served another file than the lock names: do not install it; run it again later",
    ),
    (
        ("404", "not found in the package registry", "Failed to fetch"),
        "the index did not have a file: check UV_DEFAULT_INDEX",
    ),
    (
        ("Permission denied", "Read-only"),
        "choose a folder you may write to: tfcompat fix --create-venv DIR",
    ),
    (
        ("No interpreter found", "No download found"),
        "install that Python, or name another: tfcompat fix --python 3.11",
    ),
)


def _hint(why: str, *, offline: bool) -> str:
    if offline and ("offline" in why or "not found in the cache" in why or "no versions" in why):
        return "not everything is in uv's cache: run once without --offline"
    return next((hint for needles, hint in _HINTS if any(needle in why for needle in needles)), "")


def mask(text: str) -> str:
    """Hide credentials in URLs."""
    return _URL_SECRET.sub(r"\g<scheme>***@", text)
