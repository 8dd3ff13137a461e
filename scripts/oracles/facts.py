"""What lief reads in the wheels: a plugin's bindings, and what TensorFlow's images export."""

from __future__ import annotations

import contextlib
import json
import os
import posixpath
import struct
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import lief
import requests
from remote_wheel import BadWheel, RemoteWheel

from oracles.verdict import SYSTEM, ImageFacts, Passed, PluginFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = "tensorflow/python/_pywrap_tensorflow_internal.so"
"""What `import tensorflow` loads first."""
FLAT_LOOKUP = -2
"""`BIND_SPECIAL_DYLIB_FLAT_LOOKUP` of mach-o/loader.h."""

COMMAND = lief.MachO.LoadCommand.TYPE
MACH_HEADER, SYMBOL_COUNT = 32, 12
"""sizeof(mach_header_64), and where `nsyms` stands in a symtab_command (mach-o/loader.h)."""
OPTIONAL = {COMMAND.LOAD_WEAK_DYLIB, COMMAND.LAZY_LOAD_DYLIB}

lief.logging.disable()


def plugin_facts(url: str, size: int, cache: Path) -> PluginFacts:
    """Read the library of a plugin wheel. BadWheel where it cannot be had."""
    wheel = RemoteWheel(requests.Session(), url, size)
    (member,) = (name for name in wheel.members if "tensorflow-plugins/" in name and name.endswith(".dylib"))
    with _binary(wheel, member, cache) as binary:
        loads = [each for each in binary.libraries if each.command != COMMAND.ID_DYLIB]
        two_level: dict[str, set[str]] = {}
        flat: set[str] = set()
        for name, ordinal in _bound(binary):
            if ordinal == FLAT_LOOKUP:
                flat.add(name)
            elif ordinal > 0:
                two_level.setdefault(loads[ordinal - 1].name, set()).add(name)
        return PluginFacts(
            libraries=tuple(each.name for each in loads if each.command not in OPTIONAL),
            two_level={library: frozenset(names) for library, names in two_level.items()},
            flat=frozenset(flat),
        )


def image_facts(url: str, size: int, names: frozenset[str], cache: Path) -> list[ImageFacts]:
    """Follow TensorFlow's load commands from `ROOT` through the wheel. BadWheel where it cannot be had."""
    wheel = RemoteWheel(requests.Session(), url, size)
    pending: dict[str, tuple[str, ...]] = {ROOT: ()}
    raw = []
    for member in iter(lambda: next(iter(pending), None), None):
        with _binary(wheel, member, cache) as binary:
            rpaths = (*(_expanded(each.path, member) for each in binary.rpaths), *pending.pop(member))
            found = _image(binary, member)
        raw.append(found)
        done = {each["member"] for each in raw}
        for library in found["libraries"]:
            file = _member(library, member, rpaths, wheel)
            if file and file not in done:
                pending.setdefault(file, rpaths)
    asked = _with_aliases(raw, names)
    return [
        ImageFacts(
            install_name=each["install_name"],
            exports={name: passed for name, passed in each["exports"].items() if name in asked},
            passes_on=tuple(each["passes_on"]),
            exported=len(each["exports"]),
        )
        for each in raw
        if each["install_name"]
    ]


def kept(path: Path, names: frozenset[str]) -> list[ImageFacts] | None:
    """Read what an earlier run wrote, where it asked for the same names."""
    try:
        stored = json.loads(path.read_text("utf-8"))
        if set(stored["names"]) != names:
            return None
        return [_restored(each) for each in stored["images"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(path: Path, names: frozenset[str], images: list[ImageFacts]) -> None:
    """Write it, whole or not at all."""
    content = {"names": sorted(names), "images": [_stored(each) for each in images]}
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(content), "utf-8")
    os.replace(partial, path)  # noqa: PTH105 - one call, atomic


def _stored(image: ImageFacts) -> dict[str, Any]:
    return {
        "install_name": image.install_name,
        "exports": dict(image.exports),
        "passes_on": image.passes_on,
        "exported": image.exported,
    }


def _restored(stored: dict[str, Any]) -> ImageFacts:
    exports = {name: tuple(passed) if passed else None for name, passed in stored["exports"].items()}
    return ImageFacts(**{**stored, "exports": exports, "passes_on": tuple(stored["passes_on"])})


@contextlib.contextmanager
def _binary(wheel: RemoteWheel, member: str, cache: Path) -> Iterator[Any]:
    """Unpack a member, parse it, and drop both."""
    plugin = not member.startswith("tensorflow/")
    with tempfile.NamedTemporaryFile(dir=cache) as file:
        wheel.unpack(member, file)
        if not plugin:
            _drop_symbols(file)
        file.flush()
        options = lief.MachO.ParserConfig()
        options.parse_dyld_rebases = False
        options.parse_dyld_bindings = plugin
        fat = lief.MachO.parse(file.name, options)
        if fat is None or fat.size != 1:
            raise BadWheel(f"{wheel.url}: lief reads no single architecture in {member}")
        yield fat.at(0)


def _drop_symbols(file: IO[bytes]) -> None:
    """Set the symbol count of LC_SYMTAB to 0 in an unpacked image of TensorFlow's.

    lief would make an object of each of the million symbols of libtensorflow_cc, two thirds of its time; what is asked
    of these images stands in their export trie.
    """
    file.seek(0)
    header = file.read(MACH_HEADER)
    (commands,) = struct.unpack_from("<16xI", header)
    at = MACH_HEADER
    for _ in range(commands):
        file.seek(at)
        command, size = struct.unpack("<II", file.read(8))
        if command == COMMAND.SYMTAB.value:
            file.seek(at + SYMBOL_COUNT)
            file.write(bytes(4))
        at += size
    file.seek(0, os.SEEK_END)


def _bound(binary: Any) -> Iterator[tuple[str, int]]:  # noqa: ANN401 - lief's stubs are not installed everywhere
    """Names that must be found, with the ordinal of the library. Weak-coalesced binds are the image's own names."""
    opcodes = lief.MachO.DyldBindingInfo
    for each in binary.bindings:  # by opcodes or as chained fixups, in which weak-coalesced is an ordinal of its own
        weak_coalesced = isinstance(each, opcodes) and each.binding_class == opcodes.CLASS.WEAK
        if each.has_symbol and not each.weak_import and not weak_coalesced:
            yield each.symbol.name, each.library_ordinal


def _image(binary: Any, member: str) -> dict[str, Any]:  # noqa: ANN401 - as above
    own = [each.name for each in binary.libraries if each.command == COMMAND.ID_DYLIB]
    loads = [each for each in binary.libraries if each.command != COMMAND.ID_DYLIB]
    return {
        "member": member,
        "install_name": own[0] if own else None,
        "libraries": [each.name for each in loads],
        "passes_on": [each.name for each in loads if each.command == COMMAND.REEXPORT_DYLIB],
        "exports": dict(_exported(binary)),
    }


def _exported(binary: Any) -> Iterator[tuple[str, Passed | None]]:  # noqa: ANN401 - as above
    """All of the export trie: `exported_symbols` would leave the re-exports out."""
    trie = binary.dyld_exports_trie if binary.has_dyld_exports_trie else binary.dyld_info
    for each in trie.exports if trie else ():
        if not each.has_symbol:
            continue
        if each.has(lief.MachO.ExportInfo.FLAGS.REEXPORT):
            alias = each.alias.name if each.alias else ""
            # Without a library: `_init_pywrap_tensorflow_internal` of 2.12-2.15 is left to flat lookup.
            library = each.alias_library.name if each.alias_library else ""
            yield each.symbol.name, (library, alias or each.symbol.name)
        else:
            yield each.symbol.name, None


def _with_aliases(raw: list[dict[str, Any]], names: frozenset[str]) -> frozenset[str]:
    """The names asked for, and those that re-exports turn them into."""
    asked = names
    while True:
        passed = (image["exports"].get(name) for image in raw for name in asked)
        more = asked | {each[1] for each in passed if each}
        if more == asked:
            return asked
        asked = more


def _member(install_name: str, loader: str, rpaths: tuple[str, ...], wheel: RemoteWheel) -> str | None:
    if install_name.startswith(SYSTEM):
        return None
    if install_name.startswith("@rpath/"):
        candidates = [f"{each}/{install_name.removeprefix('@rpath/')}" for each in rpaths]
    else:
        candidates = [_expanded(install_name, loader)]
    return next((file for each in candidates if (file := posixpath.normpath(each)) in wheel.members), None)


def _expanded(path: str, loader: str) -> str:
    return (
        posixpath.join(posixpath.dirname(loader), path.removeprefix("@loader_path").lstrip("/"))
        if path.startswith("@loader_path")
        else path
    )
