"""What comes off the shelf has the sha256 that was asked for, whatever came over the network; nothing else stays there."""

import os
import stat

import pytest

from compat.builder.shelf import Shelf, Wanted
from compat.errors import CannotAct
from tests.builder.loopback import serving
from tests.builder.tiny_index import sha256, wheel

FILE = "demo-1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path):
    folder = tmp_path / "wheels"
    folder.mkdir()
    wheel(folder, "demo", "1.0")
    with serving(folder) as found:
        yield found


@pytest.fixture
def shelf(tmp_path):
    return Shelf(folder=tmp_path / "shelf", got=lambda _file, _count: None, seconds=1.5, silence=0.5)


def wanted(index, **other):
    path = index.folder / FILE
    known = {"file": FILE, "url": f"{index.root}/files/{FILE}", "sha256": sha256(path), "size": path.stat().st_size}
    return Wanted(**known | other)


@pytest.mark.parametrize("size", ["known", "unknown"])
@pytest.mark.parametrize("fault", ["garbage", "truncated", "drop", "changed", "huge", "endless", "stall", "drip"])
def test_what_is_not_the_file_never_gets_there_and_leaves_nothing(index, shelf, tmp_path, fault, size):
    one = wanted(index, **({} if size == "known" else {"size": None}))
    index.fail(FILE, fault)

    with pytest.raises(CannotAct, match=FILE):
        shelf.put(one, tmp_path / "out.whl")
    assert not (tmp_path / "out.whl").exists()
    assert list(shelf.folder.iterdir()) == []


def test_a_file_of_another_hash_is_told_with_both(index, shelf, tmp_path):
    index.fail(FILE, "garbage")
    one = wanted(index)

    with pytest.raises(CannotAct, match=f"is another file: its sha256 is [0-9a-f]{{64}}, not {one.sha256}") as raised:
        shelf.put(one, tmp_path / "out.whl")
    assert "do not install it" in raised.value.hint
    assert len(index.asked(FILE)) == 1


def test_it_is_readable_where_it_is_put_and_private_while_it_waits(index, shelf, tmp_path):
    old = os.umask(0o077)
    try:
        size = shelf.put(wanted(index), tmp_path / "out.whl")
    finally:
        os.umask(old)

    assert size == (index.folder / FILE).stat().st_size
    assert sha256(tmp_path / "out.whl") == sha256(index.folder / FILE)
    assert stat.S_IMODE((tmp_path / "out.whl").stat().st_mode) == 0o644
    assert stat.S_IMODE(shelf.folder.stat().st_mode) == 0o700


def test_what_waits_there_is_not_fetched_again(index, shelf, tmp_path):
    one = wanted(index)
    for name in ("first.whl", "second.whl"):
        shelf.put(one, tmp_path / name)
    assert len(index.asked(FILE)) == 1

    shelf.clear(frozenset((one.sha256,)))
    assert not shelf.folder.exists()
    assert (tmp_path / "second.whl").read_bytes() == (index.folder / FILE).read_bytes()


def test_a_link_that_lies_in_its_place_is_not_trusted(index, shelf, tmp_path):
    one = wanted(index)
    shelf.folder.mkdir()
    (shelf.folder / one.sha256).symlink_to(index.folder / FILE)
    shelf.put(one, tmp_path / "out.whl")

    assert not (tmp_path / "out.whl").is_symlink()
    assert len(index.asked(FILE)) == 1


@pytest.mark.parametrize("address", ["http://example.org/x.whl", "ftp://example.org/x.whl", "file:///etc/hostname"])
def test_an_address_without_tls_is_never_asked(index, shelf, tmp_path, address):
    from compat.errors import UsageError

    with pytest.raises(UsageError):
        shelf.put(wanted(index, url=address), tmp_path / "out.whl")


def test_how_much_has_come_is_told(index, tmp_path):
    told = []
    shelf = Shelf(folder=tmp_path / "shelf", got=lambda file, count: told.append((file, count)))
    one = wanted(index)
    shelf.put(one, tmp_path / "out.whl")

    assert told[-1] == (FILE, one.size)
