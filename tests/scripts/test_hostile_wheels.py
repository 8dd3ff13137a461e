"""Wheels made to hang, crash, or fill memory and disk of whoever reads their members from afar."""

from __future__ import annotations

import contextlib
import io
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from requests.structures import CaseInsensitiveDict

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import remote_wheel
from linking.binaries import Binaries
from linking.index import File
from packaging.version import Version
from refreshing.index import IndexFile
from refreshing.zip_tail import BrokenWheelError, read_metadata
from remote_wheel import BadWheel, RemoteWheel
from requests import HTTPError

from tests.limits import limits
from tests.probe.machobuilder import FLAT, Binary

MEMORY = 24 << 20
"""Some pieces of 1 MB at a time, however large the wheel."""


class Answer:
    def __init__(self, status, body, headers=()):
        self.status_code, self.raw, self.headers = status, io.BytesIO(body), CaseInsensitiveDict(headers)
        self.ok = status < 400

    def raise_for_status(self):
        if not self.ok:
            raise HTTPError(f"{self.status_code}", response=self)

    def close(self):
        self.raw.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Served:
    """A session whose one file is `content`; counts what is asked of it."""

    def __init__(self, content, *, most=None, statuses=(), headers=()):
        self.content, self.most, self.statuses, self.headers = content, most, list(statuses), headers
        self.asked = []

    def get(self, _url, *, headers, **_options):
        first, last = map(int, headers["Range"].removeprefix("bytes=").split("-"))
        assert 0 <= first <= last, "no server understands such a range"
        self.asked.append((first, last))
        if self.statuses:
            return Answer(self.statuses.pop(0), b"", self.headers)
        if first >= len(self.content):
            return Answer(416, b"")
        return Answer(206, self.content[first : last + 1][: self.most])

    def wheel(self, size=None):
        return RemoteWheel(self, "https://index/x.whl", len(self.content) if size is None else size, pause=0)


class Sink:
    def __init__(self):
        self.written = 0

    def write(self, data):
        self.written += len(data)


def archive_of(members, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def patched(content, mark, offset, layout, *values):
    """The archive with fields of its first record of that mark set to other values."""
    data = bytearray(content)
    struct.pack_into(layout, data, content.index(mark) + offset, *values)
    return bytes(data)


END, ENTRY, LOCAL = b"PK\5\6", b"PK\1\2", b"PK\3\4"
SMALL = archive_of({"tensorflow-plugins/a.dylib": b"a library" * 20, "x-1.dist-info/METADATA": b"Name: x\n"})
ZEROS = archive_of({"a": bytes(200 << 20)})


def everything_in(served, size=None):
    wheel = served.wheel(size)
    for member in wheel.members:
        with contextlib.suppress(BadWheel):
            wheel.unpack(member, Sink())


@pytest.mark.parametrize("length", range(0, len(SMALL), 5))
def test_a_truncated_wheel_is_refused_whatever_the_index_says_its_size_is(length):
    for size in (length, len(SMALL)):
        with pytest.raises(BadWheel):
            everything_in(Served(SMALL[:length]), size)


LIES = {
    "a directory beyond the end": patched(SMALL, END, 12, "<II", 1 << 31, 1 << 31),
    "a directory of the whole file": patched(SMALL, END, 12, "<II", len(SMALL), 0),
    "a directory elsewhere": patched(SMALL, END, 16, "<I", 3),
    "zip64": patched(SMALL, END, 8, "<HHII", 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
    "no record": SMALL.replace(END, b"PK\5\7"),
    "half a record": SMALL[: SMALL.index(END) + 10],
    "a name that is no text": patched(patched(SMALL, ENTRY, 8, "<H", 0x800), ENTRY, 46, "<B", 0xFF),
    "a zip of the future": patched(SMALL, ENTRY, 6, "<H", 999),
    "a member beyond the directory": patched(SMALL, ENTRY, 42, "<I", len(SMALL) - 40),
    "a member beyond the end": patched(SMALL, ENTRY, 42, "<I", 1 << 31),
    "extra fields that lie": patched(SMALL, ENTRY, 30, "<H", 40),
}


@pytest.mark.parametrize("content", LIES.values(), ids=LIES)
def test_a_directory_that_lies_is_refused(content):
    with limits(calls=20_000, memory=MEMORY), pytest.raises(BadWheel) as refused:
        Served(content).wheel()

    assert "\n" not in str(refused.value)


def test_a_directory_of_hundreds_of_megabytes_is_not_fetched():
    served = Served(SMALL)
    size = 300 << 20

    def get(_url, *, headers, **_options):
        first, last = map(int, headers["Range"].removeprefix("bytes=").split("-"))
        served.asked.append((first, last))
        end = struct.pack("<4s4H2LH", END, 0, 0, 9, 9, size - 122, 100, 0)
        return Answer(206, bytes(last + 1 - first - len(end)) + end)

    served.get = get
    with limits(calls=20_000, memory=MEMORY), pytest.raises(BadWheel, match="a zip directory of 314,572,700 bytes"):
        served.wheel(size)
    assert len(served.asked) == 1


MEMBERS = {
    "claims less than it holds": (patched(ZEROS, ENTRY, 24, "<I", 1000), "longer than it claims", 0),
    "claims 3 GB": (patched(ZEROS, ENTRY, 24, "<I", 3 << 30), "claims 3,221,225,472 bytes", 0),
    "claims more than it holds": (patched(SMALL, ENTRY, 24, "<I", 1 << 20), "damaged", 1 << 20),
    "is packed by another method": (patched(SMALL, ENTRY, 10, "<H", 12), "packed in a way", 0),
    "is encrypted": (patched(SMALL, ENTRY, 8, "<H", 1), "packed in a way", 0),
    "is not where it should be": (patched(SMALL, ENTRY, 42, "<I", 7), "cut short|damaged|:", 1 << 20),
    "is longer than the wheel": (patched(SMALL, ENTRY, 20, "<I", 1 << 30), "cut short|:", 1 << 20),
    "has a false checksum": (patched(SMALL, ENTRY, 16, "<I", 1), "damaged", 1 << 20),
    "has a header without an end": (patched(SMALL, LOCAL, 26, "<HH", 0xFFFF, 0xFFFF), "cut short", 0),
}


@pytest.mark.parametrize("content, why, most", MEMBERS.values(), ids=MEMBERS)
def test_a_member_that_is_not_what_the_directory_says_is_refused(content, why, most):
    wheel, sink = Served(content).wheel(), Sink()
    member = next(iter(wheel.members))

    with limits(calls=20_000, memory=MEMORY), pytest.raises(BadWheel, match=why):
        wheel.unpack(member, sink)
    assert sink.written <= most


def test_an_honest_bomb_comes_in_pieces():
    wheel, sink = Served(ZEROS).wheel(), Sink()

    with limits(calls=20_000, memory=MEMORY):
        wheel.unpack("a", sink)

    assert sink.written == 200 << 20


def test_members_that_share_their_bytes_come_out_alike():
    content = archive_of({"a": b"shared" * 9, "b": b"shared" * 9})
    at = content.rindex(ENTRY) + 42
    content = content[:at] + struct.pack("<I", 0) + content[at + 4 :]
    wheel = Served(content).wheel()
    both = [io.BytesIO(), io.BytesIO()]

    for member, target in zip("ab", both, strict=True):
        wheel.unpack(member, target)
    assert [each.getvalue() for each in both] == [b"shared" * 9] * 2


def test_a_small_member_of_a_wheel_with_a_hole_does_not_fetch_the_hole():
    members = {"small": b"x", "hole": bytes(3 << 20)}
    content = archive_of(members, zipfile.ZIP_STORED)
    # Only the small one is listed, so that it seems to reach up to the directory.
    start, second = content.index(ENTRY), content.rindex(ENTRY)
    end = struct.pack("<4s4H2LH", END, 0, 0, 1, 1, second - start, start, 0)
    wheel = Served(content[:second] + end).wheel()
    before = wheel.fetched

    wheel.unpack("small", Sink())

    assert wheel.fetched - before < 200_000


def test_a_connection_that_brings_a_byte_at_a_time_is_given_up():
    served = Served(SMALL, most=1)

    with pytest.raises(BadWheel, match="ends early"):
        served.wheel()
    assert len(served.asked) == remote_wheel.BREAKS + 1


@pytest.mark.parametrize("asked, waited", [("7", 7), ("9" * 400, 30), ("soon", 0)])
def test_a_server_that_asks_for_patience_gets_it_within_bounds(monkeypatch, asked, waited):
    waits = []
    monkeypatch.setattr(remote_wheel.time, "sleep", waits.append)

    wheel = Served(SMALL, statuses=[429], headers={"Retry-After": asked}).wheel()

    assert list(wheel.members)
    assert waits == [waited]


WORDS = st.sampled_from([0, 1, 0x12, 0x800, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, len(SMALL), 0x04034B50]) | st.integers(
    0, 2**32 - 1
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SMALL) - 4), WORDS), min_size=1, max_size=5))
def test_whatever_words_a_wheel_holds_it_is_read_or_refused_within_limits(words):
    data = bytearray(SMALL)
    for place, word in words:
        struct.pack_into("<I", data, place, word)
    served = Served(bytes(data))

    with limits(calls=50_000, memory=MEMORY), contextlib.suppress(BadWheel):
        everything_in(served)
    assert len(served.asked) < 40


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SMALL) - 4), WORDS), min_size=1, max_size=5))
def test_its_metadata_too(words):
    data = bytearray(SMALL)
    for place, word in words:
        struct.pack_into("<I", data, place, word)

    def read(start, end):
        assert 0 <= start < end <= len(data), "a server refuses a range outside the file"
        return bytes(data[start:end])

    with limits(calls=50_000, memory=MEMORY), contextlib.suppress(BrokenWheelError):
        read_metadata(read, len(data), "x")


def test_a_tail_full_of_marks_is_gone_through_once():
    content = (ENTRY + bytes(42)) * 1390 + b"?" + struct.pack("<4s4H2LH", END, 0, 0, 1, 1, 9, 0, 0)

    with limits(calls=200_000, memory=MEMORY), pytest.raises(BrokenWheelError):
        read_metadata(lambda start, end: content[start:end], len(content), "x")


def test_metadata_that_unpacks_to_more_than_it_claims_is_not_held():
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(bytes(200 << 20)) + packed.flush()
    name = b"x-1.dist-info/METADATA"
    local = struct.pack("<4s5H3L2H", LOCAL, 20, 0, 8, 0, 0, 0, len(body), 100, len(name), 0) + name
    entry = struct.pack("<4s6H3L5H2L", ENTRY, 20, 20, 0, 8, 0, 0, 0, len(body), 100, len(name), 0, 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2LH", END, 0, 0, 1, 1, len(entry), len(local) + len(body), 0)
    content = local + body + entry + end

    with limits(calls=5000, memory=MEMORY), pytest.raises(BrokenWheelError, match="checksum"):
        read_metadata(lambda start, end: content[start:end], len(content), "x")


TRAVERSING = [
    "../../tensorflow-plugins/evil.dylib",
    "/tensorflow-plugins/evil.dylib",
    "C:\\tensorflow-plugins/evil.dylib",
]


@pytest.mark.parametrize("name", TRAVERSING)
def test_a_name_that_leaves_its_folder_writes_nowhere_else(tmp_path, monkeypatch, name):
    cache, elsewhere = tmp_path / "deep" / "cache", tmp_path / "deep" / "here"
    for folder in (cache, elsewhere):
        folder.mkdir(parents=True)
    monkeypatch.chdir(elsewhere)
    content = archive_of({name: Binary(undefined=[("_TF_a", FLAT, 0)]).build()})
    listed = IndexFile(
        filename="x.whl",
        url="https://index/x.whl",
        sha256="ab" * 32,
        size=len(content),
        uploaded=None,
        requires_python=None,
        yanked=None,
        sidecar_sha256=None,
    )
    file = File("x", Version("1"), "x.whl", listed.url, len(content), listed.sha256, listed, "cp310", "arm64")

    plugin = Binaries(Served(content), cache).plugin(file)

    assert [need.symbol for need in plugin.image.needs] == ["_TF_a"]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [cache / f"{listed.sha256}.json"]
