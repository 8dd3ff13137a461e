"""Run in a real TensorFlow with the test device: is it right when healthy, and does each planted fault show?

``python child.py LIBRARY FAULTS.json`` prints one line of JSON (the last of stdout). Stand-alone: TensorFlow, NumPy and
the standard library only. Every operation is called by its raw name, so that nothing stands between it and the kernel.
"""

import ctypes
import itertools
import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

RAW = tf.raw_ops
RANDOM = np.random.RandomState(7)
CALLS = {"block_lost_one_call_in_50": 50, "stale_one_call_in_20": 21, "nan_rare": 30}
"""How many calls it takes until an intermittent fault has struck."""


def real(*shape):
    return RANDOM.randn(*shape).astype(np.float32)


def whole(*shape):
    return RANDOM.randint(-4, 5, shape).astype(np.float32)


def raw(op, *names, **fixed):
    """The raw operation as a function of the inputs named."""
    function = getattr(RAW, op)
    return lambda *tensors: function(**dict(zip(names, tensors, strict=True)), **fixed)


class Probe:
    """One call of one operation: ``run`` takes tensors made of ``data`` and gives a list of tensors."""

    def __init__(self, op, run, *data, **options):
        self.op, self.run, self.data = op, run, data
        self.reference = options.get("reference", True)  # whether the CPU can compute it too
        self.compiled, self.tensors = {}, {}

    def arguments(self, device, turn=0):
        # Another turn has other data of the same shape: what is stale shows only then.
        if (device, turn) not in self.tensors:
            with tf.device(device):
                made = [tf.identity(tf.constant(np.roll(d, turn) if turn else d)) for d in self.data]
            self.tensors[device, turn] = made
        return self.tensors[device, turn]

    def eager(self, device, turn=0):
        arguments = self.arguments(device, turn)
        with tf.device(device):
            return values(self.run(*arguments))

    def graph(self, device, turn=0, fresh=False):
        arguments = self.arguments(device, turn)
        if fresh or device not in self.compiled:

            def compiled(*inputs):
                with tf.device(device):
                    return self.run(*inputs)

            self.compiled[device] = tf.function(compiled)
        return values(self.compiled[device](*arguments))


def values(outputs):
    return [output.numpy() for output in (outputs if isinstance(outputs, (list, tuple)) else [outputs])]


def size_of(value):
    return np.array(value.shape, np.int32)


def convolutions(op, depthwise=False):
    """(n, h, w, inputs, filter shape, stride, dilation, padding) -> probes of the forward operation and both gradients."""
    shapes = (
        [((5, 7, 6, 3), (2, 2, 3, 2), 1, 1, "SAME"), ((3, 9, 9, 6), (3, 3, 6, 1), 2, 1, "SAME")]
        if depthwise
        else [
            ((5, 7, 6, 3), (2, 2, 3, 6), 1, 1, "SAME"),
            ((3, 11, 10, 6), (3, 3, 6, 7), 2, 1, "SAME"),
            ((2, 9, 8, 3), (3, 1, 3, 4), 2, 1, "VALID"),
            ((2, 5, 4, 130), (3, 3, 130, 66), 1, 1, "SAME"),
            ((3, 6, 5, 17), (1, 1, 17, 5), 1, 1, "VALID"),
            ((2, 11, 11, 4), (3, 3, 4, 4), 1, 2, "SAME"),
            ((12, 8, 8, 3), (3, 3, 3, 8), 1, 1, "EXPLICIT"),
        ]
    )
    for image, kernel, stride, dilation, padding in shapes:
        options = {"strides": [1, stride, stride, 1], "padding": padding, "dilations": [1, dilation, dilation, 1]}
        if padding == "EXPLICIT":
            options["explicit_paddings"] = [0, 0, 1, 2, 0, 1, 0, 0]
        yield from convolution(op, image, kernel, options)


def convolution(op, image, kernel, options):
    forward = getattr(RAW, op)
    back = op + "Backprop{}"
    x, w = real(*image), real(*kernel)
    with tf.device("/CPU:0"):
        y = forward(input=x, filter=w, **options).numpy()
    dy = real(*y.shape)
    dilated = options["dilations"][1] > 1
    yield Probe(op, lambda x, w: forward(input=x, filter=w, **options), x, w)
    yield Probe(
        back.format("Filter"),
        lambda x, dy: getattr(RAW, back.format("Filter"))(input=x, filter_sizes=size_of(w), out_backprop=dy, **options),
        x,
        dy,
        reference=not dilated,
    )
    yield Probe(
        back.format("Input"),
        lambda w, dy: getattr(RAW, back.format("Input"))(input_sizes=size_of(x), filter=w, out_backprop=dy, **options),
        w,
        dy,
        reference=not dilated,
    )


def large_convolutions():
    options = {"strides": [1, 1, 1, 1], "padding": "VALID", "dilations": [1, 1, 1, 1]}
    yield from list(convolution("Conv2D", (65600, 1, 1, 1), (1, 1, 1, 1), options))[:2]
    yield from list(convolution("Conv2D", (1, 1, 1, 2), (1, 1, 2, 65600), options))[:1]
    yield from list(convolution("Conv2D", (32, 18, 18, 4), (3, 3, 4, 8), options))[1:2]
    yield from list(convolution("Conv2D", (24, 18, 18, 4), (3, 3, 4, 8), options))[1:2]
    x, w = real(2, 6, 5, 8), real(3, 3, 2, 12)  # four groups
    yield Probe("Conv2D", lambda x, w: RAW.Conv2D(input=x, filter=w, **options), x, w)


def pools():
    shapes = [
        ((5, 9, 7, 3), 2, 2, "VALID"),
        ((6, 9, 7, 3), 3, 2, "SAME"),
        ((2, 8, 8, 5), 3, 1, "SAME"),
        ((2, 7, 7, 1), 2, 2, "SAME"),
    ]
    for shape, size, stride, padding in shapes:
        options = {"ksize": [1, size, size, 1], "strides": [1, stride, stride, 1], "padding": padding}
        # No ties, all negative in the first sample, some differences only float32 sees.
        x = RANDOM.permutation(np.prod(shape)).reshape(shape).astype(np.float32)
        x = (x - x.size / 3) * np.float32(0.01) + 1000
        x[0] -= 3000
        yield Probe("MaxPool", lambda x, o=options: RAW.MaxPool(input=x, **o), x)
        yield Probe("AvgPool", lambda x, o=options: RAW.AvgPool(value=x, **o), x)
        with tf.device("/CPU:0"):
            y = RAW.MaxPool(input=x, **options).numpy()
        dy = whole(*y.shape)
        yield Probe(
            "MaxPoolGrad",
            lambda x, dy, o=options, y=y: RAW.MaxPoolGrad(
                orig_input=x, orig_output=RAW.MaxPool(input=x, **o), grad=dy, **o
            ),
            x,
            dy,
        )
        yield Probe(
            "AvgPoolGrad", lambda dy, o=options, x=x: RAW.AvgPoolGrad(orig_input_shape=size_of(x), grad=dy, **o), dy
        )
    # A maximum of equal values: which one wins is a convention, so the CPU is no reference for it.
    tied = np.ones((1, 4, 4, 1), np.float32)
    options = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    yield Probe(
        "MaxPoolGrad",
        lambda dy: RAW.MaxPoolGrad(orig_input=tied, orig_output=tied[:, :2, :2], grad=dy, **options),
        real(1, 2, 2, 1),
        reference=False,
    )


def matrices():
    for rows, inner, columns, left, right in (
        (7, 13, 5, False, False),
        (40, 30, 9, True, False),
        (24, 17, 6, False, True),
        (33, 8, 3, True, True),
        (33001, 3, 2, False, False),
        (2, 33001, 2, False, False),
    ):
        a = real(*((inner, rows) if left else (rows, inner)))
        b = real(*((columns, inner) if right else (inner, columns)))
        yield Probe("MatMul", lambda a, b, t=left, u=right: RAW.MatMul(a=a, b=b, transpose_a=t, transpose_b=u), a, b)
    yield Probe("MatMul", lambda a, b: RAW.MatMul(a=a, b=b), np.ones((6, 4), np.float32), real(4, 3))
    for a, b, left, right in (
        (real(2, 3, 4, 9), real(3, 9, 5), False, False),
        (real(3, 5, 5), real(3, 5, 5), True, False),
        (real(4, 11, 6), real(4, 7, 6), False, True),
    ):
        yield Probe("BatchMatMulV2", lambda a, b, t=left, u=right: RAW.BatchMatMulV2(x=a, y=b, adj_x=t, adj_y=u), a, b)


def chains():
    """What the graph rewriter fuses; run eagerly these are the plain operations."""
    x, w, b = real(40, 7), real(7, 6), real(6)
    yield Probe("_FusedMatMul", lambda x: RAW.Relu(features=RAW.BiasAdd(value=RAW.MatMul(a=x, b=w), bias=b)), x)
    turned = real(7, 40)
    yield Probe(
        "_FusedMatMul",
        lambda x: RAW.Relu(features=RAW.BiasAdd(value=RAW.MatMul(a=x, b=w, transpose_a=True), bias=b)),
        turned,
    )
    image, kernel = real(2, 6, 5, 3), real(3, 3, 3, 6)
    options = {"strides": [1, 2, 1, 1], "padding": "SAME"}
    yield Probe(
        "_FusedConv2D",
        lambda x: RAW.Relu(features=RAW.BiasAdd(value=RAW.Conv2D(input=x, filter=kernel, **options), bias=b)),
        image,
    )


def shared_chain(x, weights, bias):
    """Like a Dense layer, but the sum is wanted too: it must not vanish into a fused operation."""
    total = RAW.BiasAdd(value=RAW.MatMul(a=x, b=weights), bias=bias)
    return [RAW.Relu(features=total), total]


def bias_and_activations():
    yield Probe("BiasAdd", lambda x, b: RAW.BiasAdd(value=x, bias=b), real(3, 2, 2, 6), real(6))
    yield Probe("BiasAddGrad", lambda dy: RAW.BiasAddGrad(out_backprop=dy), real(33, 7))
    yield Probe("Relu", lambda x: RAW.Relu(features=x), real(300))
    weights, bias = real(7, 6), real(6)
    yield Probe("Relu", lambda x: shared_chain(x, weights, bias), real(40, 7))
    for op in ("Relu6", "Elu", "Softplus", "LeakyRelu"):
        yield Probe(op, raw(op, "features"), real(40) * 5)
    for op in ("Tanh", "Sigmoid", "Exp", "Erf", "Neg", "Abs", "Square", "Reciprocal"):
        yield Probe(op, raw(op, "x"), real(40))
    for op in ("Sqrt", "Rsqrt", "Log", "Log1p"):
        yield Probe(op, raw(op, "x"), np.abs(real(40)) + np.float32(0.01))
    for op in ("ReluGrad", "Relu6Grad", "SoftplusGrad", "LeakyReluGrad"):
        yield Probe(op, raw(op, "gradients", "features"), real(40), real(40))
    yield Probe("EluGrad", lambda dy, y: RAW.EluGrad(gradients=dy, outputs=y), real(40), np.tanh(real(40)))
    for op in ("TanhGrad", "SigmoidGrad"):
        yield Probe(op, raw(op, "y", "dy"), np.tanh(real(40)), real(40))
    for op in ("SqrtGrad", "RsqrtGrad"):
        yield Probe(op, raw(op, "y", "dy"), np.abs(real(40)) + 1, real(40))


def pairs():
    for op in ("AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "SquaredDifference", "Greater", "Less"):
        for a, b in ((real(300), real(300)), (real(4, 1, 5), real(3, 5)), (real(6, 5), real(1))):
            yield Probe(op, raw(op, "x", "y"), a, b)
    yield Probe("GreaterEqual", lambda a, b: RAW.GreaterEqual(x=a, y=b), whole(60), whole(60))
    yield Probe("SelectV2", lambda a, b, c: RAW.SelectV2(condition=a, t=b, e=c), real(4, 1) > 0, real(4, 5), real(5))


def losses_and_norms():
    logits = np.concatenate([real(4, 200) * 3, np.full((1, 200), 120, np.float32)])
    for op in ("Softmax", "LogSoftmax"):
        yield Probe(op, raw(op, "logits"), logits)
    labels = np.abs(real(5, 200))
    labels /= labels.sum(1, keepdims=True)
    yield Probe(
        "SoftmaxCrossEntropyWithLogits",
        lambda x, y: list(RAW.SoftmaxCrossEntropyWithLogits(features=x, labels=y)),
        logits,
        labels,
    )
    yield Probe(
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda x, y: list(RAW.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=y)),
        logits,
        np.array([3, 0, 199, 7, 8], np.int32),
    )
    x, gamma, beta, mean, variance = real(4, 3, 3, 5) + 2, real(5), real(5), real(5), np.abs(real(5)) + 1
    for training in (True, False):
        for factor in (1.0, 0.25) if training else (1.0,):
            yield Probe(
                "FusedBatchNormV3",
                lambda x, g, b, m, v, t=training, f=factor: list(
                    RAW.FusedBatchNormV3(
                        x=x, scale=g, offset=b, mean=m, variance=v, epsilon=0.1, exponential_avg_factor=f, is_training=t
                    )
                )[:3],
                *(
                    x,
                    gamma,
                    beta,
                    mean if factor != 1 or not training else mean[:0],
                    variance if factor != 1 or not training else variance[:0],
                ),
            )
        yield Probe(
            "FusedBatchNormGradV3",
            lambda dy, x, g, m, v, t=training: list(
                RAW.FusedBatchNormGradV3(
                    y_backprop=dy,
                    x=x,
                    scale=g,
                    reserve_space_1=m,
                    reserve_space_2=v,
                    reserve_space_3=np.zeros(0, np.float32),
                    epsilon=0.1,
                    is_training=t,
                )
            )[:3],
            *(real(4, 3, 3, 5), x, gamma, x.mean((0, 1, 2)), x.var((0, 1, 2))),
        )


def reductions_and_moves():
    for op in ("Sum", "Mean", "Max"):
        for data, axis, keeps in (
            (-np.abs(real(5, 6, 7)), [1], False),
            (real(3, 4, 5), [0, -1], True),
            (whole(70001), [0], False),
        ):
            yield Probe(op, raw(op, "input", axis=axis, keep_dims=keeps), data)
    for exclusive in (False, True):
        for reverse in (False, True):
            yield Probe(
                "Cumsum",
                lambda x, e=exclusive, r=reverse: RAW.Cumsum(x=x, axis=1, exclusive=e, reverse=r),
                real(3, 9, 2),
            )
    late = np.zeros((2, 65600), np.float32)
    late[0, 65577] = late[1, 5] = late[1, 9] = 1
    yield Probe("ArgMax", lambda x: RAW.ArgMax(input=x, dimension=1), late)
    yield Probe("ArgMax", lambda x: RAW.ArgMax(input=x, dimension=0, output_type=tf.int32), real(7, 4))
    yield Probe("TopKV2", lambda x: list(RAW.TopKV2(input=x, k=20)), real(3, 33))
    yield Probe("GatherV2", lambda x: RAW.GatherV2(params=x, indices=[[6, 0], [6, 2]], axis=0), real(7, 3))
    yield Probe("GatherV2", lambda x: RAW.GatherV2(params=x, indices=np.int64([299, 1]), axis=1), real(2, 300, 2))
    yield Probe(
        "GatherV2", lambda x: RAW.GatherV2(params=x, indices=[[2, 1], [0, 1]], axis=1, batch_dims=1), real(2, 3, 4)
    )
    yield Probe(
        "UnsortedSegmentSum",
        lambda x: RAW.UnsortedSegmentSum(data=x, segment_ids=[2, 0, 2, 1], num_segments=4),
        real(4, 3),
    )
    yield Probe("Transpose", lambda x: RAW.Transpose(x=x, perm=[2, 0, 3, 1]), real(2, 3, 4, 5))
    yield Probe("ConcatV2", lambda a, b: RAW.ConcatV2(values=[a, b], axis=1), real(2, 3, 2), real(2, 4, 2))
    yield Probe("Cast", lambda x: RAW.Cast(x=x, DstT=tf.int32), real(40) * 9)
    yield Probe("Cast", lambda x: RAW.Cast(x=x, DstT=tf.float32), np.arange(-5, 5, dtype=np.int32))
    yield Probe("Cast", lambda x: RAW.Cast(x=x, DstT=tf.float32), real(10) > 0)


def optimizers():
    numbers = itertools.count()

    def variables(*data):
        """Handles of new variables; tf.Variable may not be made inside a tf.function."""
        handles = []
        for value in data:
            name = f"variable{next(numbers)}"
            handles.append(RAW.VarHandleOp(shape=value.shape, dtype=tf.float32, shared_name=name))
            RAW.AssignVariableOp(resource=handles[-1], value=value)
        return handles

    def read(handles):
        return [RAW.ReadVariableOp(resource=handle, dtype=tf.float32) for handle in handles]

    def adam(v, m, s, g):
        handles = variables(v, m, s)
        for step in (1, 2):
            RAW.ResourceApplyAdam(
                var=handles[0],
                m=handles[1],
                v=handles[2],
                beta1_power=0.9**step,
                beta2_power=0.999**step,
                lr=0.01,
                beta1=0.9,
                beta2=0.999,
                epsilon=1e-7,
                grad=g,
                use_nesterov=step == 2,
            )
        return read(handles)

    def momentum(v, m, g):
        handles = variables(v, m)
        for nesterov in (False, True):
            RAW.ResourceApplyKerasMomentum(
                var=handles[0], accum=handles[1], lr=0.01, grad=g, momentum=0.9, use_nesterov=nesterov
            )
        return read(handles)

    def descent(v, g):
        handles = variables(v)
        RAW.ResourceApplyGradientDescent(var=handles[0], alpha=0.01, delta=g)
        return read(handles)

    yield Probe("ResourceApplyAdam", adam, real(300), real(300), np.abs(real(300)), real(300))
    yield Probe("ResourceApplyKerasMomentum", momentum, real(300), real(300), real(300))
    yield Probe("ResourceApplyGradientDescent", descent, real(300), real(300))


def stateless():
    key, counter = np.uint64([0x123456789ABCDEF]), np.uint64([2**64 - 2, 5])  # its lower half overflows on the way
    yield Probe(
        "StatelessRandomUniformV2",
        lambda key, counter: RAW.StatelessRandomUniformV2(shape=[5, 41], key=key, counter=counter, alg=1),
        key,
        counter,
    )


def all_probes(operations):
    found = [
        *convolutions("Conv2D"),
        *large_convolutions(),
        *convolutions("DepthwiseConv2dNative", depthwise=True),
        *pools(),
        *matrices(),
        *chains(),
        *bias_and_activations(),
        *pairs(),
        *losses_and_norms(),
        *reductions_and_moves(),
        *stateless(),
        *optimizers(),
    ]
    return [probe for probe in found if probe.op in operations]


DRAWS = {
    "RandomUniform": lambda shape: RAW.RandomUniform(shape=tf.constant(shape, tf.int32), dtype=tf.float32).numpy(),
    "RandomStandardNormal": lambda shape: RAW.RandomStandardNormal(
        shape=tf.constant(shape, tf.int32), dtype=tf.float32
    ).numpy(),
}


def complaints(op):
    """What is wrong with a random operation, told by what it gives: there is nothing to compare it with."""
    draw, uniform = DRAWS[op], op == "RandomUniform"
    with tf.device("/GPU:0"):
        one, two, scalars = draw([100, 100]), draw([100, 100]), [float(draw([])) for _ in range(10)]
        pixels = draw([50, 3])
    flat = one.reshape(-1)
    middle = (flat - 0.5) * np.sqrt(12) if uniform else flat
    found = {
        "two calls are equal": np.array_equal(one, two),
        "scalars are equal": len(set(scalars)) == 1,
        "period 64": np.array_equal(flat[:64], flat[64:128]),
        "period 4096": np.array_equal(flat[:4096], flat[4096:8192]),
        "channels are equal": np.array_equal(pixels[:, 0], pixels[:, 1]),
        "mean": abs(middle.mean()) > 5 / np.sqrt(middle.size),
        "deviation": abs(middle.std() - 1) > 0.05,
        "range": uniform and not (0 <= flat.min() < 0.01 and 0.99 < flat.max() < 1),
    }
    return sorted(name for name, wrong in found.items() if wrong)


def distance(one, two):
    """The largest difference in units of the largest value; infinite where types, shapes or the finite places differ."""
    worst = 0.0
    for got, wanted in zip(one, two, strict=True):
        if got.dtype != wanted.dtype or got.shape != wanted.shape:
            return float("inf")
        a, b = got.astype(np.float64), wanted.astype(np.float64)
        if not np.array_equal(np.isfinite(a), np.isfinite(b)):
            return float("inf")
        with np.errstate(all="ignore"):
            gap = np.nanmax(np.where(np.isfinite(a), np.abs(a - b), 0), initial=0)
            worst = max(worst, gap / max(np.nanmax(np.where(np.isfinite(b), np.abs(b), 0), initial=0), 1e-30))
    return float(worst)


def healthy(probes, library):
    """Per operation: the worst distance from the CPU, eagerly and compiled, and whether the device's kernel ran."""
    table = {}
    for probe in probes:
        row = table.setdefault(probe.op, {"eager": 0.0, "graph": 0.0, "ran_eager": True, "ran_graph": True})
        reference = probe.eager("/CPU:0") if probe.reference else probe.eager("/GPU:0")
        for mode in ("eager", "graph"):
            before = library.device_calls(probe.op.encode())
            got = getattr(probe, mode)("/GPU:0")
            row[mode] = max(row[mode], distance(got, reference))
            row["ran_" + mode] &= library.device_calls(probe.op.encode()) > before
    return table


def shows(fault, probes, expected, mode):
    """The largest distance between healthy and faulty results of the operation at fault."""
    calls = next((n for effect, n in CALLS.items() if fault["name"].endswith(effect)), 2)
    options = {"fresh": True} if mode == "graph" and fault["name"].endswith("_in_graph") else {}
    worst = 0.0
    for index, probe in probes:
        for turn in range(calls):
            got = getattr(probe, mode)("/GPU:0", turn % 2, **options)
            worst = max(worst, distance(got, expected[mode][index][turn % 2]))
            if worst and (calls > 2 or fault["kind"] == "numeric"):  # of reduced precision the size matters too
                return worst
    return worst


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.device_calls.restype = ctypes.c_long
    library.device_operations.restype = library.device_faults.restype = ctypes.c_char_p
    operations = library.device_operations().decode().split()
    tf.config.set_soft_device_placement(False)
    probes = all_probes(operations)
    answer = {
        "tensorflow": tf.__version__,
        "operations": operations,
        "faults": dict(line.split(" ") for line in library.device_faults().decode().splitlines()),
        "healthy": healthy(probes, library),
        "complaints": {op: complaints(op) for op in DRAWS},
        "shown": {},
        "elsewhere": {},
    }
    expected = {
        mode: [[getattr(probe, mode)("/GPU:0", turn) for turn in (0, 1)] for probe in probes]
        for mode in ("eager", "graph")
    }
    first = {}
    for index, probe in enumerate(probes):
        first.setdefault(probe.op, (index, probe))
    for fault in json.loads(Path(sys.argv[2]).read_text()):
        if fault["op"] not in operations:
            continue
        assert library.device_fault(fault["name"].encode())
        if fault["op"] in DRAWS:
            answer["shown"][fault["name"]] = {"eager": complaints(fault["op"])}
        else:
            own = [(i, p) for i, p in enumerate(probes) if p.op == fault["at"]]
            answer["shown"][fault["name"]] = {mode: shows(fault, own, expected, mode) for mode in ("eager", "graph")}
        if fault["op"] not in answer["elsewhere"]:
            answer["elsewhere"][fault["op"]] = sorted(
                op
                for op, (index, probe) in first.items()
                if op not in (fault["op"], fault["at"]) and distance(probe.eager("/GPU:0"), expected["eager"][index][0])
            )
        library.device_fault(b"")
    sys.stdout.write(json.dumps(answer) + "\n")


main()
