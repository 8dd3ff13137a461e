"""Collects the results, and tells the progress file before and after each step, so that a death has a place."""

import collections
import math

Result = collections.namedtuple("Result", "status ratio detail reason")
"""Status as of a check; error in units of its bound or None; what to say; why it is an `info`, else ""."""
Result.__new__.__defaults__ = (None, "", "")


ABSENT = "device"
"""The id of the result that says a device was asked for and is not listed."""


class Recorder:
    """The results of one run. `progress`, where given, is called with each event; `guard` before each step."""

    def __init__(self, progress=None, only=None, guard=None):
        self.checks, self.curves, self.comparisons = [], [], 0
        self.only = tuple(only.split(",")) if only else ()
        self._progress, self._guard = progress, guard

    def wants(self, name):
        """Whether `--only` lets a case (or part of one) through."""
        asked = any(part.startswith(name + "/") for part in self.only)
        return not self.only or name.startswith(self.only) or asked

    def starts(self, name, mode, device, members=()):
        """Say what comes; `members` are the cases of a compiled group."""
        if self._guard is not None:
            self._guard()
        self._tell({"event": "start", "id": name, "mode": mode, "device": device, "members": list(members)})

    def add(self, name, op, mode, device, shape, result, seconds=0.0, dtype="float32", code=""):
        """Take one result; `--only` leaves out others, but never that a device is not there."""
        if self.only and not name.startswith(self.only) and name != ABSENT:
            return
        check = {
            "id": name,
            "op": op,
            "mode": mode,
            "device": device,
            "dtype": dtype,
            "shape": shape,
            "error_in_bounds": finite(result.ratio),
            "status": result.status,
            "reason": result.reason,
            "detail": result.detail,
            "code": code,
            "seconds": round(seconds, 4),
        }
        self.checks.append(check)
        self._tell({"event": "result", "check": check})

    def _tell(self, event):
        if self._progress is not None:
            self._progress(event)


def finite(ratio):
    """JSON has no infinity: a failed check without a number means "not finite, or not even the shape"."""
    return None if ratio is None or not math.isfinite(ratio) else float("%.6g" % ratio)
