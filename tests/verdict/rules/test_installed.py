from __future__ import annotations

import pytest

from compat.facts.known import UNKNOWN
from compat.verdict.rule import MissingFactError
from compat.verdict.rules.installed import body_of, is_body, members, named, plugin_of, target_of
from tests.verdict.rules.builders import dist, environment, facts, linux, linux_python, mac, pair, python, windows
from tests.verdict.rules.tiny_matrix import tiny_matrix

MATRIX = tiny_matrix()
UNSEEN = {"provides_top_level": None}


def test_the_body_is_the_distribution_whose_record_holds_the_package():
    shell = dist("tensorflow==2.13.0", provides_top_level=False)

    found = body_of(facts(environment=environment(shell, "tensorflow-macos==2.13.0")), MATRIX)

    assert found is not None
    assert named(found) == "tensorflow-macos 2.13.0"


def test_by_the_size_of_the_wheel_where_no_record_was_read():
    seen = facts(interpreter=python("3.11.9"))

    assert is_body(dist("tensorflow==2.13.0", **UNSEEN), seen, MATRIX) is False
    assert is_body(dist("tensorflow==2.18.1", **UNSEEN), seen, MATRIX) is True
    assert is_body(dist("tensorflow==2.18.1+local", **UNSEEN), seen, MATRIX) is None
    assert is_body(dist("tensorflow==2.18.1", **UNSEEN), facts(interpreter=UNKNOWN), MATRIX) is None


def test_what_may_be_the_body_is_taken_for_it_where_nothing_says_which():
    found = body_of(facts(environment=environment(dist("tf-nightly==2.22.0.dev1", **UNSEEN))), MATRIX)

    assert found is not None
    assert found.name == "tf-nightly"


def test_shells_alone_are_no_body():
    assert body_of(facts(environment=environment(dist("tensorflow==2.13.0", provides_top_level=False))), MATRIX) is None


def test_members_are_told_once_and_only_tensorflow_s():
    installed = environment("numpy==1.26.4", "tensorflow==2.18.1", "tensorflow==2.18.0", "tensorflow-text==2.18.1")

    assert [named(member) for member in members(installed)] == ["tensorflow 2.18.1"]


def test_either_plugin_is_one():
    assert plugin_of(environment("tensorflow==2.18.1")) is None
    assert named(plugin_of(pair())) == "tensorflow-metal 1.2.0"
    assert named(plugin_of(environment("tensorflow-metal-plugin==0.4.1"))) == "tensorflow-metal-plugin 0.4.1"


def test_the_target_is_what_the_interpreter_runs_as():
    rosetta = target_of(facts(mac(), python("3.11.4", machine="x86_64")))

    assert (rosetta.platform, rosetta.python, rosetta.macos, rosetta.glibc) == ("macos-x86_64", "3.11", "14.5", None)


def test_each_system_gives_its_own_floor():
    on_linux = target_of(facts(linux(glibc="2.31"), linux_python()))
    on_windows = target_of(facts(windows(), linux_python(machine="AMD64")))

    assert (on_linux.platform, on_linux.macos, on_linux.glibc) == ("linux-x86_64", None, "2.31")
    assert (on_windows.platform, on_windows.macos, on_windows.glibc) == ("windows-amd64", None, None)


def test_a_floor_that_is_not_known_is_no_floor():
    assert target_of(facts(mac(os_version=UNKNOWN))).macos is None


@pytest.mark.parametrize(
    "seen", [facts(mac(os=UNKNOWN)), facts(interpreter=python(version=UNKNOWN)), facts(interpreter=UNKNOWN)]
)
def test_there_is_no_target_without_system_and_interpreter(seen):
    with pytest.raises(MissingFactError):
        target_of(seen)
