"""The JSON documents are a contract: their keys, their schema, and a capture that reads back."""

import json
from importlib import resources

import jsonschema
import pytest

from compat.facts.capture import Facts
from compat.facts.codec import decode
from compat.facts.machine import Machine
from compat.report import json as told
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
from tests.report.test_columns import document, finding

SCHEMA = json.loads((resources.files("compat") / "report" / "schemas" / "doctor.schema.json").read_text("utf-8"))


def whole():
    row = Finding(
        id="BIN401",
        severity=Severity.ERROR,
        status=Status.FAILS,
        message="cannot load",
        evidence=(Evidence(fact="seen", source="measured here", tier="links"),),
        remedy=Remedy(text="words", commands=("tfcompat fix --create-venv",)),
        verify="tfcompat doctor",
        caused_by=None,
        issue="ISS001",
    )
    return document(row, finding("NUM601", caused_by="BIN401"), facts=Facts(machine=Machine(os="macos")))


def test_the_keys_others_build_on_are_there():
    value = json.loads(told.doctor(whole()))

    assert {"schema_version", "tool_version", "matrix_date", "ok", "facts", "findings"} <= set(value)
    assert {"id", "status", "severity", "message", "evidence", "remedy", "verify", "caused_by"} <= set(
        value["findings"][0]
    )
    assert value["findings"][0]["remedy"] == {"commands": ["tfcompat fix --create-venv"], "text": "words"}
    assert value["ok"] is False


def test_the_document_fits_its_published_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(json.loads(told.doctor(whole())), SCHEMA)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda value: value.pop("findings"),
        lambda value: value.update(ok="yes"),
        lambda value: value["findings"][0].update(severity="terrible"),
        lambda value: value["findings"][0]["remedy"].update(commands="rm"),
    ],
)
def test_the_schema_refuses_what_is_not_the_document(spoil):
    value = json.loads(told.doctor(whole()))
    spoil(value)

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, SCHEMA)


def test_ok_follows_strictness():
    warning = finding("TF306", severity=Severity.WARNING)

    assert json.loads(told.doctor(document(warning)))["ok"] is True
    assert json.loads(told.doctor(document(warning, strict=True)))["ok"] is False


def test_a_capture_reads_back():
    facts = Facts(machine=Machine(os="macos", chip="Apple M1"))
    value = json.loads(told.capture(facts, "0.1.0"))

    assert value["schema_version"] == 1
    assert decode(Facts, value["facts"]) == facts
