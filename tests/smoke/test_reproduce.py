"""What the target interpreter is asked about its checks, how its answers are read, and what is said where it has none."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from compat.errors import CannotLook, UsageError
from compat.facts.numerics import Check, Numerics
from compat.smoke.reproduce import Listed, coverage, failing, find, listing, reproduction
from tests.smoke.environments import BUILDS, environment
from tests.smoke.fakes import interpreter
from tests.smoke.plants import planted


def test_a_check_is_known_with_its_operation_and_modes():
    found = find(sys.executable, "conv2d/k3_odd/int/dw")

    assert (found.id, found.op) == ("conv2d/k3_odd/int/dw", "Conv2DBackpropFilter")
    assert dict(found.levels)["eager"] == "quick"


def test_an_unknown_id_is_one_line_and_suggests_close_ones():
    with pytest.raises(UsageError) as caught:
        find(sys.executable, "conv2d/k3_odd/int/dv")

    assert caught.value.message == "there is no check 'conv2d/k3_odd/int/dv'"
    assert caught.value.hint.startswith("did you mean conv2d/k3_odd/int/d")


def test_an_id_like_no_other_is_told_where_all_are():
    with pytest.raises(UsageError) as caught:
        find(sys.executable, "--zzz")

    assert caught.value.hint == f"`tfcompat smoke --list --python {sys.executable}` shows all"


def test_a_program_is_made_for_a_mode_and_a_device_with_what_was_said():
    source = reproduction(sys.executable, "conv2d/k3_odd/int/dw", mode="eager", device="GPU:1", said=["--seen here"])

    assert "# --seen here\n" in source
    assert "else 'GPU:1'" in source
    assert "else 'eager'" in source


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("print('no')", "did not answer"),
        ("import os; os.abort()", "did not answer"),
        (
            'say({"kind": "failed", "error": "ModuleNotFoundError: No module named \'numpy\'"})',
            "No module named 'numpy'",
        ),
    ],
)
def test_an_interpreter_that_cannot_answer_is_told_as_such(tmp_path, body, what):
    with pytest.raises(CannotLook, match=what):
        find(interpreter(tmp_path, body), "conv2d")


def test_a_list_is_read_as_records(tmp_path):
    row = '{"id": "a/b", "family": "a", "ops": ["A"], "levels": {"eager": "quick"}, "shape": "", "dtype": "", "code": "c"}'
    body = f"import json\nsay({{'kind': 'listed', 'rows': [json.loads({row!r})]}})"

    assert listing(interpreter(tmp_path, body)) == (
        Listed(id="a/b", family="a", ops=("A",), levels=(("eager", "quick"),), code="c"),
    )


def test_a_level_lists_what_it_runs():
    quick, full = (listing(sys.executable, level) for level in ("quick", "full"))

    assert {row.id for row in quick} < {row.id for row in full}
    assert all("quick" in dict(row.levels).values() for row in quick)


def row(name, ops, **levels):
    return Listed(id=name, family=name, ops=ops, levels=tuple(levels.items()))


def test_coverage_counts_each_operation_by_mode_at_the_level_that_adds_it():
    rows = [
        row("a", ("Conv2D", "BiasAdd"), eager="quick", graph="standard"),
        row("b", ("Conv2D",), eager="standard", graph="standard"),
        row("c", ("add",), predict="full"),
    ]
    found = {(one.op, one.mode): (one.level, dict(one.cases)) for one in coverage(rows)}

    assert found["Conv2D", "eager"] == ("quick", {"quick": 1, "standard": 1, "full": 0})
    assert found["Conv2D", "graph"] == ("standard", {"quick": 0, "standard": 2, "full": 0})
    assert found["add", "predict"] == ("full", {"quick": 0, "standard": 0, "full": 1})
    assert [one.op for one in coverage(rows)] == ["add", "BiasAdd", "BiasAdd", "Conv2D", "Conv2D"]


def check(name, device="CPU:0", status="fails", mode="graph"):
    return Check(id=name, op="X", mode=mode, device=device, status=status)


FOUND = (
    check("a/b/int/y", status="passes"),
    check("a/b/int/dw"),
    check("a/b/real/y", "GPU:0", mode="eager"),
    check("a/b/real/dw", "GPU:0", "crashed"),
    check("a/bc/int/y", "GPU:0"),
)


@pytest.mark.parametrize(
    ("name", "mode", "expected"),
    [
        ("a/b/int/dw", None, 1),
        ("a/b", None, 2),  # the device before its control
        ("a/b", "graph", 3),
        ("a/b/int/y", None, None),
        ("a/b/int/dw", "eager", None),
    ],
)
def test_the_failing_check_is_the_first_on_the_device_in_question(name, mode, expected):
    assert failing(Numerics(outcome="ran", checks=FOUND), name, mode) is (None if expected is None else FOUND[expected])


REALLY = {
    # id: (the fault, the mode in which it shows)
    "conv2d/k3_odd/int/dw": ("filter gradient loses the last output row", "graph"),
    "conv2d/k3_odd/real/dx": ("input gradient is one column off", "eager"),
    "maxpool/k2s2/exact/dx": ("pooling gradient is one column off", "graph"),
    "dense/n7/int/y": ("compiled dense layers skip the ReLU", "graph"),
    "keras/predict/int/dense": ("compiled dense layers skip the ReLU", "graph"),
    "optimizer/adam/tiny": ("Adam has epsilon 1e-8", "graph"),
}


@pytest.mark.real
@pytest.mark.full
@pytest.mark.parametrize("name", REALLY)
@pytest.mark.parametrize("build", BUILDS)
def test_a_program_shows_the_fault_it_was_made_for_and_none_where_there_is_none(
    build, name, tmp_path_factory, tmp_path
):
    python = environment(build, tmp_path_factory.mktemp("environments"))
    fault, mode = REALLY[name]
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    (tmp_path / "shown.py").write_text(reproduction(python, name, mode=mode), "utf-8")

    def ends(**more):
        argv = [python, tmp_path / "shown.py"]
        return subprocess.run(argv, env={**variables, **more}, capture_output=True, check=False, timeout=300).returncode

    assert ends() == 0
    assert ends(PYTHONPATH=planted(fault, tmp_path)) == 1
