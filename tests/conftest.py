"""What all tests share: signals as a terminal leaves them, and skips that fail where every prerequisite must be there."""

import os
import signal

import pytest

# A background job or `nohup` starts us with signals ignored, and children inherit that: none of them could be interrupted.
for _number, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)


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
