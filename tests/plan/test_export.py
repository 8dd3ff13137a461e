"""A lock as requirements: every pin with the one hash of its file."""

from compat.matrix.load import load
from compat.plan.export import constraints, requirements

MATRIX = load()
RECOMMENDED = next(lock for lock in MATRIX.locks() if lock.recommended)


def test_each_pin_names_its_file_by_hash():
    lock = MATRIX.lock(RECOMMENDED)
    lines = requirements(lock).splitlines()

    assert lines[0].startswith("# tensorflow 2.18.1, macos-arm64, Python 3.12, tensorflow-metal 1.2.0")
    assert len(lines) == len(lock.packages) + 1
    assert all("==" in line and " --hash=sha256:" in line for line in lines[1:])


def test_constraints_are_the_pins_alone():
    lock = MATRIX.lock(RECOMMENDED)

    assert "tensorflow-metal==1.2.0\n" in constraints(lock)
    assert "hash" not in constraints(lock)
