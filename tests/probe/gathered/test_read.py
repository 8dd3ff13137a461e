"""Reports become what a table needs of them; what is no report becomes a machine that was not seen, with the reason."""

import gc
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.facts.machine import Machine
from compat.probe.gathered.read import Captured, read
from compat.verdict.finding import Remedy, Severity, Status
from compat.verdict.fleet.machine import Seen, Unseen
from tests.probe.gathered.reports import PAIR, capture, facts, put, report
from tests.verdict.fleet.machines import finding


def one(tmp_path, value, name="mac-01"):
    [answer] = read([put(tmp_path, name, value)])
    return answer


def test_a_report_is_read_for_its_machine_and_its_root_causes(tmp_path):
    cause = finding("BIN401", remedy=Remedy(text="words", commands=("tfcompat fix --create-venv",)), issue="ISS001")
    passed = finding("TF311", status=Status.PASSES, severity=Severity.INFO)
    answer = one(tmp_path, report(cause, finding("NUM601", "BIN401"), passed))

    assert isinstance(answer, Seen)
    assert (answer.name, answer.ok, answer.place) == ("mac-01", False, str(tmp_path / "mac-01.json"))
    [found] = answer.faults
    assert (found.id, found.issue, found.severity) == ("BIN401", "ISS001", Severity.ERROR)
    assert found.remedy == cause.remedy


def test_what_machines_are_counted_by(tmp_path):
    traits = one(tmp_path, report()).traits

    assert (traits.chip, traits.system, traits.python) == ("Apple M1", "macOS 14.5", "3.11.7")
    assert (traits.tensorflow, traits.plugin) == ("tensorflow 2.18.1", "tensorflow-metal 1.2.0")
    assert (traits.measured, traits.judged_by) == (True, "tfcompat 0.1.0, matrix of 2026-11-30")


def test_what_is_not_there_is_told_apart_from_what_is_not_known(tmp_path):
    empty = one(tmp_path, report(looked=facts()), "a").traits
    value = report()
    value["facts"] = {"machine": {"chip": {"unknown": "not stated"}}}
    silent = one(tmp_path, value, "b").traits

    assert (empty.tensorflow, empty.plugin, empty.measured) == ("not installed", "no plugin", False)
    assert {silent.chip, silent.system, silent.python, silent.tensorflow, silent.plugin} == {"not known"}


def test_a_smoke_test_that_did_not_end_measured_nothing(tmp_path):
    assert not one(tmp_path, report(looked=facts(*PAIR, numerics="hung"))).traits.measured


def test_the_first_on_the_path_is_the_one_that_is_imported(tmp_path):
    looked = facts("tensorflow 2.15.1", "tensorflow 2.18.1")

    assert one(tmp_path, report(looked=looked)).traits.tensorflow == "tensorflow 2.15.1"


def test_a_name_in_the_document_goes_before_that_of_the_file(tmp_path):
    assert one(tmp_path, report(host="lab/mac 7")).name == "lab/mac 7"
    assert one(tmp_path, report(host=" "), "mac-02").name == "mac-02"
    assert one(tmp_path, report(host=["x"]), "mac-03").name == "mac-03"


def test_the_exit_code_is_kept(tmp_path):
    assert one(tmp_path, report(exit_code=1)).exit_code == 1
    record = one(
        tmp_path, {"schema_version": 1, "host": "mac-02", "not_seen": "Doctor: no\x1b such folder", "exit_code": 3}
    )

    assert record == Unseen(
        name="mac-02", place=str(tmp_path / "mac-01.json"), why="not seen: Doctor: no\ufffd such folder", exit_code=3
    )


def test_a_capture_is_handed_on_to_be_judged(tmp_path):
    answer = one(tmp_path, capture(*PAIR))

    assert isinstance(answer, Captured)
    assert answer.facts.environment.version("tensorflow-metal") == "1.2.0"
    assert (answer.seen.traits.tensorflow, answer.seen.faults) == ("tensorflow 2.18.1", ())


def test_a_report_of_an_older_tool_is_read_as_far_as_it_goes(tmp_path):
    value = report(finding("TF311"), tool_version="0.0.1")
    for row in value["findings"]:
        del row["issue"], row["url"], row["evidence"], row["caused_by"]
    answer = one(tmp_path, value)

    assert [found.id for found in answer.faults] == ["TF311"]
    assert answer.traits.judged_by == "tfcompat 0.0.1, matrix of 2026-11-30"


def without(key, *within):
    value = report(finding("TF311"))
    place = value
    for step in within:
        place = place[step]
    del place[key]
    return value


def changed(value, *within):
    whole = report(finding("TF311"))
    place = whole
    for step in within[:-1]:
        place = place[step]
    place[within[-1]] = value
    return whole


BAD = {
    "cut short": (json.dumps(report())[:300], "not a whole JSON document"),
    "empty": ("", "the file is empty"),
    "only blanks": (" \n", "the file is empty"),
    "no JSON": ("tfcompat: no such folder\n", "not a whole JSON document"),
    "binary": (bytes(range(256)), "not a whole JSON document"),
    "a list": ([], "neither a report of doctor nor a capture"),
    "another document": ({"schema_version": 1, "causes": []}, "neither a report of doctor nor a capture"),
    "deep": ("[" * 100_000 + "]" * 100_000, "not a whole JSON document"),
    "a number of many digits": ('{"ok": ' + "9" * 5000 + "}", "not a whole JSON document"),
    "another schema": (report(schema_version=2), "schema version 2, this tfcompat reads 1"),
    "schema true": (report(schema_version=True), "schema version true, this tfcompat reads 1"),
    "schema a list": (report(schema_version=[1]), "schema version of no known kind"),
    "no schema": (without("schema_version"), "schema version null"),
    "a capture of another schema": (capture() | {"schema_version": 9}, "schema version 9"),
    "a capture that does not fit": ({"schema_version": 1, "facts": {"machine": {"os": 7}}}, "facts.machine.os: expected"),
    "no ok": (without("ok"), "ok: missing"),
    "no findings": (without("findings"), "findings: expected a list"),
    "findings of no kind": (changed({}, "findings"), "findings: expected a list"),
    "no facts": (without("facts"), "facts: missing"),
    "no machine": (without("machine", "facts"), "facts.machine: missing"),
    "a finding that is none": (changed(7, "findings", 0), "findings[0]: expected an object, found a number"),
    "no id": (without("id", "findings", 0), "findings[0].id: missing"),
    "no severity": (without("severity", "findings", 0), "findings[0].severity: missing"),
    "severity": (changed("fatal", "findings", 0, "severity"), "findings[0].severity: 'fatal' is no severity"),
    "status": (changed("odd", "findings", 0, "status"), "findings[0].status: 'odd' is no status"),
    "a status of no kind": (changed([], "findings", 0, "status"), "findings[0].status: expected str, found a list"),
    "commands": (changed([7], "findings", 0, "remedy", "commands"), "findings[0].remedy.commands[0]: expected str"),
    "a record without a reason": ({"schema_version": 1, "not_seen": None}, "not_seen: expected str, found null"),
    "a record of another schema": ({"schema_version": 3, "not_seen": "x"}, "schema version 3"),
}  # fmt: skip


@pytest.mark.parametrize("value, why", BAD.values(), ids=BAD)
def test_what_is_no_report_is_a_machine_not_seen_with_the_reason(tmp_path, value, why):
    answer = one(tmp_path, value, "mac-09")

    assert isinstance(answer, Unseen)
    assert answer.name == "mac-09"
    assert answer.why.startswith("not readable: ")
    assert why in answer.why
    assert answer.why.isprintable()


def test_a_report_from_a_shell_that_writes_utf_16_is_read(tmp_path):
    assert isinstance(one(tmp_path, json.dumps(report()).encode("utf-16")), Seen)
    assert isinstance(one(tmp_path, b"\xef\xbb\xbf" + json.dumps(report()).encode()), Seen)


def test_a_file_that_is_not_there_is_an_answer(tmp_path):
    [answer] = read([tmp_path / "mac.json"])

    assert (answer.name, answer.why) == ("mac", "not readable: No such file or directory")


def test_a_link_in_a_folder_is_told(tmp_path):
    (tmp_path / "mac.json").symlink_to("/dev/zero")
    [answer] = read([tmp_path])

    assert answer.why == "not readable: a symbolic link, not followed"


def test_names_versions_and_reasons_cannot_move_a_terminal(tmp_path):
    machine = Machine(os="mac\x1b[1A", os_version="14\n5", chip="\x1b]0;title\x07")
    value = report(looked=facts("tensorflow 2\x1b[31m", machine=machine), host="a\x1b[2Jb", tool_version="\x9b0m")
    answer = one(tmp_path, value)
    traits = answer.traits

    assert all(text.isprintable() for text in (answer.name, traits.chip, traits.system, traits.tensorflow))
    assert traits.judged_by.isprintable()
    [bad] = read([put(tmp_path, "b\x1b[2J\nc", "{")])
    assert (bad.name, bad.place.isprintable()) == ("b\ufffd[2J c", True)


def test_the_home_folder_is_not_told(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "reports").mkdir()

    assert [answer.place for answer in read([put(tmp_path / "reports", "a", report())])] == ["~/reports/a.json"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ("schema_version", "ok", "facts", "findings", "tool_version", "matrix_date", "host", "exit_code", "not_seen")


@given(st.sampled_from(KEYS), VALUES)
def test_whatever_stands_in_a_report_the_answer_is_one_machine(tmp_path_factory, key, value):
    folder = tmp_path_factory.mktemp("any")
    [answer] = read([put(folder, "mac", report(finding("TF311"), finding("TF302", "TF311")) | {key: value})])

    assert isinstance(answer, (Seen, Unseen))
    assert answer.name.isprintable()


def test_of_many_reports_only_what_the_table_needs_is_kept(tmp_path):
    """A hundred reports of half a megabyte, alike but for the name: what is kept is far less than one of them."""
    value = report(finding("TF311", remedy=Remedy(text="do this")))
    value["facts"]["filling"] = ["x" * 50] * 10_000
    for at in range(100):
        put(tmp_path, f"mac-{at}", value)
    list(read([tmp_path]))  # what is made once is made
    gc.collect()
    tracemalloc.start()
    kept = list(read([tmp_path]))
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(kept) == 100
    assert size < 250_000


def test_machines_that_are_alike_share_what_is_alike(tmp_path):
    for name in ("a", "b"):
        put(tmp_path, name, report(finding("TF311", remedy=Remedy(text="do this"))))
    first, second = read([tmp_path])

    assert first.faults is second.faults
    assert first.traits is second.traits
