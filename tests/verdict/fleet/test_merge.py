"""The merge: every machine exactly once, in any order of reports, and groups that hold who they say they hold."""

from hypothesis import given
from hypothesis import strategies as st

from compat.verdict.finding import Severity
from compat.verdict.fleet.machine import Health, Seen, Unseen
from compat.verdict.fleet.merge import merge
from tests.verdict.fleet.machines import BUILD, NUMPY, fault, seen, unseen

WARNING = Severity.WARNING


def test_machines_with_the_same_cause_and_the_same_remedy_share_a_row():
    here = fault("TF311", "uv pip install --python ~/a/bin/python 'numpy<2'")
    there = fault("TF311", "uv pip install --python ~/b/bin/python 'numpy<2'")
    table = merge([seen("b", there), seen("a", here), seen("c", fault("TF311", *BUILD))])

    assert [(row.id, row.commands, row.machines) for row in table.causes] == [
        ("TF311", NUMPY, ("a", "b")),
        ("TF311", BUILD, ("c",)),
    ]


def test_two_known_problems_with_one_command_stay_two():
    one, other = fault("TF317", "tfcompat smoke", issue="ISS041"), fault("TF317", "tfcompat smoke", issue="ISS042")

    assert [row.issue for row in merge([seen("a", one, other)]).causes] == ["ISS041", "ISS042"]


def test_errors_stand_before_warnings_however_many_share_these():
    warned = fault("MAC102", severity=WARNING)
    table = merge([seen("a", warned), seen("b", warned), seen("c", fault("TF311", *NUMPY))])

    assert [(row.id, len(row.machines)) for row in table.causes] == [("TF311", 1), ("MAC102", 2)]


def test_the_words_of_most_reports_are_told_and_that_there_are_others():
    said = [fault(message="NumPy 2.3"), fault(message="NumPy 2.1"), fault(message="NumPy 2.3")]
    [row] = merge(seen(f"m{at}", one) for at, one in enumerate(said)).causes

    assert (row.message, row.wordings) == ("NumPy 2.3", 2)


def test_of_words_that_as_many_reports_use_the_first_by_letters_is_told():
    [row] = merge([seen("a", fault(message="NumPy 2.3")), seen("b", fault(message="NumPy 2.1"))]).causes

    assert (row.message, row.wordings) == ("NumPy 2.1", 2)


def test_a_report_given_twice_is_one_machine():
    table = merge([seen("a", fault(), place="y/a.json"), seen("a", fault(), place="x/a.json")])

    assert [(machine.name, machine.place) for machine in table.machines] == [("a", "x/a.json")]


def test_reports_of_one_name_that_differ_are_believed_neither_and_counted_once():
    table = merge([seen("a", fault(), place="x/a.json"), seen("a", place="y/a.json"), seen("b")])
    [machine] = table.of(Health.UNSEEN)

    assert machine.why == "2 reports of that name say different things: x/a.json, y/a.json"
    assert (len(table.machines), table.causes, table.ok) == (2, (), False)


def test_many_reports_of_one_name_are_named_in_part():
    [machine] = merge(seen("a", place=f"{at}.json", chip=f"chip {at}") for at in range(9)).machines

    assert machine.why.endswith("0.json, 1.json, 2.json and 6 more")


def test_kinds_are_counted_the_commonest_first_and_pythons_by_minor():
    table = merge([seen("a", python="3.11.7"), seen("b", python="3.11.9"), seen("c", python="3.12.1", chip="Apple M4")])
    counts = {what: [(one.name, one.machines) for one in found] for what, found in table.counts}

    assert counts["python"] == [("3.11", 2), ("3.12", 1)]
    assert counts["chip"] == [("Apple M1", 2), ("Apple M4", 1)]
    assert counts["together"][0] == ("Python 3.11, tensorflow 2.18.1, tensorflow-metal 1.2.0", 2)


def test_who_has_an_error_without_a_remedy_is_named():
    known, unknown = fault("TF311", *NUMPY), fault("MAC107")

    assert merge([seen("a", known), seen("b", known, unknown), seen("c", ok=False)]).left == ("b", "c")


def test_a_fleet_is_well_only_where_all_were_seen_and_none_has_errors():
    assert merge([seen("a"), seen("b", fault(severity=WARNING))]).ok
    assert not merge([seen("b", fault(severity=WARNING))], strict=True).ok
    assert not merge([seen("a"), unseen("b")]).ok
    assert not merge([seen("a", fault())]).ok


FAULTS = st.builds(
    lambda name, severity, commands, text: fault(name, *commands, severity=severity, text=text),
    st.sampled_from(["TF311", "PY201", "BIN401"]),
    st.sampled_from(list(Severity)[:2]),
    st.sampled_from([(), BUILD, NUMPY, ("tool --python ~/x/python",)]),
    st.sampled_from(["", "by hand", "see there"]),
)
NAMES = st.sampled_from("abcdef")
REPORTS = st.lists(
    st.one_of(
        st.builds(
            lambda name, faults, ok, place, chip: seen(name, *faults, ok=ok, place=place, chip=chip),
            NAMES,
            st.lists(FAULTS, max_size=3),
            st.sampled_from([None, False, True]),
            st.sampled_from(["x.json", "y.json", "z.json"]),
            st.sampled_from(["Apple M1", "Apple M4"]),
        ),
        st.builds(unseen, NAMES, st.sampled_from(["down", "cut short"])),
    ),
    max_size=10,
)


@given(REPORTS.flatmap(lambda reports: st.tuples(st.just(reports), st.permutations(reports))), st.booleans())
def test_the_order_of_reports_changes_nothing(drawn, strict):
    assert merge(drawn[0], strict=strict) == merge(drawn[1], strict=strict)


@given(REPORTS, st.booleans())
def test_every_machine_is_counted_exactly_once(reports, strict):
    table = merge(reports, strict=strict)

    assert [machine.name for machine in table.machines] == sorted({report.name for report in reports})
    assert sum(len(table.of(health)) for health in Health) == len(table.machines)
    looked = sum(isinstance(machine, Seen) for machine in table.machines)
    assert all(sum(one.machines for one in counts) == looked for _, counts in table.counts)


@given(REPORTS, st.booleans())
def test_who_stands_in_a_row_has_that_root_cause_and_nobody_is_missing(reports, strict):
    table = merge(reports, strict=strict)
    having = {machine.name: machine.faults for machine in table.machines if isinstance(machine, Seen)}

    for row in table.causes:
        assert len(set(row.machines)) == len(row.machines)
        for name in row.machines:
            assert any((one.id, one.issue) == (row.id, row.issue) for one in having[name])
    told = {(row.id, name) for row in table.causes for name in row.machines}
    assert told == {(one.id, name) for name, faults in having.items() for one in faults}


@given(REPORTS)
def test_what_cannot_be_believed_heals_nobody(reports):
    table = merge(reports)
    doubtful = {machine.name for machine in table.machines if isinstance(machine, Unseen)}

    assert not doubtful & {name for step in table.steps for name in step.machines}
