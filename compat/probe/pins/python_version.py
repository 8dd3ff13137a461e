"""Files that name the Python to run: ``.python-version`` (pyenv, uv), ``runtime.txt`` (Heroku), ``.tool-versions``.

Sources: pyenv's ``libexec/pyenv-version-file-read``, uv's "Python version files", Heroku's "Specifying a Python
Runtime", asdf's "Configuration".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.pins import PinFile, StatedPython, Unread
from compat.probe.pins.commands.found import Found, collected
from compat.probe.pins.source import Source

_LIMIT_LINES = 1_000
_WORD = re.compile(r"\S+")
_VERSION = re.compile(r"(?:cpython-|python-|python@)?(\d+\.\d+(?:\.\d+)?(?:(?:a|b|rc)\d+)?)(?:[+-][\w.+-]*)?")


def read(source: Source) -> PinFile:
    """Return the Pythons a file names."""
    return collected(source, "python-version", _named(source))


def _named(source: Source) -> Iterator[Found]:
    name = source.path.name.lower()
    at = 0
    for line in source.text.splitlines(keepends=True)[:_LIMIT_LINES]:
        words = tuple(_WORD.finditer(line.partition("#")[0]))
        if name == ".tool-versions":
            words = words[1:] if words and words[0][0] == "python" else ()
        for word in words:
            yield _one(word[0], at + word.start(), source)
        at += len(line)


def _one(word: str, at: int, source: Source) -> Found:
    line, column = source.place(at)
    found = _VERSION.fullmatch(word)
    if found is None:
        return Unread(line=line, column=column, text=word[:200], why="not a version of CPython")
    return StatedPython(version=found[1], line=line, column=column + found.start(1), what=source.path.name)
