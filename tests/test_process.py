"""Programs are run bounded in time and output, and how they ended is said without raising."""

import os
import sys
import time

import pytest

from compat import process
from compat.process import run, start, stream
from tests.ending import WALL, ending


def python(code, **kwargs):
    return run([sys.executable, "-c", code], timeout=kwargs.pop("timeout", 20), **kwargs)


def test_a_good_run_is_ok_and_keeps_both_streams_apart():
    done = python("import sys; print('out'); print('err', file=sys.stderr)")

    assert (done.ok, done.stdout, done.stderr) == (True, "out\n", "err\n")


def test_a_return_code_is_a_result_not_an_exception():
    assert python("raise SystemExit(7)").returncode == 7


def test_what_cannot_be_started_is_an_ordinary_failed_result():
    done = run(["/nonexistent/program"], timeout=1)

    assert (done.returncode, done.ok, done.started) == (127, False, False)
    assert "No such file" in done.stderr


def test_a_hang_is_killed_with_its_whole_group():
    with ending(wall=WALL):
        done = run(["sh", "-c", "sleep 600 & echo started; sleep 600"], timeout=2)

    assert done.timed_out
    assert not done.ok
    assert done.stdout == "started\n"


def test_death_by_a_signal_is_named():
    assert python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)").signal == 11


def test_a_flood_is_kept_at_both_ends_only():
    done = python("print('A' * 100); print('x' * 200000); print('Z' * 100)", output_limit=1000)

    assert done.stdout.startswith("A" * 100)
    assert done.stdout.rstrip().endswith("Z" * 100)
    assert "left out" in done.stdout
    assert len(done.stdout) < 1100


def test_the_caller_works_while_a_child_runs():
    child = start([sys.executable, "-c", "print(1)"])

    assert child.wait(timeout=20).stdout == "1\n"


def test_lines_are_told_as_they_come():
    lines = []
    stream(["sh", "-c", "echo one >&2; echo two >&2"], on_line=lines.append)

    assert lines == ["one", "two"]


def test_an_interrupt_kills_the_child(tmp_path, monkeypatch):
    pid_file = tmp_path / "pid"
    child = start(["sh", "-c", f"echo $$ > {pid_file}; exec sleep 60"])
    while not pid_file.exists() or not pid_file.read_text().strip():
        time.sleep(0.01)

    def interrupted(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(child._process, "wait", _once(interrupted, child._process.wait))
    with pytest.raises(KeyboardInterrupt):
        child.wait(timeout=20)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def _once(first, then):
    calls = []

    def call(*args):
        calls.append(1)
        return first(*args) if len(calls) == 1 else then(*args)

    return call


def test_a_childs_environment_is_by_allow_list(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")

    assert "SECRET_TOKEN" not in process.environment()
    assert "HTTPS_PROXY" not in process.environment()
    assert process.environment(process.NETWORK, EXTRA="1")["HTTPS_PROXY"] == "http://proxy"
    assert process.environment(EXTRA="1")["EXTRA"] == "1"
