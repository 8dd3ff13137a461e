"""The three layers of dyld, spelled out on lief's facts. Pure, and apart from what `compat.probe.links` does."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SYSTEM = ("/usr/lib/", "/System/")
C_API = ("_TF_", "_TFE_", "_TSL_", "_SE_", "_SP_", "_TP_")
NAMESPACES = ("10tensorflow", "6google8protobuf", "3tsl", "4absl", "3xla", "15stream_executor")
"""As they stand in mangled C++ names; what names neither these nor the C API may be the system's to define."""

Passed = tuple[str, str]
"""A re-export: the install name of the library it comes from, and what that library calls it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PluginFacts:
    """What a plugin's library asks for."""

    libraries: tuple[str, ...]
    """Install names that must be there: weak and lazy ones are not among them."""
    two_level: Mapping[str, frozenset[str]]
    """Library -> names bound to that very library."""
    flat: frozenset[str]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """What one image of TensorFlow's offers, reduced to the names that plugins ask for."""

    install_name: str
    exports: Mapping[str, Passed | None]
    """None where the image defines the name."""
    passes_on: tuple[str, ...]
    """Libraries all of whose exports count as its own (LC_REEXPORT_DYLIB)."""
    exported: int
    """How many names the whole image exports."""


def verdict(plugin: PluginFacts, images: Sequence[ImageFacts]) -> tuple[int, tuple[str, ...]]:
    """Layer that fails first and the names missing there; layer 0 and none where the plugin loads."""
    process = {image.install_name: image for image in images}
    absent = tuple(name for name in plugin.libraries if not name.startswith(SYSTEM) and name not in process)
    if absent:
        return 1, absent
    unmet = {
        name
        for library, names in plugin.two_level.items()
        if library in process
        for name in names
        if not offers(process, library, name)
    }
    if unmet:
        return 2, tuple(sorted(unmet))
    unmet = {name for name in plugin.flat if judged(name) and not any(offers(process, each, name) for each in process)}
    return (3, tuple(sorted(unmet))) if unmet else (0, ())


def judged(name: str) -> bool:
    """Whether a flat name can only be TensorFlow's to define."""
    return name.startswith(C_API) or (name.startswith("__Z") and any(each in name for each in NAMESPACES))


def offers(process: Mapping[str, ImageFacts], library: str, name: str, seen: frozenset[Passed] = frozenset()) -> bool:
    """Whether a look-up of `name` in `library` ends at a definition, through whatever re-exports."""
    if library.startswith(SYSTEM):
        return True
    if library not in process or (library, name) in seen:
        return False
    image, seen = process[library], seen | {(library, name)}
    if name in image.exports:
        passed = image.exports[name]
        return passed is None or offers(process, *passed, seen)
    return any(offers(process, each, name, seen) for each in image.passes_on if not each.startswith(SYSTEM))
