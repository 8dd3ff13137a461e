"""An end for what must not go on for ever, so generous that only a blow-up or a hang meets it.

A test with it says that the work grows with its input as it should; how fast it is, `scripts/bench` says.
"""

import contextlib
import signal
import threading

from tests.limits import Endless

CPU = 120
"""Seconds this process computes: the neighbours' do not count, and what is meant to be met takes many minutes."""
WALL = 150
"""Seconds by the clock, for what waits for another process or a server that must then go on for longer still."""
_AGAIN = 5
"""Seconds until the next alarm, where the block caught the one before."""


@contextlib.contextmanager
def ending(*, cpu=CPU, wall=None):
    """Fail a block that computes for longer than `cpu` seconds, or that lasts longer than `wall` seconds where given.

    The alarm is an exception in the middle of the block; a block that catches it fails at its end.
    """
    seconds = cpu if wall is None else wall
    timer, number = (signal.ITIMER_PROF, signal.SIGPROF) if wall is None else (signal.ITIMER_REAL, signal.SIGALRM)
    rung = []

    def ring(_number, _frame):
        rung.append(f"no end after {seconds:g} s{'' if wall is None else ' by the clock'}")
        raise Endless(rung[0])

    assert threading.current_thread() is threading.main_thread(), "signals reach one thread"
    assert signal.getitimer(timer) == (0, 0), "one alarm at a time"
    before = signal.signal(number, ring)
    signal.setitimer(timer, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
    if rung:
        raise Endless(rung[0])
