"""What the nodes of partition graphs say about where a program ran."""

from __future__ import annotations

from battery import placement
from battery.programs import program
from battery.recorder import Result

MAINS = ("Conv2D", "MatMul")


def test_a_fused_operation_proves_the_one_it_begins_with():
    nodes = [("_FusedMatMul", "GPU:0"), ("Conv2D", "GPU:0"), ("Const", "CPU:0")]

    assert placement.unproved(MAINS, nodes, "GPU:0") == ([], True)


def test_what_ran_elsewhere_is_named_and_the_rest_still_counts():
    nodes = [("_FusedMatMul", "GPU:0"), ("Conv2D", "CPU:0")]

    assert placement.unproved(MAINS, nodes, "GPU:0") == (["Conv2D"], True)


def test_nothing_on_the_device_proves_nothing():
    assert placement.unproved(MAINS, [("Conv2D", "CPU:0"), ("MatMul", "CPU:0")], "GPU:0")[1] is False
    assert placement.unproved(MAINS, [("Relu", "GPU:0")], "GPU:0")[1] is False
    assert placement.unproved((), [("Const", "GPU:0")], "GPU:0")[1] is False
    assert placement.unproved((), [], "GPU:0")[1] is False


def test_without_main_operations_any_that_computes_will_do():
    assert placement.unproved((), [("Mul", "GPU:0")], "GPU:0") == ([], True)


def test_a_pass_that_proves_nothing_is_no_pass_and_a_failure_stays_one():
    right = program.Part("y", "Conv2D", "2x3", Result("passes", 0.25, ""))
    wrong = program.Part("y", "Conv2D", "2x3", Result("fails", 25.0, "worst at [0]"))

    assert program.unshown(right).result[:2] == ("info", 0.25)
    assert program.unshown(right).result.reason == "cpu"
    assert program.unshown(wrong) is wrong
