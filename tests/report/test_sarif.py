"""SARIF 2.1.0: what code scanning reads, held to the official schema."""

import json
from pathlib import Path

import jsonschema
import pytest

from compat.facts.pins import PinFile
from compat.plan.amend import Edit
from compat.report.sarif import Described, sarif, uri
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding
from compat.verdict.pins.rules import RULES

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "sarif" / "sarif-schema-2.1.0.json").read_text("utf-8"))
DESCRIBED = [Described(id=rule.id, title=rule.title, text=rule.__doc__, severity=rule.severity) for rule in RULES]
TEXT = "numpy\ntensorflow>=2.16\n"


def finding(rule="PIN501", line=2, severity=Severity.ERROR, **rest):
    return PinFinding(id=rule, severity=severity, line=line, column=1, message="it cannot load", **rest)


def log(*findings, path="requirements.txt", edits=()):
    rows = [JudgedFile(file=PinFile(path=path, kind="requirements"), findings=findings)]
    made = sarif(rows, DESCRIBED, "0.1.0", lambda _: edits, {path: TEXT})
    jsonschema.validate(made, SCHEMA)
    return made


def results(*findings, **rest):
    return log(*findings, **rest)["runs"][0]["results"]


def test_a_log_of_nothing_has_the_tool_and_its_rules():
    (run,) = log()["runs"]

    assert run["results"] == []
    assert run["tool"]["driver"]["name"] == "tfcompat"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [rule.id for rule in RULES]
    assert all(rule["shortDescription"]["text"] and rule["helpUri"] for rule in run["tool"]["driver"]["rules"])


def test_a_finding_has_its_place_and_its_rule():
    made = log(finding())
    (result,) = made["runs"][0]["results"]

    assert (result["ruleId"], result["level"], result["message"]["text"]) == ("PIN501", "error", "it cannot load")
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "requirements.txt"},
        "region": {"startLine": 2, "startColumn": 1},
    }
    assert made["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "PIN501"


@pytest.mark.parametrize(
    "severity, level", [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note")]
)
def test_a_severity_is_a_level(severity, level):
    assert results(finding(severity=severity))[0]["level"] == level


def test_an_id_that_no_rule_has_is_valid_too():
    assert "ruleIndex" not in results(finding("PIN598"))[0]


def test_a_cure_is_a_fix_at_its_place():
    edits = [
        Edit(path="requirements.txt", start=16, end=22, text="==2.16.2"),
        Edit(path="requirements.txt", start=22, end=22, text="\nnumpy<2", entry=True),
    ]
    (result,) = results(finding(), edits=edits)

    assert result["fixes"][0]["artifactChanges"][0]["replacements"] == [
        {
            "deletedRegion": {"startLine": 2, "startColumn": 11, "endLine": 2, "endColumn": 17},
            "insertedContent": {"text": "==2.16.2"},
        },
        {
            "deletedRegion": {"startLine": 2, "startColumn": 17, "endLine": 2, "endColumn": 17},
            "insertedContent": {"text": "\nnumpy<2"},
        },
    ]


def prints(*findings, **rest):
    return [row["partialFingerprints"]["tfcompatPin/v1"] for row in results(*findings, **rest)]


def test_a_fingerprint_stays_when_lines_move_and_tells_equal_findings_apart():
    assert prints(finding(line=2)) == prints(finding(line=7))
    assert len(set(prints(finding(line=2), finding(line=7), finding("PIN502")))) == 3
    assert prints(finding()) != prints(finding(), path="other.txt")


def test_a_finding_met_through_two_files_is_one_result():
    row = finding(path="base.txt")

    assert len(results(row, row)) == 1


@pytest.mark.parametrize(
    "path, said",
    [
        ("requirements.txt", "requirements.txt"),
        ("./a/b.txt", "a/b.txt"),
        ("a b/ü#?.txt", "a%20b/%C3%BC%23%3F.txt"),
        ("c:d.txt", "c%3Ad.txt"),
        ("/home/me/a.txt", "file:///home/me/a.txt"),
        ("a\\b.txt", "a/b.txt"),
        ("a\nb.txt", "a%0Ab.txt"),
        ("a\udcff.txt", "a%FF.txt"),
    ],
)
def test_a_path_is_a_uri(path, said):
    assert uri(path) == said
