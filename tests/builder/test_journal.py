"""What is written to disk: whole or not at all, and never in the place of what is no file."""

from __future__ import annotations

import os
import stat
import threading

import pytest

from compat.builder import journal
from compat.errors import CannotAct


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("an older, longer report")
    journal.write(path, "new")

    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_text()), daemon=True)
    reader.start()
    journal.write(path, "told")
    reader.join(10)

    assert read == ["told"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_a_folder_is_refused_and_stays(tmp_path):
    (tmp_path / "reports").mkdir()

    with pytest.raises(CannotAct, match="cannot write"):
        journal.write(tmp_path / "reports", "x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["reports"]
