"""A lock written out: every format installs the lock's own files and no others, by the installers that read it."""

import functools
import http.server
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from packaging.pylock import Pylock
from packaging.requirements import Requirement
from packaging.tags import compatible_tags, cpython_tags, mac_platforms
from uv import find_uv_bin

from compat.errors import CannotAct
from compat.matrix.load import load
from compat.matrix.model import Lock, LockedPackage, LockEntry
from compat.plan.export import MARKERS, constraints, environment_yml, pylock, requirements
from tests.builder.tiny_index import sha256, wheel

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MATRIX = load()
RECOMMENDED = next(lock for lock in MATRIX.locks() if lock.recommended)
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
MAC = {
    "sys_platform": "darwin", "platform_machine": "arm64", "python_version": "3.12", "python_full_version": "3.12.4",
    "implementation_name": "cpython", "os_name": "posix", "platform_system": "Darwin", "platform_release": "21.6.0",
    "platform_version": "", "platform_python_implementation": "CPython", "implementation_version": "3.12.4",
}  # fmt: skip


def invented(lock):
    """An address for each wheel: what an address says is not what these tests are about."""
    return {package.file: f"https://files.example/{package.file}" for package in lock.packages}


def entry(**given):
    head = {
        "file": "linux-x86_64/demo-1.0.toml", "platform": "linux-x86_64", "python": HERE, "distribution": "demo",
        "tensorflow": "1.0", "tier": "runs", "exclude_newer": "2026-11-30",
    }  # fmt: skip
    return LockEntry(**{**head, **given})


@pytest.fixture
def tiny(tmp_path):
    """A lock of two real wheels, and where they lie; newer releases lie beside them."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    wheels = {name: wheel(folder, name, "1.0") for name in ("demo", "helper")}
    wheel(folder, "demo", "2.0")
    packages = tuple(
        LockedPackage(name=name, version="1.0", file=path.name, sha256=sha256(path), size=path.stat().st_size)
        for name, path in sorted(wheels.items())
    )
    return Lock(entry=entry(), packages=packages), folder


@pytest.fixture
def served(tiny):
    """The tiny wheels by HTTP: a URL, as a pylock says it."""
    lock, folder = tiny
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {package.file: f"http://127.0.0.1:{server.server_port}/{package.file}" for package in lock.packages}
    server.shutdown()
    server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def bare(tmp_path):
    """An environment with nothing in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    return tmp_path / "env"


def run(tmp_path, *words):
    argv = [find_uv_bin(), *map(str, words), "--no-config", "--cache-dir", str(tmp_path / "cache")]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)


def installed(environment):
    site = next(environment.glob("lib/python*/site-packages"))
    return sorted(path.name.removesuffix(".dist-info") for path in site.glob("*.dist-info"))


def tampered(lock):
    first, *rest = lock.packages
    return replace(lock, packages=(replace(first, sha256="0" * 64), *rest))


# Hashed requirements


def test_each_pin_names_its_file_by_hash():
    lock = MATRIX.lock(RECOMMENDED)
    lines = requirements(lock).splitlines()

    assert lines[0].startswith("# tensorflow 2.18.1, macos-arm64, Python 3.12, tensorflow-metal 1.2.0")
    assert f"macOS {RECOMMENDED.minimum_macos} or newer" in lines[0]
    assert len(lines) == len(lock.packages) + 1
    assert all("==" in line and " --hash=sha256:" in line for line in lines[1:])


def test_constraints_are_the_pins_alone():
    lock = MATRIX.lock(RECOMMENDED)

    assert "tensorflow-metal==1.2.0\n" in constraints(lock)
    assert "hash" not in constraints(lock)


def test_uv_installs_the_hashed_requirements_and_refuses_another_file(tiny, bare, tmp_path):
    lock, folder = tiny
    file = tmp_path / "requirements.txt"
    words = ("pip", "sync", "--require-hashes", "--no-index", "--find-links", folder, "--python", bare, file)

    file.write_text(requirements(tampered(lock)))
    refused = run(tmp_path, *words)
    file.write_text(requirements(lock))
    done = run(tmp_path, *words)

    assert refused.returncode != 0
    assert "hash" in refused.stderr.lower()
    assert done.returncode == 0, done.stderr
    assert installed(bare) == ["demo-1.0", "helper-1.0"]


# PEP 751


def kinds():
    """One lock for each platform, Python and plugin; all two hundred are alike in form and take a minute."""
    return {(lock.platform, lock.python, lock.plugin_version, lock.cuda): lock for lock in MATRIX.locks()}.values()


def test_a_pylock_of_every_kind_of_lock_is_valid_and_says_what_the_lock_says():
    for head in kinds():
        lock = MATRIX.lock(head)
        read = Pylock.from_dict(tomllib.loads(pylock(lock, invented(lock))))

        assert (str(read.lock_version), read.created_by, len(read.environments)) == ("1.0", "tfcompat", 1)
        major, minor = map(int, head.python.split("."))
        fits = [f"{major}.{other}.1" for other in range(6, 16) if f"{major}.{other}.1" in read.requires_python]
        assert fits == [f"{major}.{minor}.1"]
        said = [
            (package.name, str(package.version), found.name, found.hashes["sha256"], found.size)
            for package in read.packages
            for found in package.wheels
        ]
        assert said == [(one.name, one.version, one.file, one.sha256, one.size) for one in lock.packages]
        assert {package.index for package in read.packages} == {"https://pypi.org/simple"}


def test_an_installer_on_a_mac_takes_every_wheel_of_it_and_one_elsewhere_takes_none():
    lock = MATRIX.lock(RECOMMENDED)
    read = Pylock.from_dict(tomllib.loads(pylock(lock, invented(lock))))
    major, minor = map(int, RECOMMENDED.minimum_macos.split("."))
    platforms = list(mac_platforms((major, minor), "arm64"))
    tags = [*cpython_tags((3, 12), ["cp312"], platforms), *compatible_tags((3, 12), "cp312", platforms)]

    taken = {package.name: found.name for package, found in read.select(environment=MAC, tags=tags)}

    assert taken == {package.name: package.file for package in lock.packages}
    others = {
        "platform_machine": "x86_64",
        "sys_platform": "linux",
        "python_version": "3.11",
        "implementation_name": "pypy",
    }
    for other in ({name: value} for name, value in others.items()):
        with pytest.raises(Exception, match=r"environment|requires"):
            list(read.select(environment={**MAC, **other}, tags=tags))


def test_every_platform_with_locks_has_its_marker():
    assert {lock.platform for lock in MATRIX.locks()} == set(MARKERS)


@pytest.mark.skipif(sys.platform != "linux", reason="the tiny lock is one for Linux")
def test_uv_installs_a_pylock_and_refuses_another_file(tiny, served, bare, tmp_path):
    lock, _ = tiny
    machine = replace(lock, entry=entry(platform="linux-aarch64")) if is_arm() else lock
    file = tmp_path / "pylock.toml"
    words = ("pip", "sync", "--preview-features", "pylock", "--python", bare, file)

    file.write_text(pylock(tampered(machine), served))
    refused = run(tmp_path, *words)
    file.write_text(pylock(machine, served))
    done = run(tmp_path, *words)

    assert refused.returncode != 0
    assert "hash" in refused.stderr.lower()
    assert done.returncode == 0, done.stderr
    assert installed(bare) == ["demo-1.0", "helper-1.0"]


@pytest.mark.skipif(sys.platform != "linux", reason="on a Mac this lock would fit")
def test_uv_does_not_install_a_macs_pylock_here(tiny, served, bare, tmp_path):
    lock, _ = tiny
    file = tmp_path / "pylock.toml"
    file.write_text(pylock(replace(lock, entry=entry(platform="macos-arm64")), served))

    done = run(tmp_path, "pip", "sync", "--preview-features", "pylock", "--python", bare, file)

    assert done.returncode != 0
    assert installed(bare) == []


def is_arm():
    import platform

    return platform.machine() == "aarch64"


def test_a_wheel_without_an_address_is_refused_by_name(tiny):
    lock, _ = tiny

    with pytest.raises(CannotAct, match=r"does not say where demo-1\.0-py3-none-any\.whl is"):
        pylock(lock, {})


# conda


def pip_section(text):
    """The pins of the pip list, read without a YAML library: the list is the end of the file."""
    head, _, pins = text.partition("  - pip:\n")
    assert head.endswith("  - pip\n")
    lines = pins.splitlines()
    assert all(line.startswith("      - ") for line in lines)
    return [line.removeprefix("      - ") for line in lines]


def test_conda_gives_python_and_pip_and_pip_all_the_rest():
    lock = MATRIX.lock(RECOMMENDED)
    text = environment_yml(lock)

    assert "\nname: tensorflow-2.18.1-metal-1.2.0-cp312\n" in text
    assert "\n  - python=3.12\n" in text
    pins = [Requirement(line.partition(" --hash")[0]) for line in pip_section(text)]
    assert {pin.name: str(pin.specifier) for pin in pins} == {
        package.name: f"=={package.version}" for package in lock.packages if package.name != "pip"
    }


def test_what_conda_hands_to_pip_installs_hash_checked(tiny, tmp_path):
    """Conda writes the list to a file and runs `pip install -U -r` on it (conda/env/installers/pip.py)."""
    lock, folder = tiny
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    file = tmp_path / "condaenv.requirements.txt"
    pip = [tmp_path / "env" / "bin" / "python", "-m", "pip", "--isolated", "install", "-U", "--no-index"]

    def install(one):
        file.write_text("\n".join(pip_section(environment_yml(one))))
        argv = [*map(str, pip), "--find-links", str(folder), "-r", str(file), "--exists-action=b"]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)

    refused, done = install(tampered(lock)), install(lock)

    assert refused.returncode != 0
    assert "HASH" in refused.stderr.upper()
    assert done.returncode == 0, done.stderr
    assert {"demo-1.0", "helper-1.0"} <= set(installed(tmp_path / "env"))
