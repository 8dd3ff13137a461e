"""How a run ended, and signs that TensorFlow had come up with its plugin before."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from compat.facts.pasted import Line
from compat.probe.pasted.lines import Log

_RAISED = re.compile(
    rb"(?:Error|Exception)(?::| \()|ERROR: |error: |FATAL|Fatal |fatal error|hardware instruction|llegal instruction|"
    rb"egmentation fault|SIGILL|SIGSEGV|SIGABRT|Abort trap|core dumped|Aborted|Check failed|CHECK failed|"
    rb"No solution found"
)
_QUIET = re.compile(
    r"^(?:\d{4}-\d\d-\d\d )?[\d:. ]*[IW] |^Warning|UserWarning|DeprecationWarning|FutureWarning|WARNING|^W\d{4}"
    r"|except "
)
_WORKS = (b"Metal device set to", b"-> device: 0, name: METAL", b"Plugin optimizer for device_type GPU is enabled",
          b"Created TensorFlow device (/job:localhost/replica:0/task:0/device:GPU:0")  # fmt: skip
_KEPT = 40
_EACH = 2000


def errors(log: Log) -> tuple[Line, ...]:
    """Return the last lines that say a program failed, in their order; warnings and remarks of a log are none."""
    starts: deque[int] = deque(maxlen=_EACH)
    last = -1
    for match in _RAISED.finditer(log.data):
        start, end = log.bounds(match.start())
        if start > last:
            starts.append(match.start())
            last = start if end <= start else end - 1
    found: list[Line] = []
    for at in reversed(starts):
        line = log.line(at)
        if not _QUIET.search(line.text):
            found.append(line)
        if len(found) >= _KEPT:
            break
    return tuple(reversed(found))


def works(log: Log) -> Line | None:
    """Return a line that TensorFlow prints only once it has loaded the plugin and found its GPU."""
    places: Iterator[int] = (log.data.find(sign) for sign in _WORKS)
    at = next((place for place in places if place >= 0), None)
    return log.line(at) if at is not None else None
