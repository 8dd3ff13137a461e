"""How a run ended."""

import pytest

from compat.probe.pasted.endings import errors, works
from compat.probe.pasted.lines import Log


@pytest.mark.parametrize(
    "line",
    [
        "ValueError: too many values",
        "tensorflow.python.framework.errors_impl.NotFoundError: dlopen",
        "zsh: illegal hardware instruction  python",
        "Segmentation fault: 11",
        "ERROR: No matching distribution found for x",
        "qemu: uncaught target signal 6 (Aborted) - core dumped",
    ],
)
def test_what_ends_a_program_is_an_error(line):
    assert [found.text for found in errors(Log(f"first\n{line}\nlast".encode()))] == [" ".join(line.split())]


@pytest.mark.parametrize(
    "line",
    [
        "2024-01-01 10:00:00.0: I tsl/x.cc:31] Error: quiet",
        "2024-01-01 10:00:00.0: W tsl/x.cc:31] Error: quiet",
        "UserWarning: ValueError: is only warned of",
        "training went well",
    ],
)
def test_what_a_log_remarks_is_none(line):
    assert errors(Log(line.encode())) == ()


def test_the_last_of_many_are_kept_in_order():
    found = errors(Log("\n".join(f"Error: number {i} {'x' * (i % 50)}" for i in range(3000)).encode()))

    assert found[-1].text.startswith("Error: number 2999")
    assert [line.number for line in found] == sorted(line.number for line in found)
    assert len(found) <= 40


def test_a_plugin_at_work_is_seen():
    assert works(Log(b"x\nMetal device set to: Apple M1\n")).number == 2
    assert works(Log(b"nothing of it")) is None
