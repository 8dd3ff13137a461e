"""Cases of the NUM rules."""

from __future__ import annotations

from compat.facts.known import UNKNOWN, Unknown
from compat.facts.numerics import Variable
from tests.verdict.rules.builders import (
    CPU,
    CPU_PASSES,
    GPU_PASSES,
    check,
    environment,
    facts,
    linux,
    linux_python,
    mac,
    python,
    smoke,
)
from tests.verdict.rules.cases import Case
from tests.verdict.rules.tiny_matrix import tiny_matrix

DLOPEN = "NotFoundError: dlopen(libmetal_plugin.dylib): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii"
FAILED_IMPORT = smoke(
    outcome="import-failed",
    devices=(),
    error=DLOPEN,
    key_line=DLOPEN,
    stderr_tail=("Traceback", "", DLOPEN),
    tensorflow=None,
)
ABORT_AT_IMPORT = smoke(outcome="aborted", devices=(), signal=6, last_check="import")
HANG_ON_GPU = smoke(CPU_PASSES, outcome="hung", devices=(), last_check="conv2d/k3_odd (graph on GPU:0)")
LATE_ON_GPU = smoke(
    CPU_PASSES,
    outcome="out-of-time",
    devices=(),
    last_check="dense/n7 (graph on GPU:0)",
    last_seconds=2.0,
    time_limit=30.0,
)
LATE_AT_IMPORT = smoke(outcome="out-of-time", devices=(), last_check="import", last_seconds=9.0, time_limit=10.0)
KILLED = {"outcome": "aborted", "signal": 9, "devices": ()}
EXHAUSTED = (
    "ResourceExhaustedError: OOM when allocating tensor with shape[3657,63,27] and type float on "
    "/job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu"
)
NO_THREAD = (
    "F external/local_tsl/tsl/platform/default/env.cc:74] Check failed: ret == 0 (11 vs. 0)Thread "
    "tf_data_private_threadpool creation via pthread_create() failed."
)
NO_BACKEND = Variable(name="KERAS_BACKEND", value="nonsense")
NO_SEGMENT = "ImportError: libtensorflow_cc.so.2: failed to map segment from shared object"
STATIC_TLS = "ImportError: libgomp-d22c30c5.so.1.0.0: cannot allocate memory in static TLS block"
NO_RELU = check("dense/n7/int/y", "fails", detail="at (0, 3): found -5, wanted 0")
NOT_RUN = Unknown("not asked for (--no-smoke)")


def measured(numerics, machine=None, installed=None, interpreter=None, **changes):
    return facts(machine, interpreter, installed, numerics, **changes)


def issue(number="ISS041", title="A fused MatMul, BiasAdd and ReLU loses the ReLU", chips=("Apple M1",), **changes):
    row = {
        "id": number,
        "title": title,
        "symptom": "Dense layers act as if they were linear",
        "severity": "warning",
        "rule": "NUM603",
        "affects": [{"package": "tensorflow-metal", "versions": ">=1.0.0,<1.3", "chips": list(chips)}],
        "remedy": "measure",
        "sources": [{"url": "https://github.com/tensorflow/tensorflow/issues/62137", "day": "2026-11-30"}],
    }
    return {**row, **changes}


KNOWN = tiny_matrix(issues=[issue("ISS044", "Convolutions with many channels"), issue()])

STARTING = [
    Case(
        rule="NUM601",
        name="the import raises",
        facts=measured(FAILED_IMPORT),
        expected="fails",
        severity="error",
        message_has=("TensorFlow cannot be imported: NotFoundError", "Traceback", "tfcompat smoke --python /Users/me"),
    ),
    Case(
        rule="NUM601",
        name="the import aborts",
        facts=measured(ABORT_AT_IMPORT),
        expected="fails",
        message_has=("kills the process (SIGABRT)", "outcome aborted, during import"),
    ),
    Case(
        rule="NUM601",
        name="a signal without a name here",
        facts=measured(smoke(outcome="aborted", signal=250, last_check="import")),
        expected="fails",
        message_has="(signal 250)",
    ),
    Case(
        rule="NUM601",
        name="a signal nobody noted",
        facts=measured(smoke(outcome="aborted")),
        expected="fails",
        message_has="(a signal)",
    ),
    Case(
        rule="NUM601",
        name="the import hangs",
        facts=measured(smoke(outcome="hung", last_check="import")),
        expected="fails",
        message_has="does not come to an end",
    ),
    Case(
        rule="NUM601",
        name="the import ends the process",
        facts=measured(smoke(outcome="exited", exit_code=3, last_check="import")),
        expected="fails",
        message_has="with code 3",
    ),
    Case(
        rule="NUM601",
        name="the time ran out during the import",
        facts=measured(LATE_AT_IMPORT),
        expected="fails",
        severity="warning",
        message_has=("still being imported: the time limit of 10 s was reached after 0 checks", "--timeout 20"),
        lacks=("fix", "come to an end"),
    ),
    Case(
        rule="NUM601",
        name="memory ran out during the import",
        facts=measured(smoke(outcome="import-failed", devices=(), error="MemoryError: ", key_line="MemoryError: ")),
        expected="fails",
        severity="error",
        message_has=("MemoryError", "memory ran out", "ulimit -v"),
        lacks=("tfcompat fix", "new environment"),
    ),
    Case(
        rule="NUM601",
        name="the import was killed from outside",
        facts=measured(smoke(last_check="import", **KILLED)),
        expected="fails",
        message_has=("kills the process (SIGKILL): killed from outside", "ulimit -v"),
        lacks=("tfcompat fix",),
    ),
    Case(
        rule="NUM601",
        name="a variable is set that may be the cause",
        facts=measured(smoke(outcome="import-failed", devices=(), variables=(NO_BACKEND,), last_check="import")),
        expected="fails",
        message_has=("KERAS_BACKEND=nonsense is set", "`unset KERAS_BACKEND`", "tfcompat fix"),
    ),
    Case(
        rule="NUM601",
        name="there is no memory to load the library into",
        facts=measured(smoke(outcome="import-failed", devices=(), key_line=NO_SEGMENT)),
        expected="fails",
        message_has=(NO_SEGMENT, "ulimit -v"),
        lacks=("tfcompat fix",),
    ),
    Case(
        rule="NUM601",
        name="the environment lies where nothing may be executed",
        facts=measured(smoke(outcome="import-failed", devices=(), key_line=f"{NO_SEGMENT}: Operation not permitted")),
        expected="fails",
        message_has="tfcompat fix",
        lacks=("ulimit",),
    ),
    Case(
        rule="NUM601",
        name="the loader has no room for thread-local storage, however much memory there is",
        facts=measured(smoke(outcome="import-failed", devices=(), key_line=STATIC_TLS)),
        expected="fails",
        message_has=("static TLS block", "tfcompat fix"),
        lacks=("ulimit",),
    ),
    Case(rule="NUM601", name="the time ran out later", facts=measured(LATE_ON_GPU), expected="passes"),
    Case(
        rule="NUM601",
        name="nothing was said",
        facts=measured(smoke(outcome="no-answer")),
        expected="fails",
        message_has="without a word",
    ),
    Case(
        rule="NUM601",
        name="the devices fail at first touch",
        facts=measured(smoke(outcome="device-failed", error="InternalError: no device")),
        expected="fails",
        message_has="cannot use its devices: InternalError",
    ),
    Case(
        rule="NUM601",
        name="an ending of a newer capture",
        facts=measured(smoke(outcome="evaporated")),
        expected="fails",
        message_has="(evaporated)",
    ),
    Case(
        rule="NUM601",
        name="no interpreter known",
        facts=measured(FAILED_IMPORT, interpreter=UNKNOWN),
        expected="fails",
        message_has="| tfcompat smoke",
        lacks=("--python",),
    ),
    Case(rule="NUM601", name="it ran", facts=measured(smoke(CPU_PASSES, GPU_PASSES)), expected="passes"),
    Case(
        rule="NUM601", name="a hang on the GPU comes after the import", facts=measured(HANG_ON_GPU), expected="passes"
    ),
    Case(
        rule="NUM601",
        name="the battery did not run",
        facts=facts(numerics=NOT_RUN),
        expected="unknown",
        message_has="the smoke test was not asked for",
    ),
    Case(
        rule="NUM604",
        name="the plugin is installed and no GPU listed",
        facts=measured(smoke(CPU_PASSES, devices=(CPU,))),
        expected="fails",
        severity="warning",
        message_has=("tensorflow-metal 1.2.0 is installed", "devices: CPU:0", "--reinstall-package"),
    ),
    Case(
        rule="NUM604",
        name="CUDA's libraries are installed and no GPU listed",
        facts=measured(
            smoke(CPU_PASSES, devices=(CPU,)),
            linux(),
            environment("tensorflow==2.18.1", "nvidia-cudnn-cu12==9.3.0.75"),
            linux_python(),
        ),
        expected="fails",
        message_has=("nvidia-cudnn-cu12", "nvidia-smi"),
    ),
    Case(rule="NUM604", name="a GPU is listed", facts=measured(smoke(CPU_PASSES, GPU_PASSES)), expected="passes"),
    Case(
        rule="NUM604",
        name="nothing that brings a GPU is installed",
        facts=measured(smoke(CPU_PASSES, devices=(CPU,)), installed=environment("tensorflow==2.18.1")),
        expected="passes",
    ),
    Case(rule="NUM604", name="TensorFlow did not start", facts=measured(FAILED_IMPORT), expected="unknown"),
    Case(
        rule="NUM607",
        name="a check hangs on the GPU",
        facts=measured(HANG_ON_GPU),
        expected="fails",
        severity="error",
        message_has=("on GPU:0, conv2d/k3_odd (graph on GPU:0) did not come back", "set_visible_devices([], 'GPU')"),
    ),
    Case(
        rule="NUM607",
        name="a check on the GPU takes the process down, another raised before",
        facts=measured(
            smoke(
                CPU_PASSES,
                check("softmax/c2/real/y", "crashed", op="Softmax", detail="InternalError: x"),
                outcome="aborted",
                signal=11,
                key_line="Fatal Python error: Segmentation fault",
                last_check="conv2d/k3_odd (eager on GPU:0)",
            )
        ),
        expected="fails",
        message_has=("killed the process (SIGSEGV): Fatal Python error", "InternalError: x"),
    ),
    Case(
        rule="NUM607",
        name="a check raises on the GPU",
        facts=measured(
            smoke(CPU_PASSES, check("softmax/c2/real/y", "crashed", op="Softmax", detail="InternalError: x"))
        ),
        expected="fails",
        message_has=("Softmax (graph) raised an error", "InternalError: x"),
    ),
    Case(
        rule="NUM607",
        name="the process ends with a code on the GPU",
        facts=measured(smoke(CPU_PASSES, outcome="exited", exit_code=1, last_check="keras (predict on GPU:0)")),
        expected="fails",
        message_has="ended the process",
    ),
    Case(
        rule="NUM607",
        name="the time for all ran out on the GPU",
        facts=measured(LATE_ON_GPU),
        expected="fails",
        severity="warning",
        message_has=("the time limit of 30 s was reached after 1 check, dense/n7 (graph on GPU:0)", "--timeout 60"),
        lacks=("come back", "tfcompat fix", "set_visible_devices"),
    ),
    Case(
        rule="NUM607",
        name="an older capture that was out of time",
        facts=measured(smoke(CPU_PASSES, outcome="out-of-time", last_check="a (eager on GPU:0)")),
        expected="fails",
        severity="warning",
        message_has=("the time limit was reached after 1 check", "--timeout SECONDS"),
    ),
    Case(
        rule="NUM607",
        name="memory ran out on the GPU",
        facts=measured(smoke(CPU_PASSES, check("relu/int/y", "crashed", detail=EXHAUSTED.replace("CPU:0", "GPU:0")))),
        expected="fails",
        message_has=("memory ran out: ResourceExhaustedError", "ulimit -v", "--device GPU:0"),
        lacks=("tfcompat fix", "set_visible_devices"),
    ),
    Case(
        rule="NUM607",
        name="the devices fail at first touch, before anything is computed",
        facts=measured(smoke(check("devices", "crashed", op="", device="", detail="InternalError: x"), devices=())),
        expected="fails",
        severity="error",
        message_has=("the devices cannot be used: InternalError: x", "set_visible_devices", "tfcompat fix"),
    ),
    Case(
        rule="NUM607",
        name="memory runs out at first touch",
        facts=measured(smoke(check("devices", "crashed", op="", device="", detail="MemoryError: "), devices=())),
        expected="fails",
        message_has=("the devices cannot be used: MemoryError", "ulimit -v"),
        lacks=("tfcompat fix",),
    ),
    Case(
        rule="NUM607",
        name="killed from outside on the GPU",
        facts=measured(smoke(CPU_PASSES, last_check="a (eager on GPU:0)", **KILLED)),
        expected="fails",
        message_has=("SIGKILL", "killed from outside", "ulimit -v"),
        lacks=("tfcompat fix",),
    ),
    Case(rule="NUM607", name="the time ran out during the import", facts=measured(LATE_AT_IMPORT), expected="unknown"),
    Case(rule="NUM607", name="all came back", facts=measured(smoke(CPU_PASSES, GPU_PASSES)), expected="passes"),
    Case(
        rule="NUM607",
        name="no GPU, all came back",
        facts=measured(smoke(CPU_PASSES, devices=(CPU,))),
        expected="passes",
    ),
    Case(
        rule="NUM607",
        name="a crash on the CPU is the control's matter",
        facts=measured(smoke(outcome="aborted", signal=4, last_check="conv2d/k3_odd (eager on CPU:0)", devices=())),
        expected="unknown",
    ),
    Case(rule="NUM607", name="TensorFlow did not start", facts=measured(FAILED_IMPORT), expected="unknown"),
]
BAD_CPU = check("dense/n7/int/y", "fails", device="CPU:0", error_in_bounds=None, detail="not finite")
COPY = (
    "InternalError: Failed copying input tensor from /job:localhost/replica:0/task:0/device:CPU:0 to "
    "/job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst tensor is not initialized."
)
NUMBERS = [
    Case(
        rule="NUM602",
        name="a check fails on the CPU",
        facts=measured(smoke(CPU_PASSES, BAD_CPU, NO_RELU)),
        expected="fails",
        severity="error",
        message_has=("1 of 2 checks fail", "not the GPU", "not finite"),
        lacks=("found -5", "memory"),
    ),
    Case(
        rule="NUM602",
        name="values could not be brought to the CPU from a GPU without memory",
        facts=measured(smoke(CPU_PASSES, check("relu/int/y", "crashed", device="CPU:0", detail=COPY), NO_RELU)),
        expected="passes",
    ),
    Case(
        rule="NUM602",
        name="memory ran out on the CPU",
        facts=measured(smoke(BAD_CPU, check("relu/int/y", "crashed", device="CPU:0", detail=EXHAUSTED))),
        expected="fails",
        message_has=("2 of 2 checks fail: memory ran out", "memory ran out: ResourceExhaustedError", "ulimit -v"),
        lacks=("tfcompat fix", "new environment", "installation"),
    ),
    Case(
        rule="NUM602",
        name="the CPU computes wrong numbers after memory ran out",
        facts=measured(smoke(BAD_CPU, stderr_tail=("OP_REQUIRES failed: RESOURCE_EXHAUSTED: OOM", "bye"))),
        expected="fails",
        message_has=("memory ran out: OP_REQUIRES failed", "ulimit -v"),
        lacks=("tfcompat fix",),
    ),
    Case(
        rule="NUM602",
        name="there was no memory for another thread",
        facts=measured(
            smoke(outcome="aborted", signal=6, devices=(), last_check="a (eager on CPU:0)", key_line=NO_THREAD)
        ),
        expected="fails",
        message_has=("a (eager on CPU:0) does not come back: memory ran out", "ulimit -u"),
        lacks=("tfcompat fix",),
    ),
    Case(
        rule="NUM602",
        name="killed from outside on the CPU",
        facts=measured(smoke(CPU_PASSES, last_check="a (eager on CPU:0)", **KILLED)),
        expected="fails",
        message_has=("memory ran out: killed from outside", "ulimit -v"),
        lacks=("tfcompat fix",),
    ),
    Case(
        rule="NUM602",
        name="the time ran out",
        facts=measured(LATE_ON_GPU),
        expected="unknown",
        message_has="the time limit of 30 s was reached",
    ),
    Case(
        rule="NUM602",
        name="a check on the CPU is an illegal instruction",
        facts=measured(smoke(outcome="aborted", signal=4, last_check="conv2d/k3_odd (eager on CPU:0)", devices=())),
        expected="fails",
        message_has=("conv2d/k3_odd (eager on CPU:0) does not come back", "SIGILL"),
    ),
    Case(
        rule="NUM602",
        name="the CPU passes, the GPU does not",
        facts=measured(smoke(CPU_PASSES, NO_RELU)),
        expected="passes",
    ),
    Case(rule="NUM602", name="the CPU passed, then the GPU hung", facts=measured(HANG_ON_GPU), expected="passes"),
    Case(
        rule="NUM602",
        name="some passed, then the process ended, nobody knows where",
        facts=measured(smoke(CPU_PASSES, outcome="no-answer")),
        expected="unknown",
    ),
    Case(
        rule="NUM602",
        name="the CPU was not measured",
        facts=measured(smoke(GPU_PASSES)),
        expected="unknown",
        message_has="what CPU computes was not measured",
    ),
    Case(rule="NUM602", name="TensorFlow did not start", facts=measured(FAILED_IMPORT), expected="unknown"),
    Case(
        rule="NUM603",
        name="the ReLU is lost on the GPU of an M1, as others reported",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, NO_RELU)),
        matrix=KNOWN,
        expected="fails",
        severity="error",
        message_has=(
            "GPU:0 computes wrong numbers: MatMul+BiasAdd+Relu (graph); ISS041",
            "found -5, wanted 0",
            "error 4.1e+03 of what is allowed",
            "set_visible_devices([], 'GPU')",
            "--device GPU:0",
        ),
        also=(("issue", "ISS041"), ("matrix_used", True)),
    ),
    Case(
        rule="NUM603",
        name="the same eagerly is another problem than the known one",
        also=(("issue", None), ("matrix_used", False)),
        facts=measured(smoke(CPU_PASSES, check("dense/n7/int/y", "fails", mode="eager"))),
        matrix=KNOWN,
        expected="fails",
        lacks=("ISS",),
    ),
    Case(
        rule="NUM603",
        name="a report that says Dense gave wrong predictions",
        facts=measured(smoke(CPU_PASSES, check("dense", "fails", op="dense", mode="predict"))),
        matrix=KNOWN,
        expected="fails",
        message_has="ISS041",
    ),
    Case(
        rule="NUM603",
        name="a ReLU outside a Dense layer",
        facts=measured(smoke(CPU_PASSES, check("activation/int/y", "fails", op="Relu"))),
        matrix=KNOWN,
        expected="fails",
        message_has="ISS041",
    ),
    Case(
        rule="NUM603",
        name="only the compiled form is wrong",
        facts=measured(smoke(CPU_PASSES, check("dense/n7/int/y", mode="eager"), NO_RELU)),
        expected="fails",
        message_has=(
            "MatMul+BiasAdd+Relu: wrong only when compiled (graph), right eagerly",
            "GPU:0 (METAL), Apple M1 Pro, macos 14.5, TensorFlow 2.18.1, tensorflow-metal 1.2.0",
        ),
    ),
    Case(
        rule="NUM603",
        name="the eager form is wrong too",
        facts=measured(smoke(CPU_PASSES, check("dense/n7/int/y", "fails", mode="eager"), NO_RELU)),
        expected="fails",
        lacks=("wrong only when compiled",),
    ),
    Case(
        rule="NUM603",
        name="of many wrong shapes of an operation the worst is shown, with what was computed",
        facts=measured(
            smoke(
                CPU_PASSES,
                check("dense/n1/int/y", "fails", error_in_bounds=7.0),
                check("dense/n24/int/y", "fails", error_in_bounds=900.0, code="tf.matmul(x, w)", dtype="float16"),
            )
        ),
        expected="fails",
        message_has=("dense/n24/int/y (graph, 7x130 -> 33, relu, float16)", "tf.matmul(x, w)"),
        lacks=("dense/n1",),
    ),
    Case(
        rule="NUM603",
        name="few channels are another problem than many",
        facts=measured(smoke(CPU_PASSES, check("conv2d/k3_odd/int/y", "fails", op="Conv2D", shape="2x9x7x3 -> 5"))),
        matrix=tiny_matrix(issues=[issue("ISS044", "Convolutions with more than 65536 output channels")]),
        expected="fails",
        lacks=("ISS",),
    ),
    Case(
        rule="NUM603",
        name="many channels are the known problem",
        facts=measured(smoke(CPU_PASSES, check("conv1d/wide/int/y", "fails", op="Conv2D", shape="1x1x3 -> 65537"))),
        matrix=tiny_matrix(issues=[issue("ISS044", "Convolutions with more than 65536 output channels")]),
        expected="fails",
        message_has="ISS044",
    ),
    Case(
        rule="NUM603",
        name="everything was moved to the CPU",
        facts=measured(smoke(CPU_PASSES, check("dense/n7/placement", "info", reason="cpu"))),
        expected="unknown",
        message_has="no operation ran there",
    ),
    Case(
        rule="NUM603",
        name="on an M5, for which nobody reported it",
        facts=measured(smoke(CPU_PASSES, NO_RELU), mac(chip="Apple M5")),
        matrix=KNOWN,
        expected="fails",
        lacks=("ISS",),
    ),
    Case(
        rule="NUM603",
        name="a convolution, of which a known problem speaks",
        facts=measured(
            smoke(CPU_PASSES, check("conv2d/k3_odd/int/dw", "fails", op="Conv2DBackpropFilter", mode="eager"))
        ),
        matrix=KNOWN,
        expected="fails",
        message_has="ISS044",
    ),
    Case(
        rule="NUM603",
        name="training goes astray",
        facts=measured(smoke(CPU_PASSES, check("seed/loss", "fails", op="", mode="fit"))),
        matrix=tiny_matrix(issues=[issue("ISS043", "Training diverges on the GPU")]),
        expected="fails",
        message_has=("seed/loss (fit)", "ISS043"),
    ),
    Case(
        rule="NUM603",
        name="many operations, of which some are shown",
        facts=measured(smoke(CPU_PASSES, *(check(f"a{n}", "fails", op=f"Op{n}") for n in range(8)))),
        expected="fails",
        message_has=("Op4 (graph) and 3 more", "and 3 more"),
        lacks=("Op5",),
    ),
    Case(
        rule="NUM603",
        name="the simplest expression that is wrong is named first, a program last",
        facts=measured(
            smoke(
                CPU_PASSES,
                check("train/seed/loss", "fails", op="training step"),
                check("attention/a/y", "fails", op="Attention", code="tf.matmul(tf.nn.softmax(x), w)"),
                check("softmax/c2/y", "fails", op="Softmax", code="tf.nn.softmax(z)", mode="eager"),
                check("softmax/c2/y", "fails", op="Softmax", code="tf.nn.softmax(z)"),
            )
        ),
        expected="fails",
        message_has=("wrong numbers: Softmax (eager, graph), Attention (graph), training step (graph)",),
    ),
    Case(
        rule="NUM603",
        name="wrong numbers before the process died",
        facts=measured(smoke(CPU_PASSES, NO_RELU, outcome="hung", devices=(), last_check="x (eager on GPU:0)")),
        expected="fails",
    ),
    Case(
        rule="NUM603",
        name="an environment that nobody looked at",
        facts=measured(smoke(CPU_PASSES, NO_RELU), installed=UNKNOWN),
        matrix=KNOWN,
        expected="fails",
        lacks=("ISS",),
    ),
    Case(
        rule="NUM603",
        name="a Python that nobody looked at",
        facts=measured(smoke(CPU_PASSES, NO_RELU), interpreter=python(version=UNKNOWN)),
        matrix=KNOWN,
        expected="fails",
        lacks=("ISS",),
    ),
    Case(
        rule="NUM603",
        name="a TensorFlow that no distribution stands for",
        facts=measured(smoke(CPU_PASSES, NO_RELU), installed=environment("numpy==1.26.4")),
        matrix=KNOWN,
        expected="fails",
        lacks=("ISS",),
    ),
    Case(
        rule="NUM603",
        name="the GPU passes",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES)),
        matrix=KNOWN,
        expected="passes",
    ),
    Case(rule="NUM603", name="no GPU", facts=measured(smoke(CPU_PASSES, devices=(CPU,))), expected="skipped"),
    Case(
        rule="NUM603",
        name="the GPU is listed and was not measured",
        facts=measured(smoke(CPU_PASSES)),
        expected="unknown",
        message_has="what GPU:0 computes was not measured",
    ),
    Case(rule="NUM603", name="TensorFlow did not start", facts=measured(FAILED_IMPORT), expected="unknown"),
    Case(rule="NUM603", name="the battery did not run", facts=facts(numerics=NOT_RUN), expected="unknown"),
]
FEWER_BITS = check(
    "dense/n7/real/y",
    "info",
    mode="eager",
    reason="precision",
    detail="computed with about 11 significant bits instead of 24; at (0, 1)",
)
NO_KERNEL = check(
    "conv2d/dil2/placement",
    "info",
    op="Conv2DBackpropInput",
    reason="cpu",
    detail="TensorFlow has no kernel for this on the device: x",
)
PRECISION = [
    Case(
        rule="NUM605",
        name="TF32 inputs",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, FEWER_BITS)),
        expected="fails",
        severity="warning",
        message_has=("GPU:0 is less precise", "11 significant bits", "enable_tensor_float_32_execution(False)"),
    ),
    Case(rule="NUM605", name="full precision", facts=measured(smoke(CPU_PASSES, GPU_PASSES)), expected="passes"),
    Case(rule="NUM605", name="TensorFlow did not start", facts=measured(FAILED_IMPORT), expected="unknown"),
    Case(
        rule="NUM606",
        name="a kernel is missing on the GPU",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, NO_KERNEL)),
        expected="fails",
        severity="info",
        message_has=("GPU:0 has no kernel for Conv2DBackpropInput (graph)",),
    ),
    Case(
        rule="NUM606",
        name="skipped for another reason",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, check("keras", "skipped", detail="Keras cannot be used: x"))),
        expected="passes",
    ),
    Case(
        rule="NUM606",
        name="a remark of another kind",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, FEWER_BITS)),
        expected="passes",
    ),
    Case(rule="NUM606", name="every kernel is there", facts=measured(smoke(CPU_PASSES, GPU_PASSES)), expected="passes"),
    Case(
        rule="NUM606",
        name="the CPU's missing kernels move nowhere",
        facts=measured(
            smoke(CPU_PASSES, check("x", "info", device="CPU:0", reason="cpu", detail="no kernel"), devices=(CPU,))
        ),
        expected="skipped",
        message_has="no device besides the CPU",
    ),
    Case(rule="NUM606", name="TensorFlow did not start", facts=measured(FAILED_IMPORT), expected="unknown"),
]

VARIES = check("dense/n24/again", "info", reason="order", detail="y comes out differently when computed again")
STEP = "a training step with a batch of 32 takes 10.00 ms on CPU:0, "
SLOWER = check("speed/lstm/step", "info", reason="speed", detail=STEP + "40.00 ms on GPU:0: 0.25 times the CPU's speed")
FASTER = check(
    "speed/dense/step", "info", reason="speed", detail=STEP + "0.08 ms on GPU:0: 1.2e+02 times the CPU's speed"
)
TF32 = Variable(name="NVIDIA_TF32_OVERRIDE", value="1")
REMARKS = [
    Case(
        rule="NUM608",
        name="sums in another order each time",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, VARIES)),
        expected="fails",
        severity="info",
        message_has=("GPU:0 gives other bits for the same input: MatMul+BiasAdd+Relu", "enable_op_determinism"),
    ),
    Case(
        rule="NUM608",
        name="a remark of another kind",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, FEWER_BITS)),
        expected="passes",
    ),
    Case(rule="NUM608", name="TensorFlow did not start", facts=measured(FAILED_IMPORT), expected="unknown"),
    Case(
        rule="NUM609",
        name="a variable asks for fewer bits",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, variables=(TF32,))),
        expected="fails",
        severity="info",
        message_has="measured with NVIDIA_TF32_OVERRIDE=1",
    ),
    Case(rule="NUM609", name="none is set", facts=measured(smoke(CPU_PASSES, GPU_PASSES)), expected="passes"),
    Case(rule="NUM609", name="the battery did not run", facts=facts(numerics=NOT_RUN), expected="unknown"),
    Case(
        rule="NUM610",
        name="the GPU is slower",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, FASTER, SLOWER)),
        expected="fails",
        severity="info",
        message_has="40.00 ms on GPU:0: 0.25 times the CPU's speed",
        lacks=("0.08 ms",),
    ),
    Case(
        rule="NUM610",
        name="the GPU is faster",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, FASTER)),
        expected="passes",
    ),
    Case(rule="NUM610", name="speed was not asked for", facts=measured(smoke(GPU_PASSES)), expected="skipped"),
    Case(
        rule="NUM610",
        name="a remark of another kind",
        facts=measured(smoke(CPU_PASSES, GPU_PASSES, VARIES)),
        expected="skipped",
    ),
    Case(rule="NUM610", name="the battery did not run", facts=facts(numerics=NOT_RUN), expected="unknown"),
]

CASES: list[Case] = [*STARTING, *NUMBERS, *PRECISION, *REMARKS]
