"""A TensorFlow and a plugin the matrix has never heard of are judged by their own files, and the data's day is said once."""

import json
from pathlib import Path

import pytest

from tests.cli.running import command

MACHINE = Path(__file__).resolve().parents[1] / "data" / "machines" / "blog-m1-2.17-metal-1.1.json"
NEWER = {"tensorflow": "2.930.0", "tensorflow-metal": "9.0.0"}
DAY = "matrix data of "


@pytest.fixture
def newer(tmp_path):
    """Write the capture of a Mac with versions of some later year; the plugin's proof is what the case says."""

    def write(loads):
        document = json.loads(MACHINE.read_text("utf-8"))
        environment = document["facts"]["environment"]
        for row in environment["distributions"]:
            row["version"] = NEWER.get(row["name"], row["version"])
        plugin = environment["plugins"][0]
        plugin["owners"] = ["tensorflow-metal==9.0.0"]
        missing = [] if loads else ["@rpath/libnew.dylib"]
        plugin["link_proof"] = {
            "plugin": plugin["path"], "architecture": "arm64", "loads": loads, "layer": 0 if loads else 1,
            "missing_libraries": missing, "minimum_macos": "12.0",
        }  # fmt: skip
        path = tmp_path / "later.json"
        path.write_text(json.dumps(document))
        return path

    return write


def test_a_plugin_that_cannot_load_is_told_from_its_file_without_the_matrix(newer):
    ended = command("doctor", "--facts", newer(False), "--format", "json")

    root = json.loads(ended.stdout)["findings"][0]
    assert ended.returncode == 1
    assert (root["id"], "@rpath/libnew.dylib" in root["message"]) == ("BIN401", True)
    assert "the matrix does not judge this pair" in json.dumps(root["evidence"])


def test_a_plugin_that_loads_is_no_fault_and_the_exit_code_does_not_know_the_datas_age(newer):
    ended = command("doctor", "--facts", newer(True))

    assert ended.returncode == 0
    assert "no run on" in ended.stdout
    assert ended.stdout.count(DAY) == 1


def test_where_no_verdict_came_from_the_matrix_its_day_is_not_said(newer):
    ended = command("doctor", "--facts", newer(False), "--select", "BIN401")

    assert "BIN401" in ended.stdout
    assert DAY not in ended.stdout
