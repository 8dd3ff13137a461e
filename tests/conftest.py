"""What all tests share: a skip is a failure where every prerequisite must be there."""

import os

import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if (
        report.skipped
        and os.environ.get("TFCOMPAT_NO_SKIP")
        and not item.get_closest_marker("mac")
        and not hasattr(report, "wasxfail")
    ):
        report.outcome = "failed"
        report.longrepr = f"a prerequisite is missing: {report.longrepr}"
