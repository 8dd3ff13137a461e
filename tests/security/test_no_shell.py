"""Programs are started by lists of words, through one door, and no text is ever run as code."""

import ast
from pathlib import Path

import pytest

import compat

ROOT = Path(compat.__file__).parent
DOOR = "process.py"
SCRIPTS = ("probe/scripts/", "smoke/scripts/")
"""What runs in the environment under test, stand-alone."""
STARTERS = {"os": ["exec", "spawn", "posix_spawn", "fork", "system", "popen", "startfile"], "pty": ["spawn", "fork"]}
MODULES = {
    "subprocess",
    "pty",
    "pexpect",
    "sh",
    "commands",
    "multiprocessing",
    "popen2",
    "pickle",
    "marshal",
    "shelve",
    "code",
    "imp",
}
CODE = {"eval", "exec", "compile", "__import__", "execfile"}
FILES = sorted(ROOT.rglob("*.py"))


def named(path):
    return path.relative_to(ROOT).as_posix()


def offences(tree):
    """What in a module starts a program or runs a text, by line."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((node.lineno, name) for name in imported(node))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if starts(node.value.id, node.attr) or node.attr.startswith("create_subprocess"):
                yield node.lineno, f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CODE:
            yield node.lineno, node.func.id
        elif isinstance(node, ast.keyword) and node.arg in ("shell", "preexec_fn") and not is_false(node.value):
            yield node.value.lineno, node.arg


def imported(node):
    """What of that an import brings in."""
    if isinstance(node, ast.Import):
        return [name.name for name in node.names if name.name.split(".")[0] in MODULES]
    module = (node.module or "").split(".")[0]
    return [module] if module in MODULES else [name.name for name in node.names if starts(module, name.name)]


def starts(module, name):
    return any(name.startswith(beginning) for beginning in STARTERS.get(module, ()))


def is_false(node):
    return isinstance(node, ast.Constant) and node.value in (False, None)


def found(path):
    return {what for _, what in offences(ast.parse(path.read_text("utf-8")))}


def test_only_one_module_starts_programs():
    ours = {named(path): found(path) for path in FILES if not named(path).startswith(SCRIPTS)}

    assert {name: what for name, what in ours.items() if what} == {DOOR: {"subprocess"}}


def test_the_stand_alone_scripts_start_none():
    """The battery evaluates expressions of its own catalogue, which say what is computed and are shown to the user."""
    scripts = {named(path): found(path) for path in FILES if named(path).startswith(SCRIPTS)}
    told = {name: what for name, what in scripts.items() if what}

    assert len(scripts) > 50
    assert told == {f"smoke/scripts/battery/{name}": {"eval"} for name in ("case.py", "programs/updating.py")}


def test_the_door_takes_words_and_no_sentence():
    calls = [
        node
        for node in ast.walk(ast.parse((ROOT / DOOR).read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("Popen", "run", "call", "check_output")
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "subprocess"
    ]

    assert [call.func.attr for call in calls] == ["Popen"]
    assert not [keyword for keyword in calls[0].keywords if keyword.arg in (None, "shell", "executable")]


@pytest.mark.parametrize(
    "text",
    [
        "import subprocess",
        "from subprocess import run",
        "import os\nos.system('x')",
        "from os import popen",
        "import os\nos.execvp('x', [])",
        "import os\nos.posix_spawn('x', [], {})",
        "run('x', shell=True)",
        "run('x', shell=wanted)",
        "eval('1')",
        "import pickle",
        "asyncio.create_subprocess_shell('x')",
    ],
)
def test_each_way_of_starting_or_running_is_seen(text):
    assert list(offences(ast.parse(text)))


def test_a_word_of_the_users_is_never_a_command(tmp_path, monkeypatch, capfd):
    """Names full of a shell's signs go through every command that starts a program with them."""
    from compat.__main__ import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("signal.signal", lambda *_given: None)
    name = "$(touch sprung); `touch sprung` | touch sprung & '\"\n touch sprung"
    for words in (
        ["doctor", "--python", f"./{name}"],
        ["doctor", "--venv", name],
        ["fix", "--with", name],
        ["pins", name],
    ):
        assert main(words) in (1, 2, 3)
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "python").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "tool" / "python").chmod(0o755)
    (tmp_path / "tool").rename(tmp_path / name.replace("/", ""))
    assert main(["facts", "--python", f"./{name}/python"]) == 3

    assert not list(tmp_path.rglob("sprung"))
