from __future__ import annotations

import pytest

from compat.verdict.finding import Finding, Severity, Status, Verdict


def finding(severity="error", status="fails"):
    return Finding(id="TF301", severity=Severity(severity), status=Status(status), message="m")


def verdict(*findings):
    return Verdict(findings=findings, matrix_date="2026-11-30")


@pytest.mark.parametrize(
    ("severity", "status", "wanted"),
    [
        ("error", "fails", True),
        ("warning", "fails", False),
        ("info", "fails", False),
        ("error", "passes", False),
        ("error", "unknown", False),
        ("warning", "crashed", False),
    ],
)
def test_only_a_failing_error_makes_an_environment_unfit(severity, status, wanted):
    assert finding(severity, status).is_error is wanted
    assert verdict(finding(severity, status)).ok is not wanted


@pytest.mark.parametrize(
    ("severity", "status", "wanted"),
    [
        ("error", "fails", False),
        ("warning", "fails", False),
        ("info", "fails", True),
        ("warning", "crashed", False),
        ("warning", "unknown", True),
        ("info", "passes", True),
    ],
)
def test_strictly_warnings_and_crashed_rules_count_too(severity, status, wanted):
    assert verdict(finding("info", "passes"), finding(severity, status)).strict_ok is wanted


def test_no_finding_at_all_is_well():
    assert verdict().ok
    assert verdict().strict_ok
