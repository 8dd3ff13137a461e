"""The curated rows agree with what the binaries prove and with each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat.matrix import query
from compat.matrix.applies import affects_these
from compat.matrix.files import read_toml
from compat.matrix.load import Matrix, load
from compat.matrix.model import Issue, LinkRow
from compat.matrix.query import APPLE_PLUGIN, observations_of
from compat.verdict.pins.rules import RULES as PIN_RULES
from compat.verdict.rules import RULES
from tests.matrix.pasted_logs import BESIDE, HEALTHY, LOGS

MATRICES = Path(__file__).resolve().parents[2] / "matrices"
GAP = "…"
SHORTEST_FIRST_PIECE = 8
ALLOWED = ("tfcompat ", "python -m pip install ", "python -m pip uninstall ", "uv pip install ", "python -c ")
WITHOUT_SETTINGS = re.compile(r"^(?:[A-Z_]+=\S+ )*")


def stands_in(signature: str, log: str) -> bool:
    """Plain matching, written here once more: the pieces in their order on one line."""
    return any(_follows(signature.split(GAP), line) for line in log.splitlines())


def _follows(pieces: list[str], line: str) -> bool:
    at = 0
    for piece in pieces:
        found = line.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


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


def rule_ids() -> set[str]:
    return {rule.id for rule in RULES} | {rule.id for rule in PIN_RULES}


def test_every_issue_has_a_source_and_a_way_to_be_found(matrix):
    rows = matrix.issues()

    assert [row.id for row in rows if not row.sources] == []
    assert [row.id for row in rows if not row.signatures and row.rule is None] == []


def test_every_rule_that_an_issue_names_exists(matrix):
    unknown = {row.id: row.rule for row in matrix.issues() if row.rule is not None and row.rule not in rule_ids()}

    assert unknown == {}


def test_an_issue_that_no_text_tells_is_told_by_versions_or_by_its_rules_facts(matrix):
    """TF317 looks at `affects` alone: an issue left to it that has neither could never be told."""
    mute = [row.id for row in matrix.issues() if row.rule == "TF317" and not row.affects and not row.signatures]

    assert mute == []


def test_signatures_are_literal_pieces_that_begin_with_something_to_look_for(matrix):
    wrong = [
        (row.id, text)
        for row in matrix.issues()
        for text in row.signatures
        if len(text.split(GAP)[0]) < SHORTEST_FIRST_PIECE or "" in text.split(GAP) or "\n" in text
    ]

    assert wrong == []


def test_no_signature_is_there_twice(matrix):
    owners: dict[str, list[str]] = {}
    for row in matrix.issues():
        for text in row.signatures:
            owners.setdefault(text, []).append(row.id)

    assert {text: ids for text, ids in owners.items() if len(ids) > 1} == {}


@pytest.mark.parametrize("text", HEALTHY)
def test_lines_of_healthy_runs_are_signatures_of_remarks_only(matrix, text):
    accused_by = {
        row.id: row.severity for row in matrix.issues() if any(stands_in(one, text) for one in row.signatures)
    }

    assert set(accused_by.values()) <= {"info"}, accused_by


def test_commands_look_or_build_and_say_which_version(matrix):
    wrong = [
        (row.id, command)
        for row in matrix.issues()
        for command in row.commands
        if not WITHOUT_SETTINGS.sub("", command).startswith(ALLOWED)
    ]

    assert wrong == []


def test_nobody_is_told_to_install_tensorflow_macos_over_a_newer_tensorflow(matrix):
    commands = [command for row in matrix.issues() for command in row.commands]

    assert [command for command in commands if "install" in command and "tensorflow-macos" in command] == []


def test_keras_3_is_an_error_up_to_tensorflow_2_14_and_a_warning_on_2_15(matrix):
    by_version = {
        version: {
            row.severity
            for row in matrix.issues()
            if row.rule == "TF314"
            and any(
                affects_these(
                    one, {"tensorflow": version, "keras": "3.5.0"}, "linux-x86_64", None, chip=None, macos=None
                )
                for one in row.affects
            )
        }
        for version in ("2.14.1", "2.15.1", "2.16.2")
    }

    assert by_version == {"2.14.1": {"error"}, "2.15.1": {"warning"}, "2.16.2": set()}


@pytest.mark.parametrize(("issue", "log"), LOGS, ids=[f"{issue}-{number}" for number, (issue, _) in enumerate(LOGS)])
def test_a_log_of_the_fault_holds_a_signature_of_its_issue(matrix, issue, log):
    row = next(row for row in matrix.issues() if row.id == issue)

    assert [text for text in row.signatures if stands_in(text, log)] != []


@pytest.mark.parametrize(("issue", "log"), LOGS, ids=[f"{issue}-{number}" for number, (issue, _) in enumerate(LOGS)])
def test_no_error_of_another_issue_is_read_out_of_it(matrix, issue, log):
    """A general issue may be found beside the special one; two that are both errors would contradict each other."""
    errors = {
        row.id
        for row in matrix.issues()
        if row.severity == "error" and any(stands_in(text, log) for text in row.signatures)
    }

    assert errors - {issue} - BESIDE.get(issue, set()) == set()


def test_pythons_name_every_minor_that_tensorflow_has_wheels_for():
    rows = read_toml(MATRICES / "platforms" / "pythons.toml")["pythons"]

    assert {row["version"] for row in rows} == set(query.PYTHONS)
    assert [row for row in rows if not row["sources"]] == []
    assert [
        row for row in rows for key in ("first", "last") if key in row and not row[key].startswith(row["version"] + ".")
    ] == []
    assert len({(row["version"], row["origin"]) for row in rows}) == len(rows)
