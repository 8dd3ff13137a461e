"""Every way an interpreter can fail to answer is one line that says what happened and what to do."""

import sys

import pytest

from compat.errors import CannotLook, ExitCode
from compat.probe.interrogate import interrogate, interrogate_target, start_interrogation
from tests.ending import WALL, ending
from tests.probe.sites import SH, install, make_venv, script


def refusal(interpreter, timeout=20.0):
    with pytest.raises(CannotLook) as caught:
        interrogate(str(interpreter), timeout)
    error = caught.value
    assert error.exit_code is ExitCode.CANNOT
    assert error.hint
    assert "\n" not in error.message
    assert str(interpreter) in error.message
    return error.message.replace(str(interpreter), "X")


COOKIE = 'while [ "$1" != --cookie ]; do shift; done; c=$2\n'


@pytest.mark.parametrize(
    "text, said",
    [
        ("echo hello", "X is no Python, or one that does not answer: hello"),
        ("exit 0", "X is no Python, or one that does not answer"),
        ("echo first >&2; echo the reason >&2; exit 9", "X ended with code 9: the reason"),
        ("echo 'pyenv: python3.9: command not found' >&2; exit 127", "X could not be started: pyenv: python3.9: command not found"),
        ("kill -SEGV $$", "X died of SIGSEGV"),
        ("echo dyld: no such library >&2; kill -ABRT $$", "X died of SIGABRT: dyld: no such library"),
        ("echo 'Unknown option: -I' >&2; exit 2", "X is Python 2 or older than 3.4; tfcompat looks into Python 3.8 and newer"),
        (COOKIE + "printf '%s{\"result\": %s' $c $c", "X gave an answer that is no JSON: "),
        (COOKIE + "printf '%s[1]%s' $c $c", "X could not describe itself: no reason given"),
        (COOKIE + 'printf \'%s{"result":"error","kind":"too-old","detail":"3.7.1"}%s\' $c $c', "X is Python 3.7.1; tfcompat looks into Python 3.8 and newer"),
        (COOKIE + 'printf \'%s{"result":"answer","interpreter":{"path":7},"environment":{}}%s\' $c $c', "X gave an answer that makes no sense: path: expected str, found a number"),
        (COOKIE + 'printf \'%s{"result":"answer","interp\' $c', "X is no Python, or one that does not answer"),
        ("printf '\\033[31mred\\033[0m\\n'", "X is no Python, or one that does not answer: \ufffd[31mred\ufffd[0m"),
    ],
    ids=["noise", "silence", "code", "shim", "segv", "abort", "python2", "no-json", "no-object", "too-old", "wrong-type", "cut", "escapes"],
)  # fmt: skip
def test_a_program_that_does_not_answer_is_described_in_one_line(tmp_path, text, said):
    fake = script(tmp_path / "python", f"#!{SH}\n{text}\n")

    assert refusal(fake).startswith(said)


def test_a_program_that_hangs_is_stopped_in_time(tmp_path):
    fake = script(tmp_path / "python", f"#!{SH}\nsleep 600 & sleep 600\n")

    with ending(wall=WALL):
        assert refusal(fake, timeout=0.3) == "X did not answer within 0.3 s"


def test_a_flood_of_output_is_not_an_answer(tmp_path):
    fake = script(tmp_path / "python", f"#!{SH}\nhead -c 30000000 /dev/zero | tr '\\0' x\n")

    assert "does not answer" in refusal(fake)


def test_what_is_not_there_cannot_run_or_is_a_folder_is_said(tmp_path):
    (tmp_path / "plain").write_text("text", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "gone")

    assert refusal(tmp_path / "absent") == "X does not exist"
    assert refusal(tmp_path / "plain") == "X is not executable"
    assert refusal(tmp_path) == "X is a folder, not an interpreter"
    assert refusal(tmp_path / "link") == f"X is a link to {tmp_path / 'gone'}, which is gone"


def test_an_executable_that_is_no_program_is_said(tmp_path):
    fake = script(tmp_path / "python", "\0\1\2 nothing the kernel knows")

    assert "could not be started" in refusal(fake)


def test_noise_around_the_answer_does_no_harm(tmp_path):
    real = sys.executable
    text = f'#!{SH}\necho "{{\\"result\\": \\"answer\\"}}"; echo warning >&2\n"{real}" "$@"\necho bye\nexit 3\n'
    fake = script(tmp_path / "a 'quoted' folder é" / "-python", text)

    interpreter, environment = interrogate(str(fake))

    assert interpreter.version == ".".join(str(part) for part in sys.version_info[:3])
    assert environment.distribution("pytest") is not None


def test_sitecustomize_noise_does_no_harm(tmp_path):
    interpreter, site = make_venv(tmp_path / "env", f"{sys.version_info[0]}.{sys.version_info[1]}")
    (site / "sitecustomize.py").write_text(
        "print('{' * 1000)\nimport atexit; atexit.register(print, '}')\n", encoding="utf-8"
    )
    install(site, "numpy", "2.0.2")

    _, environment = interrogate(str(interpreter))

    assert environment.version("numpy") == "2.0.2"


def test_the_interpreter_works_while_the_caller_does_something_else(tmp_path):
    asked = start_interrogation(sys.executable)
    (tmp_path / "meanwhile").touch()

    assert asked.answer()[0].implementation == sys.implementation.name


def test_a_target_is_read_by_our_own_interpreter(tmp_path):
    install(tmp_path, "tensorflow", "2.18.1", files=["tensorflow/__init__.py"])

    environment = interrogate_target(str(tmp_path), "macos")

    assert (environment.kind, environment.version("tensorflow")) == ("target", "2.18.1")
    with pytest.raises(CannotLook, match="FileNotFoundError"):
        interrogate_target(str(tmp_path / "gone"), "macos")
