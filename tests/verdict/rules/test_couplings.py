"""What is told twice folds: a declared conflict stands under the finding that gives its reason."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.facts.known import UNKNOWN
from compat.facts.numerics import Numerics
from compat.verdict.finding import Status
from compat.verdict.judge import judge
from compat.verdict.rules import (
    addons,
    companions,
    conflicts,
    couplings,
    drift,
    keras,
    known_issues,
    ownership,
    packages,
    pairs,
)
from tests.verdict.rules.builders import dist, environment, facts, linux, linux_python, mac, python
from tests.verdict.rules.cases_couplings import DRIFTED, PAIR_ISSUE, issue, repair, tensorflow
from tests.verdict.rules.tiny_matrix import tiny_matrix

MODULES = (packages, pairs, companions, keras, drift, addons, known_issues, conflicts, ownership)
RULES = tuple(rule for module in MODULES for rule in module.RULES)
SHELL = {"provides_top_level": False}


def failing(seen, matrix=None):
    found = judge(seen, matrix or tiny_matrix(), RULES).findings
    return [(finding.id, finding.caused_by) for finding in found if finding.status is Status.FAILS]


def causes(*installed, seen=None):
    there = seen or facts(environment=environment(*installed))
    return {cause for identity, cause in failing(there) if identity == "TF318"}


@pytest.mark.parametrize(
    ("cause", "installed"),
    [
        ("TF311", [tensorflow("2.16.2", "numpy<2.0.0,>=1.26.0"), "numpy==2.0.2"]),
        ("TF312", [tensorflow("2.21.0", "protobuf<8.0.0,>=6.31.1"), "protobuf==5.29.6"]),
        ("TF313", [tensorflow("2.13.1", "wrapt<1.15"), "wrapt==2.5.2"]),
        ("TF314", [tensorflow("2.15.1", "keras<2.16,>=2.15.0"), "keras==3.5.0"]),
        ("TF314", [tensorflow("2.18.1"), dist("tf-keras==2.21.0", requires=("tensorflow<2.22,>=2.21",))]),
        ("TF316", [tensorflow("2.18.1"), dist("tensorflow-text==2.16.1", requires=("tensorflow<2.17",))]),
        ("TF316", [tensorflow("2.18.1", name="tensorflow-cpu"), dist("lab==1", requires=("tensorflow<2.17",))]),
        ("TF302", [dist("tensorflow==2.13.0", requires=("tensorflow-macos==2.13.0",), **SHELL)]),
        (
            "TF303",
            [dist("tensorflow==2.13.0", requires=("tensorflow-macos==2.13.0",), **SHELL), "tensorflow-macos==2.12.0"],
        ),
        ("TF301", [dist("lab==1", requires=("tensorflow",))]),
        (None, [dist("lab==1", requires=("scipy",))]),
        (None, [tensorflow("2.18.1"), dist("lab==1", requires=("scipy",))]),
        (None, [dist("tensorflow-intel==2.13.0", requires=("numpy",), **SHELL)]),
        (None, [tensorflow("2.13.0", "tensorflow-intel==2.13.0")]),
        (None, [tensorflow("2.13.0", "tensorflow-intel==2.13.0"), dist("tensorflow-intel==2.12.0", **SHELL)]),
    ],
)
def test_a_conflict_told_with_its_reason_stands_under_that_finding(cause, installed):
    assert causes(*installed) == {cause}


NAMES = ["numpy", "protobuf", "wrapt", "keras", "six", "tensorflow", "tensorflow-macos", "tf-keras", "tensorflow-text"]
REQUIRES = st.lists(
    st.builds("{}{}".format, st.sampled_from(NAMES), st.sampled_from(["", "<2", ">=2", ">=9"])), max_size=3
)
INSTALLED = st.lists(
    st.builds(
        lambda name, version, requires, body: dist(
            f"{name}=={version}", requires=tuple(requires), provides_top_level=body
        ),
        st.sampled_from(NAMES),
        st.sampled_from(["1.0", "2.15.1", "2.18.1", "3.0"]),
        REQUIRES,
        st.sampled_from([True, False, None]),
    ),
    max_size=5,
    unique_by=lambda item: item.name,
)


@settings(deadline=None)
@given(INSTALLED)
def test_whatever_is_installed_a_cause_named_is_a_cause_that_fails(installed):
    found = failing(facts(environment=environment(*installed)))

    told = {identity for identity, _ in found}
    assert {cause for _, cause in found} <= told | {None}


def test_a_package_with_two_reasons_is_told_once():
    installed = environment(tensorflow("2.10.1", "numpy>=1.20,<1.24"), "numpy==2.2.6")

    assert [identity for identity, _ in failing(facts(linux(), linux_python(), installed), DRIFTED)].count("TF311") == 1


def test_what_is_decided_is_told_beside_what_is_not():
    installed = environment(dist("a==1", requires=("b", "c; platform_machine == 'arm64'")))
    seen = facts(interpreter=python(machine=UNKNOWN), environment=installed)

    found = [finding for finding in judge(seen, tiny_matrix(), conflicts.RULES).findings if finding.id == "TF318"]

    assert {finding.status for finding in found} == {Status.FAILS, Status.UNKNOWN}
    assert any("platform_machine is unknown" in finding.message for finding in found)


def test_an_issue_that_applies_is_told_beside_one_that_is_not_decided():
    matrix = tiny_matrix(issues=[issue("ISS901", [PAIR_ISSUE]), issue("ISS906", [{"package": "tensorflow"}])])

    found = judge(facts(mac(chip=UNKNOWN)), matrix, known_issues.RULES).findings

    assert [finding.issue for finding in found if finding.status is Status.FAILS] == ["ISS906"]
    assert any("ISS901" in finding.message and "the chip" in finding.message for finding in found)


def test_a_rule_s_failure_carries_the_issue_that_describes_it():
    seen = facts(linux(), linux_python("3.10.13"), environment(tensorflow("2.10.1", "numpy>=1.20"), "numpy==2.2.6"))

    (found,) = [item for item in judge(seen, DRIFTED, companions.RULES).findings if item.status is Status.FAILS]

    assert found.issue == "ISS926"
    assert found.matrix_used
    assert {evidence.source for evidence in found.evidence} >= {"repairs/REP900"}


@pytest.mark.parametrize(
    ("requires", "matrix", "used"),
    [
        (("numpy<2",), tiny_matrix(), False),
        (("numpy",), tiny_matrix(repairs=[repair("numpy<2", "==2.10.1")]), True),
        (("numpy<2",), tiny_matrix(issues=[issue("ISS926", [{"package": "numpy"}], rule="TF311")]), True),
    ],
)
def test_a_failure_says_whether_it_rests_on_the_matrix(requires, matrix, used):
    seen = facts(environment=environment(tensorflow("2.10.1", *requires), "numpy==2.2.6"))

    found = [item for item in judge(seen, matrix, companions.RULES).findings if item.id == "TF311"]

    assert [item.matrix_used for item in found] == [used]


def test_numeric_issues_are_left_to_the_smoke_test_where_it_ran():
    matrix = tiny_matrix(issues=[issue("ISS905", [PAIR_ISSUE], rule="NUM603")])
    measured = facts(numerics=Numerics(outcome="ran"))

    assert ("TF317", None) in failing(facts(), matrix)
    assert ("TF317", None) not in failing(measured, matrix)


def test_a_coupling_that_says_nothing_of_its_gap_is_no_rule():
    class Silent(couplings.Coupling):
        id = "TF311"
        title = "silent"

    seen = facts(environment=environment(tensorflow("2.18.1", "numpy"), "six==1"))

    with pytest.raises(NotImplementedError):
        list(Silent().check(seen, tiny_matrix()))
