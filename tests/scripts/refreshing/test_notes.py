"""Two runs compared read like release notes."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import refreshing.cli

OLD = """
name = "tensorflow"
requires = [["numpy>=1.26"], ["keras>=3.12", "numpy>=1.26"]]

[[releases]]
version = "2.21.0"
uploaded = 2026-03-06
requires_python = ">=3.10"
wheels = [
  { tag = "cp310-cp310-macosx_12_0_arm64", size = 1, sha256 = "aa", requires = 0 },
  { tag = "cp311-cp311-macosx_12_0_arm64", size = 1, sha256 = "ab", requires = 0 },
  { tag = "cp310-cp310-win_amd64", size = 1, sha256 = "ac", requires = 1 },
  { tag = "cp311-cp311-win_amd64", size = 1, sha256 = "ad", requires = 1 },
]

[[releases]]
version = "2.9.0"
uploaded = 2022-05-16
wheels = [{ tag = "cp310-cp310-win_amd64", size = 1, sha256 = "ae", requires = 1 }]
yanked = "broken"

[[releases]]
version = "2.8.0"
uploaded = 2022-02-02
wheels = []
"""

NEW = """
name = "tensorflow"
requires = [["numpy>=1.26"], ["absl-py", "numpy>=1.26"], ["keras>=3.12", "numpy>=1.26"]]

[[releases]]
version = "2.22.0"
uploaded = 2026-12-01
requires_python = ">=3.10"
wheels = [
  { tag = "cp310-cp310-macosx_12_0_arm64", size = 1, sha256 = "ba", requires = 0 },
  { tag = "cp311-cp311-macosx_12_0_arm64", size = 1, sha256 = "bb", requires = 0 },
  { tag = "cp313-cp313-macosx_12_0_arm64", size = 1, sha256 = "bc", requires = 0 },
  { tag = "cp39-abi3-manylinux_2_27_x86_64.manylinux_2_28_x86_64", size = 1, sha256 = "bd", requires = 0 },
  { tag = "py3-none-any", size = 1, sha256 = "be", requires = 0 },
]

[[releases]]
version = "2.21.0"
uploaded = 2026-03-06
requires_python = ">=3.11"
yanked = "bad numbers"
wheels = [
  { tag = "cp310-cp310-macosx_12_0_arm64", size = 1, sha256 = "aa", requires = 0 },
  { tag = "cp312-cp312-macosx_12_0_arm64", size = 1, sha256 = "ba", requires = 0 },
  { tag = "cp310-cp310-win_amd64", size = 1, sha256 = "ac", requires = 1 },
  { tag = "cp311-cp311-win_amd64", size = 1, sha256 = "ff", requires = 1, yanked = "bad" },
]
sdist = { size = 1, sha256 = "cc" }

[[releases]]
version = "2.9.0"
uploaded = 2022-05-16
wheels = [{ tag = "cp310-cp310-win_amd64", size = 1, sha256 = "ae", requires = 2 }]
"""

NOTES = """\
tensorflow 2.22.0: new; wheels for Linux x86_64 cp39 abi3, any py3, macOS arm64 cp310\u2013cp311 cp313; Python >=3.10
tensorflow 2.21.0: more wheels, for macOS arm64 cp312
tensorflow 2.21.0: wheels gone, for macOS arm64 cp311
tensorflow 2.21.0: OTHER BYTES UNDER THE SAME NAME, for Windows amd64 cp311
tensorflow 2.21.0: wheels yanked, for Windows amd64 cp311
tensorflow 2.21.0: dependencies differ, for Windows amd64 cp310\u2013cp311: + absl-py, - keras>=3.12
tensorflow 2.21.0: yanked (bad numbers)
tensorflow 2.21.0: Python >=3.11, was >=3.10
tensorflow 2.21.0: sdist added
tensorflow 2.9.0: no longer yanked
tensorflow 2.8.0: gone from the index
"""


def folder(path, **files):
    path.mkdir()
    for name, text in files.items():
        (path / f"{name}.toml").write_text(text, encoding="utf-8")
    return str(path)


def test_every_change_is_a_line(tmp_path, capsys):
    old, new = folder(tmp_path / "old", tensorflow=OLD), folder(tmp_path / "new", tensorflow=NEW)

    assert refreshing.cli.main(["--diff", old, new]) == 0

    assert capsys.readouterr().out == NOTES


def test_equal_runs_have_nothing_to_tell(tmp_path, capsys):
    old, new = folder(tmp_path / "old", tensorflow=OLD), folder(tmp_path / "new", tensorflow=OLD)

    assert refreshing.cli.main(["--diff", old, new]) == 0

    assert capsys.readouterr().out == "nothing changed\n"


def test_distributions_come_and_go(tmp_path, capsys):
    keras = OLD.replace('name = "tensorflow"', 'name = "keras"')
    old, new = folder(tmp_path / "old", tensorflow=OLD), folder(tmp_path / "new", keras=keras)

    assert refreshing.cli.main(["--diff", old, new]) == 0

    assert capsys.readouterr().out == (
        "keras: followed from now on; 3 releases, newest 2.21.0\ntensorflow: no longer followed\n"
    )


def test_what_is_no_run_is_named(tmp_path, capsys):
    old = folder(tmp_path / "old", tensorflow="releases = 3")

    assert refreshing.cli.main(["--diff", old, str(tmp_path / "nowhere")]) == 3

    assert "tensorflow.toml: not a release file" in capsys.readouterr().err
    assert refreshing.cli.main(["--diff", str(tmp_path / "nowhere"), old]) == 3
    assert "nowhere: cannot be read" in capsys.readouterr().err


SOURCES = """\
name = "plugin"
source = "https://index.test/plugin/"
retrieved = 2026-11-30

requires = [["tensorflow>=2.16"]]

[[releases]]
version = "0.1"
uploaded = 2026-08-28
wheels = []
sdist = { size = 1, sha256 = "aa", requires = 0 }
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            '["tensorflow>=2.16"]',
            '["tensorflow==2.21.*"]',
            "dependencies differ, for the sdist: + tensorflow==2.21.*, - tensorflow>=2.16",
        ),
        ('sha256 = "aa"', 'sha256 = "bb"', "OTHER BYTES UNDER THE SAME NAME, for the sdist"),
        ("requires = 0 }", 'requires = 0, yanked = "why" }', "sdist yanked"),
        ("{ size = 1, sha256", '{ file = "p.zip", size = 1, sha256', "sdist replaced by one of another name"),
        ('sdist = { size = 1, sha256 = "aa", requires = 0 }\n', "", "sdist gone"),
    ],
    ids=lambda value: str(value)[:16],
)
def test_sources_are_told_of_by_what_changed_in_them(tmp_path, capsys, old, new, line):
    assert old in SOURCES
    before, after = folder(tmp_path / "old", plugin=SOURCES), folder(tmp_path / "new", plugin=SOURCES.replace(old, new))

    assert refreshing.cli.main(["--diff", before, after]) == 0

    assert capsys.readouterr().out == f"plugin 0.1: {line}\n"


def test_a_list_that_only_changed_its_number_is_no_change(tmp_path, capsys):
    renumbered = SOURCES.replace('[["tensorflow>=2.16"]]', '[["numpy"], ["tensorflow>=2.16"]]').replace(
        "requires = 0", "requires = 1"
    )
    old, new = folder(tmp_path / "old", plugin=SOURCES), folder(tmp_path / "new", plugin=renumbered)

    assert refreshing.cli.main(["--diff", old, new]) == 0

    assert capsys.readouterr().out == "nothing changed\n"
