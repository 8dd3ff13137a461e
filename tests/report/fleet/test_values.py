"""The JSON document is a contract: its schema, and numbers that add up."""

import json
from importlib import resources

import jsonschema

from compat.report.fleet.values import as_json, values
from compat.verdict.finding import Severity
from compat.verdict.fleet.merge import merge
from tests.report.fleet.test_columns import TABLE
from tests.verdict.fleet.machines import fault, seen

SCHEMA = json.loads((resources.files("compat") / "report" / "schemas" / "fleet.schema.json").read_text("utf-8"))


def test_the_document_fits_its_published_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(as_json(TABLE, "0.1.0")), SCHEMA)
    jsonschema.validate(json.loads(as_json(merge([]), "0.1.0")), SCHEMA)


def test_machines_are_counted_once_by_how_they_came_out():
    counted = values(TABLE, "0.1.0")["counted"]

    assert counted == {"machines": 6, "errors": 3, "warnings": 1, "healthy": 1, "unseen": 1, "measured": 4}


def test_causes_fixes_and_machines():
    told = values(TABLE, "0.1.0")

    assert next((row["id"], row["machines"]) for row in told["causes"]) == ("TF311", ["mac-01", "mac-02"])
    assert told["fixes"][0]["remedy"]["commands"] == ["uv pip install --python PYTHON 'numpy<2'"]
    assert told["fixes"][0]["last"] == ["mac-01", "mac-02"]
    assert [(one["name"], one["health"]) for one in told["machines"]][3:] == [
        ("mac-04", "warnings"),
        ("mac-05", "healthy"),
        ("mac-06", "unseen"),
    ]
    assert told["machines"][5]["why"] == "not seen: no route to host"
    assert told["kinds"]["chip"] == [{"name": "Apple M1", "machines": 4}, {"name": "Apple M4", "machines": 1}]


def test_strict_shows_in_how_machines_came_out():
    table = merge([seen("a", fault("MAC102", severity=Severity.WARNING))], strict=True)

    assert values(table, "0.1.0")["machines"][0]["health"] == "errors"
    assert values(table, "0.1.0")["ok"] is False


def test_a_machine_keeps_its_own_commands_and_its_exit_code():
    own = "uv pip install --python ~/a/bin/python 'numpy<2'"
    told = values(merge([seen("a", fault("TF311", own), exit_code=1)]), "0.1.0")

    assert told["machines"][0]["causes"] == [{"id": "TF311", "issue": None, "commands": [own]}]
    assert told["machines"][0]["exit_code"] == 1
