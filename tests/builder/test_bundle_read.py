"""Nothing of a bundle is used before every file of it is known to be what was bundled."""

import json
import os
from dataclasses import replace

import pytest

from compat.builder.bundle_read import MOST_BYTES, is_bundle, read, verify
from compat.errors import CannotAct
from compat.facts.codec import encode
from compat.plan.bundled import File
from tests.builder.tiny_index import sha256, wheel
from tests.plan.test_bundled import SOUND

WHEEL = "wheels/demo-1.0-py3-none-any.whl"


@pytest.fixture
def folder(tmp_path):
    """A sound bundle of one wheel."""
    out = tmp_path / "out"
    (out / "wheels").mkdir(parents=True)
    path = wheel(out / "wheels", "demo", "1.0")
    (out / "requirements.lock").write_text("demo\n")
    files = tuple(
        File(path=name, sha256=sha256(out / name), size=(out / name).stat().st_size)
        for name in (WHEEL, "requirements.lock")
    )
    pin = replace(SOUND.packages[0], sha256=sha256(path), size=path.stat().st_size)
    manifest = replace(SOUND, packages=(pin,), files=files, interpreter=None)
    (out / "manifest.json").write_text(json.dumps(encode(manifest)))
    return out


def refused(folder, what):
    with pytest.raises(CannotAct, match=what) as raised:
        verify(folder, read(folder))
    assert "nothing of it was used" in raised.value.message
    assert "\n" not in raised.value.message


def test_a_sound_one_passes_and_each_file_was_read(folder):
    told = []
    verify(folder, read(folder), told.append)

    assert told == [f"checking {WHEEL}", "checking requirements.lock"]


def test_one_changed_byte_is_seen(folder):
    data = bytearray((folder / WHEEL).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / WHEEL).write_bytes(data)

    refused(folder, "is not what was bundled: another sha256")


def test_a_file_cut_short_or_gone_is_seen_and_others_are_counted(folder):
    (folder / WHEEL).write_bytes(b"x")
    (folder / "requirements.lock").unlink()

    refused(folder, r"has 1 bytes, not \d+ \(and 1 more\)")


def test_a_link_is_no_file_of_the_bundle_even_to_the_same_bytes(folder, tmp_path):
    outside = tmp_path / "outside.whl"
    (folder / WHEEL).rename(outside)
    (folder / WHEEL).symlink_to(outside)

    refused(folder, "is a link or no file")


def test_a_folder_that_is_a_link_is_none_of_the_bundle(folder, tmp_path):
    (folder / "wheels").rename(tmp_path / "elsewhere")
    (folder / "wheels").symlink_to(tmp_path / "elsewhere")

    refused(folder, "wheels is no folder of its own")


def test_a_pipe_is_not_waited_for(folder):
    (folder / "requirements.lock").unlink()
    os.mkfifo(folder / "requirements.lock")

    refused(folder, "is a link or no file")


def test_what_copying_left_there_besides_is_let_be(folder):
    (folder / "wheels" / "._demo-1.0-py3-none-any.whl").write_bytes(b"an AppleDouble file")
    (folder / ".DS_Store").write_bytes(b"")

    verify(folder, read(folder))


@pytest.mark.parametrize(
    "content, what",
    [
        (b"", "is no JSON"),
        (b"{", "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        (b"[" * 100_000, "is no JSON|is not the manifest"),
        (b"{}", "is not the manifest of a bundle"),
        (b" " * (MOST_BYTES + 1), "is no manifest: a link, no file, or too large"),
    ],
    ids=["empty", "cut", "no text", "deep", "no bundle", "large"],
)
def test_a_manifest_that_is_none_is_one_line(folder, content, what):
    (folder / "manifest.json").write_bytes(content)

    with pytest.raises(CannotAct, match=what) as raised:
        read(folder)
    assert "\n" not in raised.value.message
    assert not is_bundle(folder)


def test_a_manifest_that_is_a_link_is_not_followed(folder, tmp_path):
    (folder / "manifest.json").rename(tmp_path / "manifest.json")
    (folder / "manifest.json").symlink_to(tmp_path / "manifest.json")

    with pytest.raises(CannotAct, match="a link"):
        read(folder)


def test_no_folder_and_no_manifest_are_told_apart_from_a_broken_one(folder, tmp_path):
    for place in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(CannotAct, match=r"is no bundle: there is no manifest\.json in it"):
            read(place)


def test_a_link_to_a_bundle_is_read_but_never_replaced(folder, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folder)

    verify(link, read(link))
    assert is_bundle(folder)
    assert not is_bundle(link)
