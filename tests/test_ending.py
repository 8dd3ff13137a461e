"""The alarm of the tests goes off: in what computes, in what waits, and where the alarm itself is caught."""

import contextlib
import signal
import time

import pytest

from tests.ending import ending
from tests.limits import Endless


def compute_for_ever():
    while True:
        pass


def test_what_computes_without_end_is_stopped():
    with pytest.raises(Endless, match=r"no end after 0\.05 s$"), ending(cpu=0.05):
        compute_for_ever()


def test_what_waits_without_end_is_stopped_by_the_clock():
    with pytest.raises(Endless, match=r"no end after 0\.05 s by the clock"), ending(wall=0.05):
        time.sleep(600)


def test_waiting_is_no_computing():
    with ending(wall=60), ending(cpu=0.3):
        time.sleep(0.4)


def test_a_block_that_catches_the_alarm_fails_at_its_end():
    with pytest.raises(Endless), ending(cpu=0.05), contextlib.suppress(Exception):
        compute_for_ever()


def test_nothing_of_it_is_left():
    before = signal.getsignal(signal.SIGPROF)
    with ending():
        pass

    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert signal.getsignal(signal.SIGPROF) is before
