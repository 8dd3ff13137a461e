"""Every fault that can be planted in a row, a file or between rows is found, at its address."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat.matrix.lint import Problem, lint
from tests.matrix.trees import GOOD, departed, good, write

MATRICES = Path(__file__).resolve().parents[2] / "matrices"
ISSUES, RUNS, TABLE = "issues/load.toml", "observed/runs.toml", "observed/table.toml"
MACOS, CHIPS, REPAIRS = "platforms/macos.toml", "platforms/chips.toml", "repairs/repairs.toml"
LINKS = "links/tensorflow-metal.arm64.toml"
MAC_LOCK = "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"
LINUX_LOCK = "locks/linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml"
RELEASES = "releases/tensorflow.toml"
TODAY = "2026-12-01"

FAULTS = [
    # what is planted: file, text, its replacement; what is found: address, piece of the text
    (ISSUES, 'id = "ISS001"', 'id = "ISS1"', "issues: ISS1", "three digits"),
    (ISSUES, 'id = "ISS001"', 'id = "BUG001"', "issues: BUG001", "three digits"),
    (ISSUES, 'id = "ISS001"', 'id = "ISS0x1"', "issues: ISS0x1", "three digits"),
    (ISSUES, 'title = "A plugin beside the wrong TensorFlow"', 'title = " "', "issues: ISS001.title", "empty"),
    (ISSUES, 'remedy = "Take another pair"', 'remedy = ""', "issues: ISS001.remedy", "empty"),
    (ISSUES, 'symptom = "The import fails"\n', "", "issues: issues[0]", "symptom: missing"),
    (ISSUES, '"error"', '"fatal"', "issues: ISS001.severity", "none of error"),
    (ISSUES, '"BIN401"', '"BIN4"', "issues: ISS001.rule", "not a rule id"),
    (ISSUES, '"BIN401"', '"XYZ401"', "issues: ISS001.rule", "not a rule id"),
    (ISSUES, "2026-11-30", "2010-11-30", "issues: ISS001.sources[0].day", "older than TensorFlow"),
    (ISSUES, "2026-11-30", "2026-12-02", "issues: ISS001.sources[0].day", "yet to come"),
    (ISSUES, "2026-11-30", '"soon"', "issues: ISS001.sources[0].day", "not a day"),
    (ISSUES, '"https://github.com', '"http://github.com', "issues: ISS001.sources[0].url", "not an https address"),
    (ISSUES, '"https://github.com', '"note:github.com', "issues: ISS001.sources[0].url", "not an https address"),
    (ISSUES, "day = 2026-11-30 }", 'day = 2026-11-30, kind = "rumour" }', "issues: ISS001.sources[0].kind", "none of"),
    (ISSUES, "day = 2026-11-30 }", 'day = 2026-11-30, kind = "article" }', "issues: ISS001.sources", "second-hand"),
    (ISSUES, '">=2.18,<2.20"', '"since 2.18"', "issues: ISS001.affects[0].with_versions", "not a PEP 440 set"),
    (ISSUES, '"==1.1.0"', '""', "issues: ISS001.affects[0].versions", "not a PEP 440 set"),
    (ISSUES, 'macos = ">=12"', 'macos = "12"', "issues: ISS001.affects[0].macos", "not a PEP 440 set"),
    (ISSUES, 'package = "tensorflow-metal", ', "", "issues: ISS001.affects[0].package", "holds everywhere"),
    (
        ISSUES,
        'with_package = "tensorflow", ',
        "",
        "issues: ISS001.affects[0].with_versions",
        "versions of no package",
    ),
    (ISSUES, '["macos-arm64"]', '["macos"]', "issues: ISS001.affects[0].platforms", "'macos' is none of"),
    (ISSUES, '["Apple M1"]', '["Apple M9"]', "issues: ISS001.affects[0].chips", "no chip"),
    (ISSUES, '"Symbol not found: __ZN3tsl"', '"Symbol"', "issues: ISS001.signatures[0]", "too short"),
    (ISSUES, "Symbol not found: _", "/Users/ada/venv: _", "issues: ISS001.signatures[0]", "'/Users/'"),
    (ISSUES, "Symbol not found: _", "in site-packages/x: _", "issues: ISS001.signatures[0]", "'site-packages'"),
    (ISSUES, "Symbol not found: _", "Symbol not found.*: _", "issues: ISS001.signatures[0]", "regular expression"),
    (ISSUES, "tfcompat fix --create-venv", "rm -rf .venv", "issues: ISS001.commands[0]", "destroys"),
    (ISSUES, "tfcompat fix --create-venv", "x && sudo pip", "issues: ISS001.commands[0]", "destroys"),
    (ISSUES, "tfcompat fix --create-venv", "~/venv/bin/pip", "issues: ISS001.commands[0]", "one machine only"),
    (RUNS, '"OBS001"', '"CLM009"', "observed: CLM009", "OBS and three digits"),
    (RUNS, 'kind = "run"', 'kind = "rumour"', "observed: OBS001.kind", "none of run, claim"),
    (RUNS, 'tier = "imports"', 'tier = "hopes"', "observed: OBS001.tier", "none of installs"),
    (RUNS, 'tier = "imports"', 'tier = "runs"', "observed: OBS001.tier", "not one of tier 'runs'"),
    (RUNS, '"fails-to-load"', '"fails"', "observed: OBS001.result", "none of works"),
    (RUNS, '"2.18.0"', '">=2.18"', "observed: OBS001.tensorflow", "exactly one"),
    (RUNS, '"15.2"', '"Sequoia"', "observed: OBS001.macos", "exactly one"),
    (RUNS, '"15.2"', '"16.0"', "observed: OBS001.macos", "'16' is not in platforms/macos.toml"),
    (RUNS, '"Apple M2 Max"', '"M2 Max"', "observed: OBS001.chip", "not in platforms/chips.toml"),
    (RUNS, 'plugin_version = "1.1.0"\n', "", "observed: OBS001.plugin_version", "a plugin without its version"),
    (RUNS, 'what = "import"\n', "", "observed: OBS001.what", "say what was run"),
    (RUNS, 'what = "import"', 'what = "x"\ncontradicted_by = ["CLM001"]', "observed: OBS001.contradicted_by", "both"),
    (RUNS, "sources = [", "sources = [] # ", "observed: OBS001.sources", "no source"),
    (TABLE, '">=2.14,<2.19"', '"2.14 to 2.18"', "observed: CLM001.tensorflow", "not a PEP 440 set"),
    (TABLE, '["OBS001"', '["OBS404"', "observed: CLM001.contradicted_by", "there is no row 'OBS404'"),
    (TABLE, "2.18.0 + 1.1.0", "2.18.0 + 9.9", "observed: CLM001.contradicted_by", "2.18.0 + 9.9"),
    (MACOS, 'version = "15"', 'version = "12"', "platforms: macos", "12 stands there 2 times"),
    (MACOS, "darwin = 24", "darwin = 21", "platforms: macos, darwin", "21 stands there 2 times"),
    (MACOS, "darwin = 24", 'darwin = "24"', "platforms: macos[1]", "darwin: expected int"),
    (CHIPS, 'name = "Apple M2 Max"', 'name = "Apple M1"', "platforms: chips", "Apple M1 stands there 2 times"),
    (CHIPS, 'architecture = "arm64"', 'architecture = "ppc"', "platforms: Apple M1.architecture", "no Mac is 'ppc'"),
    (CHIPS, 'oldest_macos = "12"', 'oldest_macos = "11"', "platforms: Apple M1.oldest_macos", "'11' is not in"),
    (CHIPS, 'newest_macos = "15"', 'newest_macos = "99"', "platforms: Apple M2 Max.newest_macos", "'99' is not in"),
    (REPAIRS, '"old-python-only"', '"numpy-2"', "repairs", "numpy-2 stands there 2 times"),
    (REPAIRS, '"numpy<2"', '"numpy below 2"', "repairs: numpy-2.requirement", "not a requirement"),
    (REPAIRS, '"<2.12"', '"old"', "repairs: numpy-2.versions", "not a PEP 440 set"),
    (REPAIRS, '"<3.10"', '"3.10-"', "repairs: old-python-only.python", "not a PEP 440 set"),
    (REPAIRS, 'step = "import"', 'step = "start"', "repairs: numpy-2.step", "none of import"),
    (REPAIRS, '"ModuleNotFoundError"', '""', "repairs: old-python-only.failure", "empty"),
    (REPAIRS, '["tensorflow", "tensorflow-macos"]', "[]", "repairs: numpy-2.packages", "a repair of nothing"),
    (LINKS, 'missing = "log"', 'missing = "gone"', "links", "missing set 'gone' is not defined"),
    (LINKS, "layer = 2, ", "", "links/tensorflow-metal.arm64: tensorflow 2.18.0 + 1.1.0.layer", "layer 1, 2 or 3"),
    (
        LINKS,
        "loads = false",
        "loads = true",
        "links/tensorflow-metal.arm64: tensorflow 2.18.0 + 1.1.0.layer",
        "and yet",
    ),
    (
        LINKS,
        '"a shell of a few KB"',
        '""',
        "links/tensorflow-metal.arm64: tensorflow-macos 2.16.2 + 1.2.0.reason",
        "why",
    ),
    (LINKS, '"2.18.1"', '"newest"', "links/tensorflow-metal.arm64: tensorflow newest + 1.2.0.tensorflow", "version"),
    (
        LINKS,
        '"2.16.2", plugin_version = "1.2.0", loads',
        '"2.18.1", plugin_version = "1.2.0", loads',
        "links",
        "2.18.1 + 1.2.0 stands there 2 times",
    ),
    (LINKS, '"2.18.1"', '"2.18.2"', MAC_LOCK, "no row of links/ says that this plugin loads"),
    (MAC_LOCK, 'tier = "links"', 'tier = "runs"', f"{MAC_LOCK}.tier", "never run"),
    (MAC_LOCK, 'tier = "links"', 'tier = "best"', f"{MAC_LOCK}.tier", "none of installs"),
    (MAC_LOCK, 'python = "3.12"', 'python = "3.11"', f"{MAC_LOCK}.file", "cp311.toml"),
    (MAC_LOCK, 'platform = "macos-arm64"', 'platform = "mac"', f"{MAC_LOCK}.platform", "'mac' is none of"),
    (MAC_LOCK, '["numpy-2"]', '["numpy-3"]', f"{MAC_LOCK}: repairs", "there is no repair 'numpy-3'"),
    (MAC_LOCK, "a" * 64, "A" * 64, f"{MAC_LOCK}: tensorflow", "without a SHA-256"),
    (MAC_LOCK, "size = 12", "size = 0", f"{MAC_LOCK}: tensorflow-metal", "without a SHA-256 and size"),
    (MAC_LOCK, 'l", version = "1.2.0"', 'l", version = "1.1.0"', MAC_LOCK, "do not hold tensorflow-metal 1.2.0"),
    (MAC_LOCK, 'name = "tensorflow-metal"', 'name = "tensorflow"', MAC_LOCK, "tensorflow stands there 2 times"),
    (MAC_LOCK, 'file = "metal.whl", ', "", MAC_LOCK, "packages[1]: file: missing"),
    (MAC_LOCK, "exclude_newer = 2026-11-30", 'exclude_newer = "?"', f"{MAC_LOCK}.exclude_newer", "not a day"),
    (LINUX_LOCK, "day = 2026-11-30", "day = 2026-12-30", f"{LINUX_LOCK}.verified.day", "yet to come"),
    (LINUX_LOCK, "[verified]\nday = 2026-11-30\n", "", f"{LINUX_LOCK}.verified", "without the day"),
    (LINUX_LOCK, '"3.12"', '"3.13"', f"{LINUX_LOCK}.file", "cp313"),
    (RELEASES, 'version = "2.18.0"', 'version = "2.18.1"', "releases/tensorflow", "2.18.1 stands there 2 times"),
    (RELEASES, 'version = "2.18.0"', 'version = "two"', "releases/tensorflow: two", "not a version"),
    (RELEASES, "uploaded = 2025-03-12", 'uploaded = "x"', "releases/tensorflow: 2.18.1.uploaded", "not a day"),
    (RELEASES, "requires = 0", "requires = 7", "releases/tensorflow", "no list number 7"),
    (ISSUES, "[[issues]]", "[[issues", "issues", "load.toml"),
]


@pytest.mark.parametrize(
    ("name", "old", "new", "address", "text"), FAULTS, ids=[f"{row[0]}-{row[2][:30]}" for row in FAULTS]
)
def test_a_planted_fault_is_found_at_its_address(tmp_path, name, old, new, address, text):
    found = lint(departed(tmp_path, name, old, new), today=TODAY)

    assert [problem for problem in found if problem.address == address and text in problem.text], found


def test_a_good_matrix_has_no_problem(tmp_path):
    assert lint(good(tmp_path), today=TODAY) == ()


def test_all_problems_are_told_at_once(tmp_path):
    text = GOOD[ISSUES].replace('"error"', '"fatal"').replace('"BIN401"', '"?"')

    found = lint(write(tmp_path, {**GOOD, ISSUES: text}))

    assert {problem.address for problem in found} == {"issues: ISS001.severity", "issues: ISS001.rule"}


def test_an_issue_needs_a_signature_or_a_rule(tmp_path):
    bare = GOOD[ISSUES].replace('rule = "BIN401"\n', "").replace('signatures = ["Symbol not found: __ZN3tsl"]\n', "")

    found = lint(write(tmp_path, {**GOOD, ISSUES: bare}))

    assert [problem.address for problem in found] == ["issues: ISS001.signatures"]


@pytest.mark.parametrize("dropped", ['rule = "BIN401"\n', 'signatures = ["Symbol not found: __ZN3tsl"]\n'])
def test_one_of_signature_and_rule_is_enough(tmp_path, dropped):
    assert lint(departed(tmp_path, ISSUES, dropped, "")) == ()


@pytest.mark.parametrize(("name", "section", "row"), [(ISSUES, "issues", "ISS001"), (RUNS, "observed", "OBS001")])
def test_an_id_is_used_once_across_files(tmp_path, name, section, row):
    found = lint(write(tmp_path, {**GOOD, f"{section}/second.toml": GOOD[name]}))

    assert found == (Problem(address=section, text=f"{row} stands there 2 times"),)


def test_a_note_without_an_address_is_a_source_of_its_own_kind(tmp_path):
    source = '"https://github.com/tensorflow/tensorflow/issues/84167", day = 2026-11-30'

    assert lint(departed(tmp_path, ISSUES, source, '"note:m1-owner", day = 2026-11-30, kind = "note"')) == ()


def test_a_mac_cannot_have_run_a_macos_older_than_itself(tmp_path):
    chips = GOOD[CHIPS].replace(
        '"Apple M2 Max"\narchitecture = "arm64"\noldest_macos = "12"',
        '"Apple M2 Max"\narchitecture = "arm64"\noldest_macos = "15"',
    )
    runs = GOOD[RUNS].replace('"15.2"', '"12.3"')

    found = lint(write(tmp_path, {**GOOD, CHIPS: chips, RUNS: runs}))

    assert [str(problem) for problem in found] == ["observed: OBS001.macos: Macs with Apple M2 Max run 15 and newer"]


def test_a_run_without_macos_chip_and_plugin_is_a_run(tmp_path):
    runs = GOOD[RUNS]
    for line in (
        'chip = "Apple M2 Max"\n',
        'macos = "15.2"\n',
        'plugin = "tensorflow-metal"\n',
        'plugin_version = "1.1.0"\n',
    ):
        assert line in runs
        runs = runs.replace(line, "")

    assert lint(write(tmp_path, {**GOOD, RUNS: runs})) == ()


def test_without_link_rows_no_lock_is_accused_of_a_pair(tmp_path):
    files = {name: text for name, text in GOOD.items() if name not in (LINKS, TABLE)}

    assert lint(write(tmp_path, files)) == ()


def test_days_to_come_are_no_problem_for_who_does_not_say_today(tmp_path):
    assert lint(departed(tmp_path, ISSUES, "2026-11-30", "2999-01-01")) == ()


def test_the_compiled_form_is_never_what_is_linted(tmp_path):
    root = departed(tmp_path, ISSUES, '"error"', '"fatal"')
    write(root, {"compiled/issues.json": '{"issues": []}'})

    assert [problem.address for problem in lint(root)] == ["issues: ISS001.severity"]


def test_a_lock_that_vanishes_between_two_looks_is_a_problem_and_no_crash(tmp_path, monkeypatch):
    root = good(tmp_path)
    heads = compiled_locks(root)
    (root / MAC_LOCK).unlink()
    monkeypatch.setattr("compat.matrix.compiled._locks", lambda _: heads)

    assert [problem.address for problem in lint(root)] == [MAC_LOCK]


def compiled_locks(root):
    from compat.matrix.compiled import section

    return section(root, "locks")


def test_the_committed_matrix_has_no_problem():
    assert [str(problem) for problem in lint(MATRICES)] == []
