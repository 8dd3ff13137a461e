"""The greedy cover: sound (nothing is claimed that a report does not say), complete, and the same in any order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.verdict.finding import Remedy
from compat.verdict.fleet.cover import cover, key
from tests.verdict.fleet.machines import BUILD, NUMPY, fault


@pytest.mark.parametrize(
    "command, shown",
    [
        ("uv pip install --python ~/a/bin/python 'numpy<2'", "uv pip install --python PYTHON 'numpy<2'"),
        ("uv pip install --python '/Users/x y/bin/python' a", "uv pip install --python PYTHON a"),
        ("uv pip install --python=/usr/bin/python3 a", "uv pip install --python=PYTHON a"),
        ("tfcompat smoke --venv \"C:\\my env\" --python '/it'\"'\"'s'", "tfcompat smoke --venv DIR --python PYTHON"),
        ("tfcompat fix --create-venv --python 3.12", "tfcompat fix --create-venv --python 3.12"),
        (
            "tfcompat fix --create-venv && echo --python-ish 'a b'",
            "tfcompat fix --create-venv && echo --python-ish 'a b'",
        ),
        ("echo --python 'not closed", "echo --python 'not closed"),
        ("tool --python", "tool --python"),
    ],
)
def test_a_command_is_known_again_on_another_machine(command, shown):
    assert key(Remedy(commands=(command,))) == ((shown,), "")


def test_without_a_command_the_words_are_the_remedy_and_without_words_there_is_none():
    assert key(Remedy(text="see TF313")) == ((), "see TF313")
    assert key(Remedy(text="any", commands=BUILD)) == (BUILD, "")
    assert key(Remedy()) is None


def told(*sick):
    return [(step.commands or step.text, step.machines, step.last) for step in cover(sick)]


def test_the_command_that_is_the_last_thing_lacking_on_most_comes_first():
    build, numpy = fault("PY201", *BUILD), fault("TF311", *NUMPY)

    assert told(("a", [numpy]), ("b", [build]), ("c", [build])) == [
        (BUILD, ("b", "c"), ("b", "c")),
        (NUMPY, ("a",), ("a",)),
    ]


def test_a_machine_that_lacks_two_things_is_healed_by_the_second():
    build, numpy = fault("PY201", *BUILD), fault("TF311", *NUMPY)

    assert told(("a", [build, numpy]), ("b", [build])) == [(BUILD, ("a", "b"), ("b",)), (NUMPY, ("a",), ("a",))]


def test_one_command_for_several_causes_is_one_step():
    [step] = cover([("a", [fault("PY201", *BUILD)]), ("b", [fault("TF301", *BUILD), fault("BIN405", *BUILD)])])

    assert step.causes == ("BIN405", "PY201", "TF301")
    assert step.last == ("a", "b")


def test_a_machine_with_an_error_nobody_has_a_remedy_for_is_never_said_to_be_healed():
    [step] = cover([("a", [fault("TF311", *NUMPY), fault("MAC107")])])

    assert (step.machines, step.last) == (("a",), ())


REMEDIES = st.sampled_from([(("one",), ""), (("two",), ""), (("three",), ""), ((), "by hand"), ((), "")])
FAULTS = st.builds(
    lambda name, remedy: fault(name, *remedy[0], text=remedy[1]),
    st.sampled_from(["TF311", "PY201", "BIN401"]),
    REMEDIES,
)
SICK = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.lists(FAULTS, max_size=4), max_size=12)


@given(SICK)
def test_a_machine_said_to_be_covered_has_that_root_cause(sick):
    for step in cover(sick.items()):
        for name in step.machines:
            offered = [
                one for one in sick[name] if (one.remedy.commands, one.remedy.text) == (step.commands, step.text)
            ]
            assert offered
            assert {one.id for one in offered} <= set(step.causes)
        assert set(step.last) <= set(step.machines)


@given(SICK)
def test_a_machine_said_to_lack_nothing_more_lacks_nothing_more_and_is_said_so_once(sick):
    done = set()
    finished = []
    for step in cover(sick.items()):
        done.add((step.commands, step.text))
        for name in step.last:
            assert {(one.remedy.commands, one.remedy.text) for one in sick[name]} <= done
        finished += step.last
    curable = [name for name, faults in sick.items() if faults and all(key(one.remedy) for one in faults)]
    assert sorted(finished) == sorted(curable)


@given(SICK)
def test_each_remedy_is_told_once_and_none_is_forgotten(sick):
    told_once = [(step.commands, step.text) for step in cover(sick.items())]

    assert sorted(told_once) == sorted({key(one.remedy) for faults in sick.values() for one in faults} - {None})


@given(SICK)
def test_no_other_remedy_would_have_finished_more_machines_at_its_turn(sick):
    left = {name: {key(one.remedy) for one in faults} for name, faults in sick.items()}
    for step in cover(sick.items()):
        best = max(
            sum(wanted == {remedy} for wanted in left.values()) for remedy in set().union(*left.values()) - {None}
        )
        assert len(step.last) == best
        for wanted in left.values():
            wanted.discard((step.commands, step.text))


@given(SICK.flatmap(lambda sick: st.tuples(st.just(sick), st.permutations(list(sick)))))
def test_the_order_of_machines_changes_nothing(drawn):
    sick, order = drawn

    assert cover(sick.items()) == cover((name, sick[name]) for name in order)
