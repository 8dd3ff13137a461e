from __future__ import annotations

import pytest

from compat.errors import UsageError
from compat.facts.capture import Facts
from compat.facts.known import NOT_APPLICABLE, Unknown
from compat.verdict.finding import Evidence, Remedy, Severity, Status
from compat.verdict.rule import (
    MissingFactError,
    Rule,
    environment_of,
    interpreter_of,
    must,
    numerics_of,
    select,
    text,
)
from tests.verdict.rules.builders import environment, facts, python, smoke
from tests.verdict.rules.tiny_matrix import tiny_matrix


class Warns(Rule):
    """A rule of this test."""

    id = "TF399"
    title = "all is well"
    severity = Severity.WARNING


def rule(number):
    return type(number, (Rule,), {"id": number, "title": number})()


def test_a_failing_finding_carries_all_that_its_rule_says():
    evidence, remedy = Evidence(fact="seen"), Remedy(text="mend it", commands=("mend",))

    found = Warns().fails(
        "it fails",
        evidence=[evidence],
        remedy=remedy,
        verify="look",
        issue="ISS001",
        caused_by="PY201",
        matrix_used=True,
    )

    assert (found.id, found.status, found.severity, found.message) == (
        "TF399",
        Status.FAILS,
        Severity.WARNING,
        "it fails",
    )
    assert (found.evidence, found.remedy, found.verify) == ((evidence,), remedy, "look")
    assert (found.issue, found.caused_by, found.matrix_used) == ("ISS001", "PY201", True)
    assert found.url == "tfcompat explain TF399"


def test_a_finding_without_more_has_the_rules_severity_and_an_empty_remedy():
    found = Warns().fails("it fails")

    assert (found.severity, found.remedy, found.evidence) == (Severity.WARNING, Remedy(), ())
    assert Warns().fails("it fails", severity=Severity.INFO).severity is Severity.INFO


@pytest.mark.parametrize(
    ("status", "severity"),
    [(Status.PASSES, Severity.INFO), (Status.UNKNOWN, Severity.INFO), (Status.CRASHED, Severity.WARNING)],
)
def test_a_crash_weighs_more_than_a_pass(status, severity):
    found = Warns().says(status, "said", [Evidence(fact="seen")])

    assert (found.status, found.severity, found.evidence) == (status, severity, (Evidence(fact="seen"),))


def test_a_rule_that_checks_nothing_must_not_be_asked():
    with pytest.raises(NotImplementedError):
        Warns().check(Facts(), tiny_matrix())


def test_a_known_fact_is_handed_out():
    assert must(False, "it") is False  # a known False is known
    assert text("14.5", "the macOS version") == "14.5"


@pytest.mark.parametrize(
    ("value", "why"), [(Unknown("not stated"), "not stated"), (NOT_APPLICABLE, "does not apply here")]
)
def test_a_fact_that_is_not_there_ends_the_rule_with_its_name_and_why(value, why):
    with pytest.raises(MissingFactError) as caught:
        text(value, "the macOS version")

    assert (caught.value.what, caught.value.why) == ("the macOS version", why)
    assert str(caught.value) == f"the macOS version: {why}"


def test_the_parts_of_a_capture_are_handed_out_or_missed():
    whole = facts(interpreter=python(), environment=environment(), numerics=smoke())
    read = {interpreter_of: python(), environment_of: environment(), numerics_of: smoke()}

    for reader, wanted in read.items():
        assert reader(whole) == wanted
        with pytest.raises(MissingFactError):
            reader(Facts())


ALL = tuple(rule(number) for number in ("MAC101", "MAC102", "PY201", "TF301"))


@pytest.mark.parametrize(
    ("wanted", "ignored", "left"),
    [
        ((), (), ["MAC101", "MAC102", "PY201", "TF301"]),
        (("MAC",), (), ["MAC101", "MAC102"]),
        (("mac101", "PY"), (), ["MAC101", "PY201"]),
        ((), ("MAC",), ["PY201", "TF301"]),
        (("MAC",), ("MAC101",), ["MAC102"]),
        (("PY",), ("PY201",), []),
    ],
)
def test_rules_are_chosen_by_the_beginning_of_their_id(wanted, ignored, left):
    assert [chosen.id for chosen in select(iter(ALL), wanted, ignored)] == left


@pytest.mark.parametrize(("wanted", "ignored"), [(("XX",), ()), ((), ("MAC9",))])
def test_a_beginning_that_no_rule_has_is_wrong_usage(wanted, ignored):
    with pytest.raises(UsageError, match="no rule is called") as caught:
        select(ALL, wanted, ignored)

    assert "--list-checks" in caught.value.hint
