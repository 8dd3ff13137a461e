"""`fix` from end to end on the test device: what computes wrong is never handed over, what computes right is.

The command is the user's own: uv creates the environment, resolves and installs into it, and the battery runs in it. In
the place of a gigabyte from the index stand two small wheels: a TensorFlow that points to one that is installed already,
and a tensorflow-metal that brings the test device. Only the plan is given.
"""

from __future__ import annotations

import json
import platform
import zipfile
from pathlib import Path

import pytest

from compat.__main__ import main
from compat.builder import journal
from compat.cli import fix
from compat.matrix.model import Target
from compat.plan.model import Accelerator, Candidate, Evidence, Plan
from tests.builder.tiny_index import wheel
from tests.device.build import FAKE_MAC, METAL_VERSION, NoCompiler, build, tensorflow_folder
from tests.smoke.environments import environment

pytestmark = pytest.mark.real

TENSORFLOW, PYTHON = "2.18.1", "3.11"
FAULT = "conv2d_backprop_filter_last_row"
WORDS = ("fix", "--create-venv", "--yes", "--offline", "--format", "json")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """A folder of wheels: pip, TensorFlow, and the device as tensorflow-metal."""
    interpreter = environment("keras3", tmp_path_factory.mktemp("environments"))
    try:
        library = build(interpreter, tmp_path_factory.mktemp("device"))
    except NoCompiler as missing:
        pytest.skip(str(missing))
    folder = tmp_path_factory.mktemp("wheels")
    wheel(folder, "pip", "1.0")
    site = tensorflow_folder(interpreter).parent
    carrying(wheel(folder, "tensorflow", TENSORFLOW), {"tensorflow_that_is_there.pth": f"{site}\n".encode()})
    carrying(
        wheel(folder, "tensorflow-metal", METAL_VERSION),
        {
            "tensorflow-plugins/libmetal_plugin.dylib": library.read_bytes(),
            "fake_mac.py": FAKE_MAC.read_bytes(),
            "fake_mac.pth": b"import fake_mac\n",  # a sitecustomize would stand behind the one some systems bring
        },
    )
    return folder


def carrying(path: Path, files: dict[str, bytes]) -> None:
    """Give a wheel other files in the place of its package (a wheel's RECORD may lack some: uv installs them all)."""
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" in name}
    record = next(name for name in kept if name.endswith("/RECORD"))
    rows = [row for row in kept[record].decode().splitlines() if ".dist-info/" in row]
    kept[record] = "".join(f"{row}\n" for row in (*rows, *(f"{name},," for name in files))).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**files, **kept}.items():
            archive.writestr(name, content)


def candidate(plugin: str | None) -> Candidate:
    plugins = [f"tensorflow-metal=={plugin}"] if plugin else []
    return Candidate(
        target=Target(platform=f"linux-{platform.machine()}", python=PYTHON),
        distribution="tensorflow",
        tensorflow=TENSORFLOW,
        accelerator=Accelerator(kind="plugin", distribution="tensorflow-metal", version=plugin) if plugin else None,
        evidence=Evidence(tier="installs"),
        lock=None,
        requirements=(f"tensorflow=={TENSORFLOW}", *plugins),
    )


GPU, CPU = candidate(METAL_VERSION), candidate(None)


@pytest.fixture
def fixing(tmp_path, index, monkeypatch, capsys):
    """A function of a fault and the candidates: exit code, the document, what was said, and what lies in the folder."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("UV_FIND_LINKS", str(index))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)

    def run(fault, best, *fallbacks):
        monkeypatch.setenv("TFCOMPAT_DEVICE_FAULT", fault)
        monkeypatch.setattr(fix, "decide", lambda *_given: Plan(best=best, fallbacks=fallbacks, reasons=()))
        code = main(list(WORDS))
        told = capsys.readouterr()
        return int(code), told.out, told.err, sorted(path.name for path in work.iterdir())

    return run


def test_a_device_that_computes_wrong_is_refused_and_nothing_is_left_behind(fixing):
    code, out, said, left = fixing(FAULT, GPU)

    assert code == 3
    assert "numerical checks failed: conv2d/" in out
    assert "/dw (eager, GPU:0)" in out
    assert "no candidate passed its verification; nothing was left behind" in said
    assert left == []


def test_a_sound_device_is_handed_over_with_what_was_measured_on_it(fixing):
    code, out, said, left = fixing("", GPU)

    assert code == 0, said
    assert left == [".venv-tf", ".venv-tf.requirements.txt"]
    (attempt,) = json.loads(out)["attempts"]
    assert "no numerical fault found by" in attempt["message"]
    assert "on CPU:0, GPU:0" in attempt["message"]
    assert list(Path(".venv-tf").glob("lib/python*/site-packages/tensorflow-plugins/*.dylib"))
    assert (Path(".venv-tf") / journal.MARKER).is_file()


@pytest.mark.full
def test_in_its_place_the_cpu_is_handed_over_where_the_device_computes_wrong(fixing):
    code, out, said, left = fixing(FAULT, GPU, CPU)

    assert code == 0, said
    assert left == [".venv-tf", ".venv-tf.requirements.txt"]
    refused, taken = json.loads(out)["attempts"]
    assert "numerical checks failed: conv2d/" in refused["message"]
    assert taken["message"].endswith("on CPU:0; fit, save, load and TensorBoard work")
    assert not list(Path(".venv-tf").glob("lib/python*/site-packages/tensorflow-plugins"))
