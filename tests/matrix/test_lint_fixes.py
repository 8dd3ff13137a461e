"""What a machine may mend, it mends without changing what a file says; exceptions silence one problem and grow stale."""

from __future__ import annotations

import pytest

from compat.matrix import compiled
from compat.matrix.files import read_toml
from compat.matrix.lint import fixes, lint
from tests.matrix.test_lint import EXCEPTIONS, ISSUES, SOUND, TODAY, with_compiled
from tests.matrix.trees import write

SHORT = ('"Symbol not found: __ZN3tsl"', '"Symbol"')
EXCEPTION = """[[exceptions]]
address = "issues/load.toml: ISS001.signatures[0]"
problem = "signature-too-short"
reason = "the whole text of that error"
day = 2026-11-30
"""


def mended(root):
    for fix in fixes(root):
        path = root / fix.file
        if fix.text is None:
            path.unlink()
        else:
            path.write_bytes(fix.text.encode())
    return root


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"error"\n', '"error" \t\n'),
        ('"error"\n', '"error"\r\n'),
        ("kind = x", ""),
        ('["macos-arm64"]', '["macos-arm64", "linux-x86_64"]'),
        ('["Apple M1"]', '["Apple M2 Max", "Apple M1"]'),
    ],
)
def test_a_badly_written_file_is_mended_and_says_the_same(tmp_path, old, new):
    text = SOUND[ISSUES].replace(old, new) if old in SOUND[ISSUES] else SOUND[ISSUES] + "\n\n"
    write(tmp_path, SOUND)
    (tmp_path / ISSUES).write_bytes(text.encode())
    before = read_toml(tmp_path / ISSUES)["issues"][0]
    assert [problem.fixable for problem in lint(tmp_path)] == [True]

    after = read_toml(mended(tmp_path) / ISSUES)["issues"][0]

    assert lint(tmp_path) == ()
    assert {key: row for key, row in after.items() if key != "affects"} == {
        key: row for key, row in before.items() if key != "affects"
    }
    assert sorted(after["affects"][0]["platforms"]) == sorted(before["affects"][0]["platforms"])


def test_a_file_without_a_last_newline_gets_one(tmp_path):
    root = write(tmp_path, {**SOUND, ISSUES: SOUND[ISSUES].rstrip("\n")})
    assert [problem.check for problem in lint(root)] == ["final-newline"]

    assert (mended(root) / ISSUES).read_text("utf-8") == SOUND[ISSUES]


def test_blanks_that_are_part_of_a_text_stay(tmp_path):
    text = SOUND[ISSUES].replace('"The import fails"', '"""The import  \nfails"""')
    root = write(tmp_path, {**SOUND, ISSUES: text})

    assert [(problem.check, problem.fixable) for problem in lint(root)] == [("trailing-whitespace", False)]
    assert fixes(root) == ()


def test_the_compiled_form_is_made_anew(tmp_path):
    root = write(with_compiled(tmp_path), {"compiled/issues.json": "{", "compiled/releases/zebra.json": "{}"})
    (root / "compiled" / "index.json").unlink()

    assert {fix.file for fix in fixes(root)} == {
        "compiled/index.json",
        "compiled/issues.json",
        "compiled/releases/zebra.json",
    }
    assert lint(mended(root)) == ()
    assert {path.stem for path in (root / "compiled").glob("*.json")} | {
        "releases/tensorflow",
        "releases/tensorflow-metal",
    } == set(compiled.sections(root))


def test_a_compiled_form_is_not_made_where_none_was(tmp_path):
    assert fixes(write(tmp_path, SOUND)) == ()


def test_the_compiled_form_is_not_made_from_what_cannot_be_read(tmp_path):
    root = write(with_compiled(tmp_path), {ISSUES: "[[issues"})

    assert fixes(root) == ()


def test_the_compiled_form_that_still_knows_a_vanished_id_is_kept(tmp_path):
    root = write(with_compiled(tmp_path), {ISSUES: SOUND[ISSUES].replace("ISS001", "ISS002")})

    assert fixes(root) == ()


def excepted(root, exception=EXCEPTION, short=True):
    text = SOUND[ISSUES].replace(*SHORT) if short else SOUND[ISSUES]
    return [str(problem) for problem in lint(write(root, {**SOUND, ISSUES: text, EXCEPTIONS: exception}), today=TODAY)]


def test_an_exception_silences_its_problem(tmp_path):
    assert excepted(tmp_path) == []


def test_an_exception_with_nothing_to_except_is_a_problem(tmp_path):
    assert excepted(tmp_path, short=False) == [
        f"{EXCEPTIONS}: exceptions[0]: no problem signature-too-short there any more [stale-exception]"
    ]


@pytest.mark.parametrize(
    ("old", "new", "field", "check"),
    [
        ("signature-too-short", "signature-too-long", "problem", "not-excusable"),
        ("signature-too-short", "signature", "problem", "unknown-check"),
        ('"the whole text of that error"', '" "', "reason", "empty-field"),
        ("2026-11-30", "2999-01-01", "day", "day"),
        ("reason", "why", "why", "unknown-key"),
        ("[[exceptions]]", "[exceptions]", None, "wrong-type"),
        ("[[exceptions]]", "[[exeptions]]", None, "unknown-key"),
    ],
)
def test_an_exception_is_a_row_and_checked_as_one(tmp_path, old, new, field, check):
    found = excepted(tmp_path, EXCEPTION.replace(old, new))

    at = f"{EXCEPTIONS}: exceptions[0].{field}: " if field else f"{EXCEPTIONS}: "
    assert [line for line in found if line.startswith(at) and line.endswith(f" [{check}]")], found


def test_what_could_harm_has_no_exception(tmp_path):
    bad = SOUND[ISSUES].replace("tfcompat fix --create-venv", "rm -rf .venv")
    exception = EXCEPTION.replace("signatures[0]", "commands[0]").replace("signature-too-short", "command-destructive")
    found = lint(write(tmp_path, {**SOUND, ISSUES: bad, EXCEPTIONS: exception}))

    assert {problem.check for problem in found} == {"command-destructive", "not-excusable"}
