"""Smoke results, matrix rows and judged pins told as text and JSON."""

import json
from importlib import resources

import jsonschema
import pytest

from compat.facts.numerics import OUTCOMES, REASONS, STATUSES, Check, Curve, Numerics, Variable
from compat.report import measured
from compat.report.style import Style


def check(status, name="conv2d", **rest):
    return Check(id=name, op="Conv2D", mode="eager", device=rest.pop("device", "GPU:0"), status=status, **rest)


def ran(*checks, **rest):
    return Numerics(outcome="ran", checks=checks, **rest)


def lines(numerics, **style):
    return measured.as_text(numerics, Style(**style)).splitlines()


def test_failing_checks_come_first_with_their_error_in_bounds():
    numerics = ran(
        check("passes", "a"),
        check("skipped", "c", detail="no kernel"),
        check("fails", "b", error_in_bounds=123.4),
    )
    told = lines(numerics)

    assert told[0] == "✗ GPU:0  eager   b  error 123 of its bound"
    assert "no kernel" in told[1]
    assert told[-2] == "tfcompat smoke --repro b --device GPU:0 prints a program that shows it alone"
    assert told[-1] == "1 of 2 checks failed on GPU:0"
    assert not measured.passed(numerics)


def test_one_fault_that_fails_many_checks_is_not_told_many_times():
    bad = [check("fails", f"conv2d/{number}") for number in range(9)]

    assert lines(ran(*bad))[3] == "    and 6 more of Conv2D (eager on GPU:0); -v shows all"
    assert sum("conv2d/" in line for line in lines(ran(*bad), verbose=True)) == 9 + 1


def test_a_pass_says_only_what_was_measured():
    numerics = ran(check("passes"), check("info", "p"), comparisons=7)

    assert lines(numerics) == ["no numerical fault found by 1 check (7 comparisons) on GPU:0"]
    assert any("· GPU:0" in line for line in lines(numerics, verbose=True))
    assert measured.passed(numerics)


def test_a_device_on_which_nothing_passed_is_not_said_to_be_without_fault():
    numerics = ran(check("passes", device="CPU:0"), check("info", "a", reason="cpu"))

    assert lines(numerics)[-1] == "no numerical fault found by 1 check on CPU:0; nothing was compared on GPU:0"
    assert not measured.passed(numerics)
    nothing = ran(check("info", "a", reason="cpu"), check("skipped", "b"))
    assert lines(nothing)[-1] == "nothing was compared on GPU:0: this says nothing"
    assert not measured.passed(nothing)
    assert not measured.passed(ran())


def test_a_device_that_was_asked_for_and_is_not_there_is_no_pass():
    numerics = ran(check("passes", device="CPU:0"), check("skipped", "device", device="GPU:9", detail="no such device"))

    assert lines(numerics)[-1].endswith("; nothing was compared on GPU:9")
    assert not measured.passed(numerics)


def test_variables_that_change_what_is_computed_are_told():
    numerics = ran(check("passes"), variables=(Variable(name="TF_ENABLE_ONEDNN_OPTS", value="0"),))

    assert lines(numerics)[0] == "· measured with TF_ENABLE_ONEDNN_OPTS=0"
    assert lines(numerics, quiet=True) == lines(numerics)[-1:]


@pytest.mark.parametrize(
    ("reason", "device", "said"),
    [
        ("precision", "GPU:0", "GPU:0: Conv2D computes with fewer significant bits than the type has"),
        ("cpu", "GPU:0", "GPU:0: Conv2D runs on the CPU for want of a kernel"),
        ("cpu", "CPU:0", "CPU:0: Conv2D has no kernel in this TensorFlow"),
        ("order", "GPU:0", "GPU:0: Conv2D answers differently when asked again: sums in varying order"),
        ("speed", "GPU:0", "GPU:0: Conv2D takes its time: 3 times the CPU's"),
    ],
)
def test_a_reason_is_told_in_words(reason, device, said):
    numerics = ran(
        check("passes", device=device),
        check("info", "a", device=device, reason=reason, detail="3 times the CPU's"),
        check("info", "b", device=device, reason=reason),
    )

    assert lines(numerics)[0] == f"· {said}"
    assert lines(numerics, quiet=True) == lines(numerics)[-1:]
    assert [remark.text for remark in measured.remarks(numerics)] == [said]


def test_a_remark_on_many_operations_names_five():
    many = [
        Check(id=f"a/{i}", op=f"Op{i}", mode="eager", device="GPU:0", status="info", reason="cpu") for i in range(7)
    ]

    assert measured.remarks(ran(*many))[0].text.startswith("GPU:0: Op0, Op1, Op2, Op3, Op4 and 2 more runs on")


def test_what_should_be_exactly_zero_is_not_told_as_three_hundred_digits():
    assert measured.error_text(check("fails", error_in_bounds=2.8e300)) == "error more than 1e+12 of its bound"


def test_a_battery_that_did_not_run_shows_the_end_of_stderr():
    text = measured.as_text(Numerics(outcome="aborted", stderr_tail=("one", "two")), Style())

    assert text == "✗ the battery did not run: aborted\n    one\n    two\n"


def test_a_battery_that_died_on_its_way_says_where_and_keeps_what_failed():
    numerics = Numerics(outcome="hung", checks=(check("fails", "b"),), last_check="c (graph on GPU:0)", key_line="x")
    told = lines(numerics)

    assert told[0] == "✗ the battery did not end in c (graph on GPU:0), after 1 check: hung (x)"
    assert told[1].startswith("✗ GPU:0  eager   b")


def test_what_failed_on_no_device_names_none():
    assert measured.headline(ran(check("crashed", "devices", device=""))) == "1 of 1 checks failed"


def test_time_that_ran_out_is_told_with_what_failed_before_and_how_to_give_it_more():
    checks = (check("passes", "a"), check("fails", "b"))
    numerics = Numerics(
        outcome="out-of-time", checks=checks, last_check="c (graph on GPU:0)", last_seconds=1.25, time_limit=5.0
    )
    told = lines(numerics)

    start = "✗ the time limit of 5 s was reached after 2 checks, c (graph on GPU:0) under way for 1.2 s: "
    assert told[0] == start + "1 of them failed; what was left did not run"
    assert told[-1] == "tfcompat smoke --timeout 10 gives it more time, --only ID less to do"
    assert not measured.passed(numerics)
    old = measured.as_text(Numerics(outcome="out-of-time"), Style(), command="tfcompat smoke --venv x")
    assert old.splitlines()[0] == "✗ the time limit was reached after 0 checks: what was left did not run"
    assert old.splitlines()[1].startswith("tfcompat smoke --venv x --timeout SECONDS gives")


def test_smoke_json_keys():
    value = json.loads(measured.as_json(ran(check("passes", error_in_bounds=0.5))))

    assert {"schema_version", "device", "ok", "checks"} <= set(value)
    assert (value["device"], value["ok"]) == ("GPU:0", True)
    assert {"id", "op", "mode", "error_in_bounds", "status"} <= set(value["checks"][0])
    assert json.loads(measured.as_json(Numerics(outcome="hung")))["device"] is None


SCHEMA = json.loads((resources.files("compat") / "report" / "schemas" / "smoke.schema.json").read_text("utf-8"))


def whole():
    curve = Curve(device="GPU:0", losses=(0.7, 0.6), wanted=(0.7, 0.6), limits=(1e-5, 1e-5))
    infos = [check("info", reason, reason=reason) for reason in REASONS]
    rest = [check(status, status) for status in STATUSES]
    return ran(*infos, *rest, curves=(curve,), comparisons=9, variables=(Variable(name="XLA_FLAGS", value=""),))


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_json_fits_its_published_schema(outcome):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    jsonschema.validate(json.loads(measured.as_json(Numerics(outcome=outcome))), SCHEMA)
    jsonschema.validate(json.loads(measured.as_json(whole())), SCHEMA)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda value: value.pop("message"),
        lambda value: value["checks"][0].update(reason="mood"),
        lambda value: value["checks"][0].update(status="GPU OK"),
        lambda value: value["remarks"][0].update(checks="a"),
        lambda value: value["numerics"]["curves"][0].pop("limits"),
    ],
)
def test_the_schema_refuses_what_is_not_the_document(spoil):
    value = json.loads(measured.as_json(whole()))
    spoil(value)

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, SCHEMA)
