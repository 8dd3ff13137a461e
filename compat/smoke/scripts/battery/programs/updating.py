"""The fused kernels that update weights, fed with gradients, against the closed form in float64.

Called through the module that legacy Keras optimizers call (tensorflow#59438: the Metal plugin brings its own Adam).
Two weights start at exactly 0, where the update keeps its full relative precision; one element of each has no gradient
and must not move; gradients are as small as epsilon and as large as 10.
"""

import numpy as np

from battery import bounds
from battery.programs.program import Program, apart, claimed, judged
from battery.references import updates
from battery.values import draw_for

UPDATES = 5
WEIGHTS = {
    # name: (shape, gradient scale, whether it starts at 0)
    "wide": ((65541,), 1e-2, True),
    "kernel": ((3, 3, 5, 7), 1.0, False),
    "tiny": ((130,), 1e-7, True),
    "large": ((33,), 10.0, False),
    "small": ((64, 3), 1e-3, False),
}
KERNELS = {
    # name: (operation, its closed form, its call given (operations, variable, slots, gradient, betas to the power of t), level, compiled)
    "adam": (
        "ResourceApplyAdam",
        updates.Adam(),
        lambda ops, w, s, g, powers: ops.resource_apply_adam(
            w, s["m"], s["v"], powers[0], powers[1], updates.RATE,
            updates.BETA_1, updates.BETA_2, updates.EPSILON, g,
        ),
        "quick",
        "standard",
    ),
    "keras_momentum": (
        "ResourceApplyKerasMomentum",
        updates.KerasMomentum(),
        lambda ops, w, s, g, powers: ops.resource_apply_keras_momentum(w, s["accum"], updates.RATE, g, updates.MOMENTUM),
        "standard",
        "full",
    ),
    "keras_nesterov": (
        "ResourceApplyKerasMomentum",
        updates.KerasMomentum(nesterov=True),
        lambda ops, w, s, g, powers: ops.resource_apply_keras_momentum(
            w, s["accum"], updates.RATE, g, updates.MOMENTUM, use_nesterov=True
        ),
        "standard",
        "full",
    ),
    "momentum": (
        "ResourceApplyMomentum",
        updates.Momentum(),
        lambda ops, w, s, g, powers: ops.resource_apply_momentum(w, s["accum"], updates.RATE, g, updates.MOMENTUM),
        "standard",
        "full",
    ),
    "nesterov": (
        "ResourceApplyMomentum",
        updates.Momentum(nesterov=True),
        lambda ops, w, s, g, powers: ops.resource_apply_momentum(
            w, s["accum"], updates.RATE, g, updates.MOMENTUM, use_nesterov=True
        ),
        "standard",
        "full",
    ),
    "descent": (
        "ResourceApplyGradientDescent",
        updates.Descent(),
        lambda ops, w, s, g, powers: ops.resource_apply_gradient_descent(w, updates.RATE, g),
        "standard",
        "full",
    ),
    "rmsprop": (
        "ResourceApplyRMSProp",
        updates.RMSProp(),
        lambda ops, w, s, g, powers: ops.resource_apply_rms_prop(
            w, s["ms"], s["mom"], updates.RATE, updates.DECAY, updates.MOMENTUM, updates.EPSILON, g
        ),
        "standard",
        "full",
    ),
    "adagrad": (
        "ResourceApplyAdagradV2",
        updates.Adagrad(),
        lambda ops, w, s, g, powers: ops.resource_apply_adagrad_v2(w, s["accum"], updates.RATE, updates.EPSILON, g),
        "standard",
        "full",
    ),
    "adamax": (
        "ResourceApplyAdaMax",
        updates.AdaMax(),
        lambda ops, w, s, g, powers: ops.resource_apply_ada_max(
            w, s["m"], s["v"], powers[0], updates.RATE, updates.BETA_1, updates.BETA_2,
            updates.EPSILON, g,
        ),
        "standard",
        "full",
    ),
    "adadelta": (
        "ResourceApplyAdadelta",
        updates.Adadelta(),
        lambda ops, w, s, g, powers: ops.resource_apply_adadelta(
            w, s["accum"], s["accum_update"], 1.0, updates.DECAY, updates.EPSILON, g
        ),
        "standard",
        "full",
    ),
}  # fmt: skip
SCATTERED = "w.scatter_%s(tf.IndexedSlices(u, i))"
CHANGES = {
    # name: (operation, the call, the same in NumPy)
    "assign": ("AssignVariableOp", "w.assign(x)", lambda w, x, u, i: x.copy()),
    "assign_add": ("AssignAddVariableOp", "w.assign_add(x)", lambda w, x, u, i: w + x),
    "assign_sub": ("AssignSubVariableOp", "w.assign_sub(x)", lambda w, x, u, i: w - x),
    "scatter_add": ("ResourceScatterAdd", SCATTERED % "add", lambda w, x, u, i: combined(np.add, w, i, u)),
    "scatter_sub": ("ResourceScatterAdd", SCATTERED % "sub", lambda w, x, u, i: combined(np.subtract, w, i, u)),
    "scatter_max": ("ResourceScatterMax", SCATTERED % "max", lambda w, x, u, i: combined(np.maximum, w, i, u)),
    "scatter_min": ("ResourceScatterMin", SCATTERED % "min", lambda w, x, u, i: combined(np.minimum, w, i, u)),
    "scatter_update": (
        "ResourceScatterUpdate",
        "w.scatter_update(tf.IndexedSlices(u[:9], i[:9]))",
        lambda w, x, u, i: replaced(w, i[:9], u[:9]),
    ),
    "embedding": (
        "ResourceScatterAdd",
        "the gradient of tf.nn.embedding_lookup(w, i) taken off w",
        lambda w, x, u, i: combined(np.subtract, w, i, u),
    ),
}


def programs():
    found = []
    for name, (op, update, call, level, graph) in KERNELS.items():
        found.append(Program("update/" + name, op, "eager", updating(op, update, call, False), level))
        found.append(Program("update/" + name, op, "graph", updating(op, update, call, True), graph))
    for compiled, mode in ((False, "eager"), (True, "graph")):
        found.append(Program("variable", "ResourceScatterAdd", mode, changing(compiled), "standard"))
    return found


def combined(operation, w, i, u):
    w = w.astype(np.float64)
    operation.at(w, i, u)
    return w


def replaced(w, i, u):
    w = w.copy()
    w[i] = u
    return w


class Strictly:
    """Without soft placement, which would compute on the CPU what has no kernel on the device."""

    def __init__(self, tf):
        self.config, self.before = tf.config, tf.config.get_soft_device_placement()

    def __enter__(self):
        self.config.set_soft_device_placement(False)

    def __exit__(self, *_):
        self.config.set_soft_device_placement(self.before)


def updating(op, update, call, compiled):
    def check(session):
        starts, gradients = drawn()
        with Strictly(session.tf):
            answers = updated(session, update, call, starts, gradients, compiled)
        for name, start, answer, steps in zip(WEIGHTS, starts, answers, zip(*gradients)):
            still = answer.flat[0] == start.flat[0]
            if not still:
                yield claimed(session, name, op, str(start.shape), still, "an element without gradient has moved")
                continue
            weight, moved = updates.applied(update, start, steps)
            want = bounds.optimizer(op, weight, start.astype(np.float64), moved, UPDATES, update.constant)
            yield judged(session, name, want, answer)

    return check


def drawn():
    """First weights, and the gradients of each update."""
    draw = draw_for("update")
    starts = [np.zeros(s) if zero else draw.standard_normal(s) for s, _, zero in WEIGHTS.values()]
    gradients = [
        [(scale * draw.standard_normal(s)).astype(np.float32) for s, scale, _ in WEIGHTS.values()]
        for _ in range(UPDATES)
    ]
    for step in gradients:
        for g in step:
            g.flat[0] = 0
    return [np.asarray(w, np.float32) for w in starts], gradients


def training_operations():
    """The module of the kernels' functions, which optimizers call and which are looked up at each call."""
    try:
        from tensorflow.python.ops import gen_training_ops
    except ImportError:  # older releases keep it there
        from tensorflow.python.training import gen_training_ops
    return gen_training_ops


def updated(session, update, call, starts, gradients, compiled):
    """The weights after all updates."""
    tf, operations = session.tf, training_operations()
    weights = [tf.Variable(start) for start in starts]
    slots = [{key: tf.Variable(np.float32(v)) for key, v in update.start(w.shape).items()} for w in starts]

    def apply(step, powers):
        for w, state, g in zip(weights, slots, step):
            call(operations, w.handle, {key: slot.handle for key, slot in state.items()}, g, powers)

    function = session.compiled(apply) if compiled else apply
    for t, step in enumerate(gradients, 1):
        powers = [tf.constant(beta**t) for beta in (updates.BETA_1, updates.BETA_2)]
        function([tf.constant(g) for g in step], powers)
    return [weight.numpy() for weight in weights]


def changing(compiled):
    """All changes in one function; should it fail, each in its own."""

    def check(session):
        return apart(
            list(CHANGES), lambda names: changed(session, names, compiled), lambda name: (name, CHANGES[name][0])
        )

    return check


def changed(session, names, compiled):
    """Each of these changes, to a variable of its own."""
    tf, given = session.tf, {name: values(name) for name in names}
    variables = {name: tf.Variable(w) for name, (w, _, _, _) in given.items()}

    def change(arrays):
        for name, (x, u, i) in arrays.items():
            if name == "embedding":
                descended(tf, variables[name], u, i)
            else:
                eval(CHANGES[name][1], {"tf": tf, "w": variables[name], "x": x, "u": u, "i": i})

    function = session.compiled(change) if compiled else change
    with Strictly(tf):
        function({name: [tf.constant(array) for array in arrays[1:]] for name, arrays in given.items()})
    for name, arrays in given.items():
        op, _, reference = CHANGES[name]
        yield judged(session, name, bounds.exact(op, reference(*arrays)), variables[name].numpy())


def values(name):
    """The variable's, what is added or put in its place, what is scattered, and where to: all rows, and some again."""
    draw = draw_for("variable/" + name)
    w, x, u = (draw.randint(-2000, 2001, shape).astype(np.float32) for shape in ((17, 5), (17, 5), (33, 5)))
    return w, x, u, np.concatenate([draw.permutation(17), draw.randint(0, 9, 16)]).astype(np.int32)


def descended(tf, table, u, i):
    """A step of plain SGD with the slices that an embedding's gradient is made of; indices repeat, and must add up."""
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup(table, i)
    slices = tape.gradient(rows, table, output_gradients=u)
    table.scatter_sub(tf.IndexedSlices(slices.values, slices.indices))
