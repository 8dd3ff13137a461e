"""A manifest that lies, leads elsewhere or is cut short is refused in one line before anything of it is used."""

import copy

import pytest

from compat.errors import CannotAct
from compat.facts.codec import encode
from compat.matrix.load import load
from compat.matrix.model import LockedPackage
from compat.plan import bundled, export
from compat.plan.bundled import Archive, File, Manifest, checked, lock_of, run_line

HASH = "a" * 64
WHEEL = "demo-1.0-py3-none-any.whl"
ARCHIVE = "python/cpython-3.12.16+20261110-aarch64-apple-darwin-install_only.tar.gz"
SOUND = Manifest(
    schema_version=1,
    kind="tfcompat bundle",
    made_by="tfcompat 0.1.0, uv 0.13.9",
    day="2026-11-30",
    platform="macos-arm64",
    python="3.12",
    candidate="TensorFlow 1.0 + tensorflow-metal 1.2.0, Python 3.12",
    distribution="demo",
    tensorflow="1.0",
    gpu=True,
    lock=None,
    minimum_macos="12.1",
    minimum_glibc=None,
    packages=(LockedPackage(name="demo", version="1.0", file=WHEEL, sha256=HASH, size=9),),
    files=(
        File(path=f"wheels/{WHEEL}", sha256=HASH, size=9),
        File(path=ARCHIVE, sha256=HASH, size=7),
        File(path="requirements.lock", sha256=HASH, size=3),
    ),
    interpreter=Archive(version="3.12.16", path=ARCHIVE, source="https://example.org/x"),
)


def sound():
    return copy.deepcopy(encode(SOUND))


def test_what_was_written_is_read_as_it_was():
    assert checked(sound(), "manifest.json") == SOUND


def test_every_pin_of_the_shipped_locks_may_stand_in_a_manifest():
    matrix = load()
    for entry in matrix.locks():
        value = sound()
        packages = matrix.lock(entry).packages
        value |= {
            "distribution": entry.distribution,
            "packages": encode(packages),
            "files": [{"path": f"wheels/{one.file}", "sha256": one.sha256, "size": one.size} for one in packages],
            "interpreter": None,
            "platform": entry.platform,
            "python": entry.python,
            "tensorflow": entry.tensorflow,
            "minimum_macos": entry.minimum_macos,
            "minimum_glibc": entry.glibc,
        }
        assert checked(value, "manifest.json").packages == packages


PATHS = [
    "../outside.whl", "/etc/passwd", "wheels/../../outside.whl", "wheels/a/b.whl", "wheels/", "wheels", "wheels//x.whl",
    "wheels/.hidden", "wheels/-r.whl", "wheels/a b.whl", "wheels/a\nb.whl", "wheels/a\x1b[31m.whl", "wheels/a\u202eb.whl",
    "wheels\\a.whl", "C:/a.whl", "manifest.json", "elsewhere/a.whl", "tool/../wheels/a.whl", "", "wheels/" + "a" * 300,
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=ascii)
def test_a_name_that_leads_elsewhere_is_refused(path):
    value = sound()
    value["files"].append({"path": path, "sha256": HASH, "size": 1})

    with pytest.raises(CannotAct, match="is no place in a bundle") as raised:
        checked(value, "manifest.json")
    assert raised.value.message.isprintable()


PINS = [
    {"name": "demo\n--index-url https://example.org"},
    {"name": "demo; import os"},
    {"name": "other"},
    {"name": "Demo"},
    {"name": ""},
    {"version": "1.0 --hash=sha256:" + "b" * 64},
    {"version": "2.0"},
    {"version": "1.0\nevil @ https://example.org/evil.whl"},
    {"version": "*"},
    {"file": "other-1.0-py3-none-any.whl"},
    {"file": "../demo-1.0-py3-none-any.whl"},
    {"sha256": "b" * 64},
    {"sha256": ""},
    {"size": 8},
]


@pytest.mark.parametrize("change", PINS, ids=lambda change: ascii(str(change))[:60])
def test_a_pin_that_is_not_its_wheels_is_refused(change):
    value = sound()
    value["packages"][0] |= change

    with pytest.raises(CannotAct, match=r"packages\[0\]|not among its pins"):
        checked(value, "manifest.json")


WORDS = [
    ("platform", "windows-amd64"), ("platform", "linux"), ("python", "3"), ("python", "3.12 --system"),
    ("python", "3.12\n"), ("tensorflow", "latest"), ("minimum_macos", "12.1; rm"), ("minimum_glibc", "x"),
    ("distribution", "tensorflow"), ("schema_version", 2), ("schema_version", "1"), ("kind", "bundle"), ("files", []),
    ("packages", {}), ("files", [1]), ("gpu", 1), ("interpreter", {"version": "3.12.16", "path": "x", "source": ""}),
    ("interpreter", {"version": "3.11.1", "path": ARCHIVE, "source": ""}),
    ("interpreter", {"version": "3.12.16/..", "path": ARCHIVE, "source": ""}),
]  # fmt: skip


@pytest.mark.parametrize("key, value", WORDS, ids=lambda value: ascii(str(value))[:40])
def test_a_word_that_cannot_be_meant_is_refused(key, value):
    with pytest.raises(CannotAct, match=r"manifest\.json") as raised:
        checked(sound() | {key: value}, "manifest.json")
    assert "\n" not in raised.value.message


@pytest.mark.parametrize("key", sorted(set(encode(SOUND)) - {"interpreter", "missing", "run"}))
def test_what_must_be_said_is_missed(key):
    value = sound()
    del value[key]

    with pytest.raises(CannotAct):
        checked(value, "manifest.json")


@pytest.mark.parametrize("value", [None, [], "text", 1, {}, {"kind": "tfcompat bundle"}])
def test_what_is_no_manifest_at_all_is_called_that(value):
    with pytest.raises(CannotAct, match=r"manifest\.json"):
        checked(value, "manifest.json")


def test_a_name_stands_once_on_disks_that_fold_case():
    value = sound()
    value["files"].append({"path": f"wheels/{WHEEL.upper()}", "sha256": HASH, "size": 1})

    with pytest.raises(CannotAct, match="stands there twice"):
        checked(value, "manifest.json")


def test_its_lock_installs_what_it_pins_and_nothing_else():
    lines = export.requirements(lock_of(SOUND)).splitlines()

    assert lines[1:] == [f"demo==1.0 --hash=sha256:{HASH}"]
    assert lock_of(SOUND).entry.plugin_version == "1.2.0"


def test_the_line_for_the_target_is_one_a_shell_reads_as_meant():
    whole = (*SOUND.files, File(path="tool/requirements.lock", sha256=HASH, size=1))
    with_tool = Manifest(**{name: getattr(SOUND, name) for name in encode(SOUND)} | {"files": whole})

    assert run_line(SOUND, "out") == "tfcompat fix --create-venv --bundle out"
    assert run_line(SOUND, "it's; rm") == "tfcompat fix --create-venv --bundle 'it'\"'\"'s; rm'"
    assert run_line(SOUND, "-rf") == "tfcompat fix --create-venv --bundle ./-rf"
    assert run_line(with_tool, "out").split(" && ") == [
        "mkdir -p tfcompat-tool",
        f"tar -xzf out/{ARCHIVE} -C tfcompat-tool",
        "tfcompat-tool/python/bin/python3 -m venv tfcompat-tool/env",
        (
            "tfcompat-tool/env/bin/python -m pip install --no-index --find-links out/tool"
            " --require-hashes -r out/tool/requirements.lock"
        ),
        "tfcompat-tool/env/bin/tfcompat fix --create-venv --bundle out",
    ]
    assert bundled.TOOL_FOLDER in run_line(with_tool, "out")
