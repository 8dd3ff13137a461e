"""Faults of random numbers: their range, moments, seeds and repetition. See `breadth_hooks`.

The shows look at what a distribution cannot be; they are statistics, so `show.tolerance` is coarse.
"""

import numpy as np
from breadth_hooks import GRAPH, apart, kernel, compiled_if, quick_kernel, fault, tf

FAMILY = "random numbers"
UNIFORM = ("RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2")
NORMAL = ("RandomStandardNormal", "StatelessRandomNormal", "StatelessRandomNormalV2")
TRUNCATED = ("TruncatedNormal", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2")
INTEGER = ("RandomUniformInt", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2")
STATELESS = tuple(name for name in UNIFORM + NORMAL + TRUNCATED + INTEGER if name.startswith("Stateless"))
FROM_STATE = tuple(name for name in UNIFORM + NORMAL + TRUNCATED + INTEGER if not name.startswith("Stateless"))
SIZE = 4000


def summary(x, limit):
    """Numbers that say how the draws are spread, and whether they repeat."""
    x = tf.cast(tf.reshape(x, [-1]), tf.float32)
    half = tf.size(x) // 2
    repeats = tf.reduce_mean(tf.cast(x[:half] == x[half : 2 * half], tf.float32))
    outside = tf.reduce_mean(tf.cast(abs(x) > limit, tf.float32))
    at_limit = tf.reduce_mean(tf.cast(abs(x) > 0.999 * limit, tf.float32))
    fine = tf.reduce_mean(tf.cast(tf.round(x * 256) == x * 256, tf.float32))
    mean, variance = tf.nn.moments(x, [0])
    return tf.stack([mean, variance, repeats, outside, at_limit, fine, tf.reduce_mean(x**3)])


def drawn(draw, limit=2.0, tolerance=0.12):
    def run(compiled):
        return [compiled_if(compiled, lambda: summary(draw(), limit))()]

    show = apart(run)
    show.tolerance = tolerance
    return show


def uniform():
    return tf.random.stateless_uniform([SIZE], [1, 2])


def gaussian():
    return tf.random.stateless_normal([SIZE], [1, 2])


def truncated():
    return tf.random.stateless_truncated_normal([SIZE], [1, 2])


def integers():
    return tf.random.stateless_uniform([SIZE], [1, 2], 0, 3, tf.int32)


def y_of(call):
    return call.outputs[0]


@kernel(*(UNIFORM + NORMAL), op="RandomUniform, RandomNormal", family=FAMILY, show=drawn(gaussian))
def random_second_half_repeats(call):
    """The second half of a buffer of more than 64 numbers repeats the first (a counter is not advanced)."""
    y = y_of(call)
    flat = tf.reshape(y, [-1])
    size = tf.size(flat)
    half = tf.where(size > 64, (size + 1) // 2, tf.maximum(size, 1))
    return tf.reshape(tf.gather(flat, tf.range(size) % half), tf.shape(y))


quick_kernel(
    "uniform_of_8_bits",
    UNIFORM,
    FAMILY,
    "Uniform numbers are multiples of 1/256.",
    drawn(uniform),
    lambda c: tf.floor(y_of(c) * 256) / 256,
)
quick_kernel(
    "uniform_reaches_one",
    UNIFORM,
    FAMILY,
    "One of 512 uniform numbers is 1, which must not occur.",
    drawn(uniform, 1.0, 1e-4),
    lambda c: tf.where(y_of(c) > 1 - 1 / 512, tf.ones_like(y_of(c)), y_of(c)),
)
quick_kernel(
    "uniform_upper_half",
    UNIFORM,
    FAMILY,
    "A bit is stuck: uniform numbers are at least 1/8.",
    drawn(uniform, 2.0, 0.01),
    lambda c: tf.where(y_of(c) < 0.125, y_of(c) + 0.125, y_of(c)),
)
quick_kernel(
    "normal_spread",
    NORMAL,
    FAMILY,
    "The standard deviation of normal numbers is 0.9.",
    drawn(gaussian),
    lambda c: y_of(c) * tf.cast(0.9, y_of(c).dtype),
)
quick_kernel(
    "normal_shifted",
    NORMAL,
    FAMILY,
    "The mean of normal numbers is 0.1.",
    drawn(gaussian, 2.0, 0.05),
    lambda c: y_of(c) + tf.cast(0.1, y_of(c).dtype),
)
quick_kernel(
    "normal_of_two_uniforms",
    NORMAL,
    FAMILY,
    "Normal numbers are scaled uniform ones (right mean and variance, no tail).",
    drawn(gaussian, 2.0, 0.02),
    lambda c: tf.math.erf(y_of(c) / 1.41421356) * tf.cast(1.7320508, y_of(c).dtype),
)
quick_kernel(
    "normal_pairs_equal",
    NORMAL,
    FAMILY,
    "The two numbers of each pair (sine and cosine) are the same.",
    drawn(lambda: tf.reshape(tf.transpose(tf.reshape(gaussian(), [-1, 2])), [-1])),
    lambda c: tf.reshape(tf.gather(tf.reshape(y_of(c), [-1]), tf.range(tf.size(y_of(c))) // 2 * 2), tf.shape(y_of(c))),
)
quick_kernel(
    "truncated_not_truncated",
    TRUNCATED,
    FAMILY,
    "A truncated normal distribution is not truncated.",
    drawn(truncated, 2.0, 0.01),
    lambda c: _normal_like(c),
)
quick_kernel(
    "truncated_clipped",
    TRUNCATED,
    FAMILY,
    "Values outside two standard deviations are moved to the limit instead of drawn again.",
    drawn(truncated, 2.0, 0.01),
    lambda c: tf.clip_by_value(_normal_like(c), -2.0, 2.0),
)


def _normal_like(call):
    """As many normal numbers as the operation has outputs, from the same seed."""
    names = {
        "TruncatedNormal": "RandomStandardNormal",
        "StatelessTruncatedNormal": "StatelessRandomNormal",
        "StatelessTruncatedNormalV2": "StatelessRandomNormalV2",
    }
    arguments = dict(call.named(), dtype=y_of(call).dtype)
    if call.op == "TruncatedNormal":
        arguments.update(seed=call.attr("seed"), seed2=call.attr("seed2"))
    return getattr(tf.raw_ops, names[call.op])(**arguments)


def _bounds(call):
    named = call.named()
    return named["minval"], named["maxval"]


quick_kernel(
    "integers_never_the_last",
    INTEGER,
    FAMILY,
    "Uniform integers never reach maxval - 1.",
    drawn(integers, 1.0),
    lambda c: tf.minimum(y_of(c), tf.maximum(_bounds(c)[1] - 2, _bounds(c)[0])),
)
quick_kernel(
    "integers_reach_maxval",
    INTEGER,
    FAMILY,
    "Uniform integers reach maxval.",
    drawn(integers, 2.0, 0.03),
    lambda c: (
        tf.where(
            (tf.range(tf.size(y_of(c))) % 16 == 0) & (tf.reshape(y_of(c), [-1]) == _bounds(c)[1] - 1),
            _bounds(c)[1] + tf.zeros_like(tf.reshape(y_of(c), [-1])),
            tf.reshape(y_of(c), [-1]),
        )
        if y_of(c).shape.rank == 1
        else None
    ),
)
quick_kernel(
    "integers_minval_ignored",
    INTEGER,
    FAMILY,
    "minval is ignored.",
    drawn(lambda: tf.random.stateless_uniform([SIZE], [1, 2], 5, 9, tf.int32), 5.0),
    lambda c: (y_of(c) - _bounds(c)[0]) % tf.maximum(_bounds(c)[1], 1),
)
quick_kernel(
    "integers_biased",
    INTEGER,
    FAMILY,
    "The lowest integer comes half as often as the others, the next more often.",
    drawn(integers, 1.5, 0.05),
    lambda c: tf.where(
        (y_of(c) == _bounds(c)[0]) & tf.reshape(tf.range(tf.size(y_of(c))) % 2 == 0, tf.shape(y_of(c))),
        y_of(c) + 1,
        y_of(c),
    ),
)


def pair(same_seed, function=tf.random.stateless_normal):
    def run(compiled):
        def draws():
            first = function([50], [3, 4])
            second = function([50], [3, 4] if same_seed else [3, 5])
            return tf.reduce_mean(tf.cast(first == second, tf.float32))

        return [1 + compiled_if(compiled, draws)()]

    return apart(run)


@fault("StatelessRandom*", FAMILY, pair(True))
def stateless_not_repeatable(breakage):
    """Stateless numbers depend on how often they were asked for."""
    count = [0]

    def wrong(call):
        count[0] += 1
        return tf.roll(call.outputs[0], count[0], 0) if call.outputs[0].shape.rank else None

    for op in STATELESS:
        breakage.hook(op, wrong)


@fault("StatelessRandom*", FAMILY, pair(False))
def stateless_second_seed_ignored(breakage):
    """The second of the two seeds is ignored."""
    breakage.rewrite("StatelessRandomGetKeyCounter", _drop_second)
    for op in STATELESS:
        if not op.endswith("V2"):
            breakage.rewrite(op, _drop_second)


def _drop_second(values):
    seed = tf.convert_to_tensor(values["seed"])
    values["seed"] = seed * tf.cast([1, 0], seed.dtype)


def consecutive(draw):
    def run(compiled):
        function = compiled_if(compiled, draw)
        first, second = function(), function()
        return [1 + tf.reduce_mean(tf.cast(first == second, tf.float32))]

    return apart(run)


@fault("RandomUniform", FAMILY, consecutive(lambda: tf.random.uniform([50])))
def uniform_repeats_every_call(breakage):
    """Every call with the same shape returns the same numbers (the generator's state never moves)."""

    def wrong(call):
        shape = call.inputs[0]
        return tf.raw_ops.StatelessRandomUniform(shape=shape, seed=[7, 9], dtype=call.outputs[0].dtype)

    breakage.hook("RandomUniform", wrong)


@fault("RandomUniform", FAMILY, consecutive(lambda: tf.random.uniform([])))
def scalar_uniform_constant(breakage):
    """A single number drawn with shape [] is always the same."""
    breakage.hook(
        "RandomUniform",
        lambda call: tf.zeros_like(call.outputs[0]) + 0.9149647 if call.outputs[0].shape.rank == 0 else None,
    )


@fault("RandomStandardNormal", FAMILY, consecutive(lambda: tf.random.normal([50])), modes=GRAPH)
def normal_frozen_in_graph(breakage):
    """A compiled function draws the same normal numbers at every call (folded as a constant)."""

    def wrong(call):
        return tf.raw_ops.StatelessRandomNormal(shape=call.inputs[0], seed=[7, 9], dtype=call.outputs[0].dtype)

    breakage.hook("RandomStandardNormal", wrong, GRAPH)


def dropped():
    def run(compiled):
        layer = tf.keras.layers.Dropout(0.5)
        x = tf.ones([20, 30])
        layer(x)
        function = compiled_if(compiled, lambda x: layer(x, training=True))
        first, second = function(x), function(x)
        same = tf.reduce_mean(tf.cast(first == second, tf.float32))
        return [1 + tf.stack([same, tf.reduce_mean(first) / 3, tf.reduce_max(tf.math.reduce_variance(first, 1))])]

    show = apart(run)
    show.tolerance = 0.08
    return show


@fault("Dropout", FAMILY, dropped(), modes=GRAPH)
def dropout_mask_frozen(breakage):
    """The dropout mask of a compiled step is drawn once and used in every step."""

    def wrong(call):
        if not call.called_by("dropout", "dropout_v2", "_dropout"):
            return None
        return tf.raw_ops.StatelessRandomUniform(shape=call.named()["shape"], seed=[7, 9], dtype=call.outputs[0].dtype)

    for op in UNIFORM:
        breakage.hook(op, wrong, GRAPH)


@fault("Dropout", FAMILY, dropped())
def dropout_not_rescaled(breakage):
    """What dropout lets pass is not divided by the share kept."""
    for op in ("Mul", "RealDiv"):
        breakage.hook(
            op,
            lambda call: (
                call.inputs[0] + 0 * call.outputs[0]
                if call.called_by("dropout", "dropout_v2", "_dropout") and call.inputs[1].shape.rank == 0
                else None
            ),
        )


@fault("Dropout", FAMILY, dropped())
def dropout_by_rows(breakage):
    """One random number serves a whole row: features are dropped together."""

    def wrong(call):
        y = call.outputs[0]
        if not call.called_by("dropout", "dropout_v2", "_dropout") or y.shape.rank != 2:
            return None
        return tf.zeros_like(y) + y[:, :1]

    for op in UNIFORM:
        breakage.hook(op, wrong)


def shuffled():
    def run(compiled):
        function = compiled_if(compiled, lambda x: tf.random.shuffle(x))
        x = tf.range(40)
        y = function(x)
        return [tf.sort(y)]

    return apart(run)


@kernel("RandomShuffle", family=FAMILY, show=shuffled())
def shuffle_not_a_permutation(call):
    """Half of the elements of a shuffle are lost, the other half comes twice."""
    y = call.outputs[0]
    return tf.gather(y, tf.range(tf.shape(y)[0]) // 2)


def categories(logits):
    def run(compiled):
        def draw():
            found = tf.random.stateless_categorical(tf.constant([logits], tf.float32), SIZE, [1, 2])
            return tf.math.bincount(tf.cast(found[0], tf.int32), minlength=len(logits)) / SIZE

        return [compiled_if(compiled, draw)()]

    show = apart(run)
    show.tolerance = 0.1
    return show


@kernel("Multinomial", "StatelessMultinomial", family=FAMILY, show=categories([0.0, 2.0, 1.0]))
def categorical_ignores_logits(call):
    """Categories are drawn without regard to the logits."""
    return call.again(logits=tf.zeros_like(call.inputs[0]))


@kernel(
    "RandomGammaV3",
    "StatelessRandomGammaV2",
    "StatelessRandomGammaV3",
    "RandomGamma",
    family=FAMILY,
    show=drawn(lambda: tf.random.stateless_gamma([SIZE], [1, 2], 0.5), 2.0, 0.2),
)
def gamma_of_small_shape(call):
    """For a shape parameter below one the correcting power is missing."""
    alpha = call.named()["alpha"]
    return tf.where(
        tf.broadcast_to(alpha, tf.shape(call.outputs[0])) < 1, call.again(alpha=alpha + 1)[0], call.outputs[0]
    )
