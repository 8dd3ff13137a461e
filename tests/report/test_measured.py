"""Smoke results, matrix rows and judged pins told as text and JSON."""

import json

from compat.facts.numerics import Check, Numerics
from compat.facts.pins import Pin, PinFile
from compat.report import measured, pinned
from compat.report.style import Style
from compat.verdict.finding import Severity
from compat.verdict.rules.pins import PinFinding


def check(status, name="conv2d", **rest):
    return Check(id=name, op="Conv2D", mode="eager", device=rest.pop("device", "GPU:0"), status=status, **rest)


def test_failing_checks_come_first_with_their_error_in_bounds():
    numerics = Numerics(
        outcome="ran",
        checks=(
            check("passes", "a"),
            check("skipped", "c", detail="no kernel"),
            check("fails", "b", error_in_bounds=123.4),
        ),
    )
    lines = measured.as_text(numerics, Style()).splitlines()

    assert lines[0] == "✗ GPU:0  eager   b  error 123 of its bound"
    assert "no kernel" in lines[1]
    assert lines[-1] == "1 of 2 checks failed on GPU:0"
    assert not measured.passed(numerics)


def test_a_pass_says_only_what_was_measured():
    numerics = Numerics(outcome="ran", checks=(check("passes"), check("info", "p")))

    assert measured.as_text(numerics, Style()) == "no numerical fault found by 1 checks on GPU:0\n"
    assert "· GPU:0" in measured.as_text(numerics, Style(verbose=True))
    assert measured.passed(numerics)


def test_a_battery_that_did_not_run_shows_the_end_of_stderr():
    text = measured.as_text(Numerics(outcome="aborted", stderr_tail=("one", "two")), Style())

    assert text == "✗ the battery did not run: aborted\n    one\n    two\n"


def test_smoke_json_keys():
    value = json.loads(measured.as_json(Numerics(outcome="ran", checks=(check("passes", error_in_bounds=0.5),))))

    assert {"schema_version", "device", "ok", "checks"} <= set(value)
    assert (value["device"], value["ok"]) == ("GPU:0", True)
    assert {"id", "op", "mode", "error_in_bounds", "status"} <= set(value["checks"][0])
    assert json.loads(measured.as_json(Numerics(outcome="hung")))["device"] is None


PINS = PinFile(path="r.txt", kind="requirements", pins=(Pin(name="a", specifier="==1", marker="", line=1, column=1),))
BAD = PinFinding(id="PIN501", severity=Severity.ERROR, line=2, column=1, message="cannot load")


def test_judged_pins_are_lines_with_a_place():
    judged = [(PINS, (BAD,)), (PinFile(path="x.lock", kind="unknown"), ())]

    assert pinned.as_lines(judged) == (
        "r.txt:2:1: PIN501 cannot load\nx.lock: seen, not judged: not a format this version reads\n"
    )
    assert not pinned.ok(judged)
    assert pinned.ok([(PINS, ())])


def test_pins_json_keys():
    value = pinned.values([(PINS, (BAD,))])

    assert value["files"][0]["pins"] == [{"name": "a", "specifier": "==1", "marker": None, "line": 1, "column": 1}]
    assert set(value["files"][0]["findings"][0]) == {"id", "severity", "line", "column", "message", "targets"}
