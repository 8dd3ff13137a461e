"""`tfcompat-pins` on files nobody meant: one finding each, the others go on, bounded time and memory, nothing executed."""

import functools
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compat.cli import hook, knowledge
from tests.ending import ending

GOOD = "tensorflow==2.18.1\ntensorflow-metal==1.1.0\n"
"""A file whose error shows that it was reached."""
BINARY = {"after": "\0", "error": "PIN500"}
"""The same where thousands of files are judged: an error that is told without judging anything."""

PIXI = '[project]\nname = "a"\nplatforms = ["osx-arm64"]\n[pypi-dependencies]\ntensorflow = "==2.18.1"\n'
LOCK = '[[package]]\nname = "tensorflow"\nversion = "2.18.1"\nwheels = [{ url = "https://example.org/a.whl" }]\n'
CONDA = "name: a\nchannels: [conda-forge]\ndependencies:\n  - python=3.11\n  - pip:\n    - tensorflow==2.18.1\n"
FLOW = "on: push\njobs:\n  a:\n    runs-on: macos-14\n    steps:\n    - run: pip install tensorflow==2.18.1\n"
BOOK = json.dumps({"cells": [{"cell_type": "code", "source": ["!pip install tensorflow==2.18.1\n"]}], "nbformat": 4})
SAMPLES = {
    "requirements.txt": "-r other.txt\ntensorflow==2.18.1 ; python_version > '3.9'  # why\nnumpy \\\n  <2\n",
    "pyproject.toml": '[project]\nname = "a"\ndependencies = ["tensorflow==2.18.1"]\n[tool.poetry.dependencies]\na = "^1"\n',
    "uv.lock": LOCK,
    "poetry.lock": LOCK,
    "pdm.lock": LOCK,
    "pylock.toml": LOCK.replace("[[package]]", "[[packages]]"),
    "Pipfile": '[packages]\ntensorflow = "==2.18.1"\n[requires]\npython_version = "3.11"\n',
    "Pipfile.lock": json.dumps({"default": {"tensorflow": {"version": "==2.18.1"}}}),
    "pixi.toml": PIXI,
    "pixi.lock": "version: 6\npackages:\n- pypi: https://example.org/a.whl\n  name: tensorflow\n  version: 2.18.1\n",
    "conda-lock.yml": "version: 1\npackage:\n- name: tensorflow\n  version: 2.18.1\n  manager: pip\n  platform: osx-arm64\n",
    "setup.cfg": "[options]\ninstall_requires =\n    tensorflow==2.18.1\n",
    "setup.py": "from setuptools import setup\nsetup(install_requires=['tensorflow==2.18.1'])\n",
    "noxfile.py": "import nox\n@nox.session\ndef t(session):\n    session.install('tensorflow==2.18.1')\n",
    "tool.py": '# /// script\n# dependencies = ["tensorflow==2.18.1"]\n# ///\n',
    "tox.ini": "[testenv]\ndeps =\n    tensorflow==2.18.1\n",
    "Dockerfile": "FROM python:3.11 AS a\nRUN pip install \\\n  tensorflow==2.18.1 && true\n",
    "Makefile": "a:\n\tpip install tensorflow==2.18.1\n",
    "install.sh": "#!/bin/sh\npip install 'tensorflow==2.18.1' \\\n  numpy\n",
    "a.ipynb": BOOK,
    "environment.yml": CONDA,
    ".github/workflows/ci.yml": FLOW,
    ".python-version": "3.11\n",
    ".tool-versions": "python 3.11.4\n",
    "conda_list.txt": "# packages in environment at /a:\n#\n# Name  Version  Build  Channel\ntensorflow  2.18.1  pypi_0  pypi\n",
    "meta.yaml": "requirements:\n  run:\n    - tensorflow {{ x }}\n",
    "README.md": "```sh\npip install tensorflow==2.18.1\n```\n",
}


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def go(*words):
        capsys.readouterr()
        code = hook.main([str(word) for word in words])
        out = capsys.readouterr()
        assert "Traceback" not in out.out + out.err
        return int(code), out.out, out.err.splitlines()

    return go


def judged(folder, name, content, after=GOOD, error="PIN501"):
    """Judge one file of given bytes beside a file after it whose error shows that it was reached; return its JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    other = folder / "other-requirements.txt"
    other.write_text(after)
    import compat

    with ending():
        first, second = compat.check_pins([path, other], markdown=True)["files"]
    assert error in [row["id"] for row in second["findings"]]
    assert "PIN599" not in [row["id"] for row in first["findings"]], first["findings"]
    return first


QUICK = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def read_once(monkeypatch):
    """The bundled matrix, for thousands of runs: each would read it from the disk anew."""
    matrix = _bundled()
    monkeypatch.setattr(knowledge, "matrix", lambda: matrix)


@functools.cache
def _bundled():
    return knowledge.matrix()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_whole_file_is_read(tmp_path, name):
    file = judged(tmp_path, name, SAMPLES[name].encode())

    assert "PIN500" not in [row["id"] for row in file["findings"]]
    assert file["pins"] or name in (
        ".python-version",
        ".tool-versions",
        "meta.yaml",
        "pixi.lock",
        "pylock.toml",
        "pdm.lock",
    )


@pytest.mark.parametrize("name", SAMPLES)
@QUICK
@given(data=st.data())
def test_a_file_cut_short_anywhere_is_at_most_one_finding_that_it_cannot_be_read(tmp_path, read_once, name, data):
    text = SAMPLES[name].encode()
    file = judged(tmp_path, name, text[: data.draw(st.integers(0, len(text)))], **BINARY)

    assert [row["id"] for row in file["findings"]].count("PIN500") <= 1


@pytest.mark.parametrize("name", SAMPLES)
@QUICK
@given(content=st.binary(max_size=300), at=st.integers(0, 200))
def test_random_bytes_anywhere_in_a_file_never_end_the_run(tmp_path, read_once, name, content, at):
    text = SAMPLES[name].encode()
    judged(tmp_path, name, text[:at] + content + text[at:], **BINARY)
    judged(tmp_path, name, content, **BINARY)


def test_a_binary_an_unreadable_and_a_missing_file_are_one_finding_each(run, tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").write_bytes(b"\x00\x01\x7fELF\xff")
    (tmp_path / "locked.txt").write_text(GOOD)
    (tmp_path / "good.txt").write_text(GOOD)
    (tmp_path / "pipe.txt").mkdir()
    real = Path.read_bytes

    def refused(path):
        if path.name == "locked.txt":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", refused)  # the tests may run as root, who may read anything
    code, out, _ = run("requirements.txt", "locked.txt", "no\nsuch.txt", "a\0b.txt", "good.txt", "--severity", "error")

    assert code == 1
    assert [line.split(":1:1: ")[0] for line in out.splitlines() if "PIN500" in line] == [
        "requirements.txt",
        "locked.txt",
        "no such.txt",
        "a�b.txt",
    ]
    assert out.splitlines()[-1].startswith("good.txt:2:1: PIN501")


@pytest.mark.parametrize(
    "name", ["a\nb-requirements.txt", "ünï requirements.txt", "-requirements.txt", "a\x1b[31m.txt"]
)
def test_a_name_of_any_kind_is_one_line(run, tmp_path, name):
    (tmp_path / name).write_text(GOOD)
    code, out, _ = run("--severity", "error", "--", name)

    assert code == 1
    assert out.count("\n") == 1
    assert "\x1b" not in out


def test_a_name_that_is_no_text_is_told_in_every_format(run, tmp_path):
    name = os.fsdecode(b"a\xff-requirements.txt")
    (tmp_path / name).write_text(GOOD)

    for told in ("columns", "json", "sarif", "github"):
        assert run("--severity", "error", "--format", told, name)[0] == 1


def test_includes_that_loop_or_never_end_are_told_and_end(run, tmp_path):
    (tmp_path / "requirements.txt").write_text("-r b.txt\n" + GOOD)
    (tmp_path / "b.txt").write_text("-r requirements.txt\n-r b.txt\n-r missing.txt\n")
    for number in range(300):
        (tmp_path / f"c{number}.txt").write_text(f"-r c{number + 1}.txt\n-c c{(number * 7) % 300}.txt\n")
    with ending():
        code, out, _ = run("requirements.txt", "c0.txt", "c1.txt")

    assert code == 1
    assert "PIN501" in out


def test_links_in_a_circle_are_one_finding(run, tmp_path):
    (tmp_path / "a.txt").symlink_to("b.txt")
    (tmp_path / "b.txt").symlink_to("a.txt")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "sub" / "requirements.txt").write_text(GOOD)

    code, out, _ = run("a.txt", "--severity", "error")
    assert (code, out.count("PIN500")) == (1, 1)
    assert run(".", "--severity", "error")[1].count("PIN501") == 1


BOMBS = {
    "environment.yml": "dependencies:\n- &a [x, x, x, x, x, x, x, x]\n"
    + "".join(f"- &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12)),
    "deep.yml": "dependencies: " + "[" * 50_000,
    "pyproject.toml": "[project]\ndependencies = " + "[" * 50_000,
    "uv.lock": "a" + ".a" * 50_000 + " = 1\n",
    "pixi.toml": "".join(f"[{'.'.join(['a'] * (n % 300 + 1))}.x{n}]\n" for n in range(3000)),
    "Pipfile.lock": '{"default": ' * 20_000,
    "a.ipynb": '{"cells": ' + "[" * 100_000,
    "setup.py": "setup(install_requires=" + "(" * 20_000,
    "noxfile.py": "x = " + "+".join(["1"] * 50_000),
    "requirements.txt": "tensorflow" + "[" * 200_000 + "\n" + "a \\\n" * 100_000,
    "requirements-marker.txt": "tensorflow; " + "(" * 50_000 + "python_version > '3'\n",
    "constraints.txt": "tensorflow" + ",==1.*" * 50_000 + "\n",
    "tox.ini": "[testenv]\ndeps =\n" + "  {[testenv]deps}\n" * 20_000,
    "setup.cfg": "[options]\n" + "a = %(a)s\n " * 50_000,
    "install.sh": "pip install " + "$(" * 50_000 + "'" * 3,
    "Dockerfile": "FROM a\n" + "RUN pip install \\\n" * 20_000,
    "README.md": "```" * 100_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_made_to_blow_up_does_not(tmp_path, name):
    judged(tmp_path, name, BOMBS[name].encode())


def test_a_notebook_with_huge_outputs_is_read(tmp_path):
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 20_000_000}}
    cells = [
        {"cell_type": "code", "source": "%pip install tensorflow==2.18.1 tensorflow-metal==1.1.0", "outputs": [picture]}
    ]
    file = judged(tmp_path, "a.ipynb", json.dumps({"cells": cells}).encode())

    assert "PIN501" in [row["id"] for row in file["findings"]]


@pytest.mark.parametrize("line", ["# a comment of some length, and then some\n", "numpy==1.26.4\n", "a" * 4096])
def test_fifty_megabytes_of_requirements_take_bounded_memory(tmp_path, line):
    path = tmp_path / "requirements.txt"
    path.write_text(line * (49_000_000 // len(line)))
    (tmp_path / "larger.txt").write_text("x" * 50_000_001)
    code = (
        f"from compat.cli.hook import main; raise SystemExit(main([{str(path)!r}, {str(tmp_path / 'larger.txt')!r}]))"
    )
    argv = [sys.executable, "-c", code]
    limit = 6_000_000_000

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300, preexec_fn=bounded)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1, done.stderr
    assert done.stdout.splitlines()[-1].endswith("larger.txt:1:1: PIN500 cannot be read: larger than 50 MB")


def test_nothing_of_the_project_is_executed(run, tmp_path):
    trap = "raise SystemExit('executed')\nopen('executed', 'w')\n"
    for name in ("setup.py", "noxfile.py", "packaging.py", "tomllib.py", "yaml.py", "sitecustomize.py", "compat.py"):
        (tmp_path / name).write_text(trap)
    (tmp_path / "requirements.txt").write_text("tensorflow==2.18.1\n-r `touch executed`\n$(touch executed)\n")
    done = subprocess.run(
        [Path(sys.executable).with_name("tfcompat-pins"), "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert run(".")[0] == 0
    assert not (tmp_path / "executed").exists()
