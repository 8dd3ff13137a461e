"""What a comment or the settings silence, and the wishes that silence nothing."""

import pytest

from compat.facts.pins import Ignore, Included, Pin, PinFile, PinSettings
from compat.verdict.finding import Severity
from compat.verdict.pins.finding import JudgedFile, PinFinding
from compat.verdict.pins.silence import selected, silence


def pin(line):
    return Pin(name="tensorflow", specifier="", marker="", line=line, column=1)


def finding(rule="PIN501", line=2, severity=Severity.ERROR, path=""):
    return PinFinding(id=rule, severity=severity, line=line, column=1, message="m", path=path)


def judged(*findings, ignores=(), pins=(2,), path="requirements.txt", included=()):
    file = PinFile(
        path=path, kind="requirements", pins=tuple(map(pin, pins)), ignores=tuple(ignores), included=tuple(included)
    )
    return JudgedFile(file=file, findings=findings)


def comment(line, *ids, alone=False, column=20):
    return Ignore(line=line, column=column, ids=ids, alone=alone)


def told(*files, **settings):
    return [[(row.id, row.line) for row in file.findings] for file in silence(files, PinSettings(**settings))]


@pytest.mark.parametrize(
    "ignore, left",
    [
        (comment(2, "PIN501"), []),
        (comment(2, "PIN5"), []),
        (comment(2), []),
        (comment(2, "PIN502"), [("PIN501", 2), ("PIN570", 2)]),
        (comment(3, "PIN501"), []),
        (comment(1, "PIN501"), [("PIN501", 2), ("PIN570", 1)]),
        (comment(1, "PIN501", alone=True), []),
        (comment(3, "PIN501", alone=True), [("PIN501", 2), ("PIN570", 3)]),
    ],
    ids=[
        "its line",
        "a beginning",
        "all",
        "another id",
        "behind its last line",
        "before",
        "alone above",
        "alone below",
    ],
)
def test_a_comment_stands_for_its_requirement(ignore, left):
    assert told(judged(finding(), ignores=[ignore])) == [left]


def test_behind_another_requirement_a_comment_is_not_for_this_one():
    file = judged(finding(line=2), ignores=[comment(3, "PIN501")], pins=(2, 3))

    assert told(file) == [[("PIN501", 2), ("PIN570", 3)]]


def test_comments_may_stand_above_one_another():
    file = judged(
        finding("PIN501", 3),
        finding("PIN502", 3),
        ignores=[comment(1, "PIN501", alone=True), comment(2, "PIN502", alone=True)],
        pins=(3,),
    )

    assert told(file) == [[]]


def test_of_several_ids_the_idle_ones_are_named():
    (file,) = silence([judged(finding(), ignores=[comment(2, "PIN501", "PIN503", "PIN504")])], PinSettings())

    assert [row.message for row in file.findings] == ["ignore[PIN503, PIN504] silences nothing here: take it away"]
    assert file.findings[0].severity is Severity.WARNING


def test_a_comment_in_an_included_file_holds_where_that_is_judged_from_another():
    part = PinFile(path="sub/../base.txt", kind="requirements", pins=(pin(1),), ignores=(comment(1, "PIN501"),))
    outer = judged(finding(line=1, path="base.txt"), included=[Included(file=part, line=1, column=4)])
    alone = judged(path="base.txt", ignores=[comment(1, "PIN501")], pins=(1,))

    assert told(outer) == [[]]
    assert told(outer, alone) == [[], []]
    assert told(alone) == [[("PIN570", 1)]]


def test_the_settings_ignore_by_beginnings_everywhere():
    assert told(judged(finding(), finding("PIN530")), ignore=("PIN50",)) == [[("PIN530", 2)]]


def test_a_comment_whose_finding_the_settings_ignore_too_is_not_idle():
    assert told(judged(finding(), ignores=[comment(2, "PIN501")]), ignore=("PIN501",)) == [[]]


def test_an_idle_comment_can_be_ignored_by_the_settings():
    assert told(judged(ignores=[comment(2)]), ignore=("PIN570",)) == [[]]


def test_per_file_ignores_hold_where_their_pattern_fits():
    rows = (("docs/*", ("PIN501",)),)

    assert told(judged(finding(), path="docs/a.txt"), judged(finding()), per_file_ignores=rows) == [[], [("PIN501", 2)]]


def test_an_entry_for_one_file_that_silences_nothing_is_told_and_one_for_many_is_not():
    exact = (("requirements.txt", ("PIN503",)),)
    many = (("*.txt", ("PIN503",)),)

    assert told(judged(finding()), per_file_ignores=exact) == [[("PIN501", 2), ("PIN570", 1)]]
    assert told(judged(finding()), per_file_ignores=many) == [[("PIN501", 2)]]


def test_patterns_are_held_against_the_place_below_the_root():
    rows = (("/docs/a.txt", ("PIN501",)),)
    file = judged(finding(), path="../project/docs/a.txt")
    settings = PinSettings(per_file_ignores=rows)

    (kept,) = silence([file], settings, {file.file.path: "docs/a.txt"})
    assert kept.findings == ()


def test_the_lowest_severity_and_the_selection_leave_the_rest_untold():
    rows = [finding("PIN501"), finding("PIN502", severity=Severity.WARNING), finding("PIN506", severity=Severity.INFO)]

    def kept(ids, lowest):
        (file,) = selected([judged(*rows)], ids, lowest)
        return [row.id for row in file.findings]

    assert kept((), Severity.INFO) == ["PIN501", "PIN502", "PIN506"]
    assert kept((), Severity.WARNING) == ["PIN501", "PIN502"]
    assert kept((), Severity.ERROR) == ["PIN501"]
    assert kept(("PIN502", "PIN506"), Severity.WARNING) == ["PIN502"]
