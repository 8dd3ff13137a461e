"""A Python of this machine, packed as python-build-standalone packs one, and uv's list with only that in it."""

import hashlib
import json
import os
import subprocess
import sys
import tarfile

import pytest

from compat.facts.known import known
from compat.probe.interpreters import find_all

SOUGHT = ("3.10.", "3.11.", "3.12.", "3.13.")
LEFT_OUT = {"test", "site-packages", "__pycache__", "idlelib", "tkinter", "turtledemo"}
RELEASES = "https://github.com/astral-sh/python-build-standalone/releases/download"


def relocatable(interpreter):
    """Whether a Python can be packed: a distribution's own, below /usr, finds its library nowhere else."""
    done = subprocess.run(
        [interpreter, "-c", "import sys; print(sys.base_prefix)"], check=False, capture_output=True, text=True
    )
    return done.returncode == 0 and not done.stdout.startswith("/usr")


def one_of_this_machine():
    """An interpreter that can be packed; skips, saying so, where there is none."""
    found = [
        sys.executable,
        *(one.path for one in find_all() if not one.problem and (known(one.version) or "").startswith(SOUGHT)),
    ]
    for interpreter in found:
        if relocatable(interpreter):
            return interpreter
    pytest.skip("no Python of this machine can be packed: all are the system's own")
    return None


def pack(interpreter, path):
    """Write ``python/bin/python3.11`` and its library into an archive; return its whole version.

    A Python built with a shared library goes on using that of the place it came from.
    """
    asked = "import sys, platform; print(platform.python_version(), sys.base_prefix)"
    done = subprocess.run([interpreter, "-c", asked], check=True, capture_output=True, text=True)
    version, prefix = done.stdout.strip().split(" ", 1)
    minor = version.rpartition(".")[0]

    def kept(info):
        names = info.name.split("/")
        return None if LEFT_OUT & set(names) or any(name.startswith("config-3") for name in names) else info

    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        archive.add(os.path.realpath(f"{prefix}/bin/python{minor}"), f"python/bin/python{minor}")
        for name in ("python", "python3"):
            link = tarfile.TarInfo(f"python/bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, f"python{minor}"
            archive.addfile(link)
        archive.add(f"{prefix}/lib/python{minor}", f"python/lib/python{minor}", filter=kept)
    return version


def listed(archive, version):
    """Return the list, for a mirror that has the archive below ``20260101/``."""
    major, minor, patch = map(int, version.split("."))
    system, libc = ("darwin", "none") if sys.platform == "darwin" else ("linux", "gnu")
    machine = {"arm64": "aarch64"}.get(os.uname().machine, os.uname().machine)
    row = {
        "name": "cpython",
        "os": system,
        "libc": libc,
        "arch": {"family": machine, "variant": None},
        "major": major,
        "minor": minor,
        "patch": patch,
        "prerelease": "",
        "variant": None,
        "build": "20260101",
        "url": f"{RELEASES}/20260101/{archive.name}",
        "sha256": hashlib.sha256(archive.read_bytes()).hexdigest(),
    }
    return json.dumps({f"cpython-{version}-{system}-{machine}-{libc}": row})
