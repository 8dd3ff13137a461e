"""Bounds that hold on any machine: a number of calls and of bytes, where a clock would measure the neighbours too."""

import contextlib
import sys
import threading
import tracemalloc


class Endless(AssertionError):
    """The subject went on and on."""


@contextlib.contextmanager
def limits(*, calls, memory):
    """Fail a block that makes more calls or holds more bytes at once than given.

    Counted are calls made by Python code, of Python and of C functions; what C calls by itself (`map`) is not seen.
    """
    left = calls

    def count(_frame, event, _argument):
        nonlocal left
        if event in {"call", "c_call"}:
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise Endless(f"more than {calls:,} calls")

    assert threading.current_thread() is threading.main_thread(), "calls are counted in one thread"
    nested = tracemalloc.is_tracing()
    if not nested:
        tracemalloc.start()
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
        peak = tracemalloc.get_traced_memory()[1] - before
        if not nested:
            tracemalloc.stop()
    assert peak <= memory, f"{peak:,} bytes at once, {memory:,} allowed"
