"""Which folders may be replaced: nothing that somebody put there goes with an environment."""

import pytest

from compat.builder import journal
from compat.builder.replacing import check_folder
from compat.errors import UsageError


@pytest.fixture
def ours(tmp_path):
    folder = tmp_path / "env"
    (folder / "lib/python3.11/site-packages/demo-1.0.dist-info").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("")
    journal.mark(folder, {})
    (folder / journal.PINS).write_text(f"{journal.HEAD}x\ndemo==1.0 --hash=sha256:0\n")
    return folder


def test_what_we_made_is_replaced_where_that_was_asked(ours):
    check_folder(ours, replace=True)
    with pytest.raises(UsageError, match="exists already"):
        check_folder(ours, replace=False)


def test_what_was_installed_since_is_not_thrown_away(ours):
    (ours / "lib/python3.11/site-packages/My_Added-2.0.dist-info").mkdir()

    with pytest.raises(UsageError, match="more than tfcompat put there: my-added") as caught:
        check_folder(ours, replace=True)
    assert "--in-place" in caught.value.hint


@pytest.mark.parametrize("in_place", [False, True])
def test_neither_is_what_else_lies_in_the_folder(ours, in_place):
    (ours / "train.py").write_text("mine")
    (ours / ".git").mkdir()

    with pytest.raises(UsageError, match=r"holds more than .*: \.git, train\.py"):
        check_folder(ours, replace=True, in_place=in_place)


def test_an_exchange_takes_any_environment(ours):
    (ours / journal.MARKER).unlink()
    check_folder(ours, replace=False, in_place=True)
    with pytest.raises(UsageError, match="not made by tfcompat"):
        check_folder(ours, replace=True)


def test_pins_of_somebody_elses_beside_it_stay(ours):
    (ours.parent / "env.requirements.txt").symlink_to("nowhere")

    with pytest.raises(UsageError, match="was not made by tfcompat; the pins"):
        check_folder(ours, replace=True)


def test_a_mount_is_not_replaced(ours, monkeypatch):
    monkeypatch.setattr("os.path.ismount", lambda _path: True)
    with pytest.raises(UsageError, match="a file system is mounted"):
        check_folder(ours, replace=True)
