"""From an answer or an error of TensorFlow to a result: status, number and a telling detail."""

from __future__ import annotations

import json
import math

import battery
import bounds
import cases
import numpy as np
import pytest

GRAPH_ERROR = """Graph execution error:

Detected at node gradient_tape/Conv2DBackpropInput defined at (most recent call last):
  File "/x/numerics.py", line 9, in <module>

  File "/x/battery.py", line 74, in run_case

Current CPU implementations do not yet support dilation rates larger than 1.
\t [[{{node gradient_tape/Conv2DBackpropInput}}]] [Op:__inference_prepared_1]"""


def outcome(whole, real, bits):
    found = battery.Outcome()
    found.note("int", "y", (whole, None, ""))
    found.note("real", "y", (real, bits, "worst at [0]"))
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
    found, detail = battery.decide(outcome(whole, real, bits), "real", "y")

    assert found == status
    assert ("significant bits" in detail) == (status == "info")


def test_the_worst_of_several_runs_counts_whichever_came_last():
    found = battery.Outcome()
    for ratio in (0.0, 4.0, 0.0):
        found.note("int", "y", (ratio, None, str(ratio)))

    assert found.judged["int", "y"][0] == 4.0


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError(GRAPH_ERROR), "skipped"),
        (ValueError("Could not satisfy device specification '/GPU:0'"), "skipped"),
        (ValueError("No OpKernel was registered to support Op 'X'"), "skipped"),
        (RuntimeError("y was computed on /device:CPU:0"), "skipped"),
        (ValueError("OOM when allocating tensor"), "crashed"),
        (RuntimeError(""), "crashed"),
    ],
)
def test_a_missing_kernel_is_no_fault_and_any_other_error_is(error, status):
    assert battery.unanswered(error)[0] == status


def test_the_telling_line_of_a_compiled_functions_error_is_not_a_frame():
    said = battery.one_line(ValueError(GRAPH_ERROR))

    assert said == "ValueError: Current CPU implementations do not yet support dilation rates larger than 1."


@pytest.mark.parametrize("ratio", [math.inf, -math.inf, math.nan, 1e300, 0.123456789])
def test_every_number_survives_json(ratio):
    recorder = battery.Recorder()
    recorder.add("a/b", "Conv2D", "eager", "CPU:0", "", "fails", ratio)

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
    assert battery.Recorder(only=only).wants(name) is runs


def test_only_keeps_the_one_tensor_it_names():
    recorder = battery.Recorder(only="conv2d/k3_odd/int/dw")
    for tensor in ("y", "dw"):
        recorder.add("conv2d/k3_odd/int/" + tensor, "", "eager", "CPU:0", "", "passes")

    assert [check["id"] for check in recorder.checks] == ["conv2d/k3_odd/int/dw"]


def test_progress_tells_before_and_after():
    told = []
    recorder = battery.Recorder(progress=told.append)
    recorder.starts("conv2d/k3_odd", "graph", "GPU:0")
    recorder.add("conv2d/k3_odd/int/y", "Conv2D", "graph", "GPU:0", "", "passes", 0.0)

    assert [event["event"] for event in told] == ["start", "result"]
    assert told[1]["check"] is recorder.checks[0]


class Tensor:
    """What an eager operation returns, as far as the battery looks."""

    def __init__(self, value, device):
        self.value, self.device = value, device

    def numpy(self):
        return self.value


FILL = cases.Fill("int", (), None, {"y": bounds.integers("Conv2D", np.ones(1), ())})
CASE = cases.Case("conv2d/x", "1", None, 0, lambda: [FILL], "quick")


@pytest.mark.parametrize(
    ("device", "mode", "raises"),
    [
        ("/job:localhost/replica:0/task:0/device:GPU:0", "eager", False),
        ("/job:localhost/replica:0/task:0/device:CPU:0", "eager", True),
        ("/job:localhost/replica:0/task:0/device:CPU:0", "graph", False),  # a compiled result does not tell its device
    ],
)
def test_an_eager_result_must_come_from_the_device_that_was_asked(device, mode, raises):
    def run():
        battery.run_fills(CASE, lambda inputs, upstream: [Tensor(np.ones(1), device)], "GPU:0", mode, battery.Outcome())

    if raises:
        with pytest.raises(RuntimeError, match="was computed on"):
            run()
    else:
        run()
