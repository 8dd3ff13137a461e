"""README's tables of the peers: every cell is told, the unflattering ones too."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

from benching.peer_tables import aim_text, cell_text, found, ratio_text, seconds_text, speed  # noqa: E402
from benching.peer_tools import TOOLS  # noqa: E402
from benching.planted import PLANTED  # noqa: E402

RESULTS = ROOT / "scripts" / "results" / "peers.json"
RECORD = {
    "day": "2026-12-01",
    "machine": "Linux x86_64, 2 cores",
    "command": "scripts/bench --peers --runs 3 ",
    "runs": 3,
    "tools": [
        {"name": "ours", "version": "ours 1.0", "changed": []},
        {"name": "theirs check", "version": "theirs 2.0", "changed": ["packaging 26.4 to 25.0"]},
    ],
    "environments": [
        {"id": "well", "title": "healthy", "cause": "nothing"},
        {"id": "bad", "title": "bad one", "cause": "numpy | 2"},
    ],
    "cells": [
        {"environment": "well", "tool": "ours", "found": "no alarm", "exit": 0, "seconds": 2.0, "times_ours": 1.0},
        {"environment": "well", "tool": "theirs check", "found": "false alarm", "exit": 2, "seconds": 0.5, "times_ours": 0.25},
        {"environment": "bad", "tool": "ours", "found": "named", "exit": 0, "seconds": 0.4, "times_ours": 1.0},
        {"environment": "bad", "tool": "theirs check", "why": "cannot be pointed at it"},
    ],
    "speed": [
        {"what": "doctor", "peer": "less", "seconds": 1.2, "peer_seconds": 1.0, "ratio": 1.2, "limit_ratio": 1.5},
        {"what": "fix", "peer": "uv", "seconds": 0.5, "peer_seconds": 20.0, "limit_seconds": 0.4},
        {"what": "whole fix", "peer": "uv", "seconds": 0.9, "peer_seconds": 20.0, "limit_seconds": None},
    ],
}  # fmt: skip


def test_each_tool_has_a_row_and_each_environment_a_column():
    lines = found(RECORD).splitlines()

    assert lines[0] == "| asked | healthy | bad one |"
    assert lines[2] == "| `ours` | no alarm, exit 0 | named it, but exit 0 |"
    assert lines[3] == "| `theirs check` | **false alarm**, exit 2 | cannot be pointed at it |"
    assert "- bad one: numpy | 2" in lines


def test_versions_are_told_and_what_an_installation_replaced():
    assert "Asked were ours 1.0, theirs 2.0. In the copies theirs 2.0 replaced packaging 26.4 to 25.0." in found(RECORD)


def test_being_slower_than_a_peer_is_told():
    lines = speed(RECORD).splitlines()

    assert lines[2] == "| `ours` | 2.00 (× 1.00) | 0.40 (× 1.00) |"
    assert lines[3] == "| `theirs check` | 0.50 (× 0.25) | – |"
    assert "| fix | uv | 0.500 | 20.000 | – | ≤ 0.4 s |" in lines
    assert lines[-1].endswith("medians of 3 rounds in which each tool ran once in turn, bytecode and disk warm: "
                              "`scripts/bench --peers --runs 3`.")  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "alarm", "expected"),
    [
        ({"found": "found", "exit": 1}, 0, "**found**, exit 1"),
        ({"found": "something else", "exit": 2}, 2, "something else, exit 2 (its exit on the healthy one too)"),
        ({"found": "something else", "exit": 2}, 1, "something else, exit 2"),
        ({"found": "nothing", "exit": 0}, 0, "nothing, exit 0"),
        ({"found": "no answer", "exit": None}, 0, "did not answer, exit none"),
        ({"found": "found", "exit": 1, "exits": ["0", "1"]}, 0, "**found**, exit 1 (not always: 0, 1)"),
        ({"why": "no Python 3.10 here"}, 0, "no Python 3.10 here"),
    ],
)
def test_a_cell_says_what_and_with_which_exit_code(cell, alarm, expected):
    assert cell_text(cell, alarm) == expected


def test_a_cell_that_was_not_run_has_no_seconds():
    assert seconds_text({"why": "cannot be pointed at it"}) == "–"


def test_a_row_without_an_aim_says_so():
    assert (ratio_text({}), aim_text({"limit_ratio": None})) == ("–", "–")


def test_the_committed_result_leaves_out_no_tool_and_no_environment():
    kept = json.loads(RESULTS.read_text("utf-8"))

    wanted = [(planted.id, tool.name) for planted in PLANTED for tool in TOOLS]
    assert [(cell["environment"], cell["tool"]) for cell in kept["cells"]] == wanted
    assert all(
        "why" in cell or {"found", "exit", "seconds", "begins", "lines"} <= cell.keys() for cell in kept["cells"]
    )
