"""Fixtures as text into records, and the laws every reader keeps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from compat.probe.pins.source import Source

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from compat.facts.pins import Pin, PinFile
    from compat.probe.pins.formats import Reader


def source(name: str, text: str) -> Source:
    return Source(Path("project") / name, text)


def rows(file: PinFile) -> list[tuple[int, int, str, str, str]]:
    return [(pin.line, pin.column, pin.name, pin.specifier, pin.marker) for pin in file.pins]


def named(file: PinFile, name: str) -> Pin:
    return next(pin for pin in file.pins if pin.name == name)


def with_another(read: Reader, name: str, text: str, pin: Pin, requirement: str = "zope<2") -> PinFile:
    """The file read again with one more entry behind a pin's."""
    writing = pin.writing
    assert writing is not None
    entry = writing.joint + writing.opening + requirement + writing.closing
    return read(source(name, text[: writing.entry_end] + entry + text[writing.entry_end :]))


def takes_another_behind_each(read: Reader, name: str, text: str) -> int:
    """Assert that one more entry behind each editable pin adds one pin and changes none; return how many there are."""
    before = read(source(name, text))
    editable = [pin for pin in before.pins if pin.writing is not None]
    for pin in editable:
        after = with_another(read, name, text, pin)
        told = sorted((one.name, one.specifier, one.marker, one.group) for one in after.pins)
        wanted = [(one.name, one.specifier, one.marker, one.group) for one in before.pins]
        assert len(told) == len(wanted) + 1, pin.name
        assert set(wanted) <= set(told), pin.name
        assert text[pin.writing.specifier.start : pin.writing.specifier.end].replace(" ", "") == pin.specifier
    return len(editable)


def mutated(text: str) -> SearchStrategy[str]:
    """Arbitrary text, and a good file cut short, cut out of, or with something foreign inside."""
    cuts = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)), st.text(max_size=12))
    return st.text(max_size=200) | cuts.map(lambda cut: text[: cut[0]] + cut[2] + text[cut[1] :])


def assert_read(read: Reader, name: str, text: str) -> None:
    """Whatever the text, there is an answer, and its places are places in it."""
    file = read(source(name, text))
    last = text.count("\n") + 1
    placed = (*file.pins, *file.unread, *file.pythons, *file.included)
    assert all(1 <= one.line <= last and one.column >= 1 for one in placed)
    assert file.problem is None or "\n" not in file.problem
