"""Faults only compiled graphs have: wrong fusions, folded constants, merged operations, stale results. See `breadth_hooks`."""

import numpy as np
from breadth_hooks import GRAPH, apart, both_ways, compiled_if, fault, kernel, normal, quick_kernel, randomize
from breadth_hooks import stale_tail, tf, through_layer

FUSION, REWRITE, PREDICT = "graph fusions", "graph rewrites", "compiled calls and predict"
CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative", "Conv2DBackpropInput")


def before(tensor):
    """The operation behind a tensor (behind a fault's own stand-in: the true one)."""
    operation = tensor.op
    return operation.inputs[-1].op if operation.type == "IdentityN" else operation


def biased(tensor, *kinds):
    """The tensor a bias was added to, if one of these operations made it (None otherwise)."""
    sum_ = before(tensor)
    if sum_.type not in ("BiasAdd", "AddV2", "Add"):
        return None
    source = before(sum_.inputs[0])
    if source.type in ("Squeeze", "Reshape") and source.inputs[0].op.type in kinds:
        return sum_.inputs[0]
    return sum_.inputs[0] if source.type in kinds else None


def conv_layer(activation, **options):
    return through_layer(lambda layers: layers.Conv2D(5, 3, activation=activation), 2, 6, 6, 3, **options)


def dense_layer(activation, **options):
    return through_layer(lambda layers: layers.Dense(37, activation), 4, 9)


@kernel("Relu", op="Conv2D + BiasAdd + Relu", family=FUSION, modes=GRAPH, show=conv_layer("relu"))
def fused_convolution_loses_bias(call):
    """Convolution, bias and ReLU fused: the bias is lost."""
    source = biased(call.inputs[0], *CONVOLUTIONS)
    return None if source is None else tf.nn.relu(source)


@kernel("Relu", op="Conv2D + BiasAdd + Relu", family=FUSION, modes=GRAPH, show=conv_layer("relu"))
def fused_convolution_loses_relu(call):
    """Convolution, bias and ReLU fused: the ReLU is lost."""
    return None if biased(call.inputs[0], *CONVOLUTIONS) is None else tf.identity(call.inputs[0])


@kernel("Relu", op="Conv2D + BiasAdd + Relu", family=FUSION, modes=GRAPH, show=conv_layer("relu"))
def fused_convolution_relu_before_bias(call):
    """Convolution, bias and ReLU fused: the bias is added after the ReLU."""
    source = biased(call.inputs[0], *CONVOLUTIONS)
    return None if source is None else tf.nn.relu(source) + (call.inputs[0] - source)


@kernel(
    "Relu",
    op="DepthwiseConv2D + BiasAdd + Relu",
    family=FUSION,
    modes=GRAPH,
    show=through_layer(lambda layers: layers.DepthwiseConv2D(3, activation="relu"), 2, 6, 6, 3),
)
def fused_depthwise_loses_relu(call):
    """A fused depthwise convolution loses its ReLU."""
    return None if biased(call.inputs[0], "DepthwiseConv2dNative") is None else tf.identity(call.inputs[0])


@kernel(
    "Relu6",
    op="Conv2D + BiasAdd + Relu6",
    family=FUSION,
    modes=GRAPH,
    show=conv_layer("relu6", x=normal(2, 6, 6, 3) * 8),
)
def fused_convolution_relu6_is_relu(call):
    """Convolution, bias and ReLU6 fused: the cap at 6 is lost."""
    return None if biased(call.inputs[0], *CONVOLUTIONS) is None else tf.nn.relu(call.inputs[0])


def fused_dense(name, op, activation, text, wrong):
    def lost(call):
        return None if biased(call.inputs[0], "MatMul") is None else wrong(call)

    quick_kernel(name, op, FUSION, text, dense_layer(activation), lost, GRAPH, module=__name__)


fused_dense(
    "fused_dense_elu_is_relu",
    "Elu",
    "elu",
    "A Dense layer fused with ELU computes ReLU.",
    lambda c: tf.nn.relu(c.inputs[0]),
)
fused_dense(
    "fused_dense_tanh_lost",
    "Tanh",
    "tanh",
    "A Dense layer fused with tanh loses it.",
    lambda c: tf.identity(c.inputs[0]),
)
fused_dense(
    "fused_dense_sigmoid_is_hard",
    "Sigmoid",
    "sigmoid",
    "A Dense layer fused with the sigmoid computes the hard sigmoid.",
    lambda c: tf.clip_by_value(0.2 * c.inputs[0] + 0.5, 0.0, 1.0),
)
fused_dense(
    "fused_dense_selu_tail",
    "Selu",
    "selu",
    "A Dense layer fused with SELU does not apply it behind the 32nd unit.",
    lambda c: tf.where(tf.range(tf.shape(c.inputs[0])[1]) < 32, c.outputs[0], c.inputs[0]),
)
fused_dense(
    "fused_dense_softplus_without_bias",
    "Softplus",
    "softplus",
    "A Dense layer fused with softplus loses the bias.",
    lambda c: tf.nn.softplus(biased(c.inputs[0], "MatMul")),
)


def chain(make, *shape):
    return through_layer(lambda layers: _Chain(layers, make), *shape)


def _Chain(layers, make):
    parts = make(layers)

    class Chain(layers.Layer):
        def __init__(self):
            super().__init__()
            self.parts = parts

        def call(self, x):
            for part in self.parts:
                x = part(x)
            return x

    return Chain()


@kernel(
    "FusedBatchNormV3",
    "Mul",
    op="Conv2D + BatchNormalization",
    family=FUSION,
    modes=GRAPH,
    show=chain(lambda layers: [layers.Conv2D(4, 3), layers.BatchNormalization()], 2, 6, 6, 3),
)
def folded_batch_norm_loses_conv_bias(call):
    """At inference batch normalization is folded into the convolution before it, and the convolution's bias is forgotten."""
    source = biased(call.inputs[0], "Conv2D")
    if call.op == "Mul":  # Keras 3 spells batch normalization in small operations
        return None if source is None or not call.called_by("batch_normalization") else source * call.inputs[1]
    if source is None or call.attr("is_training"):
        return None
    return call.again(x=source)[:1] + call.outputs[1:]


@kernel(
    "AddV2",
    "Add",
    op="Add (residual)",
    family=FUSION,
    modes=GRAPH,
    show=both_ways(lambda x: x + tf.nn.relu(x), normal(5, 6)),
)
def residual_overwritten_in_place(call):
    """In x + relu(x) the ReLU is computed in the buffer of x, which is still needed."""
    left, right = call.inputs
    for x, y in ((left, right), (right, left)):
        made = before(y)
        if made.type in ("Relu", "Tanh", "Sigmoid", "Elu") and made.inputs[0] is x:
            return y + y
    return None


@kernel(
    "AddV2",
    op="Mul + Add",
    family=FUSION,
    modes=GRAPH,
    show=both_ways(lambda x, w, b: x * w + b, normal(4, 6), normal(6, seed=1), normal(6, seed=2)),
)
def multiply_add_drops_row(call):
    """x * w + b as one instruction: a row b is read at its first element only."""
    product, row = call.inputs
    if before(product).type != "Mul" or row.shape.rank != 1 or product.shape.rank != 2 or not row.dtype.is_floating:
        return None
    return product + row[:1]


@kernel(
    "AddN",
    family=REWRITE,
    show=both_ways(lambda a, b, c: tf.add_n([a, b, c]), normal(4), normal(4, seed=1), normal(4, seed=2)),
)
def add_n_beyond_two(call):
    """Of more than two terms only the first two are added (weights used three times get a wrong gradient)."""
    return call.inputs[0] + call.inputs[1] if len(call.inputs) > 2 and call.dtype().is_floating else None


@kernel("AddN", family=REWRITE, modes=GRAPH, show=both_ways(lambda x: tf.sin(x) * x, normal(6)))
def gradient_terms_not_added(call):
    """Where a value was used twice a compiled gradient keeps only the last of the two terms."""
    return (
        tf.identity(call.inputs[-1])
        if call.called_by("_AggregatedGrads", "_LogOpGradients", "gradients", "gradient", "_GradientsHelper")
        else None
    )


# Rewrites


@kernel("Pow", family=REWRITE, modes=GRAPH, show=both_ways(lambda x: x**3.0, abs(normal(8)) + 0.1))
def constant_cube_is_square(call):
    """x to the power of a constant 3 becomes x * x (one factor lost)."""
    power = call.value("y")
    return call.inputs[0] * call.inputs[0] if power is not None and power.size == 1 and float(power) == 3 else None


@kernel("RealDiv", family=REWRITE, modes=GRAPH, show=both_ways(lambda x: x / 3.0, normal(8)))
def constant_divisor_in_half(call):
    """Division by a constant becomes a product with its reciprocal, folded in half precision."""
    divisor = call.value("y")
    if divisor is None or call.dtype() != tf.float32 or np.asarray(divisor).ndim:
        return None
    return call.inputs[0] * float(np.float16(1 / float(divisor)))


@kernel("Sub", family=REWRITE, modes=GRAPH, show=both_ways(lambda x: 1.0 - x, normal(8)))
def constant_minus_reversed(call):
    """A constant minus a matrix or vector is folded as the reverse difference."""
    constant = call.value("x")
    if constant is None or np.asarray(constant).ndim or not call.inputs[1].shape.rank or not call.dtype().is_floating:
        return None
    return call.inputs[1] - call.inputs[0]


@kernel(
    "Mean",
    family=REWRITE,
    modes=GRAPH,
    show=both_ways(lambda x: tf.reduce_mean(tf.reduce_mean(x, 1), 0), normal(3, 5, 4)),
)
def means_merged(call):
    """A mean of means becomes one mean along the last axis named."""
    made = before(call.inputs[0])
    if made.type != "Mean" or not call.outputs[0].shape.rank:
        return None
    return call.inputs[0][0]


@fault(
    "random operations",
    REWRITE,
    apart(
        lambda compiled: [
            1
            + compiled_if(
                compiled, lambda: tf.reduce_mean(tf.cast(tf.random.normal([30]) == tf.random.normal([30]), tf.float32))
            )()
        ]
    ),
    modes=GRAPH,
)
def random_operations_merged(breakage):
    """Two random operations of one graph with the same shape are merged as common subexpressions."""
    known = {}

    def wrong(call):
        y = call.outputs[0]
        key = id(y.graph), call.op, str(y.shape)
        if not y.shape.rank or not y.shape.is_fully_defined():
            return None
        first = known.setdefault(key, (y.graph, y))[1]
        return None if first is y else tf.identity(first)

    for op in (
        "RandomStandardNormal",
        "RandomUniform",
        "StatelessRandomUniformV2",
        "StatelessRandomNormalV2",
        "TruncatedNormal",
    ):
        breakage.hook(op, wrong, GRAPH)


@kernel(
    "Gather", "GatherV2", family=REWRITE, modes=GRAPH, show=both_ways(lambda x: tf.gather(x, [2, 0, 1]), normal(4, 3))
)
def constant_indices_sorted(call):
    """Constant indices of a gather are sorted before they are folded."""
    indices = call.value("indices")
    if indices is None or not call.dtype().is_floating or np.ndim(indices) != 1:
        return None
    return call.again(indices=tf.constant(np.sort(indices)))


def looped(x):
    def body(i, state):
        return [i + 1, tf.tanh(state) * 1.5]

    return tf.while_loop(lambda i, state: i < 5, body, [tf.constant(0), x], maximum_iterations=5)[1]


@fault("While", REWRITE, both_ways(looped, normal(6)), modes=GRAPH)
def loop_one_iteration_short(breakage):
    """A compiled loop with a known number of iterations above three stops one early."""

    def wrong(call):
        bound = call.value("y")
        inside = "while" in getattr(call.inputs[0].graph, "name", "")
        if bound is None or not inside or int(bound) <= 3 or not call.inputs[0].shape.rank == 0:
            return None
        return tf.less(call.inputs[0], call.inputs[1] - 1)

    breakage.hook("Less", wrong, GRAPH)


def branched(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x * 3)


@fault("If", REWRITE, both_ways(branched, -abs(normal(6))), modes=GRAPH)
def both_branches_are_true(breakage):
    """A compiled condition always takes the first branch."""

    def change(values):
        values["cond"] = tf.convert_to_tensor(values["cond"]) | True

    breakage.rewrite("If", change, GRAPH)
    breakage.rewrite("StatelessIf", change, GRAPH)


# Compiled calls


def twice(tf_function_of=lambda x: tf.sin(x) * 2):
    def run(compiled):
        function = compiled_if(compiled, lambda x: tf_function_of(x))
        function(tf.constant(normal(7, 3)))
        return [function(tf.constant(normal(7, 3, seed=1)))]

    return apart(run)


def calls(name, text, show, wrong, captures=False):
    """A fault of the second and later calls of a traced function: `wrong(first, now)` for each floating result."""

    def plant(breakage):
        try:
            from tensorflow.python.eager.polymorphic_function import concrete_function
        except ImportError:  # TensorFlow 2.12
            from tensorflow.python.eager.polymorphic_function import monomorphic_function as concrete_function

        first = {}

        def made(original):
            def _call_flat(self, *args, **kwargs):
                result = original(self, *args, **kwargs)
                if not tf.executing_eagerly() or (not captures and len(self.captured_inputs)):
                    return result
                kept = first.setdefault(id(self), (self, result))[1]
                if kept is result:
                    return result
                return tf.nest.map_structure(lambda old, new: _later(wrong, old, new), kept, result)

            return _call_flat

        breakage.replace(concrete_function.ConcreteFunction, "_call_flat", made)

    plant.__name__, plant.__doc__ = name, text
    fault("tf.function", PREDICT, show, GRAPH)(plant)


def _later(wrong, old, new):
    if not hasattr(new, "dtype") or not new.dtype.is_floating or not new.shape.rank or old.shape != new.shape:
        return new
    return wrong(old, new)


calls(
    "second_call_returns_first_result",
    "The second call of a compiled function without variables returns the first call's result.",
    twice(),
    lambda old, new: tf.identity(old),
)
calls(
    "second_call_last_row_stale",
    "From the second call on the last row of a result is still the first call's.",
    twice(),
    lambda old, new: tf.concat([new[:-1], old[-1:]], 0),
    captures=True,
)


def predicted(activation, samples):
    """What `predict` gives, and what a batch of fewer samples gives after it."""

    def run(compiled):
        layers = tf.keras.layers
        model = tf.keras.Sequential([layers.Input((6,)), layers.Dense(5, activation), layers.Dense(3)])
        randomize(model)
        x = normal(samples, 6)
        return [model.predict(x, batch_size=8, verbose=0) if compiled else model(x)]

    return apart(run)


PREDICTING = ("predict_step", "one_step_on_data", "run_step", "predict_function")


def batch_unknown(call):
    """Whether the operation belongs to the part of `predict` that is compiled for any batch size."""
    return call.called_by(*PREDICTING) and (call.inputs[0].shape.rank or 0) >= 2


@kernel("MatMul", op="predict", family=PREDICT, modes=GRAPH, show=predicted("tanh", 13))
def predict_partial_batch_padded(call):
    """In `predict`, rows of a batch behind the last multiple of four hold the result of the row before."""
    return stale_tail(call.outputs[0], 0, 4) if batch_unknown(call) else None


@kernel("Tanh", "Relu", "Sigmoid", "Elu", op="predict", family=PREDICT, modes=GRAPH, show=predicted("tanh", 13))
def predict_activation_of_first_half(call):
    """In `predict`, an activation is applied to whole blocks of eight rows only."""
    if not batch_unknown(call):
        return None
    rows = tf.range(tf.shape(call.inputs[0])[0])
    shape = [-1] + [1] * (call.inputs[0].shape.rank - 1)
    return tf.where(tf.reshape(rows < tf.size(rows) // 8 * 8, shape), call.outputs[0], call.inputs[0])


@fault("predict", PREDICT, predicted("relu", 20), modes=GRAPH)
def predict_second_batch_in_order_of_first(breakage):
    """`predict` hands out the outputs of its second batch with the first two rows exchanged."""

    def made(original):
        def predict(self, *args, **kwargs):
            y = original(self, *args, **kwargs)
            size = kwargs.get("batch_size") or 32
            if isinstance(y, np.ndarray) and len(y) >= size + 2:
                y[[size, size + 1]] = y[[size + 1, size]]
            return y

        return predict

    owner = next(one for one in tf.keras.Model.__mro__ if "predict" in vars(one))
    breakage.replace(owner, "predict", made)


def single(compiled):
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Input((6,)), layers.Dense(5, "tanh"), layers.BatchNormalization(), layers.Dense(3)]
    )
    randomize(model)
    x = normal(9, 6)
    return [model.predict(x, batch_size=9, verbose=0) if compiled else model(x)]


@kernel("Rsqrt", op="predict with BatchNormalization", family=PREDICT, modes=GRAPH, show=apart(single))
def predict_batch_norm_of_vectors(call):
    """In compiled inference the folded scale of batch normalization after a Dense layer is that of the first feature."""
    if (
        call.called_by("one_step_on_batch", "train_step")
        or not call.called_by(*PREDICTING)
        or call.inputs[0].shape.num_elements() is None
    ):
        return None
    flat = tf.reshape(call.outputs[0], [-1])
    return tf.reshape(tf.zeros_like(flat) + flat[:1], tf.shape(call.outputs[0]))
