"""What a Keras program does on a device: `predict`, optimizers, the report's model trained, and `fit`.

Stand-alone: NumPy and the TensorFlow module it is given, CPython 3.8 syntax. Keras keeps soft placement, as it has it.
"""

import time

import battery
import bounds
import cases
import numpy as np
import references
import seed_model

SAMPLES = 7
"""Predicted in batches of 4, so that the last one is partial."""
UPDATES = 5
OPTIMIZED = {
    # name: (shape, gradient scale, whether it starts at 0, where the update keeps its full relative precision)
    "kernel": ((3, 3, 5, 7), 1.0, False),
    "wide": ((65541,), 1e-2, True),
    "tiny": ((130,), 1e-7, True),  # where epsilon is placed matters here
    "large": ((33,), 10.0, False),
    "small": ((64, 3), 1e-3, True),
}


class Runner:
    """One device's Keras checks; each one ends in results, whatever it raises."""

    def __init__(self, tf, recorder, device):
        self.tf, self.recorder, self.device = tf, recorder, device

    def attempt(self, name, op, mode, check):
        """Run a check that yields (part, op, shape, status, ratio, detail); an exception is a result too."""
        if not self.recorder.wants(name):
            return
        self.recorder.starts(name, mode, self.device)
        begun = time.perf_counter()
        try:
            with self.tf.device("/" + self.device):
                results = list(check())
        except Exception as error:
            results = [("", op, "", *battery.unanswered(error))]
        share = (time.perf_counter() - begun) / len(results)
        for part, op, shape, status, ratio, detail in results:
            identity = name + "/" + part if part else name
            self.recorder.add(identity, op, mode, self.device, shape, status, ratio, detail, share)

    def run(self, fit):
        self.attempt("keras/predict", "Conv2D, MaxPool, Dense, Softmax", "predict", self.predict)
        for mode in ("eager", "graph"):
            for name, (op, make, reference, constant) in optimizers(self.tf).items():
                self.attempt("optimizer/" + name, op, mode, self.optimize(op, make, reference, constant, mode))
        self.attempt("train/seed", "Conv2D, MaxPool, Dense, Adam", "graph", self.train)
        if fit:
            self.attempt("train/fit", "Conv2D, MaxPool, Dense, Adam", "fit", self.fit)

    def predict(self):
        """Four layers as branches of one model: one trace, and each output judged alone. Integers, then real values."""
        model, fills = branches(self.tf), predict_fills()
        for label, given, weights, wants in fills:
            model.set_weights(weights)
            answers = model.predict(given, batch_size=4, verbose=0)
            for (name, want), answer in zip(wants.items(), answers):
                yield part_of(label + "/" + name, want, answer)

    def optimize(self, op, make, reference, constant, mode):
        def check():
            draw = np.random.RandomState(cases.SEED * 1009 + 7)
            starts = [np.zeros(s) if zero else draw.randn(*s) for s, _, zero in OPTIMIZED.values()]
            starts = [w.astype(np.float32) for w in starts]
            gradients = [
                [(scale * draw.randn(*s)).astype(np.float32) for s, scale, _ in OPTIMIZED.values()]
                for _ in range(UPDATES)
            ]
            for step in gradients:
                for g in step:
                    g.flat[0] = 0  # this element must not move
            answers = updated(self.tf, make(), starts, gradients, mode == "graph")
            wants = optimizer_wants(op, reference, constant, starts, gradients)
            for name, want, start, answer in zip(OPTIMIZED, wants, starts, answers):
                if answer.flat[0] != start.flat[0]:
                    yield name, op, str(start.shape), "fails", None, "an element without gradient has moved"
                else:
                    yield part_of(name, want, answer)

        return check

    def train(self):
        plan = seed_model.Plan()
        losses, gradients = seed_model.train(self.tf, plan, self.device)
        wanted, first = seed_model.trajectory(plan)
        for name, op, want, answer in zip(seed_model.NAMES, seed_model.OPS, first, gradients):
            limit = seed_model.GRADIENT_LIMIT * max(abs(want).max(), 1e-30)
            yield part_of("gradient/" + name, bounds.Want(op, want, limit), answer)
        limits = [seed_model.tolerance(i + 1) for i in range(len(wanted))]
        yield part_of("loss", bounds.Want("training step", wanted, limits, ("step",)), np.array(losses))

    def fit(self):
        """Only a sanity check: wrong gradients can still bring a loss down."""
        plan = seed_model.Plan()
        model = seed_model.build(self.tf, plan.weights, self.device, masked=False)
        adam = self.tf.keras.optimizers.Adam(learning_rate=3 * seed_model.RATE)
        model.compile(optimizer=adam, loss="categorical_crossentropy", metrics=["accuracy"])
        losses = model.fit(plan.images, plan.labels, batch_size=seed_model.BATCH, epochs=8, verbose=0).history["loss"]
        sound = bool(np.isfinite(losses).all() and losses[-1] < losses[0] and max(losses) < 2)
        text = "loss by epoch: " + ", ".join("%.4g" % loss for loss in losses)
        yield "loss", "training", "56x18x18x3", "passes" if sound else "fails", None, text


def part_of(name, want, answer):
    ratio, _, detail = want.judge(answer)
    shape = "x".join(str(size) for size in want.value.shape)
    return name, want.op, shape, "passes" if ratio <= 1 else "fails", ratio, detail


def branches(tf):
    layers = tf.keras.layers
    image, picture, row, logits = (layers.Input(shape) for shape in ((9, 7, 3), (9, 7, 8), (130,), (10,)))
    outputs = [
        layers.Conv2D(5, 3, padding="same", activation="relu")(image),
        layers.MaxPooling2D(2, padding="same")(picture),
        layers.Dense(33, activation="relu")(row),
        layers.Softmax()(logits),
    ]
    return tf.keras.Model([image, picture, row, logits], outputs)


def predict_fills():
    """Inputs, weights and references of both fills. All-negative rows of Dense must come out exactly 0 after the ReLU."""
    convolution = cases.ConvolutionSums(references.Windows((SAMPLES, 9, 7, 3), (3, 3), padding="SAME"), 5)
    matrix = cases.MatrixSums(SAMPLES, 130, 33)
    pooling = references.Windows((SAMPLES, 9, 7, 8), (2, 2), (2, 2), padding="SAME")
    draw = np.random.RandomState(cases.SEED * 1009 + 5)
    for label in ("int", "real"):
        conv = cases.linear_fill(label, convolution, ((SAMPLES, 9, 7, 3), (3, 3, 3, 5), (5,)), True, draw)
        dense = cases.linear_fill(label, matrix, ((SAMPLES, 130), (130, 33), (33,)), True, draw)
        pool = cases.pool_fill(pooling, draw, -2000 if label == "int" else -5000)
        z = cases.logits(SAMPLES, 10, draw)
        wants = {
            "conv2d": conv.wants["y"],
            "maxpool": pool.wants["y"],
            "dense": dense.wants["y"],
            "softmax": bounds.softmax(references.softmax(z), z),
        }
        given = [conv.inputs[0], pool.inputs[0], dense.inputs[0], z]
        yield label, given, list(conv.inputs[1:]) + list(dense.inputs[1:]), wants


def optimizers(tf):
    """Name: (operation, how it is made, its reference, the constant of its bound)."""
    keras = tf.keras.optimizers
    return {
        "adam": ("Adam", lambda: keras.Adam(learning_rate=1e-3), references.Adam, 564),
        "sgd": ("SGD", lambda: keras.SGD(learning_rate=1e-2), references.Momentum, 16),
        "momentum": (
            "SGD momentum",
            lambda: keras.SGD(learning_rate=1e-2, momentum=0.9),
            lambda: references.Momentum(momentum=0.9),
            32,
        ),
    }


def updated(tf, optimizer, starts, gradients, compiled):
    """The variables after all updates."""
    variables = [tf.Variable(start) for start in starts]
    if hasattr(optimizer, "build"):
        optimizer.build(variables)

    def apply(step):
        optimizer.apply_gradients(list(zip(step, variables)))  # may return an operation: not ours to return

    function = battery.compiled(tf, apply) if compiled else apply
    for step in gradients:
        function([tf.constant(g) for g in step])
    return [variable.numpy() for variable in variables]


def optimizer_wants(op, reference, constant, starts, gradients):
    """The closed form, and the bound from the same sums with |gradient| for gradient."""
    real, absolute = reference(), reference()
    weights, moved = [w.astype(np.float64) for w in starts], [np.zeros(w.shape) for w in starts]
    for step in gradients:
        step = [g.astype(np.float64) for g in step]
        weights, moved = real.apply(weights, step), absolute.apply(moved, [abs(g) for g in step])
    return [
        bounds.optimizer(op, w, start, abs(m), len(gradients), constant) for w, start, m in zip(weights, starts, moved)
    ]
