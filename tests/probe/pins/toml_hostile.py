"""What the tests of the TOML readers share: splicing a pin's writing, and files that are spoilt at random."""

from collections import Counter
from pathlib import Path

from hypothesis import strategies as st

from compat.probe.pins.source import Source

SPELLED = {"pep440": "zzz<2", "poetry": 'zzz = "<2"', "pipfile": 'zzz = "<2"'}


def source(text, name="pyproject.toml"):
    return Source(Path(name), text)


def pinned(file):
    """What each pin says, its place left out."""
    return [(pin.name, pin.specifier, pin.marker, pin.group, pin.origin) for pin in file.pins]


def told(pin):
    return (pin.name, pin.specifier, pin.admits, pin.marker, pin.group, pin.origin, pin.extras, pin.constraint)


def points_at(text, pin):
    """The text that stands where a pin says its name is."""
    return text.split("\n")[pin.line - 1][pin.column - 1 :]


def spliced(read, text, name):
    """For each pin that can be written: what another entry beside it, and another set in it, change in the file."""
    before = read(source(text, name))
    for pin in before.pins:
        if pin.writing is None:
            continue
        at, entry = pin.writing.entry_end, SPELLED[pin.writing.spelling]
        entry = f"{pin.writing.joint}{pin.writing.opening}{entry}{pin.writing.closing}"
        more = read(source(text[:at] + entry + text[at:], name))
        span = pin.writing.specifier
        other = read(source(f"{text[: span.start]}>=77{text[span.end :]}", name))
        yield pin, changes(before, more), changes(before, other)


def changes(before, after):
    assert after.problem is None
    found = Counter(map(told, after.pins))
    found.subtract(Counter(map(told, before.pins)))
    gone = sorted(key[:2] for key, number in found.items() if number < 0)
    come = sorted(key[:2] for key, number in found.items() if number > 0)
    return gone, come


@st.composite
def spoilt(draw, text):
    """A file cut off, with pieces of it repeated, moved or replaced by anything."""
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        piece = draw(
            st.sampled_from(
                ["", text[start:end], "[", "]]", '"', "'''", '"""', "=", "\\", "{", ",", "3", "\r", "\n", "#"]
            )
            | st.text(max_size=5)
        )
        text = text[:start] + piece + text[start if draw(st.booleans()) else end :]
    return text[:5000]


def is_sound(file, text):
    """A file read from anything: places inside it, and either a problem or pins."""
    lines = text.count("\n") + 1
    for row in (*file.pins, *file.unread):
        assert 1 <= row.line <= lines
        assert row.column >= 1
    assert file.problem is None or not file.pins
    assert file.problem is None or "\n" not in file.problem
