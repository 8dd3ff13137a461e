"""The curated rows agree with what the binaries prove and with each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.matrix.applies import affects_these
from compat.matrix.load import Matrix, load
from compat.matrix.model import Issue, LinkRow
from compat.matrix.query import APPLE_PLUGIN, observations_of

MATRICES = Path(__file__).resolve().parents[2] / "matrices"


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return load(MATRICES)


def accused(issue: Issue, row: LinkRow) -> bool:
    packages = {row.distribution: row.tensorflow, row.plugin: row.plugin_version}
    platform = f"macos-{row.arch}"
    return any(affects_these(one, packages, platform, None, chip=None, macos=None) for one in issue.affects)


def loading(matrix: Matrix) -> list[Issue]:
    return [issue for issue in matrix.issues() if issue.rule == "BIN401" and issue.withdrawn is None]


def test_no_pair_that_loads_is_accused_of_not_loading(matrix):
    wrongly = [
        (issue.id, row.tensorflow, row.plugin_version)
        for issue in loading(matrix)
        for row in matrix.links()
        if row.loads and accused(issue, row)
    ]

    assert wrongly == []


def test_every_pair_of_apples_plugin_that_does_not_load_has_an_issue(matrix):
    issues = loading(matrix)
    without = [
        (row.arch, row.tensorflow, row.plugin_version)
        for row in matrix.links()
        if row.loads is False and row.plugin == APPLE_PLUGIN and not any(accused(issue, row) for issue in issues)
    ]

    assert without == []


def test_what_a_signature_quotes_is_what_the_binaries_lack(matrix):
    rows = [row for row in matrix.links() if row.loads is False and row.arch == "arm64"]
    lacking = {(row.tensorflow, row.plugin_version): " ".join(row.missing) for row in rows}
    quoted = {issue.id: issue.signatures for issue in matrix.issues()}

    assert "__ZN3tsl8internal10LogMessageC1EPKcii" in lacking["2.18.1", "1.1.0"]
    assert any("__ZN3tsl8internal10LogMessageC1EPKcii" in text for text in quoted["ISS001"])
    assert "__ZN10tensorflow16TensorShapeProto" in lacking["2.14.1", "1.0.1"]
    assert any(text.endswith("__ZN10tensorflow16TensorShapeProto") for text in quoted["ISS002"])
    assert "@rpath/_pywrap_tensorflow_internal.so" in lacking["2.21.0", "1.2.0"]
    assert any("@rpath/_pywrap_tensorflow_internal.so" in text for text in quoted["ISS003"])
    assert "__ZN3tsl8internal10LogMessage16VmoduleActivatedEPKci" in lacking["2.10.0", "0.7.0"]
    assert any("VmoduleActivatedEPKci" in text for text in quoted["ISS006"])


def test_no_run_contradicts_the_binaries_on_loading(matrix):
    judged = {(row.tensorflow, row.plugin_version): row.loads for row in matrix.links() if row.arch == "arm64"}
    contradicting = [
        row.id
        for row in matrix.observed()
        if row.kind == "run"
        and row.plugin == APPLE_PLUGIN
        and judged.get((row.tensorflow, row.plugin_version)) not in (None, row.result != "fails-to-load")
    ]

    assert contradicting == []


def test_the_one_run_on_an_m5_is_there(matrix):
    runs = [row for row in observations_of(matrix, "2.18.1", "1.2.0") if row.chip == "Apple M5"]

    assert [(row.macos, row.result, row.tier) for row in runs] == [("26", "works", "runs")]


def test_every_issue_says_what_it_must_and_nothing_about_all_versions_being_broken(matrix):
    assert len(matrix.issues()) >= 25
    assert not [issue.id for issue in matrix.issues() if "all versions are broken" in issue.remedy.lower()]


def test_the_numeric_issues_send_people_to_a_measurement(matrix):
    silent = [issue for issue in matrix.issues() if issue.rule == "NUM603" and issue.severity != "info"]

    assert {"ISS041", "ISS043"} <= {issue.id for issue in silent}
    assert [issue.id for issue in silent if issue.id in ("ISS041", "ISS043") and "Measure" not in issue.remedy] == []
    assert [issue.id for issue in silent if issue.severity == "error"] == []
