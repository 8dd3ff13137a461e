"""Bundles of real TensorFlows: one for this Linux, built and verified where there is no network; one for a Mac, read."""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.tags import compatible_tags, cpython_tags, mac_platforms
from packaging.utils import parse_wheel_filename
from uv import find_uv_bin

from compat.facts.known import known
from compat.probe.environment import target_environment
from tests.builder.loopback import serving
from tests.builder.python_archive import listed, pack
from tests.real.conftest import ENV, interpreter, uv

pytestmark = [pytest.mark.real, pytest.mark.network]

ROOT = Path(__file__).parents[2]
PYTHON = "3.11"
CONNECT = "import socket; socket.create_connection(('127.0.0.1', {port}), 2)"


def command(*words, env=ENV, **rest):
    return subprocess.run([*map(str, words)], env=env, capture_output=True, text=True, check=False, **rest)


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    """An interpreter archive on the loopback interface, and uv's settings for it."""
    folder = tmp_path_factory.mktemp("mirror")
    archive = folder / f"cpython-{PYTHON}-install_only.tar.gz"
    (folder / "pythons.json").write_text(listed(archive, pack(interpreter(PYTHON), archive)))
    with serving(folder) as index:
        index.others[f"/pythons/20260101/{archive.name}"] = archive
        settings = {
            "UV_PYTHON_DOWNLOADS_JSON_URL": str(folder / "pythons.json"),
            "UV_PYTHON_INSTALL_MIRROR": f"{index.root}/pythons",
            "NO_PROXY": "127.0.0.1",
        }
        yield index, settings


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A tfcompat installed from its wheel, as users have it."""
    folder = tmp_path_factory.mktemp("installed")
    uv("build", "--wheel", "--out-dir", folder, ROOT)
    uv("venv", "--python", interpreter(PYTHON), folder / "env")
    uv("pip", "install", "--python", folder / "env/bin/python", next(folder.glob("*.whl")))
    yield folder / "env" / "bin" / "tfcompat"
    shutil.rmtree(folder, ignore_errors=True)


def without_network(*words, home, cwd):
    """Run where there is no network at all, with nothing of this user's: no Python, no cache, no settings.

    On PATH is what the line for the target calls, and nothing else.
    """
    programs = home / "programs"
    programs.mkdir(exist_ok=True)
    for name in ("sh", "mkdir", "tar", "gzip"):
        if not (programs / name).exists():
            (programs / name).symlink_to(shutil.which(name))
    env = {"PATH": str(programs), "HOME": str(home), "UV_CACHE_DIR": str(home / "cache"), "LANG": "C.UTF-8"}
    unshare = (shutil.which("unshare"), "--user", "--map-root-user", "--net")
    return command(*unshare, *words, env=env, cwd=cwd, timeout=1800)


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("unshare") is None, reason="needs unshare (util-linux)")
def test_a_bundle_is_all_that_a_machine_without_a_network_needs(installed, mirror, tmp_path):
    index, settings = mirror
    made = command(installed, "bundle", "out", "--python", PYTHON, "--format", "json", env=ENV | settings, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    manifest = json.loads(made.stdout)
    assert manifest["missing"] == []

    target, home = tmp_path / "target", tmp_path / "home"
    target.mkdir()
    home.mkdir()
    (tmp_path / "out").rename(target / "out")
    try:
        port = index.root.rpartition(":")[2]
        assert command(sys.executable, "-c", CONNECT.format(port=port)).returncode == 0
        cut_off = without_network(sys.executable, "-c", CONNECT.format(port=port), home=home, cwd=target)
        assert "Network is unreachable" in cut_off.stderr

        built = without_network("sh", "-c", f"{manifest['run']} --yes", home=home, cwd=target)

        assert built.returncode == 0, built.stdout + built.stderr
        assert "no numerical fault found" in built.stdout
        python = target / ".venv-tf" / "bin" / "python"
        asked = "import tensorflow, sys; print(tensorflow.__version__, sys.base_prefix)"
        version, prefix = command(python, "-c", asked).stdout.split()
        assert version == manifest["tensorflow"]
        assert prefix.startswith(str(home)), "the Python is not the bundle's"
    finally:
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def mac(tmp_path_factory):
    """A bundle for Apple silicon made here, with its manifest."""
    folder = tmp_path_factory.mktemp("mac")
    words = ("bundle", folder / "out", "--for", "macos-arm64", "--python", "3.12", "--format", "json")
    made = command(sys.executable, "-m", "compat", *words)
    assert made.returncode == 0, made.stderr
    yield folder / "out", json.loads(made.stdout)
    shutil.rmtree(folder, ignore_errors=True)


def test_every_wheel_for_a_mac_is_one_that_the_oldest_mac_it_is_for_takes(mac):
    _, manifest = mac
    macos = tuple(int(part) for part in manifest["minimum_macos"].split("."))
    platforms = list(mac_platforms(macos, "arm64"))
    taken = {*cpython_tags((3, 12), platforms=platforms), *compatible_tags((3, 12), "cp312", platforms)}

    wheels = [file["path"].partition("/")[2] for file in manifest["files"] if file["path"].startswith("wheels/")]
    assert len(wheels) == len(manifest["packages"]) > 30
    assert [name for name in wheels if parse_wheel_filename(name)[3].isdisjoint(taken)] == []


def test_every_file_for_a_mac_has_the_hash_that_the_manifest_and_the_lock_say(mac):
    out, manifest = mac

    assert {
        file["path"]: hashlib.sha256((out / file["path"]).read_bytes()).hexdigest() for file in manifest["files"]
    } == {file["path"]: file["sha256"] for file in manifest["files"]}
    lock = (out / "requirements.lock").read_text()
    assert all(
        f"{one['name']}=={one['version']} --hash=sha256:{one['sha256']}\n" in lock for one in manifest["packages"]
    )


def test_the_plugin_for_a_mac_loads_on_the_tensorflow_beside_it(mac, tmp_path):
    out, manifest = mac
    site = tmp_path / "site"
    words = (
        "pip",
        "install",
        "--target",
        site,
        "--python-platform",
        "aarch64-apple-darwin",
        "--python-version",
        "3.12",
    )
    offline = ("--no-index", "--find-links", out / "wheels", "--no-deps", "--require-hashes", "--offline")
    env = ENV | {"MACOSX_DEPLOYMENT_TARGET": manifest["minimum_macos"], "UV_CACHE_DIR": str(tmp_path / "cache")}
    try:
        done = command(find_uv_bin(), *words, *offline, "-r", out / "requirements.lock", env=env)
        assert done.returncode == 0, done.stderr
        _, environment = target_environment(str(site), "macos-arm64", "3.12")
    finally:
        shutil.rmtree(site, ignore_errors=True)
        shutil.rmtree(tmp_path / "cache", ignore_errors=True)

    plugins = known(environment.plugins)
    assert manifest["candidate"].endswith("+ tensorflow-metal 1.2.0, Python 3.12")
    assert plugins
    assert all(known(plugin.link_proof).loads for plugin in plugins)
