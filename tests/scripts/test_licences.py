"""The licence check passes what is free for all to use, and names what is not, what is unknown and what is missing."""

import runpy
import subprocess
import sys
from email.message import Message
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "licences"
LICENCES = runpy.run_path(str(SCRIPT))


@pytest.mark.parametrize(
    "expression, allowed",
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("GPL-3.0-only OR (MIT AND ISC)", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR Apache-2.0) AND LGPL-2.1-or-later", False),
        ("MIT OR ISC AND GPL-3.0-only", True),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("AGPL-3.0-only", False),
        ("Proprietary", False),
        ("", False),
        ("(MIT", False),
        ("MIT MIT", False),
        ("OR MIT", False),
    ],
)
def test_an_expression_is_met_or_not(expression, allowed):
    assert LICENCES["is_allowed"](expression) is allowed


@pytest.mark.parametrize(
    "fields, licence",
    [
        ([("License-Expression", "BSD-2-Clause"), ("License", "GPL")], "BSD-2-Clause"),
        ([("Classifier", "License :: OSI Approved :: MIT License"), ("License", "see LICENSE")], "MIT"),
        ([("License", "ISC License")], "ISC"),
        ([("License", "Apache-2.0\n\nfull text")], "Apache-2.0"),
        (
            [
                ("Classifier", f"License :: OSI Approved :: {name}")
                for name in ("MIT License", "GNU General Public License v3 (GPLv3)")
            ],
            "MIT AND GNU General Public License v3 (GPLv3)",
        ),
        ([("Classifier", "License :: Other/Proprietary License")], ""),
        ([], ""),
    ],
)
def test_a_licence_is_read_from_new_and_old_metadata(fields, licence):
    metadata = Message()
    for name, value in fields:
        metadata[name] = value.replace("\n", " ") if name != "License" else value.split("\n")[0]

    assert LICENCES["licence_of"](metadata) == licence


def test_what_is_not_installed_has_no_licence_and_another_platforms_is_left_out():
    rows = dict(
        LICENCES["closure"](["no-such-distribution-here", "elsewhere-only; sys_platform == 'nowhere'", "packaging"])
    )

    assert rows == {"no-such-distribution-here": "", "packaging": "Apache-2.0 OR BSD-2-Clause"}


def test_a_distribution_under_another_licence_is_named(tmp_path):
    info = tmp_path / "copyleft-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: copyleft\nVersion: 1.0\nLicense-Expression: AGPL-3.0-only\n"
    )
    code = f"import runpy; run = runpy.run_path({str(SCRIPT)!r}); print(dict(run['closure'](['copyleft'])), run['is_allowed']('AGPL-3.0-only'))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "{'copyleft': 'AGPL-3.0-only'} False"


def test_what_this_project_depends_on_is_free_for_all_to_use():
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert {"certifi", "requests", "rich", "typer", "uv"} <= {line.split()[0] for line in done.stdout.splitlines()}
