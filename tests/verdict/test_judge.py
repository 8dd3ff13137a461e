from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.errors import BadMatrix
from compat.facts.capture import Facts
from compat.facts.known import NOT_APPLICABLE, Unknown
from compat.verdict.finding import Finding, Severity, Status
from compat.verdict.judge import judge, ordered, run_rule, with_causes
from compat.verdict.rule import MissingFactError, Rule, must
from tests.verdict.rules.tiny_matrix import tiny_matrix

MATRIX = tiny_matrix()


def rule(number, *steps, causes=(), severity=Severity.ERROR):
    """A rule that does these things in turn: a text is a failing finding, an exception is raised."""

    def check(self, facts, matrix):
        for step in steps:
            if isinstance(step, Exception):
                raise step
            yield self.fails(step)

    parts = {"id": number, "title": f"{number} is well", "severity": severity, "consequence_of": causes, "check": check}
    return type(number, (Rule,), parts)()


def fails(number, caused_by=None, severity=Severity.ERROR, message="m", status=Status.FAILS):
    return Finding(id=number, severity=severity, status=status, message=message, caused_by=caused_by)


def ids(findings):
    return [finding.id for finding in findings]


def told(findings):
    return [(finding.status.value, finding.message) for finding in findings]


def test_a_rule_that_finds_nothing_passes_under_its_title():
    assert told(run_rule(rule("TF301"), Facts(), MATRIX)) == [("passes", "TF301 is well")]


def test_a_rule_tells_all_it_finds():
    assert told(run_rule(rule("TF301", "one", "two"), Facts(), MATRIX)) == [("fails", "one"), ("fails", "two")]


@pytest.mark.parametrize(
    ("why", "said"),
    [
        (Unknown(), "unknown, the GPU was not looked at"),
        (Unknown("is behind a shim"), "unknown, the GPU is behind a shim"),
        (Unknown("sysctl failed"), "unknown, the GPU is not known (sysctl failed)"),
        (NOT_APPLICABLE, "unknown, the GPU does not apply here"),
    ],
)
def test_a_missing_fact_makes_the_answer_unknown_and_is_named(why, said):
    with pytest.raises(MissingFactError) as caught:
        must(why, "the GPU")

    found = list(run_rule(rule("TF301", caught.value), Facts(), MATRIX))

    assert told(found) == [("unknown", f"TF301 is well: {said}")]


def test_a_rule_that_raises_becomes_a_finding_of_one_line():
    found = list(run_rule(rule("TF301", ValueError("two\nlines\x1b[31m" + "x" * 999)), Facts(), MATRIX))

    assert found[0].status is Status.CRASHED
    assert found[0].message.startswith("TF301 is well: this check crashed (ValueError: two lines")
    assert len(found[0].message) <= 300
    assert found[0].message.isprintable()


def test_an_exception_without_words_is_named_by_its_type():
    found = list(run_rule(rule("TF301", KeyError()), Facts(), MATRIX))

    assert told(found) == [("crashed", "TF301 is well: this check crashed (KeyError)")]


@pytest.mark.parametrize(
    ("end", "status"), [(MissingFactError("it", "was lost"), "unknown"), (ValueError("no"), "crashed")]
)
def test_what_a_rule_found_before_it_stopped_stands(end, status):
    found = list(run_rule(rule("TF301", "seen", end), Facts(), MATRIX))

    assert [finding.status.value for finding in found] == ["fails", status]
    assert found[0].message == "seen"


def test_a_matrix_that_cannot_be_read_is_no_crash_of_a_rule():
    with pytest.raises(BadMatrix, match="links: broken"):
        judge(Facts(), MATRIX, [rule("TF301", BadMatrix("links: broken")), rule("TF302", "seen")])


def test_one_rule_that_crashes_stops_no_other():
    verdict = judge(Facts(), MATRIX, [rule("TF301", ValueError("no")), rule("TF302", "seen"), rule("TF303")])

    assert ids(verdict.findings) == ["TF302", "TF301", "TF303"]
    assert verdict.matrix_date == "2026-11-30"


def test_a_consequence_stands_behind_its_cause_and_names_it():
    rules = [rule("AA1", "other"), rule("BB1", "follows", causes=("XX9", "CC1")), rule("CC1", "root")]

    verdict = judge(Facts(), MATRIX, rules)

    assert ids(verdict.findings) == ["AA1", "CC1", "BB1"]
    assert [finding.caused_by for finding in verdict.findings] == [None, None, "CC1"]


def test_the_first_cause_that_fails_is_the_one_named():
    rules = [rule("AA1", "x", causes=("BB1", "CC1", "DD1")), rule("BB1"), rule("CC1", "x"), rule("DD1", "x")]

    assert ids(judge(Facts(), MATRIX, rules).findings) == ["CC1", "AA1", "DD1", "BB1"]


def test_without_a_failing_cause_a_finding_is_its_own_root():
    found = with_causes([fails("AA1"), fails("BB1", status=Status.UNKNOWN)], [rule("AA1", causes=("BB1", "AA1"))])

    assert [finding.caused_by for finding in found] == [None, None]


def test_a_rule_that_passes_follows_from_nothing():
    rules = [rule("AA1", causes=("BB1",)), rule("BB1", "x")]

    assert [(f.id, f.caused_by) for f in judge(Facts(), MATRIX, rules).findings] == [("BB1", None), ("AA1", None)]


def test_a_cause_that_the_rule_named_itself_comes_first():
    found = with_causes([fails("AA1", caused_by="CC1"), fails("BB1"), fails("CC1")], [rule("AA1", causes=("BB1",))])

    assert found[0].caused_by == "CC1"


def test_a_named_cause_that_does_not_fail_explains_nothing():
    passed = fails("CC1", status=Status.PASSES)

    assert with_causes([fails("AA1", caused_by="CC1"), passed], [])[0].caused_by is None
    assert (
        with_causes([fails("AA1", caused_by="CC1"), fails("BB1")], [rule("AA1", causes=("BB1",))])[0].caused_by == "BB1"
    )


@pytest.mark.parametrize(
    ("cause", "consequence", "tied"),
    [
        (Severity.INFO, Severity.ERROR, None),
        (Severity.INFO, Severity.WARNING, None),
        (Severity.INFO, Severity.INFO, "AA1"),
        (Severity.WARNING, Severity.ERROR, "AA1"),
        (Severity.ERROR, Severity.WARNING, "AA1"),
    ],
)
def test_a_remark_explains_remarks_only(cause, consequence, tied):
    found = [fails("AA1", severity=cause), fails("BB1", severity=consequence)]

    assert with_causes(found, [rule("BB1", causes=("AA1",))])[1].caused_by == tied


def test_a_warning_with_an_error_behind_it_comes_before_lesser_errors_do_not_pass_it():
    found = [fails("BB1"), fails("AA1", severity=Severity.WARNING), fails("CC1", caused_by="AA1")]

    assert ids(ordered(found)) == ["AA1", "CC1", "BB1"]


def test_errors_come_before_warnings_before_remarks_then_crashed_unknown_skipped_and_passed():
    kinds = [(status, severity) for status in Status for severity in Severity]
    found = [fails(f"{n:02}", status=status, severity=severity) for n, (status, severity) in enumerate(kinds)]

    order = [(finding.status.value, finding.severity.value) for finding in ordered(found)]

    wanted = ("fails", "crashed", "unknown", "skipped", "passes")
    assert order == [(status, severity) for status in wanted for severity in ("error", "warning", "info")]


def test_consequences_of_consequences_stand_in_line():
    found = [fails("CC1", "BB1"), fails("BB1", "AA1"), fails("DD1", "AA1"), fails("AA1")]

    assert ids(ordered(found)) == ["AA1", "BB1", "CC1", "DD1"]


def test_several_findings_of_a_cause_stand_together_and_are_told_once():
    found = [fails("AA1", message="1"), fails("AA1", message="2"), fails("BB1", "AA1"), fails("CC1", "BB1")]

    assert ids(ordered(found)) == ["AA1", "AA1", "BB1", "CC1"]


def test_a_ring_of_causes_loses_nothing():
    assert sorted(ids(ordered([fails("AA1", "BB1"), fails("BB1", "AA1"), fails("CC1", "CC1")]))) == [
        "AA1",
        "BB1",
        "CC1",
    ]


NAMES = ("AA1", "BB1", "CC1", "DD1")
FINDINGS = st.lists(
    st.builds(
        fails,
        st.sampled_from(NAMES),
        st.none() | st.sampled_from((*NAMES, "absent")),
        st.sampled_from(Severity),
        st.sampled_from(("m", "n")),
        st.sampled_from(Status),
    ),
    max_size=8,
)


@given(FINDINGS)
def test_ordering_loses_nothing_and_tells_nothing_twice(found):
    assert Counter(ordered(found)) == Counter(found)


@given(FINDINGS)
def test_a_cause_stands_before_what_follows_from_it(found):
    placed = ordered(found)
    roots = {finding.id for finding in found if finding.caused_by is None}

    for place, finding in enumerate(placed):
        if finding.caused_by in roots:
            assert finding.caused_by in ids(placed[:place])


@st.composite
def rules_in_two_orders(draw):
    rules = [
        rule(
            name,
            *draw(st.lists(st.sampled_from(("x", "y")), max_size=2)),
            causes=tuple(draw(st.permutations(NAMES))[:2]),
            severity=draw(st.sampled_from(Severity)),
        )
        for name in NAMES
    ]
    return rules, draw(st.permutations(rules))


@given(rules_in_two_orders())
def test_the_order_of_the_rules_does_not_matter(orders):
    first, second = (judge(Facts(), MATRIX, rules).findings for rules in orders)

    assert first == second
