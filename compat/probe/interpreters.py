"""Where Pythons live on this machine, read off the file system.

No interpreter is started to be found; a version manager's shim may be (see ``shims``).
"""

from __future__ import annotations

import filecmp
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from compat import project
from compat.facts.interpreter import FoundInterpreter
from compat.facts.known import UNKNOWN, Known, Unknown
from compat.probe.architectures import architectures_of
from compat.probe.shims import behind_shim, is_shim

PYTHON_NAME = re.compile(r"python(3(\.\d+t?)?)?(\.exe)?")
SHIM_NAME = re.compile(r"python3?(\.exe)?")
"""Shims worth following: those of single versions lead where the manager's own folder of versions does."""
BESIDE = (".venv", "venv", ".venv-tf")
"""Folders beside the current one that are environments by custom, and ours."""
LIMIT = 200
"""Interpreters listed at most; a PATH of hundreds of folders exists."""
ORIGINS = (
    ("conda", ("conda-meta",)),
    ("pyenv", ("/.pyenv/versions/", "/pyenv/versions/")),
    ("uv", ("/uv/python/",)),
    ("homebrew", ("/opt/homebrew/", "/usr/local/Cellar/", "/usr/local/opt/", "/linuxbrew/")),
    ("python.org", ("/Library/Frameworks/Python.framework/",)),
    ("apple", ("/Library/Developer/CommandLineTools/", "/Xcode.app/", "/Xcode-beta.app/", "/System/Library/")),
)
"""Whose a Python is, by the text of its prefix; conda alone is told by a folder inside."""


def find_all(
    variables: Mapping[str, str] | None = None, current: Path | None = None, root: Path = Path("/")
) -> tuple[FoundInterpreter, ...]:
    """Return every Python found, each file once, in the order a person would expect them to be tried.

    ``variables``, ``current`` and ``root`` (of the fixed places) are this process's unless a test gives others.
    """
    given = os.environ if variables is None else variables
    here = current or Path.cwd()
    found: dict[str, FoundInterpreter] = {}
    for source, path in _places(given, here, root):
        if len(found) >= LIMIT:
            break
        described = describe(path, source, given, here)
        found.setdefault(settle(described.path), described)
    return tuple(found.values())


def path_python(variables: Mapping[str, str] | None = None, current: Path | None = None) -> Known[str]:
    """Return where ``python`` (or else ``python3``) on PATH leads; unknown where it leads nowhere, with the reason."""
    given = os.environ if variables is None else variables
    for name in ("python", "python3"):
        for path in on_path(given, (name,)):
            leads_to = behind_shim(path, given, current or Path.cwd()) if is_shim(path) else str(path)
            return settle(leads_to) if isinstance(leads_to, str) else leads_to
    return Unknown("no python on PATH")


def describe(path: Path, source: str, variables: Mapping[str, str], current: Path) -> FoundInterpreter:
    """Say what a file that should be a Python is, and what is wrong with it."""
    problem = None
    if path.is_symlink() and not path.exists():
        problem = f"a link to {os.path.realpath(path)}, which is gone"
    elif not os.access(path, os.X_OK):
        problem = "not executable"
    elif is_shim(path):
        leads_to = behind_shim(path, variables, current)
        if isinstance(leads_to, str):
            path = Path(leads_to)
        else:
            problem = leads_to.why if isinstance(leads_to, Unknown) else "the shim leads nowhere"
    problem = problem or foreign(path, current)
    if problem:
        return FoundInterpreter(path=str(path), source=source, problem=problem)
    return FoundInterpreter(path=str(path), source=source, architectures=architectures_of(path), version=_version(path))


def foreign(path: Path, current: Path) -> str | None:
    """Say why a Python in the project must not be started unasked; None where it may be.

    An environment made on this machine may: its interpreter is a link to a Python elsewhere, or a copy of one. A file
    that came with the project is neither.
    """
    if not project.holds(path, current) or _is_copy(path, current):
        return None
    return "a program of the project folder, not a link to a Python of this machine"


def _is_copy(path: Path, current: Path) -> bool:
    """Tell whether an environment's interpreter is, byte for byte, that of the Python it was made from."""
    try:
        text = (path.parent.parent / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
        home = re.search(r"^home\s*=\s*(.+?)\s*$", text, re.MULTILINE)
        if home is None or not os.path.isabs(home[1]) or project.leads_through(home[1], current):  # noqa: PTH117
            return False
        names = (path.name, *(name for name in os.listdir(home[1]) if PYTHON_NAME.fullmatch(name)))  # noqa: PTH208
        return any(
            filecmp.cmp(path, Path(home[1], name), shallow=False) for name in names if Path(home[1], name).is_file()
        )
    except OSError:
        return False


def settle(path: str) -> str:
    """Return one spelling for all names of an interpreter: links followed, but not out of a virtual environment.

    ``venv/bin/python3`` and ``venv/bin/python`` are links to a Python elsewhere; it is the folder that makes them the
    environment's, so the last name inside it stands for all of them.
    """
    here = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow the link out of the environment
    folder = here.parent
    if not (folder.parent / "pyvenv.cfg").is_file():
        return os.path.realpath(here)
    name = here.name
    for _ in range(8):
        link = folder / name
        if not link.is_symlink() or os.path.dirname(os.readlink(link)) not in ("", "."):  # noqa: PTH115, PTH120
            break
        name = os.path.basename(os.readlink(link))  # noqa: PTH115, PTH119
    return str(Path(os.path.realpath(folder)) / name)


def interpreter_in(folder: Path) -> Path | None:
    """Return the interpreter of an environment's folder (a dangling link too), None where there is none."""
    for name in ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe"):
        candidate = folder / name
        if candidate.exists() or candidate.is_symlink():
            return candidate
    return None


def origin_of(prefix: str) -> str:
    """Say whose installation a base prefix is: ``pyenv``, ``homebrew``, ``apple``…"""
    place = prefix.replace("\\", "/").rstrip("/") + "/"
    if (Path(prefix) / "conda-meta").is_dir():
        return "conda"
    for origin, signs in ORIGINS:
        if any(sign in place for sign in signs):
            return origin
    return "system" if place == "/usr/" else "other"


def on_path(variables: Mapping[str, str], names: tuple[str, ...] = ()) -> Iterator[Path]:
    """Yield the Pythons in the folders of PATH, in order; ``names`` restricts them."""
    wanted = {name + end for name in names for end in ("", ".exe")}
    for entry in variables.get("PATH", os.defpath).split(os.pathsep):
        try:
            inside = sorted(os.listdir(entry)) if os.path.isabs(entry) else []  # noqa: PTH117, PTH208
        except OSError:
            continue
        fits = SHIM_NAME if entry.rstrip("/").endswith("/shims") else PYTHON_NAME
        for name in inside:
            if fits.fullmatch(name) and (not wanted or name in wanted) and not apple_stub(Path(entry) / name):
                yield Path(entry) / name


def apple_stub(path: Path, system: str = sys.platform, root: Path = Path("/")) -> bool:
    """Tell whether this is macOS's ``/usr/bin/python3`` with nothing behind it: starting it opens a dialogue."""
    if system != "darwin" or path.parent != root / "usr/bin":
        return False
    tools = (root / "Library/Developer/CommandLineTools", root / "Applications/Xcode.app")
    return not any(place.is_dir() for place in tools)


def _places(variables: Mapping[str, str], current: Path, root: Path) -> Iterator[tuple[str, Path]]:
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if variables.get(name):
            yield from ((name, path) for path in _existing([interpreter_in(Path(variables[name]))]))
    for beside in BESIDE:
        if (current / beside / "pyvenv.cfg").is_file():
            yield from ((beside, path) for path in _existing([interpreter_in(current / beside)]))
    yield from (("PATH", path) for path in on_path(variables))
    home = Path(variables.get("HOME") or variables.get("USERPROFILE") or os.path.expanduser("~"))  # noqa: PTH111
    pyenv = Path(variables.get("PYENV_ROOT") or home / ".pyenv") / "versions"
    yield from (("pyenv", path) for path in _inside(pyenv, "*/bin/python"))
    yield from (("uv", path) for path in _uv_managed(variables, home))
    for brew in ("opt/homebrew", "usr/local"):
        yield from (("homebrew", path) for path in _inside(root / brew, "opt/python@3.*/bin/python3.*", "Cellar"))
    framework = root / "Library/Frameworks/Python.framework/Versions"
    yield from (("python.org", path) for path in _inside(framework, "3.*/bin/python3"))
    for tools in ("Library/Developer/CommandLineTools", "Applications/Xcode.app/Contents/Developer"):
        yield from (("apple", path) for path in _inside(root / tools, "usr/bin/python3"))


def _uv_managed(variables: Mapping[str, str], home: Path) -> Iterator[Path]:
    """Yield the Pythons uv has installed (docs.astral.sh/uv, "Storage": the data folder, on macOS too)."""
    data = Path(variables.get("XDG_DATA_HOME") or home / ".local/share")
    if variables.get("APPDATA"):
        data = Path(variables["APPDATA"])
    folder = Path(variables.get("UV_PYTHON_INSTALL_DIR") or data / "uv/python")
    for installed in _inside(folder, "*-*-*"):
        if not installed.is_symlink():  # ``cpython-3.12-…`` is a link to its newest patch release
            yield from _existing([interpreter_in(installed)])


def _inside(folder: Path, pattern: str, beside: str = "") -> Iterator[Path]:
    """Yield matches of ``pattern``, sorted; ``beside`` names a sibling folder without which there is nothing to see."""
    if beside and not (folder / beside).is_dir():
        return
    try:
        matches = sorted(folder.glob(pattern))
    except OSError:
        return
    yield from (path for path in matches if path.is_dir() or PYTHON_NAME.fullmatch(path.name))


def _existing(paths: Iterable[Path | None]) -> Iterator[Path]:
    yield from (path for path in paths if path is not None)


def _version(path: Path) -> Known[str]:
    """Read the version off ``pyvenv.cfg`` or the names of the folders; nobody is started for it."""
    configuration = path.parent.parent / "pyvenv.cfg"
    if configuration.is_file():
        text = configuration.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+(?:\.\d+)?)", text, re.MULTILINE)
        return found.group(1) if found else UNKNOWN
    for part in (path, Path(os.path.realpath(path))):
        found = re.search(r"(?:versions/|cpython-|python@?|Versions/)(\d+\.\d+(?:\.\d+)?)", str(part))
        if found:
            return found.group(1)
    return Unknown("not asked")
