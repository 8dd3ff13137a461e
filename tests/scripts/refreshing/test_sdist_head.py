"""PKG-INFO out of the front of a .tar.gz, whatever the bytes are."""

import contextlib
import gzip
import io
import random
import sys
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from refreshing import sdist_head
from refreshing.sdist_head import BrokenSdistError, read_pkg_info

from tests.limits import limits
from tests.scripts.index_server import sdist_bytes

NAME = "tensorflow-metal-plugin"


def read_from(content, asked=None):
    def read(start, end):
        assert 0 <= start < end <= len(content), "a server refuses a range outside the file"
        if asked is not None:
            asked.append(end - start)
        return content[start:end]

    return read_pkg_info(read, len(content))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 300_000), st.lists(st.sampled_from(["tensorflow==2.21.*", "numpy", "a[b]>=1"]), max_size=3))
def test_it_reads_what_tarfile_reads_however_far_in_it_stands(before, requires):
    noise = random.Random(before).randbytes(before)  # noqa: S311 - bytes that do not compress
    content = sdist_bytes(NAME, "0.4.1", requires, bytes_before=noise)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        expected = archive.extractfile("tensorflow_metal_plugin-0.4.1/PKG-INFO").read()

    assert read_from(content) == expected


def test_what_stands_behind_it_is_not_asked_for():
    asked = []
    noise = random.Random(1).randbytes(2_000_000)  # noqa: S311 - as above

    read_from(sdist_bytes(NAME, "0.4.1", bytes_after=noise), asked)

    assert asked == [sdist_head.PIECE]


def tar_of(name, size, content=b"", kind=tarfile.REGTYPE):
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return gzip.compress(member.tobuf() + content + bytes(-len(content) % 512))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"no gzip file at all", "header check"),
        (gzip.compress(b"no tar file" * 1000), "header"),
        (gzip.compress(bytes(10_000)), "no PKG-INFO"),
        (tar_of("a-1/PKG-INFO", 5 << 20), "PKG-INFO of 5,242,880 bytes"),
        (tar_of("a-1/PKG-INFO", 1 << 60), "PKG-INFO of"),
        (tar_of("a-1/PKG-INFO", 4000, b"Name: a"), "cut short|end of data"),
        (tar_of("a-1/PKG-INFO", 0, kind=tarfile.SYMTYPE), "no PKG-INFO"),
        (tar_of("a-1/deeper/PKG-INFO", 7, b"Name: a"), "no PKG-INFO"),
        (tar_of("a-1/endless", 1 << 40, bytes(70 << 20)), "no PKG-INFO in its first"),
        (tar_of("a-1/a name", 1 << 40, bytes(70 << 20), tarfile.GNUTYPE_LONGNAME), "no PKG-INFO in its first|header"),
    ],
    ids=["nothing", "no gzip", "no tar", "zeros", "large", "absurd", "cut", "link", "deeper", "bomb", "name bomb"],
)
def test_what_is_no_sdist_says_so_within_limits(content, says):
    with limits(calls=2_000_000, memory=160 << 20), pytest.raises(BrokenSdistError, match=says):
        read_from(content)


SOUND = sdist_bytes(NAME, "0.4.1", ["tensorflow==2.21.*"])


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(SOUND)))
def test_a_truncated_one_is_read_or_broken(length):
    with contextlib.suppress(BrokenSdistError):
        assert b"tensorflow==2.21.*" in read_from(SOUND[:length])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3000), st.binary(min_size=1, max_size=8)), min_size=1, max_size=6))
def test_damage_to_the_tar_headers_ends_in_nothing_else(damage):
    plain = bytearray(gzip.decompress(SOUND))
    for offset, value in damage:
        plain[offset : offset + len(value)] = value
    with limits(calls=200_000, memory=80 << 20), contextlib.suppress(BrokenSdistError):
        read_from(gzip.compress(bytes(plain), 1))
