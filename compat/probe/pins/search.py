"""Dependency files in a folder: those a format knows by name, without what is installed, built or kept by git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from compat.probe.pins.formats import FORMATS, Format

SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "site-packages", "__pycache__", ".tox", ".nox", ".eggs"})
"""Folders that hold no files of the project's own; a virtual environment is told by its pyvenv.cfg."""

_LOOSE = ("requirements", "markdown")
"""Formats whose names fit files of any kind; ``_REQUIREMENTS`` is how people do call such files."""


def _names(rows: Iterable[Format]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{row.names})" for row in rows), re.DOTALL)


_SURE = _names(row for row in FORMATS if not row.content and row.kind not in _LOOSE)
_MAYBE = _names(row for row in FORMATS if row.content and row.names != ".+")
"""What is in the file decides."""
_MARKDOWN = _names(row for row in FORMATS if row.kind == "markdown")
_REQUIREMENTS = re.compile(
    r".*(?:requirements|constraints).*\.(?:txt|in|pip|lock)|[^.]*(?:requirements|constraints)[^.]*|.+\.pip"
    r"|(?:.+[._-])?reqs?(?:[._-].+)?\.(?:txt|in|pip)",
    re.DOTALL,
)
_TEXT = re.compile(r".+\.(?:txt|in)", re.DOTALL)
"""Any of these may be one; most are not."""
_LIMIT_BYTES = 1_000_000


def files(folder: Path, *, markdown: bool = False) -> Iterator[Path]:
    """Yield the dependency files in and below a folder, in the order of their names; links to folders are not taken."""
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not _environment(here, name))
        for name in sorted(names):
            if knows(name, markdown=markdown) or (_TEXT.fullmatch(name.lower()) and _speaks(Path(here, name))):
                yield Path(here, name)


def knows(name: str, *, markdown: bool = False) -> bool:
    """Tell whether a file of such a name is a dependency file, or may be one by what is in it."""
    low = name.lower()
    if _SURE.fullmatch(low) or _REQUIREMENTS.fullmatch(low):
        return True
    maybe = _MAYBE.fullmatch(low) is not None and _TEXT.fullmatch(low) is None
    return maybe or (markdown and is_markdown(name))


def is_markdown(name: str) -> bool:
    """Tell whether it is the name of a text for people."""
    return _MARKDOWN.fullmatch(name.lower()) is not None


def _environment(here: str, name: str) -> bool:
    return os.path.isfile(os.path.join(here, name, "pyvenv.cfg"))  # noqa: PTH113, PTH118 - once a folder


def _speaks(path: Path) -> bool:
    """Tell whether a text of any name is about TensorFlow: most .txt files are no requirements."""
    try:
        if not path.is_file() or path.stat().st_size > _LIMIT_BYTES:
            return False
        return b"tensorflow" in path.read_bytes().replace(b"\0", b"")  # UTF-16 has a NUL for every other byte
    except OSError:
        return False
