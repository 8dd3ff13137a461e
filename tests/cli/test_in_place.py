"""``fix --in-place``: the user's own environment is exchanged for one that passed, and can be had back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compat.builder import journal, uv
from compat.builder.outcome import Verification
from compat.cli import building, handover
from tests.builder.tiny_index import wheel
from tests.cli.running import refused, stopped

REPLACE = ("fix", "--in-place", "--yes", "--offline")


@pytest.fixture
def mine(tiny, work):
    """A user's environment with an older demo, and helper besides, which only the user asked for."""
    wheel(tiny, "demo", "0.9")
    folder = work / ".venv"
    uv.find(offline=True).venv(folder, sys.executable)
    install(folder, "demo==0.9", "helper==1.0")
    (folder / "share").mkdir()
    (folder / "share/notes.txt").write_text("mine")
    return folder


def install(folder, *requirements):
    argv = [
        uv.find().binary,
        "pip",
        "install",
        "--offline",
        "--quiet",
        "--python",
        folder / "bin/python",
        *requirements,
    ]
    subprocess.run(argv, check=True)


def version(folder, name="demo"):
    code = f"import {name}; print({name}.__version__)"
    argv = [folder / "bin/python", "-c", code]
    return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()


def kept(folder):
    return folder.with_name(f".{folder.name}.tfcompat") / "previous"


def test_the_environment_is_exchanged_and_the_old_one_kept(told, mine, work):
    code, out, lines = told(*REPLACE)

    assert code == 0, lines
    assert (version(mine), version(kept(mine))) == ("1.0", "0.9")
    assert (kept(mine) / "share/notes.txt").read_text() == "mine"
    assert journal.is_ours(mine)
    assert f"to put it back: tfcompat fix --rollback {mine}" in out


def test_what_was_there_besides_comes_along_in_the_version_it_had(told, mine, tiny):
    wheel(tiny, "helper", "2.0")
    assert told(*REPLACE)[0] == 0

    assert version(mine, "helper") == "1.0"


def test_a_version_that_does_not_go_with_the_pair_is_let_move(told, mine, tiny):
    wheel(tiny, "helper", "2.0")
    wheel(tiny, "demo", "1.0", requires=["helper>=2"])
    code, _, lines = told(*REPLACE)

    assert code == 0
    assert "the versions that were there do not all go with this pair: letting them move" in lines
    assert version(mine, "helper") == "2.0"


def test_what_moves_is_named_and_only_what_has_to(told, mine, tiny):
    wheel(tiny, "other", "1.0")
    install(mine, "other==1.0")
    wheel(tiny, "other", "2.0")
    wheel(tiny, "helper", "2.0")
    wheel(tiny, "demo", "1.0", requires=["helper>=2"])
    _, _, lines = told(*REPLACE)

    assert "helper 1.0 becomes 2.0" in lines


def test_another_version_of_a_name_no_index_has_in_that_one_is_not_taken(told, mine, tiny):
    """It may be a stranger's."""
    private = wheel(tiny, "private", "1.0")
    install(mine, "private==1.0")
    private.unlink()
    wheel(tiny, "private", "9.9", body="raise SystemExit('a stranger')")
    code, _, lines = told(*REPLACE)

    assert code == 0
    assert "private==1.0 is on no index that was asked and does not come along" in lines
    assert (version(mine, "private"), version(kept(mine), "private")) == ("", "1.0")


def test_what_else_lies_in_the_folder_stays_where_it_is(told, mine):
    (mine / "share/notes.txt").rename(mine / "train.py")
    refused(told(*REPLACE), 2, "holds more than an environment: train.py")

    assert version(mine) == "0.9"


def test_a_way_back_is_not_to_what_is_no_environment(told, mine):
    told(*REPLACE)
    (kept(mine) / "pyvenv.cfg").unlink()
    refused(told("fix", "--rollback", mine), 2, "is no virtual environment")

    assert version(mine) == "1.0"


def test_what_comes_from_no_index_is_said_and_not_lost(told, mine, tiny):
    install(mine, wheel(tiny, "local", "1.0"))
    _, _, lines = told(*REPLACE)

    assert any(line.startswith("local does not come along") for line in lines)
    assert version(kept(mine), "local") == "1.0"


def test_the_way_back_and_forth_again(told, mine):
    told(*REPLACE)
    code, out, _ = told("fix", "--rollback", mine)

    assert code == 0
    assert version(mine) == "0.9"
    assert (mine / "share/notes.txt").read_text() == "mine"
    assert not mine.with_name(".venv.requirements.txt").exists()
    assert "is the environment from before" in out
    told("fix", "--rollback")
    assert version(mine) == "1.0"
    assert mine.with_name(".venv.requirements.txt").is_file()


def test_one_that_fails_its_verification_changes_nothing(told, mine, monkeypatch):
    failing = Verification(ok=False, stage="whole", message="broken")
    monkeypatch.setattr(handover, "verify", lambda *_args: failing)
    stopped(told(*REPLACE), 3, f"{mine} is as it was")

    assert version(mine) == "0.9"
    assert not kept(mine).parent.exists()


def test_a_second_time_the_users_own_one_is_still_what_is_kept(told, mine):
    told(*REPLACE)
    (mine / "share").mkdir()
    (mine / "share/second.txt").write_text("x")
    assert told(*REPLACE)[0] == 0

    assert (kept(mine) / "share/notes.txt").is_file()
    assert (version(mine), version(kept(mine))) == ("1.0", "0.9")
    assert not (mine / "share/second.txt").exists()


def test_nothing_kept_is_nothing_to_put_back(told, mine):
    refused(told("fix", "--rollback", mine), 2, "nothing is kept to put back")
    refused(told("fix", "--rollback", mine / "gone"), 2, "nothing is kept to put back")


def test_a_link_is_refused_with_the_name_of_the_folder(told, mine, work):
    (work / "link").symlink_to(mine)
    refused(told(*REPLACE, work / "link"), 2, "is a link")


def test_what_is_no_virtual_environment_is_refused(told, work, mine):
    (mine / "pyvenv.cfg").unlink()
    refused(told(*REPLACE, mine), 2, "is no virtual environment and is not replaced")


def test_tfcompats_own_environment_is_refused(told, mine):
    if not (Path(sys.prefix) / "pyvenv.cfg").is_file():
        pytest.skip("the tests run in no virtual environment")
    refused(told(*REPLACE, sys.prefix), 2, "tfcompat itself runs in")


@pytest.mark.parametrize(
    "words, what",
    [
        (["--in-place", "--create-venv"], "contradict each other"),
        (["--in-place", "--rollback"], "contradict each other"),
        (["--rollback", "--cpu"], "--cpu is about what is new"),
        (["--rollback", "--with", "x.txt"], "--with is about what is new"),
        (["--in-place", "--facts", "x.json"], "leave out --facts"),
        (["--create-venv", "/"], "is no folder to build in"),
        (["--rollback", "x/.."], "is no folder to build in"),
    ],
)
def test_words_that_contradict_each_other(told, work, words, what):
    code, out, lines = told("fix", *words)

    assert (code, out) == (2, "")
    assert what in " ".join(lines)


@pytest.mark.parametrize(
    "source, command",
    [
        ("file:///home/me/my%20pkg", "pip install '/home/me/my pkg'"),
        ("git+https://example.org/x@abc", "pip install git+https://example.org/x@abc"),
        ("odd", "pip install odd"),
    ],
)
def test_the_command_that_installs_it_again_can_be_pasted(source, command):
    assert building.again(source) == command
