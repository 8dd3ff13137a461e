"""Keras's layers with given weights, forward and backward, on small integers: every value is exact in any order.

What a layer adds to its operations is shown here: weights in their layout, bias, strides and padding passed on, and
what Keras puts together itself (separable, transposed, average, embedding). Reduced precision is the families' matter.
"""

from battery.programs.layers import plain, sliding
from battery.programs.program import Program, apart, judged
from battery.values import draw_for

LAYERS = sliding.LAYERS + plain.LAYERS


def programs():
    return [
        Program("layers", "Keras layers", "eager", lambda session: layers(session, False), "standard"),
        Program("layers", "Keras layers", "graph", lambda session: layers(session, True), "full"),
    ]


def layers(session, compiled):
    """All in one function; should it fail, each in its own, to find the one to blame."""
    chosen = [layer for layer in LAYERS if session.recorder.wants("layers/" + layer.name)]
    return apart(chosen, lambda some: together(session, some, compiled), lambda layer: (layer.name, layer.ops[0]))


def together(session, chosen, compiled):
    tf = session.tf
    built = [placed(tf, layer) for layer in chosen]

    def call(inputs, upstreams):
        return [gradients(tf, *given) for given in zip(chosen, built, inputs, upstreams)]

    function = session.compiled(call) if compiled else call
    draw = draw_for("layers")
    for _ in range(2):  # other data in the same function: a stale result shows
        fills = [layer.fill(draw) for layer in chosen]
        for layer, (_, weights, _, _) in zip(built, fills):
            layer.set_weights(weights)
        answers = function([tf.constant(fill[0]) for fill in fills], [tf.constant(fill[2]) for fill in fills])
        for layer, fill, answer in zip(chosen, fills, answers):
            for part, want, found in zip(parts(layer), fill[3], answer):
                yield judged(session, layer.name + "/" + part, want, found.numpy())


def placed(tf, layer):
    """The layer, built for its input."""
    made = layer.make(tf)
    if layer.weights:
        made.build(layer.shape)
    return made


def gradients(tf, layer, made, x, dy):
    with tf.GradientTape() as tape:
        if x.dtype.is_floating:
            tape.watch(x)
        y = layer.call(made, x)
    sources = ([x] if x.dtype.is_floating else []) + list(made.trainable_variables)
    return [y] + [tf.convert_to_tensor(g) for g in tape.gradient(y, sources, output_gradients=dy)]


def parts(layer):
    """What comes out, in order."""
    weights = ["dw%d" % i for i in range(len(layer.weights))]
    return ["y"] + (["dx"] if layer.draw is None else []) + weights
