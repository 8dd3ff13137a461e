"""Runs single operations on a device, eagerly and compiled, and judges each tensor that comes back.

Eagerly each case runs by itself and without soft placement, so that a missing kernel shows. Compiled, many share a
function: tracing is most of the cost. What fails together is tried in halves, down to the one to blame.
"""

import gc
import time

import numpy as np

from battery import bounds, placement
from battery.case import CONVENTION
from battery.recorder import Result

NO_KERNEL = (
    "Could not satisfy device specification",
    "Could not satisfy explicit device specification",
    "Cannot assign a device for operation",
    "No OpKernel was registered",
    "No registered '",
    "Could not find device for node",
    "do not yet support dilation rates larger than 1",  # gradients on TensorFlow's CPU
    "does not support dilation rates larger than 1",
    "only supports NHWC",
    "Gradients for grouped convolutions are not supported on CPU",
    "Fused conv implementation does not support grouped",
)
"""What TensorFlow says when it has no kernel for an operation on a device."""
ELSEWHERE = " was computed on "
TOGETHER = 32
"""Cases in one compiled function: each function costs some 50 ms besides what is in it."""
AGAIN = 2
"""Each fill but the integers runs this often: the same call must give the same bits."""


class Session:
    """Where the cases run: TensorFlow, the recorder, the device, and how functions are compiled."""

    def __init__(self, tf, recorder, device, apart=False, xla=False, batch=32):
        self.tf, self.recorder, self.device, self.batch = tf, recorder, device, batch
        self.apart, self.mode = apart, "xla" if xla else "graph"
        self.lacking = set()  # cases with an operation that has no kernel: kept out of compiled groups
        self._options = {"jit_compile": True} if xla else {}

    def compiled(self, function):
        """Without the conversion of Python control flow: there is none, and it takes a third of the time."""
        return self.tf.function(function, autograph=False, **self._options)


def run_cases(session, cases, level):
    """All cases in both modes; `level` decides which are compiled too."""
    if not gc.get_freeze_count():  # else each full collection walks what importing TensorFlow left: a second in all
        gc.freeze()
    session.tf.config.set_soft_device_placement(False)
    try:
        wanted = [case for case in cases if session.recorder.wants(case.name)]
        for case in wanted:
            run_alone(session, case, "eager")
        compiled = [case for case in wanted if level.runs(case.graph)]
        for group in groups(compiled, {case.name for case in wanted} if session.apart else session.lacking):
            run_group(session, group)
    finally:
        session.tf.config.set_soft_device_placement(True)


def groups(cases, apart):
    """Cases with as many fills, which one compiled function can take together; neighbours, so that a name tells where."""
    found = {}
    for case in cases:
        key = case.name if case.alone or case.name in apart else len(case.fills)
        found.setdefault(key, []).append(case)
    return [some[i : i + TOGETHER] for some in found.values() for i in range(0, len(some), TOGETHER)]


def run_alone(session, case, mode):
    session.recorder.starts(case.name, mode, session.device)
    begun = time.perf_counter()
    outcome = Outcome(session.recorder)
    try:
        run_fills(session, case, mode, outcome)
    except Exception as error:
        outcome.error = error
        if case.sources:
            forward_alone(session, case, mode, outcome)
        if has_no_kernel(outcome.error):
            session.lacking.add(case.name)
        if has_no_kernel(outcome.error) and not session.device.startswith("CPU"):
            outcome = softly(session, case, mode) or outcome
    report(session, case, mode, outcome, time.perf_counter() - begun)


def forward_alone(session, case, mode, outcome):
    """The forward pass alone, when the gradients raised: the error belongs to whichever is to blame."""
    try:
        run_one(session, case, lone(session, case, 0, mode), mode, outcome)
    except Exception as worse:
        outcome.error = worse


def softly(session, case, mode):
    """As users run it: TensorFlow moves what has no kernel. What that was is noted; None if it was everything."""
    outcome = Outcome(session.recorder, soft=True)
    session.tf.config.set_soft_device_placement(True)
    try:
        _, nodes = placement.seen(session.tf, lambda: run_fills(session, case, mode, outcome))
    except Exception:
        return None
    finally:
        session.tf.config.set_soft_device_placement(False)
    outcome.moved = placement.elsewhere(nodes, session.device)
    return outcome if placement.on_device(nodes, session.device) else None


def run_fills(session, case, mode, outcome):
    forward = alone(case) if mode != "eager" else not case.sources
    calls = [lone(session, case, 0, mode)] if forward else []
    calls += [lone(session, case, case.sources, mode)] if case.sources else []
    for call in calls:
        run_one(session, case, call, mode, outcome)


def run_one(session, case, call, mode, outcome):
    for_each_fill(session, [case], lambda fills: [call(fills[0].inputs, fills[0].upstream)], mode, [outcome])


def lone(session, case, sources, mode):
    call = compute(session, case, sources)
    return call if mode == "eager" else session.compiled(call)


def run_group(session, cases):
    """Some cases in one compiled function; on an error in halves, so that one bad case costs few traces."""
    if len(cases) == 1:
        return run_alone(session, cases[0], session.mode)
    name = ", ".join(dict.fromkeys(case.family for case in cases))
    session.recorder.starts(name, session.mode, session.device, [case.name for case in cases])
    begun = time.perf_counter()
    outcomes = [Outcome(session.recorder) for _ in cases]
    try:
        run_together(session, cases, outcomes)
    except Exception:
        half = len(cases) // 2
        run_group(session, cases[:half])
        return run_group(session, cases[half:])
    share = (time.perf_counter() - begun) / len(cases)
    for case, outcome in zip(cases, outcomes):
        report(session, case, session.mode, outcome, share)


def run_together(session, cases, outcomes):
    """The forward passes alone, as an inference graph has them, then with gradients."""
    for gradients in (False, True):
        chosen = [i for i, case in enumerate(cases) if (case.sources if gradients else alone(case))]
        some = [cases[i] for i in chosen]
        parts = [compute(session, case, case.sources if gradients else 0) for case in some]
        if parts:
            together = session.compiled(joined(parts))

            def call(fills):
                return together([fill.inputs for fill in fills], [fill.upstream for fill in fills])

            for_each_fill(session, some, call, session.mode, [outcomes[i] for i in chosen])


def alone(case):
    """Whether the forward pass is compiled by itself: without gradients there is no more, with them it may be fused."""
    return case.fusible or not case.sources


def joined(parts):
    def call(inputs, upstreams):
        return [part(x, u) for part, x, u in zip(parts, inputs, upstreams)]

    return call


def compute(session, case, sources):
    """The function of one case: what it gives, then the gradients of its first inputs."""
    tf = session.tf

    def call(inputs, upstream):
        with tf.device("/" + session.device):
            inputs = [tf.convert_to_tensor(x) for x in inputs]  # eagerly this is where they go to the device
            if not sources:
                return listed(case.expression(tf, *inputs))
            with tf.GradientTape() as tape:
                tape.watch(inputs[:sources])
                y = case.expression(tf, *inputs)
            dense = tf.convert_to_tensor  # the gradient of a gather comes as slices
            return listed(y) + [dense(g) for g in tape.gradient(y, inputs[:sources], output_gradients=upstream)]

    return call


def listed(y):
    return list(y) if isinstance(y, (tuple, list)) else [y]


def for_each_fill(session, cases, call, mode, outcomes):
    """Call with each fill in turn, the last one again, and judge what comes back."""
    count = len(cases[0].fills)
    order = list(range(count)) + [count - 1] * (AGAIN - 1)
    with session.tf.device("/" + session.device):  # else arguments go by way of the default device, which may be a GPU
        answers = [call([case.fills[i] for case in cases]) for i in order]
    for position, (case, outcome) in enumerate(zip(cases, outcomes)):
        found = []
        for i, answer in zip(order, answers):
            tensors = dict(zip(case.names, answer[position]))
            if mode == "eager" and not outcome.soft:
                prove(tensors, session.device)
            found.append((case.fills[i], {name: tensor.numpy() for name, tensor in tensors.items()}))
        outcome.take(case, found)


def prove(tensors, device):
    for name, tensor in tensors.items():
        if not tensor.device.endswith(device):
            raise RuntimeError("%s%s%s" % (name, ELSEWHERE, tensor.device or "no device"))


class Outcome:
    """Worst judgement of each (fill, tensor) of a case, and the error that kept others from being computed."""

    def __init__(self, recorder, soft=False):
        self.error, self.judged, self.moved, self.unsteady, self.soft = None, {}, [], "", soft
        self._recorder = recorder

    def take(self, case, found):
        """Judge the answers of the calls of one function, in order."""
        for fill, arrays in found:
            for name in set(arrays) & set(fill.wants):
                self.note(fill.label, name, fill.wants[name].op, fill.wants[name].judge(arrays[name]))
        if case.across is not None:
            for part, op, ratio, detail in case.across([(fill.label, arrays) for fill, arrays in found]):
                self.note("across", part, op, (ratio, None, detail))
        if not case.random and len(found) >= AGAIN:
            self.compare(found[-2][1], found[-1][1])

    def note(self, label, name, op, judgement):
        self._recorder.comparisons += 1
        kept = self.judged.get((label, name))
        if kept is None or not judgement[0] <= kept[1][0]:
            self.judged[label, name] = (op, judgement)

    def compare(self, first, second):
        """The same call twice; sums in varying order are legitimate, so this is worth saying and no more."""
        for name in first:
            if not np.array_equal(first[name], second[name], equal_nan=first[name].dtype.kind == "f"):
                self.unsteady = self.unsteady or "%s comes out differently when computed again" % name


def report(session, case, mode, outcome, seconds):
    """Add the results of one case: each judged tensor, those that are missing, and remarks."""
    wanted = {(fill.label, name): fill.wants[name].op for fill in case.fills for name in fill.wants}
    missing = [key for key in wanted if key not in outcome.judged]
    moved = has_no_kernel(outcome.error) or ELSEWHERE in str(outcome.error)
    share = seconds / max(1, len(outcome.judged))
    for (label, name), (op, _) in outcome.judged.items():
        result = decide(outcome, label, name)
        add(session, "%s/%s/%s" % (case.name, label, name), op, mode, case, result, share)
    for label, name in [] if moved else missing:
        add(session, "%s/%s/%s" % (case.name, label, name), wanted[label, name], mode, case, unanswered(outcome.error))
    for part, op, result in remarks(case, wanted, missing if moved else [], outcome):
        add(session, case.name + "/" + part, op, mode, case, result)


def remarks(case, wanted, missing, outcome):
    """What is worth saying and no fault: one remark for all that runs elsewhere, one for answers that vary."""
    if missing:
        names = ", ".join(dict.fromkeys(name for _, name in missing))
        result = unanswered(outcome.error)
        yield "placement", wanted[missing[0]], result._replace(detail="%s: %s" % (names, result.detail))
    if outcome.moved:
        yield (
            "placement",
            case.op,
            Result("info", None, "TensorFlow moves to the CPU: " + ", ".join(outcome.moved), "cpu"),
        )
    if outcome.unsteady:
        yield "again", case.op, Result("info", None, outcome.unsteady, "order")


def add(session, identity, op, mode, case, result, seconds=0.0):
    session.recorder.add(identity, op, mode, session.device, case.shape, result, seconds, case.dtype, case.code)


def decide(outcome, label, name):
    """A verdict on one tensor; real values alone out of bounds, by a known precision, is not a fault but worth saying."""
    ratio, bits, detail = outcome.judged[label, name][1]
    if ratio <= 1:
        return Result("passes", ratio, detail)
    if label == CONVENTION:
        return Result("info", ratio, "as right as TensorFlow's own answer, and another; " + detail, CONVENTION)
    _, whole = outcome.judged.get(("int", name), (None, None))
    low, high = bounds.REDUCED_PRECISION
    if label == "real" and whole is not None and whole[0] <= 1 and bits is not None and low <= bits < high:
        detail = "computed with about %.0f significant bits instead of 24; %s" % (bits, detail)
        return Result("info", ratio, detail, "precision")
    return Result("fails", ratio, detail)


def has_no_kernel(error):
    return error is not None and any(words in str(error) for words in NO_KERNEL)


def unanswered(error):
    """The result of a tensor that was not computed."""
    if has_no_kernel(error):
        return Result("info", None, "TensorFlow has no kernel for this on the device: " + one_line(error), "cpu")
    if ELSEWHERE in str(error):
        return Result("info", None, "runs elsewhere: " + one_line(error), "cpu")
    return Result("crashed", None, one_line(error))


FRAMES = ("File ", "Detected at node", "Graph execution error", "[[", "(most recent call last)", "Node:")


def one_line(error):
    """The type and the telling line: a compiled function's error opens with the frames that defined the node."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line for line in lines if line and not line.startswith(FRAMES)] or ["no message"]
    text = telling[-1] if "Graph execution error" in str(error) else " ".join(telling)
    return (type(error).__name__ + ": " + text)[:400]
