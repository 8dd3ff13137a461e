"""Keras's recurrent layers: outputs of every step, and the gradients of the sequence and of all weights.

The bound is running error analysis through time (references.bounded), so it grows as the errors of a correct float32
computation can. pytorch#125803 (LSTM gradients on Apple's MPSGraph) shows with more than one layer.
"""

import numpy as np

from battery.programs.program import Part, Program, judged
from battery.references import recurrent
from battery.running import has_no_kernel, unanswered
from battery.values import draw_for, real_numbers

SAMPLES, STEPS, FEATURES, UNITS = 3, 3, 5, 3
LENGTHS = (3, 1, 2)
"""Of the masked samples; the rest is padding."""
GATES = {"SimpleRNN": 1, "LSTM": 4, "GRU": 3}
MASK = np.arange(STEPS) < np.array(LENGTHS)[:, None]


class Recurrent:
    """One network: `depth` recurrent layers of one kind, with `rows` of bias where that has several.

    Compiled, a loop with its gradient takes half a second to trace: `graph` is the level that can afford it. One that is
    unrolled has the same cells without the loop, which the first network is there for.
    """

    def __init__(self, name, op, kind, reference, rows=(), depth=1, masked=False, level="standard", graph="full",
                 steps=STEPS, **options):  # fmt: skip
        self.name, self.op, self.kind, self.reference, self.rows = name, op, kind, reference, rows
        self.depth, self.masked, self.level, self.graph, self.options = depth, masked, level, graph, options
        self.steps = steps

    def make(self, tf):
        layer = getattr(tf.keras.layers, self.kind)
        return [layer(UNITS, return_sequences=True, **self.options) for _ in range(self.depth)]

    def weights(self, draw):
        """Of each layer: kernel, recurrent kernel and bias."""
        width = GATES[self.kind] * UNITS
        inputs = [FEATURES] + [UNITS] * (self.depth - 1)
        shapes = [[(size, width), (UNITS, width), self.rows + (width,)] for size in inputs]
        return [[0.7 * real_numbers(draw, shape) for shape in layer] for layer in shapes]

    def closed_form(self, x, weights, dy):
        """The output, and the gradients of the sequence and of each weight."""
        backs, y = [], x
        for layer in weights:
            y, back = self.reference(y, *layer, **({"mask": MASK} if self.masked else {}))
            backs.append(back)
        found, d = [], dy
        for back in reversed(backs):
            d, *of_weights = back(d)
            found = of_weights + found
        return [y, d] + found


def gru_before(*given, **named):
    return recurrent.gru(*given, reset_after=False, **named)


def backwards(*given):
    return recurrent.backwards(recurrent.lstm, *given)


NETWORKS = (
    Recurrent("lstm", "LSTM", "LSTM", recurrent.lstm, level="quick", graph="standard"),
    Recurrent("gru", "GRU", "GRU", recurrent.gru, rows=(2,)),
    Recurrent("gru_unrolled", "GRU", "GRU", recurrent.gru, rows=(2,), level="full", graph="standard", unroll=True),
    Recurrent("gru_reset_before", "GRU", "GRU", gru_before, reset_after=False, level="full"),
    Recurrent("simple_rnn", "SimpleRNN", "SimpleRNN", recurrent.simple_rnn),
    Recurrent("lstm_two_layers", "LSTM", "LSTM", recurrent.lstm, depth=2, unroll=True),
    Recurrent("lstm_masked", "LSTM with a mask", "LSTM", recurrent.lstm, masked=True),
    Recurrent("lstm_backwards", "LSTM backwards", "LSTM", backwards, go_backwards=True),
    Recurrent("lstm_long", "LSTM", "LSTM", recurrent.lstm, level="full", steps=40),
)


def programs():
    found = [Program("recurrent/" + n.name, n.op, "eager", alone(n), n.level) for n in NETWORKS]
    found += [Program("recurrent/" + n.name, n.op, "graph", alone(n, True), n.graph) for n in NETWORKS]
    for mode in ("eager", "graph"):
        both = bidirectional(mode == "graph")
        found.append(Program("recurrent/bidirectional", "Bidirectional LSTM", mode, both, "full"))
    return found


def alone(network, compiled=False):
    """On a GPU Keras calls cuDNN's operation whether or not there is a kernel: without, what else it has is judged."""

    def check(session):
        kept = dict(network.options)
        try:
            return list(answered(session, network, compiled))
        except Exception as error:
            if not (has_no_kernel(error) and "Cudnn" in str(error)):
                raise
            network.options.update(without_cudnn(session.tf))
            return list(answered(session, network, compiled)) + [Part("cudnn", network.op, "", unanswered(error))]
        finally:
            network.options.clear()
            network.options.update(kept)

    return check


def without_cudnn(tf):
    """Keras 3 has an option for it; Keras 2 takes its own way for a layer that is unrolled."""
    try:
        tf.keras.layers.LSTM(1, use_cudnn=False)
    except (TypeError, ValueError):
        return {"unroll": True}
    return {"use_cudnn": False}


def answered(session, network, compiled):
    tf, draw = session.tf, draw_for("recurrent/" + network.name)
    x, dy = (real_numbers(draw, (SAMPLES, network.steps, size)) for size in (FEATURES, UNITS))
    weights, layers = network.weights(draw), network.make(tf)
    for layer, given in zip(layers, weights):
        layer.build((SAMPLES, network.steps, given[0].shape[0]))
        layer.set_weights(given)
    named = {"mask": tf.constant(MASK)} if network.masked else {}
    answers = called(session, layers, named, x, dy, compiled)
    for name, want, answer in zip(names(network.depth), network.closed_form(x, weights, dy), answers):
        yield judged(session, name, want.want(network.op, ("sample", "step", "unit")), answer)


def called(session, layers, named, x, dy, compiled):
    tf = session.tf

    def call(x, dy):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for layer in layers:
                y = layer(y, **named)
        sources = [x] + [variable for layer in layers for variable in layer.trainable_variables]
        return [y] + tape.gradient(y, sources, output_gradients=dy)

    function = session.compiled(call) if compiled else call
    return [answer.numpy() for answer in function(tf.constant(x), tf.constant(dy))]


def names(depth):
    parts = ["dkernel", "drecurrent", "dbias"]
    return ["y", "dx"] + [part + str(i + 1) * (depth > 1) for i in range(depth) for part in parts]


def bidirectional(compiled):
    def check(session):
        tf, draw = session.tf, draw_for("recurrent/bidirectional")
        x, dy = real_numbers(draw, (SAMPLES, STEPS, FEATURES)), real_numbers(draw, (SAMPLES, STEPS, 2 * UNITS))
        there, back = (NETWORKS[0].weights(draw)[0] for _ in range(2))
        layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(UNITS, return_sequences=True))
        layer.build((SAMPLES, STEPS, FEATURES))
        layer.set_weights(there + back)
        answers = called(session, [layer], {}, x, dy, compiled)
        for name, want, answer in zip(BOTH, two_ways(x, there, back, dy), answers):
            yield judged(session, name, want.want("Bidirectional LSTM", ("sample", "step", "unit")), answer)

    return check


BOTH = ["y", "dx"] + [way + part for way in ("forward_", "backward_") for part in ("dkernel", "drecurrent", "dbias")]


def two_ways(x, there, back, dy):
    """The second layer's outputs are put back in the order of time."""
    y1, back1 = recurrent.lstm(x, *there)
    y2, back2 = backwards(x, *back)
    dx1, *weights1 = back1(dy[:, :, :UNITS])
    dx2, *weights2 = back2(dy[:, ::-1, UNITS:])
    return [recurrent.joined([y1, y2[:, ::-1]]), dx1 + dx2] + weights1 + weights2
