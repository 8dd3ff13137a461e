"""Amended files onto the disk: only what was read is replaced, whole or not at all, in the file's own encoding."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compat.errors import CannotAct, one_line, without_secrets

_AROUND = 3
"""Lines of context, as every diff has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file before and after."""

    path: Path
    before: str
    after: str
    encoding: str = "utf-8"
    mark: bytes = b""
    """The byte order mark the file begins with; it stays."""


def write(change: Change) -> None:
    """Replace the file, keeping its mode; a link stays one, and what it points to is replaced.

    Raises CannotAct where the file is another by now or cannot be written; it is as it was then.
    """
    try:
        target = Path(os.path.realpath(change.path))
        if target.read_bytes() != _bytes(change, change.before):
            raise CannotAct(f"{change.path} changed while it was judged and is left alone", hint="run it again")
        _replace(target, _bytes(change, change.after))
    except OSError as error:
        raise CannotAct(f"cannot write {change.path}: {error.strerror or error}") from error


def diff(change: Change) -> str:
    """Return the change as a unified diff that ``patch -p1`` and ``git apply`` take.

    Lines around the change are left out where they hold a secret (an index's password in a log is the world's; ``git
    apply`` then wants ``--unidiff-zero``); a secret in a changed line itself is masked, and the diff no patch.
    """
    from difflib import unified_diff

    name = one_line(change.path.as_posix()).lstrip("/")
    before, after = _lines(change.before), _lines(change.after)
    text = ""
    for around in range(_AROUND, -1, -1):
        text = "".join(_ended(unified_diff(before, after, f"a/{name}", f"b/{name}", n=around)))
        if without_secrets(text) == text:
            return text
    return without_secrets(text)


def _bytes(change: Change, text: str) -> bytes:
    return change.mark + text.encode(change.encoding)


def _replace(target: Path, content: bytes) -> None:
    if not os.access(target, os.W_OK):  # a rename would replace what its owner wrote-protected
        raise PermissionError(13, "Permission denied", str(target))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(name, target.stat().st_mode & 0o7777)  # noqa: PTH101 - a descriptor's own name
        os.replace(name, target)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise


def _lines(text: str) -> list[str]:
    """Split at LF alone: a file's other signs of a new line are none to ``patch``."""
    found = text.split("\n")
    return [line + "\n" for line in found[:-1]] + ([found[-1]] if found[-1] else [])


def _ended(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
