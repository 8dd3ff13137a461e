"""Names and texts of others reach the terminal as signs on it and nothing else: no escape, no turned line, no flood."""

import json
import os
import signal
import subprocess
import sys
import unicodedata

import pytest

from compat.__main__ import main
from compat.errors import one_line
from tests.cli.running import SEED
from tests.probe.sites import install, make_venv
from tests.security.hostile import TFCOMPAT

ESCAPES = {
    "a colour": "\x1b[31;5m",
    "the title": "\x1b]0;owned\x07",
    "a link": "\x1b]8;;https://evil.example\x1b\\",
    "C1": "\x9b2J\x9d0;owned\x9c",
    "clearing": "\x1b[2J\x1b[H\x1bc",
    "turned": "\u202egnp.exe\u202c\u2066x\u2069",
    "no width": "\u200b\u200d\ufeff\u2060\u00ad",
    "back": "\b\b\b\r\x7f",
    "lines": "\x0b\x0c\x85\u2028\u2029",
    "tags": "\U000e0041\U000e007f",
}
ALL = "".join(ESCAPES.values())
LONG = 10_000_000
MOST = 400_000
"""Characters of a whole report of the environment below; without a bound it would have ten million."""


def obeyed(text):
    """The characters a terminal would obey, or would not show as they stand."""
    return sorted(
        {
            char
            for char in text
            if char != "\n" and (unicodedata.category(char) in ("Cc", "Cf", "Cs") or char in "\u2028\u2029")
        }
    )


def tfcompat(*words, cwd, **rest):
    """The command's whole output, byte for byte: nothing is replaced on the way."""
    argv = [os.fsencode(word) if isinstance(word, str) else word for word in (str(TFCOMPAT), *map(str, words))]
    done = subprocess.run(argv, cwd=cwd, capture_output=True, check=False, timeout=120, **rest)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


@pytest.mark.parametrize("case", ESCAPES)
def test_one_line_of_a_text_has_none(case):
    assert obeyed(ESCAPES[case])
    assert obeyed(one_line(f"a{ESCAPES[case]}b")) == []


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile-names")
    interpreter, site = make_venv(
        folder / f"env {ESCAPES['a colour']}{ESCAPES['turned']}", f"{sys.version_info[0]}.{sys.version_info[1]}"
    )
    install(site, "tensorflow", "2.18.1", files=["tensorflow/__init__.py"])
    (site / "tensorflow/__init__.py").write_text(
        f"import sys; print({ALL!r}, file=sys.stderr); raise ImportError({ALL!r} + 'x' * {LONG})\n"
    )
    for number, text in enumerate([*ESCAPES.values(), "../../../etc/passwd", "/etc/passwd", "..\\..\\x", "\0"]):
        info = install(site, f"evil{number}", "1.0", headers=f"Requires-Python: >=3{text}\n")
        head = f"Metadata-Version: 2.1\nName: evil{text}{number}\n {text}folded\nVersion: 1{text}\nRequires-Dist: tensorflow{text}<2; {text}\n\n"
        (info / "METADATA").write_bytes(head.encode("utf-8", "surrogateescape"))
        (info / "INSTALLER").write_text(f"pip{text}\n")
        (info / "WHEEL").write_text(f"Tag: cp311-{text}-any\n")
        (info / "direct_url.json").write_text(
            json.dumps({"url": f"https://a.example/{text}", "vcs_info": {"vcs": text, "commit_id": text}})
        )
    (site / f"named{ALL.replace('/', '')}-1.0.dist-info").mkdir()
    (site / f"~{ALL.replace('/', '')}").mkdir()
    for number, field in enumerate(("Name", "Version", "Requires-Dist", "Requires-Python")):
        info = install(site, f"long{number}", "1.0")
        lines = {"Name": f"long{number}", "Version": "1.0", field: f"long{number}" + "y" * LONG}
        (info / "METADATA").write_text("".join(f"{key}: {value}\n" for key, value in lines.items()) + "\n")
    (info / "INSTALLER").write_text("z" * LONG)
    (info / "WHEEL").write_text("Tag: " + "z" * LONG)
    plugins = site / "tensorflow-plugins"
    plugins.mkdir()
    (plugins / f"lib{ALL.replace('/', '')}.so").write_bytes(b"\x7fELF")
    spec = folder / "home/.local/share/jupyter/kernels" / f"k{ALL.replace('/', '')}"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({"argv": [f"/x/{ALL}/python"], "language": "python"}))
    return interpreter


LOOKS = {
    "facts": ["facts"],
    "doctor": ["doctor", "-v"],
    "doctor json": ["doctor", "--format", "json"],
    "doctor markdown": ["doctor", "--format", "markdown"],
    "smoke": ["smoke", "-v"],
    "smoke json": ["smoke", "--format", "json"],
    "smoke html": ["smoke", "--format", "html"],
}


@pytest.mark.parametrize("look", LOOKS)
def test_hostile_metadata_is_told_in_plain_signs(look, environment, tmp_path):
    given = {
        **os.environ,
        "HOME": str(environment.parents[2] / "home"),
        "TF_CPP_X": ALL.replace("\0", ""),
        "XLA_FLAGS": ALL,
    }
    given.pop("XDG_DATA_HOME", None)
    code, out, err = tfcompat(*LOOKS[look], "--python", environment, cwd=tmp_path, env=given)

    assert code in (0, 1), err
    assert obeyed(out) == obeyed(err) == []
    assert 0 < len(out) < MOST
    if "json" in look or look == "facts":
        json.loads(out)


def test_fix_in_sight_of_it_speaks_in_plain_signs_too(environment, tmp_path):
    code, out, err = tfcompat("fix", cwd=tmp_path, env={**os.environ, "VIRTUAL_ENV": str(environment.parents[1])})

    assert code in (0, 1), err
    assert obeyed(out) == obeyed(err) == []
    assert len(out) < MOST


FORMATS = ("columns", "json", "sarif", "github")


@pytest.mark.parametrize("style", [*FORMATS, "diff"])
def test_hostile_pins_in_hostile_files_are_told_in_plain_signs(style, tmp_path):
    folder = tmp_path / f"folder {ESCAPES['a colour']}{ESCAPES['turned']}\n"
    folder.mkdir()
    rows = [f"tensorflow=={text}2.13.0 {text}; {text}" for text in ESCAPES.values()]
    text = "\n".join(["tensorflow==2.13.0", "numpy==2.0.0", *rows, f"# {ALL}", f"x{ALL}==1", "y" * 100_000 + "==1"])
    for name in (
        "requirements.txt",
        f"requirements{ESCAPES['a colour']}{ESCAPES['C1']}.txt",
        f"requirements-{os.fsdecode(bytes([255]))}.txt",
    ):
        (folder / name).write_text(text, errors="replace")
    (folder / "pyproject.toml").write_text(
        f"[project]\nname = 'x'\ndependencies = ['''tensorflow==2.13.0 {ESCAPES['turned']}''', 'numpy==2.0.0']\n"
    )
    words = ["--diff"] if style == "diff" else ["--format", style]
    code, out, err = tfcompat("pins", *words, ".", cwd=folder)

    assert code == 1, err
    assert obeyed(err) == []
    assert style == "diff" or obeyed(out) == []  # a patch goes to a program, byte for byte
    assert out


def test_a_patch_on_a_screen_is_shown_in_plain_signs(tmp_path):
    pty = pytest.importorskip("pty")
    (tmp_path / "requirements.txt").write_text(
        f"# {ESCAPES['a colour']}{ESCAPES['turned']}\tx\ntensorflow==2.13.0\nnumpy==2.0.0\n"
    )
    ours, theirs = pty.openpty()
    with subprocess.Popen([TFCOMPAT, "pins", "--diff", "."], cwd=tmp_path, stdout=theirs, stdin=theirs) as process:
        process.wait(60)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode().replace("\r\n", "\n")
    os.close(ours)

    assert "+numpy" in shown
    assert obeyed(shown.replace("\t", "")) == []


@pytest.mark.parametrize("style", ["columns", "json", "markdown"])
def test_a_hostile_log_is_explained_in_plain_signs(style, tmp_path):
    rows = [f"{text}ImportError: numpy.core.multiarray failed to import {text}" for text in ESCAPES.values()]
    text = "\n".join([*rows, f"tensorflow=={ALL}2.13.0", f"No module named '{ALL}'", "q" * 100_000])
    code, out, err = tfcompat("explain", "-", "--format", style, cwd=tmp_path, input=text.encode())

    assert code == 0, err
    assert obeyed(out) == obeyed(err) == []
    assert len(out) < MOST


@pytest.mark.parametrize(
    "words",
    [
        ["doctor", "-v"],
        ["doctor", "--format", "json"],
        ["doctor", "--format", "markdown"],
        ["fix"],
        ["fix", "--format", "json"],
    ],
    ids=" ".join,
)
def test_a_hostile_capture_is_judged_in_plain_signs(words, tmp_path):
    capture = json.loads(SEED.read_text())
    (tmp_path / "facts.json").write_text(json.dumps(poisoned(capture)))
    code, out, err = tfcompat(*words, "--facts", "facts.json", cwd=tmp_path)

    assert code in (0, 1), err
    assert obeyed(out) == obeyed(err) == []


COMPARED = {"os", "architecture", "name", "version", "kind", "id", "status", "severity", "outcome"}


def poisoned(value):
    """Every text of the capture that is told and not compared, with escapes at its end."""
    if isinstance(value, dict):
        return {key: item if key in COMPARED else poisoned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item) for item in value]
    return value + ALL if isinstance(value, str) else value


@pytest.mark.parametrize("style", ["columns", "json", "html", "markdown"])
def test_hostile_reports_of_a_fleet_are_told_in_plain_signs(style, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(signal, "signal", lambda *_given: None)  # those of the tests stay
    main(["doctor", "--facts", str(SEED), "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    (tmp_path / f"report{ESCAPES['a colour']}.json").write_text(json.dumps(poisoned({**report, "host": "lab"})))
    (tmp_path / f"broken{ESCAPES['turned']}.json").write_text(ALL)
    main(["fleet", str(tmp_path), "--format", style])
    told = capsys.readouterr()

    assert "NUM603" in told.out or "TF" in told.out
    assert obeyed(told.out) == obeyed(told.err) == []


WRONG = {
    "no such python": ["doctor", "--python", f"/x/{ALL}"],
    "no such folder": ["doctor", "--venv", ALL],
    "no such option": ["doctor", f"--{ALL}"],
    "no such command": [ALL],
    "no such id": ["explain", f"TF{ESCAPES['turned']}"],
    "no such file": ["explain", f"./{ALL}"],
    "no version": ["fix", "--python", ALL],
    "no set": ["fix", "--tensorflow", ALL],
    "no requirements": ["fix", "--with", ALL],
    "no kernel": ["fix", "--create-venv", "--kernel", ALL],
    "no folder to build in": ["fix", "--create-venv", f"/proc/{ALL}", "--yes"],
    "no facts": ["doctor", "--facts", ALL],
    "no pins": ["pins", ALL],
    "no target": ["pins", "--target", ALL, "."],
    "no pair": ["matrix", "why", ALL, ALL],
    "no check": ["smoke", "--only", ALL],
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_told_in_plain_signs(mistake, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(signal, "signal", lambda *_given: None)  # those of the tests stay
    code = main(WRONG[mistake])
    told = capsys.readouterr()

    assert code in (0, 1, 2, 3)  # a text that nothing explains is no mistake
    assert told.out + told.err
    assert obeyed(told.out) == obeyed(told.err) == []
