"""The wheel tfcompat was installed from, packed again from what its RECORD lists, for a machine without a network.

Only files that still have the sha256 of the RECORD go in: a tfcompat that somebody patched in place is not passed on as
the one that was published. What an installer adds (scripts, bytecode, its own notes) stays out
(packaging.python.org, "Recording installed projects").
"""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, PackagePath, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from compat.errors import CannotAct

NAME = "tfcompat"
_ADDED = ("INSTALLER", "REQUESTED", "direct_url.json", "RECORD", "RECORD.jws", "RECORD.p7s", "uv_cache.json")
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest day a zip file knows: the same files give the same wheel."""


def pack(into: Path, name: str = NAME, where: Distribution | None = None) -> Path:
    """Write the wheel of an installed distribution into a folder; return it.

    Raises CannotAct where it was not installed from a wheel (a checkout, an editable install), or has changed since.
    """
    found = where or _installed(name)
    files = list(_files(found))
    tags = [line.partition(":")[2].strip() for line in (found.read_text("WHEEL") or "").splitlines() if "Tag:" in line]
    if not files or len(tags) != 1:
        raise CannotAct(f"{name} was not installed from one wheel")
    stem = f"{canonicalize_name(found.metadata['Name']).replace('-', '_')}-{found.version}"
    path = into / f"{stem}-{tags[0]}.whl"
    record = "".join(f"{member},{_record(data)},{len(data)}\n" for member, data in files)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in (*files, (f"{stem}.dist-info/RECORD", _whole(record, stem))):
            info = zipfile.ZipInfo(member, _EPOCH)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(info, data)
    return path


def requires(name: str = NAME, where: Distribution | None = None) -> tuple[str, ...]:
    """Return what it needs, as requirements, its extras left out. Raises CannotAct."""
    wanted = (Requirement(text) for text in (where or _installed(name)).requires or ())
    return tuple(str(one) for one in wanted if one.marker is None or "extra" not in str(one.marker))


def _installed(name: str) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise CannotAct(f"{name} is not installed: it runs from its sources") from error


def _files(found: Distribution) -> Iterator[tuple[str, bytes]]:
    if _is_editable(found):
        raise CannotAct(f"{found.metadata['Name']} is an editable install: there is no wheel of it")
    for file in sorted(found.files or (), key=str):
        if _is_packed(file):
            data = Path(str(file.locate())).read_bytes()
            if file.hash is None or f"{file.hash.mode}={file.hash.value}" != _record(data):
                raise CannotAct(f"{file} is not as it was installed")
            yield file.as_posix(), data


def _is_editable(found: Distribution) -> bool:
    """By PEP 610's note of where it came from."""
    try:
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        return bool(origin.get("dir_info", {}).get("editable", False))
    except (ValueError, AttributeError):
        return False


def _is_packed(file: PackagePath) -> bool:
    if file.is_absolute() or ".." in file.parts or "__pycache__" in file.parts or file.suffix == ".pyc":
        return False
    return not (file.parent.name.endswith(".dist-info") and file.name in _ADDED)


def _record(data: bytes) -> str:
    """Return a hash as RECORD has it: ``sha256=`` and URL-safe base64 without padding."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _whole(record: str, stem: str) -> bytes:
    return f"{record}{stem}.dist-info/RECORD,,\n".encode()
