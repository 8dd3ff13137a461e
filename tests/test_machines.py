"""Machines reconstructed from public reports are judged as their reports established."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compat.facts.capture import SCHEMA_VERSION, Facts
from compat.facts.codec import decode, encode
from compat.matrix.files import read_toml
from compat.matrix.load import load
from compat.verdict.finding import Finding, Severity, Status
from compat.verdict.judge import judge

FOLDER = Path(__file__).parent / "data" / "machines"
FILES = sorted(FOLDER.glob("*.json"))
NAMES = [path.stem for path in FILES]
EXPECTED: dict[str, Any] = read_toml(FOLDER / "expected.toml")
MATRICES = Path(__file__).resolve().parent.parent / "matrices"
NOT_REPORTED = {"path", "kind", "environment", "duplicates", "leftovers", "unreadable"}
"""Parts a record must have and no report states."""


@pytest.fixture(scope="module")
def matrix():
    return load(MATRICES)


def document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


def facts(name: str) -> Facts:
    return decode(Facts, document(name)["facts"])


def unknown(value: object, at: str = "") -> Iterator[str]:
    if isinstance(value, dict) and set(value) == {"unknown"}:
        yield at
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from unknown(item, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from unknown(item, f"{at}[{index}]")


def known(part: str, record: dict[str, Any]) -> Iterator[str]:
    for key, value in record.items():
        absent = isinstance(value, dict) and (set(value) & {"unknown", "not_applicable"})
        if key not in NOT_REPORTED and value not in (None, []) and not absent:
            yield f"{part}.{key}"


def covers(stated: str, address: str) -> bool:
    return stated == address or address.startswith(f"{stated}.") or stated.startswith(f"{address}.")


def is_address(key: str, value: Any) -> bool:
    for name in key.split("."):
        if not isinstance(value, dict) or name not in value or set(value) == {"unknown"}:
            return False
        value = value[name]
    return True


def test_there_are_enough_of_them_and_each_is_expected():
    systems = [facts(name).machine.os for name in NAMES]

    assert systems.count("macos") >= 14
    assert systems.count("linux") >= 2
    assert sorted(EXPECTED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_capture_is_one_of_this_schema_and_comes_from_somewhere(name):
    whole = document(name)

    assert whole["schema_version"] == SCHEMA_VERSION
    assert whole["report"]["id"] == name
    assert whole["report"]["url"].startswith(("https://", "note:"))
    assert facts(name).origin == whole["report"]["url"]


@pytest.mark.parametrize("name", NAMES)
def test_every_fact_is_stated_with_its_ground_or_unknown(name):
    whole = document(name)
    stated, parts = whole["report"]["stated"], whole["facts"]
    given = [
        address
        for part in ("machine", "interpreter", "environment")
        if set(parts[part]) != {"unknown"}
        for address in known(part, parts[part])
    ]

    assert [address for address in given if not any(covers(key, address) for key in stated)] == []
    assert all(stated.values())
    assert whole["report"]["unknown"] == list(unknown(parts))
    assert not [key for key in stated if key in whole["report"]["unknown"]]
    assert not [key for key in stated if not is_address(key, parts)]


@pytest.mark.parametrize("name", NAMES)
def test_a_capture_survives_the_codec(name):
    again = json.loads(json.dumps(encode(facts(name))))

    assert decode(Facts, again) == facts(name)


@pytest.mark.parametrize("name", [name for name, row in EXPECTED.items() if "issue" in row])
def test_the_known_issue_of_a_report_is_in_the_matrix_and_its_error_text_points_there(name, matrix):
    issues = {issue.id: issue for issue in matrix.issues() if issue.withdrawn is None}
    expected = EXPECTED[name]
    issue = issues[expected["issue"]]

    if "log" in expected:
        assert any(signature in expected["log"] for signature in issue.signatures)
    if expected["first"] and issue.rule is not None:
        assert issue.rule in expected["first"]


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_is_judged_as_its_report_established(name, matrix):
    from compat.verdict.rules import RULES

    found = judge(facts(name), matrix, RULES).findings
    wanted = EXPECTED[name]["first"]

    assert [finding.message for finding in found if finding.status is Status.CRASHED] == []
    if wanted:
        assert first_failing(found).id in wanted
    else:
        assert EXPECTED[name]["why"]
        assert [finding.message for finding in found if finding.is_error] == []


def first_failing(found: tuple[Finding, ...]) -> Finding:
    """Return the first finding a user acts on; where only information fails, the first of that."""
    failing = [finding for finding in found if finding.status is Status.FAILS]
    acted_on = [finding for finding in failing if finding.severity is not Severity.INFO]
    return (acted_on or failing)[0]


@pytest.mark.parametrize("name", [name for name, row in EXPECTED.items() if row.get("issue") == "ISS042"])
def test_the_machine_all_this_began_with_is_told_of_its_pair(name, matrix):
    from compat.verdict.rules import RULES

    issues = [finding.issue for finding in judge(facts(name), matrix, RULES).findings if finding.status is Status.FAILS]

    assert "ISS042" in issues
