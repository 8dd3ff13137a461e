"""MultiHeadAttention with a causal mask and without dropout, against float64."""

from battery.programs.program import Program, judged
from battery.references.attention import self_attention
from battery.values import draw_for, real_numbers

SHAPE, HEADS, KEY, VALUE = (2, 7, 6), 3, 5, 4
WEIGHTS = (
    [(SHAPE[2], HEADS, width) if part == "kernel" else (HEADS, width) for width in (KEY, KEY, VALUE) for part in ("kernel", "bias")]
    + [(HEADS, VALUE, SHAPE[2]), (SHAPE[2],)]
)  # fmt: skip
NAMES = ("y", "dx") + tuple(
    "d%s_%s" % (role, part) for role in ("query", "key", "value", "output") for part in ("kernel", "bias")
)


def programs():
    return [
        Program("attention/causal", "MultiHeadAttention", "eager", lambda session: attend(session, False), "standard"),
        Program("attention/causal", "MultiHeadAttention", "graph", lambda session: attend(session, True), "standard"),
    ]


def attend(session, compiled):
    tf, draw = session.tf, draw_for("attention/causal")
    x, dy = real_numbers(draw, SHAPE), real_numbers(draw, SHAPE)
    weights = [0.5 * real_numbers(draw, shape) for shape in WEIGHTS]
    layer = tf.keras.layers.MultiHeadAttention(HEADS, KEY, value_dim=VALUE, dropout=0.0)
    layer(tf.constant(x), tf.constant(x))  # Keras 2 builds it at its first call
    layer.set_weights(weights)

    def call(x, dy):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, x, use_causal_mask=True, training=True)
        return [y] + tape.gradient(y, [x] + list(layer.trainable_variables), output_gradients=dy)

    function = session.compiled(call) if compiled else call
    answers = function(tf.constant(x), tf.constant(dy))
    y, found = self_attention(x, weights, dy)
    for name, want, answer in zip(NAMES, [y] + found, answers):
        yield judged(session, name, want.want("MultiHeadAttention"), answer.numpy())
