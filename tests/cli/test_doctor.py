"""``tfcompat doctor`` on what is no environment, no interpreter, no capture; and on those that are."""

import json
import os
from pathlib import Path

import jsonschema
import pytest

from compat.probe import replay
from tests.cli.running import MACHINES, SEED, command, distribution, environment, executable, refused
from tests.limits import limits
from tests.report.test_json import SCHEMA

WARNED = SEED.with_name("gh-tf-61848.json")
"""Reported with warnings and no error (its pip conflict was harmless in the end)."""


@pytest.mark.parametrize(
    "words, what",
    [
        (["--select", "XYZ"], "no rule is called 'XYZ'"),
        (["--ignore", "XYZ"], "no rule is called 'XYZ'"),
        (["--list-checks", "--select", "XYZ"], "no rule is called 'XYZ'"),
        (["--python", "a", "--venv", "b"], "both name the environment"),
        (["--target", "x"], "--target needs to know"),
        (["--target", "x", "--venv", "y"], "looked at by itself"),
        (["--platform", "macos-arm64"], "describe a --target"),
        (["--target", ".", "--platform", "beos", "--python-version", "3.12"], "unknown platform beos"),
        (["--target", ".", "--platform", "macos-arm64", "--python-version", "three"], "is no Python version"),
    ],
    ids=" ".join,
)
def test_words_that_do_not_fit_together(told, words, what):
    refused(told("doctor", *words), 2, what)


@pytest.mark.parametrize(
    "name, make, what",
    [
        ("absent", lambda path: None, "there is no such folder"),
        ("empty", lambda path: path.mkdir(), "is no environment"),
        ("a file", lambda path: path.write_text("x"), "is a file, not an environment"),
        ('it\'s "x", école', lambda path: path.mkdir(), "is no environment"),
        ("-dash", lambda path: path.mkdir(), "is no environment"),
        ("link", lambda path: path.symlink_to("gone"), "there is no such folder"),
        ("odd\udcff", lambda path: None, "there is no such folder"),
        ("a\nb", lambda path: None, "there is no such folder"),
    ],
    ids=lambda value: value.encode("ascii", "replace").decode() if isinstance(value, str) else "",
)
def test_what_is_no_environment_is_said_to_be_none(told, tmp_path, name, make, what):
    make(tmp_path / name)

    refused(told("doctor", f"--venv={tmp_path / name}"), 3, what)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root, to become nobody")
@pytest.mark.parametrize("option", ["--venv", "--facts", "--python"])
def test_what_may_not_be_read_is_said_to_be_so(told, tmp_path, option):
    secret = tmp_path / "secret"
    secret.mkdir()
    secret.chmod(0)
    told("doctor", "--facts", SEED)  # every import is done as root, whose folders nobody may not read
    os.seteuid(65534)
    try:
        result = told("doctor", option, secret / "inner")
    finally:
        os.seteuid(0)

    refused(result, 3, "inner")


@pytest.mark.parametrize("name", ['it\'s "mine", école', "-dash", "a b"])
def test_an_environment_may_have_any_name(told, tmp_path, name, monkeypatch):
    environment(tmp_path / name)
    monkeypatch.chdir(tmp_path)

    for given in (f"--venv={name}", f"--python={tmp_path / name / 'bin' / 'python'}"):
        code, out, lines = told("doctor", given, "--select", "TF301", "-q")
        assert (code, lines) == (1, [])
        assert name in " ".join(out.split())


@pytest.mark.parametrize(
    "script, what",
    [
        ("#!/bin/sh\necho garbage\n", "is no Python"),
        ("#!/bin/sh\nprintf '\\377\\376\\033[31m'\n", "is no Python"),
        ("#!/bin/sh\nkill -SEGV $$\n", "died of SIGSEGV"),
        ("#!/bin/sh\necho broken >&2; exit 3\n", "ended with code 3: broken"),
        ('#!/bin/sh\necho "$5$5"\n', "no JSON"),
        ('#!/bin/sh\necho "$5[]$5"\n', "could not describe itself"),
        ('#!/bin/sh\necho "$5{\\"result\\": \\"answer\\"}$5"\n', "makes no sense"),
        ("#!/no/such/interpreter\n", "could not be started"),
        ("", "could not be started"),
    ],
)
def test_an_interpreter_that_does_not_answer(told, tmp_path, script, what):
    refused(told("doctor", "--python", executable(tmp_path / "python", script)), 3, what)


def test_an_interpreter_that_hangs_is_given_up(told, tmp_path, monkeypatch):
    from compat.probe.interrogate import Interrogation

    monkeypatch.setattr(Interrogation.answer, "__defaults__", (0.3,))
    refused(told("doctor", "--python", executable(tmp_path / "python", "#!/bin/sh\nsleep 60\n")), 3, "did not answer")


@pytest.mark.parametrize(
    "content, what",
    [
        (b"", "not a whole JSON document"),
        (b'{"schema_version": 1, "facts": {"machine"', "not a whole JSON document"),
        (b'\x00\xff{"schema_version": 1}', "not a whole JSON document"),
        (b"[" * 200000, "not a whole JSON document"),
        (b'{"schema_version": 1, "facts": {"a": ' + b'{"a":' * 100000, "not a whole JSON document"),
        (b'{"schema_version": 1, "n": ' + b"9" * 10000 + b"}", "not a whole JSON document"),
        (b'{"schema_version": 99, "facts": {}}', "schema version 99"),
        (b'{"schema_version": true, "facts": {}}', "schema version true"),
        (b'{"schema_version": 1.0, "facts": {}}', "schema version 1.0"),
        (b'{"schema_version": "' + b"y" * 100000 + b'"}', "schema version"),
        (b'{"schema_version": [[1]]}', "schema version of no known kind"),
        (b'{"facts": {}}', "schema version null"),
        (b"[]", "not a capture"),
        (b'{"schema_version": 1}', "no facts in it"),
        (b'{"schema_version": 1, "facts": []}', "expected an object"),
        (b'{"schema_version": 1, "facts": {"machine": 3}}', "machine: expected an object"),
        (b'{"schema_version": 1, "facts": {"environment": {"path": "x"}}}', "facts.json: environment.kind: missing"),
    ],
    ids=lambda value: value[:40].decode("ascii", "replace") if isinstance(value, bytes) else "",
)
def test_a_facts_file_that_is_none(told, tmp_path, content, what):
    path = tmp_path / "facts.json"
    path.write_bytes(content)
    result = told("doctor", "--facts", path)

    refused(result, 3, what)
    assert len(result[2][0]) < 400 + len(str(path))
    assert result[2][1].startswith("hint: make ")


@pytest.mark.parametrize("megabytes", [30, 100])
def test_megabytes_of_junk_are_not_read(told, tmp_path, megabytes):
    path = tmp_path / "junk.json"
    with path.open("wb") as file:
        file.truncate(megabytes * 1_000_000)

    with limits(calls=3_000_000, memory=25_000_000):
        refused(told("doctor", "--facts", path), 3, "is no capture")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_what_never_ends_is_read_no_further_than_a_capture_can_be_long(told, monkeypatch):
    monkeypatch.setattr(replay, "LIMIT_BYTES", 2_000_000)

    refused(told("doctor", "--facts", "/dev/zero"), 3, "more than 2 MB is no capture")


def test_a_facts_file_that_is_not_there_or_a_folder(told, tmp_path):
    refused(told("doctor", "--facts", tmp_path / "gone.json"), 3, "No such file")
    refused(told("doctor", "--facts", tmp_path), 3, "Is a directory")


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_a_captured_mac_is_judged_as_json_that_fits_the_schema(told, path):
    code, out, lines = told("doctor", "--facts", path, "--format", "json")

    value = json.loads(out)
    jsonschema.validate(value, SCHEMA)
    assert code == (0 if value["ok"] else 1)
    assert lines == []


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_every_way_of_telling_gives_the_same_exit_code(told, path):
    codes = {told("doctor", "--facts", path, "--format", way)[0] for way in ("columns", "json", "markdown")}

    assert len(codes) == 1


def test_warnings_fail_only_when_strict(told):
    rows = json.loads(told("doctor", "--facts", WARNED, "--format", "json")[1])["findings"]
    assert {row["severity"] for row in rows if row["status"] == "fails"} == {"warning"}

    assert told("doctor", "--facts", WARNED)[0] == 0
    assert told("doctor", "--facts", WARNED, "--strict")[0] == 1


def test_a_check_that_crashed_fails_only_when_strict(told, monkeypatch):
    from compat.verdict.rules import RULES

    def crashes(_self, _facts, _matrix):
        raise ZeroDivisionError

    monkeypatch.setattr(type(next(rule for rule in RULES if rule.id == "TF301")), "check", crashes)
    words = ("doctor", "--facts", SEED, "--select", "TF301")

    assert told(*words)[0] == 0
    assert told(*words, "--strict")[0] == 1


def test_markdown_is_ready_for_an_issue_and_masked(told, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    environment(tmp_path / "env")
    code, out, _ = told("doctor", "--venv", tmp_path / "env", "--select", "TF301", "--format", "markdown")

    assert code == 1
    assert out.startswith("### tfcompat doctor\n\n| what | found |\n|---|---|\n")
    assert "**TF301**" in out
    assert str(tmp_path) not in out
    assert "~/env" in out


def test_metadata_that_is_broken_is_a_finding_not_a_crash(told, tmp_path):
    site = environment(tmp_path / "env")
    distribution(site, "latin", "1.0", metadata=b"Name: latin\nVersion: 1.0\nSummary: \xff\xfe\n")
    distribution(site, "cut", "2.0", metadata=b"Nam")
    distribution(site, "bare", "3.0", record=False)
    (site / "empty-4.0.dist-info").mkdir()
    (site / "filed-5.0.dist-info").write_text("a file")
    (site / "gone-6.0.dist-info").symlink_to("nowhere")
    code, out, _ = told("doctor", "--venv", tmp_path / "env", "--format", "json")

    value = json.loads(out)
    assert code == 1
    assert not [row for row in value["findings"] if row["status"] == "crashed"]
    assert any(row["id"] == "TF301" and row["status"] == "fails" for row in value["findings"])
    assert {"latin", "bare"} <= {row["name"] for row in value["facts"]["environment"]["distributions"]}


def test_a_tensorflow_that_is_only_a_name_fails_by_its_import(told, tmp_path):
    distribution(environment(tmp_path / "env"), "tensorflow", "2.18.1", record=False)
    code, out, _ = told("doctor", "--venv", tmp_path / "env", "--format", "json")

    value = json.loads(out)
    rows = {row["id"]: row for row in value["findings"]}
    assert code == 1
    assert rows["NUM601"]["status"] == "fails"
    assert "No module named 'tensorflow'" in json.dumps(rows["NUM601"])
    assert value["facts"]["environment"]["distributions"][0]["has_record"] is False


def test_checks_can_be_listed_selected_and_ignored(told, tmp_path):
    environment(tmp_path / "env")
    listed = [line.split()[0] for line in told("doctor", "--list-checks")[1].splitlines()]

    assert "BIN401" in listed
    assert len(listed) == len(set(listed)) > 40
    assert told("doctor", "--list-checks", "--select", "bin")[1].split()[0] == "BIN401"
    assert "BIN401" not in told("doctor", "--list-checks", "--ignore", "BIN")[1]
    rows = json.loads(told("doctor", "--venv", tmp_path / "env", "--select", "TF301", "--format", "json")[1])
    assert {row["id"] for row in rows["findings"]} == {"TF301"}
    assert told("doctor", "--venv", tmp_path / "env", "--select", "TF", "--ignore", "TF3")[0] == 0


def test_a_target_folder_is_looked_at_by_its_files(told, tmp_path):
    distribution(tmp_path, "tensorflow", "2.18.1")
    words = ("--platform", "macos-arm64", "--python-version", "3.12", "--format", "json")
    facts = json.loads(told("doctor", "--target", tmp_path, *words)[1])["facts"]

    assert (facts["machine"]["os"], facts["machine"]["architecture"]) == ("macos", "arm64")
    assert [row["name"] for row in facts["environment"]["distributions"]] == ["tensorflow"]
    refused(told("doctor", "--target", tmp_path / "gone", *words), 3, "is no folder")


def test_a_captured_machine_can_be_given_an_environment_of_this_one(told, tmp_path):
    environment(tmp_path / "env")
    value = json.loads(told("doctor", "--facts", SEED, "--venv", tmp_path / "env", "--format", "json")[1])

    assert value["facts"]["machine"]["chip"] == "Apple M1"
    assert value["facts"]["environment"]["distributions"] == []
    refused(told("doctor", "--facts", SEED, "--venv", tmp_path / "gone"), 3, "there is no such folder")


@pytest.mark.parametrize(
    "make, what",
    [
        (lambda root: None, "no matrix data in"),
        (lambda root: root.write_text("a file"), "no matrix data in"),
        (lambda root: root.mkdir(), "holds no releases"),
    ],
    ids=["absent", "file", "empty"],
)
@pytest.mark.parametrize("words", [["doctor", "--facts", SEED], ["fix", "--facts", SEED], ["pins", "x"]], ids=str)
def test_without_a_matrix_nothing_is_judged(told, tmp_path, monkeypatch, make, what, words):
    make(tmp_path / "matrix")
    monkeypatch.setenv("TFCOMPAT_MATRICES", str(tmp_path / "matrix"))
    result = told(*words)

    refused(result, 3, what)
    assert "TFCOMPAT_MATRICES" in result[2][1]


def test_end_to_end_from_an_unrelated_folder(tmp_path):
    environment(tmp_path / "env")
    done = command("doctor", "--venv", "env", "--no-smoke", "--format", "json", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (1, "")
    jsonschema.validate(json.loads(done.stdout), SCHEMA)
