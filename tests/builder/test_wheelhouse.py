"""Of a version's files the one is taken that an installer on the target would take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.tags import mac_platforms

from compat.builder import wheelhouse
from compat.builder.pages import Listed
from compat.errors import CannotAct
from compat.matrix.load import load
from compat.matrix.model import Target

MAC = Target(platform="macos-arm64", python="3.12", macos="13.0")
LINUX = Target(platform="linux-x86_64", python="3.11", glibc="2.28")
H = [letter * 64 for letter in "abcdef"]


@pytest.fixture
def lists(monkeypatch):
    """Let the index list these files, each by its own hash."""

    def listed(*files):
        rows = [Listed(file=file, url=f"https://x.org/{file}", sha256=sha) for file, sha in zip(files, H, strict=False)]
        monkeypatch.setattr(wheelhouse.pages, "of_any", lambda *_: iter(rows))

    return listed


def chosen(target, version="1.0", hashes=H):
    text = f"demo=={version} " + " ".join(f"--hash=sha256:{one}" for one in hashes)
    return next(iter(wheelhouse.of_text(text, target, (), None))).wheel.file


@pytest.mark.parametrize(
    "target, files, expected",
    [
        (MAC, ("demo-1.0-py3-none-any.whl", "demo-1.0-cp312-cp312-macosx_11_0_arm64.whl"), 1),
        (MAC, ("demo-1.0-cp312-cp312-macosx_14_0_arm64.whl", "demo-1.0-py3-none-any.whl"), 1),
        (MAC, ("demo-1.0-cp312-cp312-macosx_11_0_arm64.whl", "demo-1.0-cp312-cp312-macosx_12_0_arm64.whl"), 1),
        (MAC, ("demo-1.0-cp39-abi3-macosx_11_0_arm64.whl", "demo-1.0-cp312-cp312-macosx_10_9_universal2.whl"), 1),
        (MAC, ("demo-1.0-cp312-cp312-macosx_11_0_x86_64.whl", "demo-1.0-cp39-abi3-macosx_11_0_arm64.whl"), 1),
        (MAC, ("demo-1.0-py3-none-any.whl", "demo-1.0-2-py3-none-any.whl"), 1),
        (MAC, ("demo-1.0.tar.gz", "demo-1.0-py3-none-any.whl"), 1),
        (MAC, ("demo-2.0-py3-none-any.whl", "demo-1.0-py3-none-any.whl"), 1),
        (LINUX, ("demo-1.0-cp311-cp311-manylinux_2_34_x86_64.whl", "demo-1.0-cp311-cp311-manylinux2014_x86_64.whl"), 1),
        (LINUX, ("demo-1.0-cp312-cp312-manylinux_2_28_x86_64.whl", "demo-1.0-py3-none-any.whl"), 1),
    ],
)
def test_the_wheel_is_the_one_the_target_prefers(lists, target, files, expected):
    lists(*files)

    assert chosen(target) == files[expected]


def test_a_file_whose_hash_uv_did_not_accept_is_never_taken(lists):
    lists("demo-1.0-cp312-cp312-macosx_11_0_arm64.whl", "demo-1.0-py3-none-any.whl")

    assert chosen(MAC, hashes=H[1:2]) == "demo-1.0-py3-none-any.whl"
    with pytest.raises(CannotAct, match=r"no index has a wheel of demo 1\.0"):
        chosen(MAC, hashes=H[4:5])


def test_hashed_requirements_are_read_as_uv_writes_them():
    text = (
        "# a comment\n\ndemo==1.0 \\\n    --hash=sha256:" + H[0] + " \\\n    --hash=sha256:" + H[1] + "\n"
        "    # via something\nHelper.Name==2.0.post1 --hash=sha256:" + H[2] + "\n"
    )

    assert list(wheelhouse.pinned(text)) == [
        ("demo", "1.0", frozenset(H[:2])),
        ("helper-name", "2.0.post1", frozenset(H[2:3])),
    ]


@pytest.mark.parametrize(
    "line", ["demo @ https://example.org/demo-1.0-py3-none-any.whl", "demo", "demo>=1", "./demo.whl"]
)
def test_what_is_pinned_by_no_version_cannot_be_bundled(line):
    with pytest.raises(CannotAct, match="put into a bundle"):
        list(wheelhouse.pinned(line))


def test_the_macos_that_the_tags_ask_for_is_never_more_than_the_shipped_locks_say():
    matrix = load()
    for entry in (row for row in matrix.locks() if row.platform.startswith("macos")):
        files = [package.file for package in matrix.lock(entry).packages]
        asked = wheelhouse.minimum_macos(files, entry.platform)
        assert asked is not None
        assert asked <= tuple(int(part) for part in entry.minimum_macos.split(".")), entry.file


def test_the_glibc_that_the_tags_ask_for_is_what_the_shipped_locks_say():
    matrix = load()
    for entry in (row for row in matrix.locks() if row.platform.startswith("linux")):
        files = [package.file for package in matrix.lock(entry).packages]
        assert wheelhouse.minimum_glibc(files, entry.platform) == tuple(map(int, entry.glibc.split("."))), entry.file


@given(st.sampled_from(list(mac_platforms((14, 0), "arm64"))))
def test_the_macos_of_a_tag_is_its_own(platform):
    found = wheelhouse.minimum_macos([f"demo-1.0-cp312-cp312-{platform}.whl"], "macos-arm64")

    assert found == tuple(int(part) for part in platform.split("_")[1:3])
