"""Prove from the binaries whether TensorFlow can load a plugin, on any machine, the way dyld would decide on a Mac.

Three layers, the first failure counts: every library the plugin names must be an image of the process under that
install name; a two-level symbol must be exported by the very library it names; a flat symbol by any image. What system
libraries bring cannot be seen from wheels and is taken as given (the binary's minimum macOS covers it).
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from compat.errors import BadBinary, CannotLook
from compat.facts.image import Image, Library, LinkProof
from compat.probe.macho import Buffer, Slice, architectures, read_image, read_slice
from compat.probe.trie import Export, find_exports

ROOT_IMAGE = "tensorflow/python/_pywrap_tensorflow_internal.so"
"""What every TensorFlow since 2.5 loads first; all else TensorFlow brings to a plugin hangs from its load commands."""
SYSTEM_FOLDERS = ("/usr/lib/", "/System/")
OURS_TO_JUDGE = re.compile(
    r"_(TF|TFE|TSL|SE|SP|TP)_|__Z.*(?<!\d)(10tensorflow|6google8protobuf|3tsl|4absl|3xla|15stream_executor)"
)
"""Flat names that only TensorFlow's images could define; any other may be the system's (``_objc_msgSend``)."""
REEXPORT_DEPTH = 8
"""Libraries a re-exported name may pass through (real chains have two); more is taken for a loop."""
PLACES_LIMIT = 20_000
"""Paths tried to find the libraries of one process: they are libraries times search paths, of which a binary may name
as many as it has room for."""


class LoadedImage(Protocol):
    """One image TensorFlow has brought into the process, as far as the proof asks about it."""

    @property
    def install_name(self) -> str | None:
        """The name other images know it by."""

    @property
    def libraries(self) -> Sequence[Library]:
        """What it loads in turn; ordinals of re-exports count along it."""

    def find(self, names: Iterable[str]) -> Mapping[str, Export]:
        """Export entries of those ``names`` it exports."""


@dataclass(frozen=True, slots=True)
class MappedImage:
    """A loaded image read from its bytes, a page at a time."""

    part: Slice
    install_name: str | None
    """As its LC_ID_DYLIB says, or as the one who found it by another path calls it."""

    @property
    def libraries(self) -> Sequence[Library]:
        """As its load commands say."""
        return self.part.libraries

    def find(self, names: Iterable[str]) -> Mapping[str, Export]:
        """Walk the export trie. Raises BadBinary."""
        return find_exports(self.part.trie, names)


def prove_installed(site_packages: Path, plugin: Path, architecture: str | None = None) -> LinkProof:
    """Prove the links of an installed plugin beside the TensorFlow of ``site_packages``.

    The architecture is TensorFlow's own where none is given. Raises CannotLook without a TensorFlow there, BadBinary
    for a file that cannot be read or lacks the architecture.
    """
    slices = _installed(site_packages, architecture)
    architecture = next(iter(slices.values())).architecture
    image = _image(plugin, architecture)
    return judge(image, [*(MappedImage(part, part.install_name) for part in slices.values()), *_beside(plugin, image)])


def prove(plugin: Path | Buffer, tensorflow_images: Iterable[Path | Buffer], architecture: str) -> LinkProof:
    """Prove the links of ``plugin`` against the given images. Raises BadBinary, CannotLook."""
    slices = [_slice(each, architecture) for each in tensorflow_images]
    return judge(_image(plugin, architecture), [MappedImage(part, part.install_name) for part in slices])


def judge(plugin: Image, images: Sequence[LoadedImage]) -> LinkProof:
    """Apply the three layers to what was read; asks the images, in their order, for no more than the answer needs."""
    loaded = {image.install_name: image for image in images if image.install_name}
    libraries = tuple(name for name in _required_libraries(plugin) if name not in loaded)
    layer, missing = (1, frozenset[str]()) if libraries else _missing_symbols(plugin, loaded, images)
    return LinkProof(
        plugin=plugin.path,
        architecture=plugin.architecture,
        loads=layer == 0,
        layer=layer,
        missing=tuple(sorted(missing)),
        missing_libraries=libraries,
        minimum_macos=plugin.minimum_macos,
    )


def find_images(site_packages: Path, architecture: str | None = None) -> tuple[Path, ...]:
    """Find the files TensorFlow brings into the process for a plugin, in the order dyld meets them.

    Follows load commands from ROOT_IMAGE through @rpath and @loader_path. Raises CannotLook where there is no
    TensorFlow (or only a shell of one), BadBinary for a file that cannot be read.
    """
    return tuple(_installed(site_packages, architecture))


def follow(root: Path, is_file: Callable[[Path], bool], read: Callable[[Path], Slice]) -> dict[Path, Slice]:
    """Read ``root`` and every file its load commands lead to, in the order dyld meets them."""
    slices: dict[Path, Slice] = {}
    rpaths_of: dict[Path, tuple[str, ...]] = {root: ()}
    is_file = _limited(is_file)
    for path in iter(lambda: next((each for each in rpaths_of if each not in slices), None), None):
        part = slices[path] = read(path)
        rpaths = (*(_expand(rpath, path) for rpath in part.rpaths), *rpaths_of[path])
        for library in part.libraries:
            file = _resolve(library.install_name, path, rpaths, is_file)
            if file:
                rpaths_of.setdefault(file, rpaths)
    return slices


def flat_names(plugin: Image) -> tuple[str, ...]:
    """Names that some image of TensorFlow's must export for ``plugin`` to load."""
    names = (need.symbol for need in plugin.needs if need.layer == "flat" and not need.weak)
    return tuple(name for name in names if OURS_TO_JUDGE.match(name))


def two_level_names(plugin: Image, library: str) -> tuple[str, ...]:
    """Names that ``library`` itself must export for ``plugin`` to load."""
    return tuple(need.symbol for need in plugin.needs if need.library == library and not need.weak)


def is_system(install_name: str) -> bool:
    """Whether macOS itself brings this library."""
    return install_name.startswith(SYSTEM_FOLDERS)


def _required_libraries(plugin: Image) -> tuple[str, ...]:
    optional = {"weak", "lazy"}
    names = (each.install_name for each in plugin.libraries if each.kind not in optional)
    return tuple(name for name in names if not is_system(name))


def _missing_symbols(
    plugin: Image, loaded: Mapping[str, LoadedImage], images: Sequence[LoadedImage]
) -> tuple[int, frozenset[str]]:
    """Layer and names of the first layer that fails, or layer 0."""
    missing: set[str] = set()
    for library in plugin.libraries:
        if library.install_name in loaded:
            names = frozenset(two_level_names(plugin, library.install_name))
            missing |= names - _provided(loaded[library.install_name], names, loaded)
    if missing:
        return 2, frozenset(missing)
    flat = frozenset(flat_names(plugin))
    for image in images:
        flat -= _provided(image, flat, loaded)
    return (3, flat) if flat else (0, flat)


def _provided(
    image: LoadedImage, names: frozenset[str], loaded: Mapping[str, LoadedImage], depth: int = REEXPORT_DEPTH
) -> frozenset[str]:
    """Those of ``names`` that a look-up in ``image`` finds, following re-exports to the image that defines them."""
    provided: set[str] = set()
    for each in _with_reexported(image, loaded) if depth else ():
        wanted = names - provided
        if not wanted:
            break
        passed_on: dict[str, dict[str, str]] = {}
        for name, export in each.find(wanted).items():
            if export.ordinal is None:
                provided.add(name)
            else:
                passed_on.setdefault(_library_at(each, export.ordinal), {})[name] = export.imported or name
        for library, imported in passed_on.items():
            if library in loaded:
                there = _provided(loaded[library], frozenset(imported.values()), loaded, depth - 1)
                provided |= {name for name, original in imported.items() if original in there}
            elif is_system(library):
                provided |= imported.keys()
    return frozenset(provided)


def _with_reexported(image: LoadedImage, loaded: Mapping[str, LoadedImage]) -> list[LoadedImage]:
    """The image and those whose every export counts as its own, each once, however they name each other."""
    images, names = [image], {image.install_name}
    for each in images:
        for library in each.libraries:
            name = library.install_name
            if library.kind == "reexport" and name in loaded and name not in names:
                names.add(name)
                images.append(loaded[name])
    return images


def _library_at(image: LoadedImage, ordinal: int) -> str:
    if not 1 <= ordinal <= len(image.libraries):
        raise BadBinary(f"{image.install_name}: a re-export names library {ordinal} of {len(image.libraries)}")
    return image.libraries[ordinal - 1].install_name


def _installed(site_packages: Path, architecture: str | None) -> dict[Path, Slice]:
    root = site_packages / ROOT_IMAGE
    if not root.is_file():
        raise CannotLook(f"no TensorFlow for macOS in {site_packages}: {ROOT_IMAGE} is not there")
    with _naming(root):
        architecture = architecture or architectures(_buffer(root))[0]
    # Unlike pathlib's, os.path.isfile takes a name too long for any file system for no file.
    return follow(root, os.path.isfile, partial(_slice, architecture=architecture))


def _beside(plugin: Path, image: Image) -> Iterator[MappedImage]:
    """Libraries that the plugin finds through its own paths; dyld knows them by the name the plugin uses."""
    rpaths = [_expand(rpath, plugin) for rpath in image.rpaths]
    is_file = _limited(os.path.isfile)
    for library in image.libraries:
        file = _resolve(library.install_name, plugin, rpaths, is_file)
        if file:
            yield MappedImage(_slice(file, image.architecture), library.install_name)


def _limited(is_file: Callable[[Path], bool]) -> Callable[[Path], bool]:
    """The same question, but not asked without end."""
    places = iter(range(PLACES_LIMIT))

    def ask(path: Path) -> bool:
        if next(places, None) is None:
            raise BadBinary(f"its load commands name more than {PLACES_LIMIT:,} places to look for libraries")
        return is_file(path)

    return ask


def _resolve(install_name: str, loader: Path, rpaths: Sequence[str], is_file: Callable[[Path], bool]) -> Path | None:
    """Follow an install name from ``loader`` to its file; None where it is the system's or nowhere."""
    if is_system(install_name):
        return None
    files = (Path(os.path.normpath(each)) for each in _candidates(install_name, loader, rpaths))
    return next((file for file in files if is_file(file)), None)


def _candidates(install_name: str, loader: Path, rpaths: Sequence[str]) -> Iterator[str]:
    """One by one: there may be as many as a binary has room for."""
    if install_name.startswith("@rpath/"):
        for rpath in rpaths:
            yield f"{rpath}/{install_name.removeprefix('@rpath/')}"
    else:
        yield _expand(install_name, loader)


def _expand(path: str, loader: Path) -> str:
    return f"{loader.parent}/{path.removeprefix('@loader_path')}" if path.startswith("@loader_path") else path


def _image(source: Path | Buffer, architecture: str) -> Image:
    with _naming(source):
        return read_image(_buffer(source), architecture, str(source) if isinstance(source, Path) else "")


def _slice(source: Path | Buffer, architecture: str) -> Slice:
    with _naming(source):
        return read_slice(_buffer(source), architecture)


def _buffer(source: Path | Buffer) -> Buffer:
    """Map a file, so that only pages looked at are read; it closes with its last view."""
    if not isinstance(source, Path):
        return source
    if not os.path.isfile(source):  # noqa: PTH113 - opening a named pipe would wait for ever
        raise CannotLook(f"{source}: no such file")
    with source.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""


@contextmanager
def _naming(source: Path | Buffer) -> Iterator[None]:
    """Put the file's name before what is wrong with it."""
    name = f"{source}: " if isinstance(source, Path) else ""
    try:
        yield
    except BadBinary as error:
        raise BadBinary(f"{name}{error.message}") from None
    except OSError as error:
        raise CannotLook(f"{name}{error.strerror or error}") from None
