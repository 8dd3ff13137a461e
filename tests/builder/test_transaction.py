"""A target goes from the state it is in to the next or not at all, whoever dies where; what was kept is never lost."""

import errno
import os
import stat
from pathlib import Path

import pytest

from compat.builder import disk, holding, journal, transaction
from compat.builder.journal import BUILDING, PLACING, Entry
from compat.builder.transaction import opened, settle
from compat.errors import CannotAct, Interrupted


@pytest.fixture
def target(tmp_path):
    return tmp_path / "env"


@pytest.fixture
def private(tmp_path):
    return tmp_path / ".env.tfcompat"


@pytest.fixture(params=[True, False], ids=["exchange", "renames"])
def exchange(request, monkeypatch):
    """Whether the system exchanges two names at once."""
    if not request.param:
        monkeypatch.setattr(disk, "_swap", lambda: None)
    return request.param


def environment(folder, text, *, pins=False):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "what.txt").write_text(text)
    if pins:
        (folder / journal.PINS).write_text(f"{journal.HEAD}{text}\n")
    return folder


def what(folder):
    """What an environment says it is; nothing where there is none."""
    return (folder / "what.txt").read_text() if (folder / "what.txt").exists() else ""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def placed(target, text, *, keep=False, pins=True):
    """Build and place in one go, as a run that meets no fault."""
    with opened(target) as work:
        building = work.start(text)
        work.place(environment(building / "env", text, pins=pins), text, keep=keep)


def rolled_back(target):
    with opened(target) as work:
        work.place(work.previous(), "the one from before", keep=True)


def dies(work):
    """Do it in a process that ends by itself, as if killed: nothing is cleaned up."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9, "it did not come to where it was to die"


def dying(call, number, *, after=False):
    """A call that is the end of its process, before or after it is made for the `number`-th time."""
    seen = []

    def fatal(*args, **rest):
        seen.append(args)
        if len(seen) == number and not after:
            os._exit(9)
        value = call(*args, **rest)
        if len(seen) == number:
            os._exit(9)
        return value

    return fatal


@pytest.fixture
def events(monkeypatch):
    """What happens on the disk, in order, by the name of each file or folder."""
    seen = []

    def noted(owner, name, kind, which):
        real = getattr(owner, name)

        def call(*args, **rest):
            seen.append((kind, Path(args[which]).name))
            return real(*args, **rest)

        monkeypatch.setattr(owner, name, call)

    noted(disk, "flush", "flush", 0)
    noted(disk, "sync", "sync", 0)
    noted(disk, "_exchanged", "exchange", 1)
    noted(disk, "replace", "write", 0)
    noted(disk, "discard", "discard", 0)
    noted(Path, "rename", "rename", 1)
    noted(journal, "clear", "clear", 0)
    return seen


def test_what_is_built_is_private_and_in_the_journal_before_it_is_there(target, private):
    before = os.umask(0)
    try:
        with opened(target) as work:
            building = work.start("TensorFlow 2.18.1")
            assert journal.read(private) == Entry(state=BUILDING, what="TensorFlow 2.18.1")
            assert building.parent == private
            assert [stat.S_IMODE(folder.stat().st_mode) for folder in (private, building)] == [0o700, 0o700]
    finally:
        os.umask(before)
    assert not private.exists()


def test_the_journal_speaks_before_names_are_exchanged_and_is_silent_after_all_is_done(target, events):
    environment(target, "old")
    with opened(target) as work:
        source = environment(work.start("new") / "env", "new", pins=True)
        events.clear()
        work.place(source, "new", keep=True)

    parent = target.parent.name
    assert events[: events.index(("clear", ".env.tfcompat")) + 1] == [
        ("flush", "env"),
        ("write", "journal.json"),
        ("sync", ".env.tfcompat"),
        ("exchange", "env"),
        ("sync", parent),
        ("sync", source.parent.name),
        ("discard", "previous"),
        ("rename", "previous"),
        ("write", "env.requirements.txt"),
        ("sync", parent),
        ("sync", ".env.tfcompat"),
        ("clear", ".env.tfcompat"),
    ]


def test_what_passed_stands_under_the_name_with_its_pins_beside_and_nothing_else(target, exchange):
    placed(target, "first")
    placed(target, "second")

    assert what(target) == "second"
    assert names(target.parent) == ["env", "env.requirements.txt"]
    assert (target.parent / "env.requirements.txt").read_text() == "# tfcompat: second\n"


def test_what_was_replaced_is_kept_where_that_was_asked_for_and_only_the_last(target, private, exchange):
    environment(target, "mine")
    placed(target, "first", keep=True)
    assert (what(target), what(private / "previous")) == ("first", "mine")
    placed(target, "second", keep=True)

    assert (what(target), what(private / "previous")) == ("second", "first")
    assert names(private) == ["lock", "previous"]


def test_a_way_back_and_back_again_is_where_one_was(target, private, exchange):
    environment(target, "mine")
    placed(target, "new", keep=True)
    rolled_back(target)
    assert (what(target), what(private / "previous")) == ("mine", "new")
    assert names(target.parent) == [".env.tfcompat", "env"]
    rolled_back(target)

    assert (what(target), what(private / "previous")) == ("new", "mine")
    assert names(target.parent) == [".env.tfcompat", "env", "env.requirements.txt"]


def test_what_did_not_pass_is_gone_and_the_target_as_it_was(target):
    environment(target, "old")
    with opened(target) as work:
        work.drop(environment(work.start("new"), "half"))
        assert work.state() == f"{target} is as it was"

    assert (what(target), names(target.parent)) == ("old", ["env"])


def test_an_error_of_the_system_says_where_why_and_what_state_it_left(target):
    def full():
        with opened(target) as work:
            work.start("new")
            raise OSError(errno.ENOSPC, "No space left on device", "/somewhere/file")

    with pytest.raises(CannotAct) as caught:
        full()
    assert caught.value.message == f"/somewhere/file: No space left on device; {target} was not made"
    assert "disk space" in caught.value.hint
    assert names(target.parent) == []


def places(target):
    with opened(target) as work:
        building = work.start("the new one")
        try:
            work.place(environment(building / "env", "new", pins=True), "the new one", keep=True)
        finally:
            work.drop(building)


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")], ids=["interrupt", "error"]
)
@pytest.mark.parametrize(
    "at, state", [("journal.json", "is as it was"), ("env.requirements.txt", "is the new one now")]
)
def test_what_stops_the_placing_says_which_of_the_two_states_it_left(
    target, private, monkeypatch, exchange, at, state, error
):
    environment(target, "old")
    real = disk.replace

    def fails(path, text, **rest):
        if path.name == at and (at != "journal.json" or PLACING in text):
            raise error
        real(path, text, **rest)

    monkeypatch.setattr(disk, "replace", fails)
    with pytest.raises((Interrupted, CannotAct)) as caught:
        places(target)
    assert caught.value.message.endswith(f"; {target} {state}")
    assert what(target) == ("old" if state == "is as it was" else "new")
    if state == "is as it was":
        assert names(target.parent) == ["env"]
        return

    monkeypatch.setattr(disk, "replace", real)
    assert settle(target).finished.what == "the new one"
    assert (what(target), what(private / "previous")) == ("new", "old")


def test_an_error_of_ours_that_does_not_say_the_state_is_given_it(target):
    environment(target, "old")

    def fails(message):
        with opened(target):
            raise CannotAct(message, hint="do this")

    for message in ("cannot write x", f"cannot write x; {target} is as it was"):
        with pytest.raises(CannotAct) as caught:
            fails(message)
        assert caught.value.message == f"cannot write x; {target} is as it was"
        assert caught.value.hint == "do this"


def test_where_nothing_was_left_nothing_is_made(target):
    assert settle(target) == transaction.Settled()
    assert names(target.parent) == []


def test_what_a_dead_run_was_building_is_removed_and_said(target, private):
    environment(target, "old")

    def builds():
        with opened(target) as work:
            environment(work.start("TensorFlow 2.18.1"), "half")
            (private / ".journal.json.x.tmp").write_text("half")
            os._exit(9)

    dies(builds)
    assert settle(target).message == "removed what an interrupted run had half-made: TensorFlow 2.18.1"
    assert (what(target), names(target.parent)) == ("old", ["env"])


DEATHS = {
    "before the exchange": (disk, "put", 1, False),
    "after the exchange": (disk, "put", 1, True),
    "before the old one is kept": (disk, "discard", 1, False),
    "while the one before is removed": (disk, "discard", 1, True),
    "before the pins": (transaction, "put_pins_beside", 1, False),
    "after the pins": (transaction, "put_pins_beside", 1, True),
    "before the journal is cleared": (journal, "clear", 2, False),
}


@pytest.mark.parametrize(
    "when, keep",
    [(when, keep) for when in DEATHS for keep in (True, False) if keep or DEATHS[when][1] != "discard"],
    ids=lambda value: value if isinstance(value, str) else "kept" if value else "not kept",
)
def test_a_run_that_died_while_placing_is_finished_by_the_next(target, private, monkeypatch, exchange, when, keep):
    environment(target, "oldest")
    placed(target, "old", keep=True)
    owner, name, number, after = DEATHS[when]

    def places():
        setattr(owner, name, dying(getattr(owner, name), number, after=after))
        placed(target, "new", keep=keep)

    dies(places)
    assert what(target) == ("old" if when == "before the exchange" else "new")
    settled = settle(target)

    assert settled.message == "finished what an interrupted run had begun: new"
    assert settled.finished.what == "new"
    assert what(target) == "new"
    assert what(private / "previous") == ("old" if keep else "oldest")
    assert names(target.parent) == [".env.tfcompat", "env", "env.requirements.txt"]
    assert (target.parent / "env.requirements.txt").read_text() == "# tfcompat: new\n"
    assert names(private) == ["lock", "previous"]
    assert settle(target).message == ""


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_death_around_each_of_the_three_renames_is_finished_by_the_next(target, private, monkeypatch, number, after):
    monkeypatch.setattr(disk, "_swap", lambda: None)
    environment(target, "mine")

    def places():
        with opened(target) as work:
            source = environment(work.start("new") / "env", "new", pins=True)
            Path.rename = dying(Path.rename, number, after=after)
            work.place(source, "new", keep=True)

    dies(places)
    assert settle(target).message == "finished what an interrupted run had begun: new"
    assert (what(target), what(private / "previous")) == ("new", "mine")
    assert names(private) == ["lock", "previous"]


@pytest.mark.parametrize("when", [name for name in DEATHS if "kept" not in name and "removed" not in name])
def test_a_way_back_that_died_is_finished_and_not_gone_again(target, private, exchange, when):
    environment(target, "mine")
    placed(target, "new", keep=True)
    owner, name, number, after = DEATHS[when]

    def goes_back():
        setattr(owner, name, dying(getattr(owner, name), number, after=after))
        rolled_back(target)

    dies(goes_back)
    rolled_back(target)
    assert (what(target), what(private / "previous")) == ("mine", "new")
    rolled_back(target)
    assert (what(target), what(private / "previous")) == ("new", "mine")


def died_after_the_exchange(target):
    environment(target, "mine")

    def places():
        disk.put = dying(disk.put, 1, after=True)
        placed(target, "new", keep=True)

    dies(places)


def test_what_was_to_be_kept_comes_back_where_the_new_one_was_removed_by_hand(target, exchange):
    died_after_the_exchange(target)
    (target / "what.txt").unlink()
    (target / journal.PINS).unlink()
    target.rmdir()
    settle(target)

    assert what(target) == "mine"


def test_what_was_to_be_kept_is_kept_where_somebody_has_taken_its_name(target, private, exchange):
    died_after_the_exchange(target)
    target.rename(target.with_name("moved away"))
    environment(target, "another")
    settle(target)

    assert (what(target), what(private / "previous")) == ("another", "mine")


def test_an_empty_name_gets_its_old_folder_back_to_be_looked_at_and_the_run_is_finished_all_the_same(
    target, private, monkeypatch
):
    monkeypatch.setattr(disk, "_swap", lambda: None)
    environment(target, "mine")
    transaction.put_back(target)

    def places():
        with opened(target) as work:
            source = environment(work.start("new") / "env", "new", pins=True)
            Path.rename = dying(Path.rename, 1, after=True)
            work.place(source, "new", keep=True)

    dies(places)
    assert not target.exists()
    transaction.put_back(target)
    assert what(target) == "mine"
    assert settle(target).finished.what == "new"
    assert (what(target), what(private / "previous")) == ("new", "mine")


def test_a_name_that_nothing_was_at_is_given_nothing(target):
    transaction.put_back(target)

    assert names(target.parent) == []


def test_a_name_taken_between_two_renames_is_left_alone_and_the_old_one_kept(target, private, monkeypatch):
    monkeypatch.setattr(disk, "_swap", lambda: None)
    environment(target, "mine")

    def places():
        with opened(target) as work:
            source = environment(work.start("new") / "env", "new", pins=True)
            Path.rename = dying(Path.rename, 1, after=True)
            work.place(source, "new", keep=True)

    dies(places)
    environment(target, "another")
    settle(target)

    assert (what(target), what(private / "previous")) == ("another", "mine")


@pytest.mark.parametrize("folder", ["new-x/env", "previous", "../precious", "/etc"])
def test_a_journal_somebody_wrote_moves_nothing_it_does_not_know_by_number(target, private, tmp_path, folder):
    environment(target, "old")
    environment(tmp_path / "precious", "precious")
    environment(private / "new-x" / "env", "planted")
    environment(private / "previous", "kept")
    journal.write(private, Entry(state=PLACING, folder=folder, inode=12345678901, what="x"))
    settle(target)

    assert (what(target), what(private / "previous"), what(tmp_path / "precious")) == ("old", "kept", "precious")


def test_a_link_in_the_place_of_what_was_kept_is_not_put_back(target, private, tmp_path):
    environment(target, "old")
    private.mkdir()
    (private / "previous").symlink_to(environment(tmp_path / "precious", "precious"))

    with opened(target) as work:
        assert work.previous() is None


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_bears_the_name_of_the_pins_and_is_not_ours_stays(target, tmp_path, kind):
    beside, precious = tmp_path / "env.requirements.txt", tmp_path / "precious.txt"
    precious.write_text("# tfcompat: mine all the same\n")
    if kind == "file":
        beside.write_text("numpy\n")
    elif kind == "link":
        beside.symlink_to(precious)
    else:
        beside.mkdir()
    before = (beside.lstat().st_ino, beside.lstat().st_mtime_ns)
    placed(target, "new")

    assert what(target) == "new"
    assert (beside.lstat().st_ino, beside.lstat().st_mtime_ns) == before
    assert precious.read_text() == "# tfcompat: mine all the same\n"


def test_pins_of_an_environment_that_has_none_are_taken_away_only_where_they_are_ours(target, tmp_path):
    placed(target, "ours")
    placed(target, "without", pins=False)
    assert names(tmp_path) == ["env"]
    (tmp_path / "env.requirements.txt").write_text("numpy\n")
    placed(target, "without again", pins=False)

    assert (tmp_path / "env.requirements.txt").read_text() == "numpy\n"


def test_the_second_of_two_is_told_what_the_first_does_and_that_nothing_changed(target, private):
    environment(target, "old")
    with opened(target, "tfcompat fix --rollback"), pytest.raises(CannotAct, match="`tfcompat fix --rollback`"):
        settle(target)
    assert what(target) == "old"


def test_a_folder_that_may_not_be_written_says_so(target, monkeypatch):
    def refuses(_folder, _work):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(holding, "held", refuses)
    with (
        pytest.raises(CannotAct, match=r"cannot write beside .*: Read-only file system; .*env was not made") as caught,
        opened(target),
    ):
        pass
    assert "you may write to" in caught.value.hint
