"""The published schema is that of the records, and every committed row keeps to it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from compat.matrix.files import read_toml
from tests.matrix.trees import GOOD, write

ROOT = Path(__file__).resolve().parents[2]
MATRICES = ROOT / "matrices"
FOLDERS = ("issues", "observed", "platforms", "repairs")
FILES = [path for folder in FOLDERS for path in sorted((MATRICES / folder).glob("*.toml"))]


@pytest.fixture(scope="module")
def validator():
    schema = json.loads((MATRICES / "schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_published_schema_is_the_records():
    command = [sys.executable, ROOT / "scripts" / "schema", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.name}" for path in FILES])
def test_a_committed_file_keeps_to_the_schema(path, validator):
    found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(read_toml(path))]

    assert found == []


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("issues/load.toml", '"error"', '"fatal"', "$.issues[0].severity"),
        ("issues/load.toml", "remedy", "remdy", "$.issues[0]"),
        ("issues/load.toml", '["macos-arm64"]', '["mac"]', "$.issues[0].affects[0].platforms[0]"),
        ("issues/load.toml", "day = 2026-11-30 }", "day = 2026-11-30, kind = 'x' }", "$.issues[0].sources[0].kind"),
        ("observed/runs.toml", '"fails-to-load"', '"fails"', "$.observed[0].result"),
        ("observed/runs.toml", '"imports"', '"hopes"', "$.observed[0].tier"),
        ("platforms/macos.toml", "darwin = 24", 'darwin = "24"', "$.macos[1].darwin"),
        ("platforms/chips.toml", 'architecture = "arm64"\n', "", "$.chips[0]"),
        ("repairs/repairs.toml", 'step = "import"', 'step = "start"', "$.repairs[0].step"),
        ("issues/load.toml", "[[issues]]", "[[isues]]", "$"),
    ],
)
def test_the_schema_refuses_what_is_no_row(tmp_path, validator, name, old, new, told):
    assert not list(validator.iter_errors(read_toml(write(tmp_path, GOOD) / name)))
    text = GOOD[name]
    assert old in text
    broken = read_toml(write(tmp_path, {name: text.replace(old, new, 1)}) / name)

    assert told in [error.json_path for error in validator.iter_errors(broken)]


def test_the_schema_says_what_the_fields_mean(validator):
    fields = validator.schema["$defs"]["Affects"]["properties"]

    assert fields["versions"]["description"] == "PEP 440 set."
    assert validator.schema["$defs"]["Chip"]["required"] == ["name", "architecture", "oldest_macos"]
