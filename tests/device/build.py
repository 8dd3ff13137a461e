"""Build the test device with plain g++ from an installed TensorFlow's headers, and lay it where TensorFlow finds it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

SOURCE = Path(__file__).with_name("device.cc")
FAKE_MAC = Path(__file__).with_name("fakemac") / "sitecustomize.py"
METAL_VERSION = "1.2.0"
FLAGS = ("-O2", "-std=c++17", "-fPIC")
UNRESOLVED = 'extern "C" void TF_SymbolOfAnotherTensorFlow(); void (*unresolved)() = TF_SymbolOfAnotherTensorFlow;'
ABSENT = "libof_another_tensorflow.so"
AARCH64 = (183).to_bytes(2, "little")
"""``EM_AARCH64`` of elf.h, which stands at byte 18 of an ELF header."""


class NoCompiler(Exception):
    """g++ is not installed."""


def build(interpreter: str, folder: Path, *, variant: str = "healthy") -> Path:
    """The device as a shared library, compiled for the interpreter's TensorFlow unless ``folder`` holds it already.

    The variants are those of ``faults.VARIANTS`` that are one file. Raises NoCompiler where there is no g++ and
    LookupError where the interpreter has no TensorFlow.
    """
    tensorflow = tensorflow_folder(interpreter)
    seed = SOURCE.read_bytes() + os.fsencode(tensorflow) + repr(FLAGS).encode()
    stem = hashlib.sha256(seed).hexdigest()[:12]
    library, compiled = folder / f"libdevice-{variant}-{stem}.so", folder / f"device-{stem}.o"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    if not compiled.exists():
        _gcc(compiled, *FLAGS, f"-I{tensorflow / 'include'}", "-c", str(SOURCE))
    _MAKERS[variant](library, (str(compiled), f"-L{tensorflow}", "-l:libtensorflow_framework.so.2"))
    return library


def tensorflow_folder(interpreter: str) -> Path:
    """Where the interpreter keeps TensorFlow, found without importing it (which would load plugins)."""
    code = "import importlib.util as u; print(u.find_spec('tensorflow').submodule_search_locations[0])"
    answer = subprocess.run([interpreter, "-I", "-c", code], capture_output=True, text=True, check=False)
    if answer.returncode:
        raise LookupError(f"no TensorFlow in {interpreter}: {answer.stderr.strip()[-200:]}")
    return Path(answer.stdout.strip())


def variables(library: Path, fault: str = "") -> dict[str, str]:
    """Environment variables that make TensorFlow load the library, with one of its faults planted."""
    planted = {"TFCOMPAT_DEVICE_FAULT": fault} if fault else {}
    return {"TF_PLUGGABLE_DEVICE_LIBRARY_PATH": str(library), **planted}


def site(folder: Path, library: Path, *, metal: bool = False, fake_mac: bool = False, copies: int = 1) -> Path:
    """A folder for PYTHONPATH in which TensorFlow finds the library as it finds a vendor's plugin.

    TensorFlow looks into every entry of ``sys.path`` that has ``site-packages`` in its name. With ``metal`` the folder
    says that tensorflow-metal is installed; with ``fake_mac`` Python believes it runs on a Mac, where plugins are
    called ``*.dylib``.
    """
    home = folder / "site-packages"
    plugins = home / "tensorflow-plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    for copy in range(copies):
        name = "libmetal_plugin" + ("" if copy == 0 else f"_{copy}")
        shutil.copyfile(library, plugins / (name + (".dylib" if fake_mac else ".so")))
    if metal:
        record = home / f"tensorflow_metal-{METAL_VERSION}.dist-info"
        record.mkdir(exist_ok=True)
        metadata = f"Metadata-Version: 2.1\nName: tensorflow-metal\nVersion: {METAL_VERSION}\n"
        (record / "METADATA").write_text(metadata, encoding="utf-8")
    if fake_mac:
        shutil.copyfile(FAKE_MAC, home / "sitecustomize.py")
    return home


def _healthy(library: Path, linked: tuple[str, ...]) -> None:
    _gcc(library, "-shared", *linked)


def _unresolved_symbol(library: Path, linked: tuple[str, ...]) -> None:
    extra = library.with_suffix(".cc")
    extra.write_text(UNRESOLVED, encoding="utf-8")
    _gcc(library, "-shared", "-fPIC", str(extra), *linked)


def _missing_library(library: Path, linked: tuple[str, ...]) -> None:
    """Linked against a library that exists only for the linker."""
    stub = library.parent / ABSENT
    _gcc(stub, "-shared", "-fPIC", f"-Wl,-soname,{ABSENT}", "-x", "c++", os.devnull)
    _gcc(library, "-shared", *linked, "-Wl,--no-as-needed", f"-L{library.parent}", f"-l:{ABSENT}")
    stub.unlink()


def _altered(change: Callable[[bytes], bytes]) -> Callable[[Path, tuple[str, ...]], None]:
    def make(library: Path, linked: tuple[str, ...]) -> None:
        whole = library.with_suffix(".whole")
        _healthy(whole, linked)
        library.write_bytes(change(whole.read_bytes()))

    return make


_MAKERS = {
    "healthy": _healthy,
    "unresolved_symbol": _unresolved_symbol,
    "missing_library": _missing_library,
    "wrong_architecture": _altered(lambda whole: whole[:18] + AARCH64 + whole[20:]),
    "truncated": _altered(lambda whole: whole[: len(whole) // 3]),
    "empty": _altered(lambda whole: b""),
}


def _gcc(output: Path, *arguments: str) -> None:
    if not shutil.which("g++"):
        raise NoCompiler("g++ is missing (Debian and Ubuntu: apt-get install g++; macOS cannot build this device)")
    partial = output.with_suffix(f".{os.getpid()}")
    subprocess.run(["g++", *arguments, "-o", str(partial)], check=True)
    partial.replace(output)
