"""What is installed is what the lock says, by its hash, and it stays inside the environment."""

import base64
import hashlib
import stat
import sys
import zipfile

import pytest

from compat.builder import uv
from compat.errors import CannotAct
from tests.builder.tiny_index import sha256, wheel


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of wheels that uv knows, a cache of its own, and an environment."""
    (tmp_path / "wheels").mkdir()
    monkeypatch.setenv("UV_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "place").mkdir()
    uv.find(offline=True).venv(tmp_path / "place" / "env", sys.executable)
    return tmp_path


def installing(place, lock):
    (place / "lock.txt").write_text(lock)
    uv.find(offline=True).install(place / "lock.txt", python=str(place / "place/env/bin/python"))


def pinned(path, name="demo", version="1.0"):
    return f"{name}=={version} --hash=sha256:{sha256(path)}\n"


def installed(place):
    return sorted(path.name for path in (place / "place/env").glob("lib/python*/site-packages/*.dist-info"))


def test_a_lock_that_is_right_is_installed(place):
    installing(place, pinned(wheel(place / "wheels", "demo", "1.0")))

    assert installed(place) == ["demo-1.0.dist-info"]


REFUSED = {
    "no hash": lambda path: "demo==1.0\n",
    "no hash beside one that has": lambda path: pinned(path) + "other==1.0\n",
    "another file's hash": lambda path: f"demo==1.0 --hash=sha256:{'0' * 64}\n",
    "no version": lambda path: f"demo --hash=sha256:{sha256(path)}\n",
    "a range": lambda path: f"demo>=1.0 --hash=sha256:{sha256(path)}\n",
    "an address without a hash": lambda path: f"demo @ {path.as_uri()}\n",
    "an editable": lambda path: f"-e {path.parent}\n",
    "a folder": lambda path: f"{path.parent}\n",
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize(
    "settings", ["", "[pip]\nrequire-hashes = false\nverify-hashes = false\n"], ids=["plain", "uv.toml"]
)
def test_what_has_no_right_hash_is_not_installed(case, settings, place, monkeypatch):
    path = wheel(place / "wheels", "demo", "1.0")
    wheel(place / "wheels", "other", "1.0")
    (place / "wheels/pyproject.toml").write_text("[project]\nname = 'demo'\nversion = '1.0'\n")
    (place / "home/.config/uv").mkdir(parents=True)
    (place / "home/.config/uv/uv.toml").write_text(settings)
    for name in ("UV_REQUIRE_HASHES", "UV_VERIFY_HASHES"):
        monkeypatch.setenv(name, "0")
    monkeypatch.setenv("UV_NO_VERIFY_HASHES", "1")

    with pytest.raises(CannotAct):
        installing(place, REFUSED[case](path))
    assert installed(place) == []


def test_a_wheel_that_changed_since_it_was_cached_is_refused(place):
    lock = pinned(wheel(place / "wheels", "demo", "1.0"))
    installing(place, lock)
    wheel(place / "wheels", "demo", "1.0", body="print('another')\n")
    other = pinned(place / "wheels/demo-1.0-py3-none-any.whl")
    uv.find(offline=True).venv(place / "place" / "second", sys.executable)
    (place / "lock.txt").write_text(lock)
    python = place / "place/second/bin/python"
    try:
        uv.find(offline=True).install(place / "lock.txt", python=str(python))
    except CannotAct as refused:
        assert "hash" in refused.message.lower()  # noqa: PT017 - either way is right, see below
    bodies = [path.read_text() for path in python.parents[1].glob("lib/python*/site-packages/demo/__init__.py")]

    assert lock != other
    assert "print('another')\n" not in bodies  # the first one from the cache, or nothing


def hostile_wheel(folder, members, *, name="demo", extra=""):
    """A wheel with members of any names; its RECORD is right, so that only their names are wrong."""
    info = f"{name}-1.0.dist-info"
    files = {
        **members,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if extra:
        files[f"{info}/entry_points.txt"] = extra
    rows = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows += f"{path},sha256={digest},{len(text)}\n"
    files[f"{info}/RECORD"] = rows + f"{info}/RECORD,,\n"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in files.items():
            row = zipfile.ZipInfo(member)
            row.external_attr = ((stat.S_IFLNK | 0o777) if text.startswith("LINK ") else (stat.S_IFREG | 0o644)) << 16
            archive.writestr(row, text.removeprefix("LINK "))
    return path


TRAVERSING = {
    "up": {"../../../../../../escaped": "x"},
    "up from a package": {"demo/../../../../../../../escaped": "x"},
    "absolute": {"ABSOLUTE/escaped": "x"},
    "backslashes": {"..\\..\\..\\..\\..\\..\\escaped": "x"},
    "data": {"demo-1.0.data/data/../../../escaped": "x"},
    "data of the environment": {"demo-1.0.data/data/../escaped": "x"},
    "scripts": {"demo-1.0.data/scripts/../../../escaped": "x"},
    "a link and a file through it": {"demo/link": "LINK ABSOLUTE", "demo/link/escaped": "x"},
    "a link to a file": {"escaped": "LINK ABSOLUTE/precious", "demo/__init__.py": ""},
}


@pytest.mark.parametrize("case", TRAVERSING)
def test_no_member_of_a_wheel_leaves_the_environment(case, place):
    (place / "precious").write_text("mine")
    members = {
        name.replace("ABSOLUTE", str(place)): text.replace("ABSOLUTE", str(place))
        for name, text in TRAVERSING[case].items()
    }
    path = hostile_wheel(place / "wheels", members)
    before = outside(place)
    try:
        installing(place, pinned(path))
    except CannotAct as refused:
        assert len(refused.message.splitlines()) == 1  # noqa: PT017 - refusing and leaving out are both right

    assert outside(place) == before
    assert (place / "precious").read_text() == "mine"
    assert not [
        link for link in (place / "place/env").rglob("*") if link.is_symlink() and str(place) in str(link.readlink())
    ]


def outside(place):
    """Everything but the environment, the cache and what the test lays down."""
    kept = (place / "place/env", place / "cache")
    files = {path for path in place.rglob("*") if not any(folder in path.parents or path == folder for folder in kept)}
    return (files | set(place.parent.glob("escaped*"))) - {place / "lock.txt"}


@pytest.mark.parametrize("name", ["../../../escaped", "ABSOLUTE/escaped", "../escaped"])
def test_no_command_of_a_wheel_is_written_outside_the_environment(name, place):
    entry = f"[console_scripts]\n{name.replace('ABSOLUTE', str(place))} = demo:main\n"
    path = hostile_wheel(place / "wheels", {"demo/__init__.py": "def main(): pass\n"}, extra=entry)
    before = outside(place)
    try:
        installing(place, pinned(path))
    except CannotAct as refused:
        assert len(refused.message.splitlines()) == 1  # noqa: PT017

    assert outside(place) == before
    assert not (place / "escaped").exists()
