"""One command becomes the pins it asks for; commands that install nothing ask for none."""

from pathlib import Path

import pytest

from compat.facts.pins import Pin, StatedPython
from compat.probe.pins.commands.found import Around
from compat.probe.pins.commands.installers import call
from compat.probe.pins.commands.shell import scripted
from compat.probe.pins.commands.shell_words import Script, commands
from compat.probe.pins.source import Source


def found(line, **around):
    return scripted(Script(line, Source(Path("/nowhere/a.sh"), line)), Around(**around))[0]


def pins(line, **around):
    return [(pin.name, pin.specifier) for pin in found(line, **around) if isinstance(pin, Pin)]


@pytest.mark.parametrize(
    "line",
    [
        "pip install a==1",
        "pip3 --quiet install -U a==1",
        "/opt/venv/bin/pip3.11 install 'a==1'",
        'python -m pip install --upgrade "a==1"',
        "python3.11 -I -m pip install a==1",
        "py -3.11 -m pip install a==1",
        "sudo -H pip install a==1 > log.txt 2>&1",
        "FOO=1 BAR=2 pip install --no-cache-dir -t lib a==1",
        "cd x && pip install a==1 || exit 1",
        "conda run -n tf --no-capture-output pip install a==1",
        "poetry run python -m pip install a==1",
        "uv pip install --system --python 3.11 a==1",
        "uv add --dev a==1",
        "uv run --with a==1 x.py",
        "uvx --with=a==1 tool",
        "pipenv install a==1 --skip-lock",
        "pdm add -G ml a==1",
        "pipx inject app a==1",
        "poetry add --group dev a==1",
        "arch -arm64 pip install a==1",
        "bash -lc 'pip install a==1'",
        'sh -c "cd x; pip install a==1"',
        "$PIP install a==1",
        "$(PIP) install a==1",
        "pip install \\\n  a==1",
        "pip install . ./x ../y a==1",
        "(pip install a==1)",
    ],
)
def test_every_way_to_install(line):
    assert pins(line) == [("a", "==1")]


@pytest.mark.parametrize(
    "line",
    [
        "pip show tensorflow install",
        "pip uninstall -y tensorflow",
        "pip download tensorflow",
        "echo pip install tensorflow",
        "echo 'pip install tensorflow'",
        "# pip install tensorflow",
        "apt-get install tensorflow",
        "brew install tensorflow",
        "npm install tensorflow",
        "pip freeze | grep install",
        "cat <<EOF\npip install tensorflow\nEOF",
        "cat > x.sh <<'EOF'\npip install tensorflow\nEOF\n",
        "conda list install",
        "git add tensorflow",
    ],
)
def test_what_installs_nothing(line):
    assert pins(line) == []


@pytest.mark.parametrize(
    "line, name, specifier, admits, channel",
    [
        ("conda install tensorflow=2.9", "tensorflow", "=2.9", ("==2.9.*",), ""),
        ("mamba create -n x -c apple tensorflow-deps==2.9.0", "tensorflow-deps", "==2.9.0", ("==2.9.0",), "apple"),
        ("micromamba install conda-forge::numpy", "numpy", "", None, "conda-forge"),
        ("conda install -y 'numpy<2'", "numpy", "<2", ("<2",), ""),
    ],
)
def test_conda_has_its_own_spelling(line, name, specifier, admits, channel):
    (pin,) = found(line)

    assert (pin.name, pin.specifier, pin.admits, pin.channel, pin.origin) == (name, specifier, admits, channel, "conda")


@pytest.mark.parametrize(
    "line, version",
    [
        ("conda create -n x python=3.10", "3.10"),
        ("python3.11 -m venv x", "3.11"),
        ("uv venv --python 3.12.1", "3.12.1"),
    ],
)
def test_the_python_of_an_environment_is_stated(line, version):
    assert [row.version for row in found(line) if isinstance(row, StatedPython)] == [version]


def test_poetry_takes_its_own_constraints():
    (pin,) = found("poetry add tensorflow@^2.16")

    assert (pin.name, pin.specifier, pin.admits, pin.writing) == ("tensorflow", "^2.16", (">=2.16,<3.0",), None)


@pytest.mark.parametrize("held", ["${TF}", "$TF", "$(get-version)", "<VERSION>", "${{ matrix.tf }}", "`version`"])
def test_a_placeholder_leaves_the_versions_open(held):
    (pin,) = found(f'pip install "tensorflow=={held}"' if held != "<VERSION>" else "pip install tensorflow==<VERSION>")

    assert (pin.name, pin.admits, pin.writing) == ("tensorflow", (), None)


def test_a_known_value_fills_its_placeholder():
    (pin,) = found('pip install "tensorflow==${TF}"', values={"TF": "2.15.0"})

    assert (pin.specifier, pin.admits, pin.writing) == ("==${TF}", ("==2.15.0",), None)


def test_a_bare_angle_is_told_for_what_the_shell_takes_it():
    pin, unread = found("pip install tensorflow>=2.10 numpy")[:2]

    assert (pin.specifier, unread.why) == (">=2.10", "to the shell < and > are redirections: quote the requirement")


@pytest.mark.parametrize(
    "option, origin",
    [("-i https://p.example.org/simple", "private"), ("--extra-index-url https://p.example.org/simple", "index")],
)
def test_another_index_makes_the_pins_private(option, origin):
    assert found(f"pip install a {option}")[0].origin == origin


def test_a_named_file_is_read_from_the_folder_or_above(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "reqs.txt").write_text("a==1\n")
    text = "pip install -r reqs.txt -c absent.txt"
    included, unread = scripted(
        Script(text, Source(tmp_path / "scripts" / "a.sh", text)), Around(group="job x", marker="os_name == 'nt'")
    )[0]

    assert [(pin.name, pin.group, pin.marker) for pin in included.file.pins] == [("a", "job x", "os_name == 'nt'")]
    assert (unread.text, unread.why) == ("absent.txt", "the file it includes is not there")


@pytest.mark.parametrize(
    "word", ["'tensorflow==2.9'", '"tensorflow==2.9"', "tensorflow==2.9", "tensorflow>=2.9", "tensorflow"]
)
def test_a_word_can_be_replaced_and_followed(word):
    text = f"pip install -U {word} --user && x"
    (pin, *_) = found(text)
    writing = pin.writing

    assert text[writing.specifier.start : writing.specifier.end] == word
    assert pins(text[: writing.entry_end] + writing.joint + "'numpy<2'" + text[writing.entry_end :]) == [
        (pin.name, pin.specifier),
        ("numpy", "<2"),
    ]


def test_a_variable_is_said_to_be_one():
    assert [row.why for row in found('pip install "$@"')] == ["a variable: what it installs is not known"]


def test_prefixes_are_looked_behind_only_so_far():
    (command,) = commands("sudo " * 100 + "pip install a")

    assert call(command.words) is None
