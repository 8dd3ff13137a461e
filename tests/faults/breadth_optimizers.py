"""Faults of optimizers, gradient clipping, weight decay and schedules. See `breadth_hooks`.

An update is a fused kernel on a device that has one: `ResourceApply...` (Keras 2's legacy optimizers, TensorFlow 1) is
broken by its inputs; the update written in small operations (Keras 2 and 3) by its hyperparameters or its result.
"""

import numpy as np
from breadth_hooks import GRAPH, apart, as_tensor, compiled_if, fault, normal, stale_tail, tf

FAMILY = "optimizers"


def steps(make, count=4, scale=1.0, shapes=((5, 3), (3,))):
    """The variables after some steps with given gradients."""

    def run(compiled):
        optimizer = make(tf.keras.optimizers)
        variables = [keras_variable(normal(*shape, seed=k)) for k, shape in enumerate(shapes)]
        optimizer.build(variables)

        def step(*gradients):
            optimizer.apply_gradients(zip(gradients, variables))

        step = compiled_if(compiled, step)
        for number in range(count):
            step(*[tf.constant(scale * normal(*shape, seed=10 + 7 * number + k)) for k, shape in enumerate(shapes)])
        return [as_tensor(variable) for variable in variables]

    return apart(run)


def keras_variable(value):
    if hasattr(tf.keras, "Variable"):
        return tf.keras.Variable(value)
    return tf.Variable(value)


def optimizer_class(name):
    return getattr(tf.keras.optimizers, name)


def with_attribute(name, optimizer, text, show, raw=None, **attributes):
    """A fault in which the update of an optimizer ignores hyperparameters (they have these values, whatever was asked)."""

    def plant(breakage):
        def made(original):
            def update_step(self, *args, **kwargs):
                kept = {key: getattr(self, key) for key in attributes}
                for key, value in attributes.items():
                    object.__setattr__(self, key, value)
                try:
                    return original(self, *args, **kwargs)
                finally:
                    for key, value in kept.items():
                        object.__setattr__(self, key, value)

            return update_step

        break_updates(breakage, optimizer, made)
        for op, change in (raw or {}).items():
            breakage.rewrite(op, change)

    plant.__name__, plant.__doc__ = name, text
    fault(optimizer, FAMILY, show)(plant)


def break_updates(breakage, optimizer, made):
    for name in (optimizer,) if isinstance(optimizer, str) else optimizer:
        owner = next(one for one in optimizer_class(name).__mro__ if "update_step" in vars(one))
        breakage.replace(owner, "update_step", made)


def adjusted(name, optimizers, text, show, adjust, raw=None, modes="both"):
    """A fault in which `adjust(optimizer, before, after, gradient)` gives what is written instead of `after`."""

    def plant(breakage):
        def made(original):
            def update_step(self, gradient, variable, *rest):
                before = as_tensor(variable)
                gradient = tf.convert_to_tensor(gradient)
                result = original(self, gradient, variable, *rest)
                if modes == GRAPH and tf.executing_eagerly():
                    return result
                variable.assign(adjust(self, before, as_tensor(variable), gradient))
                return result

            return update_step

        break_updates(breakage, optimizers, made)
        for op, change in (raw or {}).items():
            breakage.rewrite(op, change, modes)

    plant.__name__, plant.__doc__ = name, text
    fault(optimizers if isinstance(optimizers, str) else ", ".join(optimizers), FAMILY, show, modes)(plant)


def setting(**wanted):
    """A change of a kernel's inputs to these values."""

    def change(values):
        for key, value in wanted.items():
            if key in values:
                like = values[key]
                values[key] = (
                    value if isinstance(value, bool) or not hasattr(like, "dtype") else tf.cast(value, like.dtype)
                )

    return change


def corrected(optimizer, power):
    t = tf.cast(as_tensor(optimizer.iterations), tf.float32) + 1
    return 1 - tf.cast(getattr(optimizer, power), tf.float32) ** t


ADAM = {"ResourceApplyAdam": setting(beta1_power=0.0, beta2_power=0.0)}

adjusted(
    "adam_bias_correction_missing",
    "Adam",
    "The bias correction of the moments is missing.",
    steps(lambda o: o.Adam(0.1)),
    lambda o, before, after, g: before + (after - before) * corrected(o, "beta_1") / tf.sqrt(corrected(o, "beta_2")),
    ADAM,
)
with_attribute(
    "adam_beta_2_is_default",
    "Adam",
    "beta_2 is always 0.999.",
    steps(lambda o: o.Adam(0.1, beta_2=0.9)),
    {"ResourceApplyAdam": setting(beta2=0.999)},
    beta_2=0.999,
)
with_attribute(
    "adam_beta_1_is_default",
    "Adam",
    "beta_1 is always 0.9.",
    steps(lambda o: o.Adam(0.1, beta_1=0.5)),
    {"ResourceApplyAdam": setting(beta1=0.9)},
    beta_1=0.9,
)
with_attribute(
    "adam_epsilon_ignored",
    "Adam",
    "epsilon is always 1e-7.",
    steps(lambda o: o.Adam(0.1, epsilon=0.5)),
    {"ResourceApplyAdam": setting(epsilon=1e-7)},
    epsilon=1e-7,
)
with_attribute(
    "adam_amsgrad_ignored",
    "Adam",
    "amsgrad is ignored.",
    steps(lambda o: o.Adam(0.1, beta_2=0.5, amsgrad=True), 6),
    amsgrad=False,
)
with_attribute(
    "rmsprop_rho_is_default",
    "RMSprop",
    "rho is always 0.9.",
    steps(lambda o: o.RMSprop(0.1, rho=0.5)),
    {"ResourceApplyRMSProp": setting(rho=0.9), "ResourceApplyCenteredRMSProp": setting(rho=0.9)},
    rho=0.9,
)
with_attribute(
    "rmsprop_centered_ignored",
    "RMSprop",
    "centered is ignored.",
    steps(lambda o: o.RMSprop(0.1, centered=True)),
    centered=False,
)
with_attribute(
    "rmsprop_momentum_ignored",
    "RMSprop",
    "momentum is ignored.",
    steps(lambda o: o.RMSprop(0.1, momentum=0.9)),
    {"ResourceApplyRMSProp": setting(momentum=0.0), "ResourceApplyCenteredRMSProp": setting(momentum=0.0)},
    momentum=0.0,
)
with_attribute(
    "rmsprop_epsilon_ignored",
    "RMSprop",
    "epsilon is always 1e-7.",
    steps(lambda o: o.RMSprop(0.1, epsilon=0.1)),
    {"ResourceApplyRMSProp": setting(epsilon=1e-7)},
    epsilon=1e-7,
)
with_attribute(
    "nesterov_ignored",
    "SGD",
    "nesterov is ignored.",
    steps(lambda o: o.SGD(0.1, 0.9, nesterov=True)),
    {"ResourceApplyMomentum": setting(use_nesterov=False), "ResourceApplyKerasMomentum": setting(use_nesterov=False)},
    nesterov=False,
)
with_attribute(
    "momentum_is_09",
    "SGD",
    "momentum is always 0.9.",
    steps(lambda o: o.SGD(0.1, 0.5)),
    {"ResourceApplyMomentum": setting(momentum=0.9), "ResourceApplyKerasMomentum": setting(momentum=0.9)},
    momentum=0.9,
)
with_attribute(
    "adadelta_rho_is_default", "Adadelta", "rho is always 0.95.", steps(lambda o: o.Adadelta(0.1, rho=0.5)), rho=0.95
)
with_attribute(
    "adagrad_epsilon_ignored",
    "Adagrad",
    "epsilon is always 1e-7.",
    steps(lambda o: o.Adagrad(0.1, epsilon=0.5)),
    epsilon=1e-7,
)
ALL = ("SGD", "Adam", "RMSprop", "Adagrad", "Adamax", "Nadam", "Adadelta")


with_attribute(
    "adam_second_moment_of_last_step",
    "Adam",
    "The second moment is the last gradient's square, as if beta_2 were 0.",
    steps(lambda o: o.Adam(0.1)),
    {"ResourceApplyAdam": setting(beta2=0.0, beta2_power=0.0)},
    beta_2=0.0,
)
with_attribute(
    "adamax_beta_2_is_default",
    "Adamax",
    "beta_2 is always 0.999.",
    steps(lambda o: o.Adamax(0.1, beta_2=0.5)),
    beta_2=0.999,
)
adjusted(
    "adagrad_does_not_accumulate",
    "Adagrad",
    "The accumulator is overwritten with the last square.",
    steps(lambda o: o.Adagrad(0.1)),
    lambda o, before, after, g: before - rate(o) * g / tf.sqrt(g * g + 1e-7),
)
adjusted(
    "update_element_tail",
    ALL,
    "Of variables with more than four elements those behind the last multiple of four are not updated.",
    steps(lambda o: o.Adam(0.1)),
    lambda o, before, after, g: tail_kept(before, after),
)
adjusted(
    "update_vectors_skipped",
    ALL,
    "Variables of rank one (biases) are not updated.",
    steps(lambda o: o.SGD(0.1)),
    lambda o, before, after, g: before if before.shape.rank == 1 else after,
)
adjusted(
    "update_transposed_square",
    ALL,
    "The update of a square matrix is applied transposed.",
    steps(lambda o: o.SGD(0.1), shapes=((4, 4),)),
    lambda o, before, after, g: (
        before + tf.transpose(after - before)
        if before.shape.rank == 2 and before.shape[0] == before.shape[1]
        else after
    ),
)
adjusted(
    "update_in_half",
    ALL,
    "Variables are kept in bfloat16 precision.",
    steps(lambda o: o.SGD(0.1)),
    lambda o, before, after, g: tf.cast(tf.cast(after, tf.bfloat16), after.dtype),
)
adjusted(
    "update_skipped_every_third",
    ALL,
    "In compiled steps every third update is lost.",
    steps(lambda o: o.SGD(0.1)),
    lambda o, before, after, g: tf.where(tf.cast(as_tensor(o.iterations), tf.int32) % 3 == 2, before, after),
    modes=GRAPH,
)


def rate(optimizer):
    return tf.cast(tf.convert_to_tensor(optimizer.learning_rate), tf.float32)


def tail_kept(before, after):
    old, new = tf.reshape(before, [-1]), tf.reshape(after, [-1])
    size = tf.size(new)
    moved = (tf.range(size) < size // 4 * 4) | (size <= 4)
    return tf.reshape(tf.where(moved, new, old), tf.shape(after))


# The step count


@fault("Adam, schedules", FAMILY, steps(lambda o: o.Adam(0.1)), modes=GRAPH)
def iterations_frozen_in_graph(breakage):
    """A compiled step always reads zero for the number of steps done (a stale copy)."""

    def made(original):
        def update_step(self, *args, **kwargs):
            if tf.executing_eagerly():
                return original(self, *args, **kwargs)
            owner = type(self)
            shadow = property(lambda inner: _Zero(), lambda inner, value: None)
            frozen = type(owner.__name__, (owner,), {"iterations": shadow})
            object.__setattr__(self, "__class__", frozen)
            try:
                return original(self, *args, **kwargs)
            finally:
                object.__setattr__(self, "__class__", owner)

        return update_step

    break_updates(breakage, ("Adam", "Adamax", "Nadam"), made)


class _Zero(object):
    """Zero, where the number of steps is asked for."""

    value = 0

    def __add__(self, other):
        return tf.constant(0.0) + float(other)

    __radd__ = __add__


# Clipping and decay


def clipping(name, text, show, wrong):
    """A fault of gradient clipping: `wrong(optimizer, gradients, right)` gives what is used."""

    def plant(breakage):
        def made(original):
            def _clip_gradients(self, grads):
                grads = list(grads)
                return wrong(self, grads, original(self, grads))

            return _clip_gradients

        owner = next(one for one in tf.keras.optimizers.SGD.__mro__ if "_clip_gradients" in vars(one))
        breakage.replace(owner, "_clip_gradients", made)

    plant.__name__, plant.__doc__ = name, text
    fault("clipping", FAMILY, show)(plant)


clipping(
    "clipvalue_ignored",
    "clipvalue is ignored.",
    steps(lambda o: o.SGD(0.1, clipvalue=0.3)),
    lambda o, grads, right: grads if o.clipvalue else right,
)
clipping(
    "clipvalue_upper_only",
    "clipvalue bounds gradients from above only.",
    steps(lambda o: o.SGD(0.1, clipvalue=0.3)),
    lambda o, grads, right: [tf.minimum(g, o.clipvalue) for g in grads] if o.clipvalue else right,
)
clipping(
    "clipnorm_not_applied",
    "clipnorm is ignored.",
    steps(lambda o: o.SGD(0.1, clipnorm=0.3)),
    lambda o, grads, right: grads if o.clipnorm else right,
)
clipping(
    "clipnorm_by_row",
    "clipnorm bounds the norm of each row instead of that of the whole gradient.",
    steps(lambda o: o.SGD(0.1, clipnorm=0.3)),
    lambda o, grads, right: [tf.clip_by_norm(g, o.clipnorm, axes=[-1]) for g in grads] if o.clipnorm else right,
)
clipping(
    "clipnorm_always_scales",
    "clipnorm scales small gradients up to the norm as well.",
    steps(lambda o: o.SGD(0.1, clipnorm=30.0)),
    lambda o, grads, right: [g * o.clipnorm / tf.norm(g) for g in grads] if o.clipnorm else right,
)
clipping(
    "global_clipnorm_per_variable",
    "global_clipnorm is applied to each variable for itself.",
    steps(lambda o: o.SGD(0.1, global_clipnorm=1.0)),
    lambda o, grads, right: [tf.clip_by_norm(g, o.global_clipnorm) for g in grads] if o.global_clipnorm else right,
)


def decay(name, text, show, factor):
    """A fault of weight decay: `factor(optimizer, variable)` is how much of the decay is applied."""

    def plant(breakage):
        def made(original):
            def _apply_weight_decay(self, variables):
                before = [as_tensor(variable) for variable in variables]
                original(self, variables)
                if self.weight_decay is None:
                    return
                for old, variable in zip(before, variables):
                    variable.assign(old + (as_tensor(variable) - old) * factor(self, old))

            return _apply_weight_decay

        owners = [one for one in tf.keras.optimizers.AdamW.__mro__ if "_apply_weight_decay" in vars(one)]
        for owner in owners:
            breakage.replace(owner, "_apply_weight_decay", made)

    plant.__name__, plant.__doc__ = name, text
    fault("AdamW", FAMILY, show)(plant)


ADAMW = steps(lambda o: o.AdamW(0.1, weight_decay=0.2))
decay("adamw_decay_missing", "Weights do not decay.", ADAMW, lambda o, w: 0.0)
decay("adamw_decay_without_rate", "The decay is not multiplied by the learning rate.", ADAMW, lambda o, w: 5.0)
decay("adamw_decay_spares_vectors", "Variables of rank one do not decay.", ADAMW, lambda o, w: float(w.shape.rank > 1))


# Schedules


def schedule(name, owner, text, make, wrong, modes="both"):
    """A fault of a learning-rate schedule: `wrong(original, schedule, step)` gives the rate."""

    def run(compiled):
        made = make(tf.keras.optimizers.schedules)
        function = compiled_if(compiled, lambda step: tf.convert_to_tensor(made(step)))
        return [function(tf.constant(step)) for step in (0, 3, 10, 11, 25)]

    def plant(breakage):
        def made(original):
            def __call__(self, step):
                return wrong(original, self, step)

            return __call__

        breakage.replace(getattr(tf.keras.optimizers.schedules, owner), "__call__", made)

    plant.__name__, plant.__doc__ = name, text
    fault(owner, FAMILY, apart(run), modes)(plant)


schedule(
    "schedule_frozen_in_graph",
    "ExponentialDecay",
    "In compiled steps the rate is always that of step 0.",
    lambda s: s.ExponentialDecay(0.1, 10, 0.5),
    lambda original, self, step: original(self, step if tf.executing_eagerly() else tf.zeros_like(step)),
    GRAPH,
)
schedule(
    "schedule_always_staircase",
    "ExponentialDecay",
    "Step over period is divided as integers (a staircase).",
    lambda s: s.ExponentialDecay(0.1, 10, 0.5),
    lambda original, self, step: original(self, tf.cast(step, tf.int32) // self.decay_steps * self.decay_steps),
)
schedule(
    "schedule_boundary_early",
    "PiecewiseConstantDecay",
    "A boundary counts one step early.",
    lambda s: s.PiecewiseConstantDecay([10, 20], [1.0, 0.5, 0.1]),
    lambda original, self, step: original(self, step + 1),
)
