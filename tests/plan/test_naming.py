"""A lock is found by the name people see, and a slip of the pen is answered with what is near."""

import pytest

from compat.errors import UsageError
from compat.matrix.model import LockEntry
from compat.plan.naming import named


def lock(platform, stem):
    return LockEntry(
        file=f"{platform}/{stem}.toml", platform=platform, python="3.12", distribution="tensorflow",
        tensorflow="2.18.1", tier="installs", exclude_newer="2026-11-30",
    )  # fmt: skip


CPU = "tensorflow-2.18.1-cpu-cp312"
METAL = lock("macos-arm64", "tensorflow-2.18.1-metal-1.2.0-cp312")
MAC, LINUX = lock("macos-arm64", CPU), lock("linux-x86_64", CPU)
LOCKS = (METAL, MAC, LINUX)


@pytest.mark.parametrize(
    "name, found",
    [
        ("tensorflow-2.18.1-metal-1.2.0-cp312", (METAL,)),
        ("tensorflow-2.18.1-metal-1.2.0-cp312.toml", (METAL,)),
        (f"linux-x86_64/{CPU}", (LINUX,)),
        (f"macos-arm64/{CPU}.toml", (MAC,)),
        (CPU, (MAC, LINUX)),
    ],
)
def test_a_lock_goes_by_its_files_stem_with_or_without_its_platform(name, found):
    assert named(name, LOCKS) == found


@pytest.mark.parametrize(
    "name, near",
    [
        ("tensorflow-2.18.1-metal-1.2.0-cp321", "tensorflow-2.18.1-metal-1.2.0-cp312"),
        ("linux-x86_64/tensorflow-2.18.1-cpu-cp31", f"linux-x86_64/{CPU}"),
        ("nothing like it", f"a name looks like {CPU}"),
    ],
)
def test_a_miss_is_answered_with_what_is_near(name, near):
    with pytest.raises(UsageError, match="there is no lock") as caught:
        named(name, LOCKS)

    assert near in caught.value.hint


def test_without_any_lock_there_is_nothing_to_offer():
    with pytest.raises(UsageError) as caught:
        named(CPU, ())

    assert caught.value.hint == ""
