"""Every fault that can be planted in a file, a row, between rows or in the tree is found, at its address, by its check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compat.matrix import compiled
from compat.matrix.lint import CHECKS, SCOPES, lint
from tests.matrix.trees import GOOD, write

MATRICES = Path(__file__).resolve().parents[2] / "matrices"
ISSUES, RUNS, TABLE = "issues/load.toml", "observed/runs.toml", "observed/table.toml"
MACOS, CHIPS, PYTHONS = "platforms/macos.toml", "platforms/chips.toml", "platforms/pythons.toml"
REPAIRS, LINKS = "repairs/repairs.toml", "links/tensorflow-metal.arm64.toml"
MAC_LOCK = "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml"
LINUX_LOCK = "locks/linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml"
RELEASES, METAL = "releases/tensorflow.toml", "releases/tensorflow-metal.toml"
HEAD, EXCEPTIONS = "matrix.toml", "exceptions.toml"
URLS, WHEELS = "files/urls.toml", "files/macos.toml"
TODAY = "2026-12-01"
SIGNATURE = "Symbol not found: __ZN3tsl"

SOUND = {
    **{name: text.lstrip("\n") for name, text in GOOD.items()},
    HEAD: "schema = 1\n",
    URLS: 'base = "https://files.pythonhosted.org/packages"\n[folders]\n"a.whl" = "79/4c"\n',
    WHEELS: 'wheels = [{ file = "a.whl", sha256 = "' + "d" * 64 + '" }]\n',
    PYTHONS: (
        '[[pythons]]\nversion = "3.12"\norigin = "uv"\nbinary = "arm64"\n'
        'sources = [{ url = "https://pypi.org/project/uv/", day = 2026-11-30 }]\n'
    ),
    LINKS: GOOD[LINKS].replace(
        "\n]\n",
        """
  { distribution = "tensorflow", tensorflow = "2.18.1", plugin_version = "1.1.0", loads = false, layer = 2, missing = "log" },
  { distribution = "tensorflow", tensorflow = "2.18.0", plugin_version = "1.2.0", loads = true },
  { distribution = "tensorflow", tensorflow = "2.16.2", plugin_version = "1.1.0", loads = true },
]
""",
    ),
    RELEASES: GOOD[RELEASES].replace('rc0"\nuploaded = 2025-02-01\nwheels = [{ tag = "cp312-cp312-macosx_12_0_arm64", size = 240000000 }]', 'rc0"\nuploaded = 2025-02-01\nwheels = [{ tag = "cp312-cp312-macosx_12_0_arm64", size = 2000 }]')
    + """[[releases]]
version = "2.16.2"
uploaded = 2024-06-28
wheels = [{ tag = "cp312-cp312-macosx_12_0_arm64", size = 230000000 }]
""",
    METAL: GOOD[METAL]
    + """[[releases]]
version = "1.1.0"
uploaded = 2023-09-14
wheels = [{ tag = "cp311-cp311-macosx_12_0_arm64", size = 1357400 }]
""",
}  # fmt: skip
"""A matrix with no problem: each test departs from it in one place."""

FAULTS = [
    # what is planted: file, text, its replacement; where it is found behind the file's name, and by which check
    (ISSUES, 'id = "ISS001"', 'id = "ISS1"', "ISS1.id", "id-shape"),
    (ISSUES, 'id = "ISS001"', 'id = "BUG001"', "BUG001.id", "id-shape"),
    (ISSUES, 'id = "ISS001"', 'id = "ISS0x1"', "ISS0x1.id", "id-shape"),
    (ISSUES, 'title = "A plugin beside the wrong TensorFlow"', 'title = " "', "ISS001.title", "empty-field"),
    (ISSUES, 'remedy = "Take another pair"', 'remedy = ""', "ISS001.remedy", "empty-field"),
    (ISSUES, 'symptom = "The import fails"\n', "", "ISS001.symptom", "missing-key"),
    (ISSUES, '"error"', '"fatal"', "ISS001.severity", "unknown-word"),
    (ISSUES, '"BIN401"', '"BIN4"', "ISS001.rule", "rule-id"),
    (ISSUES, '"BIN401"', '"XYZ401"', "ISS001.rule", "rule-id"),
    (ISSUES, "2026-11-30", "2010-11-30", "ISS001.sources[0].day", "day"),
    (ISSUES, "2026-11-30", "2026-12-02", "ISS001.sources[0].day", "day"),
    (ISSUES, "2026-11-30", '"soon"', "ISS001.sources[0].day", "day"),
    (ISSUES, '"https://github.com', '"http://github.com', "ISS001.sources[0].url", "source-url"),
    (ISSUES, '"https://github.com', '"note:github.com', "ISS001.sources[0].url", "source-url"),
    (ISSUES, "day = 2026-11-30 }", 'day = 2026-11-30, kind = "rumour" }', "ISS001.sources[0].kind", "unknown-word"),
    (ISSUES, "day = 2026-11-30 }", 'day = 2026-11-30, kind = "article" }', "ISS001.sources", "second-hand-only"),
    (ISSUES, '">=2.18,<2.20"', '"since 2.18"', "ISS001.affects[0].with_versions", "version-set"),
    (ISSUES, '"==1.1.0"', '""', "ISS001.affects[0].versions", "version-set"),
    (ISSUES, 'macos = ">=12"', 'macos = "12"', "ISS001.affects[0].macos", "version-set"),
    (ISSUES, 'package = "tensorflow-metal", ', "", "ISS001.affects[0].package", "no-package"),
    (ISSUES, 'with_package = "tensorflow", ', "", "ISS001.affects[0].with_versions", "no-package"),
    (ISSUES, '["macos-arm64"]', '["macos"]', "ISS001.affects[0].platforms", "unknown-word"),
    (ISSUES, '["Apple M1"]', '["Apple M9"]', "ISS001.affects[0].chips", "unknown-chip"),
    (ISSUES, '"Symbol not found: __ZN3tsl"', '"Symbol"', "ISS001.signatures[0]", "signature-too-short"),
    (ISSUES, "Symbol not found: _", "/Users/ada/venv: _", "ISS001.signatures[0]", "signature-personal"),
    (ISSUES, "Symbol not found: _", "in site-packages/x: _", "ISS001.signatures[0]", "signature-personal"),
    (ISSUES, "Symbol not found: _", "Symbol not found.*: _", "ISS001.signatures[0]", "signature-pattern"),
    (ISSUES, "tfcompat fix --create-venv", "rm -rf .venv", "ISS001.commands[0]", "command-destructive"),
    (ISSUES, "tfcompat fix --create-venv", "x && sudo pip", "ISS001.commands[0]", "command-destructive"),
    (ISSUES, "tfcompat fix --create-venv", "~/venv/bin/pip", "ISS001.commands[0]", "command-personal"),
    (RUNS, '"OBS001"', '"CLM009"', "CLM009.id", "id-shape"),
    (RUNS, 'kind = "run"', 'kind = "rumour"', "OBS001.kind", "unknown-word"),
    (RUNS, 'tier = "imports"', 'tier = "hopes"', "OBS001.tier", "unknown-word"),
    (RUNS, 'tier = "imports"', 'tier = "runs"', "OBS001.tier", "result-tier"),
    (RUNS, '"fails-to-load"', '"fails"', "OBS001.result", "unknown-word"),
    (RUNS, '"2.18.0"', '">=2.18"', "OBS001.tensorflow", "version"),
    (RUNS, '"15.2"', '"Sequoia"', "OBS001.macos", "version"),
    (RUNS, '"15.2"', '"16.0"', "OBS001.macos", "unknown-macos"),
    (RUNS, '"Apple M2 Max"', '"M2 Max"', "OBS001.chip", "unknown-chip"),
    (RUNS, 'plugin_version = "1.1.0"\n', "", "OBS001.plugin_version", "run-shape"),
    (RUNS, 'what = "import"\n', "", "OBS001.what", "empty-field"),
    (RUNS, 'what = "import"', 'what = "x"\ncontradicted_by = ["CLM001"]', "OBS001.contradicted_by", "run-shape"),
    (RUNS, "sources = [", "sources = [] # ", "OBS001.sources", "no-source"),
    (TABLE, '">=2.14,<2.19"', '"2.14 to 2.18"', "CLM001.tensorflow", "version-set"),
    (TABLE, '["OBS001"', '["OBS404"', "CLM001.contradicted_by[0]", "unknown-reference"),
    (TABLE, "2.18.0 + 1.1.0", "2.18.0 + 9.9", "CLM001.contradicted_by[1]", "unknown-reference"),
    (MACOS, 'version = "15"', 'version = "12"', "12.version", "duplicate-id"),
    (MACOS, "darwin = 24", "darwin = 21", "15.darwin", "duplicate-id"),
    (MACOS, "darwin = 24", 'darwin = "24"', "15.darwin", "wrong-type"),
    (CHIPS, 'name = "Apple M2 Max"', 'name = "Apple M1"', "Apple M1.name", "duplicate-id"),
    (CHIPS, 'architecture = "arm64"', 'architecture = "ppc"', "Apple M1.architecture", "unknown-word"),
    (CHIPS, 'oldest_macos = "12"', 'oldest_macos = "11"', "Apple M1.oldest_macos", "unknown-macos"),
    (CHIPS, 'newest_macos = "15"', 'newest_macos = "99"', "Apple M2 Max.newest_macos", "unknown-macos"),
    (REPAIRS, '"old-python-only"', '"numpy-2"', "numpy-2.id", "duplicate-id"),
    (REPAIRS, '"numpy<2"', '"numpy below 2"', "numpy-2.requirement", "requirement"),
    (REPAIRS, '"<2.12"', '"old"', "numpy-2.versions", "version-set"),
    (REPAIRS, '"<3.10"', '"3.10-"', "old-python-only.python", "version-set"),
    (REPAIRS, 'step = "import"', 'step = "start"', "numpy-2.step", "unknown-word"),
    (REPAIRS, '"ModuleNotFoundError"', '""', "old-python-only.failure", "empty-field"),
    (REPAIRS, '["tensorflow", "tensorflow-macos"]', "[]", "numpy-2.packages", "empty-field"),
    (LINKS, 'missing = "log"', 'missing = "gone"', "tensorflow 2.18.0 + 1.1.0.missing", "unknown-reference"),
    (LINKS, "layer = 2, ", "", "tensorflow 2.18.0 + 1.1.0.layer", "link-shape"),
    (LINKS, "loads = false", "loads = true", "tensorflow 2.18.0 + 1.1.0.layer", "link-shape"),
    (LINKS, '"a shell of a few KB"', '""', "tensorflow-macos 2.16.2 + 1.2.0.reason", "link-shape"),
    (LINKS, '"2.18.1"', '"newest"', "tensorflow newest + 1.2.0.tensorflow", "version"),
    (MAC_LOCK, 'tier = "links"', 'tier = "runs"', "tier", "lock-tier"),
    (MAC_LOCK, 'tier = "links"', 'tier = "best"', "tier", "unknown-word"),
    (MAC_LOCK, 'python = "3.12"', 'python = "3.11"', "file", "lock-name"),
    (MAC_LOCK, 'platform = "macos-arm64"', 'platform = "mac"', "platform", "unknown-word"),
    (MAC_LOCK, '["numpy-2"]', '["numpy-3"]', "repairs[0]", "unknown-repair"),
    (MAC_LOCK, "a" * 64, "A" * 64, "packages.tensorflow", "lock-pin"),
    (MAC_LOCK, "size = 12", "size = 0", "packages.tensorflow-metal", "lock-pin"),
    (MAC_LOCK, 'l", version = "1.2.0"', 'l", version = "1.1.0"', "packages", "lock-pin"),
    (MAC_LOCK, 'name = "tensorflow-metal"', 'name = "tensorflow"', "packages.tensorflow", "duplicate-id"),
    (MAC_LOCK, 'file = "metal.whl", ', "", "packages.tensorflow-metal.file", "missing-key"),
    (MAC_LOCK, "exclude_newer = 2026-11-30", 'exclude_newer = "?"', "exclude_newer", "day"),
    (LINUX_LOCK, "day = 2026-11-30", "day = 2026-12-30", "verified.day", "day"),
    (LINUX_LOCK, "[verified]\nday = 2026-11-30\n", "", "verified", "lock-tier"),
    (LINUX_LOCK, '"3.12"', '"3.13"', "file", "lock-name"),
    (RELEASES, 'version = "2.18.0"', 'version = "2.18.1"', "2.18.1.version", "duplicate-id"),
    (RELEASES, 'version = "2.18.0"', 'version = "two"', "two.version", "version"),
    (RELEASES, "uploaded = 2025-03-12", 'uploaded = "x"', "2.18.1.uploaded", "day"),
    (RELEASES, "requires = 0", "requires = 7", "2.18.1.wheels[0].requires", "unknown-reference"),
    (METAL, "uploaded = 2023-09-14", "uploaded = 2023-09-14\nsdist = { size = 1, requires = 3, dynamic = true }", "1.1.0.sdist.requires", "unknown-reference"),
    (ISSUES, "[[issues]]", "[[issues", "", "unreadable"),
    (ISSUES, SIGNATURE, "\xff", "", "unreadable"),
    (ISSUES, "[[issues]]", "x = " + "[" * 40 + "]" * 40 + "\n[[issues]]", "", "unreadable"),
    (ISSUES, "[[issues]]", "a" + ".a" * 70 + " = 1\n[[issues]]", "", "unreadable"),
    (ISSUES, '"error"', "9" * 5000, "", "unreadable"),
    (ISSUES, '"error"', "0x" + "f" * 5000, "", "unreadable"),
    (ISSUES, '"error"', '"' + "9" * 5000 + '"', "", "unreadable"),
    (HEAD, "1", "2", "", "schema-version"),
    (HEAD, "1", '"1"', "", "schema-version"),
    (HEAD, "1", "true", "", "schema-version"),
    (HEAD, "schema", "sceme", "sceme", "unknown-key"),
    (ISSUES, "[[issues]]", "[[isues]]", "isues", "unknown-key"),
    (ISSUES, "severity", "serious = true\nseverity", "ISS001.serious", "unknown-key"),
    (ISSUES, "with_versions", "with_version", "ISS001.affects[0].with_version", "unknown-key"),
    (ISSUES, "day = 2026-11-30 }", "day = 2026-11-30, king = 1 }", "ISS001.sources[0].king", "unknown-key"),
    (MAC_LOCK, 'tier = "links"', 'tier = "links"\ntears = 3', "tears", "unknown-key"),
    (MAC_LOCK, "size = 12", "size = 12, sise = 12", "packages.tensorflow-metal.sise", "unknown-key"),
    (LINKS, "loads = false", "loads = false, lods = 1", "tensorflow 2.18.0 + 1.1.0.lods", "unknown-key"),
    (RELEASES, "yanked", "yankd", "2.18.0.yankd", "unknown-key"),
    (RELEASES, "size = 615000000", "sice = 615000000", "2.18.1.wheels[1].sice", "unknown-key"),
    (ISSUES, "[[issues]]", "[issues]", "issues", "wrong-type"),
    (ISSUES, '["tfcompat fix --create-venv"]', '"tfcompat fix"', "ISS001.commands", "wrong-type"),
    (ISSUES, '"error"', "true", "ISS001.severity", "wrong-type"),
    (RELEASES, "size = 240000000, requires", 'size = "240", requires', "2.18.1.wheels[0].size", "wrong-type"),
    (RELEASES, "size = 240000000, requires", "size = -1, requires", "2.18.1.wheels[0].size", "number"),
    (RELEASES, "size = 240000000, requires", "size = 9000000000000, requires", "2.18.1.wheels[0].size", "number"),
    (RELEASES, 'requires = [["numpy<2.1.0,>=1.26.0"]]', 'requires = ["numpy"]', "requires", "wrong-type"),
    (RELEASES, "retrieved = 2026-11-29", "", "retrieved", "missing-key"),
    (RELEASES, "retrieved = 2026-11-29", "retrieved = 9999-12-31", "retrieved", "day"),
    (RELEASES, "retrieved = 2026-11-29", 'retrieved = "zebra"', "retrieved", "day"),
    (RELEASES, '">=3.9"', '"three"', "2.18.1.requires_python", "version-set"),
    (LINKS, 'plugin = "tensorflow-metal"\n', "", "plugin", "missing-key"),
    (LINKS, 'log = ["__ZN3tsl8internal10LogMessageC1EPKcii"]', "log = [3]", "missing", "wrong-type"),
    (URLS, "https://", "http://", "", "wrong-type"),
    (URLS, '"79/4c"', '"../4c"', "", "wrong-type"),
    (URLS, "[folders]", "[fold]", "fold", "unknown-key"),
    (WHEELS, "wheels = [{", "wheels = [3, {", "wheels[0]", "wrong-type"),
    (WHEELS, "d" * 64, "d" * 63, "wheels[0].sha256", "lock-pin"),
    (PYTHONS, '"uv"', '"ebay"', "3.12 ebay.origin", "unknown-word"),
    (PYTHONS, '"arm64"', '"ppc"', "3.12 uv.binary", "unknown-word"),
    (MACOS, "darwin = 24", "darwin = 0", "15.darwin", "number"),
    (ISSUES, SIGNATURE, "x" * 301, "ISS001.signatures[0]", "signature-too-long"),
    (ISSUES, SIGNATURE, r"Symbol not found:\n__ZN3tsl", "ISS001.signatures[0]", "signature-lines"),
    (ISSUES, SIGNATURE, r"Symbol not found:\u001b[0m __ZN3tsl", "ISS001.signatures[0]", "signature-lines"),
    (ISSUES, SIGNATURE, "Symbol…not found: __ZN3tsl", "ISS001.signatures[0]", "signature-gap"),
    (ISSUES, SIGNATURE, "Symbol not found: __ZN3tsl…", "ISS001.signatures[0]", "signature-gap"),
    (ISSUES, SIGNATURE, "Symbol not found: ……__ZN3tsl", "ISS001.signatures[0]", "signature-gap"),
    (ISSUES, SIGNATURE, "…Symbol not found: __ZN3tsl", "ISS001.signatures[0]", "signature-gap"),
    (ISSUES, SIGNATURE, "in /home/ada/venv: __ZN3tsl", "ISS001.signatures[0]", "signature-personal"),
    (ISSUES, SIGNATURE, r"in C:\\Users\\ada: __ZN3tsl", "ISS001.signatures[0]", "signature-personal"),
    (ISSUES, SIGNATURE, "write to ada@example.org now", "ISS001.signatures[0]", "signature-personal"),
    (ISSUES, SIGNATURE, "as @ada-lovelace said: no", "ISS001.signatures[0]", "signature-personal"),
    (ISSUES, 'commands = ["tfcompat fix', r'commands = ["tfcompat\nfix', "ISS001.commands[0]", "command-destructive"),
    (ISSUES, 'severity = "error"', 'severity = "error"\nwithdrawn = " "', "ISS001.withdrawn", "empty-field"),
    (MAC_LOCK, 'name = "tensorflow", version = "2.18.1"', 'name = "tensorflow", version = "2.99"', "packages.tensorflow", "lock-unknown-release"),
    (LINKS, '"2.18.0", plugin_version = "1.2.0"', '"2.18.9", plugin_version = "1.2.0"', "tensorflow 2.18.9 + 1.2.0", "link-unknown-release"),
    (LINKS, '"2.18.0", plugin_version = "1.2.0"', '"2.18.9", plugin_version = "1.2.0"', "pairs", "link-missing"),
    (LINKS, '"2.18.1", plugin_version = "1.2.0"', '"2.18.9", plugin_version = "1.2.0"', None, "lock-unproved"),
    (LINKS, '"2.16.2", plugin_version = "1.2.0", loads', '"2.18.1", plugin_version = "1.2.0", loads', "tensorflow 2.18.1 + 1.2.0", "duplicate-id"),
    (TABLE, 'contradicted_by = ["OBS001", "links/tensorflow-metal.arm64: tensorflow 2.18.0 + 1.1.0"]\n', "", "CLM001.contradicted_by", "claim-uncontradicted"),
    (ISSUES, '"error"\n', '"error" \n', "", "trailing-whitespace"),
    (ISSUES, '"error"\n', '"error"\r\n', "", "line-endings"),
    (ISSUES, '["macos-arm64"]', '["macos-arm64", "linux-x86_64"]', "", "unsorted-list"),
]  # fmt: skip


def planted(root: Path, name: str, old: str, new: str) -> Path:
    """Write the sound matrix with one text of one file replaced by another; an ÿ is written as a byte that is no text."""
    assert old in SOUND[name], f"{old!r} is not in {name}"
    write(root, SOUND)
    (root / name).write_bytes(SOUND[name].replace(old, new, 1).encode().replace("\xff".encode(), b"\xff"))
    return root


def lines(root: Path, today: str = TODAY) -> list[str]:
    return [str(problem) for problem in lint(root, today=today)]


def test_a_sound_matrix_has_no_problem(tmp_path):
    assert lines(write(tmp_path, SOUND)) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "where", "check"), FAULTS, ids=[f"{row[0]}-{row[2][:30]}-{row[4]}" for row in FAULTS]
)
def test_a_planted_fault_is_found_at_its_address_by_its_check(tmp_path, name, old, new, where, check):
    found = lint(planted(tmp_path, name, old, new), today=TODAY)

    address = f"{MAC_LOCK}: plugin" if where is None else f"{name}: {where}" if where else name
    assert (address, check) in {(problem.address, problem.check) for problem in found}, found


PLANTED_ELSEWHERE = {
    "unknown-file", "too-many-rows", "final-newline", "no-signature", "duplicate-signature", "impossible-macos",
    "id-dropped", "compiled-broken", "compiled-stale", "unknown-check", "not-excusable", "stale-exception",
}  # fmt: skip
"""Checks whose faults are no replaced text; their tests are below and in the files beside this one."""


def test_every_check_has_a_planted_fault():
    assert {row[4] for row in FAULTS} | PLANTED_ELSEWHERE == set(CHECKS)
    assert {check.scope for check in CHECKS.values()} == set(SCOPES)


def test_a_problem_is_one_line_with_address_text_and_check(tmp_path):
    root = planted(tmp_path, ISSUES, '"BIN401"', '"BIN4"')

    assert lines(root) == ["issues/load.toml: ISS001.rule: 'BIN4' is not a rule id [rule-id]"]


def test_all_problems_are_told_at_once(tmp_path):
    text = SOUND[ISSUES].replace('"error"', '"fatal"').replace('"BIN401"', '"?"')
    found = lint(write(tmp_path, {**SOUND, ISSUES: text}))

    assert {problem.check for problem in found} == {"unknown-word", "rule-id"}


def test_an_issue_needs_a_signature_or_a_rule(tmp_path):
    bare = SOUND[ISSUES].replace('rule = "BIN401"\n', "").replace(f'signatures = ["{SIGNATURE}"]\n', "")
    found = lint(write(tmp_path, {**SOUND, ISSUES: bare}))

    assert [(problem.address, problem.check) for problem in found] == [(f"{ISSUES}: ISS001.signatures", "no-signature")]


@pytest.mark.parametrize("dropped", ['rule = "BIN401"\n', f'signatures = ["{SIGNATURE}"]\n'])
def test_one_of_signature_and_rule_is_enough(tmp_path, dropped):
    assert lines(planted(tmp_path, ISSUES, dropped, "")) == []


@pytest.mark.parametrize(
    "signature",
    [
        "Library not loaded: @rpath/_pywrap",
        "outside of @tf.function: no gradient",
        "version `GLIBC_2.29' not found (memcpy@GLIBC_2.14)",
        "(a+)+$ is text like any other",
        "Symbol not found…__ZN3tsl…Expected in: …cc.2",
    ],
)
def test_what_a_signature_may_say(tmp_path, signature):
    assert lines(planted(tmp_path, ISSUES, SIGNATURE, signature)) == []


@pytest.mark.parametrize(("name", "section", "row"), [(ISSUES, "issues", "ISS001"), (RUNS, "observed", "OBS001")])
def test_an_id_is_used_once_across_files(tmp_path, name, section, row):
    found = lint(write(tmp_path, {**SOUND, f"{section}/zebra.toml": SOUND[name]}))

    ids = [problem for problem in found if problem.check == "duplicate-id"]
    assert [problem.address for problem in ids] == [f"{section}/zebra.toml: {row}.id"]
    assert f"first at {name}: {row}" in ids[0].text


@pytest.mark.parametrize(("versions", "expected"), [("==1.1.0", ["duplicate-signature"]), ("==1.0.0", [])])
def test_one_signature_points_at_one_issue_unless_versions_tell_two_apart(tmp_path, versions, expected):
    second = SOUND[ISSUES].replace("ISS001", "ISS002").replace("==1.1.0", versions)
    found = lint(write(tmp_path, {**SOUND, "issues/second.toml": second}))

    assert [problem.check for problem in found] == expected


def test_a_note_without_an_address_is_a_source_of_its_own_kind(tmp_path):
    source = '"https://github.com/tensorflow/tensorflow/issues/84167", day = 2026-11-30'

    assert lines(planted(tmp_path, ISSUES, source, '"note:m1-owner", day = 2026-11-30, kind = "note"')) == []


def test_a_mac_cannot_have_run_a_macos_older_than_itself(tmp_path):
    max_ = '"Apple M2 Max"\narchitecture = "arm64"\noldest_macos = '
    chips, runs = SOUND[CHIPS].replace(f'{max_}"12"', f'{max_}"15"'), SOUND[RUNS].replace('"15.2"', '"12.3"')

    assert lines(write(tmp_path, {**SOUND, CHIPS: chips, RUNS: runs})) == [
        f"{RUNS}: OBS001.macos: Macs with Apple M2 Max run 15 and newer [impossible-macos]"
    ]


def test_a_run_without_macos_chip_and_plugin_is_a_run(tmp_path):
    runs = "".join(
        line
        for line in SOUND[RUNS].splitlines(keepends=True)
        if line.split(" ")[0] not in ("chip", "macos", "plugin", "plugin_version")
    )

    assert lines(write(tmp_path, {**SOUND, RUNS: runs})) == []


def test_without_link_rows_no_lock_is_accused_of_a_pair(tmp_path):
    assert lines(write(tmp_path, {name: text for name, text in SOUND.items() if name not in (LINKS, TABLE)})) == []


def test_days_to_come_are_no_problem_for_who_does_not_say_today(tmp_path):
    assert lint(planted(tmp_path, ISSUES, "2026-11-30", "2999-01-01")) == ()


def test_a_file_that_nobody_reads_is_told(tmp_path):
    found = lint(write(tmp_path, {**SOUND, "isues/a.toml": "", "issues/notes.md": "x", "README.md": "x"}))

    assert [(problem.address, problem.check) for problem in found] == [("isues/a.toml", "unknown-file")]


def test_more_rows_than_a_matrix_has_are_not_looked_at(tmp_path):
    found = lint(write(tmp_path, {**SOUND, "issues/many.toml": "[[issues]]\n" * 100_000}))

    assert [(problem.address, problem.check) for problem in found] == [("issues/many.toml: issues", "too-many-rows")]


def test_a_file_larger_than_any_is_not_parsed(tmp_path):
    root = write(tmp_path, SOUND)
    with (root / "issues" / "big.toml").open("wb") as file:
        file.truncate(5_000_000)

    assert lines(root) == ["issues/big.toml: larger than 4 MB [unreadable]"]


def with_compiled(root: Path, files: dict[str, str] = SOUND) -> Path:
    write(root, files)
    return write(root, {f"compiled/{name}.json": text for name, text in compiled.texts(root).items()})


def test_the_compiled_form_of_a_sound_matrix_is_sound(tmp_path):
    assert lines(with_compiled(tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "check"),
    [('{"issues": []}', "compiled-stale"), ("{", "compiled-broken"), ("", "compiled-broken"), ("[" * 99_999, "compiled-broken")],
)  # fmt: skip
def test_a_compiled_form_that_says_something_else_is_told(tmp_path, text, check):
    root = write(with_compiled(tmp_path), {"compiled/issues.json": text})
    found = lint(root, today=TODAY)

    assert [(problem.address, problem.check, problem.fixable) for problem in found] == [
        ("compiled/issues.json", check, True)
    ]


def test_a_compiled_file_that_is_gone_or_of_nothing_is_told(tmp_path):
    root = write(with_compiled(tmp_path), {"compiled/releases/zebra.json": "{}"})
    (root / "compiled" / "index.json").unlink()

    assert [(problem.address, problem.check) for problem in lint(root)] == [
        ("compiled/index.json", "compiled-broken"),
        ("compiled/releases/zebra.json", "compiled-stale"),
    ]


def test_a_published_id_that_vanishes_is_told(tmp_path):
    root = with_compiled(tmp_path)
    (root / ISSUES).write_text(SOUND[ISSUES].replace("ISS001", "ISS002"), "utf-8")

    assert ("issues: ISS001", "id-dropped") in {(problem.address, problem.check) for problem in lint(root)}


def test_a_withdrawn_row_is_there_and_nothing_vanished(tmp_path):
    root = with_compiled(tmp_path)
    (root / ISSUES).write_text(SOUND[ISSUES] + 'withdrawn = "measured otherwise"\n', "utf-8")

    assert {problem.check for problem in lint(root)} == {"compiled-stale"}


def test_the_compiled_form_is_never_what_is_linted(tmp_path):
    root = write(planted(tmp_path, ISSUES, '"error"', '"fatal"'), {"compiled/issues.json": json.dumps({"issues": []})})

    assert f"{ISSUES}: ISS001.severity" in {problem.address for problem in lint(root)}


def test_the_committed_matrix_has_no_problem():
    assert lines(MATRICES, "2999-01-01") == []
