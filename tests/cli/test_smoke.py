"""``tfcompat smoke``: no TensorFlow is no result; one that dies is a result, and says how it died."""

import json

import pytest

from compat.facts.numerics import Check, Numerics
from tests.cli.running import distribution, environment, refused


@pytest.fixture
def tensorflow(tmp_path):
    """An environment whose TensorFlow does what a test writes into it."""
    site = environment(tmp_path / "env")
    distribution(site, "tensorflow", "2.18.1")

    def does(body):
        (site / "tensorflow.py").write_text(body)
        return tmp_path / "env"

    return does


def test_no_tensorflow_no_smoke(told, tmp_path):
    environment(tmp_path / "env")
    result = told("smoke", "--venv", tmp_path / "env")

    refused((result[0], result[1], result[2][-2:]), 3, "TensorFlow is not installed")
    refused(told("smoke", "-q", "--venv", tmp_path / "env"), 3, "TensorFlow is not installed")


@pytest.mark.parametrize(
    "body, outcome, said",
    [
        ("raise ImportError('Symbol not found: _x')", "import-failed", "Symbol not found: _x"),
        ("import os; os.abort()", "aborted", ""),
        ("import os; os._exit(7)", "exited", ""),
    ],
    ids=["import error", "abort", "exit"],
)
def test_a_tensorflow_that_dies_is_a_finding_on_stdout(told, tensorflow, body, outcome, said):
    folder = tensorflow(body)
    code, out, lines = told("smoke", "--venv", folder)

    assert code == 1
    assert outcome in out.splitlines()[0]
    assert said in out
    assert lines in (["running the numerical smoke test"], [])
    value = json.loads(told("smoke", "--venv", folder, "--format", "json")[1])
    assert (value["ok"], value["outcome"], value["checks"]) == (False, outcome, [])


def test_a_tensorflow_that_hangs_is_given_up(told, tensorflow):
    code, out, _ = told("smoke", "-q", "--timeout", "1", "--venv", tensorflow("import time; time.sleep(60)"))

    assert code == 1
    assert "hung" in out


@pytest.mark.parametrize("status, code", [("passes", 0), ("info", 0), ("skipped", 0), ("fails", 1), ("crashed", 1)])
def test_the_exit_code_is_the_batterys(told, tensorflow, monkeypatch, status, code):
    asked = []

    def answered(interpreter, **wanted):
        asked.append(wanted)
        check = {"op": "Conv2D", "mode": "eager", "device": "GPU:0"}
        right = Check(id="a", status="passes", **check)
        return Numerics(outcome="ran", checks=(right, Check(id="conv2d", status=status, **check)))

    monkeypatch.setattr("compat.smoke.run.run_smoke", answered)
    words = ("smoke", "--venv", tensorflow(""), "--device", "GPU:0", "--level", "standard", "--timeout", "7")

    assert told(*words)[0] == code
    assert json.loads(told(*words, "--format", "json")[1])["ok"] is (code == 0)
    assert asked[0] == {"devices": ("GPU:0",), "level": "standard", "timeout": 7.0}
