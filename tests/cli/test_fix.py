"""``tfcompat fix``: a plan, a refusal, or an environment; and nothing half-made whatever goes wrong."""

import contextlib
import http.server
import io
import json
import os
import signal
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest

from compat.builder import uv
from compat.builder.outcome import Verification
from compat.cli import building, handover, output
from tests.builder.tiny_index import wheel
from tests.cli.running import ROOT, SEED, command, executable, refused, stopped

BUILD = ("fix", "--create-venv", "--yes", "--offline")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    "words, what",
    [
        (["somewhere"], "is a place to build"),
        (["--cpu", "--gpu"], "contradict"),
        (["--python", "three"], "is not a version"),
        (["--python", "\u00b2.1"], "is not a version"),
        (["--python", ""], "is not a version"),
        (["--python", "3.12.1.2"], "is not a version"),
        (["--tensorflow", "new"], "is not a version or a set"),
        (["--tensorflow", ""], "is not a version or a set"),
        (["--with", "gone.txt"], "no such file"),
        (["--create-venv", "--yes", "--with", "."], "no such file"),
        (["--create-venv", "--yes", "--kernel", "my kernel; rm"], "is no name for a Jupyter kernel"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_words_that_make_no_sense_are_refused_before_anything_is_done(told, work, words, what):
    refused(told("fix", *words), 2, what)
    assert names(work) == []


def test_a_plan_is_told_and_nothing_done(told, work):
    code, out, lines = told("fix", "--facts", SEED)

    assert (code, lines, names(work)) == (0, [], [])
    assert out.startswith("plan: ")
    assert out.endswith("\nbuild it: tfcompat fix --create-venv\n")
    value = json.loads(told("fix", "--facts", SEED, "--format", "json")[1])
    assert set(value) >= {"schema_version", "plan", "refused"}
    assert set(value["plan"]) >= {"python", "tensorflow", "plugin", "tier", "pins", "reasons"}


def test_a_refusal_goes_to_stdout_with_its_causes(told, work):
    for words in (("--python", "3.99"), ("--create-venv", "--yes", "--python", "3.99")):
        code, out, lines = told("fix", *words)
        assert (code, lines, names(work)) == (1, [], [])
        assert "3.99" in out
    assert json.loads(told("fix", "--python", "3.99", "--format", "json")[1])["plan"] is None


def test_what_was_built_is_told_and_is_all_that_is_there(told, work, tiny):
    code, out, lines = told(*BUILD)

    assert code == 0
    assert names(work) == [".venv-tf", ".venv-tf.requirements.txt"]
    assert f"{work}/.venv-tf/bin/activate" in out
    assert "fine" in out
    assert not any(line.startswith(("tfcompat:", "build it")) for line in lines)
    assert "plan: " in lines[0]


def test_as_json_stdout_is_one_document(told, work, tiny):
    code, out, _ = told(*BUILD, "--format", "json")

    value = json.loads(out)
    assert code == 0
    assert set(value) >= {"schema_version", "plan"}


@pytest.mark.parametrize("name", ['it\'s "mine", école', "a b/c d", "-dash", "--", "$(x);`y`"], ids=ascii)
def test_it_builds_under_any_name(told, work, tiny, name):
    code, _, lines = told(*BUILD, "--", name)

    assert code == 0, lines
    assert (work / name / "bin" / "python").exists()
    ran = subprocess.run([work / name / "bin" / "python", "-c", "import demo"], check=False)
    assert ran.returncode == 0


def test_a_name_that_is_no_text_is_refused_in_one_line_and_leaves_nothing(told, work, tiny):
    stopped(told(*BUILD, "n\udcff"), 3, "no candidate passed")
    assert names(work) == []


def test_the_other_requirements_are_resolved_with_it(told, work, tiny, tmp_path):
    wanted = tmp_path / "it's wanted, é.txt"
    wanted.write_text("helper\n")
    code, _, lines = told(*BUILD, "--with", wanted)

    assert code == 0, lines
    assert "helper==1.0" in (work / ".venv-tf.requirements.txt").read_text()


@pytest.mark.parametrize(
    "content", [b"nowhere-to-be-found\n", b"not a requirement !!\n", b"\xff\xfe\x00", b"-r gone.txt\n", b"demo==9\n"]
)
def test_requirements_that_cannot_be_met_leave_nothing(told, work, tiny, tmp_path, content):
    wanted = tmp_path / "wanted.txt"
    wanted.write_bytes(content)
    out = stopped(told(*BUILD, "--with", wanted), 3, "no candidate passed")

    assert "requirements could not be resolved together" in out
    assert names(work) == []


def test_one_that_fails_its_verification_is_not_handed_over(told, work, tiny, monkeypatch):
    failing = Verification(ok=False, stage="whole", message="TensorBoard is broken")
    monkeypatch.setattr(handover, "verify", lambda *_args: failing)
    out = stopped(told(*BUILD), 3, "no candidate passed its verification")

    assert "TensorBoard is broken" in out
    assert names(work) == []


def test_ours_is_replaced_only_with_a_yes_and_a_strangers_never(told, work, tiny):
    told(*BUILD)
    refused(told("fix", "--create-venv", "--offline"), 2, "exists already")
    assert told(*BUILD)[0] == 0
    (work / "theirs").mkdir()
    refused(told(*BUILD, "theirs"), 2, "was not made by tfcompat")
    assert names(work) == [".venv-tf", ".venv-tf.requirements.txt", "theirs"]
    assert names(work / "theirs") == []


@pytest.mark.parametrize("answer, code", [("y\n", 0), ("YES\n", 0), ("n\n", 2), ("\n", 2), ("", 2), ("maybe\n", 2)])
def test_a_person_is_asked(told, work, tiny, monkeypatch, answer, code):
    monkeypatch.setattr(output, "at_terminal", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    told_code, _, lines = told("fix", "--create-venv", "--offline")

    assert told_code == code
    assert any("build it in .venv-tf? [y/N]" in line for line in lines)
    assert bool(names(work)) == (code == 0)


def test_without_a_terminal_nothing_is_built_unasked(told, work):
    assert stopped(told("fix", "--create-venv", "--cpu"), 2, "there is no terminal to ask on") == ""
    assert names(work) == []


def test_without_uv_a_build_says_where_to_get_it(told, work, monkeypatch):
    monkeypatch.setattr(uv, "_packaged", lambda: None)
    monkeypatch.setenv("PATH", str(work))
    result = told("fix", "--create-venv", "--yes", "--cpu")

    assert stopped(result, 3, "uv was not found") == ""
    assert "reinstall tfcompat" in result[2][-1]
    assert names(work) == []


@pytest.mark.parametrize(
    "script, what",
    [
        ("echo uv 0.1.0", "uv 0.1.0 is too old, 0.11.15 or newer is needed"),
        ("echo garbage", "does not answer"),
        ("echo uv garbage", "uv"),
        ("exit 1", "does not answer"),
        ("kill -SEGV $$", "does not answer"),
    ],
)
def test_a_uv_that_will_not_do_is_named(told, tmp_path, work, monkeypatch, script, what):
    old = executable(tmp_path / "uv", f"#!/bin/sh\n{script}\n")
    monkeypatch.setattr(uv, "_packaged", lambda: str(old))

    assert stopped(told("fix", "--create-venv", "--yes", "--cpu"), 3, what) == ""
    assert names(work) == []


def test_a_disk_that_is_too_small_is_found_before_anything_is_done(told, work, monkeypatch):
    monkeypatch.setattr(building.shutil, "disk_usage", lambda _place: types.SimpleNamespace(free=10**6))

    refused(told("fix", "--create-venv", "--yes", "--cpu"), 3, "GB free on the disk")
    assert names(work) == []


@contextlib.contextmanager
def mounted(folder, options):
    """A small file system of its own; skips, saying so, where none may be mounted."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no tmpfs can be mounted: {error}")
    if done.returncode:
        pytest.skip(f"no tmpfs may be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("size", ["size=1m", "size=16k"])
def test_a_disk_that_fills_up_keeps_nothing(told, tmp_path, tiny, size):
    body = "".join(f"x{number} = {number}\n" for number in range(200_000))
    wheel(tiny, "demo", "1.0", body=body)
    with mounted(tmp_path / "small", size) as small:
        result = told(*BUILD, small / "env")
        left = names(small)

    assert stopped(result, 3, "No space left") == ""
    assert "env was not made" in result[2][-2]
    assert "disk space" in result[2][-1]
    assert left == []


def test_a_target_that_cannot_be_written_is_said_so(told, tmp_path, tiny):
    with mounted(tmp_path / "fixed", "size=1m,ro") as fixed:
        result = told(*BUILD, fixed / "env")

    assert stopped(result, 3, "cannot write beside") == ""
    assert "Read-only file system" in result[2][-2]
    assert "choose a folder you may write to" in result[2][-1]


def test_a_target_under_a_file_is_said_so(told, work, tiny):
    (work / "file").write_text("")

    assert stopped(told(*BUILD, "file/env"), 3, "cannot write beside") == ""


def test_a_name_longer_than_the_disk_takes_is_said_so(told, work, tiny):
    assert stopped(told(*BUILD, "a" * 300), 3, "File name too long") == ""


@contextlib.contextmanager
def index(status, content):
    """An index on this machine that answers everything with the same; counts what it was asked."""
    asked = []

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    "status, content",
    [(404, b"gone"), (500, b"oops"), (200, b"\x00\xffgarbage"), (200, b"<a href='demo-1.0-py3-none-any.whl'>")],
)
def test_an_index_that_does_not_serve_leaves_nothing(told, work, tiny, monkeypatch, status, content):
    monkeypatch.delenv("UV_FIND_LINKS")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with index(status, content) as (port, asked):
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"http://user:hunter2@127.0.0.1:{port}/simple")
        code, out, lines = told("fix", "--create-venv", "--yes")

    assert asked
    assert code == 3
    assert len([line for line in lines if line.startswith("tfcompat: ")]) == 1
    assert "hunter2" not in out + "".join(lines)
    assert names(work) == []


def test_what_is_not_in_the_cache_cannot_be_built_offline(told, work, tiny, monkeypatch):
    monkeypatch.delenv("UV_FIND_LINKS")
    out = stopped(told(*BUILD), 3, "no candidate passed")

    assert "could not be resolved" in out
    assert names(work) == []


DRIVER = """
import signal, sys, time
from compat.builder.outcome import Verification
from compat.cli import fix, handover
from tests.builder.test_apply import candidate, plan
fix.decide = lambda *_: plan(candidate("demo==1.0"))
handover.python_for = lambda *_: sys.executable
handover.verify = lambda *_: time.sleep(60)
from compat.__main__ import main
raise SystemExit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "stage, number",
    [
        ("creating", signal.SIGINT),
        ("installing", signal.SIGINT),
        ("verifying", signal.SIGINT),
        ("installing", signal.SIGTERM),
        ("verifying", signal.SIGHUP),
    ],
    ids=str,
)
def test_an_interrupt_at_any_step_leaves_nothing(work, tiny, stage, number):
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", DRIVER, *BUILD]
    with subprocess.Popen(
        argv, cwd=work, env=env, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        for line in iter(running.stderr.readline, ""):
            if line.startswith(stage):
                running.send_signal(number)
                break
        out, rest = running.communicate(timeout=30)

    assert (running.returncode, out) == (130, ""), rest
    assert rest.splitlines()[-1] == f"tfcompat: interrupted; {work / '.venv-tf'} was not made"
    assert "Traceback" not in rest
    assert names(work) == []


def test_an_interrupted_replacement_leaves_the_old_one_in_its_place(told, work, tiny, monkeypatch):
    told(*BUILD)
    before = (work / ".venv-tf" / "tfcompat.json").stat().st_ino

    def interrupted(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(handover, "verify", interrupted)
    assert told(*BUILD)[0] == 130
    assert (work / ".venv-tf" / "tfcompat.json").stat().st_ino == before
    assert names(work) == [".venv-tf", ".venv-tf.requirements.txt"]


def test_end_to_end_the_real_plan_meets_an_index_that_is_not_there(work, tmp_path):
    env = os.environ | {"UV_CACHE_DIR": str(tmp_path / "cache"), "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple"}
    done = command("fix", "--create-venv", "--yes", "--cpu", "--offline", cwd=work, env=env)

    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert names(Path(work)) == []
