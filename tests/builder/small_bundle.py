"""Bundles of tiny wheels: an index, a matrix whose lock names them, and an interpreter archive that holds nothing."""

import hashlib
import io
import json
import shutil
import tarfile
from dataclasses import replace

from compat.builder import bundle, uv
from compat.builder.shelf import Shelf
from compat.matrix.load import Matrix
from compat.matrix.model import LockEntry, Target
from compat.plan.model import Candidate, Evidence
from compat.report.bundled import readme
from tests.builder.tiny_index import sha256, wheel

MAC = "macos-arm64"
LOCKED = ("demo", "helper", "pip")
ARCHIVE = "cpython-3.12.16+20261110-aarch64-apple-darwin-install_only_stripped.tar.gz"


def wheels(folder):
    """The index's wheels: three that the lock names, and an addition in several files."""
    folder.mkdir()
    for name in LOCKED:
        wheel(folder, name, "1.0", requires=["helper"] if name == "demo" else ())
    wheel(folder, "added", "2.0", requires=["helper"])
    return folder


def tagged(folder, name, version, tag):
    """One more file of a release, for other machines; its bytes are its own."""
    path = wheel(folder, name, version, body=f"__version__ = {version!r}  # {tag}\n")
    return shutil.move(path, path.with_name(path.name.replace("py3-none-any", tag)))


def matrix(root, index, *, platform=MAC, python="3.12"):
    """A matrix with one lock for those wheels; return it and the lock's head."""
    folder = root / "locks" / platform
    folder.mkdir(parents=True)
    rows = []
    for name in LOCKED:
        path = index / f"{name}-1.0-py3-none-any.whl"
        size = path.stat().st_size
        rows.append(
            f'  {{ name = "{name}", version = "1.0", file = "{path.name}", sha256 = "{sha256(path)}", size = {size} }},'
        )
    (folder / "demo.toml").write_text("packages = [\n" + "\n".join(rows) + "\n]\n")
    entry = LockEntry(
        file=f"{platform}/demo.toml",
        platform=platform,
        python=python,
        distribution="demo",
        tensorflow="1.0",
        tier="links",
        exclude_newer="2026-11-30",
        minimum_macos="12.1" if platform == MAC else None,
    )
    return Matrix(root), entry


def candidate(entry, platform=MAC, python="3.12"):
    return Candidate(
        target=Target(platform=platform, python=python),
        distribution="demo",
        tensorflow="1.0",
        accelerator=None,
        evidence=Evidence(tier="links"),
        lock=entry,
        requirements=("demo==1.0",),
    )


def interpreter(index, root, *, platform=("darwin", "aarch64", "none")):
    """Let the index have an archive of Python 3.12.16 for a platform; return uv's settings for it.

    uv unpacks it and changes paths in its sysconfig data, and runs nothing of it.
    """
    data = packed()
    index.others[f"/pythons/20261110/{ARCHIVE}"] = data
    system, architecture, libc = platform
    row = {
        "name": "cpython",
        "arch": {"family": architecture, "variant": None},
        "os": system,
        "libc": libc,
        "major": 3,
        "minor": 12,
        "patch": 16,
        "prerelease": "",
        "url": f"https://github.com/astral-sh/python-build-standalone/releases/download/20261110/{ARCHIVE}",
        "sha256": hashlib.sha256(data).hexdigest(),
        "variant": None,
        "build": "20261110",
    }
    listed = root / "pythons.json"
    listed.write_text(json.dumps({f"cpython-3.12.16-{system}-{architecture}-{libc}": row}))
    return {
        "UV_PYTHON_DOWNLOADS_JSON_URL": str(listed),
        "UV_PYTHON_INSTALL_MIRROR": f"{index.root}/pythons",
        "UV_PYTHON_INSTALL_DIR": str(root / "pythons"),
    }


def packed(more=""):
    """An archive laid out as python-build-standalone's, with what uv looks at in it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name in ("bin/python3.12", "lib/python3.12/os.py", "lib/python3.12/_sysconfigdata__any_any.py"):
            data = b"# system configuration generated and used by the sysconfig module\nbuild_time_vars = {}\n"
            data += more.encode()
            info = tarfile.TarInfo(f"python/{name}")
            info.size, info.mode = len(data), 0o755
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def job(root, index, known, entry, variables, **options):
    """What to bundle into ``root/place/out``; ``said`` gathers what is told."""
    said = options.pop("said", [])
    made = bundle.Job(
        directory=root / "place" / "out",
        candidate=candidate(entry),
        uv=uv.find(),
        matrix=known,
        shelf=Shelf(folder=root / "shelf", got=lambda _file, _count: None, seconds=1.5, silence=0.5),
        say=said.append,
        readme=readme,
        variables=variables,
        tool_version="0.0",
        day="2026-11-30",
    )
    return replace(made, **options)
