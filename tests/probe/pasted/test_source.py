"""Bytes of any kind become text that can be searched, or one line that says why not."""

import json
import os

import pytest

from compat.errors import CannotLook, UsageError
from compat.probe.pasted.source import LIMIT_BYTES, read_file, searchable

TEXT = "ERROR: No matching distribution found for tensorflow"


@pytest.mark.parametrize(
    "raw",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        b"\xff\xfe\x00\x00" + TEXT.encode("utf-32-le"),
        f"\x1b[31;1m{TEXT}\x1b[0m".encode(),
        f"\x1b]8;;https://x\x07{TEXT}\x1b]8;;\x07".encode(),
        b"\xc3\x28 broken \xff " + TEXT.encode(),
        TEXT.replace(" ", "\u00a0").encode(),
        f"{TEXT}\r\n".encode(),
    ],
)
def test_the_words_survive_every_encoding_and_colour(raw):
    assert TEXT.encode() in searchable(raw)


def test_line_ends_of_windows_are_line_feeds():
    assert searchable(b"a\r\nb\r\n") == b"a\nb\n"


@pytest.mark.parametrize("raw", [b"", b"  \n\t ", b"\x00\x00", b"\xef\xbb\xbf"])
def test_no_text_is_said_so(raw):
    with pytest.raises(UsageError, match="no text"):
        searchable(raw)


def test_of_a_notebook_its_cells_and_outputs_are_read():
    error = {"output_type": "error", "traceback": ["\x1b[0;31mImportError\x1b[0m: it broke", "Symbol not found: _x"]}
    cell = {"cell_type": "code", "source": ["import tensorflow\n", "print(1)"], "outputs": [{"text": ["out"]}, error]}

    found = searchable(json.dumps({"cells": [cell], "metadata": {"language_info": {"version": "3.9.1"}}}).encode())

    assert b"ImportError: it broke\nSymbol not found: _x" in found
    assert b"import tensorflow\nprint(1)" in found
    assert b"language_info" not in found


@pytest.mark.parametrize("raw", [b'{"cells": [', b'{"cells": 3}', b'{"cells": [1, {"outputs": 2}, {"outputs": [3]}]}'])
def test_a_broken_notebook_is_text_like_any_other(raw):
    assert searchable(raw + b" Error: here") is not None


def test_a_folder_an_absent_file_and_a_huge_one_are_refused(tmp_path):
    with pytest.raises(CannotLook, match="directory"):
        read_file(str(tmp_path))
    with pytest.raises(CannotLook, match="No such file"):
        read_file(str(tmp_path / "absent"))
    huge = tmp_path / "huge.log"
    with huge.open("wb") as file:
        file.truncate(LIMIT_BYTES + 1)
    with pytest.raises(CannotLook, match="larger than 50 MB"):
        read_file(str(huge))


def test_as_much_as_is_promised_is_read(tmp_path):
    log = tmp_path / "full.log"
    with log.open("wb") as file:
        file.truncate(50_000_000)

    assert len(read_file(str(log))) == 50_000_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_that_nobody_writes_to_does_not_hold_us(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert read_file(str(tmp_path / "pipe")) == b""


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")  # noqa: PTH110
def test_a_device_without_end_is_refused():
    with pytest.raises(CannotLook, match="larger than 50 MB"):
        read_file("/dev/zero")
