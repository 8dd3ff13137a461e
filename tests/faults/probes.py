"""Small computations in which a planted fault must show, one for each kind of operation.

Stand-alone: NumPy and the TensorFlow module it is given, CPython 3.8 syntax. A probe is called eagerly and inside a
`tf.function`; what it returns is compared with what it returned before the fault was planted.
"""

import numpy as np


def normal(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def with_gradients(tf, function, *inputs, seed=7):
    """The value of a function, and the gradients of its inputs from a random upstream gradient."""
    inputs = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = function(*inputs)
    upstream = tf.constant(normal(*y.shape, seed=seed))
    return [y] + tape.gradient(y, inputs, output_gradients=upstream)


def relu(tf):
    return with_gradients(tf, tf.nn.relu, normal(7, 9))


def conv(tf, image, kernel, seed=0, **named):
    """A convolution and its gradients; strides, padding and dilations as `tf.nn.conv2d` takes them."""
    named = dict({"strides": 1, "padding": "SAME"}, **named)
    x, w = normal(*image, seed=seed), normal(*kernel, seed=seed + 1)
    return with_gradients(tf, lambda x, w: tf.nn.conv2d(x, w, **named), x, w)


def convolution(tf):
    return conv(tf, (3, 11, 10, 6), (3, 3, 6, 7), strides=2) + conv(tf, (2, 9, 7, 3), (3, 3, 3, 5))


def deep_convolution(tf):
    return conv(tf, (2, 12, 12, 130), (3, 3, 130, 66))


def large_convolution(tf):
    return [tf.nn.conv2d(normal(2, 24, 24, 3), normal(3, 3, 3, 128), 1, "SAME")]


def dilated_forward(tf):
    return [tf.nn.conv2d(normal(2, 11, 11, 4), normal(3, 3, 4, 4), 1, "SAME", dilations=2)]


def two_convolutions(tf):
    return conv(tf, (2, 6, 6, 3), (3, 3, 3, 4)) + conv(tf, (2, 6, 6, 3), (3, 3, 3, 4), seed=5)


def odd_batch(tf):
    return conv(tf, (13, 6, 6, 3), (3, 3, 3, 4))


def huge_batch(tf):
    return conv(tf, (65600, 1, 1, 1), (1, 1, 1, 1))


def batch_change(tf):
    return [t for n in (24, 32) for t in conv(tf, (n, 18, 18, 4), (3, 3, 4, 8), padding="VALID")]


def many_filter_gradients(tf):
    """A hundred calls on two images in turn: rare and stale results show."""
    x, dy = (tf.constant(normal(2, 2, 5, 5, 2, seed=seed)) for seed in (0, 1))
    named = {"filter_sizes": tf.constant([2, 2, 2, 2]), "strides": [1, 1, 1, 1], "padding": "SAME"}

    def one(i):
        return tf.raw_ops.Conv2DBackpropFilter(input=x[i % 2], out_backprop=dy[i % 2], **named)

    return [tf.map_fn(one, tf.range(100), fn_output_signature=tf.float32, parallel_iterations=1)]


def pointwise(tf):
    return conv(tf, (2, 5, 4, 5), (1, 1, 5, 6))


def bias(tf):
    return with_gradients(tf, tf.nn.bias_add, normal(4, 9, 8, 6), normal(6))


def pool(tf, image, seed=0, offset=0.0, size=3, strides=2, padding="SAME"):
    x = normal(*image, seed=seed) + np.float32(offset)
    return with_gradients(tf, lambda x: tf.nn.max_pool2d(x, size, strides, padding), x)


def pooling(tf):
    return pool(tf, (5, 10, 9, 2), offset=-1) + pool(tf, (2, 9, 9, 2), size=2, padding="VALID")


def two_poolings(tf):
    return pool(tf, (2, 8, 8, 2)) + pool(tf, (2, 8, 8, 2), seed=1)


def close_pooling(tf):
    """Values that float16 does not tell apart."""
    return pool(tf, (2, 8, 8, 2), offset=2000.0)


def dense(tf, samples=7, width=133, units=33):
    return with_gradients(tf, tf.matmul, normal(samples, width), normal(width, units, seed=1))


def dense_batches(tf):
    return dense(tf, 24, 40, 6) + dense(tf, 20000, 3, 2)


def dense_sum(tf):
    a, b = tf.constant(normal(6, 5)), tf.constant(normal(5, 4))
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.reduce_sum(tf.matmul(a, b))
    return tape.gradient(y, [a, b])


LOGITS = np.array([[1000, 0, 3], [0, 1, 2], [-12, 3, 2], [2, 1, 90]], np.float32)


def softmax(tf):
    return with_gradients(tf, tf.nn.softmax, LOGITS)


def cross_entropy(tf):
    z, t = tf.constant(LOGITS), tf.constant(np.eye(3, dtype=np.float32)[[1, 0, 0, 2]])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.nn.softmax_cross_entropy_with_logits(t, z)
    return [y, tape.gradient(y, z, output_gradients=tf.constant([1.0, 2.0, 3.0, 4.0]))]


def batch_norm(tf):
    def norm(x, gamma, beta):
        return tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-3)[0]

    x, gamma, beta = 0.1 * normal(3, 4, 5, 6), normal(6), normal(6, seed=1)
    others = tf.compat.v1.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-3)[1:3]
    return with_gradients(tf, norm, x, gamma, beta) + list(others)


def batch_norm_layer(tf, layer):
    trained, x = layer(tf.constant(normal(8, 4)), training=True), tf.constant(normal(3, 4, seed=1) + 5)
    inferred = layer(x, training=False)
    with tf.control_dependencies([trained]):
        return [trained, inferred] + [tf.identity(raw(w)) for w in (layer.moving_mean, layer.moving_variance)]


def built_batch_norm(tf):
    layer = tf.keras.layers.BatchNormalization(momentum=0.5)
    layer.build((None, 4))
    return layer


batch_norm_layer.prepare = built_batch_norm


def raw(variable):
    """The TensorFlow variable of Keras 3's."""
    return variable if callable(variable.value) else variable.value


def sums(tf):
    return with_gradients(tf, lambda x: tf.reduce_sum(x, 0), np.abs(normal(66001, 2)))


def integer_sums(tf):
    large = np.full(5, 2**30)
    return [tf.reduce_sum(tf.constant(large, tf.int64)), tf.reduce_sum(tf.constant(large.astype(np.int32)))]


def argmax(tf):
    x = np.zeros(70001, np.float32)
    x[70000] = 1
    return [tf.argmax(tf.constant(x))]


def transpose(tf):
    return with_gradients(tf, lambda x: tf.transpose(x, [0, 3, 1, 2]), normal(2, 3, 4, 5))


def dropout(tf):
    """What masks have in common, as figures that healthy ones leave alone but for chance."""
    x = tf.ones([16, 32, 32, 16])
    with tf.GradientTape() as tape:
        tape.watch(x)
        one = tf.nn.dropout(x, 0.25)
    dx, other = tape.gradient(one, x), tf.nn.dropout(x, 0.25)
    kept, again = (tf.cast(mask > 0, tf.float32) for mask in (one, other))
    flat = tf.reshape(kept, [-1])
    agreement = [tf.reduce_mean(kept * again), tf.reduce_mean(kept[..., :-1] * kept[..., 1:])]
    agreement += [tf.reduce_mean(flat[:-lag] * flat[lag:]) for lag in (64, 4096)]
    return [tf.reduce_max(one), tf.reduce_mean(kept), tf.reduce_mean(tf.abs(one - dx))] + agreement


dropout.tolerance = 0.02


def optimizer(tf, state):
    """Two steps on weights with given gradients, the second's of the size of epsilon."""
    one, weights = state
    for step in range(2):
        gradients = [tf.constant(normal(*w.shape, seed=step)) * scale for w, scale in zip(weights, (1.0, 1e-7))]
        one.apply_gradients(zip(gradients, weights))
    return [tf.identity(w) for w in weights]


def optimizing(make):
    """The probe of an optimizer."""

    def probe(tf, state):
        return optimizer(tf, state)

    def prepare(tf):
        one, weights = make(tf), [tf.Variable(tf.zeros(shape)) for shape in ((2, 1, 3, 2), (5, 2))]
        one.build(weights)
        return one, weights

    probe.prepare = prepare
    return probe


keras_adam = optimizing(lambda tf: tf.keras.optimizers.Adam(0.1))
keras_momentum = optimizing(lambda tf: tf.keras.optimizers.SGD(0.1, momentum=0.9))
keras_clipnorm = optimizing(lambda tf: tf.keras.optimizers.SGD(0.1, clipnorm=0.5))


def apply_adam(tf, variables):
    named = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-7, "lr": 0.1}
    handles = {name: variable.handle for name, variable in zip(("var", "m", "v"), variables)}
    for step in (1, 2):
        powers = {"beta1_power": 0.9**step, "beta2_power": 0.999**step}
        tf.raw_ops.ResourceApplyAdam(grad=tf.constant(normal(300, seed=step)), **handles, **powers, **named)
    return [tf.identity(variables[0])]


apply_adam.prepare = lambda tf: [tf.Variable(tf.zeros([300])) for _ in range(3)]
