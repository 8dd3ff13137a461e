"""The whole-environment check read back: each step's answer, or how the process ended."""

from __future__ import annotations

import pytest

from compat.facts.whole import STEPS, Whole
from compat.smoke.whole import check_whole
from tests.smoke.fakes import interpreter

FINE = dict.fromkeys(STEPS, "ok")


def test_all_steps_fine_is_ok_also_where_a_format_is_not_supported(tmp_path):
    answer = {
        **FINE,
        "kind": "whole",
        "tensorflow": "2.10.1",
        "save_keras": "not supported",
        "load_keras": "not supported",
    }

    found = check_whole(interpreter(tmp_path, f"say({answer!r})"), timeout=30)

    assert found.ok
    assert found.broken == ()
    assert found.tensorflow == "2.10.1"


def test_a_broken_step_is_told_with_its_error(tmp_path):
    error = "ModuleNotFoundError: No module named 'pkg_resources'"

    found = check_whole(interpreter(tmp_path, f"say({ {**FINE, 'tensorboard_cli': error}!r})"), timeout=30)

    assert not found.ok
    assert found.broken == (("tensorboard_cli", error),)


def test_what_was_not_run_is_not_ok_and_not_the_cause():
    found = Whole(imports="ImportError: x")

    assert not found.ok
    assert found.broken == (("imports", "ImportError: x"),)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "print('Check failed: x', file=sys.stderr); sys.stderr.flush(); os.abort()",
            "ended by signal 6: Check failed: x",
        ),
        ("os._exit(4)", "ended with code 4 and no answer"),
        ("time.sleep(60)", "killed after 1 s"),
        ("say({'imports': 3})", "an answer that makes no sense: imports: expected str, found a number"),
    ],
    ids=["aborts", "exits", "hangs", "garbage"],
)
def test_a_process_that_dies_is_an_error_of_the_import(tmp_path, body, said):
    found = check_whole(interpreter(tmp_path, body), timeout=1 if "sleep" in body else 30)

    assert found.imports == said
    assert found.fit == "not run"


def test_an_environment_in_which_nothing_was_run_is_not_called_ok():
    assert not Whole().ok
    assert not Whole(**{**FINE, "savedmodel": "not run"}).ok
