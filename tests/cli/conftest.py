"""What the tests of every command share: a command line run in this process."""

import signal

import pytest

from compat.__main__ import main


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
