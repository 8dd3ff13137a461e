"""`tfcompat fleet`: reports in, one table out, the exit code of the whole."""

import json
import os

import jsonschema
import pytest

from compat.verdict.finding import Remedy, Severity
from tests.cli.running import MACHINES, command, refused
from tests.probe.gathered.reports import capture, put, report
from tests.report.fleet.test_values import SCHEMA
from tests.report.test_picture import Page
from tests.verdict.fleet.machines import finding

NUMPY = Remedy(commands=("uv pip install --python /x/python 'numpy<2'",))
WARNED = finding("MAC102", severity=Severity.WARNING)


@pytest.fixture
def reports(tmp_path):
    folder = tmp_path / "reports"
    folder.mkdir()
    put(folder, "mac-01", report())
    return folder


def test_all_healthy_is_0(told, reports):
    code, out, lines = told("fleet", reports)

    assert (code, lines) == (0, [])
    assert out.startswith("1 machine: 1 without a fault found\n")


def test_an_error_is_1_and_says_who_shares_it(told, reports):
    for name in ("mac-02", "mac-03"):
        put(reports, name, report(finding("TF311", remedy=NUMPY)))
    code, out, _ = told("fleet", reports)

    assert code == 1
    assert "on: mac-02, mac-03" in out
    assert "$ uv pip install --python PYTHON 'numpy<2'" in out


def test_a_machine_that_was_not_seen_is_no_healthy_one(told, reports):
    put(reports, "mac-02", {"schema_version": 1, "host": "mac-02", "not_seen": "no route"})

    assert told("fleet", reports)[0] == 1


def test_warnings_are_0_and_under_strict_1(told, reports):
    put(reports, "mac-02", report(WARNED))

    assert told("fleet", reports)[0] == 0
    assert told("fleet", "--strict", reports)[0] == 1


@pytest.mark.parametrize("name", ["absent", "empty", "bad.json"])
def test_where_nothing_can_be_read_it_is_3_and_the_table_says_why(told, tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.json").write_text("{")
    code, out, lines = told("fleet", tmp_path / name)

    assert (code, lines) == (3, [])
    assert "not readable: " in out


def test_wrong_words_are_2(told, reports):
    refused(told("fleet", "-"), 2, "- is no report")
    refused(told("fleet", reports, "--format", "xml"), 2, "'xml'")
    refused(told("fleet"), 2, "missing argument")


def test_every_format_and_a_file(told, reports, tmp_path):
    put(reports, "mac-02", report(finding("TF311", remedy=NUMPY)))
    code, out, _ = told("fleet", reports, "--format", "json")
    jsonschema.validate(json.loads(out), SCHEMA)
    assert (code, json.loads(out)["counted"]["errors"]) == (1, 1)

    assert told("fleet", reports, "--format", "html", "-o", tmp_path / "fleet.html")[:2] == (1, "")
    assert Page((tmp_path / "fleet.html").read_text("utf-8")).said("h1") == [
        "2 machines: 1 with errors, 1 without a fault found"
    ]
    assert told("fleet", reports, "--format", "markdown")[1].startswith("### tfcompat fleet\n")


def test_a_file_that_cannot_be_written_is_one_line(told, reports, tmp_path):
    refused(told("fleet", reports, "-o", tmp_path / "no" / "fleet.html"), 3, "cannot write")


def test_a_capture_is_judged_here(told, reports):
    """The pair is one whose plugin cannot load, by the links on record."""
    put(reports, "mac-02", capture("tensorflow 2.18.1", "tensorflow-metal 1.1.0", "numpy 1.26.4"))
    code, out, _ = told("fleet", reports, "--format", "json")

    assert code == 1
    [cause] = [row for row in json.loads(out)["causes"] if row["id"] == "BIN401"]
    assert cause["machines"] == ["mac-02"]


@pytest.mark.parametrize("machine", MACHINES[:4], ids=lambda path: path.stem)
def test_a_captured_machine_comes_out_as_doctor_judges_it(told, machine):
    judged = told("doctor", "--facts", machine)[0]

    assert told("fleet", machine)[0] == judged


def test_hostile_files_beside_a_good_one_hide_nothing(reports):
    """One run over everything that has no business there; the good report is told, each other with a reason."""
    (reports / "cut.json").write_text('{"schema_version": 1, "ok": tr')
    (reports / "binary.json").write_bytes(os.urandom(4096) + b"\0\xff")
    (reports / "link.json").symlink_to("/dev/zero")
    (reports / "folder.json").mkdir()
    os.mkfifo(reports / "pipe.json")
    with (reports / "huge.json").open("wb") as file:
        file.truncate(100_000_000)
    put(reports, "newer", report(schema_version=99))
    put(reports, "\x1b]0;owned\x07\x1b[2J", report(finding("TF311", remedy=Remedy(commands=("\x1b[8mhidden",)))))
    put(reports, "twice-a", report(host="twice"))
    put(reports, "twice-b", report(finding("TF311"), host="twice"))
    done = command("fleet", reports, "-v")

    assert (done.returncode, done.stderr) == (1, "")
    assert "\x1b" not in done.stdout
    assert done.stdout.startswith("10 machines: 1 with errors, 1 without a fault found, 8 not seen or not readable\n")
    for name in ("cut", "binary", "link", "folder", "pipe", "huge", "newer"):
        assert f"? {name}: not readable: " in done.stdout
    assert "? twice: 2 reports of that name say different things" in done.stdout


def test_thousands_of_files_are_one_table(told, reports):
    text = json.dumps(report(finding("TF311", remedy=NUMPY)))
    for at in range(3000):
        put(reports, f"lab-{at:04}", text)
    code, out, _ = told("fleet", reports, "--format", "json")

    assert (code, json.loads(out)["counted"]["machines"]) == (1, 3001)
    assert len(json.loads(out)["fixes"][0]["last"]) == 3000
