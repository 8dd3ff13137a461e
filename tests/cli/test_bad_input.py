"""Bad input is a user's day: one line that says what happened, what to do, the right exit code, no traceback."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from compat.__main__ import main
from tests.limits import limits
from tests.report.test_json import SCHEMA

MACHINES = sorted((Path(__file__).parents[1] / "data" / "machines").glob("*.json"))


@pytest.fixture
def told(capsys):
    """Run a command line; return its exit code, stdout and the lines of stderr."""

    def run(*words):
        code = main([str(word) for word in words])
        out = capsys.readouterr()
        assert "Traceback" not in out.err
        return int(code), out.out, out.err.splitlines()

    return run


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


def refused(result, code, what):
    """Exit code, nothing on stdout, one line that says what, at most one hint."""
    assert result[0] == code
    assert result[1] == ""
    lines = [line for line in result[2] if not line.startswith("hint: ")]
    assert len(lines) == 1
    assert lines[0].startswith("tfcompat: ")
    assert what in lines[0]


def test_version_and_help(told):
    assert told("--version")[:2] == (0, "tfcompat 0.1.0\n")
    assert "doctor" in told("-h")[1]
    assert "--list-checks" in told("doctor", "--help")[1]


def test_wrong_words_are_usage_errors(told):
    assert told("nonsense")[0] == 2
    assert told("doctor", "--nonsense")[0] == 2
    refused(told("doctor", "--select", "XYZ"), 2, "no rule is called 'XYZ'")
    refused(told("doctor", "--python", "a", "--venv", "b"), 2, "both name the environment")
    refused(told("doctor", "--target", "x"), 2, "--target needs to know")
    refused(told("doctor", "--platform", "macos-arm64"), 2, "describe a --target")
    refused(told("fix", "somewhere"), 2, "is a place to build")
    refused(told("fix", "--cpu", "--gpu"), 2, "contradict")
    refused(told("fix", "--python", "three"), 2, "is not a version")
    refused(told("fix", "--tensorflow", "new"), 2, "is not a version or a set")
    refused(told("explain", "ABC"), 2, "neither a rule nor a known issue")


@pytest.mark.parametrize(
    "name, make, what",
    [
        ("absent", lambda path: None, "there is no such folder"),
        ("empty", lambda path: path.mkdir(), "is no environment"),
        ("a file", lambda path: path.write_text("x"), "is a file, not an environment"),
        ("it's, école", lambda path: path.mkdir(), "is no environment"),
        ("-dash", lambda path: path.mkdir(), "is no environment"),
    ],
)
def test_what_is_no_environment_is_said_to_be_none(told, tmp_path, name, make, what):
    make(tmp_path / name)

    refused(told("doctor", f"--venv={tmp_path / name}"), 3, what)


@pytest.mark.parametrize(
    "script, what",
    [
        ("#!/bin/sh\necho garbage\n", "is no Python"),
        ("#!/bin/sh\nkill -SEGV $$\n", "died of SIGSEGV"),
        ("#!/bin/sh\necho broken >&2; exit 3\n", "ended with code 3: broken"),
    ],
)
def test_an_interpreter_that_does_not_answer(told, tmp_path, script, what):
    refused(told("doctor", "--python", executable(tmp_path / "python", script)), 3, what)


def test_an_interpreter_that_hangs_is_given_up(told, tmp_path, monkeypatch):
    from compat.probe.interrogate import Interrogation

    monkeypatch.setattr(Interrogation.answer, "__defaults__", (0.3,))
    refused(told("doctor", "--python", executable(tmp_path / "python", "#!/bin/sh\nsleep 60\n")), 3, "did not answer")


@pytest.mark.parametrize(
    "text, what",
    [
        ("", "not a whole JSON document"),
        ('{"schema_version": 1, "facts": {"machine"', "not a whole JSON document"),
        ('{"schema_version": 99, "facts": {}}', "schema version 99"),
        ("[]", "not a capture"),
        ('{"schema_version": 1}', "no facts in it"),
        ('{"schema_version": 1, "facts": {"machine": 3}}', "machine: expected an object"),
        ("[" * 200000, "not a whole JSON document"),
    ],
)
def test_a_facts_file_that_is_none(told, tmp_path, text, what):
    path = tmp_path / "facts.json"
    path.write_text(text)

    refused(told("doctor", "--facts", path), 3, what)


def test_a_hundred_megabytes_of_junk_are_not_read(told, tmp_path):
    path = tmp_path / "junk.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)

    with limits(calls=3_000_000, memory=25_000_000):
        refused(told("doctor", "--facts", path), 3, "is no capture")


def test_a_facts_file_that_is_not_there(told, tmp_path):
    refused(told("doctor", "--facts", tmp_path / "gone.json"), 3, "No such file")


@pytest.mark.parametrize("content", [None, "x = [", "[[issues]]\nid = 3\n"])
def test_a_broken_matrix_is_named(told, tmp_path, monkeypatch, content):
    root = tmp_path / "matrix"
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(root))
    if content is not None:
        (root / "issues").mkdir(parents=True)
        (root / "issues" / "a.toml").write_text(content)

    result = told("explain", "ISS001")
    refused(result, 3, "issues" if content else "no matrix data")
    assert "TFCOMPAT_MATRICES" in result[2][1]


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_a_captured_mac_is_judged_as_json_that_fits_the_schema(told, path):
    code, out, _ = told("doctor", "--facts", path, "--format", "json")

    value = json.loads(out)
    jsonschema.validate(value, SCHEMA)
    assert code == (0 if value["ok"] else 1)


def test_a_capture_reads_back_and_keeps_the_home_folder_to_itself(told, tmp_path):
    code, out, _ = told("facts", "--python", sys.executable)
    path = tmp_path / "facts.json"
    path.write_text(out)

    assert code == 0
    assert str(Path.home()) + "/" not in out
    assert "replayed from facts.json" in told("doctor", "--facts", path, "--select", "MAC")[1]
    assert told("doctor", "--facts", path, "--select", "MAC")[0] == 0


def test_metadata_that_is_broken_is_a_finding_not_a_crash(told, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    site = next((tmp_path / "env").glob("lib/python*/site-packages"))
    for name, content in {"latin-1.0": b"Name: latin\nVersion: 1.0\nSummary: \xff\xfe\n", "cut-2.0": b"Nam"}.items():
        (site / f"{name}.dist-info").mkdir()
        (site / f"{name}.dist-info" / "METADATA").write_bytes(content)
    code, out, _ = told("doctor", "--venv", tmp_path / "env", "--format", "json")

    findings = json.loads(out)["findings"]
    assert code == 1
    assert not [row for row in findings if row["status"] == "crashed"]
    assert any(row["id"] == "TF301" and row["status"] == "fails" for row in findings)


def test_checks_can_be_listed_selected_and_ignored(told, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)

    assert "BIN401" in told("doctor", "--list-checks")[1]
    rows = json.loads(told("doctor", "--venv", tmp_path / "env", "--select", "TF301", "--format", "json")[1])[
        "findings"
    ]
    assert {row["id"] for row in rows} == {"TF301"}
    assert told("doctor", "--venv", tmp_path / "env", "--select", "TF", "--ignore", "TF3")[0] == 0


def test_no_tensorflow_no_smoke(told, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)

    refused(told("smoke", "--venv", tmp_path / "env"), 3, "TensorFlow is not installed")


def test_without_uv_a_build_says_where_to_get_it(told, tmp_path, monkeypatch):
    from compat.builder import uv

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uv, "_packaged", lambda: None)
    monkeypatch.setattr(uv.shutil, "which", lambda *_args, **_kwargs: None)
    code, out, lines = told("fix", "--create-venv", "--yes", "--cpu")

    assert (code, out) == (3, "")
    assert any(line.startswith("tfcompat: uv was not found; ") for line in lines)
    assert list(tmp_path.iterdir()) == []


def test_a_uv_that_is_too_old_is_named(told, tmp_path, monkeypatch):
    from compat.builder import uv

    monkeypatch.chdir(tmp_path)
    old = executable(tmp_path / "uv", "#!/bin/sh\necho uv 0.1.0\n")
    monkeypatch.setattr(uv, "_packaged", lambda: str(old))

    lines = told("fix", "--create-venv", "--yes", "--cpu")[2]
    assert any(line.startswith("tfcompat: uv 0.1.0 is too old, 0.11.15 or newer is needed; ") for line in lines)


def test_without_a_terminal_nothing_is_built_unasked(told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, lines = told("fix", "--create-venv", "--cpu")

    assert (code, out) == (2, "")
    assert "tfcompat: there is no terminal to ask on" in lines
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_somebody_else_is_never_built_over(told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".venv-tf").mkdir()

    assert told("fix", "--create-venv", "--yes", "--cpu")[0] == 2
    assert list((tmp_path / ".venv-tf").iterdir()) == []


def test_a_disk_that_is_too_small_is_found_before_anything_is_done(told, tmp_path, monkeypatch):
    from compat.cli import building

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        building.shutil, "disk_usage", lambda _place: os.terminal_size((0, 0)) and type("U", (), {"free": 10**6})
    )
    code, _, lines = told("fix", "--create-venv", "--yes", "--cpu")

    assert code == 3
    assert any("GB free on the disk" in line for line in lines)


def command(*words, **rest):
    argv = [sys.executable, "-m", "compat", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120, **rest)


def test_an_index_of_garbage_leaves_nothing(tmp_path):
    import http.server
    import threading

    class Broken(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"\x00garbage")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Broken)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = os.environ | {
        "UV_DEFAULT_INDEX": f"http://user:secret@127.0.0.1:{server.server_port}/simple",
        "UV_CACHE_DIR": str(tmp_path / "cache"),
        "UV_HTTP_TIMEOUT": "5",
        "NO_PROXY": "127.0.0.1",
    }
    env.pop("UV_FIND_LINKS", None)
    work = tmp_path / "work"
    work.mkdir()
    done = command("fix", "--create-venv", "--yes", "--cpu", cwd=work, env=env)
    server.shutdown()
    server.server_close()

    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr + done.stdout
    assert list(work.iterdir()) == []


def test_ctrl_c_while_building_leaves_nothing(tmp_path):
    argv = [sys.executable, "-m", "compat", "fix", "--create-venv", "--yes", "--cpu"]
    env = os.environ | {"UV_CACHE_DIR": str(tmp_path / "cache"), "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple"}
    work = tmp_path / "work"
    work.mkdir()
    running = subprocess.Popen(argv, cwd=work, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in iter(running.stderr.readline, ""):
        if line.startswith(("creating", "installing")):
            running.send_signal(signal.SIGINT)
            break
    _, rest = running.communicate(timeout=60)

    assert running.returncode == 130, rest
    assert "interrupted" in rest
    assert list(work.iterdir()) == []


def test_the_report_alone_is_on_stdout_in_any_encoding(tmp_path):
    env = os.environ | {"PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    done = command("doctor", "--facts", MACHINES[0], cwd=tmp_path, env=env)

    assert done.stdout.isascii()
    assert done.stdout.startswith("machine ")
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m compat doctor --list-checks | head -1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert "Traceback" not in done.stderr


def test_matrix_commands(told):
    assert "source: https://" in told("explain", "ISS001")[1]
    assert told("explain", "bin401")[1].startswith("BIN401  ")
    assert "cannot load, layer 2" in told("matrix", "show", "--links")[1]
    assert json.loads(told("matrix", "show", "--links", "--format", "json")[1])[0]["arch"] == "arm64"
    assert told("matrix", "check")[:2] == (0, "the matrix is sound\n")


def test_pins_and_the_hook_say_the_same(told, tmp_path, capsys):
    from compat.cli import hook

    path = tmp_path / "requirements.txt"
    path.write_text("tensorflow==2.18.1\ntensorflow-metal==1.1.0\n")
    code, out, _ = told("pins", path)

    assert (code, "PIN501" in out) == (1, True)
    assert hook.main([str(path)]) == 1
    assert capsys.readouterr().out == out
    assert (
        told("pins", path, "--format", "json")[1]
        == (hook.main([str(path), "--format", "json"]), capsys.readouterr().out)[1]
    )
    path.write_text("tensorflow==2.18.1\ntensorflow-metal==1.2.0\n")
    assert told("pins", path, "--severity", "error") == (0, "", [])
