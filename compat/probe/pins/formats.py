"""Which reader understands a file: by its name first, by its content where the name says little."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import cast

from compat.facts.pins import PinFile
from compat.probe.pins.source import Source

Reader = Callable[[Source], PinFile]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: how it is recognized, and the module whose ``read`` understands it."""

    kind: str
    names: str
    """A regular expression the lower-case file name matches as a whole."""
    module: str
    content: str = ""
    """One that must be found in the text as well."""
    folders: str = ""
    """One that the folder part of the path must match somewhere."""


_CONDA_LIST = (
    r"(?m)^# packages in environment at|^# Name +Version"
    r"|^# This file may be used to create an environment using:[\s\S]*^[\w.-]+=[\w.]+=\w+$"
)
_COMMANDS = r"(?m)^[ \t]*(\$ |sudo )?(pip3?|python3? -m pip|conda|mamba|uv pip) +(install|create)\b"

_REQUIREMENTS = (
    r"(?!.+\.(py|ipynb|md|rst|html?|json|ya?ml|toml|csv|xml|png|jpe?g|svg|gif|pdf|docx?|xlsx?|js|ts|c|h|cpp|rs|go|bak|orig)$)"
    r"(.*[._ -])?(requirements|constraints)([._ -].*)?"
)
"""Files called so, whatever follows (``requirements.mac``), but no picture, page or program."""

_JOBS = r"(?m)\A(?=[\s\S]*?^[ \t]*jobs[ \t]*:)[\s\S]*?^[ \t]*(-[ \t]+)?(steps|uses|run)[ \t]*:"

_HEAD = 65_536
"""Characters in which a format must show: the search stays short whatever the file's size."""

FORMATS = (
    Format("pyproject", r"pyproject\.toml", "toml.pyproject"),
    Format("uv.lock", r"(.+\.py\.|.*)uv\.lock", "locks.toml_locks"),
    Format("poetry.lock", r"poetry\.lock", "locks.toml_locks"),
    Format("pdm.lock", r"pdm(\..+)?\.lock", "locks.toml_locks"),
    Format("pylock", r"pylock(\..+)?\.toml", "locks.toml_locks"),
    Format("Pipfile.lock", r"pipfile\.lock", "locks.json_locks"),
    Format("Pipfile", r"pipfile", "toml.pipfile"),
    Format("pixi.toml", r"pixi\.toml", "toml.pixi"),
    Format("pixi.lock", r"pixi\.lock", "locks.yaml_locks"),
    Format("conda-lock", r"(.+[.-])?conda-lock\.ya?ml", "locks.yaml_locks"),
    Format("setup.cfg", r"setup\.cfg", "ini.setup_cfg"),
    Format("setup.py", r"setup\.py", "code.calling"),
    Format("noxfile", r"noxfile\.py", "code.calling"),
    Format("script", r".+\.py", "code.script", content=r"(?m)^# /// script"),
    Format("tox", r"tox\.ini", "ini.tox"),
    Format("dockerfile", r"(.+\.)?(dockerfile|containerfile)(\..+)?", "commands.dockerfile"),
    Format("makefile", r"(gnu)?makefile|.+\.mk|justfile", "commands.shell"),
    Format("notebook", r".+\.ipynb", "commands.notebook"),
    Format("workflow", r".+\.ya?ml", "commands.workflow", folders=r"(^|/)\.github/workflows$"),
    Format("python-version", r"\.python-versions?|runtime\.txt|\.tool-versions", "python_version"),
    Format("conda-recipe", r"meta\.yaml|recipe\.yaml", "unjudged"),
    Format("conda", r".+\.ya?ml", "conda.environment", content=r"(?m)^[ \t]*['\"]?dependencies['\"]?\s*:"),
    Format("workflow", r".+\.ya?ml", "commands.workflow", content=_JOBS),
    Format("conda-explicit", r".+\.(txt|lock)", "conda.listing", content=r"(?m)^@EXPLICIT\s*$"),
    Format("conda-list", r".+\.txt", "conda.listing", content=_CONDA_LIST),
    Format("shell", r".+\.(sh|bash|zsh|command|ps1|bat)", "commands.shell"),
    Format("shell", r".+", "commands.shell", content=r"\A#!.*\b(ba|z|da|k)?sh\b"),
    Format("markdown", r".+\.(md|markdown|rst)", "commands.markdown"),
    Format("shell", r".+\.txt", "commands.shell", content=_COMMANDS),
    Format("requirements", rf".+\.(txt|in|pip)|{_REQUIREMENTS}", "pip.requirements"),
    Format("code", r".+\.py", "code.calling", content=r"install_requires|\.install\("),
)
"""Tried in this order."""


def of(path: PurePath, text: str) -> Format | None:
    """Return the format of a file, None for one that no reader understands."""
    return next(_fitting(path, text), None)


def _fitting(path: PurePath, text: str) -> Iterator[Format]:
    name, folder, head = path.name.lower(), path.parent.as_posix(), text[:_HEAD]
    for row in FORMATS:
        if re.fullmatch(row.names, name, re.DOTALL) is None or (row.folders and re.search(row.folders, folder) is None):
            continue
        if not row.content or re.search(row.content, head):
            yield row


def reader(row: Format) -> Reader:
    """Return a format's reader; its module is imported only now (YAML and ast cost more than a requirements file)."""
    return cast("Reader", import_module(f"compat.probe.pins.{row.module}").read)


def read(source: Source) -> PinFile:
    """Return what the source's format says; a file of no known format is seen, not judged."""
    row = of(source.path, source.text)
    return reader(row)(source) if row else PinFile(path=str(source.path), kind="unknown")
