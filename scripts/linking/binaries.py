"""What the binaries in the wheels say, kept between runs as small answers: the binaries themselves are dropped."""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from remote_wheel import BadWheel, RemoteWheel

from compat.facts.image import Image, Library, Need
from compat.probe.links import ROOT_IMAGE, MappedImage, flat_names, follow, two_level_names
from compat.probe.macho import Slice, read_image, read_slice
from compat.probe.trie import Export

if TYPE_CHECKING:
    from collections.abc import Iterable

    import requests

    from linking.index import File

SCHEMA = 1
"""Of the cache; a file of another schema is made anew."""
PLUGIN_FOLDER = "tensorflow-plugins/"
"""Where a plugin's library lies in its wheel, at the root or under ``*.data/purelib/``."""


@dataclass(frozen=True)
class AnsweredImage:
    """One image of a TensorFlow wheel, reduced to its answers for the names that plugins need."""

    install_name: str | None
    libraries: tuple[Library, ...]
    minimum_macos: str | None
    sdk: str | None
    exports: dict[str, Export]

    def find(self, names: Iterable[str]) -> dict[str, Export]:
        """Answer for names among those once asked."""
        return {name: self.exports[name] for name in names if name in self.exports}


@dataclass(frozen=True)
class Answers:
    """A TensorFlow wheel as the proof sees it."""

    images: tuple[AnsweredImage, ...]
    asked: frozenset[str]
    fetched: int
    """Bytes it took, of ``size`` the wheel has."""
    size: int


@dataclass(frozen=True)
class Plugin:
    """The library of one plugin wheel."""

    image: Image
    fetched: int
    size: int


@dataclass(frozen=True)
class Binaries:
    """Reads wheels of an index, through a folder of earlier answers."""

    session: requests.Session
    cache: Path

    def plugin(self, file: File) -> Plugin:
        """Read a plugin wheel's library. Raises BadWheel, BadBinary."""
        kept = self._kept(file)
        if kept is None:
            wheel = RemoteWheel(self.session, file.url, file.size)
            member = _plugin_member(wheel)
            with tempfile.TemporaryFile(dir=self.cache) as target:
                wheel.unpack(member, target)
                image = read_image(_mapped(target), file.architecture, member)
            kept = {"image": asdict(image), "fetched": wheel.fetched}
            self._keep(file, kept)
        return Plugin(image_of(kept["image"]), kept["fetched"], file.size)

    def tensorflow(self, file: File, names: frozenset[str]) -> Answers:
        """Ask every image of a TensorFlow wheel for ``names``. Raises as ``plugin`` does."""
        kept = self._kept(file)
        if kept is None or not names <= set(kept["asked"]):
            wheel = RemoteWheel(self.session, file.url, file.size)
            kept = self._ask(wheel, file.architecture, names | set(kept["asked"] if kept else ()))
            self._keep(file, kept)
        images = tuple(_answered(raw) for raw in kept["images"])
        return Answers(images, frozenset(kept["asked"]), kept["fetched"], file.size)

    def _ask(self, wheel: RemoteWheel, architecture: str, names: frozenset[str]) -> dict[str, Any]:
        def read(path: Path) -> Slice:
            with tempfile.TemporaryFile(dir=self.cache) as target:
                wheel.unpack(path.as_posix(), target)
                return read_slice(_mapped(target), architecture)

        slices = follow(Path(ROOT_IMAGE), lambda path: path.as_posix() in wheel.members, read)
        exports: dict[Path, dict[str, Export]] = {}
        asked: frozenset[str] = frozenset()
        while asked != names:  # a re-export may ask its library for another name
            asked = names
            exports = {path: dict(MappedImage(part, None).find(asked)) for path, part in slices.items()}
            names |= {entry.imported for found in exports.values() for entry in found.values() if entry.imported}
        images = [_raw_image(path, part, exports[path]) for path, part in slices.items()]
        return {"images": images, "asked": sorted(asked), "fetched": wheel.fetched}

    def _kept(self, file: File) -> dict[str, Any] | None:
        try:
            kept: dict[str, Any] = json.loads(self._path(file).read_text())
        except (OSError, ValueError):
            return None
        return kept if kept.get("schema") == SCHEMA else None

    def _keep(self, file: File, answer: dict[str, Any]) -> None:
        path = self._path(file)
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps({"schema": SCHEMA, "file": file.name, **answer}, indent=1, sort_keys=True))
        os.replace(partial, path)  # noqa: PTH105 - one call, atomic

    def _path(self, file: File) -> Path:
        return self.cache / f"{file.sha256}.json"


def names_needed(plugin: Image) -> frozenset[str]:
    """Every name the proof may ask TensorFlow's images for."""
    libraries = (each.install_name for each in plugin.libraries if not each.install_name.startswith("/"))
    two_level = {name for library in libraries for name in two_level_names(plugin, library)}
    return frozenset(two_level | set(flat_names(plugin)))


def image_of(raw: dict[str, Any]) -> Image:
    """Rebuild the record from what ``asdict`` made of it."""
    libraries = tuple(Library(**each) for each in raw["libraries"])
    needs = tuple(Need(**each) for each in raw["needs"])
    return Image(**{**raw, "libraries": libraries, "needs": needs, "rpaths": tuple(raw["rpaths"])})


def _plugin_member(wheel: RemoteWheel) -> str:
    members = [name for name in wheel.members if PLUGIN_FOLDER in name and name.endswith((".dylib", ".so"))]
    if len(members) != 1:
        raise BadWheel(f"{wheel.url}: {len(members)} libraries in {PLUGIN_FOLDER}, expected one")
    return members[0]


def _mapped(file: IO[bytes]) -> mmap.mmap | bytes:
    file.flush()  # or the map lacks what the last write left in Python's own buffer
    size = os.fstat(file.fileno()).st_size
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""


def _raw_image(path: Path, part: Slice, exports: dict[str, Export]) -> dict[str, Any]:
    return {
        "member": path.as_posix(),
        "install_name": part.install_name,
        "libraries": [asdict(each) for each in part.libraries],
        "minimum_macos": part.minimum_macos,
        "sdk": part.sdk,
        "exports": {name: [entry.ordinal, entry.imported] for name, entry in exports.items()},
    }


def _answered(raw: dict[str, Any]) -> AnsweredImage:
    return AnsweredImage(
        install_name=raw["install_name"],
        libraries=tuple(Library(**each) for each in raw["libraries"]),
        minimum_macos=raw["minimum_macos"],
        sdk=raw["sdk"],
        exports={name: Export(ordinal=of, imported=imported) for name, (of, imported) in raw["exports"].items()},
    )
