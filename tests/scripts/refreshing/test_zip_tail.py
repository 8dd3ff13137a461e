"""METADATA out of the end of a zip file, with the standard library's reader as the oracle."""

import io
import random
import struct
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from refreshing.zip_tail import TAIL, BrokenWheelError, read_metadata

METADATA = "tensorflow-2.18.1.dist-info/METADATA"


def archive_of(files, *, comment=b"", method=zipfile.ZIP_DEFLATED, extra=b""):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.comment = comment
        for name, content in files:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            info.extra = extra
            archive.writestr(info, content)
    return buffer.getvalue()


def reader_of(content):
    def read(start, end):
        assert 0 <= start < end <= len(content), "a server refuses a range outside the file"
        return content[start:end]

    return read


def read_from(content, project="tensorflow"):
    return read_metadata(reader_of(content), len(content), project)


@settings(max_examples=60, deadline=None)
@given(
    files_before=st.integers(0, 1500),
    files_after=st.integers(0, 1500),
    body=st.binary(max_size=3000),
    comment=st.binary(max_size=40).filter(lambda value: b"PK" not in value),
    method=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
    extra_length=st.integers(0, 600),
)
def test_what_it_reads_is_what_zipfile_reads(files_before, files_after, body, comment, method, extra_length):
    # A mark of a directory entry inside names and contents must mislead nobody.
    def decoys(start, stop):
        return [(f"d/PK\x01\x02{number}" + "x" * 40, b"PK\x01\x02") for number in range(start, stop)]

    extra = struct.pack("<HH", 0x6375, extra_length) + bytes(extra_length) if extra_length else b""
    files = [*decoys(0, files_before), (METADATA, body), *decoys(files_before, files_before + files_after)]
    content = archive_of(files, comment=comment, method=method, extra=extra)

    assert zipfile.ZipFile(io.BytesIO(content)).read(METADATA) == read_from(content)


def test_metadata_of_a_vendored_project_is_not_taken_for_ours():
    other = "Name: other"
    content = archive_of(
        [
            ("tensorflow/_vendor/tensorflow-1.0.dist-info/METADATA", other),
            ("protobuf-4.0.dist-info/METADATA", other),
            ("Tensor_Flow-2.18.1.dist-info/METADATA", "ours"),
        ]
    )

    assert read_from(content, project="tensor-flow") == b"ours"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "too short"),
        (b"\x00" * 100_000, "no end of a zip file"),
        (archive_of([("a", "b")]), "no METADATA"),
        (archive_of([(METADATA, bytes(5 * 1024 * 1024))]), "METADATA of 5,242,880 bytes"),
        (archive_of([(METADATA, "x")], method=zipfile.ZIP_BZIP2), "compression method 12"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_wheel_says_so(content, says):
    with pytest.raises(BrokenWheelError, match=says):
        read_from(content)


def test_a_changed_byte_is_a_broken_wheel_or_no_change_at_all():
    original = archive_of([("tensorflow/__init__.py", "x = 1"), (METADATA, "Name: tensorflow\n" * 20)])
    expected = read_from(original)
    chance = random.Random(3)  # noqa: S311 - damage that repeats, not a secret

    for _ in range(3000):
        damaged = bytearray(original)
        for _ in range(chance.randint(1, 3)):
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        try:
            assert read_from(bytes(damaged)) == expected
        except BrokenWheelError:
            continue


def test_of_a_huge_archive_only_the_tail_and_the_entry_are_read_wherever_the_tail_begins():
    files = [(f"tensorflow/include/PK\x01\x02{number:06}.h", b"#pragma once") for number in range(2500)]
    archive = archive_of([*files, (METADATA, "Name: tensorflow")])

    for padding in range(0, 100, 3):
        content = archive[:-2] + struct.pack("<H", padding) + bytes(padding)
        asked = []

        def read(start, end, content=content, asked=asked):
            asked.append(end - start)
            return content[start:end]

        assert read_metadata(read, len(content), "tensorflow") == b"Name: tensorflow"
        assert asked[0] == TAIL < content.rindex(b"PK\x05\x06") - content.index(b"PK\x01\x02\x14\x03")
        assert sum(asked[1:]) < 1024
