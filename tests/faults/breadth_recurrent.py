"""Faults of recurrent layers: what a fused LSTM or GRU kernel can get wrong, and the simple cell. See `breadth_hooks`.

Keras asks its backend for a fused kernel first (Keras 3: `backend.lstm`, `backend.gru`; Keras 2: `standard_lstm`,
`standard_gru`); the faulty device answers here with one of its own, written below from the layer's documentation.
"""

import numpy as np
from breadth_hooks import as_tensor, fault, keras_three, kernel, normal, stale_tail, through_layer
from breadth_hooks import GRAPH, tf

LSTM, GRU, SIMPLE = "LSTM", "GRU", "simple RNN"
MASK = np.array([[True] * 7, [True] * 4 + [False] * 3, [True, False, True, True, False, True, True]])


def recurrent(layer, units=5, steps=7, masked=False, **options):
    more = {"mask": MASK} if masked else {}
    return through_layer(lambda layers: getattr(layers, layer)(units, **options), 3, steps, 4, **more)


class Fused(object):
    """A fused recurrent kernel without fault; subclasses get one thing wrong."""

    reads_mask = True
    keeps_state_when_masked = True

    def __init__(self, x, states, kernel, recurrent, bias, mask, go_backwards):
        self.x, self.states, self.mask, self.go_backwards = x, states, mask, go_backwards
        self.kernel, self.recurrent, self.bias = kernel, recurrent, bias

    def times(self):
        times = range(int(self.x.shape[1]))
        return reversed(times) if self.go_backwards else times

    def start(self):
        return self.states

    def before(self, t, states):
        return states

    def after(self, outputs):
        return outputs

    def run(self):
        """The outputs of all steps in the order of their computation, and the last states."""
        states, outputs, last = self.start(), [], tf.zeros_like(self.states[0])
        for t in self.times():
            states = self.before(t, states)
            new = self.step(self.x[:, t], states)
            here = self.mask[:, t, None] if self.mask is not None and self.reads_mask else None
            last = new[0] if here is None else tf.where(here, new[0], last)
            states = [self.kept(k, here, n, s) for k, (n, s) in enumerate(zip(new, states))]
            outputs.append(last)
        return self.after(tf.stack(outputs, 1)), states

    def kept(self, number, here, new, old):
        return new if here is None else tf.where(here, new, old)


class Lstm(Fused):
    def gates(self, x, h):
        return tf.split(x @ self.kernel + h @ self.recurrent + self.bias, 4, 1)

    def step(self, x, states):
        h, c = states
        i, f, g, o = self.gates(x, h)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        return [tf.sigmoid(o) * tf.tanh(c), c]


class Gru(Fused):
    def parts(self, x, h):
        inner, outer = tf.unstack(self.bias)
        x_z, x_r, x_h = tf.split(x @ self.kernel + inner, 3, 1)
        h_z, h_r, h_h = tf.split(h @ self.recurrent + outer, 3, 1)
        return tf.sigmoid(x_z + h_z), tf.sigmoid(x_r + h_r), x_h, h_h

    def step(self, x, states):
        z, r, x_h, h_h = self.parts(x, states[0])
        return [z * states[0] + (1 - z) * tf.tanh(x_h + r * h_h)]


def spelled(activation):
    return getattr(activation, "__name__", activation)


def in_keras_three(make, count):
    def made(original):
        def fused(inputs, *rest, **named):
            states = list(rest[:count])
            mask = rest[count] if len(rest) > count else named.get("mask")
            plain = spelled(named["activation"]) == "tanh" and spelled(named["recurrent_activation"]) == "sigmoid"
            if not plain or named["bias"] is None or not named.get("reset_after", True) or inputs.shape[1] is None:
                return original(inputs, *rest, **named)
            weights = [as_tensor(named[key]) for key in ("kernel", "recurrent_kernel", "bias")]
            outputs, states = make(inputs, states, *(weights + [mask, named.get("go_backwards", False)])).run()
            last = outputs[:, -1]
            return last, outputs if named.get("return_sequences") else last[:, None], states

        return fused

    return made


def in_keras_two(make, count):
    def made(original):
        def fused(**named):
            if named["time_major"] or named["sequence_lengths"] is not None or named["inputs"].shape[1] is None:
                return original(**named)
            states = [named["init_h"], named.get("init_c")][:count]
            weights = [named[key] for key in ("kernel", "recurrent_kernel", "bias")]
            outputs, states = make(named["inputs"], states, *(weights + [named["mask"], named["go_backwards"]])).run()
            last = outputs[:, -1]
            healthy = original(**named)
            return tuple(
                [last, outputs if named.get("return_sequences", True) else last[:, None]] + states + [healthy[-1]]
            )

        return fused

    return made


def fused_kernel(family, show):
    """Register the decorated subclass of Lstm or Gru as the device's fused kernel."""

    def kept(make):
        name, count = ("lstm", 2) if issubclass(make, Lstm) else ("gru", 1)

        def plant(breakage):
            if keras_three():
                breakage.replace(breakage.keras("backend"), name, in_keras_three(make, count))
            else:
                breakage.replace(breakage.keras("layers.rnn." + name), "standard_" + name, in_keras_two(make, count))

        plant.__name__, plant.__doc__, plant.__module__ = make.__name__, make.__doc__, make.__module__
        fault(family, family, show)(plant)
        return make

    return kept


# LSTM


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_gate_order(Lstm):
    """The gates are read in the order i, c, f, o (another library's) instead of i, f, c, o."""

    def gates(self, x, h):
        i, g, f, o = Lstm.gates(self, x, h)
        return i, f, g, o


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_forget_bias_twice(Lstm):
    """One is added to the forget gate, although the layer's bias already holds it."""

    def gates(self, x, h):
        i, f, g, o = Lstm.gates(self, x, h)
        return i, f + 1, g, o


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_output_of_old_state(Lstm):
    """The output is made from the cell state before the step instead of after it."""

    def step(self, x, states):
        new = Lstm.step(self, x, states)
        o = self.gates(x, states[0])[3]
        return [tf.sigmoid(o) * tf.tanh(states[1]), new[1]]


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_gradient_stops_at_cell_state(Lstm):
    """Backward, nothing flows through the cell state from one step to the step before."""

    def before(self, t, states):
        return [states[0], tf.stop_gradient(states[1])]


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_gradient_stops_at_hidden_state(Lstm):
    """Backward, nothing flows through the recurrent kernel to the step before."""

    def before(self, t, states):
        return [tf.stop_gradient(states[0]), states[1]]


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_recurrent_gradient_first_step(Lstm):
    """The gradient of the bias misses the first step of the sequence."""

    def step(self, x, states):
        first, bias = getattr(self, "seen", None) is None, self.bias
        self.seen = True
        self.bias = tf.stop_gradient(bias) if first else bias
        new = Lstm.step(self, x, states)
        self.bias = bias
        return new


@fused_kernel(LSTM, recurrent("LSTM", masked=True, return_sequences=True))
class lstm_mask_ignored(Lstm):
    """The mask is ignored: padded steps change the state."""

    reads_mask = False


@fused_kernel(LSTM, recurrent("LSTM", masked=True, return_sequences=True))
class lstm_mask_spares_cell_state(Lstm):
    """At masked steps the output is held, but the cell state goes on."""

    def kept(self, number, here, new, old):
        return new if number == 1 else Fused.kept(self, number, here, new, old)


@fused_kernel(LSTM, recurrent("LSTM", go_backwards=True))
class lstm_never_backwards(Lstm):
    """`go_backwards` is ignored (so the backward half of a bidirectional layer is wrong)."""

    def times(self):
        return range(int(self.x.shape[1]))


@fused_kernel(LSTM, recurrent("LSTM", steps=20))
class lstm_state_lost_after_16_steps(Lstm):
    """The state starts from zero again at every 17th step."""

    def before(self, t, states):
        return [tf.zeros_like(state) for state in states] if t and t % 16 == 0 else states


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_unit_tail(Lstm):
    """Units behind the last multiple of four use the candidate of the unit before."""

    def gates(self, x, h):
        i, f, g, o = Lstm.gates(self, x, h)
        return i, f, stale_tail(g, 1, 4), o


@fused_kernel(LSTM, recurrent("LSTM"))
class lstm_last_sample_of_odd_batch(Lstm):
    """The last sample of an odd batch gets the result of the one before."""

    def after(self, outputs):
        return stale_tail(outputs, 0, 2)


class _StartFromOnes(object):
    @staticmethod
    def show():
        def call(layers):
            class Started(layers.Layer):
                def __init__(self):
                    super().__init__()
                    self.inner = layers.LSTM(5)

                def call(self, x):
                    return self.inner(x, initial_state=[x[:, 0, :1] + tf.zeros([1, 5]), x[:, 1, :1] + tf.zeros([1, 5])])

            return Started()

        return through_layer(call, 3, 7, 4)


@fused_kernel(LSTM, _StartFromOnes.show())
class lstm_initial_state_ignored(Lstm):
    """An initial state given by the caller is ignored."""

    def start(self):
        return [tf.zeros_like(state) for state in self.states]


# GRU


@fused_kernel(GRU, recurrent("GRU"))
class gru_reset_before(Gru):
    """The reset gate is applied before the recurrent product, although the layer says after."""

    def step(self, x, states):
        h = states[0]
        z, r, x_h, _ = self.parts(x, h)
        units = int(h.shape[1])
        inner = (r * h) @ self.recurrent[:, 2 * units :] + self.bias[1, 2 * units :]
        return [z * h + (1 - z) * tf.tanh(x_h + inner)]


@fused_kernel(GRU, recurrent("GRU"))
class gru_update_inverted(Gru):
    """The update gate and its complement are exchanged."""

    def step(self, x, states):
        z, r, x_h, h_h = self.parts(x, states[0])
        return [(1 - z) * states[0] + z * tf.tanh(x_h + r * h_h)]


@fused_kernel(GRU, recurrent("GRU"))
class gru_gate_order(Gru):
    """The gates are read in the order r, z, h (another library's) instead of z, r, h."""

    def parts(self, x, h):
        z, r, x_h, h_h = Gru.parts(self, x, h)
        return r, z, x_h, h_h


@fused_kernel(GRU, recurrent("GRU"))
class gru_recurrent_bias_dropped(Gru):
    """The recurrent bias is not added (it is zero in a fresh layer)."""

    def parts(self, x, h):
        bias = self.bias
        self.bias = tf.stack([bias[0], tf.zeros_like(bias[1])])
        found = Gru.parts(self, x, h)
        self.bias = bias
        return found


@fused_kernel(GRU, recurrent("GRU"))
class gru_gradient_without_reset(Gru):
    """Backward, the reset gate is a constant."""

    def parts(self, x, h):
        z, r, x_h, h_h = Gru.parts(self, x, h)
        return z, tf.stop_gradient(r), x_h, h_h


@fused_kernel(GRU, recurrent("GRU", masked=True))
class gru_mask_zeroes_state(Gru):
    """A masked step sets the state to zero instead of holding it."""

    def kept(self, number, here, new, old):
        return new if here is None else tf.where(here, new, tf.zeros_like(old))


# Simple RNN


def simple_cell(name, text, compute, show):
    """A fault of SimpleRNNCell: `compute(cell, x @ W + b, h)` gives the next state."""

    def plant(breakage):
        cell = breakage.keras("layers.rnn.simple_rnn").SimpleRNNCell

        def made(original):
            def call(self, x, states, training=False):
                h = states[0] if isinstance(states, (list, tuple)) else states
                projected = x @ as_tensor(self.kernel) + (as_tensor(self.bias) if self.bias is not None else 0)
                new = compute(self, projected, h, as_tensor(self.recurrent_kernel))
                return new, [new] if isinstance(states, (list, tuple)) else new

            return call

        breakage.replace(cell, "call", made)

    plant.__name__, plant.__doc__ = name, text
    fault("SimpleRNN", SIMPLE, show)(plant)


simple_cell(
    "simple_rnn_kernel_transposed",
    "The recurrent kernel is transposed.",
    lambda cell, x, h, u: cell.activation(x + tf.matmul(h, u, transpose_b=True)),
    recurrent("SimpleRNN"),
)
simple_cell(
    "simple_rnn_gradient_truncated",
    "Backward, nothing flows through the state to earlier steps.",
    lambda cell, x, h, u: cell.activation(x + tf.stop_gradient(h) @ u),
    recurrent("SimpleRNN"),
)
simple_cell(
    "simple_rnn_always_tanh",
    "The activation is always tanh, whatever was asked for.",
    lambda cell, x, h, u: tf.tanh(x + h @ u),
    recurrent("SimpleRNN", activation="relu"),
)


@kernel(
    "TensorListStack",
    op="while loop (TensorListStack)",
    family=SIMPLE,
    modes=GRAPH,
    show=recurrent("SimpleRNN", return_sequences=True),
)
def loop_outputs_last_step(call):
    """In a compiled loop the last of the collected outputs is that of the step before."""
    y = call.outputs[0]
    if not y.dtype.is_floating or not y.shape.rank:
        return None
    count = tf.shape(y)[0]
    return tf.gather(y, tf.minimum(tf.range(count), tf.maximum(count - 2, 0)))
