"""What every telling of a fleet says alike."""

from compat.report.fleet.words import headline, machines, measured, names, shown_counts, steps
from compat.verdict.fleet.merge import Count, merge
from tests.verdict.fleet.machines import BUILD, NUMPY, fault, seen, unseen


def test_the_headline_says_no_more_than_was_seen():
    assert headline(merge([seen("a")])) == "1 machine: 1 without a fault found"
    assert (
        headline(merge([seen("a"), unseen("b")])) == "2 machines: 1 without a fault found, 1 not seen or not readable"
    )


def test_numbers_that_were_not_measured_are_not_counted():
    assert (
        measured(merge([seen("a"), seen("b", measured=False), unseen("c")]))
        == "numbers measured on 1 of 2 machines seen"
    )


def test_lists_end():
    assert machines(1) == "1 machine"
    assert names(["a", "b", "c"], 2) == "a, b and 1 more"
    assert names(["a", "b", "c"], 0) == names(["a", "b", "c"], 3) == "a, b, c"
    assert shown_counts([Count(name="x", machines=2), Count(name="y", machines=1)], 1) == "x (2) and 1 more"


def test_steps_add_up():
    table = merge([seen("a", fault("PY201", *BUILD)), seen("b", fault("PY201", *BUILD), fault("TF311", *NUMPY))])

    assert [effect for _, effect in steps(table)] == [
        "for 2 of 2 (PY201); it is all that 1 of them lack: 1 of 2 so far",
        "for 1 of 2 (TF311); it is all that 1 of them lack: 2 of 2 so far",
    ]
