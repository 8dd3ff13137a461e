"""Faults of losses on logits, of Huber and CTC, and of weights on their way through a file. See `breadth_hooks`."""

import os
import tempfile

import numpy as np
from breadth_hooks import apart, as_tensor, both_ways, compiled_if, fault, kernel, keras_three, normal, quick_kernel
from breadth_hooks import randomize, spoil, stale_tail, tf, without_last

LOSS, FILE = "losses", "saving and copying"
LOGITS = normal(5, 20) * 3
LABELS = np.array([3, 19, 0, 17, 7])

# Cross-entropies


def sparse(logits=LOGITS):
    return both_ways(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(LABELS, x), logits)


SPARSE = "SparseSoftmaxCrossEntropyWithLogits"


@kernel(SPARSE, family=LOSS, show=sparse())
def sparse_labels_of_4_bits(call):
    """Labels are read modulo 16."""
    return call.again(labels=call.inputs[1] % 16)


@kernel(SPARSE, family=LOSS, show=sparse())
def sparse_gradient_without_label(call):
    """The gradient is the softmax: one is not subtracted at the label of the last sample."""
    loss, gradient = call.outputs
    logits = call.inputs[0]
    return [
        loss,
        tf.where(tf.range(tf.shape(logits)[0])[:, None] < tf.shape(logits)[0] - 1, gradient, tf.nn.softmax(logits)),
    ]


@kernel(SPARSE, family=LOSS, show=sparse(LOGITS * 40))
def sparse_loss_clipped(call):
    """The probability is held above 1e-7 before the logarithm: large losses are cut at 16.1 (the gradient is right)."""
    return [tf.minimum(call.outputs[0], tf.cast(16.118, call.dtype())), call.outputs[1]]


@kernel(SPARSE, family=LOSS, show=sparse())
def sparse_gradient_class_tail(call):
    """The gradient of the classes behind the last multiple of eight is zero."""
    return [call.outputs[0], spoil(call.outputs[1], 1, lambda p, n: (p < n // 8 * 8) | (n < 8))]


quick_kernel(
    "log_softmax_of_softmax",
    "LogSoftmax",
    LOSS,
    "The logarithm of the softmax: minus infinity for unlikely classes.",
    both_ways(tf.nn.log_softmax, normal(3, 6) * 100),
    lambda c: tf.math.log(tf.nn.softmax(c.inputs[0])),
)
quick_kernel(
    "log_softmax_beyond_16",
    "LogSoftmax",
    LOSS,
    "The sum runs over whole blocks of 16 classes only.",
    both_ways(tf.nn.log_softmax, LOGITS),
    lambda c: (
        c.inputs[0]
        - tf.reduce_logsumexp(c.inputs[0][..., : (c.inputs[0].shape[-1] or 16) // 16 * 16], -1, keepdims=True)
        if (c.inputs[0].shape[-1] or 0) > 16
        else None
    ),
)


def binary(name, text, logits, wrong):
    """A fault of the fused cross-entropy of sigmoids: `wrong(labels, logits)` is the loss."""
    labels = (normal(4, 5, seed=2) > 0).astype(np.float32)
    show = both_ways(lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x), logits)

    def plant(breakage):
        from tensorflow.python.ops import nn_impl

        def made(original):
            def sigmoid_cross_entropy_with_logits(labels=None, logits=None, name=None):
                logits = tf.convert_to_tensor(logits)
                return wrong(tf.convert_to_tensor(labels, logits.dtype), logits)

            return sigmoid_cross_entropy_with_logits

        breakage.replace(nn_impl, "sigmoid_cross_entropy_with_logits", made)

    plant.__name__, plant.__doc__ = name, text
    fault("sigmoid cross-entropy", LOSS, show)(plant)


binary(
    "binary_loss_overflows",
    "log(1 + exp(-x)) overflows for large negative logits.",
    normal(4, 5) * 100,
    lambda z, x: x - x * z + tf.math.log(1 + tf.exp(-x)),
)
binary(
    "binary_loss_through_probability",
    "The loss is taken from the clipped probability: large losses and their gradients are cut off.",
    normal(4, 5) * 30,
    lambda z, x: (
        -z * tf.math.log(tf.clip_by_value(tf.sigmoid(x), 1e-7, 1 - 1e-7))
        - (1 - z) * tf.math.log(tf.clip_by_value(1 - tf.sigmoid(x), 1e-7, 1 - 1e-7))
    ),
)
binary(
    "binary_loss_last_column",
    "The last of an odd number of columns repeats the one before.",
    normal(4, 5),
    lambda z, x: stale_tail(tf.maximum(x, 0) - x * z + tf.math.log1p(tf.exp(-abs(x))), x.shape.rank - 1, 2),
)


def keras_loss(name, text, function, make, wrong):
    """A fault of a fused Keras loss: `wrong(y_true, y_pred, parameter)` for each element, averaged over the last axis."""

    def run(compiled):
        loss = make(tf.keras.losses)
        y = tf.constant(normal(6, 4) * 2)
        return [compiled_if(compiled, lambda x: loss(y, x))(tf.constant(normal(6, 4, seed=1)))]

    def plant(breakage):
        def made(original):
            def fused(y_true, y_pred, *rest, **named):
                y_true = tf.cast(y_true, y_pred.dtype)
                parameter = list(rest) + list(named.values())
                return tf.reduce_mean(wrong(y_true, y_pred, parameter[0] if parameter else 1.0), -1)

            return fused

        module = breakage.keras("losses.losses") if keras_three() else breakage.keras("losses")
        breakage.replace(module, function, made)

    plant.__name__, plant.__doc__ = name, text
    fault(function, LOSS, apart(run))(plant)


def huber_of(error, delta, linear):
    return tf.where(abs(error) <= delta, 0.5 * error**2, linear)


keras_loss(
    "huber_delta_ignored",
    "delta is always 1.",
    "huber",
    lambda losses: losses.Huber(0.4),
    lambda y, x, delta: huber_of(y - x, 1.0, abs(y - x) - 0.5),
)
keras_loss(
    "huber_without_offset",
    "The linear part lacks the offset that joins it to the square.",
    "huber",
    lambda losses: losses.Huber(0.4),
    lambda y, x, delta: huber_of(y - x, delta, delta * abs(y - x)),
)
keras_loss(
    "log_cosh_overflows",
    "log(cosh x) as it stands: infinite for large errors.",
    "log_cosh",
    lambda losses: _Scaled(losses.LogCosh()),
    lambda y, x, _: tf.math.log(tf.cosh(x - y)),
)


class _Scaled(object):
    """A loss of values a hundred times larger."""

    def __init__(self, loss):
        self.loss = loss

    def __call__(self, y, x):
        return self.loss(100 * y, 100 * x)


@kernel("CTCLoss", "CTCLossV2", family=LOSS, show=lambda tf: _raw_ctc())
def ctc_lengths_ignored(call):
    """Sequence lengths are ignored: padding takes part."""
    times = tf.shape(call.inputs[0])[0]
    return call.again(sequence_length=tf.zeros_like(call.named()["sequence_length"]) + times)


def _raw_ctc():
    found = tf.raw_ops.CTCLoss(
        inputs=normal(8, 2, 5),
        labels_indices=np.array([[0, 0], [0, 1], [1, 0]]),
        labels_values=[1, 2, 3],
        sequence_length=[8, 6],
        preprocess_collapse_repeated=False,
        ctc_merge_repeated=True,
        ignore_longer_outputs_than_inputs=False,
    )
    return list(found)


# Through a file


def saved(make, *shape):
    """The output of a model after its weights went through a file."""

    def run(compiled):
        layers = tf.keras.layers
        first, second = [tf.keras.Sequential([layers.Input(shape[1:])] + make(layers)) for _ in range(2)]
        randomize(first)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w.weights.h5" if keras_three() else "w.h5")
            first.save_weights(path)
            second.load_weights(path)
        x = tf.constant(normal(*shape))
        return [compiled_if(compiled, lambda x: second(x))(x)]

    return apart(run)


def loading(name, text, show, changed):
    """A fault of loading: `changed(variables)` gives the values that arrive."""

    def plant(breakage):
        def made(original):
            def load_weights(self, *args, **kwargs):
                result = original(self, *args, **kwargs)
                for layer in self.layers:
                    values = [as_tensor(weight) for weight in layer.weights]
                    for weight, value in zip(layer.weights, changed(values)):
                        weight.assign(value)
                return result

            return load_weights

        owner = next(one for one in tf.keras.Model.__mro__ if "load_weights" in vars(one))
        breakage.replace(owner, "load_weights", made)

    plant.__name__, plant.__doc__ = name, text
    fault("load_weights", FILE, show)(plant)


def swapped(values):
    for place in range(len(values) - 1):
        if values[place].shape == values[place + 1].shape:
            values[place], values[place + 1] = values[place + 1], values[place]
            break
    return values


loading(
    "load_swaps_equal_shapes",
    "The first two neighbouring weights of equal shape in a layer (gamma and beta) are exchanged.",
    saved(lambda layers: [layers.Dense(5), layers.LayerNormalization()], 3, 5),
    swapped,
)
loading(
    "load_square_transposed",
    "Square matrices arrive transposed (another memory order).",
    saved(lambda layers: [layers.Dense(5, "tanh"), layers.Dense(5)], 3, 5),
    lambda values: [tf.transpose(v) if v.shape.rank == 2 and v.shape[0] == v.shape[1] else v for v in values],
)
loading(
    "load_in_half_precision",
    "Weights arrive rounded to float16.",
    saved(lambda layers: [layers.Dense(5)], 3, 5),
    lambda values: [tf.cast(tf.cast(v, tf.float16), v.dtype) for v in values],
)


def assigned(value):
    def run(compiled):
        variable = tf.Variable(tf.zeros_like(value))
        compiled_if(compiled, lambda: variable.assign(value) * 0)()
        return [tf.convert_to_tensor(variable)]

    return apart(run)


@fault("AssignVariableOp", FILE, assigned(normal(40, 60)))
def assign_beyond_2048(breakage):
    """Elements of a variable from the 2049th on are not written but zero."""

    def change(values):
        value = tf.convert_to_tensor(values["value"])
        if value.dtype.is_floating and value.shape.num_elements() and value.shape.num_elements() > 2048:
            flat = tf.reshape(value, [-1])
            values["value"] = tf.reshape(
                tf.where(tf.range(tf.size(flat)) < 2048, flat, tf.zeros_like(flat)), value.shape
            )

    breakage.rewrite("AssignVariableOp", change)


def accumulated(value):
    def run(compiled):
        variable = tf.Variable(value)
        step = compiled_if(compiled, lambda: variable.assign_add(value) * 0)
        step(), step()
        return [tf.convert_to_tensor(variable)]

    return apart(run)


@fault("AssignAddVariableOp", FILE, accumulated(normal(7)))
def assign_add_last_of_odd(breakage):
    """Adding to a variable in place leaves out the last of an odd number of elements."""

    def change(values):
        value = tf.convert_to_tensor(values["value"])
        if value.dtype.is_floating and value.shape.rank:
            flat = tf.reshape(value, [-1])
            values["value"] = tf.reshape(without_last(flat, 0), tf.shape(value))

    breakage.rewrite("AssignAddVariableOp", change)


quick_kernel(
    "read_of_odd_length",
    "ReadVariableOp",
    FILE,
    "A variable of an odd number of elements above 100 is read without its last.",
    apart(lambda compiled: [compiled_if(compiled, tf.Variable(normal(101)).read_value)()]),
    lambda c: (
        spoil(c.outputs[0], 0, lambda p, n: (p < n - 1) | (n % 2 == 0) | (n < 100))
        if c.outputs[0].dtype.is_floating and c.outputs[0].shape.rank == 1
        else None
    ),
)
