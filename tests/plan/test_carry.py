"""What comes along when an environment is replaced: everything that was there, by the fewest names."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.requirements import Requirement

from compat.facts.environment import Distribution, Environment
from compat.plan.carry import carry


def environment(*distributions):
    return Environment(kind="venv", path="/x", distributions=distributions)


def one(name, *requires, version="1.0", **more):
    return Distribution(name=name, version=version, location="/x/lib", requires=requires, **more)


PANDAS = one("pandas", "numpy>=1.26", "pytz", version="2.2.3")
TENSORFLOW = one("tensorflow", "numpy<2", "keras", version="2.16.2")


def test_what_nothing_else_asks_for_is_asked_for_and_the_rest_comes_with_it():
    carried = carry(environment(PANDAS, one("numpy"), one("pytz"), TENSORFLOW, one("keras")))

    assert carried.requirements == ("pandas",)
    assert carried.present == ("keras==1.0", "numpy==1.0", "pandas==2.2.3", "pytz==1.0")


def test_the_pair_and_the_tools_are_the_plans_business():
    names = ("tensorflow-macos", "tensorflow-metal", "tf-nightly", "pip", "setuptools")

    assert carry(environment(*(one(name) for name in names))).requirements == ()


def test_what_only_an_extra_asks_for_is_not_taken_for_granted():
    carried = carry(environment(one("xarray", 'scipy; extra == "accel"'), one("scipy")))

    assert carried.requirements == ("scipy", "xarray")


def test_a_circle_is_entered_once():
    carried = carry(environment(one("one", "two"), one("two", "one")))

    assert carried.requirements == ("one",)


def test_what_no_index_has_is_left_and_said_where_it_came_from():
    mine = one("mine", direct_url="file:///home/me/mine")
    odd = one("odd", problem="METADATA cut short")
    carried = carry(environment(mine, odd, one("rich")))

    assert carried.left == (("mine", "file:///home/me/mine"), ("odd", "odd"))
    assert carried.requirements == ("rich",)


NAMES = st.sampled_from([f"d{number}" for number in range(8)])
WORLDS = st.dictionaries(NAMES, st.lists(NAMES, max_size=3), max_size=8)


@settings(deadline=None)
@given(WORLDS)
def test_nothing_that_was_there_is_lost(world):
    installed = [one(name, *needs) for name, needs in world.items()]
    carried = carry(environment(*installed))
    reached, queue = set(), list(carried.requirements)
    while queue:
        name = queue.pop()
        if name not in reached:
            reached.add(name)
            queue += [Requirement(need).name for need in world.get(name, ())]

    assert set(world) <= reached
    assert set(carried.requirements) <= set(world)
