"""A file, a stream or a word to bytes that can be searched: UTF-8, line feeds, no escape sequences.

Memory stays within a few times the limit; nothing here takes more than linear time.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from compat.errors import CannotLook, UsageError, one_line

LIMIT_BYTES = 50 * 1024 * 1024
"""As much as a day of verbose training leaves behind; more is not a log that a person looked at."""
SOFT_BREAK = b"\x0b"
"""Stands for a carriage return alone (progress bars): it ends a line of text, but editors do not count it."""

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\^_])")
_WRITTEN_ESCAPES = re.compile(rb"\\u001[bB]\[[0-9;]{0,20}[A-Za-z]|\\x1[bB]\[[0-9;]{0,20}[A-Za-z]")
_SIGNS = ((b"\xe2\x80\x98", b"'"), (b"\xe2\x80\x99", b"'"), (b"\xe2\x80\x9c", b'"'), (b"\xe2\x80\x9d", b'"'))
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def read_file(path: str) -> bytes:
    """Return the bytes of a log file. Raises CannotLook for what is no file, unreadable or above the limit."""
    try:
        status = os.stat(path)  # noqa: PTH116 - the quick path does without pathlib
        if stat.S_ISDIR(status.st_mode):
            raise CannotLook(f"{path}: is a directory, not a log", hint="name the log file in it")
        if stat.S_ISREG(status.st_mode) and status.st_size > LIMIT_BYTES:
            raise _too_large(path)
        flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        handle = os.open(path, flags)  # a pipe that nobody writes to must not hold us
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        with os.fdopen(handle, "rb") as file:
            return bounded(file, path)
    except OSError as error:
        raise CannotLook(f"{path}: {error.strerror or error}") from error


def bounded(file: BinaryIO, name: str) -> bytes:
    """Return all of a stream. Raises CannotLook above the limit."""
    found = file.read(LIMIT_BYTES + 1)
    if len(found) > LIMIT_BYTES:
        raise _too_large(name)
    return found


def _too_large(name: str) -> CannotLook:
    megabytes = LIMIT_BYTES // (1024 * 1024)
    return CannotLook(
        f"{one_line(name, 200)}: larger than {megabytes} MB",
        hint="pass its last part, where the error stands: `tail -n 20000 FILE | tfcompat explain -`",
    )


def searchable(raw: bytes) -> bytes:
    """Return the text as UTF-8 bytes with line feeds, no escapes and straight quotes; of a notebook, its outputs.

    Raises UsageError where there is no text in it.
    """
    data = _utf8(raw)
    if not data.strip(b"\x00 \t\r\n\x0b\x0c"):
        raise UsageError("there is no text to explain", hint="paste the error with the lines around it")
    if data.lstrip()[:1] == b"{" and b'"cells"' in data:
        data = _notebook(data) or data
    return _cleaned(data)


def _utf8(raw: bytes) -> bytes:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace").encode()
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:]
    head = raw[:4096]
    if len(head) >= 8 and head.count(b"\x00") * 3 > len(head):  # noqa: PLR2004 - a sample; text has no NULs
        even, odd = head[::2].count(b"\x00"), head[1::2].count(b"\x00")
        if max(even, odd) > 4 * min(even, odd):
            return raw.decode("utf-16-le" if odd > even else "utf-16-be", "replace").encode()
    return raw


def _cleaned(data: bytes) -> bytes:
    if b"\x1b" in data:
        data = _ESCAPES.sub(b"", data)
    if b"\\u001b[" in data or b"\\x1b[" in data:
        data = _WRITTEN_ESCAPES.sub(b"", data)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", SOFT_BREAK)
    if b"\xe2\x80" in data:
        for sign, straight in _SIGNS:
            data = data.replace(sign, straight)
    return data.replace(b"\xc2\xa0", b" ") if b"\xc2\xa0" in data else data


def _notebook(data: bytes) -> bytes | None:
    """Return what a notebook's cells ran and printed, None where it is no whole notebook."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    cells = value.get("cells") if isinstance(value, Mapping) else None
    if not isinstance(cells, list):
        return None
    parts = [part for cell in cells if isinstance(cell, Mapping) for part in _cell(cell)]
    return "\n".join(parts).encode("utf-8", "replace")


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    yield _text(cell.get("source"))
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, Mapping):
            continue
        yield _text(output.get("text"))
        data = output.get("data")
        yield _text(data.get("text/plain")) if isinstance(data, Mapping) else ""
        trace = output.get("traceback")
        yield "\n".join(map(str, trace)) if isinstance(trace, list) else ""


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "".join(map(str, value)) if isinstance(value, list) else ""
