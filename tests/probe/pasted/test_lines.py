"""Lines are numbered as an editor does, cleaned, masked and bounded; repeated kinds are kept once a stretch."""

from hypothesis import given
from hypothesis import strategies as st

from compat.probe.pasted.lines import Log, shown


def progress(count):
    return b"".join(b"%d/999 [=====>....] - loss: %f\n" % (i, i / 7) for i in range(count))


def test_numbers_are_those_of_the_whole_text_though_repetitions_are_left_out():
    head, text = progress(20_000), b"ValueError: here\n" + progress(20_000)
    log = Log(head + text)
    at = log.data.find(b"ValueError")

    assert log.number(at) == 20_001
    assert len(log.data) < len(head + text) / 20


@given(st.lists(st.text(alphabet="ab\u2588 1", max_size=12), min_size=1, max_size=60), st.integers(0, 60))
def test_a_line_of_a_short_text_has_its_own_number(lines, place):
    lines.insert(min(place, len(lines)), "needle")
    log = Log("\n".join(lines).encode())

    assert log.number(log.data.find(b"needle")) == lines.index("needle") + 1
    assert log.raw(log.data.find(b"needle")) == "needle"


def test_the_first_and_the_last_of_a_kind_are_kept():
    lines = [b"numpy 1.%d.0" % i for i in range(9000)]
    data = Log(b"\n".join(lines)).data

    assert lines[0] in data
    assert lines[-1] in data


def test_a_carriage_return_alone_ends_a_line_and_counts_none():
    log = Log(b"first\n10%\x0b50%\x0bValueError: x\nlast")

    assert log.raw(log.data.find(b"ValueError")) == "ValueError: x"
    assert log.number(log.data.find(b"ValueError")) == 2
    assert log.number(log.data.find(b"last")) == 3


def test_an_endless_line_is_cut():
    log = Log(b"tensorflow " * 1_000_000 + b"ValueError: at its end")

    assert len(log.data) < 100_000
    assert b"ValueError: at its end" in log.data
    assert len(log.line(log.data.find(b"ValueError")).text) <= 300


def test_a_line_is_shown_without_frame_home_secret_or_control_signs(monkeypatch):
    monkeypatch.setenv("HOME", "/Users/me")

    assert shown("  │ > /Users/me/venv and /Users/ann/x\x07 ") == "~/venv and ~/x\ufffd"
    assert shown(r"C:\Users\ann\x") == r"~\x"
    assert "hunter2" not in shown("token=hunter2")
