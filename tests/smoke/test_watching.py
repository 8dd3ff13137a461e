"""How far a battery has come is told while it runs, and from whatever stands in its file."""

from __future__ import annotations

import json
import time

from compat.smoke import watching

START = json.dumps({"event": "start", "id": "conv2d/k3", "mode": "eager", "device": "GPU:0", "members": []}) + "\n"
RESULT = json.dumps({"event": "result", "check": {"id": "conv2d/k3/int/y"}}) + "\n"


def test_what_is_done_is_counted_and_what_is_under_way_is_named(tmp_path):
    path = tmp_path / "progress"
    path.write_text(START.replace("k3", "k1") + RESULT + RESULT + START)

    assert watching.stands(path) == "numerical smoke test: 2 checks done, now conv2d/k3 (eager on GPU:0)"


def test_nothing_is_said_of_a_file_that_is_not_there_empty_or_being_written(tmp_path):
    path = tmp_path / "progress"

    assert watching.stands(path) == ""
    for text in ("", RESULT, START[:30], '{"event": "start"'):
        path.write_text(text)
        assert watching.stands(path) == ""


def test_it_is_told_while_the_block_runs_and_not_after(tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "EVERY", 0.01)
    path, told = tmp_path / "progress", []
    with watching.watched(path, told.append):
        path.write_text(START)
        end = time.monotonic() + 120
        while not told and time.monotonic() < end:
            time.sleep(0.01)
    count = len(told)
    time.sleep(0.05)

    assert told[0].endswith("0 checks done, now conv2d/k3 (eager on GPU:0)")
    assert len(told) == count


def test_nobody_listens_nobody_looks(tmp_path, monkeypatch):
    monkeypatch.setattr(watching, "stands", lambda _path: (_ for _ in ()).throw(AssertionError))

    with watching.watched(tmp_path / "progress", None):
        pass
