import pytest
from hypothesis import given

from compat.probe.pins.code import scan as code_scan
from compat.probe.pins.code.calling import read
from tests.probe.pins.reading import assert_read, mutated, named, source

SETUP = """\
import sys, platform
from setuptools import setup
base = ["numpy<2", "h5py"]
if sys.platform == "darwin":
    tf = ["tensorflow-macos>=2.10.0", "tensorflow-metal>=1.0.0"]
else:
    tf = ["tensorflow>=2.10.0"]
RENAMED = {"tensorflow": "tensorflow-macos"}
setup(
    name="tensorflow",
    install_requires=base + tf,
    python_requires=">=3.8",
    extras_require={"ml": ["keras==2.10; python_version < '3.9'"]},
)
"""
NOX = """\
import nox
PYTHONS = ["3.9", "3.10"]
@nox.session(python=PYTHONS)
def tests(session):
    session.install("tensorflow==2.8.4", "-e", ".")
    session.run("pytest", "tensorflow")
@nox.session(name="mac", python="3.11")
@nox.parametrize("tf", ["2.12", "2.13"])
def other(s, tf):
    s.install(f"tensorflow-macos=={tf}")
"""


def told(text, name="setup.py"):
    file = read(source(name, text))
    return [(pin.line, pin.name, pin.specifier, pin.marker, pin.group) for pin in file.pins]


def test_a_condition_on_the_platform_is_a_marker():
    assert told(SETUP) == [
        (3, "numpy", "<2", "", ""),
        (3, "h5py", "", "", ""),
        (5, "tensorflow-macos", ">=2.10.0", "sys_platform == 'darwin'", ""),
        (5, "tensorflow-metal", ">=1.0.0", "sys_platform == 'darwin'", ""),
        (7, "tensorflow", ">=2.10.0", "sys_platform != 'darwin'", ""),
        (13, "keras", "==2.10", "python_version < '3.9'", "extra ml"),
    ]
    assert read(source("setup.py", SETUP)).requires_python == ">=3.8"


def test_columns_count_characters():
    file = read(source("setup.py", "é = 'é'; setup(install_requires=['é>1', 'numpy<2'])\n"))

    assert named(file, "numpy").column == 42


@pytest.mark.parametrize(
    ("test", "yes", "no"),
    [
        ("sys.platform.startswith('linux')", "sys_platform == 'linux'", "sys_platform != 'linux'"),
        ("platform.system().lower() == 'darwin'", "platform_system == 'Darwin'", "platform_system != 'Darwin'"),
        ("platform.processor() == 'arm'", "platform_machine == 'arm64'", "platform_machine != 'arm64'"),
        ("sys.version_info >= (3, 9)", "python_version >= '3.9'", "python_version < '3.9'"),
        ("sys.version_info[:2] > (3, 9)", "python_version >= '3.9'", "python_version < '3.9'"),
        ("not os.name == 'nt'", "os_name != 'nt'", "os_name == 'nt'"),
        (
            "platform.system() == 'Darwin' and platform.machine() == 'arm64'",
            "platform_system == 'Darwin' and platform_machine == 'arm64'",
            "platform_system != 'Darwin' or platform_machine != 'arm64'",
        ),
        (
            "sys.platform in ('linux', 'win32')",
            "sys_platform == 'linux' or sys_platform == 'win32'",
            "sys_platform != 'linux' and sys_platform != 'win32'",
        ),
        ("'ARM64' in platform.version()", "'ARM64' in platform_version", "'ARM64' not in platform_version"),
    ],
)
def test_each_spelling_of_a_condition(test, yes, no):
    text = f"setup(install_requires=['a' if {test} else 'b'])\n"

    assert [(name, marker) for _, name, _, marker, _ in told(text)] == [("a", yes), ("b", no)]


@pytest.mark.parametrize(
    "change",
    ["x.append('b')", "x += ['b']", "x.extend(['b'])", "x = x + ['b']", "x = ['a', *y]", "x = [*x]; x.insert(0, 'b')"],
)
def test_each_way_to_lengthen_a_list_under_a_condition(change):
    text = f"y = ['b']\nx = ['a']\nif sys.platform == 'darwin':\n    {change}\nsetup(install_requires=x)\n"

    assert {(name, marker) for _, name, _, marker, _ in told(text)} >= {("b", "sys_platform == 'darwin'")}


def test_a_condition_about_something_else_makes_groups():
    text = "x = ['numpy']\nif gpu:\n    x.append('tensorflow-gpu')\nelse:\n    x.append('tensorflow')\nsetup(install_requires=x)\n"

    assert [(name, group) for _, name, _, _, group in told(text)] == [
        ("numpy", ""),
        ("tensorflow-gpu", "branch at line 2"),
        ("tensorflow", "branch at line 5, else"),
    ]


def test_what_is_made_when_the_code_runs_is_not_judged():
    file = read(source("setup.py", "setup(install_requires=[f'tensorflow=={v()}', *read('r.txt')])\n"))

    assert [(pin.name, pin.admits) for pin in file.pins] == [("tensorflow", ())]
    assert [one.why for one in file.unread] == ["made when the code runs"]


def test_functions_that_return_lists_are_followed():
    text = "def get():\n    if sys.platform == 'darwin':\n        return ['a']\n    return ['b']\nsetup(install_requires=get())\n"

    assert [(name, marker) for _, name, _, marker, _ in told(text)] == [
        ("a", "sys_platform == 'darwin'"),
        ("b", "sys_platform != 'darwin'"),
    ]


def test_sessions_of_nox_are_groups_with_their_pythons():
    file = read(source("noxfile.py", NOX))

    assert told(NOX, "noxfile.py") == [
        (5, "tensorflow", "==2.8.4", "", "session tests"),
        (10, "tensorflow-macos", "==2.12", "", "session mac(tf='2.12')"),
        (10, "tensorflow-macos", "==2.13", "", "session mac(tf='2.13')"),
    ]
    assert [(one.version, one.line, one.group) for one in file.pythons] == [
        ("3.9", 2, "session tests"),
        ("3.10", 2, "session tests"),
        ("3.11", 7, "session mac"),
    ]
    assert file.scopes == (("session mac", "session mac(tf='2.12')"), ("session mac", "session mac(tf='2.13')"))


def test_pip_started_as_a_process_installs():
    text = "import subprocess, sys\nsubprocess.check_call([sys.executable, '-m', 'pip', 'install', '-U', 'keras<3'])\n"

    assert told(text, "install.py") == [(2, "keras", "<3", "", "")]
    assert told("subprocess.run(['pip', 'show', 'keras'])\n", "install.py") == []


def test_a_file_that_python_refuses_still_shows_its_lists():
    text = SETUP.replace("else:", "else").replace("base + tf", "['numpy<2',  # why\n  'tensorflow']")

    file = read(source("setup.py", text))

    assert file.problem is None
    assert [(pin.line, pin.name) for pin in file.pins] == [(11, "numpy"), (12, "tensorflow"), (14, "keras")]
    assert "cannot parse" in file.unread[-1].why


@pytest.mark.parametrize(
    "text",
    ["x" + "+x" * 50_000, "x" + "()" * 50_000, "x" + "\\\n+x" * 50_000, "(" * 50_000, "x = [\n" * 30_000],
    ids=["sum", "calls", "lines", "brackets", "lists"],
)
def test_code_that_nests_without_end_is_not_given_to_pythons_parser(text):
    assert code_scan.too_deep(text)
    assert read(source("setup.py", text)).problem == "nested too deeply"


@pytest.mark.parametrize(
    "text",
    ["x = ['a']\n" + "x = [x, x]\n" * 60, "x = ['a']\n" + "x = x + x\n" * 60, "x = 'a'\n" + "x = x + x\n" * 60],
)
def test_what_doubles_without_end_is_given_up(text):
    file = read(source("setup.py", text + "setup(install_requires=x)\n"))

    assert len(file.pins) + len(file.unread) < 400_000
    assert file.unread


def test_nothing_of_the_file_is_executed(tmp_path):
    read(source("setup.py", f"open({str(tmp_path / 'made')!r}, 'w').close()\nsetup(install_requires=['numpy'])\n"))

    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(("name", "text"), [("setup.py", SETUP), ("noxfile.py", NOX)])
def test_no_text_raises(name, text):
    @given(mutated(text))
    def check(changed):
        assert_read(read, name, changed)

    check()
