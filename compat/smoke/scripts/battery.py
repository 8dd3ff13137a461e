"""Runs single operations on a device, eagerly and compiled, and judges each tensor that comes back.

Stand-alone: NumPy and the TensorFlow module it is given, CPython 3.8 syntax.
"""

import math
import time

import bounds

NO_KERNEL = (
    "Could not satisfy device specification",
    "Could not satisfy explicit device specification",
    "Cannot assign a device for operation",
    "No OpKernel was registered",
    "do not yet support dilation rates larger than 1",  # gradients on TensorFlow's CPU
    "does not support dilation rates larger than 1",
)
"""What TensorFlow says when it has no kernel for an operation on a device."""


class Recorder:
    """Collects the results, and tells the progress file before and after each step, so that a death has a place."""

    def __init__(self, progress=None, only=None):
        self.checks, self.only = [], only
        self._progress = progress

    def wants(self, name):
        """Whether `--only` lets a case (or part of one) through."""
        return not self.only or name.startswith(self.only) or self.only.startswith(name + "/")

    def starts(self, name, mode, device):
        self._tell({"event": "start", "id": name, "mode": mode, "device": device})

    def add(self, name, op, mode, device, shape, status, ratio=None, detail="", seconds=0.0):
        if self.only and not name.startswith(self.only):
            return
        check = {
            "id": name,
            "op": op,
            "mode": mode,
            "device": device,
            "dtype": "float32",
            "shape": shape,
            "error_in_bounds": finite(ratio),
            "status": status,
            "detail": detail,
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


def run_case(tf, recorder, case, device):
    """One case in both modes. Eagerly without soft placement, so that a missing kernel shows.

    Compiled as users run it: soft placement moves only what has no kernel, and the eager run has said what that is.
    """
    if not recorder.wants(case.name):
        return
    for mode in ("eager", "graph"):
        recorder.starts(case.name, mode, device)
        tf.config.set_soft_device_placement(mode == "graph")
        try:
            run_mode(tf, recorder, case, device, mode)
        finally:
            tf.config.set_soft_device_placement(True)


def run_mode(tf, recorder, case, device, mode):
    begun = time.perf_counter()
    outcome = Outcome()
    forward = compute(tf, case, device, 0)
    both = compute(tf, case, device, case.sources) if case.sources else None
    if mode == "graph":
        forward, both = compiled(tf, forward), both and compiled(tf, both)
    try:
        run_fills(case, both or forward, device, mode, outcome)
    except Exception as error:
        outcome = Outcome(error)
        if both:
            outcome = without_gradients(case, forward, device, mode, error)
    seconds = time.perf_counter() - begun
    report(recorder, case, mode, device, outcome, seconds)


def without_gradients(case, forward, device, mode, error):
    """The forward pass alone, when the gradients raised: the error belongs to whichever is to blame."""
    outcome = Outcome(error)
    try:
        run_fills(case, forward, device, mode, outcome)
    except Exception as worse:
        return Outcome(worse)
    return outcome


def compiled(tf, function):
    """Without the conversion of Python control flow: there is none, and it takes a third of the time."""
    return tf.function(function, autograph=False)


class Outcome:
    """Worst judgement of each (fill, tensor), and the error that kept the other tensors from being computed."""

    def __init__(self, error=None):
        self.error, self.judged = error, {}

    def note(self, label, name, judgement):
        kept = self.judged.get((label, name))
        if kept is None or not judgement[0] <= kept[0]:
            self.judged[label, name] = judgement


def compute(tf, case, device, sources):
    """The function of one case: its value, then the gradients of its first inputs."""

    def call(inputs, upstream):
        with tf.device("/" + device):
            if not sources:
                return [case.expression(tf, *inputs)]
            with tf.GradientTape() as tape:
                tape.watch(inputs[:sources])
                y = case.expression(tf, *inputs)
            return [y] + tape.gradient(y, inputs[:sources], output_gradients=upstream)

    def prepared(inputs, upstream):
        with tf.device("/" + device):
            return call([tf.identity(x) for x in inputs], upstream)

    return prepared


def run_fills(case, function, device, mode, outcome):
    for fill in case.fills:
        answers = function(list(fill.inputs), fill.upstream)
        for name, tensor in zip(("y", "dx", "dw", "db"), answers):
            if mode == "eager" and not tensor.device.endswith(device):
                raise RuntimeError("%s was computed on %s" % (name, tensor.device or "no device"))
            outcome.note(fill.label, name, fill.wants[name].judge(tensor.numpy()))


def report(recorder, case, mode, device, outcome, seconds):
    seen = {(fill.label, name): want for fill in case.fills for name, want in fill.wants.items()}
    for (label, name), want in seen.items():
        identity = "%s/%s/%s" % (case.name, label, name)
        judgement = outcome.judged.get((label, name))
        if judgement is None:
            status, ratio, detail = unanswered(outcome.error)
        else:
            ratio, _, detail = judgement
            status, detail = decide(outcome, label, name)
        share = seconds / len(seen)
        recorder.add(identity, want.op, mode, device, case.shape, status, ratio, detail, share)


def decide(outcome, label, name):
    """A verdict on one tensor; real values alone out of bounds, by a known precision, is not a fault but worth saying."""
    ratio, bits, detail = outcome.judged[label, name]
    if ratio <= 1:
        return "passes", detail
    whole = outcome.judged.get(("int", name))
    low, high = bounds.REDUCED_PRECISION
    if label == "real" and whole is not None and whole[0] <= 1 and bits is not None and low <= bits < high:
        return "info", "computed with about %.0f significant bits instead of 24; %s" % (bits, detail)
    return "fails", detail


def unanswered(error):
    """Status, ratio and detail of a tensor that was not computed."""
    text = str(error)
    if any(words in text for words in NO_KERNEL):
        return "skipped", None, "TensorFlow has no kernel for this on the device: " + one_line(error)
    if " was computed on " in text:
        return "skipped", None, "runs elsewhere: " + one_line(error)
    return "crashed", None, one_line(error)


FRAMES = ("File ", "Detected at node", "Graph execution error", "[[", "(most recent call last)", "Node:")


def one_line(error):
    """The type and the telling line: a compiled function's error opens with the frames that defined the node."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line for line in lines if line and not line.startswith(FRAMES)] or ["no message"]
    text = telling[-1] if "Graph execution error" in str(error) else " ".join(telling)
    return (type(error).__name__ + ": " + text)[:400]
