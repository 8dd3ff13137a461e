"""The only module that spells a uv command."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from compat import process, project
from compat.builder import disk, indexes
from compat.builder.complaints import complaint, hint_for, shortened
from compat.errors import CannotAct, UvMissing, one_line
from compat.matrix.versions import order
from compat.process import Completed

if TYPE_CHECKING:
    from compat.plan.bundled import Archive

MINIMUM = "0.11.15"
"""Older ones write a wheel's commands wherever its entry points say, out of the environment too (GHSA-4gg8-gxpx-9rph;
measured with 0.8.0, 0.9.30 and 0.11.14); everything else used here they have."""

RESOLVE_SECONDS = 600.0
INSTALL_SECONDS = 3600.0
"""A TensorFlow is 250–600 MB: an hour is a slow school network, more is a hang."""


PLATFORMS = {
    "macos-arm64": ("aarch64-apple-darwin", "macos-aarch64-none"),
    "macos-x86_64": ("x86_64-apple-darwin", "macos-x86_64-none"),
    "linux-x86_64": ("x86_64-manylinux_2_28", "linux-x86_64-gnu"),
    "linux-aarch64": ("aarch64-manylinux_2_28", "linux-aarch64-gnu"),
}
"""uv's two names for a platform: of ``--python-platform``, and in the keys of its list of Pythons."""

LIST, ARCHIVES = "UV_PYTHON_DOWNLOADS_JSON_URL", "UV_PYTHON_CACHE_DIR"
"""Where uv takes its list of Pythons from, and where it keeps their archives (both since 0.7)."""
SETTINGS = (LIST, ARCHIVES, "UV_HTTP_RETRIES")
"""What it gets of the user's own settings besides those of the network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """The machine a resolution is for, where that is not this one."""

    platform: str
    macos: str | None = None
    """The macOS it must install on (None: uv's own floor)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """An interpreter uv would fetch."""

    key: str
    version: str
    url: str


@dataclass(slots=True)
class Uv:
    """A uv that is there and new enough; counts the seconds spent inside it."""

    binary: str
    version: str
    offline: bool = False
    on_line: Callable[[str], None] | None = None
    """Told each line uv says while it works."""
    seconds: float = field(default=0.0)
    held: int | None = None
    """The descriptor of a lock that a uv we started keeps for as long as it lives, should we die before it."""

    wheels: Path | None = None
    """The folder every wheel comes from, in place of an index."""
    pythons: str | None = None
    """A list of Pythons to be had from files (``python_list``), in place of uv's own."""
    elsewhere: Elsewhere | None = None
    """Where what is resolved is to be installed."""

    def venv(self, path: Path, python: str) -> None:
        """Create an environment that may be moved. Raises CannotAct."""
        words = ["venv", "--relocatable", "--python", python, "--no-project", str(path)]
        problem = f"could not create an environment with Python {python}"
        if self.pythons is None:
            self._do(words, RESOLVE_SECONDS, problem, path.parent)
            return
        # Offline uv fetches no interpreter, from a file neither; of such a list nothing else can be had.
        listed = path.parent / "pythons.json"
        disk.write(listed, self.pythons)
        settings = {LIST: str(listed), "UV_OFFLINE": "0"}
        self._do(words, RESOLVE_SECONDS, problem, path.parent, settings=settings, offline=False)

    def compile(
        self, requirements: tuple[Path, ...], *, python: str, output: Path, constraints: Path | None = None
    ) -> None:
        """Resolve requirement files for an interpreter into hashed pins. Raises CannotAct."""
        indexes.check_requirements(requirements)
        words = ["pip", "compile", "--generate-hashes", "--no-header", "--output-file", str(output)]
        words += self._for_whom(python)
        if constraints is not None:
            words += ["--constraints", str(constraints)]
        words += [str(path) for path in requirements]
        macos = self.elsewhere.macos if self.elsewhere is not None else None
        settings = {"MACOSX_DEPLOYMENT_TARGET": macos} if macos else {}
        problem = "the requirements could not be resolved together"
        self._do(words, RESOLVE_SECONDS, problem, output.parent, settings=settings)

    def knows(self, pin: str, *, python: str, folder: Path) -> bool:
        """Tell whether an index has exactly that version, or offline whether the cache does. Raises CannotAct."""
        asked = folder / "known.in"
        disk.write(asked, f"{pin}\n")
        return self._run(["pip", "compile", "--no-deps", "--python", python, str(asked)], RESOLVE_SECONDS, folder).ok

    def install(self, lock: Path, *, python: str) -> None:
        """Install exactly the pins of a hashed file, bytecode compiled. Raises CannotAct."""
        words = ["pip", "install", "--require-hashes", "--no-deps", "--compile-bytecode", "--strict"]
        words += ["--python", python, "--requirements", str(lock)]
        if self.wheels is not None:
            words += ["--no-index", "--find-links", f"file://{quote(str(self.wheels))}"]  # a comma would part a path
        self._do(words, INSTALL_SECONDS, "the pins could not be installed", lock.parent)

    def check(self, *, python: str, folder: Path) -> str | None:
        """Return what uv says is wrong with the declared dependencies, None where they are compatible."""
        done = self._run(["pip", "check", "--python", python], RESOLVE_SECONDS, folder)
        return None if done.ok else one_line(mask(shortened(complaint(done))))

    def download(self, platform: str, python: str, folder: Path) -> Download:
        """Return the newest interpreter uv can fetch for a platform. Raises CannotAct where it knows none."""
        key = PLATFORMS[platform][1]
        words = ["python", "list", f"cpython-{python}-{key}", "--only-downloads", "--output-format", "json"]
        done = self._run(words, RESOLVE_SECONDS, folder)
        try:
            rows = json.loads(done.stdout) if done.ok else []
            found = [
                Download(key=str(row["key"]), version=str(row["version"]), url=str(row["url"]))
                for row in rows
                if row["variant"] == "default" and row["url"] and str(row["key"]).endswith(f"-{key}")
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise CannotAct(f"uv {self.version} tells its Pythons in a way we do not know: {error}") from error
        if not found:
            raise CannotAct(f"uv {self.version} knows no Python {python} for {platform}")
        return max(found, key=lambda one: order(one.version))

    def fetch_python(self, wanted: Download, into: Path) -> Path:
        """Fetch an interpreter's archive into a folder, by the sha256 of uv's own list; return it. Raises CannotAct.

        uv keeps the archive it checked and unpacked where it is told to, for other platforms too; only that is wanted.
        """
        scratch = into / "unpacked"
        words = ["python", "install", wanted.key, "--install-dir", str(scratch), "--no-bin"]
        done = self._run(words, INSTALL_SECONDS, into, settings={ARCHIVES: str(into)})
        if not done.ok:
            said = complaint(done)
            why = "it took too long" if done.timed_out else mask(shortened(said)).rpartition(": ")[2]
            if "ash mismatch" in said:
                why = "it is not the file uv's list names (another sha256)"
            raise CannotAct(f"uv could not fetch {mask(wanted.url)}: {why}", hint=hint_for(said, offline=False))
        shutil.rmtree(scratch, ignore_errors=True)
        kept = [path for path in into.iterdir() if path.is_file()]
        if len(kept) != 1:
            raise CannotAct(f"uv {self.version} did not keep the archive of {wanted.key}")
        name = unquote(urlsplit(wanted.url).path.rpartition("/")[2])
        return kept[0].rename(into / "".join(sign if sign.isalnum() or sign in "._+-" else "_" for sign in name))

    def _for_whom(self, python: str) -> list[str]:
        """An interpreter of this machine, or for a machine elsewhere a version: wheels only, nothing can be built."""
        if self.elsewhere is None:
            return ["--python", python]
        platform = PLATFORMS[self.elsewhere.platform][0]
        words = ["--python-platform", platform, "--python-version", python, "--only-binary", ":all:", "--no-annotate"]
        return [*words, "--python", sys.executable]

    def _do(
        self,
        words: list[str],
        timeout: float,
        problem: str,
        folder: Path,
        *,
        settings: Mapping[str, str] | None = None,
        offline: bool = True,
    ) -> None:
        done = self._run(words, timeout, folder, settings=settings, offline=offline)
        if not done.ok:
            why = "it took too long" if done.timed_out else complaint(done)
            raise CannotAct(f"{problem}: {mask(shortened(why))}", hint=hint_for(why, offline=self.offline))

    def _run(
        self,
        words: list[str],
        timeout: float,
        folder: Path,
        *,
        settings: Mapping[str, str] | None = None,
        offline: bool = True,
    ) -> Completed:
        argv = [self.binary, *words, "--color", "never", "--no-progress"]
        argv += ["--offline"] if self.offline and offline else []
        env = {**_environment(), **(settings or {})}
        keep = () if self.held is None else (self.held,)
        done = process.stream(argv, on_line=self._tell, env=env, cwd=folder, timeout=timeout, keep=keep)
        self.seconds += done.seconds
        return done

    def _tell(self, line: str) -> None:
        if self.on_line is not None and line.strip():
            self.on_line(one_line(mask(line), 200))


def python_list(archive: Archive, folder: Path, platform: str, sha256: str) -> str:
    """Return a list of one Python as uv reads it (its own is ``download-metadata.json``): what a bundle has.

    With its own list in place of uv's, another release of uv takes the archive too, and checks its sha256.
    """
    system, architecture, libc = PLATFORMS[platform][1].split("-")
    system = {"macos": "darwin"}.get(system, system)
    major, minor, patch = (int(part) for part in archive.version.split("."))
    row = {
        "name": "cpython",
        "arch": {"family": architecture, "variant": None},
        "os": system,
        "libc": libc,
        "major": major,
        "minor": minor,
        "patch": patch,
        "prerelease": "",
        "url": f"file://{quote(str(folder / archive.path))}",
        "sha256": sha256,
        "variant": None,
        "build": "0",
    }
    return json.dumps({f"cpython-{archive.version}-{system}-{architecture}-{libc}": row})


def find(*, offline: bool = False, on_line: Callable[[str], None] | None = None) -> Uv:
    """Return the uv that came with tfcompat, else the one on PATH.

    Raises UvMissing, CannotAct where the user's settings lead it to an index without verified TLS.
    """
    if not offline:
        indexes.check(os.environ, _user_config())
    binary = _packaged() or project.program("uv")
    if binary is None:
        raise UvMissing("uv was not found")
    done = process.run([binary, "--version"], timeout=20.0, env=project.left_out(process.environment()))
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


def _environment() -> dict[str, str]:
    """What uv gets: proxies, certificates, the user's own index settings; never a project's uv.toml."""
    given = project.left_out(process.environment(process.NETWORK, SETTINGS, _credentials()))
    user = _user_config()
    if user is not None:
        return given | {"UV_CONFIG_FILE": str(user)}
    return given | {"UV_NO_CONFIG": "1"}


def _credentials() -> tuple[str, ...]:
    return tuple(name for name in os.environ if indexes.CREDENTIAL.fullmatch(name))


def _user_config() -> Path | None:
    """A relative folder counts for nothing (freedesktop.org, "XDG Base Directory Specification")."""
    base = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    path = (base if base.is_absolute() else Path(os.path.expanduser("~/.config"))) / "uv" / "uv.toml"  # noqa: PTH111
    return path if path.is_file() else None


def is_hopeless(error: CannotAct) -> bool:
    """Tell whether nothing else can succeed either: a full disk, no network, a folder that cannot be written.

    Offline something may: its files may be in the cache where another's are not.
    """
    return any(words in error.hint for words in ("disk space", "check the network", "may write to"))


def mask(text: str) -> str:
    """Hide credentials: those uv was given, wherever they stand, and what looks like one."""
    names = (*process.NETWORK, *SETTINGS, *_credentials())
    return indexes.masked(text, indexes.secrets({name: os.environ[name] for name in names if name in os.environ}))
