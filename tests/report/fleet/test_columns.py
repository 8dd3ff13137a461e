"""The table for a terminal: counts, who shares what, what helps most, who was not seen."""

import re

from compat.report.fleet.columns import columns
from compat.report.style import Style
from compat.verdict.finding import Severity
from compat.verdict.fleet.merge import merge
from tests.verdict.fleet.machines import BUILD, NUMPY, fault, seen, unseen

PLAIN = Style(width=100)
TABLE = merge(
    [
        seen("mac-01", fault("TF311", *NUMPY, message="NumPy 2.3.4 is installed", issue="ISS026")),
        seen("mac-02", fault("TF311", *NUMPY, message="NumPy 2.3.4 is installed", issue="ISS026"), measured=False),
        seen("mac-03", fault("PY201", *BUILD), fault("MAC107", text="use the CPU")),
        seen("mac-04", fault("MAC102", severity=Severity.WARNING)),
        seen("mac-05", chip="Apple M4"),
        unseen("mac-06"),
    ]
)


def test_the_whole_table():
    assert (
        columns(TABLE, PLAIN)
        == """\
6 machines: 3 with errors, 1 with warnings, 1 without a fault found, 1 not seen or not readable
numbers measured on 4 of 5 machines seen
chips      Apple M1 (4), Apple M4 (1)
systems    macOS 14.5 (5)
Pythons    3.11 (5)
TensorFlow tensorflow 2.18.1 (5)
plugins    tensorflow-metal 1.2.0 (5)
together   Python 3.11, tensorflow 2.18.1, tensorflow-metal 1.2.0 (5)
judged by  tfcompat 0.1.0, matrix of 2026-11-30 (5)

root causes, and who shares them
    2 ✗ TF311 ISS026  NumPy 2.3.4 is installed
        on: mac-01, mac-02
            $ uv pip install --python PYTHON 'numpy<2'
    1 ✗ MAC107  message of MAC107
        on: mac-03
        do: use the CPU
    1 ✗ PY201  message of PY201
        on: mac-03
            $ tfcompat fix --create-venv
    1 ! MAC102  message of MAC102
        on: mac-04

what helps most machines first, taken together
   1. $ uv pip install --python PYTHON 'numpy<2'
      for 2 of 3 (TF311); it is all that 2 of them lack: 2 of 3 so far
   2. by hand: use the CPU
      for 1 of 3 (MAC107); each of them lacks more: 2 of 3 so far
   3. $ tfcompat fix --create-venv
      for 1 of 3 (PY201); it is all that 1 of them lack: 3 of 3 so far
(commands are those of the reports; PYTHON and DIR stand for each machine's own)

not seen or not readable
    ? mac-06: not seen: no route to host
"""
    )


def test_quiet_tells_only_what_is_wrong():
    text = columns(TABLE, Style(width=100, quiet=True))

    assert "MAC102" not in text
    assert "chips" not in text
    assert [name in text for name in ("TF311", "PY201", "mac-06")] == [True, True, True]


def test_names_are_told_in_part_unless_all_are_asked_for():
    table = merge(seen(f"mac-{at:02}", fault("TF311", *NUMPY)) for at in range(30))

    assert "mac-07 and 22 more" in columns(table, PLAIN)
    text = columns(table, Style(width=100, verbose=True))
    assert "more" not in text
    assert "mac-29: errors; TF311; Apple M1, macOS 14.5, Python 3.11.7, tensorflow 2.18.1" in text


def test_long_lists_of_fixes_and_of_machines_not_seen_end():
    many = [seen(f"m{at:02}", fault("TF311", f"do {at:02}")) for at in range(25)]
    text = columns(merge([*many, *(unseen(f"u{at:02}") for at in range(25))]), PLAIN)

    assert "and 15 more (add -v to see them)" in text
    assert "and 5 more (add -v to see them)" in text


def test_machines_whose_reports_name_no_remedy_are_named():
    assert "no remedy on record for: a" in columns(merge([seen("a", fault("MAC107"))]), PLAIN)


def test_other_wordings_are_said_to_be_there():
    table = merge([seen("a", fault(message="NumPy 2.3")), seen("b", fault(message="NumPy 2.1"))])

    assert "NumPy 2.1 [and 1 like it with other details]" in columns(table, PLAIN)


def test_no_line_is_wider_than_the_terminal_but_a_command():
    long = fault("TF311", "c" * 150, text="word " * 80, message="word " * 80)
    text = columns(merge([seen(f"mac-{at:03}", long) for at in range(40)]), Style(width=80))

    assert all(len(line) <= 80 for line in text.splitlines() if "ccc" not in line)


def test_meaning_is_never_by_colour_alone_and_colours_take_no_room():
    long = merge([seen("a", fault("TF311", message="word " * 80)), unseen("b", "why " * 80)])
    for table in (TABLE, long):
        coloured = columns(table, Style(width=100, colour=True))
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == columns(table, PLAIN)
    assert columns(TABLE, Style(width=100, unicode=False)).isascii()


def test_a_fleet_of_nobody_is_said_to_be_one():
    assert columns(merge([]), PLAIN).startswith("0 machines: none\n")
