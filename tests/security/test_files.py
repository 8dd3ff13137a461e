"""A build writes beside and under its target only, through no link, and keeps to itself what is not finished."""

import os
import stat
from contextlib import contextmanager

import pytest

from compat.builder import journal
from compat.builder.apply import carry_out
from compat.builder.outcome import Built, Verification
from compat.errors import TfcompatError
from tests.builder.test_apply import candidate, index, job, plan  # noqa: F401 - index is a fixture

BUILD = plan(candidate("demo==1.0"))


@pytest.fixture
def place(tmp_path, index):  # noqa: F811
    """The folder a build is asked for in, and beside it what is nobody's business."""
    (tmp_path / "place").mkdir()
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("mine")
    return tmp_path / "place"


def precious(place):
    folder = place.parent / "precious"
    return {path.name: path.read_text() for path in folder.iterdir()}


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def umask(value):
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def test_a_target_that_is_a_link_is_not_followed(place):
    (place / "env").symlink_to(place.parent / "precious")
    for replace in (False, True):
        with pytest.raises(TfcompatError):
            carry_out(BUILD, job(place.parent, replace=replace))

    assert precious(place) == {"file": "mine"}
    assert (place / "env").is_symlink()


def test_a_target_that_is_a_link_to_nowhere_is_not_followed_either(place):
    (place / "env").symlink_to(place.parent / "precious" / "new")
    with pytest.raises(TfcompatError):
        carry_out(BUILD, job(place.parent))

    assert precious(place) == {"file": "mine"}


def test_a_folder_reached_through_a_link_is_the_users_own_way(place):
    real = place.parent / "elsewhere"
    place.rename(real)
    place.symlink_to(real)

    assert isinstance(carry_out(BUILD, job(place.parent)), Built)
    assert (real / "env/bin/python").exists()


def test_pins_do_not_take_the_place_of_a_file_that_is_not_ours(place):
    (place / "env.requirements.txt").symlink_to(place.parent / "precious" / "file")
    with pytest.raises(TfcompatError):
        carry_out(BUILD, job(place.parent))

    assert precious(place) == {"file": "mine"}
    assert not (place / "env").exists()


def test_pins_are_written_through_no_link(place):
    ours = f"{journal.HEAD}of another environment\n"
    (place.parent / "precious" / "file").write_text(ours)
    (place / "env.requirements.txt").symlink_to(place.parent / "precious" / "file")
    try:
        carry_out(BUILD, job(place.parent))
    except TfcompatError:  # to refuse is right, to put a file in the link's place is right too
        assert not (place / "env").exists()

    assert precious(place) == {"file": ours}


@pytest.mark.parametrize(
    "name", [".env.tfcompat", ".env.tfcompat/lock", ".env.tfcompat/journal.json", ".env.tfcompat/new-1"]
)
def test_what_is_half_made_goes_through_no_link(name, place):
    (place / name).parent.mkdir(exist_ok=True)
    to_a_file = name.rpartition("/")[2] in ("lock", "journal.json")
    (place / name).symlink_to(place.parent / "precious" / ("file" if to_a_file else ""))
    try:
        carry_out(BUILD, job(place.parent))
    except TfcompatError as refused:
        assert refused.hint  # noqa: PT017 - to refuse is right, to leave it out is right too

    assert precious(place) == {"file": "mine"}


def test_a_folder_somebody_else_put_there_is_not_built_in(place, monkeypatch):
    """In whose hands the parts of the build would be: they could be changed between two steps."""
    foreign = place / ".env.tfcompat"
    foreign.mkdir(mode=0o777)
    if os.geteuid() == 0:
        os.chown(foreign, 4242, 4242)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with pytest.raises(TfcompatError):
        carry_out(BUILD, job(place.parent))

    assert not (place / "env").exists()


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077], ids=oct)
def test_what_is_not_finished_is_for_its_owner_alone(mask, place):
    seen = {}

    def verify(_interpreter, _candidate):
        for path in place.rglob("*"):
            relative = path.relative_to(place).as_posix()
            if relative.count("/") <= 1:
                seen[relative] = mode(path)
        return Verification(ok=True, stage="complete", message="fine")

    with umask(mask):
        carry_out(BUILD, job(place.parent, verify=verify))

    assert seen.pop(".env.tfcompat") == 0o700
    assert seen
    assert all(found & 0o077 == 0 for found in seen.values()), seen


@pytest.mark.parametrize("mask", [0o002, 0o022, 0o077], ids=oct)
def test_what_is_handed_over_is_as_open_as_the_umask_has_it(mask, place):
    with umask(mask):
        carry_out(BUILD, job(place.parent))
        (place / "plain").mkdir()
        (place / "file").touch()

    assert mode(place / "env") == mode(place / "plain")
    assert mode(place / "env.requirements.txt") == mode(place / "file")
    assert mode(place / "env/tfcompat.json") == mode(place / "file")
