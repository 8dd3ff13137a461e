"""Of a report's findings the root causes are kept, as grave as the worst that follows from them."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.verdict.finding import Remedy, Severity, Status
from compat.verdict.fleet.machine import Health, health, pressing, roots
from tests.verdict.fleet.machines import fault, finding, seen, unseen

WARNING = Severity.WARNING


def ids(*findings):
    return [one.id for one in roots(findings)]


def test_consequences_are_left_out_and_remarks_too():
    assert ids(finding("BIN401"), finding("NUM601", "BIN401"), finding("TF307", severity=Severity.INFO)) == ["BIN401"]


def test_a_consequence_of_what_did_not_fail_is_a_root():
    passed = finding("BIN401", status=Status.PASSES)

    assert ids(passed, finding("NUM601", "BIN401")) == ["NUM601"]
    assert ids(finding("TF307", severity=Severity.INFO), finding("NUM601", "TF307")) == ["NUM601"]


def test_a_warning_that_breaks_the_import_is_as_grave_as_an_error():
    [found] = roots([finding("BIN404", severity=WARNING), finding("NUM601", "BIN404")])

    assert (found.id, found.severity) == ("BIN404", Severity.ERROR)


def test_two_findings_of_one_rule_do_not_lend_each_other_their_severity():
    found = roots([finding("TF317"), finding("TF317", severity=WARNING, issue="ISS049")])

    assert [(one.severity, one.issue) for one in found] == [(Severity.ERROR, None), (WARNING, "ISS049")]


def test_what_follows_from_a_rule_with_two_findings_is_laid_on_the_graver_one():
    found = roots([finding("BIN404", severity=WARNING), finding("BIN404"), finding("NUM601", "BIN404")])

    assert sorted(one.severity.value for one in found) == ["error", "warning"]


def test_a_crashed_rule_is_told():
    assert ids(finding("PY203", severity=WARNING, status=Status.CRASHED)) == ["PY203"]


@pytest.mark.parametrize(
    "ring", [["A1"], ["A1", "B1"], ["A1", "B1", "C1"]], ids=["itself", "each other", "three in a ring"]
)
def test_causes_in_a_ring_have_one_root(ring):
    findings = [finding(name, cause) for name, cause in zip(ring, ring[1:] + ring[:1], strict=True)]

    assert ids(*findings, finding("D1", ring[-1])) == ["A1"]


def test_a_long_chain_costs_its_length():
    length = 20_000
    chain = [finding(f"C{at}", f"C{at + 1}") for at in range(length)] + [finding(f"C{length}")]

    assert ids(*chain) == [f"C{length}"]


@given(st.lists(st.tuples(st.sampled_from("ABCD"), st.sampled_from(["A", "B", "C", "D", "X", None])), max_size=8))
def test_where_something_fails_there_is_a_root_and_an_error_is_never_lost(pairs):
    findings = [finding(name, cause) for name, cause in pairs]
    found = roots(findings)

    assert bool(found) == bool(findings)
    assert any(one.severity is Severity.ERROR for one in found) == bool(findings)


def test_texts_of_another_machine_cannot_move_a_terminal_or_fill_it():
    evil = finding("TF311", remedy=Remedy(commands=("a\x1b[2J\nb",), text="\x9b31m" + "x" * 5000))
    [found] = roots([dataclasses.replace(evil, message="red\x1b[31m\r\nnext")])

    told = found.message + found.remedy.text + "".join(found.remedy.commands)
    assert told.isprintable()
    assert len(found.remedy.text) == 1000


def test_how_a_machine_came_out():
    warned = fault("MAC102", severity=WARNING)

    assert health(seen("a")) is Health.HEALTHY
    assert health(seen("a", warned)) is Health.WARNINGS
    assert health(seen("a", fault())) is Health.ERRORS
    assert health(unseen("a")) is Health.UNSEEN
    assert health(seen("a", warned), strict=True) is Health.ERRORS


def test_a_report_that_contradicts_itself_counts_as_the_worse():
    assert health(seen("a", fault(), ok=True)) is Health.ERRORS
    assert health(seen("a", ok=False)) is Health.ERRORS


def test_warnings_press_where_doctor_was_told_to_be_strict():
    error, warned = fault("TF311"), fault("MAC102", severity=WARNING)

    assert pressing(seen("a", error, warned)) == (error,)
    assert pressing(seen("a", warned, ok=False)) == (warned,)
    assert pressing(seen("a", error, warned), strict=True) == (error, warned)
