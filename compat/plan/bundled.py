"""What a bundle says of itself: all that is in it, the machine it is for, and what is not in it and why.

A manifest may come from anybody, on a stick or a share: what it names is put into paths and into the lines uv reads, so
nothing of it is used before ``checked`` has passed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from packaging.utils import InvalidName, InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from compat.errors import BadFacts, CannotAct
from compat.facts.codec import decode
from compat.matrix.model import Lock, LockedPackage, LockEntry
from compat.matrix.versions import parse

KIND = "tfcompat bundle"
SCHEMA = 1
MANIFEST, LOCK, README = "manifest.json", "requirements.lock", "README.txt"
WHEELS, INTERPRETER, TOOL = "wheels", "python", "tool"
TOOL_FOLDER = "tfcompat-tool"
"""Where the line for the target puts tfcompat itself."""
PLATFORMS = ("macos-arm64", "macos-x86_64", "linux-x86_64", "linux-aarch64")
MOST_FILES = 5000
"""A TensorFlow is 40 files, a data scientist's environment 400."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]{0,254}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PYTHON = re.compile(r"3\.[0-9]{1,2}")
_EXACT_PYTHON = re.compile(r"3\.[0-9]{1,2}\.[0-9]{1,3}")
_SYSTEM = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """One file of a bundle."""

    path: str
    """Below the bundle, ``wheels/numpy-2.0.2-….whl``."""
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The interpreter, as python-build-standalone packs it."""

    version: str
    """``3.12.16``."""
    path: str
    source: str
    """Where it came from, without credentials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What is not in it."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A whole bundle; ``files`` are all but the manifest itself."""

    schema_version: int
    kind: str
    made_by: str
    day: str
    platform: str
    python: str
    candidate: str
    """The title of what it builds, by which the target finds it in its matrix."""
    distribution: str
    tensorflow: str
    gpu: bool
    lock: str | None
    """The shipped lock it was made from; None where its pins were resolved for it."""
    minimum_macos: str | None
    minimum_glibc: str | None
    packages: tuple[LockedPackage, ...]
    files: tuple[File, ...]
    interpreter: Archive | None = None
    missing: tuple[Missing, ...] = ()
    run: str = ""
    """One line for the target, from the folder the bundle lies in."""

    def in_folder(self, folder: str) -> tuple[File, ...]:
        """Return the files of one of its folders."""
        return tuple(file for file in self.files if file.path.startswith(f"{folder}/"))

    @property
    def bytes(self) -> int:
        """Its size."""
        return sum(file.size for file in self.files)


def checked(raw: Any, called: str) -> Manifest:  # noqa: ANN401 - whatever the file holds
    """Return the manifest in a JSON value. Raises CannotAct with one line for one that is none, or that lies."""
    if not isinstance(raw, dict) or raw.get("kind") != KIND:
        raise CannotAct(f"{called} is not the manifest of a bundle", hint="name the folder `tfcompat bundle` made")
    if raw.get("schema_version") != SCHEMA:
        raise CannotAct(
            f"{called} was made by another tfcompat, for schema {raw.get('schema_version')!r}; this one reads {SCHEMA}",
            hint="use the tfcompat that made it, or make it again",
        )
    try:
        manifest = decode(Manifest, raw)
    except (BadFacts, RecursionError) as error:
        raise CannotAct(f"{called}: {error}") from error
    for problem in _problems(manifest):
        raise CannotAct(f"{called}: {problem}", hint="this bundle is broken or was tampered with: make it again")
    return manifest


def lock_of(manifest: Manifest) -> Lock:
    """Return its pins as a lock."""
    plugin = manifest.candidate.partition(" + ")[2].partition(",")[0].split() if manifest.gpu else []
    entry = LockEntry(
        file=f"{manifest.platform}/{LOCK}",
        platform=manifest.platform,
        python=manifest.python,
        distribution=manifest.distribution,
        tensorflow=manifest.tensorflow,
        tier="installs",
        exclude_newer=manifest.day,
        plugin=plugin[0] if plugin else None,
        plugin_version=plugin[1] if len(plugin) > 1 else None,
        minimum_macos=manifest.minimum_macos,
        glibc=manifest.minimum_glibc,
        download_bytes=sum(package.size for package in manifest.packages),
    )
    return Lock(entry=entry, packages=manifest.packages)


def lock_text(packages: tuple[LockedPackage, ...], title: str) -> str:
    """Return pins as hashed requirements, each with its one file's sha256."""
    pinned = "".join(f"{one.name}=={one.version} --hash=sha256:{one.sha256}\n" for one in packages)
    return f"# {title}\n{pinned}"


def run_line(manifest: Manifest, name: str) -> str:
    """Return the one line for the target, from the folder in which the bundle lies under that name."""
    place = shlex.quote(f"./{name}" if name.startswith("-") else name)
    fix = f"tfcompat fix --create-venv --bundle {place}"
    if not manifest.in_folder(TOOL):
        return fix
    python, unpack = f"python{manifest.python}", ""
    if manifest.interpreter is not None:
        python = f"{TOOL_FOLDER}/python/bin/python3"
        unpack = f"mkdir -p {TOOL_FOLDER} && tar -xzf {place}/{manifest.interpreter.path} -C {TOOL_FOLDER} && "
    pip = f"{TOOL_FOLDER}/env/bin/python -m pip install --no-index --find-links {place}/{TOOL}"
    install = f"{pip} --require-hashes -r {place}/{TOOL}/{LOCK}"
    return f"{unpack}{python} -m venv {TOOL_FOLDER}/env && {install} && {TOOL_FOLDER}/env/bin/{fix}"


def _problems(manifest: Manifest) -> Iterator[str]:
    yield from _words(manifest)
    if not 0 < len(manifest.files) <= MOST_FILES:
        yield f"{len(manifest.files)} files, 1 to {MOST_FILES} are expected"
    seen: set[str] = set()
    for index, file in enumerate(manifest.files):
        if not _is_place(file.path):
            yield f"files[{index}].path: {file.path!r} is no place in a bundle"
        if file.path.casefold() in seen:
            yield f"files[{index}].path: {file.path!r} stands there twice"
        if not _SHA256.fullmatch(file.sha256) or file.size < 0:
            yield f"files[{index}]: no sha256, or no size"
        seen.add(file.path.casefold())
    yield from _pins(manifest)
    archive = manifest.interpreter
    if archive is not None and (
        not _EXACT_PYTHON.fullmatch(archive.version)
        or not archive.version.startswith(f"{manifest.python}.")
        or archive.path not in {file.path for file in manifest.in_folder(INTERPRETER)}
    ):
        yield f"interpreter: {archive.version!r} at {archive.path!r} is none of its files"


def _words(manifest: Manifest) -> Iterator[str]:
    """What is compared, or put into a command."""
    if manifest.platform not in PLATFORMS:
        yield f"platform: {manifest.platform!r} is none"
    if not _PYTHON.fullmatch(manifest.python):
        yield f"python: {manifest.python!r} is none"
    if parse(manifest.tensorflow) is None:
        yield f"tensorflow: {manifest.tensorflow!r} is no version"
    for name in ("minimum_macos", "minimum_glibc"):
        value = getattr(manifest, name)
        if value is not None and not _SYSTEM.fullmatch(value):
            yield f"{name}: {value!r} is no version"


def _pins(manifest: Manifest) -> Iterator[str]:
    """Each pin is one wheel of the bundle, whose own name says the same."""
    wheels = {file.path: file for file in manifest.in_folder(WHEELS)}
    names: set[str] = set()
    for index, pin in enumerate(manifest.packages):
        file = wheels.get(f"{WHEELS}/{pin.file}")
        if not _is_pin(pin):
            yield f"packages[{index}]: {pin.file!r} is no wheel of {pin.name!r} {pin.version!r}"
        if file is None or (file.sha256, file.size) != (pin.sha256, pin.size):
            yield f"packages[{index}]: {pin.file!r} is not among its files as it is pinned"
        if pin.name in names:
            yield f"packages[{index}]: {pin.name!r} is pinned twice"
        names.add(pin.name)
    if manifest.distribution not in names:
        yield f"{manifest.distribution!r} is not among its pins"


def _is_pin(pin: LockedPackage) -> bool:
    try:
        name, version, _, _ = parse_wheel_filename(pin.file)
        same_name = canonicalize_name(pin.name, validate=True) == name == pin.name
    except (InvalidWheelFilename, InvalidName):
        return False
    found = parse(pin.version)
    return same_name and found is not None and str(version) == str(found) == pin.version


def _is_place(path: str) -> bool:
    """Two words at most, the first a folder of ours, neither with a sign that means something in a path."""
    if path in (LOCK, README):
        return True
    folder, _, name = path.partition("/")
    return folder in (WHEELS, INTERPRETER, TOOL) and _NAME.fullmatch(name) is not None
