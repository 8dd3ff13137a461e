"""What the tests of every command share: a command line run in this process."""

import signal
import sys

import pytest

from compat.__main__ import main
from compat.builder.outcome import Verification
from compat.cli import fix, handover
from tests.builder.test_apply import candidate, plan
from tests.builder.tiny_index import wheel


@pytest.fixture
def told(capsys):
    """Run a command line; return its exit code, stdout and the lines of stderr."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        out = capsys.readouterr()
        assert "Traceback" not in out.err
        return int(code), out.out, out.err.splitlines()

    yield run
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def work(tmp_path, monkeypatch):
    """The current folder: what is in it afterwards was left there by the command."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def tiny(tmp_path, monkeypatch, work):
    """Plans of tiny wheels in the place of TensorFlow's; all the rest is the command's own."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "pip", "1.0")
    wheel(wheels, "demo", "1.0")
    wheel(wheels, "helper", "1.0")
    monkeypatch.setenv("UV_FIND_LINKS", str(wheels))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(fix, "decide", lambda *_args: plan(candidate("demo==1.0")))
    monkeypatch.setattr(handover, "python_for", lambda *_args: sys.executable)
    verified(monkeypatch, Verification(ok=True, stage="complete", message="fine"))
    return wheels


def verified(monkeypatch, answer):
    monkeypatch.setattr(handover, "verify", lambda *_args: answer)
