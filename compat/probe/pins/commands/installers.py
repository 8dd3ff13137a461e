"""Which commands install what: the words of a shell command into the tool that is called and its arguments."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from compat.probe.pins.commands.shell_words import Word

LIMIT_PREFIXES = 12
"""Words such as ``sudo`` that are looked behind."""


@dataclass(frozen=True, slots=True)
class Call:
    """A command that installs, or one that runs another text as a script."""

    tool: str
    """``pip``, ``conda``, ``poetry``, ``with`` (uv's ``--with``), ``venv``, or ``script``: its first word is shell."""
    words: tuple[Word, ...]
    python: Word | None = None
    """The interpreter it is called by, where it names its version: ``python3.11``."""


_RESERVED = frozenset({"then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "time", "&", "call", "@"})
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_PREFIXES = frozenset(
    {"sudo", "env", "command", "exec", "nohup", "nice", "arch", "timeout", "stdbuf", "winpty", "caffeinate", "retry"}
)
_RUNNERS = frozenset({"conda", "mamba", "micromamba", "poetry", "pipenv", "uv", "pdm", "rye", "pixi", "hatch"})
_WITH_VALUE = (
    "-n --name -p --prefix --python --with --with-editable --with-requirements -e --environment --group --extra"
    " --package --cwd --project --directory -u -g -C --env-file -f --feature --manifest-path"
)
_VALUED = frozenset(_WITH_VALUE.split())
"""Options of prefixes and runners that take the next word with them."""
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh"})
_PIP = re.compile(r"pip(?:3(?:\.\d+)?)?|\$[({]?\w*PIP3?[)}]?|\{\{ *pip3? *\}\}", re.IGNORECASE)
_PYTHON = re.compile(r"(?:python|pypy)\d*(?:\.\d+)*w?|py|\$[({]?\w*PY(?:THON)?\d*[)}]?|\{.*\}", re.IGNORECASE)
_VERSIONED = re.compile(r"python(\d\.\d+)$")
_CONDAS = frozenset({"conda", "mamba", "micromamba"})
_ADDERS = {
    "poetry": ("add", "poetry"),
    "pdm": ("add", "pip"),
    "rye": ("add", "pip"),
    "pipenv": ("install", "pip"),
    "pixi": ("add", "pixi"),
}


def call(words: Sequence[Word]) -> Call | None:
    """Return what a command installs with, None for one that installs nothing."""
    rest = _behind_prefixes(words)
    if not rest:
        return None
    name, after = program(rest[0].value), rest[1:]
    if name in _SHELLS or name == "eval":
        return _nested(name, after)
    if _PYTHON.fullmatch(name):
        return _module(rest[0], after)
    if name in {"uv", "uvx"}:
        return _uv(name, after)
    return _tool(name, after)


def is_shell(words: Sequence[Word]) -> bool:
    """Return whether a command runs what it is given on its input as a script: ``bash <<EOF``."""
    rest = _behind_prefixes(words)
    return bool(rest) and program(rest[0].value) in _SHELLS and all(w.value[:1] == "-" for w in rest[1:])


def program(word: str) -> str:
    """Return a program's bare name: ``.venv/bin/pip3.exe`` is ``pip3``."""
    return re.split(r"[/\\]", word)[-1].lower().removesuffix(".exe") if not word.startswith("{") else word


def _behind_prefixes(words: Sequence[Word]) -> Sequence[Word]:
    rest = words
    for _ in range(LIMIT_PREFIXES):
        if not rest:
            break
        value = rest[0].value
        if value in _RESERVED or _ASSIGNED.match(value):
            rest = rest[1:]
        elif program(value) in _PREFIXES:
            rest = _behind_options(rest[1:])
            rest = rest[1:] if rest and rest[0].value.rstrip("smh").isdigit() else rest
        elif program(value) in _RUNNERS and len(rest) > 1 and rest[1].value == "run" and not _with(rest):
            rest = _behind_options(rest[2:])
        else:
            break
    return rest


def _with(words: Sequence[Word]) -> bool:
    return words[0].value == "uv" and any(word.value.split("=")[0] == "--with" for word in words)


def _behind_options(words: Sequence[Word]) -> Sequence[Word]:
    rest = words
    while rest and rest[0].value.startswith("-"):
        rest = rest[2:] if rest[0].value in _VALUED else rest[1:]
    return rest


def _nested(name: str, after: Sequence[Word]) -> Call | None:
    if name == "eval":
        return Call("script", tuple(after[:1])) if after else None
    for flag, text in itertools.pairwise(after):
        if re.fullmatch(r"-[a-z]*c", flag.value):
            return Call("script", (text,))
        if not flag.value.startswith("-"):
            return None
    return None


def _module(python: Word, after: Sequence[Word]) -> Call | None:
    """``python -m pip install``: the module's name is the command."""
    for number, word in enumerate(after[:5]):
        if word.value == "-m" and len(after) > number + 1:
            found = call(after[number + 1 :]) or _venv(after[number + 1 :])
            named = python if _VERSIONED.search(program(python.value)) else None
            return Call(found.tool, found.words, named) if found else None
        if not word.value.startswith("-"):
            return None
    return None


def _venv(words: Sequence[Word]) -> Call | None:
    return Call("venv", ()) if words[0].value in {"venv", "virtualenv"} else None


def _uv(name: str, after: Sequence[Word]) -> Call | None:
    rest = _behind_options(after)
    values = [word.value for word in rest[:2]]
    if name == "uv" and values[:1] == ["pip"]:
        return _tool("pip", rest[1:])
    if name == "uv" and values[:1] == ["add"]:
        return Call("pip", tuple(rest[1:]))
    if name == "uv" and values[:1] == ["venv"]:
        return Call("venv", tuple(rest[1:]))
    return Call("with", tuple(after)) if name == "uvx" or values[:1] == ["run"] or values == ["tool", "run"] else None


def _tool(name: str, after: Sequence[Word]) -> Call | None:
    if _PIP.fullmatch(name):
        verb, tool = "install", "pip"
    elif name in _CONDAS:
        return _conda(_behind_options(after))
    elif name == "pipx":
        rest = _behind_options(after)
        return Call("pip", tuple(_behind_options(rest[1:])[1:])) if rest and rest[0].value == "inject" else None
    elif name in _ADDERS:
        verb, tool = _ADDERS[name]
    else:
        return None
    rest = _behind_options(after)
    if rest and rest[0].value == verb:
        return Call(tool, tuple(rest[1:]))
    return None


def _conda(rest: Sequence[Word]) -> Call | None:
    return Call("conda", tuple(rest[1:])) if rest and rest[0].value in {"install", "create", "update"} else None
