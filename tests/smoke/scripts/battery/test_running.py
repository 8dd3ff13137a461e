"""From an answer or an error of TensorFlow to a result: status, number and a telling detail."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from battery import bounds, running
from battery.case import Case, Fill
from battery.levels import Level
from battery.recorder import Recorder, Result

GRAPH_ERROR = """Graph execution error:

Detected at node gradient_tape/Conv2DBackpropInput defined at (most recent call last):
  File "/x/numerics.py", line 9, in <module>

  File "/x/battery.py", line 74, in run_case

Current CPU implementations do not yet support dilation rates larger than 1.
\t [[{{node gradient_tape/Conv2DBackpropInput}}]] [Op:__inference_prepared_1]"""


def outcome(whole, real, bits):
    found = running.Outcome(Recorder())
    found.note("int", "y", "Conv2D", (whole, None, ""))
    found.note("real", "y", "Conv2D", (real, bits, "worst at [0]"))
    return found


@pytest.mark.parametrize(
    ("whole", "real", "bits", "status"),
    [
        (0.0, 0.5, 20.0, "passes"),
        (0.0, 90.0, 11.1, "info"),
        (0.0, 800.0, 8.1, "info"),
        (4.0, 800.0, 8.1, "fails"),
        (0.0, 3.0, 17.0, "fails"),
        (0.0, 1e5, 1.0, "fails"),
        (0.0, math.inf, None, "fails"),
        (math.nan, 90.0, 11.1, "fails"),
    ],
    ids=["right", "TF32", "bfloat16", "integers wrong too", "scale", "nonsense", "not finite", "integers undefined"],
)
def test_real_values_alone_out_of_bounds_by_a_known_precision_are_no_fault(whole, real, bits, status):
    found = running.decide(outcome(whole, real, bits), "real", "y")

    assert found.status == status
    assert ("significant bits" in found.detail) == (status == "info") == (found.reason == "precision")


@pytest.mark.parametrize(("ratio", "status", "reason"), [(0.0, "passes", ""), (2.0, "info", "convention")])
def test_another_convention_is_no_fault(ratio, status, reason):
    found = running.Outcome(Recorder())
    found.note("convention", "y", "ArgMax", (ratio, None, ""))

    result = running.decide(found, "convention", "y")
    assert (result.status, result.reason) == (status, reason)


def test_the_worst_of_several_runs_counts_whichever_came_last():
    found = running.Outcome(Recorder())
    for ratio in (0.0, 4.0, 0.0):
        found.note("int", "y", "Conv2D", (ratio, None, str(ratio)))

    assert found.judged["int", "y"][1][0] == 4.0


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError(GRAPH_ERROR), "info"),
        (ValueError("Could not satisfy device specification '/GPU:0'"), "info"),
        (ValueError("No OpKernel was registered to support Op 'X'"), "info"),
        (ValueError("Could not find device for node: {{node CudnnRNN}}"), "info"),
        (RuntimeError("y was computed on /device:CPU:0"), "info"),
        (ValueError("OOM when allocating tensor"), "crashed"),
        (RuntimeError(""), "crashed"),
    ],
)
def test_a_missing_kernel_is_no_fault_and_any_other_error_is(error, status):
    found = running.unanswered(error)

    assert found.status == status
    assert (found.reason == "cpu") == (status == "info")


def test_the_telling_line_of_a_compiled_functions_error_is_not_a_frame():
    said = running.one_line(ValueError(GRAPH_ERROR))

    assert said == "ValueError: Current CPU implementations do not yet support dilation rates larger than 1."


@pytest.mark.parametrize("ratio", [math.inf, -math.inf, math.nan, 1e300, 0.123456789])
def test_every_number_survives_json(ratio):
    recorder = Recorder()
    recorder.add("a/b", "Conv2D", "eager", "CPU:0", "", Result("fails", ratio))

    assert json.loads(json.dumps(recorder.checks, allow_nan=False)) == recorder.checks
    assert (recorder.checks[0]["error_in_bounds"] is None) == (not math.isfinite(ratio))


@pytest.mark.parametrize(
    ("only", "name", "runs"),
    [
        (None, "conv2d/k3_odd", True),
        ("conv2d", "conv2d/k3_odd", True),
        ("conv2d/k3_odd/int/dw", "conv2d/k3_odd", True),
        ("conv2d/k3_odd/int/dw", "conv2d/k3_s2", False),
        ("dense", "conv2d/k3_odd", False),
    ],
)
def test_only_runs_what_it_names(only, name, runs):
    assert Recorder(only=only).wants(name) is runs


def test_only_keeps_the_one_tensor_it_names():
    recorder = Recorder(only="conv2d/k3_odd/int/dw")
    for tensor in ("y", "dw"):
        recorder.add("conv2d/k3_odd/int/" + tensor, "", "eager", "CPU:0", "", Result("passes"))

    assert [check["id"] for check in recorder.checks] == ["conv2d/k3_odd/int/dw"]


def test_progress_tells_before_and_after():
    told = []
    recorder = Recorder(progress=told.append)
    recorder.starts("conv2d/k3_odd", "graph", "GPU:0")
    recorder.add("conv2d/k3_odd/int/y", "Conv2D", "graph", "GPU:0", "", Result("passes", 0.0))

    assert [event["event"] for event in told] == ["start", "result"]
    assert told[1]["check"] is recorder.checks[0]


class Tensor:
    """What an operation returns, as far as the battery looks."""

    def __init__(self, value, device="/job:localhost/replica:0/task:0/device:GPU:0"):
        self.value, self.device = np.asarray(value, np.float64), device

    def numpy(self):
        return self.value


class Nothing:
    """Stands for a `with tf.device(...)` or a tape."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def watch(self, inputs):
        pass


class Stub:
    """As much of TensorFlow as running a case takes. `seen` collects soft placement and how functions were called."""

    def __init__(self, device="GPU:0", broken=(), varies=False):
        self.seen, self.broken, self.calls, self.varies = [], broken, 0, varies
        self.where = "/job:localhost/replica:0/task:0/device:" + device
        self.config = self

    def set_soft_device_placement(self, value):
        self.seen.append(("soft", value))

    def device(self, name):
        self.seen.append(("device", name))
        return Nothing()

    def convert_to_tensor(self, x):
        return Tensor(getattr(x, "value", x), self.where)

    def double(self, x):
        self.calls += 1
        return Tensor(x.value * 2 + (self.calls % 2 if self.varies else 0), self.where)

    def function(self, inside, **options):
        def compiled(*given):
            named = [name for name in self.broken if name in str(given)]
            if named:
                raise ValueError("no good: " + named[0])
            return inside(*given)

        self.seen.append("function")
        return compiled


def case(name, values=(1.0, 2.0), code="tf.double(x)", label="exact", factor=2, **more):
    def make():
        want = bounds.exact("Double", np.asarray(values) * factor)
        return [Fill(label, (np.asarray(values),), None, {"y": want})]

    return Case(name, "Double", "2", code, "x", 0, make, **more)


def run(tf, *cases, level="standard", apart=False, only=None):
    recorder = Recorder(only=only)
    session = running.Session(tf, recorder, "GPU:0", apart=apart)
    running.run_cases(session, list(cases), Level(level))
    return recorder


def statuses(recorder):
    return {(check["id"], check["mode"]): check["status"] for check in recorder.checks}


def test_a_case_is_judged_eagerly_and_compiled():
    found = run(Stub(), case("double/a"))

    assert statuses(found) == {("double/a/exact/y", "eager"): "passes", ("double/a/exact/y", "graph"): "passes"}
    assert found.checks[0]["code"] == "tf.double(x)"


def test_a_wrong_value_fails():
    found = run(Stub(), case("double/a", factor=3))

    assert set(statuses(found).values()) == {"fails"}


def test_an_eager_result_from_elsewhere_is_no_result():
    (found,) = [check for check in run(Stub("CPU:0"), case("double/a")).checks if check["mode"] == "eager"]

    assert (found["id"], found["status"], found["reason"]) == ("double/a/placement", "info", "cpu")
    assert "was computed on /job:localhost/replica:0/task:0/device:CPU:0" in found["detail"]


def test_soft_placement_is_off_while_cases_run_and_on_again_after():
    tf = Stub()
    run(tf, case("double/a"))

    assert [entry for entry in tf.seen if entry[0] == "soft"] == [("soft", False), ("soft", True)]


def test_a_compiled_function_is_called_on_the_device_too_else_its_arguments_go_by_way_of_another():
    tf = Stub()
    scopes = []
    tf.function = lambda inside, **options: lambda *given: (scopes.append(tf.seen[-1]), inside(*given))[1]
    run(tf, case("double/a"))

    assert scopes
    assert set(scopes) == {("device", "/GPU:0")}


def test_cases_of_one_family_share_a_compiled_function():
    tf, told = Stub(), []
    recorder = Recorder(progress=told.append)
    running.run_cases(running.Session(tf, recorder, "GPU:0"), [case("double/a"), case("double/b")], Level("quick"))

    assert tf.seen.count("function") == 1
    (group,) = [event for event in told if event["event"] == "start" and event["mode"] == "graph"]
    assert (group["id"], group["members"]) == ("double", ["double/a", "double/b"])


def test_apart_each_has_its_own():
    tf = Stub()
    run(tf, case("double/a"), case("double/b"), apart=True)

    assert tf.seen.count("function") == 2


def test_one_that_raises_is_found_among_many_and_the_others_are_judged():
    cases = [case(f"double/{i}", values=(float(i), 77.0 if i == 5 else 1.0)) for i in range(8)]
    found = run(Stub(broken=["77."]), *cases)

    wrong = {check["id"] for check in found.checks if check["status"] == "crashed"}
    assert wrong == {"double/5/exact/y"}
    assert sum(check["mode"] == "graph" and check["status"] == "passes" for check in found.checks) == 7


def test_a_level_decides_what_is_compiled():
    found = run(Stub(), case("double/a", level="quick", graph="standard"), level="quick")

    assert {mode for _, mode in statuses(found)} == {"eager"}


def test_another_answer_to_the_same_call_is_worth_saying():
    want = bounds.integers("Double", np.asarray([2.6]))  # between the two answers
    varying = Case(
        "double/a", "Double", "1", "tf.double(x)", "x", 0, lambda: [Fill("int", (np.ones(1),), None, {"y": want})]
    )

    found = run(Stub(varies=True), varying)

    assert {check["reason"] for check in found.checks if check["id"] == "double/a/again"} == {"order"}


def test_what_only_several_answers_show_is_judged_over_all_of_them():
    def across(answers):
        yield "differ", "Double", 0.0 if answers[0][1]["y"][0] != answers[1][1]["y"][0] else 2.0, "the same twice"

    found = run(Stub(), case("double/a", across=across, random=True))

    assert statuses(found)["double/a/across/differ", "eager"] == "fails"


class Lacking(Stub):
    """A device without a kernel for `double`: only soft placement computes it, elsewhere."""

    def double(self, x):
        if ("soft", True) not in self.seen[-8:]:
            raise ValueError("No OpKernel was registered to support Op 'Double'")
        return super().double(x)


@pytest.mark.parametrize(
    ("nodes", "statuses_of_y"),
    [
        ([("MatMul", "GPU:0"), ("Double", "CPU:0")], {"passes"}),
        ([("Double", "CPU:0"), ("Const", "GPU:0")], set()),
    ],
    ids=["the rest ran there", "nothing ran there"],
)
def test_what_has_no_kernel_is_moved_and_the_rest_judged_where_there_is_a_rest(nodes, statuses_of_y, monkeypatch):
    monkeypatch.setattr(running.placement, "seen", lambda tf, call: (call(), nodes))

    found = run(Lacking(), case("double/a"))

    assert {check["status"] for check in found.checks if check["id"] == "double/a/exact/y"} == statuses_of_y
    remarks = [check for check in found.checks if check["id"] == "double/a/placement"]
    assert {(check["status"], check["reason"]) for check in remarks} == {("info", "cpu")}
    assert {check["mode"] for check in remarks} == {"eager", "graph"}


def test_on_the_cpu_itself_nothing_is_moved(monkeypatch):
    monkeypatch.setattr(running.placement, "seen", lambda tf, call: pytest.fail("there is no other place"))
    tf, recorder = Lacking("CPU:0"), Recorder()

    running.run_cases(running.Session(tf, recorder, "CPU:0"), [case("double/a")], Level("standard"))

    assert {check["status"] for check in recorder.checks} == {"info"}
