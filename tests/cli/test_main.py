"""Bad input is a user's day: one line that says what happened, what to do, the right exit code, no traceback."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from compat import __main__ as program
from compat.cli import COMMANDS
from compat.errors import CannotAct
from tests.cli.running import ROOT, SEED, command, executable, refused


def shell(line, folder, **rest):
    """Run a line of sh with $TF for the command; return exit code, stdout and stderr."""
    env = os.environ | {"TF": f"{sys.executable} -m compat"}
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, cwd=folder, env=env, **rest)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def test_version_and_help(told):
    assert told("--version")[:2] == (0, "tfcompat 0.1.0\n")
    code, out, lines = told("-h")
    assert (code, lines) == (0, [])
    assert all(name in out for name in COMMANDS)
    assert told("--help")[1] == out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(told, name):
    code, out, lines = told(name, "-h")

    assert (code, lines) == (0, [])
    assert out.startswith(f"Usage: tfcompat {name} ")


def test_a_bare_command_is_answered_with_its_help(told):
    for words in ([], ["matrix"]):
        code, out, lines = told(*words)
        assert code == 2
        assert out == ""
        assert lines[0].startswith("Usage: tfcompat ")


@pytest.mark.parametrize(
    "words, what",
    [
        (["nonsense"], "no such command 'nonsense'"),
        (["--nonsense"], "no such option: --nonsense"),
        (["doctor", "--nonsense"], "no such option: --nonsense"),
        (["doctor", "stray"], "unexpected extra argument"),
        (["doctor", "--python"], "requires an argument"),
        (["doctor", "--timeout", "0"], "'--timeout'"),
        (["doctor", "--timeout", "nan"], "'--timeout'"),
        (["doctor", "--format", "xml"], "'xml'"),
        (["explain"], "missing argument"),
        (["pins"], "missing argument"),
        (["matrix", "nonsense"], "no such command 'nonsense'"),
        (["smoke", "--level", "heroic"], "'heroic'"),
    ],
    ids=" ".join,
)
def test_wrong_words_are_one_line_and_where_to_look_the_right_ones_up(told, words, what):
    result = told(*words)

    refused((result[0], result[1], [line.lower() for line in result[2]]), 2, what)
    assert result[2][1].startswith("hint: `tfcompat")


def test_wrong_words_name_the_command_they_belong_to(told):
    assert told("matrix", "show", "--nonsense")[2][1] == "hint: `tfcompat matrix show -h` says what it takes"


def test_an_interrupt_in_any_command_is_130(told, monkeypatch):
    def interrupted(_argv):
        raise KeyboardInterrupt

    monkeypatch.setattr("compat.cli.run", interrupted)
    assert told("doctor") == (130, "", ["tfcompat: interrupted"])


@pytest.mark.parametrize(
    "error, line",
    [
        (OSError(36, "File name too long", "aaa"), "tfcompat: aaa: File name too long"),
        (OSError("odd"), "tfcompat: OSError: odd"),
        (MemoryError(), "tfcompat: MemoryError"),
        (CannotAct("a\nb\x1b[31m"), "tfcompat: a b\ufffd[31m"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_system_refuses_is_one_line(told, monkeypatch, error, line):
    def fails(_argv):
        raise error

    monkeypatch.setattr("compat.cli.run", fails)
    assert told("doctor") == (3, "", [line])


def test_a_fault_of_ours_is_not_hidden(told, monkeypatch):
    monkeypatch.setattr("compat.cli.run", lambda _argv: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        told("doctor")


def test_a_signal_ignored_on_purpose_stays_ignored(told):
    before = signal.getsignal(signal.SIGHUP)
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        told("--version")
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is program._as_interrupt
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("words", ["doctor --list-checks", "matrix show --links --format json", "explain ISS001"])
def test_a_reader_that_goes_away_gets_no_complaint(tmp_path, words):
    code, out, err = shell(f"$TF {words} | head -1", tmp_path)

    assert (code, out.count("\n"), err) == (0, 1, "")


def test_a_reader_that_never_read_gets_no_complaint_either(tmp_path):
    _, out, err = shell("{ $TF matrix show --links; echo $? >&2; } | true", tmp_path)

    assert (out, err) == ("", "3\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_report_that_cannot_be_written_is_said_so(tmp_path):
    assert shell("$TF matrix show > /dev/full", tmp_path) == (
        3,
        "",
        "tfcompat: the report could not be written: No space left on device\n",
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_changes_no_exit_code(tmp_path, closed):
    assert shell(f"$TF doctor --list-checks {closed}", tmp_path)[0] == 0
    assert shell(f"$TF doctor --venv nowhere {closed}", tmp_path)[0] == 3
    assert shell(f"$TF fix --create-venv --cpu {closed}", tmp_path)[0] == 2


def test_it_runs_from_any_folder_and_takes_nothing_from_it(tmp_path):
    for name in ("typer", "rich", "packaging", "json", "platform", "uv"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the current folder')\n")
    script = executable(
        tmp_path / "tfcompat", f"#!{sys.executable}\nfrom compat.__main__ import main\nraise SystemExit(main())\n"
    )
    env = os.environ | {"PYTHONSAFEPATH": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=False, cwd=tmp_path, env=env)

    assert (done.returncode, done.stdout) == (0, "tfcompat 0.1.0\n")


@pytest.mark.parametrize("words", [["doctor", "--facts", SEED], ["matrix", "show"], ["fix", "--facts", SEED]], ids=str)
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_the_report_alone_is_on_stdout_in_any_encoding(tmp_path, words, encoding):
    env = os.environ | {"PYTHONIOENCODING": encoding, "NO_COLOR": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "compat", *map(str, words)], capture_output=True, check=False, cwd=tmp_path, env=env
    )

    text = done.stdout.decode(encoding)
    assert done.returncode == 0
    assert done.stderr == b""
    assert "\x1b" not in text
    assert "?" not in text.split("\n")[0]


COMPLETED = [
    ("tfcompat doc", 1, ["doctor"]),
    ("tfcompat ", 1, list(COMMANDS)),
    ("tfcompat doctor --form", 2, ["--format"]),
    ("tfcompat doctor --format ", 3, ["columns", "json", "markdown"]),
    ("tfcompat matrix ", 2, ["show", "why", "diff", "check", "update"]),
]


@pytest.mark.parametrize("line, position, words", COMPLETED, ids=[row[0] for row in COMPLETED])
def test_words_are_completed(tmp_path, line, position, words):
    asked = {"_TFCOMPAT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(position)}
    done = command(cwd=tmp_path, env=os.environ | asked)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == words


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_a_completion_script_is_made_for_each_shell(tmp_path, shell_name):
    env = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = command("--show-completion", shell_name, cwd=tmp_path, env=env)

    assert (done.returncode, done.stderr) == (0, "")
    assert f"_TFCOMPAT_COMPLETE=complete_{shell_name}" in done.stdout
    if shutil.which(shell_name):
        subprocess.run([shell_name, "-n"], input=done.stdout, text=True, check=True)
