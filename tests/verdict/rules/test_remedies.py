from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from compat.facts.known import UNKNOWN
from compat.verdict.rules import remedies
from tests.verdict.rules.builders import dist, environment, facts, linux, linux_python, python, windows

NEW = (remedies.NEW_ENVIRONMENT,)


def at(path, **more):
    return facts(interpreter=python(path=path), **more)


def test_a_command_names_this_interpreter_and_quotes_what_the_shell_would_read():
    found = remedies.install(facts(), "numpy<2", text="older NumPy")

    assert found.commands == ("uv pip install --python /Users/me/project/.venv/bin/python 'numpy<2'",)
    assert found.text == "older NumPy"


@pytest.mark.parametrize("path", ["/tmp/it's here/bin/python", "/tmp/ä b/$HOME/python", "/tmp/-x/python;ls"])
def test_any_path_comes_out_of_the_shell_as_one_word(path):
    (command,) = remedies.install(at(path), "six").commands

    assert shlex.split(command) == ["uv", "pip", "install", "--python", path, "six"]


def test_a_masked_home_stays_open_to_the_shell():
    (command,) = remedies.install(at("~/my env/bin/python"), "six").commands

    words = subprocess.run(  # a real shell is the judge of what is pasted into one
        ["/bin/sh", "-c", command.replace("uv", f"{sys.executable} -c 'import sys; print(sys.argv[4])'", 1)],
        env={"HOME": "/home/you"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert words.stdout == "/home/you/my env/bin/python\n"


def test_windows_quotes_in_its_own_way():
    there = facts(windows(), linux_python(path=r"C:\my tf\python.exe"), environment("six==1"))

    assert remedies.install(there, "numpy<2").commands == (r'uv pip install --python "C:\my tf\python.exe" "numpy<2"',)
    assert remedies.install(there, "six").commands[0].endswith(" six")


def test_reinstalling_touches_no_other_distribution():
    found = remedies.reinstall(facts(), dist("six==1.16.0"))

    assert found.commands == (
        "uv pip install --no-deps --python /Users/me/project/.venv/bin/python --reinstall-package=six six==1.16.0",
    )
    assert found.text == "reinstall six==1.16.0"
    assert remedies.reinstall(facts(), dist("six==1.16.0"), text="put it back").text == "put it back"


def test_uninstalling_names_what_goes():
    found = remedies.uninstall(facts(), "tensorflow-macos", text="it is a leftover")

    assert found.commands == ("uv pip uninstall --python /Users/me/project/.venv/bin/python tensorflow-macos",)


@pytest.mark.parametrize(
    "installed",
    [
        environment("six==1", kind="conda"),
        environment("six==1", conda_prefix="/opt/conda"),
        environment(dist("numpy==1.26.4", conda=True)),
    ],
)
def test_pip_never_writes_over_conda(installed):
    there = facts(environment=installed)

    assert remedies.install(there, "six").commands == NEW
    assert remedies.uninstall(there, "six", text="").commands == NEW
    assert "conda" in remedies.install(there, "six").text
    assert not remedies.may_install(there)


def test_a_folder_for_another_machine_is_not_installed_into_by_its_interpreter():
    there = facts(environment=environment("six==1", kind="target"))

    assert remedies.install(there, "six>2").commands == NEW
    assert "another machine" in remedies.install(there, "six>2").text


def test_without_an_interpreter_there_are_words_only():
    there = facts(interpreter=UNKNOWN)

    assert remedies.install(there, "six>2").commands == ()
    assert "six>2" in remedies.install(there, "six>2").text
    assert remedies.verify(there) == "tfcompat doctor"


def test_without_an_environment_nothing_forbids_to_install():
    assert remedies.may_install(facts(linux(), linux_python(), UNKNOWN))
    assert remedies.install(facts(environment=UNKNOWN), "six").commands


def test_a_remedy_is_verified_on_the_same_interpreter():
    assert remedies.verify(facts()) == "tfcompat doctor --python /Users/me/project/.venv/bin/python"


def test_two_remedies_become_one_and_say_nothing_twice():
    one, other = remedies.new_environment("a"), remedies.install(facts(), "six")

    assert remedies.both(one, other, "both").commands == (*NEW, *other.commands)
    assert remedies.both(one, one, "both").commands == NEW
